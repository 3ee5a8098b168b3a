/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a run: their radio, and N-PDUs dropped in the BSS. */
#include "app/run/summary.h"
#include "bss/bss_ms.h"

struct cell_record {
    double air_utilisation;
    uint64_t queue_max_octets;
    uint64_t drops[BSS_ACCOUNT_ENDS];
    struct bss_calls_stats calls;
    struct radio_stats down, up;
};

static void add_drops(const struct run *r, uint32_t cell, uint64_t *drops)
{
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        for (int end = 0; end < BSS_ACCOUNT_ENDS && r->mobiles[i].config->cell == cell; end++)
            drops[end] += r->mobiles[i].account.dropped[end];
}

static struct cell_record cell_of(const struct run *r, uint32_t i)
{
    const struct radio *radio = run_radio(r, i);
    const struct radio_stats *stats = radio_stats_get(radio, RADIO_DOWN);
    const struct bss *bss = gb_far_side_bss(&r->far, &r->node.config, (uint16_t)i);
    struct cell_record cell = {
        .air_utilisation =
            (double)stats->blocks / (double)radio_possible_blocks(radio, r->begin_ns, r->end_ns),
        .queue_max_octets = stats->queued_max_octets,
        .down = *stats,
        .up = *radio_stats_get(radio, RADIO_UP),
        .calls = bss_calls_stats_get(bss, r->scenario.cells[i].bvci, r->end_ns),
    };
    add_drops(r, i, cell.drops);
    return cell;
}

void summary_each_cell(const void *record, struct field_sink *sink)
{
    const struct run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.cell_count; i++) {
        char bvci[8];
        struct cell_record cell = cell_of(r, i);
        snprintf(bvci, sizeof(bvci), "%u", r->scenario.cells[i].bvci);
        field_put(sink, bvci, &cell);
    }
}

static const struct field_word ends[BSS_ACCOUNT_ENDS] = {
    [BSS_ACCOUNT_LIFETIME] = {"lifetime", "The PDU Lifetime ended before the first RLC block."},
    [BSS_ACCOUNT_FULL] = {"queue_full", "The BSS's queue of the mobile or the cell was full."},
    [BSS_ACCOUNT_OTHER] = {"flushed", "A FLUSH-LL deleted the N-PDU."},
    [BSS_ACCOUNT_INCOMPLETE] = {"incomplete", "The SGSN did not send the remaining segments."},
    [BSS_ACCOUNT_PREEMPTED] = {"preempted",
                               "Circuit-switched calls took all PDCHs, and the cell's queues were flushed."},
};

static const struct field_words bss_drops = {"REASON", 0, BSS_ACCOUNT_ENDS, ends};

static const struct field calls[] = {
    FIELD(struct bss_calls_stats, COUNTER, "preemptions", "times", preemptions,
          "Times that circuit-switched calls took the cell's last PDCH."),
    FIELD(struct bss_calls_stats, GAUGE, "preempted_s", "seconds", preempted_ns,
          "Time during which circuit-switched calls left the cell no PDCH."),
    FIELD(struct bss_calls_stats, COUNTER, "uplink_restarts", "times", uplink_restarts,
          "Transfers with `restart_wait` that resumed when the mobile requested an uplink channel."),
    FIELD(struct bss_calls_stats, COUNTER, "downlink_restarts", "times", downlink_restarts,
          "Transfers with `restart_wait` that resumed with the next LLC-PDU from the SGSN."),
    FIELD_END,
};

static const struct field way[] = {
    FIELD(struct radio_stats, COUNTER, "used", "blocks", blocks, "Radio blocks used."),
    FIELD(struct radio_stats, COUNTER, "repeated", "blocks", repeated_blocks, "Of these, repetitions."),
    FIELD(struct radio_stats, COUNTER, "control", "blocks", control_blocks, "Of these, without data."),
    FIELD(struct radio_stats, COUNTER, "bad", "blocks", bad_blocks,
          "Of these, blocks with errors, which are sent again."),
    FIELD_END,
};

static const struct field blocks[] = {
    FIELD_INSIDE(OBJECT, "down", offsetof(struct cell_record, down), way, "Downlink."),
    FIELD_INSIDE(OBJECT, "up", offsetof(struct cell_record, up), way, "Uplink."),
    FIELD_END,
};

const struct field summary_cells[] = {
    FIELD(struct cell_record, GAUGE, "air_utilisation", "ratio", air_utilisation,
          "Downlink radio blocks used, retransmissions and control included, divided by all downlink radio "
          "blocks."),
    FIELD(struct cell_record, GAUGE, "bss_queue_octets_max", "octets", queue_max_octets,
          "Most octets of LLC-PDUs that the BSS held for the cell at a time; an LLC-PDU counts from its "
          "arrival until the mobile has it."),
    FIELD_COUNTERS(struct cell_record, "drops", "N-PDUs", drops, bss_drops,
                   "N-PDUs dropped in the BSS, by reason; they count with the cell where the mobile began."),
    FIELD_INSIDE(OBJECT, "blocks", 0, blocks, "Radio blocks of the cell."),
    FIELD_INSIDE(OBJECT, "calls", offsetof(struct cell_record, calls), calls,
                 "Circuit-switched calls in the cell."),
    FIELD_END,
};
