/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/run.h"
#include "app/run/summary.h"

#include "bss/link_quality.h"
#include "control/report/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum radio_coding run_link_coding(const char *name)
{
    for (int i = 0; i < RADIO_CODINGS; i++)
        if (strcmp(radio_coding_name((enum radio_coding)i), name) == 0)
            return (enum radio_coding)i;
    return RADIO_CS1;
}

int32_t run_link_mdb(double db)
{
    return (int32_t)lround(db * 1000);
}

int64_t run_link_block_ns(const struct scenario_config_cell *cell)
{
    return cell->link.has_reduced_tti ? RADIO_BLOCK_NS / 2 : RADIO_BLOCK_NS;
}

/* NULL: out of memory. */
static struct radio_link_step *steps_of(const struct trace *trace)
{
    struct radio_link_step *steps = calloc(trace->count, sizeof(*steps));
    for (uint32_t i = 0; steps && i < trace->count; i++)
        steps[i] = (struct radio_link_step){trace->rows[i].at_ns, run_link_mdb(trace->rows[i].values[0])};
    return steps;
}

/* The schema allows each scheme once. */
static void shift_curves(const struct scenario_config_link *link, int32_t *shift_mdb)
{
    for (uint32_t i = 0; i < link->curve_count; i++) {
        enum radio_coding coding = run_link_coding(link->curves[i].coding);
        shift_mdb[coding] = run_link_mdb(link->curves[i].ci_db) - link_quality_ten_percent_mdb(coding);
    }
}

bool run_link_add(const struct scenario_config *scenario, const struct scenario_config_link *link,
                  struct radio_config *radio)
{
    const struct trace *trace = link->trace ? &scenario->traces[link->trace - 1] : NULL;
    if (!link->is_there)
        return true;
    radio->link = (struct radio_link_config){
        .is_there = true,
        .mean_mdb = run_link_mdb(link->ci_db),
        .spread_mdb = run_link_mdb(link->spread_db),
        .shadowing_mdb = run_link_mdb(link->shadowing_db),
        .up_offset_mdb = run_link_mdb(link->uplink_db),
        .decorrelation_ns = link->decorrelation_ns,
        .start_ns = RUN_LEAD_NS,
        .repeat_ns = link->every_ns,
        .step_count = trace ? trace->count : 0,
        .steps = trace ? steps_of(trace) : NULL,
        .is_adaptive = link->is_adaptive,
        .initial = run_link_coding(link->initial),
        .hysteresis_mdb = run_link_mdb(link->hysteresis_db),
        .t_avg_ns = link->t_avg_ns,
        .report_ns = link->report_ns,
        .has_redundancy = link->has_redundancy,
        .has_splits = link->has_splits,
    };
    shift_curves(link, radio->link.shift_mdb);
    radio->block_ns = link->has_reduced_tti ? RADIO_BLOCK_NS / 2 : 0;
    radio->down.window_blocks = link->window_down;
    radio->up.window_blocks = link->window_up;
    return !trace || radio->link.steps;
}

/* --- summary.json --- */

const struct radio *run_radio(const struct run *r, uint32_t cell)
{
    return bss_radio_get(gb_far_side_bss(&r->far, &r->node.config, (uint16_t)cell),
                         r->scenario.cells[cell].bvci);
}

struct link_record {
    struct radio_link_stats stats;
    double ci_db;
};

void run_link_each(const void *record, struct field_sink *sink)
{
    const struct radio *radio = *(const struct radio *const *)record;
    static const char *const names[RADIO_WAYS] = {[RADIO_DOWN] = "down", [RADIO_UP] = "up"};
    for (unsigned way = 0; way < RADIO_WAYS; way++) {
        const struct radio_link_stats *stats = radio_link_stats_get(radio, way);
        if (!stats)
            return;
        const struct link_record row = {
            .stats = *stats,
            .ci_db = stats->ci_count ? (double)stats->ci_sum_mdb / 1000 / (double)stats->ci_count : NAN,
        };
        field_put(sink, names[way], &row);
    }
}

#define CODING(name)                                                                                         \
    {                                                                                                        \
        name, "RLC data in " name "."                                                                        \
    }

static const struct field_word codings[RADIO_CODINGS] = {
    CODING("CS-1"),  CODING("CS-2"),  CODING("CS-3"),  CODING("CS-4"),  CODING("MCS-1"),
    CODING("MCS-2"), CODING("MCS-3"), CODING("MCS-4"), CODING("MCS-5"), CODING("MCS-6"),
    CODING("MCS-7"), CODING("MCS-8"), CODING("MCS-9"),
};

static const struct field_words by_coding = {"CODING", 0, RADIO_CODINGS, codings};

const struct field summary_link[] = {
    FIELD_COUNTERS(struct link_record, "radio_blocks", "blocks", stats.radio_blocks, by_coding,
                   "Radio blocks with data, by coding scheme."),
    FIELD(struct link_record, COUNTER, "rlc_blocks", "blocks", stats.parts,
          "RLC blocks and halves of RLC blocks sent, repetitions included; two in a radio block of MCS-7 to "
          "MCS-9."),
    FIELD(struct link_record, COUNTER, "bad_rlc_blocks", "blocks", stats.bad_parts,
          "Of these, blocks with errors."),
    FIELD(struct link_record, COUNTER, "resegmented", "blocks", stats.split_blocks,
          "RLC blocks that were split into halves to be repeated."),
    FIELD(struct link_record, COUNTER, "combined", "blocks", stats.combined_parts,
          "RLC blocks of rlc_blocks decoded, or not, together with what was received of them before."),
    FIELD(struct link_record, GAUGE, "ci_db", "dB", ci_db,
          "Mean over radio blocks of the mobile's filtered C/I; null without a block."),
    FIELD_END,
};
