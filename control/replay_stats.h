/* SPDX-License-Identifier: BSD-3-Clause */
/* What became of the N-PDUs of each session, from the worker's trace. Sojourn: from Gn receipt to the last
 * segment's departure. */
#ifndef CONTROL_REPLAY_STATS_H
#define CONTROL_REPLAY_STATS_H

#include "control/sessions.h"
#include "dataplane/base/drop.h"
#include "dataplane/worker/trace.h"

#include <stdint.h>

struct replay_session {
    uint64_t npdu_in, npdu_out, octets_out;
    uint64_t drops[DROP_COUNT];
    int64_t *sojourns_ns; /* of those delivered, in the order of departure; sorted by replay_stats_sort() */
    size_t sojourn_count, sojourn_cap;
};

struct replay_stats {
    struct replay_session *sessions; /* parallel to sessions.list */
    uint32_t count;
    uint64_t strays; /* events of no session: unknown tunnels, malformed N-PDUs */
};

void replay_stats_free(struct replay_stats *stats);

/* Takes all events that there are. */
void replay_stats_take(struct replay_stats *stats, struct sessions *sessions, struct rte_ring *trace);

/* Makes entries for sessions without any event, and sorts the samples. Call once, before quantiles are asked
 * for. */
void replay_stats_sort(struct replay_stats *stats, const struct sessions *sessions);

/* Quantile by nearest rank, 0 < percent <= 100; the session must have samples and be sorted. */
int64_t replay_stats_quantile_ns(const struct replay_session *session, unsigned percent);

#endif
