/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The room of a mobile in a class, in largest packets and in time at its share, and the credits that follow
 * from the share (params.room). With flow queues by start tags.
 *
 * Model: the share of a mobile is the octets of its class in its cell in the last whole window of 2^32 ns,
 * divided by the number of its mobiles that were served then. The unused part of a cell's R
 * counts to the class if it is more than a quarter of R. A share is at most R of the mobile, and is R as long
 * as there is no whole window. A mobile whose share is R is alone, else its class is loaded.
 *
 *   limit   L = max(pkts x packet, time x share), of the pair for a loaded class or for a mobile alone. While
 *           more octets wait, the longest of the mobile's flow queues drops its oldest N-PDU; with `protects`
 *           a flow's only N-PDU stays.
 *   young   a flow has young_octets = min(12 kB, 4 s of the share), or none if that is less than 4 packets
 *   loan    a mobile with nothing queued and nothing in the BSS that was not served for max(0.8 s, 2 packets
 *           of its share) may send min(6 kB, 4 s of its share) first in its class, which its tag then owes.
 *
 * A packet is the longest N-PDU that the scheduler has seen. N-PDUs that bypass the queue are not counted.
 *
 * For the sched*.c files only.
 */
#ifndef DATAPLANE_SCHED_SCHED_ROOM_H
#define DATAPLANE_SCHED_SCHED_ROOM_H

#include "dataplane/sched/sched_types.h"

static inline bool sched_room_has(const struct sched *s)
{
    return __builtin_expect(s->params.room.loaded.pkts > 0, false);
}

/* R that a mobile can expect in a class, in bit/s. */
uint64_t sched_room_share_bps(const struct sched *s, const struct sched_ms *ms, unsigned qclass, int64_t now);
/* An N-PDU arrives at an empty flow, whose set has been taken: its credits. */
void sched_room_begin(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* Drops N-PDUs of a flow, of which one has just been queued, down to its limit. */
void sched_room_trim(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now);
/* A flow has sent octets. */
void sched_room_sent(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, uint32_t octets,
                     int64_t now);

#endif
