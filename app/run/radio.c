/* SPDX-License-Identifier: BSD-3-Clause */
/* From the scenario's keys of a cell to struct radio_config (bss/radio.h). */
#include "app/run/run.h"

#include <stdlib.h>

static enum radio_coding coding_of(const char *name)
{
    for (int i = 0; i < RADIO_CODINGS; i++)
        if (strcmp(radio_coding_name((enum radio_coding)i), name) == 0)
            return (enum radio_coding)i;
    return RADIO_CS1; /* the schema allows only these names */
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
    for (uint32_t i = 0; radios && i < scenario->cell_count; i++)
        radios[i] = radio_of(&scenario->cells[i], scenario->seed * 1000003 + i);
    return radios;
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
