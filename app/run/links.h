/* SPDX-License-Identifier: BSD-3-Clause */
/* The links of a run that only delay, and may lose or reorder users' packets: between server, GGSN and SGSN,
 * and between a mobile's host and its radio. */
#ifndef APP_RUN_LINKS_H
#define APP_RUN_LINKS_H

#include "app/run/scenario_config.h"
#include "dataplane/base/rng.h"
#include "sim/delay_line.h"

struct run_links {
    /* late_ are those of packets that wait before, slow_ those of packets that others overtake. */
    struct delay_line internet_down, internet_up, gn_down, gn_up, air_up, late_up, late_down, slow_down;
    struct rng internet, gn; /* chance on either */
};

typedef void run_links_out(void *arg, const uint8_t *packet, size_t octets, int64_t now);

/* Where packets come out. */
struct run_links_outs {
    run_links_out *ggsn, *sgsn, *server, *ggsn_up, *air;
    void *arg;
};

void run_links_init(struct run_links *l, const struct scenario_config *config,
                    const struct run_links_outs *outs);
void run_links_fini(struct run_links *l);

/* Hands out what is due. Returns the next deadline. */
int64_t run_links_step(struct run_links *l, int64_t now);

/*
 * Whether a packet has to wait: an acknowledgement, or behind one that waits, for nothing overtakes. late_ns:
 * of the last that waits.
 */
bool run_links_is_late(const struct run_links *l, int64_t *late_ns, const uint8_t *packet, size_t octets,
                       int64_t now);

/* Chance for one packet; draws only where it can happen. */
static inline bool run_links_chance(struct rng *rng, uint32_t ppm)
{
    return ppm > 0 && rng_chance_ppm(rng, ppm);
}

#endif
