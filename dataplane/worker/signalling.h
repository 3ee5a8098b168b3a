/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signalling on Gb: frames of the control core go before all users' ones. Where the link of their NSE has a
 * rate, they count against it and may take a part of it at most; what may not go yet waits, in order within
 * an NSE, in a list that all of a worker share. Users' frames never wait there, nor do other orders.
 */
#ifndef DATAPLANE_WORKER_SIGNALLING_H
#define DATAPLANE_WORKER_SIGNALLING_H

#include <stdint.h>

#define SIGNALLING_WAITING 64

struct gb_nse;
struct rte_mbuf;
struct worker;

struct signalling_frame {
    struct rte_mbuf *mbuf;
    struct gb_nse *nse;
    uint32_t ns_octets;
};

/* Zeroed: nothing waits. */
struct signalling {
    struct signalling_frame frames[SIGNALLING_WAITING]; /* oldest first */
    uint32_t count;
};

/*
 * Sends a whole frame, which carries an NS-PDU of ns_octets, over a link, now or as soon as the link's rate
 * allows; takes it over. 0, or -1: too many wait, it was freed and counted. There is room at the port.
 */
int signalling_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                    int64_t now);

/* Sends what may go of those that wait, as long as the port has room; returns how many. */
unsigned signalling_release(struct worker *w, int64_t now);

/* When the first of them may go, later than now; MOMENT_NEVER when none waits. */
int64_t signalling_next_ns(const struct worker *w, int64_t now);

/* Its NSE is no more: what waits for its link, such as the last NS-BLOCK, goes at once. */
void signalling_end(struct worker *w, const struct gb_nse *nse, int64_t now);

/* Frees all that wait. */
void signalling_free(struct worker *w);

#endif
