/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guards of a worker's ports (ports/port.h), as the worker knows them: frames become longer by them, and
 * control gives them orders. Their functions are
 * another folder's.
 */
#ifndef DATAPLANE_WORKER_GUARDS_H
#define DATAPLANE_WORKER_GUARDS_H

#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct gb_nse;
struct gb_nsvc;
struct msg;
struct worker;
struct worker_config;

/* The ends of a datagram: octets of addresses. */
struct guards_ends {
    const uint8_t *source, *destination;
    uint16_t source_port, destination_port;
    bool is_ipv6;
};

struct guards_fit {
    unsigned octets;     /* the longest IP packet that leaves in one; 0: none does */
    bool is_whole_first; /* longer ones are cut behind the guard */
};

struct guards_ops {
    /* Puts guards on ports of a worker that is being made. */
    void (*put)(void *arg, struct worker *w, const struct worker_config *config);
    /* Which datagrams with these ends fit the MTU of a guarded Gn port. */
    struct guards_fit (*fit)(const void *arg, const struct guards_ends *ends, unsigned mtu_octets);
    /* How frames of an NS-VC become longer on a guarded Gb port. */
    struct sched_link_frame (*frame)(const void *arg, const struct gb_nsvc *nsvc);
    /* Carries out an order between two bursts. True: frames of Gb may become longer in another way; -1: the
     * port has no guard. */
    int (*order)(void *arg, const struct msg *msg);
};

/* ops NULL: no port has a guard. arg: the caller's, of this worker alone; it outlives the worker. */
struct guards {
    const struct guards_ops *ops;
    void *arg;
    unsigned gn_more_octets; /* the most that one adds to a packet on Gn; 0: Gn has none */
};

/* Puts the configuration's guards on the ports. */
void guards_put(struct worker *w, const struct worker_config *config);

/* The octets of a frame of NS signalling that the bucket of its link counts. */
uint32_t guards_signalling_octets(const struct worker *w, const struct gb_nse *nse, uint32_t ns_octets);

/* Sets how a guard makes the frames of an NSE longer, after a change of its NS-VCs. */
void guards_measure(struct worker *w, uint16_t nse);

#endif
