/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb part of a changed configuration: NSEs, cells and NS-VCs that are added, deleted or changed. NSEs are
 * identified by NSEI, cells by BVCI in their NSE. In the running node each keeps its index until it is
 * deleted; the index is used again later. An index in the new configuration may differ from that in the node.
 */
#ifndef CONTROL_LIVE_RELOAD_GB_H
#define CONTROL_LIVE_RELOAD_GB_H

#include <stdbool.h>
#include <stdint.h>

struct live;
struct lua_config_diff;

/* Whether added and deleted entities fit the limits together, and the mobiles of deleted cells fit the tables
 * of other workers; takes the memory that live_reload_gb_apply() needs. False, with a line on stderr: they do
 * not, or there is no memory. */
bool live_reload_gb_has_room(struct live *live, const struct lua_config_diff *diff);

/* Applies the differences in two parts: what is added, and NS-VCs that go; then the rest, when
 * live_reload_gone_park() has re-homed the mobiles of deleted cells. begin is true if there are such cells.
 */
bool live_reload_gb_begin(struct live *live, const struct lua_config_diff *diff);
void live_reload_gb_apply(struct live *live, const struct lua_config_diff *diff);

/* The index in the running node of a cell (index) of the new configuration, once that is applied. */
uint16_t live_reload_gb_cell(const struct live *live, const struct lua_config_diff *diff, uint16_t cell);

#endif
