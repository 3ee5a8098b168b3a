/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/cells.h"
#include "app/run/sgsns.h"

#include "bss/link_quality.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A coding scheme by its name, which the schema has checked. */
static enum radio_coding coding_of(const char *name)
{
    for (int i = 0; i < RADIO_CODINGS; i++)
        if (strcmp(radio_coding_name((enum radio_coding)i), name) == 0)
            return (enum radio_coding)i;
    return RADIO_CS1;
}

/* Thousandths of a dB. */
static int32_t mdb_of(double db)
{
    return (int32_t)lround(db * 1000);
}

int64_t run_cells_block_ns(const struct scenario_config_cell *cell)
{
    return cell->link.has_reduced_tti ? RADIO_BLOCK_NS / 2 : RADIO_BLOCK_NS;
}

/* NULL: out of memory. */
static struct radio_link_step *link_steps_of(const struct trace *trace)
{
    struct radio_link_step *steps = calloc(trace->count, sizeof(*steps));
    for (uint32_t i = 0; steps && i < trace->count; i++)
        steps[i] = (struct radio_link_step){trace->rows[i].at_ns, mdb_of(trace->rows[i].values[0])};
    return steps;
}

/* The schema allows each scheme once. */
static void shift_curves(const struct scenario_config_link *link, int32_t *shift_mdb)
{
    for (uint32_t i = 0; i < link->curve_count; i++) {
        enum radio_coding coding = coding_of(link->curves[i].coding);
        shift_mdb[coding] = mdb_of(link->curves[i].ci_db) - link_quality_ten_percent_mdb(coding);
    }
}

/* Fills in radio->link, the block period and the windows of a cell with `link`. False: out of memory. */
static bool add_link(const struct scenario_config *scenario, const struct scenario_config_link *link,
                     struct radio_config *radio)
{
    const struct trace *trace = link->trace ? &scenario->traces[link->trace - 1] : NULL;
    if (!link->is_there)
        return true;
    radio->link = (struct radio_link_config){
        .is_there = true,
        .mean_mdb = mdb_of(link->ci_db),
        .spread_mdb = mdb_of(link->spread_db),
        .shadowing_mdb = mdb_of(link->shadowing_db),
        .up_offset_mdb = mdb_of(link->uplink_db),
        .decorrelation_ns = link->decorrelation_ns,
        .start_ns = RUN_LEAD_NS,
        .repeat_ns = link->every_ns,
        .step_count = trace ? trace->count : 0,
        .steps = trace ? link_steps_of(trace) : NULL,
        .is_adaptive = link->is_adaptive,
        .initial = coding_of(link->initial),
        .hysteresis_mdb = mdb_of(link->hysteresis_db),
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

struct bss_calls_config *run_cells_calls(const struct scenario_config *scenario)
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

struct bss_policy *run_cells_policies(const struct scenario_config *scenario)
{
    struct bss_policy *policies = calloc(scenario->cell_count, sizeof(*policies));
    for (uint32_t i = 0; policies && i < scenario->cell_count; i++)
        policies[i] = policy_of(&scenario->cells[i]);
    return policies;
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
        .is_unacknowledged = cell->is_rlc_unacknowledged,
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
    radio.down.tbf = cell->access.down;
    radio.up.tbf = cell->access.up;
    if (cell->access.is_given) {
        radio.access = &cell->access.random;
        radio.up.setup_beside_ns = cell->access.with_downlink_ns;
    }
    return radio;
}

struct radio_config *run_cells_radios(const struct scenario_config *scenario)
{
    struct radio_config *radios = calloc(scenario->cell_count, sizeof(*radios));
    for (uint32_t i = 0; radios && i < scenario->cell_count; i++) {
        radios[i] = radio_of(&scenario->cells[i], scenario->seed * 1000003 + i);
        if (!add_errors(scenario, &scenario->cells[i].errors, &radios[i]) ||
            !add_link(scenario, &scenario->cells[i].link, &radios[i])) {
            run_cells_radios_free(radios, i + 1);
            return NULL;
        }
    }
    return radios;
}

void run_cells_radios_free(struct radio_config *radios, uint32_t count)
{
    for (uint32_t i = 0; radios && i < count; i++) {
        free((void *)radios[i].errors.steps);
        free((void *)radios[i].link.steps);
    }
    free(radios);
}

void run_cells_enter(const struct run_mobile *mobile)
{
    const struct scenario_config_cell *cell = &mobile->run->scenario.cells[mobile->cell];
    if (cell->has_levels)
        bss_level(mobile->bss, cell->bvci, mobile->config->tlli, mobile->config->qclass);
    if (cell->link.is_there && !isnan(mobile->config->ci_db))
        bss_ci(mobile->bss, cell->bvci, mobile->config->tlli, mdb_of(mobile->config->ci_db));
}

const struct radio *run_cells_radio(const struct scenario_run *r, uint32_t cell)
{
    return bss_radio_get(run_sgsns_bss(r, cell), r->scenario.cells[cell].bvci);
}

#define NULL_FRAME_OCTETS 8

void run_cells_update(struct run_mobile *mobile, int64_t now)
{
    uint16_t bvci = mobile->run->scenario.cells[mobile->cell].bvci;
    uint8_t frame[NULL_FRAME_OCTETS];
    struct llc llc = {.sapi = LLC_SAPI_GMM, .format = LLC_U, .command = LLC_NULL};
    int octets = llc_encode(frame, sizeof(frame), &llc);

    llc_fcs_put(frame + octets, llc_fcs(frame, (size_t)octets));
    bss_ul_put(mobile->bss, bvci, mobile->config->tlli, frame, (size_t)octets + LLC_FCS_OCTETS, now);
}
