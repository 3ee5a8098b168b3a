/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of gbflow show about flows: links, classes, cells and drops of the packet path. */
#include "control/live/tables.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/context/context_look.h"

/* --- Gb links --- */

struct link_row {
    uint16_t nsei;
    uint8_t worker;
    struct show_state state;
};

static void show_flows_each_link(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->nse_count; i++) {
        const struct node_config_nse *nse = &config->nses[i];
        struct link_row row = {.nsei = nse->nsei, .worker = nse->worker};
        if (nse->is_gone || !field_wants(sink))
            continue;
        show_state_link(&row.state, live, (uint16_t)i);
        field_put(sink, NULL, &row);
    }
}

static const struct field show_flows_links[] = {
    FIELD(struct link_row, LABEL, "nsei", "", nsei, "NSEI of the link's NSE."),
    FIELD(struct link_row, LABEL, "worker", "", worker, "Worker that serves the NSE."),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_queue),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_bucket),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_second),
    FIELD_END,
};

/* --- classes of the node --- */

struct class_row {
    const char *class;
    struct show_state state;
};

static void add_queued(const struct node *node, unsigned qclass, struct context_look *look)
{
    for (uint32_t i = 0; i < node->config.nse_count; i++) {
        const struct node_config_nse *nse = &node->config.nses[i];
        if (nse->is_gone)
            continue;
        const struct sched_link *link = &node->workers[nse->worker]->context.nses[i].sched;
        look->queued_octets += link->classes[qclass].octets;
        look->queued_pkts += link->classes[qclass].pkts;
    }
}

static void show_flows_each_class(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        const struct watch_key key = {WATCH_ANY, WATCH_ANY, WATCH_ANY, k};
        struct class_row row = {.class = n_pdu_qclass_name(k)};
        show_state_second_of(&row.state, live, &key);
        add_queued(&live->node, k, &row.state.look);
        field_put(sink, NULL, &row);
    }
}

static const struct field show_flows_classes[] = {
    FIELD(struct class_row, LABEL, "class", "", class, "Traffic class."),
    FIELD_ROWS(offsetof(struct class_row, state), show_state_queue),
    FIELD_ROWS(offsetof(struct class_row, state), show_state_second),
    FIELD_END,
};

/* --- classes of cells --- */

struct cell_row {
    uint16_t nsei, bvci;
    const char *class, *reason;
    struct gb_counts counts;
    uint64_t dropped;
};

static uint64_t dropped_of(const struct gb_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DROP_COUNT - DROP_FIRST_NPDU; i++)
        sum += counts->drops[i];
    return sum;
}

/* Calls put for each cell and class. */
static void each_cell(const struct live *live, struct field_sink *sink,
                      void (*put)(struct field_sink *sink, struct cell_row *row))
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        const struct node_config_cell *cell = &config->cells[i];
        if (cell->is_gone)
            continue;
        const struct context *c = &live->node.workers[config->nses[cell->nse].worker]->context;
        for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
            struct cell_row row = {.nsei = config->nses[cell->nse].nsei,
                                   .bvci = cell->bvci,
                                   .class = n_pdu_qclass_name(k),
                                   .counts = *context_counts(c, (uint16_t)i, k)};
            put(sink, &row);
        }
    }
}

static void put_cell(struct field_sink *sink, struct cell_row *row)
{
    row->dropped = dropped_of(&row->counts);
    if (row->counts.in + row->counts.out + row->dropped > 0)
        field_put(sink, NULL, row);
}

static void show_flows_each_cell(const void *record, struct field_sink *sink)
{
    each_cell(record, sink, put_cell);
}

#define COUNT(name, unit, member, sentence) FIELD(struct cell_row, COUNTER, name, unit, member, sentence)

static const struct field show_flows_cells[] = {
    FIELD(struct cell_row, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct cell_row, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell_row, LABEL, "class", "", class, "Traffic class; only those with N-PDUs are listed."),
    COUNT("in", "N-PDUs", counts.in,
          "N-PDUs for mobiles in the cell; at high load an estimate (docs/watch.md)."),
    COUNT("in_octets", "octets", counts.in_octets, "Octets of these N-PDUs."),
    COUNT("out", "N-PDUs", counts.out, "N-PDUs sent in the cell; at high load an estimate (docs/watch.md)."),
    COUNT("out_octets", "octets", counts.out_octets, "Octets of these N-PDUs."),
    COUNT("marked", "N-PDUs", counts.marked, "N-PDUs sent with CE set by an AQM scheme."),
    COUNT("dropped", "N-PDUs", dropped, "N-PDUs for mobiles in the cell that were dropped."),
    FIELD_END,
};

static void put_drops(struct field_sink *sink, struct cell_row *row)
{
    for (unsigned i = 0; i < DROP_COUNT - DROP_FIRST_NPDU; i++) {
        if (row->counts.drops[i] == 0)
            continue;
        row->reason = drop_name((enum drop)(DROP_FIRST_NPDU + i));
        row->dropped = row->counts.drops[i];
        field_put(sink, NULL, row);
    }
}

static void show_flows_each_drop(const void *record, struct field_sink *sink)
{
    each_cell(record, sink, put_drops);
}

static const struct field show_flows_drops[] = {
    FIELD(struct cell_row, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct cell_row, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell_row, LABEL, "class", "", class, "Traffic class."),
    FIELD(struct cell_row, LABEL, "reason", "", reason,
          "Reason (docs/reference/drops.md); only those that happened are listed."),
    COUNT("count", "N-PDUs", dropped, "N-PDUs dropped for it."),
    FIELD_END,
};

/* --- waits in cells --- */

struct wait_row {
    uint16_t nsei, bvci;
    const char *cause;
    uint64_t waited_us;
};

static void show_flows_each_wait(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        const struct node_config_cell *cell = &config->cells[i];
        if (cell->is_gone)
            continue;
        uint16_t nsei = config->nses[cell->nse].nsei;
        const struct waits_at at = {i, (uint32_t)nsei << 16 | cell->bvci};
        for (enum sched_wait_cause k = SCHED_WAIT_NONE + 1; k < SCHED_WAIT_CAUSES; k++) {
            struct wait_row row = {nsei, cell->bvci, sched_wait_name(k), waits_cell_us(&live->waits, at, k)};
            if (row.waited_us > 0)
                field_put(sink, NULL, &row);
        }
    }
}

static const struct field show_flows_waits[] = {
    FIELD(struct wait_row, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct wait_row, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct wait_row, LABEL, "cause", "", cause,
          "Cause (docs/scheduling.md#causes-of-waiting); only those that happened are listed."),
    FIELD(struct wait_row, COUNTER, "waited_us", "microseconds", waited_us,
          "Time for which mobiles of the cell waited for it, the sum of all mobiles; up to 20 s old."),
    FIELD_END,
};

/* --- tables --- */

const struct field show_flows_tables[] = {
    SHOW_TABLE("link", show_flows_each_link, show_flows_links, "Gb links of the NSEs: queue, bucket, rates."),
    SHOW_TABLE("class", show_flows_each_class, show_flows_classes,
               "Traffic classes of the node: queue, rates."),
    SHOW_TABLE("cell_class", show_flows_each_cell, show_flows_cells,
               "N-PDUs of each traffic class in each cell, since the node started."),
    SHOW_TABLE("cell_drops", show_flows_each_drop, show_flows_drops,
               "N-PDUs dropped in each cell, by traffic class and reason."),
    SHOW_TABLE("cell_waits", show_flows_each_wait, show_flows_waits,
               "Times for which the mobiles of each cell waited, by cause."),
    FIELD_END,
};
