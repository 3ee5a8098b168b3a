/* SPDX-License-Identifier: BSD-3-Clause */
/* The key `mobility` of a scenario, and what cells and mobiles have for it. */
#include "app/run/lua_scenario.h"

#include "control/lua/lua_fields.h"
#include "control/lua/lua_table.h"

#define KMH (1 / 3.6)

struct cursor {
    struct scenario_config *config;
    uint32_t next;
};

static const struct lua_field cell_fields[] = {
    LUA_FIELD_OF(struct scenario_config_cell, routing_area, "routing_area"),
    LUA_FIELD_OF(struct scenario_config_cell, reselect_offset_db, "reselect_offset_db"),
    {0}};

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct cursor *at = arg;
    lua_fields_load(L, cell_fields, &at->config->cells[at->next++]);
}

static const struct lua_field mobile_fields[] = {
    LUA_FIELD_OF(struct scenario_config_mobile, speed_mps, "speed_kmh"), {0}};

static void read_mobile(lua_State *L, void *arg, uint32_t parent)
{
    struct cursor *at = arg;
    struct scenario_config_mobile *mobile = &at->config->mobiles[at->next++];
    lua_fields_load(L, mobile_fields, mobile);
    mobile->speed_mps *= KMH;
}

#define OF(member, key)       LUA_FIELD_OF(struct scenario_config_mobility, member, key)
#define IS(member, key, word) LUA_FIELD_WORDS(IS_WORD, struct scenario_config_mobility, member, key, word)

static const struct lua_field fields[] = {
    OF(measure_ns, "measure"),
    IS(layout.is_plane, "layout", "plane"),
    LUA_FIELD_OR(U32, struct scenario_config_mobility, layout.columns, "columns", 1),
    OF(layout.radius_m, "radius_m"),
    IS(motion.has_waypoints, "motion", "waypoints"),
    OF(motion.pause_ns, "pause"),
    OF(reselect.power_dbm, "power_dbm"),
    OF(reselect.loss_1km_db, "loss_1km_db"),
    OF(reselect.exponent, "exponent"),
    OF(reselect.shadow_db, "shadowing_db"),
    OF(reselect.shadow_m, "shadowing_m"),
    OF(reselect.access_min_dbm, "access_min_dbm"),
    OF(reselect.same_area_db, "hysteresis_db"),
    OF(reselect.other_area_db, "hysteresis_area_db"),
    OF(reselect.again_db, "again_db"),
    OF(reselect.again_ns, "again"),
    OF(reselect.hold_ns, "hold"),
    OF(reselect.average_ns, "average"),
    LUA_FIELD_OR(I64, struct scenario_config_mobility, gap.sync_ns, "gap.sync", CELL_GAP_DRAWN),
    LUA_FIELD_OR(I64, struct scenario_config_mobility, gap.information_ns, "gap.system_information",
                 CELL_GAP_DRAWN),
    OF(gap.has_nacc, "gap.nacc"),
    OF(gap.access_ns, "gap.access"),
    OF(gap.cell_update_ns, "gap.cell_update"),
    OF(gap.area_update_ns, "gap.routing_area_update"),
    {0}};

void lua_mobility_read(lua_State *L, struct scenario_config *config)
{
    struct cursor cells = {config, 0}, mobiles = {config, 0};
    if (!lua_table_enter(L, "mobility"))
        return;
    config->mobility.is_there = true;
    lua_fields_load(L, fields, &config->mobility);
    config->mobility.layout.cells = config->cell_count;
    lua_pop(L, 1);
    lua_table_each(L, "cells", read_cell, &cells, 0);
    lua_table_each(L, "mobiles", read_mobile, &mobiles, 0);
}
