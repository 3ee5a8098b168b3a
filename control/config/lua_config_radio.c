/* SPDX-License-Identifier: BSD-3-Clause */
/* lua/node/radio.lua has checked that all values fit. */
#include "control/config/lua_config_radio.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_table.h"

uint32_t lua_config_radio_add(lua_State *L, struct node_config *config, uint32_t otherwise)
{
    if (!lua_table_enter(L, "elements"))
        return otherwise;
    lua_pop(L, 1);
    struct bssgp_elements *elements =
        lua_table_append(&config->elements, &config->elements_count, sizeof(*elements));
    lua_elements_read(L, elements);
    return config->elements_count;
}

void lua_config_radio_switches(lua_State *L, struct node_config *config)
{
    if (!lua_table_enter(L, "dl_unitdata"))
        return;
    config->gb.tells_imsi = lua_table_boolean(L, "imsi");
    config->policy.unitdata = (struct context_unitdata){.tells_tlli_old = lua_table_boolean(L, "tlli_old"),
                                                        .is_aligned = lua_table_boolean(L, "alignment")};
    lua_pop(L, 1);
}
