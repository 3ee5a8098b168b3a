/* SPDX-License-Identifier: BSD-3-Clause */
/* From the scenario's keys of a cell to struct radio_config (bss/radio.h). */
#include "app/run/run.h"

#include <math.h>
#include <stdlib.h>

static enum radio_coding coding_of(const char *name)
{
    for (int i = 0; i < RADIO_CODINGS; i++)
        if (strcmp(radio_coding_name((enum radio_coding)i), name) == 0)
            return (enum radio_coding)i;
    return RADIO_CS1; /* the schema allows only these names */
}

/* BLER of a C/I: between two points of the curve in a straight line. */
static uint32_t bler_of(const struct scenario_config_errors *errors, double ci_db)
{
    uint32_t i = 0;
    while (i < errors->point_count && errors->points[i].ci_db < ci_db)
        i++;
    if (i == 0 || i == errors->point_count)
        return errors->points[i ? i - 1 : 0].bler_ppm;
    double from_db = errors->points[i - 1].ci_db, from_ppm = errors->points[i - 1].bler_ppm;
    double share = (ci_db - from_db) / (errors->points[i].ci_db - from_db);
    return (uint32_t)llround(from_ppm + share * (errors->points[i].bler_ppm - from_ppm));
}

static uint32_t step_ppm(const struct scenario_config_errors *errors, double value)
{
    return errors->point_count ? bler_of(errors, value) : (uint32_t)llround(value * 10000);
}

/* NULL: out of memory. */
static struct radio_errors_step *steps_of(const struct scenario_config_errors *errors,
                                          const struct trace *trace)
{
    struct radio_errors_step *steps = calloc(trace->count, sizeof(*steps));
    for (uint32_t i = 0; steps && i < trace->count; i++)
        steps[i] = (struct radio_errors_step){.from_ns = trace->rows[i].at_ns,
                                              .bler_ppm = step_ppm(errors, trace->rows[i].values[0]),
                                              .bler_up_ppm = step_ppm(errors, trace->rows[i].values[1])};
    return steps;
}

static bool add_errors(const struct scenario_config *scenario, const struct scenario_config_errors *errors,
                       struct radio_config *radio)
{
    const struct trace *trace = errors->trace ? &scenario->traces[errors->trace - 1] : NULL;
    radio->errors = (struct radio_errors_config){
        .start_ns = RUN_LEAD_NS,
        .repeat_ns = errors->every_ns,
        .good_ns = errors->good_ns,
        .bad_ns = errors->bad_ns,
        .bad_bler_ppm = errors->bad_bler_ppm,
        .step_count = trace ? trace->count : 0,
        .steps = trace ? steps_of(errors, trace) : NULL,
    };
    return !trace || radio->errors.steps;
}

static struct radio_config radio_of(const struct scenario_config_cell *cell, uint64_t seed)
{
    struct radio_way_config way = {
        .retransmission_ns = cell->retransmission_ns,
        .delay_ns = cell->processing_ns,
        .control_one_in = cell->control_every,
        .mobile_limit_octets = cell->mobile_buffer_octets,
        .cell_limit_octets = cell->cell_buffer_octets,
    };
    struct radio_config radio = {
        .pdchs = cell->pdchs,
        .coding = coding_of(cell->coding),
        .payload_octets = cell->block_payload_octets,
        .window_blocks = cell->window_blocks,
        .seed = seed,
        .down = way,
        .up = way,
    };
    radio.down.slots = cell->downlink_slots;
    radio.down.bler_ppm = cell->bler_down_ppm;
    radio.down.setup_ns = cell->setup_ns;
    radio.down.setup_beside_ns = cell->setup_with_uplink_ns;
    radio.down.release_ns = cell->release_ns;
    radio.down.restart_wait_ns = cell->calls.restart_wait_ns;
    radio.up.payload_octets = cell->up_payload_octets;
    radio.up.keep_ns = cell->calls.uplink_keep_ns;
    radio.up.slots = cell->uplink_slots;
    radio.up.bler_ppm = cell->bler_up_ppm;
    radio.up.setup_ns = cell->uplink_access_ns;
    radio.up.release_ns = cell->uplink_hold_ns;
    return radio;
}

struct radio_config *run_radio_configs(const struct scenario_config *scenario)
{
    struct radio_config *radios = calloc(scenario->cell_count, sizeof(*radios));
    for (uint32_t i = 0; radios && i < scenario->cell_count; i++) {
        radios[i] = radio_of(&scenario->cells[i], scenario->seed * 1000003 + i);
        if (!add_errors(scenario, &scenario->cells[i].errors, &radios[i])) {
            run_radio_configs_free(radios, i);
            return NULL;
        }
    }
    return radios;
}

void run_radio_configs_free(struct radio_config *radios, uint32_t count)
{
    for (uint32_t i = 0; radios && i < count; i++)
        free((void *)radios[i].errors.steps);
    free(radios);
}

const struct radio *run_radio(const struct run *r, uint32_t cell)
{
    return bss_radio_get(gb_far_side_bss(&r->far, &r->node.config, (uint16_t)cell),
                         r->scenario.cells[cell].bvci);
}

void run_radio_enter(const struct run_mobile *mobile)
{
    const struct scenario_config_cell *cell = &mobile->run->scenario.cells[mobile->cell];
    if (cell->has_levels)
        bss_level(mobile->bss, cell->bvci, mobile->config->tlli, mobile->config->qclass);
}
