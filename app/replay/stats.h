/* SPDX-License-Identifier: BSD-3-Clause */
/* The fates of N-PDUs per session, counted from the workers' traces. Sojourn: from Gn receipt to the last
 * segment's departure. */
#ifndef APP_REPLAY_STATS_H
#define APP_REPLAY_STATS_H

#include "control/report/totals.h"
#include "control/core/sessions.h"
#include "dataplane/base/drop.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/msg.h"

#include <stdint.h>

struct replay_session {
    uint64_t npdu_in, npdu_out, octets_out;
    uint64_t drops[DROP_COUNT];
    struct samples sojourns; /* of those delivered */
};

struct replay_stats {
    struct replay_session *sessions; /* parallel to sessions.list */
    uint32_t count;
    uint64_t strays; /* events of no session: unknown tunnels, malformed N-PDUs */
};

void replay_stats_free(struct replay_stats *stats);

/* Takes all events that are in a worker's trace. */
void replay_stats_take(struct replay_stats *stats, struct sessions *sessions, unsigned worker,
                       struct rte_ring *trace);

/* Makes entries for sessions without an event; to be called before the reports. */
void replay_stats_cover(struct replay_stats *stats, const struct sessions *sessions);

#endif
