/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The Gb part of a changed configuration: NSEs, cells and NS-VCs that come, go or differ. The new text says
 * where they stand in it; NSEs are known by their NSEI, cells by their BVCI in it. In a running node each
 * keeps the index that it got when it came, and that of one that is gone is another's later.
 */
#ifndef CONTROL_LIVE_RELOAD_GB_H
#define CONTROL_LIVE_RELOAD_GB_H

#include <stdbool.h>
#include <stdint.h>

struct live;
struct lua_config_diff;

/* Whether there is room for what comes beside what goes, and for mobiles whose cell goes; said on stderr. */
bool live_reload_gb_has_room(const struct live *live, const struct lua_config_diff *diff);

/* Applies it; text is the new one. */
void live_reload_gb_apply(struct live *live, const struct lua_config_diff *diff, const char *text);

/* Where the running node has a cell (index) of the new configuration, once that is applied. */
uint16_t live_reload_gb_cell(const struct live *live, const struct lua_config_diff *diff, uint16_t cell);

#endif
