/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/replay_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grown(void *array, size_t count, size_t octets)
{
    array = reallocarray(array, count, octets);
    if (!array) {
        fprintf(stderr, "gbflow: no memory for the report\n");
        exit(1);
    }
    return array;
}

void replay_stats_free(struct replay_stats *stats)
{
    for (uint32_t i = 0; i < stats->count; i++)
        free(stats->sessions[i].sojourns_ns);
    free(stats->sessions);
    *stats = (struct replay_stats){0};
}

static void cover(struct replay_stats *stats, uint32_t count)
{
    if (count <= stats->count)
        return;
    stats->sessions = grown(stats->sessions, count, sizeof(*stats->sessions));
    memset(stats->sessions + stats->count, 0, (count - stats->count) * sizeof(*stats->sessions));
    stats->count = count;
}

static void add_sojourn(struct replay_session *session, int64_t sojourn_ns)
{
    if (session->sojourn_count == session->sojourn_cap) {
        session->sojourn_cap = session->sojourn_cap ? 2 * session->sojourn_cap : 256;
        session->sojourns_ns = grown(session->sojourns_ns, session->sojourn_cap, sizeof(int64_t));
    }
    session->sojourns_ns[session->sojourn_count++] = sojourn_ns;
}

static void take(struct replay_stats *stats, struct sessions *sessions, const struct trace_event *event)
{
    const struct session *session = sessions_of(sessions, event->pdp, event->generation);
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
    add_sojourn(row, event->at_ns - event->arrival_ns);
}

void replay_stats_take(struct replay_stats *stats, struct sessions *sessions, struct rte_ring *trace)
{
    struct trace_event event;
    while (trace_take(trace, &event))
        take(stats, sessions, &event);
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void replay_stats_sort(struct replay_stats *stats, const struct sessions *sessions)
{
    cover(stats, sessions->count);
    for (uint32_t i = 0; i < stats->count; i++)
        if (stats->sessions[i].sojourn_count > 0)
            qsort(stats->sessions[i].sojourns_ns, stats->sessions[i].sojourn_count, sizeof(int64_t), compare);
}

int64_t replay_stats_quantile_ns(const struct replay_session *session, unsigned percent)
{
    size_t rank = (session->sojourn_count * percent + 99) / 100;
    return session->sojourns_ns[rank - 1];
}
