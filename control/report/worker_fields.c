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

void worker_fields_each_acknowledged(const void *record, struct field_sink *sink)
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

const struct field worker_fields_acknowledged_counts[] = {
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

const struct field worker_fields_layers[] = {
    FIELD_INSIDE(LIST, "acknowledged", 0, worker_fields_acknowledged_counts,
                 "LLC in acknowledged mode, at a worker.", .each = worker_fields_each_acknowledged,
                 .is_optional = true, .when = "with llc.acknowledged.links"),
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
};

void worker_fields_each_pacing(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct worker *worker = node->workers[i];
        if (!worker->pacing)
            continue;
        const struct pacing_record row = {i, worker->stats};
        field_put(sink, NULL, &row);
    }
}

#define TCP(name, member) WORKER_FIELD(struct pacing_record, name, stats, member)

const struct field worker_fields_pacing_counts[] = {
    FIELD(struct pacing_record, LABEL, "worker", "", worker, "Number of the worker."),
    TCP("clamped", pacing_clamped),
    TCP("implausible", pacing_implausible),
    TCP("evicted", pacing_evicted),
    FIELD_END,
};

const struct field worker_fields_pacing[] = {
    FIELD_INSIDE(LIST, "pacing", 0, worker_fields_pacing_counts, "TCP of the mobiles of a worker.",
                 .each = worker_fields_each_pacing, .is_optional = true, .when = "with queues.pacing"),
    FIELD_END,
};
