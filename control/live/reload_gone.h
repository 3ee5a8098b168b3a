/* SPDX-License-Identifier: BSD-3-Clause */
/* NSEs and cells that a changed configuration does not have any more. */
#ifndef CONTROL_LIVE_RELOAD_GONE_H
#define CONTROL_LIVE_RELOAD_GONE_H

#include <stdbool.h>

struct live;
struct lua_config_diff;

/* Deletes the NS-VCs of deleted NSEs. */
void live_reload_gone_close(struct live *live, const struct lua_config_diff *diff);

/* From now on no mobile moves to the deleted cells. False: there are none. */
bool live_reload_gone_leave(struct live *live, const struct lua_config_diff *diff);

/* Re-homes some of the mobiles of deleted cells, in a short time. False: that were the last ones. */
bool live_reload_gone_park(struct live *live);

/* Deletes the cells and NSEs. */
void live_reload_gone_remove(struct live *live, const struct lua_config_diff *diff);

#endif
