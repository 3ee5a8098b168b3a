/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/reload_gone.h"

#include "control/config/lua_config_diff.h"
#include "control/live/live.h"

void live_reload_gone_close(struct live *live, const struct lua_config_diff *diff)
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < diff->gone_nse_count; i++) {
        int nse = node_config_nse(config, diff->gone_nses[i]);
        lua_gb_nse_close(&live->node.core.gb, diff->gone_nses[i], live->node.core.now);
        for (uint32_t k = 0; k < config->nsvc_count; k++)
            if (config->nsvcs[k].nse == nse && !config->nsvcs[k].is_free)
                config->nsvcs[k].is_free = config->nsvcs[k].is_absent = true;
    }
}

bool live_reload_gone_leave(struct live *live, const struct lua_config_diff *diff)
{
    struct lua_gb *gb = &live->node.core.gb;
    for (uint32_t i = 0; i < diff->gone_cell_count; i++)
        lua_gb_leave(gb, diff->gone_cells[i].nsei, diff->gone_cells[i].bvci);
    for (uint32_t i = 0; i < diff->gone_nse_count; i++)
        lua_gb_leave(gb, diff->gone_nses[i], 0);
    return diff->gone_cell_count > 0 || diff->gone_nse_count > 0;
}

bool live_reload_gone_park(struct live *live)
{
    return lua_gb_park(&live->node.core.gb, live->node.core.now);
}

void live_reload_gone_remove(struct live *live, const struct lua_config_diff *diff)
{
    struct core *core = &live->node.core;
    for (uint32_t i = 0; i < diff->gone_cell_count; i++)
        lua_gb_cell_del(&core->gb, diff->gone_cells[i].nsei, diff->gone_cells[i].bvci, core->now);
    for (uint32_t i = 0; i < diff->gone_nse_count; i++)
        lua_gb_nse_del(&core->gb, diff->gone_nses[i], core->now);
}
