/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell's key `access` and the rest of its key `tbf` (lua/scenario/access.lua). */
#include "app/run/lua_scenario.h"

#include "app/run/run.h"
#include "bss/access.h"
#include "bss/agch.h"
#include "control/lua/lua_table.h"

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
