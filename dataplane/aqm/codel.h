/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CoDel (RFC 8289, section 5), called for each packet at the head instead of a loop that dequeues packets:
 * after a drop the queue calls it for the next packet at the same `now`.
 *
 * sojourn = age - time parked: waiting while R is 0 says nothing about congestion.
 * The RFC tests the packet behind a dropped one before it sets the time of the next drop, and does not set
 * it if that packet's sojourn is below target; `is_owed` postpones that test to the next call.
 */
#ifndef DATAPLANE_AQM_CODEL_H
#define DATAPLANE_AQM_CODEL_H

#include "dataplane/aqm/aqm.h"

#define CODEL_LAW_ROOTS 1024

struct codel_law {
    int64_t target_ns, interval_ns;
    uint64_t mtu_octets;
    int64_t one_over_root[CODEL_LAW_ROOTS]; /* 1 / sqrt(count) */
};

struct codel_state {
    int64_t first_above_ns; /* 0: the last was below target */
    int64_t drop_next_ns;
    uint32_t count, last_count;
    bool is_dropping, is_owed;
};

/* Target and interval; may be an instance's own. */
struct codel_times {
    int64_t target_ns, interval_ns;
};

/*
 * Both times at a rate at which the octets of a target take longer than the least one: the target is then
 * their transmission time, and the interval is longer by as much, as the round trip is. Rate 0: the least
 * times.
 */
struct codel_times codel_times_at(const struct codel_times *least, uint64_t target_octets, uint64_t rate_bps);

/* interval / sqrt(count), for count > 0. */
int64_t codel_law_gap_ns(const struct codel_law *law, const struct codel_times *times, uint32_t count);

/* Fills in the table of roots. */
void codel_law_roots(struct codel_law *law);

/* The verdict on the packet at the head. */
enum aqm_verdict codel_law_leave(const struct codel_law *law, const struct codel_times *times,
                                 struct codel_state *state, const struct aqm_view *view, int64_t now);

/* The last sojourn was below target: a packet with no backlog behind it is not signalled. */
static inline bool codel_law_is_idle(const struct codel_state *state)
{
    return state->first_above_ns == 0 && !state->is_dropping;
}

/* Writes count and whether it drops, for reports. */
unsigned codel_law_read(const struct codel_state *state, struct aqm_reading *out);

#endif
