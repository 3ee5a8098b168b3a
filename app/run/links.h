/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a run: between server, GGSN and SGSN, and between a mobile's host and its radio. They delay
 * packets, and may lose or reorder users' packets. */
#ifndef APP_RUN_LINKS_H
#define APP_RUN_LINKS_H

#include "dataplane/base/rng.h"
#include "sim/delay_heap.h"
#include "sim/delay_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run_links {
    /* late_: delayed acknowledgements, in place of internet_down or air_up; slow_: reordered packets. */
    struct delay_line internet_down, internet_up, gn_down, gn_up, air_up, late_up, late_down, slow_down,
        between;                        /* SGSNs */
    struct delay_heap own_down, own_up; /* of packets whose server has a delay of its own (servers.h) */
    struct rng internet, gn;            /* chance on either */
};

typedef void run_links_out(void *arg, const uint8_t *packet, size_t octets, int64_t now);

/* The receivers at the ends of the links. */
struct run_links_outs {
    run_links_out *ggsn, *sgsn, *server, *ggsn_up, *air, *between;
    void *arg;
    int64_t between_ns; /* delay between SGSNs */
};

struct scenario_config;
struct run_mobile;

void run_links_init(struct run_links *l, const struct scenario_config *config,
                    const struct run_links_outs *outs);
void run_links_fini(struct run_links *l);

/* Delivers the packets that are due. Returns the next deadline. */
int64_t run_links_step(struct run_links *l, int64_t now);

/* Draws the loss or reordering of one packet; draws no number when ppm is 0. */
static inline bool run_links_chance(struct rng *rng, uint32_t ppm)
{
    return ppm > 0 && rng_chance_ppm(rng, ppm);
}

/* Takes an IP packet of a mobile: from its server to the GGSN, from the GGSN to its server, from its host to
 * its radio. */
void run_links_down(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now);
void run_links_up(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now);
void run_links_air(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now);

#endif
