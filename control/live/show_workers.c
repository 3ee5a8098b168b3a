/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about workers: their counters, steps and AQM. */
#include "control/live/tables.h"

#include "control/report/node_fields.h"

#include <rte_common.h>

/* --- workers --- */

struct worker_row {
    unsigned worker;
    struct live_worker_stats live;
    uint64_t longest_gap_us, gn_own, gb_own, gn_steered, gb_steered;
    struct worker_stats stats;
};

static void show_workers_each(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct live_worker *worker = &live->workers[i];
        struct worker_row row = {
            .worker = i,
            .live = worker->stats,
            .longest_gap_us = (uint64_t)worker->stats.longest_ns / 1000,
            .stats = worker->worker->stats,
        };
        const struct worker_stats *stats = &row.stats;
        row.gn_steered = worker_stats_gn_steered(stats);
        row.gb_steered = worker_stats_gb_steered(stats);
        row.gn_own = stats->gn_frames - RTE_MIN(row.gn_steered, stats->gn_frames);
        row.gb_own = stats->gb_frames - RTE_MIN(row.gb_steered, stats->gb_frames);
        field_put(sink, NULL, &row);
    }
}

static const struct field show_workers[] = {
    FIELD(struct worker_row, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct worker_row, COUNTER, "polls", "polls", live.passes,
          "Polls of the worker's ports and rings."),
    FIELD(struct worker_row, COUNTER, "busy_polls", "polls", live.busy_passes, "Polls that found work."),
    FIELD(struct worker_row, COUNTER, "sleeps", "times", live.sleeps,
          "Times that the worker slept (live.idle)."),
    FIELD(struct worker_row, COUNTER, "slept_s", "seconds", live.slept_ns, "Time that it slept in all."),
    FIELD(struct worker_row, COUNTER, "gaps", "times", live.gaps,
          "Polls that began 100 us or more after the one before, without a sleep between."),
    FIELD(struct worker_row, GAUGE, "longest_gap_us", "microseconds", longest_gap_us,
          "Longest time between two polls, without a sleep between."),
    WORKER_FIELD(struct worker_row, "gn_frames", stats, gn_frames),
    FIELD(struct worker_row, COUNTER, "gn_own", "frames", gn_own,
          "Of these, the frames that are this worker's, or no worker's."),
    FIELD(struct worker_row, COUNTER, "gn_steered", "frames", gn_steered,
          "Of these, the frames of another worker: passed on, or dropped because the ring to it was full."),
    WORKER_FIELD(struct worker_row, "gb_frames", stats, gb_frames),
    FIELD(struct worker_row, COUNTER, "gb_own", "frames", gb_own,
          "Of these, the frames that are this worker's, or no worker's."),
    FIELD(struct worker_row, COUNTER, "gb_steered", "frames", gb_steered,
          "Of these, the frames of another worker's NS-VC: passed on, or dropped as above."),
    WORKER_FIELD(struct worker_row, "npdu_in", stats, npdu_in),
    WORKER_FIELD(struct worker_row, "npdu_out", stats, npdu_out),
    WORKER_FIELD(struct worker_row, "uplink_npdus", stats, ul_npdu_out),
    FIELD_END,
};

/* --- drops --- */

struct drop_row {
    const char *side, *of, *reason;
    uint64_t count;
};

static void put_drop(const struct live *live, struct field_sink *sink, enum drop reason, bool is_gb)
{
    struct drop_row row = {is_gb ? "gb" : "gn", drop_is_npdu(reason) ? "npdu" : "frame", drop_name(reason),
                           0};
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        row.count += (is_gb ? stats->gb_drops : stats->gn_drops)[reason];
    }
    if (row.count > 0)
        field_put(sink, NULL, &row);
}

/* Packets that were to leave. */
static void put_unsent(const struct live *live, struct field_sink *sink, enum drop reason, bool is_gb)
{
    struct drop_row row = {is_gb ? "gb" : "gn", "unsent", drop_name(reason), 0};
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        row.count += (is_gb ? stats->gb_unsent : stats->gn_unsent)[reason];
    }
    if (row.count > 0)
        field_put(sink, NULL, &row);
}

/* Messages of the node that did not leave. */
static void put_messages(const struct live *live, struct field_sink *sink)
{
    struct drop_row rows[] = {{"gn", "message", "answers_unsent", 0},
                              {"gn", "message", "echo_unsent", 0},
                              {"gn", "message", "gtpc_unsent", 0},
                              {"gb", "message", "signalling_lost", 0}};
    for (unsigned i = 0; i < live->worker_count; i++) {
        const struct worker_stats *stats = &live->workers[i].worker->stats;
        rows[0].count += stats->gn_answers_unsent;
        rows[1].count += stats->gn_echo_unsent;
        rows[2].count += stats->gn_gtpc_unsent;
        rows[3].count += stats->gb_signalling_lost;
    }
    for (unsigned i = 0; i < RTE_DIM(rows); i++)
        if (rows[i].count > 0)
            field_put(sink, NULL, &rows[i]);
}

static void put_drops(const struct live *live, struct field_sink *sink, bool is_handled)
{
    for (int is_gb = 0; is_gb <= 1; is_gb++)
        for (int reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            if (drop_is_handled((enum drop)reason) == is_handled)
                put_drop(live, sink, (enum drop)reason, is_gb != 0);
}

static void show_workers_each_drop(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, false);
    for (int is_gb = 0; is_gb <= 1; is_gb++)
        for (int reason = DROP_NONE + 1; reason < DROP_COUNT; reason++)
            put_unsent(record, sink, (enum drop)reason, is_gb != 0);
    put_messages(record, sink);
}

static void show_workers_each_handled(const void *record, struct field_sink *sink)
{
    put_drops(record, sink, true);
}

static const struct field show_workers_handled[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port that the frame came from."),
    FIELD(struct drop_row, LABEL, "kind", "", reason,
          "Kind (docs/reference/drops.md); only those that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames", count,
          "Frames answered, or taken by the control core."),
    FIELD_END,
};

static const struct field show_workers_drops[] = {
    FIELD(struct drop_row, LABEL, "side", "", side, "gn or gb: the port of the frame."),
    FIELD(struct drop_row, LABEL, "of", "", of,
          "frame or npdu: what was dropped; unsent: a packet to send that ESP kept back, or that had no next "
          "hop; message: a message of the node that was not sent."),
    FIELD(struct drop_row, LABEL, "reason", "", reason,
          "Reason (docs/reference/drops.md), of a message its counter: answers_unsent, echo_unsent, "
          "gtpc_unsent (docs/reference/serve-report.md), signalling_lost (docs/flow-control.md); only those "
          "that happened are listed."),
    FIELD(struct drop_row, COUNTER, "count", "frames, N-PDUs or messages", count,
          "Frames, N-PDUs or messages dropped for it."),
    FIELD_END,
};

/* --- shares of the ring to control --- */

struct share_text {
    unsigned worker;
    const char *kind;
    char name[ADDRESS_BOOK_TEXT_CHARS];
    uint64_t waiting, passed, lost;
};

static const char *const kinds[SHARE_PEERS] = {
#define SHARE_KIND(NAME, kind) [SHARE_##NAME] = kind,
#include "dataplane/worker/shares.def"
};

static void name_peer(struct share_text *text, const struct live *live, unsigned worker, uint32_t peer)
{
    const struct node *node = &live->node;
    uint32_t ip = atomic_load_explicit(&node->workers[worker]->gtpc.ips[peer], memory_order_relaxed);
    address_book_text(&node->core.addresses, ip, text->name);
}

/* False: there is no NSE in this slot, or it is another worker's. */
static bool name_nse(struct share_text *text, const struct live *live, unsigned worker, uint32_t index)
{
    const struct node_config *config = &live->node.config;
    if (index >= config->nse_count || config->nses[index].is_gone || config->nses[index].worker != worker)
        return false;
    text->kind = "nse";
    snprintf(text->name, sizeof(text->name), "%u", config->nses[index].nsei);
    return true;
}

static bool name_share(struct share_text *text, const struct live *live, unsigned worker, uint32_t share)
{
    if (share >= SHARE_NSES)
        return name_nse(text, live, worker, share - SHARE_NSES);
    if (share < SHARE_PEERS) {
        text->kind = kinds[share];
        return true;
    }
    text->kind = share < SHARE_RESPONSES ? "gtpc" : "gtpc_response";
    name_peer(text, live, worker, (share - SHARE_PEERS) % SHARES_PEERS);
    return true;
}

static void put_share(const struct live *live, struct field_sink *sink, unsigned worker, uint32_t share)
{
    const struct shares *s = &live->node.workers[worker]->shares;
    const struct share_row *row = &s->rows[share];
    struct share_text text = {.worker = worker, .name = "-", .waiting = shares_waiting(s, share)};
    uint64_t late = atomic_load_explicit(&row->late, memory_order_relaxed);
    text.passed = atomic_load_explicit(&row->taken, memory_order_relaxed) - late;
    text.lost = atomic_load_explicit(&row->lost, memory_order_relaxed) + late;
    if (text.waiting + text.passed + text.lost > 0 && name_share(&text, live, worker, share))
        field_put(sink, NULL, &text);
}

static void show_workers_each_share(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (unsigned i = 0; i < live->worker_count; i++)
        for (uint32_t share = SHARE_NONE + 1; share < live->node.workers[i]->shares.count; share++)
            put_share(live, sink, i, share);
}

static const struct field show_workers_shares[] = {
    FIELD(struct share_text, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct share_text, LABEL, "kind", "", kind,
          "nse; gtpc: GTP-C of a peer, gtpc_response: its responses to the ports of requests; gtpc_host: of "
          "hosts that "
          "are no peers; arp: ARP and Neighbour Discovery; icmp; unlisted: NS-RESET of unknown endpoints; "
          "paging: "
          "mobiles to be paged; tunnel: Error Indications of GGSNs. Only those that have sent something are "
          "listed."),
    FIELD(struct share_text, LABEL, "name", "", name,
          "NSEI of the NSE, or address of the peer; - of other kinds."),
    FIELD(struct share_text, GAUGE, "waiting", "messages", waiting, "Messages that wait for control."),
    FIELD(struct share_text, COUNTER, "passed", "messages", passed, "Messages that control has handled."),
    FIELD(struct share_text, COUNTER, "lost", "messages", lost,
          "Messages dropped because the sender had more than its share of the ring to control, of control's "
          "time, or "
          "of its allowance per second."),
    FIELD_END,
};

/* --- AQM --- */

struct aqm_row {
    struct aqm_fields class;
    const char *hook;
    struct aqm_counts counts;
};

static void show_workers_each_aqm(const void *record, struct field_sink *sink)
{
    const struct node *node = &((const struct live *)record)->node;
    struct aqm_row row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        if (!node_fields_aqm_of(node->workers, node->worker_count, k, &row.class))
            continue;
        row.hook = "enqueue", row.counts = row.class.enqueue;
        field_put(sink, NULL, &row);
        row.hook = "dequeue", row.counts = row.class.dequeue;
        field_put(sink, NULL, &row);
    }
}

static const struct field show_workers_aqm[] = {
    FIELD(struct aqm_row, LABEL, "class", "", class.class,
          "Traffic class; only those with an AQM scheme are listed."),
    FIELD_ROWS(offsetof(struct aqm_row, class), aqm_fields_scheme),
    FIELD(struct aqm_row, LABEL, "hook", "", hook,
          "enqueue, or dequeue: before the first segment of an N-PDU is sent."),
    FIELD_ROWS(offsetof(struct aqm_row, counts), aqm_fields_counts),
    FIELD_END,
};

/* --- tables --- */

const struct field show_workers_tables[] = {
    SHOW_TABLE("workers", show_workers_each, show_workers, "Workers."),
    SHOW_TABLE("drops", show_workers_each_drop, show_workers_drops,
               "Frames, N-PDUs and messages dropped, by reason."),
    SHOW_TABLE("handled", show_workers_each_handled, show_workers_handled,
               "Frames that were answered or taken by the control core, by kind."),
    SHOW_TABLE("shares", show_workers_each_share, show_workers_shares,
               "Senders of messages to control, with queued and lost messages."),
    SHOW_TABLE("aqm", show_workers_each_aqm, show_workers_aqm,
               "Answers of the AQM schemes, by traffic class and hook."),
    FIELD_END,
};
