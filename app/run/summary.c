/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/summary.h"
#include "app/run/summary_compression.h"
#include "app/run/cell_changes.h"
#include "app/run/cells.h"
#include "app/run/relocation.h"
#include "app/run/sgsns.h"
#include "app/run/traffic.h"

#include "bss/bss_ms.h"
#include "control/base/command.h"
#include "control/report/field.h"
#include "control/report/node_fields.h"
#include "control/report/totals.h"

#include <math.h>
#include <string.h>

struct cell_record {
    double air_utilisation;
    uint64_t queue_max_octets;
    uint64_t drops[BSS_ACCOUNT_ENDS];
    struct bss_calls_stats calls;
    struct radio_stats down, up;
    const struct radio *radio;
    struct summary_access access;
    struct summary_tbf tbf;
};

static void add_drops(const struct scenario_run *r, uint32_t cell, uint64_t *drops)
{
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++)
        for (int end = 0; end < BSS_ACCOUNT_ENDS && r->mobiles[i].config->cell == cell; end++)
            drops[end] += r->mobiles[i].account.dropped[end];
}

static struct cell_record cell_of(const struct scenario_run *r, uint32_t i)
{
    const struct radio *radio = run_cells_radio(r, i);
    const struct radio_stats *stats = radio_stats_get(radio, RADIO_DOWN);
    const struct bss *bss = run_sgsns_bss(r, i);
    struct cell_record cell = {
        .air_utilisation =
            (double)stats->blocks / (double)radio_possible_blocks(radio, r->begin_ns, r->end_ns),
        .queue_max_octets = stats->queued_max_octets,
        .down = *stats,
        .up = *radio_stats_get(radio, RADIO_UP),
        .radio = radio,
        .calls = bss_calls_stats_get(bss, r->scenario.cells[i].bvci, r->end_ns),
        .access = {radio_access_get(radio), r->begin_ns, r->end_ns},
        .tbf = {&r->scenario.cells[i].access, stats, radio_stats_get(radio, RADIO_UP)},
    };
    add_drops(r, i, cell.drops);
    return cell;
}

static void summary_each_cell(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
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
    [BSS_ACCOUNT_RLC] = {"rlc", "A radio block had errors, and RLC is unacknowledged."},
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
          "Of these, blocks with errors, which are sent again in RLC acknowledged mode."),
    FIELD_END,
};

static const struct field blocks[] = {
    FIELD_INSIDE(OBJECT, "down", offsetof(struct cell_record, down), way, "Downlink."),
    FIELD_INSIDE(OBJECT, "up", offsetof(struct cell_record, up), way, "Uplink."),
    FIELD_END,
};

static const struct field summary_cells[] = {
    FIELD(struct cell_record, GAUGE, "air_utilisation", "ratio", air_utilisation,
          "Downlink radio blocks used, retransmissions and control included, divided by all downlink radio "
          "blocks."),
    FIELD(struct cell_record, GAUGE, "bss_queue_octets_max", "octets", queue_max_octets,
          "Most octets of LLC-PDUs that the BSS held for the cell at a time; an LLC-PDU counts from its "
          "arrival until the mobile has it."),
    FIELD_COUNTERS(struct cell_record, "drops", "N-PDUs", drops, bss_drops,
                   "N-PDUs dropped in the BSS, by reason; they count with the cell where the mobile began."),
    FIELD_INSIDE(OBJECT, "blocks", 0, blocks, "Radio blocks of the cell."),
    FIELD_INSIDE(MAP, "link", offsetof(struct cell_record, radio), summary_link,
                 "Coding schemes and C/I of the cell, by direction: down, up.",
                 .each = summary_radio_each_link, .label = "WAY", .is_optional = true, .when = "with link"),
    FIELD_INSIDE(OBJECT, "calls", offsetof(struct cell_record, calls), calls,
                 "Circuit-switched calls in the cell."),
    FIELD_INSIDE(OBJECT, "access", offsetof(struct cell_record, access), summary_access,
                 "Random access in the cell.", .each = summary_radio_each_access, .is_optional = true,
                 .when = "with `access`"),
    FIELD_INSIDE(OBJECT, "tbf", offsetof(struct cell_record, tbf), summary_tbf, "Procedures of TBFs.",
                 .each = summary_radio_each_tbf, .is_optional = true,
                 .when = "with `tbf.uplink_poll`, `downlink_poll`, `t3190`, `t3192` or `ack_every`"),
    FIELD_END,
};

#define SCHEMA "gbflow-summary/2"

/* --- the record --- */

static uint64_t link_rate_bps(const struct scenario_run *r)
{
    uint64_t rate_bps = 0;
    for (unsigned i = 0; i < r->sgsn_count; i++)
        for (uint32_t k = 0; k < r->sgsns[i].node.config.nse_count; k++)
            rate_bps += r->sgsns[i].node.config.nses[k].link.rate_bps;
    return rate_bps;
}

static uint64_t sent_octets_of(const struct node *node)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < node->config.nse_count; i++)
        octets += node->workers[node->config.nses[i].worker]->context.nses[i].sched.sent_octets;
    return octets;
}

/* Octets that left over links with a rate, of all that their rates allow in the time; NaN without a rate. */
static double gb_utilisation(const struct scenario_run *r)
{
    double seconds = (double)r->scenario.duration_ns / MOMENT_SECOND;
    uint64_t sent_octets = 0, rate_bps = link_rate_bps(r);

    for (unsigned i = 0; i < r->sgsn_count; i++)
        sent_octets += sent_octets_of(&r->sgsns[i].node);
    return rate_bps > 0 ? (double)sent_octets * 8 / ((double)rate_bps * seconds) : NAN;
}

/* Of all SGSNs together, but for what single nodes have: that is the first one's. */
static struct node_fields nodes_of(const struct scenario_run *r)
{
    struct node_fields fields = node_fields_of(&r->sgsns[0].node);
    fields.stats = run_sgsns_stats(r);
    fields.totals = run_sgsns_totals(r);
    return fields;
}

static struct summary_account bss_account(const struct scenario_run *r)
{
    struct summary_account sum = {0};
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct bss_account *a = &r->mobiles[i].account;
        sum.in += a->in;
        sum.out += a->out;
        sum.queued += bss_account_queued(a);
        for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
            sum.dropped += a->dropped[end];
    }
    return sum;
}

bool run_summary_write(struct scenario_run *r, const char *path)
{
    const struct run_members all = {0, r->scenario.mobile_count, QCLASS_COUNT};
    struct page_times times = summary_page_times(r, &all, PAGE_END_LAST);
    const char *slash = strrchr(r->options->scenario, '/');
    uint64_t rate_bps = link_rate_bps(r);
    const struct summary record = {
        .run = r,
        .schema = SCHEMA,
        .version = command_version(),
        .scenario = slash ? slash + 1 : r->options->scenario,
        .title = r->scenario.title,
        .seed = r->scenario.seed,
        .duration_ns = r->scenario.duration_ns,
        .warmup_ns = r->scenario.warmup_ns,
        .node = nodes_of(r),
        .page_times = page_times_figures_of(&times),
        .gb = {rate_bps > 0 ? rate_bps : FIELD_NONE, gb_utilisation(r)},
        .bss = bss_account(r),
    };
    page_times_free(&times);
    return field_json_write(summary, &record, path);
}

/* --- its fields --- */

struct set {
    const char *path, *value;
};

static void each_set(const void *record, struct field_sink *sink)
{
    const struct scenario_config *scenario = &((const struct summary *)record)->run->scenario;
    for (uint32_t i = 0; i < scenario->set_count; i++) {
        const struct set set = {scenario->sets[i].path, scenario->sets[i].value};
        field_put(sink, NULL, &set);
    }
}

static const struct field sets[] = {
    FIELD(struct set, LABEL, "path", "", path, "Path of the key."),
    FIELD(struct set, LABEL, "value", "", value, "Its value, as it was written."),
    FIELD_END,
};

struct assumption {
    const char *path, *value, *why, *holds_over;
};

static void each_assumption(const void *record, struct field_sink *sink)
{
    const struct scenario_config *scenario = &((const struct summary *)record)->run->scenario;
    for (uint32_t i = 0; i < scenario->assumption_count; i++) {
        const struct scenario_config_assumption *a = &scenario->assumptions[i];
        const struct assumption assumption = {a->path, a->value, a->why, a->holds_over};
        field_put(sink, NULL, &assumption);
    }
}

static const struct field assumptions[] = {
    FIELD(struct assumption, LABEL, "path", "", path, "Path of the key in the scenario."),
    FIELD(struct assumption, LABEL, "value", "", value, "Its value, as text."),
    FIELD(struct assumption, LABEL, "why", "", why, "Why this value was chosen."),
    FIELD(struct assumption, LABEL, "holds_over", "", holds_over,
          "Range of values over which the result holds."),
    FIELD_END,
};

static const struct field gb[] = {
    WORKER_FIELD(struct summary, "llc_frames", node.stats, llc_frames),
    FIELD(struct summary, GAUGE, "rate_bps", "bit/s", gb.rate_bps,
          "Rate of the Gb links (sgsn.gb.rate); null without one."),
    FIELD(struct summary, GAUGE, "utilisation", "ratio", gb.utilisation,
          "Octets of NS-PDUs with N-PDUs sent, with gb.overhead_octets, by what the links' rates allow in "
          "the whole run; the "
          "bucket's first burst can make it more than 1; null without a rate."),
    WORKER_FIELD(struct summary, "signalling_lost", node.stats, gb_signalling_lost),
    FIELD_END,
};

static const struct field bss[] = {
    FIELD(struct summary_account, COUNTER, "in", "N-PDUs", in,
          "N-PDUs whose first segment reached the BSS; in acknowledged mode I frames, here and below."),
    FIELD(struct summary_account, COUNTER, "out", "N-PDUs", out, "N-PDUs delivered whole to their mobile."),
    FIELD(struct summary_account, COUNTER, "dropped", "N-PDUs", dropped,
          "N-PDUs dropped in the BSS, each counted once."),
    FIELD(struct summary_account, GAUGE, "queued", "N-PDUs", queued, "N-PDUs in the BSS at the end."),
    FIELD_END,
};

static const struct field conservation[] = {
    FIELD_INSIDE(OBJECT, "sgsn", offsetof(struct summary, node.totals), worker_fields_npdus,
                 "N-PDUs of the SGSN: in = out + dropped + queued."),
    FIELD_INSIDE(OBJECT, "bss", offsetof(struct summary, bss), bss,
                 "N-PDUs of the BSS: in = out + dropped + queued."),
    FIELD_END,
};

/* --- acknowledged mode --- */

static void add_counts(struct ms_stack_counts *sum, const struct ms_stack_counts *one)
{
    sum->established += one->established;
    sum->failed += one->failed;
    sum->sent_frames += one->sent_frames;
    sum->repeated += one->repeated;
    sum->received_frames += one->received_frames;
    sum->again += one->again;
    sum->npdus_again += one->npdus_again;
    sum->queue_full += one->queue_full;
    sum->abandoned += one->abandoned;
}

static void each_acknowledged(const void *record, struct field_sink *sink)
{
    const struct summary *s = record;
    struct ms_stack_counts sum = {0};
    bool is_any = false;
    for (uint32_t i = 0; i < s->run->scenario.mobile_count; i++) {
        is_any |= s->run->scenario.mobiles[i].stack.has_link;
        add_counts(&sum, &s->run->mobiles[i].stack.counts);
    }
    if (is_any)
        field_put(sink, NULL, &sum);
}

#define OF_MOBILES(name, unit, member, sentence)                                                             \
    FIELD(struct ms_stack_counts, COUNTER, name, unit, member, sentence)

const struct field summary_acknowledged_mobiles[] = {
    OF_MOBILES("established", "links", established, "Times that a link came into acknowledged mode."),
    OF_MOBILES("failed", "links", failed,
               "Ends of acknowledged mode, or of attempts to have it, by N200 repetitions, DM or FRMR."),
    OF_MOBILES("i_frames", "LLC-PDUs", sent_frames, "I frames sent, repetitions included."),
    OF_MOBILES("repeated", "LLC-PDUs", repeated, "Of those, repetitions."),
    OF_MOBILES("received", "LLC-PDUs", received_frames, "I frames received with a right FCS."),
    OF_MOBILES("again", "LLC-PDUs", again, "Of those, frames that had come before."),
    OF_MOBILES("npdus_again", "N-PDUs", npdus_again,
               "N-PDUs that came again after a link was established again."),
    OF_MOBILES("queue_full", "N-PDUs", queue_full, "N-PDUs of hosts not taken: 127 were not confirmed."),
    OF_MOBILES("abandoned", "N-PDUs", abandoned,
               "N-PDUs of hosts dropped because acknowledged mode could not be had."),
    FIELD_END,
};

#define LABEL(name, member, sentence) FIELD(struct summary, LABEL, name, "", member, sentence)

const struct field summary[] = {
    FIELDS_OF_ORIGIN(struct summary, SCHEMA),
    LABEL("scenario", scenario, "Name of the scenario's file."),
    LABEL("title", title, "Title of the scenario."),
    LABEL("seed", seed, "Seed of the run (--seed)."),
    FIELD_INSIDE(LIST, "set", 0, sets, "A key changed by --set, in the order of the command line.",
                 .each = each_set),
    FIELD(struct summary, GAUGE, "duration_s", "seconds", duration_ns, "Virtual time of the run."),
    FIELD(struct summary, GAUGE, "warmup_s", "seconds", warmup_ns,
          "Time at the beginning that delays, sojourns, goodputs and page times leave out."),
    FIELD_INSIDE(LIST, "assumptions", 0, assumptions, "A value that the scenario marks as assumed.",
                 .each = each_assumption),
    FIELD_INSIDE(MAP, "classes", 0, summary_classes,
                 "A traffic class that has a mobile: signalling, sms, conversational, streaming, thp1, thp2, "
                 "thp3, background.",
                 .each = summary_each_class, .label = "CLASS"),
    FIELD_INSIDE(MAP, "groups", 0, summary_classes,
                 "An item of `mobiles` with a `count`, by its name: its mobiles together, as of a class.",
                 .each = summary_each_group, .label = "GROUP", .is_optional = true, .when = "with count"),
    FIELD_INSIDE(LIST, "mobiles", 0, summary_mobiles, "A mobile, in the order of the scenario.",
                 .each = summary_each_mobile),
    FIELD_ROWS(0, run_apps_results),
    FIELD_INSIDE(MAP, "cells", 0, summary_cells, "A cell, by its BVCI.", .each = summary_each_cell,
                 .label = "BVCI"),
    FIELD_INSIDE(OBJECT, "reselection", 0, run_cell_changes_fields,
                 "Mobiles that move, and their cell reselections.", .each = run_cell_changes_each,
                 .is_optional = true, .when = "with mobility"),
    FIELD_INSIDE(OBJECT, "relocation", 0, run_relocation_fields, "Mobiles that go to another SGSN.",
                 .each = run_relocation_each, .is_optional = true, .when = "with sgsns"),
    FIELD_INSIDE(MAP, "sgsns", 0, run_relocation_sgsn_fields, "An SGSN, by its name.",
                 .each = run_relocation_each_sgsn, .label = "NAME", .is_optional = true,
                 .when = "with sgsns"),
    FIELD_ROWS(offsetof(struct summary, node), node_fields),
    FIELD_ROWS(offsetof(struct summary, node), node_fields_signalling),
    FIELD_INSIDE(OBJECT, "gb", 0, gb, "The Gb links of all NSEs together."),
    FIELD_ROWS(offsetof(struct summary, node), worker_fields_pacing),
    FIELD_ROWS(offsetof(struct summary, node), worker_fields_layers),
    FIELD_INSIDE(OBJECT, "acknowledged_mobiles", 0, summary_acknowledged_mobiles,
                 "LLC in acknowledged mode, at all mobiles together.", .each = each_acknowledged,
                 .is_optional = true, .when = "with mobiles in acknowledged mode"),
    FIELD_INSIDE(OBJECT, "compression_mobiles", 0, summary_compression,
                 "SNDCP's compression, at all mobiles together.", .each = summary_each_compression,
                 .is_optional = true, .when = "with mobiles that offer compression"),
    FIELD_INSIDE(OBJECT, "conservation", 0, conservation, "Where all N-PDUs are at the end of the run."),
    FIELD_END,
};
