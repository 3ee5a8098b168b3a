/* SPDX-License-Identifier: BSD-3-Clause */
/* The key `mobility` of a scenario, and what cells and mobiles have for it. */
#include "app/run/lua_scenario.h"

#include "control/lua/lua_table.h"

#include <string.h>

#define KMH (1 / 3.6)

/* 0: the key is not given. */
static double real(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    double value = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return value;
}

static bool is_word(lua_State *L, const char *key, const char *word)
{
    char text[16];
    lua_table_text(L, key, text, sizeof(text));
    return strcmp(text, word) == 0;
}

struct cursor {
    struct scenario_config *config;
    uint32_t next;
};

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct cursor *at = arg;
    struct scenario_config_cell *cell = &at->config->cells[at->next++];
    cell->routing_area = (uint8_t)lua_table_integer(L, "routing_area");
    cell->reselect_offset_db = real(L, "reselect_offset_db");
}

static void read_mobile(lua_State *L, void *arg, uint32_t parent)
{
    struct cursor *at = arg;
    at->config->mobiles[at->next++].speed_mps = real(L, "speed_kmh") * KMH;
}

static void read_layout(lua_State *L, struct scenario_config *config)
{
    config->mobility.layout = (struct motion_layout){
        .is_plane = is_word(L, "layout", "plane"),
        .cells = config->cell_count,
        .columns = (unsigned)lua_table_integer_or(L, "columns", 1),
        .radius_m = real(L, "radius_m"),
    };
    config->mobility.motion = (struct motion_config){
        .has_waypoints = is_word(L, "motion", "waypoints"),
        .pause_ns = lua_table_integer(L, "pause"),
    };
}

static void read_levels(lua_State *L, struct reselect_config *levels)
{
    *levels = (struct reselect_config){
        .power_dbm = real(L, "power_dbm"),
        .loss_1km_db = real(L, "loss_1km_db"),
        .exponent = real(L, "exponent"),
        .shadow_db = real(L, "shadowing_db"),
        .shadow_m = real(L, "shadowing_m"),
        .access_min_dbm = real(L, "access_min_dbm"),
        .same_area_db = real(L, "hysteresis_db"),
        .other_area_db = real(L, "hysteresis_area_db"),
        .again_db = real(L, "again_db"),
        .again_ns = lua_table_integer(L, "again"),
        .hold_ns = lua_table_integer(L, "hold"),
        .average_ns = lua_table_integer(L, "average"),
    };
}

static void read_gap(lua_State *L, struct cell_gap_config *gap)
{
    lua_table_enter(L, "gap");
    *gap = (struct cell_gap_config){
        .sync_ns = lua_table_integer_or(L, "sync", CELL_GAP_DRAWN),
        .information_ns = lua_table_integer_or(L, "system_information", CELL_GAP_DRAWN),
        .has_nacc = lua_table_boolean(L, "nacc"),
        .access_ns = lua_table_integer(L, "access"),
        .cell_update_ns = lua_table_integer(L, "cell_update"),
        .area_update_ns = lua_table_integer(L, "routing_area_update"),
    };
    lua_pop(L, 1);
}

void lua_mobility_read(lua_State *L, struct scenario_config *config)
{
    struct cursor cells = {config, 0}, mobiles = {config, 0};
    if (!lua_table_enter(L, "mobility"))
        return;
    config->mobility.is_there = true;
    config->mobility.measure_ns = lua_table_integer(L, "measure");
    read_layout(L, config);
    read_levels(L, &config->mobility.reselect);
    read_gap(L, &config->mobility.gap);
    lua_pop(L, 1);
    lua_table_each(L, "cells", read_cell, &cells, 0);
    lua_table_each(L, "mobiles", read_mobile, &mobiles, 0);
}
