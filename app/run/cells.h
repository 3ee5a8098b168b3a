/* SPDX-License-Identifier: BSD-3-Clause */
/* The cells of a scenario as their BSSs take them: radio, calls, policies. */
#ifndef APP_RUN_CELLS_H
#define APP_RUN_CELLS_H

#include "app/run/run.h"

/* The radio of each cell, to be freed. NULL: out of memory. */
struct radio_config *run_cells_radios(const struct scenario_config *scenario);
void run_cells_radios_free(struct radio_config *radios, uint32_t count);

/* The block period of a cell. */
int64_t run_cells_block_ns(const struct scenario_config_cell *cell);

/* Sets the mobile's precedence in its present cell, by its traffic class, if the cell has precedences. */
void run_cells_enter(const struct run_mobile *mobile);

/* A cell update: an LLC-PDU by which the SGSN learns of the mobile's present cell. */
void run_cells_update(struct run_mobile *mobile, int64_t now);

/* The radio of cell number i of the scenario. */
const struct radio *run_cells_radio(const struct scenario_run *r, uint32_t cell);

/* The calls of each cell, to be freed; without channels: a cell without calls. NULL: out of memory.
 */
struct bss_calls_config *run_cells_calls(const struct scenario_config *scenario);
struct bss_policy *run_cells_policies(const struct scenario_config *scenario);

#endif
