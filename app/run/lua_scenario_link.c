/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/lua_scenario.h"

#include "control/lua/lua_table.h"

#include <string.h>

double lua_scenario_link_db(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    double db = lua_tonumber(L, -1);
    lua_pop(L, 1);
    return db;
}

static void read_curve(lua_State *L, void *arg, uint32_t parent)
{
    struct scenario_config_link *link = arg;
    uint32_t i = link->curve_count++;
    lua_table_text(L, "coding", link->curves[i].coding, sizeof(link->curves[i].coding));
    link->curves[i].ci_db = lua_scenario_link_db(L, "ci_db");
}

void lua_scenario_link_read(lua_State *L, struct scenario_config_link *link)
{
    char word[16];
    link->is_there = true;
    link->ci_db = lua_scenario_link_db(L, "ci_db");
    link->spread_db = lua_scenario_link_db(L, "spread_db");
    link->shadowing_db = lua_scenario_link_db(L, "shadowing_db");
    link->uplink_db = lua_scenario_link_db(L, "uplink_db");
    link->hysteresis_db = lua_scenario_link_db(L, "hysteresis_db");
    link->decorrelation_ns = lua_table_integer(L, "decorrelation");
    link->t_avg_ns = lua_table_integer(L, "t_avg");
    link->report_ns = lua_table_integer(L, "report");
    link->has_redundancy = lua_table_boolean(L, "incremental_redundancy");
    link->has_splits = lua_table_boolean(L, "resegmentation");
    link->window_down = (uint32_t)lua_table_integer(L, "window_down");
    link->window_up = (uint32_t)lua_table_integer(L, "window_up");
    lua_table_each(L, "curves", read_curve, link, 0);
    lua_table_text(L, "initial", link->initial, sizeof(link->initial));
    lua_table_text(L, "adaptation", word, sizeof(word));
    link->is_adaptive = strcmp(word, "none") != 0;
    lua_table_text(L, "tti", word, sizeof(word));
    link->has_reduced_tti = strcmp(word, "10 ms") == 0;
}
