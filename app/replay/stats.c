/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void replay_stats_free(struct replay_stats *stats)
{
    for (uint32_t i = 0; i < stats->count; i++)
        samples_free(&stats->sessions[i].sojourns);
    free(stats->sessions);
    *stats = (struct replay_stats){0};
}

static void cover(struct replay_stats *stats, uint32_t count)
{
    if (count <= stats->count)
        return;
    stats->sessions = reallocarray(stats->sessions, count, sizeof(*stats->sessions));
    if (!stats->sessions) {
        fprintf(stderr, "gbflow: out of memory for the report\n");
        exit(1);
    }
    memset(stats->sessions + stats->count, 0, (count - stats->count) * sizeof(*stats->sessions));
    stats->count = count;
}

static void take(struct replay_stats *stats, struct sessions *sessions, unsigned worker,
                 const struct trace_event *event)
{
    const struct session *session = sessions_of(sessions, worker, event->pdp, event->generation);
    if (!session) {
        stats->strays++;
        return;
    }
    cover(stats, sessions->count);
    struct replay_session *row = &stats->sessions[session - sessions->list];
    row->npdu_in++;
    if (event->reason != DROP_NONE) {
        row->drops[event->reason]++;
        return;
    }
    row->npdu_out++;
    row->octets_out += event->octets;
    samples_add(&row->sojourns, event->at_ns - event->arrival_ns);
}

void replay_stats_take(struct replay_stats *stats, struct sessions *sessions, unsigned worker,
                       struct rte_ring *trace)
{
    struct trace_event event;
    while (trace_take(trace, &event))
        take(stats, sessions, worker, &event);
}

void replay_stats_cover(struct replay_stats *stats, const struct sessions *sessions)
{
    cover(stats, sessions->count);
}
