/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of workers in tables of `gbflow show`: queues, buckets, the last second. */
#include "control/live/tables.h"
#include "control/report/field.h"

#include "control/live/live.h"
#include "dataplane/context/context.h"
#include "dataplane/context/context_look.h"

#include <math.h>
#include <stdio.h>

/* Fields and records of the tables that `gbflow show` prints. record: struct live. */

#define LOOK_NONE                                                                                            \
    (struct context_look)                                                                                    \
    {                                                                                                        \
        FIELD_NONE, FIELD_NONE, FIELD_NONE, FIELD_NONE, FIELD_NONE                                           \
    }

static uint64_t whole(double number)
{
    return isfinite(number) ? (uint64_t)(number + 0.5) : FIELD_NONE;
}

static int64_t now_of(const struct live *live)
{
    return clock_counter_ns(&live->clock);
}

void show_state_second_of(struct show_state *state, const struct live *live, const struct watch_key *key)
{
    const struct node *node = &live->node;
    watch_look(live->watch, node->workers, node->worker_count, now_of(live));
    const struct watch_figures f = watch_of(live->watch, key);
    state->in_bps = f.in_bps;
    state->out_bps = f.out_bps;
    state->in_per_s = whole(f.in_per_s);
    state->out_per_s = whole(f.out_per_s);
    state->dropped_per_s = whole(f.dropped_per_s);
    state->marked_per_s = whole(f.marked_per_s);
    state->sojourn_p50_us = whole(1000 * f.sojourn_p50_ms);
    state->sojourn_p95_us = whole(1000 * f.sojourn_p95_ms);
    snprintf(state->reasons, sizeof(state->reasons), "%s", f.reasons);
}

/* --- mobiles --- */

bool show_state_find_ms(const struct node *node, uint32_t *slot, unsigned *worker)
{
    unsigned home = mobility_home(&node->core.mobility, *slot);
    *worker = mobility_server(&node->core.mobility, *slot);
    if (home >= node->worker_count || *worker >= node->worker_count)
        return false;
    if (*worker == home)
        return true;
    const struct worker *w = node->workers[home];
    uint32_t remote = w->context.mobiles[*slot].remote;
    if (remote == 0 || remote > w->moves.count)
        return false;
    *slot = w->moves.list[remote - 1].at.ms;
    return w->moves.list[remote - 1].at.worker == *worker;
}

static void add_contexts(const struct context *c, uint32_t slot, uint64_t *sent, uint64_t *dropped)
{
    *sent = *dropped = 0;
    for (unsigned i = 0; i < MS_NSAPIS; i++) {
        uint32_t pdp = c->mobiles[slot].pdp[i];
        if (pdp < c->limits.pdps) {
            *sent += c->pdps[pdp].sent;
            *dropped += c->pdps[pdp].dropped;
        }
    }
}

static struct waits_at waits_cell_of(const struct context *c, uint16_t bvc)
{
    const struct gb_bvc *at = &c->bvcs[bvc < c->limits.bvcs ? bvc : 0];
    return (struct waits_at){bvc, (uint32_t)c->nses[at->nse].nsei << 16 | at->bvci};
}

int64_t show_state_sample(struct live *live, int64_t now)
{
    struct sched_wait_now wait;
    uint32_t first, end;
    if (!waits_begin(&live->waits, now, &first, &end))
        return live->waits.due_ns;
    for (uint32_t i = first; i < end; i++) {
        uint32_t slot = i;
        unsigned worker;
        if (!live->node.sessions.mobiles[i].in_use || !show_state_find_ms(&live->node, &slot, &worker))
            continue;
        const struct context *c = &live->node.workers[worker]->context;
        if (!context_look_wait(c, slot, now_of(live), &wait))
            continue;
        waits_sample(&live->waits, i, waits_cell_of(c, c->mobiles[slot].bvc), &wait);
    }
    return live->waits.due_ns;
}

bool show_state_is_standby(const struct live *live, uint32_t slot)
{
    unsigned worker;
    return show_state_find_ms(&live->node, &slot, &worker) &&
           context_look_standby(&live->node.workers[worker]->context, slot, now_of(live));
}

void show_state_ms(struct show_state *state, const struct live *live, uint32_t slot, uint64_t *sent,
                   uint64_t *dropped)
{
    struct watch_key key = {WATCH_ANY, WATCH_ANY, WATCH_ANY, WATCH_ANY};
    const uint32_t home_slot = slot;
    unsigned worker;
    bool is_moving = mobility_is_moving(&live->node.core.mobility, slot);
    bool is_found = show_state_find_ms(&live->node, &slot, &worker);
    const struct context *c = is_found ? &live->node.workers[worker]->context : NULL;

    key.ms = is_found ? watch_ms(worker, slot) : WATCH_ANY - 1;
    show_state_second_of(state, live, &key);
    struct sched_wait_now wait = {.cause = SCHED_WAIT_NONE};
    if (c && context_look_ms(c, slot, now_of(live), &state->look) &&
        context_look_wait(c, slot, now_of(live), &wait)) {
        state->waits_for = sched_wait_name(wait.cause);
        waits_shares(&live->waits, home_slot, &wait, state->wait_percent);
        add_contexts(c, slot, sent, dropped);
        state->llc = gb_abm_look(live->node.workers[worker], slot);
        return;
    }
    state->look = LOOK_NONE;
    state->waits_for = sched_wait_name(is_moving ? SCHED_WAIT_MOVING : SCHED_WAIT_NONE);
    state->llc = (struct gb_abm_look){0};
    for (unsigned i = 0; i < SCHED_WAIT_CAUSES; i++)
        state->wait_percent[i] = FIELD_NONE;
    *sent = *dropped = FIELD_NONE;
}

/* --- cells and links --- */

void show_state_bvc(struct show_state *state, const struct live *live, uint16_t cell)
{
    const struct watch_key key = {WATCH_ANY, cell, WATCH_ANY, WATCH_ANY};
    unsigned worker = node_config_worker_of(&live->node.config, cell);
    struct context_look queued[QCLASS_COUNT];

    show_state_second_of(state, live, &key);
    if (!context_look_bvc(&live->node.workers[worker]->context, cell, now_of(live), &state->look, queued))
        state->look = LOOK_NONE;
}

void show_state_link(struct show_state *state, const struct live *live, uint16_t nse)
{
    const struct watch_key key = {WATCH_ANY, WATCH_ANY, nse, WATCH_ANY};
    unsigned worker = live->node.config.nses[nse].worker;

    show_state_second_of(state, live, &key);
    if (!context_look_link(&live->node.workers[worker]->context, nse, now_of(live), &state->look))
        state->look = LOOK_NONE;
}

/* --- rows --- */

#define ROW(name, unit, member, sentence) FIELD(struct show_state, GAUGE, name, unit, member, sentence)

const struct field show_state_bucket[] = {
    ROW("level_octets", "octets", look.level_octets, "Octets in its bucket now (TS 48.018 clause 8.2)."),
    ROW("max_octets", "octets", look.max_octets,
        "Bmax in force: as announced, and limited by flow_control of the configuration."),
    ROW("leak_bps", "bit/s", look.rate_bps,
        "R in force: the rate at which its bucket leaks; of a link 0: no limit."),
    FIELD_END,
};

const struct field show_state_queue[] = {
    ROW("queued_npdus", "N-PDUs", look.queued_pkts, "N-PDUs that wait now."),
    ROW("queued_octets", "octets", look.queued_octets, "Octets of these N-PDUs that have not been sent."),
    FIELD_END,
};

const struct field show_state_second[] = {
    ROW("in_bps", "bit/s", in_bps, "Downlink N-PDUs that arrived in the last second."),
    ROW("out_bps", "bit/s", out_bps, "Downlink N-PDUs that were sent in the last second."),
    ROW("in_per_s", "N-PDUs a second", in_per_s, "N-PDUs that arrived in the last second."),
    ROW("out_per_s", "N-PDUs a second", out_per_s, "N-PDUs that were sent in the last second."),
    ROW("dropped_per_s", "N-PDUs a second", dropped_per_s, "N-PDUs that were dropped in the last second."),
    ROW("marked_per_s", "N-PDUs a second", marked_per_s,
        "N-PDUs that were sent in the last second with CE set by an AQM scheme."),
    ROW("sojourn_p50_us", "microseconds", sojourn_p50_us,
        "Median sojourn of the N-PDUs that were sent in the last second, from Gn to their last segment."),
    ROW("sojourn_p95_us", "microseconds", sojourn_p95_us, "95th percentile of these sojourns."),
    FIELD(struct show_state, LABEL, "reasons", "", reasons,
          "Drop reasons of the last second, each with its N-PDUs a second."),
    FIELD_END,
};

#define WAIT(name, cause, of_what)                                                                           \
    ROW("wait_" name "_percent", "percent", wait_percent[cause],                                             \
        "Share of the last 40 to 60 s in which its N-PDUs waited for " of_what ".")

const struct field show_state_waits[] = {
    FIELD(struct show_state, LABEL, "waits_for", "", waits_for,
          "Cause for which its queued N-PDUs wait now (docs/scheduling.md#causes-of-waiting): own bucket, "
          "PFC bucket, cell bucket, link bucket, turn, window, suspended, page, unusable cell or moving; - "
          "if none "
          "is queued."),
    WAIT("own_bucket", SCHED_WAIT_MS, "its own bucket"),
    WAIT("pfc_bucket", SCHED_WAIT_PFC, "the bucket of a packet flow"),
    WAIT("cell_bucket", SCHED_WAIT_BVC, "its cell's bucket"),
    WAIT("link_bucket", SCHED_WAIT_LINK, "its Gb link's bucket"),
    WAIT("turn", SCHED_WAIT_TURN, "its turn: others are sent to"),
    WAIT("window", SCHED_WAIT_WINDOW, "the window of LLC's acknowledged mode"),
    WAIT("suspended", SCHED_WAIT_SUSPENDED, "the end of its suspension"),
    WAIT("page", SCHED_WAIT_PAGE, "the answer to a page"),
    WAIT("unusable_cell", SCHED_WAIT_DOWN, "its cell to be usable (`usable` of bvc)"),
    WAIT("moving", SCHED_WAIT_MOVING, "the end of a move to another worker"),
    FIELD_END,
};
