/* SPDX-License-Identifier: BSD-3-Clause */
/* From the scenario's keys of circuit-switched calls to struct bss_calls_config (bss/calls.h). */
#include "app/run/run.h"

#include <stdlib.h>

static struct bss_calls_config calls_of(const struct scenario_config_calls *calls, uint64_t seed)
{
    return (struct bss_calls_config){
        .calls = {.channels = calls->channels,
                  .first_ns = RUN_LEAD_NS + calls->first_ns,
                  .every_ns = calls->every_ns,
                  .hold_ns = calls->hold_ns,
                  .taken = calls->taken,
                  .start_ns = RUN_LEAD_NS,
                  .interval_ns = calls->interval_ns,
                  .mean_hold_ns = calls->mean_hold_ns,
                  .seed = seed},
        .flush_ns = calls->flush_ns,
    };
}

struct bss_calls_config *run_calls_configs(const struct scenario_config *scenario)
{
    struct bss_calls_config *calls = calloc(scenario->cell_count, sizeof(*calls));
    for (uint32_t i = 0; calls && i < scenario->cell_count; i++)
        if (scenario->cells[i].calls.channels)
            calls[i] = calls_of(&scenario->cells[i].calls, scenario->seed * 1000033 + i);
    return calls;
}

static struct bss_policy policy_of(const struct scenario_config_cell *cell)
{
    return (struct bss_policy){cell->stop_octets, cell->go_octets, cell->measured_ns};
}

struct bss_policy *run_calls_policies(const struct scenario_config *scenario)
{
    struct bss_policy *policies = calloc(scenario->cell_count, sizeof(*policies));
    for (uint32_t i = 0; policies && i < scenario->cell_count; i++)
        policies[i] = policy_of(&scenario->cells[i]);
    return policies;
}
