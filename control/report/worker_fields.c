/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of workers in reports, a row each. */
#include "control/report/node_fields.h"

#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"

const struct field_meaning worker_fields_meanings[] = {
#define WORKER_COUNTER(member, unit, sentence) {FIELD_COUNTER, unit, sentence},
#define WORKER_GAUGE(member, unit, sentence)   {FIELD_GAUGE, unit, sentence},
#include "dataplane/worker/stats.def"
#undef WORKER_COUNTER
#undef WORKER_GAUGE
};

/* --- workers, where there are several --- */

const struct field worker_fields_npdus[] = {
    FIELD_OF(struct totals, "in", WORKER_MEANING(npdu_in), in),
    FIELD_OF(struct totals, "out", WORKER_MEANING(npdu_out), out),
    FIELD(struct totals, COUNTER, "dropped", "N-PDUs", dropped, "N-PDUs dropped, each counted once."),
    FIELD(struct totals, GAUGE, "queued", "N-PDUs", queued,
          "N-PDUs that wait at the end, or are partly sent."),
    FIELD_END,
};

struct shard {
    struct totals totals;
    struct worker_stats stats;
};

void worker_fields_each(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; node->worker_count > 1 && i < node->worker_count; i++) {
        struct shard shard = {totals_of(node->workers[i]), node->workers[i]->stats};
        field_put(sink, NULL, &shard);
    }
}

#define ROW(name, number) WORKER_FIELD(struct shard, name, stats, number)

static const struct field npdus[] = {
    FIELD_ROWS(offsetof(struct shard, totals), worker_fields_npdus),
    ROW("xworker_in", npdu_xworker_in),
    ROW("xworker_out", npdu_xworker_out),
    FIELD_END,
};

static const struct field gn[] = {
    ROW("received", gn_frames),
    ROW("steered_out", gn_steered_out),
    ROW("steered_in", gn_steered_in),
    FIELD_END,
};

static const struct field gb[] = {
    ROW("received", gb_frames),
    ROW("steered_out", gb_steered_out),
    ROW("steered_in", gb_steered_in),
    FIELD_END,
};

const struct field worker_fields[] = {
    FIELD_INSIDE(OBJECT, "npdu", 0, npdus, "in + xworker_in = out + dropped + queued + xworker_out."),
    FIELD_INSIDE(OBJECT, "gn", 0, gn, "Frames from Gn."),
    FIELD_INSIDE(OBJECT, "gb", 0, gb, "Frames from Gb."),
    ROW("llc_frames", llc_frames),
    FIELD_END,
};

/* --- mobiles that move between workers --- */

void worker_fields_each_mobility(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    if (node->worker_count > 1 || node->config.nse_count > 1)
        field_put(sink, NULL, &node->core.mobility);
}

#define MOVES(name, unit, member, sentence) FIELD(struct mobility, COUNTER, name, unit, member, sentence)

const struct field worker_fields_mobility[] = {
    MOVES("moved", "moves", moved, "Moves of mobiles from one worker to another."),
    MOVES("refused", "moves", refused,
          "Moves that a worker refused; they are tried again when the mobile is heard."),
    MOVES("frames_forwarded", "frames", frames_kept,
          "Uplink frames from another NSE than the mobile's, sent to the worker that has the mobile."),
    MOVES("frames_dropped", "frames", frames_dropped,
          "Uplink frames from another NSE, dropped because too many waited for the mobile's move."),
    MOVES("frames_refused", "frames", frames_refused,
          "Uplink frames from another NSE, dropped because the mobile may not move there now."),
    MOVES("unknown_tlli", "frames", unknown_tlli, "Uplink frames with a TLLI that no mobile has."),
    FIELD_END,
};

/* --- acknowledged mode --- */

struct acknowledged_record {
    uint32_t worker, links, links_free;
    struct worker_stats stats;
};

void worker_fields_each_abm(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct worker *worker = node->workers[i];
        if (!worker->abm.first)
            continue;
        const struct acknowledged_record row = {i, worker->abm.config.links, worker->abm.free_count,
                                                worker->stats};
        field_put(sink, NULL, &row);
    }
}

#define LINKS(name, member) WORKER_FIELD(struct acknowledged_record, name, stats, member)

const struct field worker_fields_abm_counts[] = {
    FIELD(struct acknowledged_record, LABEL, "worker", "", worker, "Number of the worker."),
    FIELD(struct acknowledged_record, GAUGE, "links", "links", links,
          "Links that it has room for (llc.acknowledged.links)."),
    FIELD(struct acknowledged_record, GAUGE, "links_free", "links", links_free, "Of those, not in use."),
    LINKS("established", abm_established),
    LINKS("failed", abm_failed),
    LINKS("refused", abm_refused),
    LINKS("frames", abm_frames),
    LINKS("repeated", abm_repeated),
    LINKS("abandoned", abm_abandoned),
    LINKS("unconfirmed", abm_held),
    LINKS("uplink_frames", ul_abm_frames),
    LINKS("uplink_again", ul_abm_again),
    FIELD_END,
};

const struct field worker_fields_abm[] = {
    FIELD_INSIDE(LIST, "acknowledged", 0, worker_fields_abm_counts, "LLC in acknowledged mode, at a worker.",
                 .each = worker_fields_each_abm, .is_optional = true, .when = "with llc.acknowledged.links"),
    FIELD_END,
};

/* --- SNDCP's compression --- */

struct compression_record {
    uint32_t worker, limit;
    struct worker_stats stats;
};

void worker_fields_each_compression(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct compression_record row = {i, node->config.compression.entities, node->workers[i]->stats};
        if (node->workers[i]->compression.of_ms)
            field_put(sink, NULL, &row);
    }
}

#define PACKED(name, member) WORKER_FIELD(struct compression_record, name, stats, member)

const struct field worker_fields_compression_counts[] = {
    FIELD(struct compression_record, LABEL, "worker", "", worker, "Number of the worker."),
    PACKED("entities", compression_entities),
    FIELD(struct compression_record, GAUGE, "entities_limit", "entities", limit,
          "Entities that all workers may have together (`sndcp.compression.entities`)."),
    PACKED("npdus", compression_npdus),
    PACKED("octets", compression_octets),
    PACKED("octets_left", compression_octets_left),
    PACKED("headers", compression_headers),
    PACKED("full_headers", compression_full_headers),
    PACKED("header_octets", compression_header_octets),
    PACKED("data", compression_data),
    PACKED("uplink_npdus", ul_compression_npdus),
    PACKED("uplink_octets", ul_compression_octets),
    PACKED("uplink_octets_came", ul_compression_octets_came),
    PACKED("uplink_headers", ul_compression_headers),
    PACKED("uplink_full_headers", ul_compression_full_headers),
    PACKED("uplink_header_octets", ul_compression_header_octets),
    PACKED("uplink_data", ul_compression_data),
    FIELD_END,
};

const struct field worker_fields_compression[] = {
    FIELD_INSIDE(LIST, "compression", 0, worker_fields_compression_counts,
                 "SNDCP's compression of mobiles' N-PDUs, at a worker.",
                 .each = worker_fields_each_compression, .is_optional = true,
                 .when = "with sndcp.compression"),
    FIELD_END,
};

/* --- TCP --- */

struct pacing_record {
    uint32_t worker;
    struct worker_stats stats;
    const struct pacing_stats *pacing;
};

void worker_fields_each_pacing(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct worker *worker = node->workers[i];
        if (!worker->pacing)
            continue;
        const struct pacing_record row = {i, worker->stats, pacing_stats_of(worker->pacing)};
        field_put(sink, NULL, &row);
    }
}

struct hold_record {
    uint64_t count;
    double p50_s, p95_s, most_s;
};

static uint64_t count_of(const uint64_t *bins)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < PACING_HOLDS; i++)
        count += bins[i];
    return count;
}

static double hold_at(const uint64_t *bins, uint64_t rank)
{
    unsigned i = 0;
    for (uint64_t sum = bins[0]; sum < rank && i + 1 < PACING_HOLDS; sum += bins[i])
        i++;
    return (double)pacing_hold_of_bin(i) / MOMENT_SECOND;
}

static void each_hold(const void *record, struct field_sink *sink)
{
    const struct pacing_stats *stats = ((const struct pacing_record *)record)->pacing;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        const uint64_t *bins = stats->holds[k], count = count_of(bins);
        const struct hold_record hold = {count, hold_at(bins, (count + 1) / 2),
                                         hold_at(bins, (count * 95 + 99) / 100), hold_at(bins, count)};
        if (count > 0)
            field_put(sink, n_pdu_qclass_name((enum qclass)k), &hold);
    }
}

static const struct field holds[] = {
    FIELD(struct hold_record, COUNTER, "count", "N-PDUs", count, "ACKs that were held and are not any more."),
    FIELD(struct hold_record, GAUGE, "p50_s", "seconds", p50_s,
          "Median of their hold times, each rounded up by at most an eighth or 1 ms."),
    FIELD(struct hold_record, GAUGE, "p95_s", "seconds", p95_s, "95th percentile of the same."),
    FIELD(struct hold_record, GAUGE, "max_s", "seconds", most_s, "Longest of the same."),
    FIELD_END,
};

#define TCP(name, member) WORKER_FIELD(struct pacing_record, name, stats, member)

const struct field worker_fields_pacing_counts[] = {
    FIELD(struct pacing_record, LABEL, "worker", "", worker, "Number of the worker."),
    TCP("clamped", pacing_clamped),
    TCP("implausible", pacing_implausible),
    TCP("evicted", pacing_evicted),
    TCP("overflow", pacing_overflow),
    TCP("held", pacing_held),
    TCP("merged", pacing_merged),
    TCP("released", pacing_released),
    TCP("expired", pacing_expired),
    TCP("lost", pacing_lost),
    TCP("holding", pacing_holding),
    FIELD_END,
};

static const struct field rows[] = {
    FIELD_ROWS(0, worker_fields_pacing_counts),
    FIELD_INSIDE(MAP, "hold", 0, holds, "Hold times of the ACKs of a traffic class.", .each = each_hold,
                 .label = "CLASS"),
    FIELD_END,
};

const struct field worker_fields_pacing[] = {
    FIELD_INSIDE(LIST, "pacing", 0, rows, "TCP of the mobiles of a worker.",
                 .each = worker_fields_each_pacing, .is_optional = true, .when = "with queues.pacing"),
    FIELD_END,
};
