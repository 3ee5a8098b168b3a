/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Datagrams on Gn that wait while the MAC address of their next hop is asked for, in the order in which they
 * came (RFC 1122 clause 2.3.2.2, RFC 4861 clause 7.2.2). Of those to one destination the latest GN_WAIT_EACH
 * wait, each for GN_WAIT_NS at most. Answers go to addresses that can be forged: the latest GN_WAIT_ANSWERS
 * wait, to all destinations. A datagram that is replaced or waits too long is lost as DROP_NO_NEXT_HOP.
 */
#ifndef DATAPLANE_WORKER_GN_WAIT_H
#define DATAPLANE_WORKER_GN_WAIT_H

#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/gn_tx.h"

#include <stdbool.h>
#include <stdint.h>

#define GN_WAIT_MOST    256 /* buffers that next hops which do not answer hold: four full destinations */
#define GN_WAIT_EACH    64  /* more than the one of RFC 1122: a fourth, so that one next hop leaves room */
#define GN_WAIT_ANSWERS 32  /* an eighth: forged requests take no more, and GTP repeats a lost one */
#define GN_WAIT_NS      (3 * MOMENT_SECOND) /* RFC 4861 clause 10: three solicitations, a second each */

struct gn_wait_item {
    struct rte_mbuf *mbuf; /* with the UDP payload */
    struct gn_way way;
    int64_t until_ns;
};

/* Zeroed: empty. answers <= count, answers = those of the list whose way is an answer's. */
struct gn_wait {
    uint32_t count, answers;
    struct gn_wait_item list[GN_WAIT_MOST]; /* the oldest first */
};

/* Whether something waits for this destination. */
bool gn_wait_has(const struct gn_wait *wait, uint32_t ip);

/* Lets a datagram wait; takes ownership. False: it stays the caller's, as control cannot know its
 * destination, or its sender keeps it. */
bool gn_wait_put(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now);

/* Takes the oldest datagram to this destination, which is the caller's then. False: there is none. */
bool gn_wait_take(struct worker *w, uint32_t ip, struct gn_wait_item *item);

/* Frees a datagram that was not sent, and counts it by its way. */
void gn_wait_lose(struct worker *w, const struct gn_wait_item *item, enum drop reason);

/* Loses what has waited too long. */
void gn_wait_expire(struct worker *w, int64_t now);

/* When the oldest has waited too long; MOMENT_NEVER: none waits. */
static inline int64_t gn_wait_next_ns(const struct gn_wait *wait)
{
    return wait->count > 0 ? wait->list[0].until_ns : MOMENT_NEVER;
}

/* Frees all without counting. */
void gn_wait_free(struct gn_wait *wait);

#endif
