/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell's keys `access`, `link` and the rest of `tbf` (lua/scenario/access.lua, link.lua). */
#include "app/run/lua_scenario.h"

#include "app/run/run.h"
#include "bss/access.h"
#include "bss/agch.h"
#include "control/lua/lua_table.h"

#include <string.h>

static unsigned number(lua_State *L, const char *key)
{
    return (unsigned)lua_table_integer(L, key);
}

static void read_agch(lua_State *L, struct agch_config *agch)
{
    lua_table_enter(L, "agch");
    unsigned rate = number(L, "rate");
    agch->service_ns = rate ? ACCESS_MULTIFRAMES_NS / (ACCESS_MULTIFRAMES * rate) : 0;
    agch->limit = number(L, "queue");
    lua_pop(L, 1);
}

static void read_background(lua_State *L, struct access_config *access)
{
    access->from_ns = RUN_LEAD_NS;
    if (!lua_table_enter(L, "background"))
        return;
    access->background_ns = lua_table_integer(L, "interval");
    lua_pop(L, 1);
}

static void read_tbf(lua_State *L, struct scenario_config_access *config)
{
    lua_table_enter(L, "tbf");
    config->up.poll_ns = lua_table_integer(L, "uplink_poll");
    config->down.poll_ns = lua_table_integer(L, "downlink_poll");
    config->down.lost_ns = lua_table_integer(L, "t3190");
    config->down.listen_ns = lua_table_integer(L, "t3192");
    config->down.ack_every = number(L, "ack_every");
    lua_pop(L, 1);
}

void lua_scenario_read_access(lua_State *L, struct scenario_config_access *config)
{
    struct access_config *access = &config->random;
    read_tbf(L, config);
    config->is_given = lua_table_enter(L, "access");
    if (!config->is_given)
        return;
    access->has_contention = lua_table_boolean(L, "contention");
    access->opportunities = number(L, "opportunities");
    access->retransmissions = number(L, "max_retrans");
    access->s_slots = number(L, "s");
    access->t_slots = number(L, "tx_integer");
    access->persistence = number(L, "persistence");
    access->capture_ppm = number(L, "capture");
    access->response_ns = lua_table_integer(L, "response");
    access->fail_wait_ns = lua_table_integer(L, "t3146");
    access->retry_ns = lua_table_integer(L, "retry");
    access->start_ns = lua_table_integer(L, "start");
    access->resolution_ns = lua_table_integer(L, "resolution");
    access->is_two_phase = number(L, "phases") == 2;
    access->round_trip_ns = lua_table_integer(L, "round_trip");
    access->t3168_ns = lua_table_integer(L, "t3168");
    config->with_downlink_ns = lua_table_integer(L, "with_downlink");
    read_agch(L, &access->agch);
    read_background(L, access);
    lua_pop(L, 1);
}

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
