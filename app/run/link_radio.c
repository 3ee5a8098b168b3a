/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/run.h"

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

/* NULL: out of memory. */
static struct radio_link_step *steps_of(const struct trace *trace)
{
    struct radio_link_step *steps = calloc(trace->count, sizeof(*steps));
    for (uint32_t i = 0; steps && i < trace->count; i++)
        steps[i] = (struct radio_link_step){trace->rows[i].at_ns, run_link_mdb(trace->rows[i].values[0])};
    return steps;
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
    radio->block_ns = link->has_reduced_tti ? RADIO_BLOCK_NS / 2 : 0;
    radio->down.window_blocks = link->window_down;
    radio->up.window_blocks = link->window_up;
    return !trace || radio->link.steps;
}
