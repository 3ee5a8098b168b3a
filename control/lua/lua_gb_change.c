/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes changes of the configuration to the Gb control plane. */
#include "control/lua/lua_gb.h"

#include "control/lua/lua_table.h"

void lua_gb_nsvc_add(struct lua_gb *gb, const struct lua_gb_nsvc *nsvc, int64_t now)
{
    lua_object_push(&gb->object, "nsvc_add");
    lua_pushinteger(gb->object.L, nsvc->nsei);
    lua_pushinteger(gb->object.L, nsvc->nsvci);
    lua_pushinteger(gb->object.L, nsvc->slot);
    lua_pushstring(gb->object.L, nsvc->address);
    lua_pushinteger(gb->object.L, nsvc->udp_port);
    lua_object_call(&gb->object, 5, now);
}

/* Pushes the list of NSEs and the NSE of the place. */
static void push_nse(const struct lua_gb_place *place)
{
    lua_getfield(place->config, -1, "nses");
    lua_geti(place->config, -1, place->nse + 1);
}

void lua_gb_nse_add(struct lua_gb *gb, const struct lua_gb_place *place, uint32_t nsvc, int64_t now)
{
    lua_object_push(&gb->object, "nse_add");
    push_nse(place);
    lua_table_copy(gb->object.L, place->config);
    lua_pop(place->config, 2);
    lua_pushinteger(gb->object.L, nsvc);
    lua_object_call(&gb->object, 2, now);
}

void lua_gb_cell_add(struct lua_gb *gb, const struct lua_gb_place *place)
{
    lua_object_push(&gb->object, "cell_add");
    push_nse(place);
    lua_pushinteger(gb->object.L, lua_table_integer(place->config, "nsei"));
    lua_getfield(place->config, -1, "cells");
    lua_geti(place->config, -1, place->cell + 1);
    lua_table_copy(gb->object.L, place->config);
    lua_pop(place->config, 4);
    lua_object_ask(&gb->object, 2, 0);
}

void lua_gb_leave(struct lua_gb *gb, uint32_t nsei, uint32_t bvci)
{
    lua_object_push(&gb->object, "cell_leaves");
    lua_pushinteger(gb->object.L, nsei);
    lua_pushinteger(gb->object.L, bvci);
    lua_object_ask(&gb->object, 2, 0);
}

bool lua_gb_park(struct lua_gb *gb, int64_t now)
{
    lua_object_push(&gb->object, "park");
    lua_object_call(&gb->object, 0, now);
    lua_object_push(&gb->object, "is_parking");
    bool is_parking = lua_object_ask(&gb->object, 0, 1) && lua_toboolean(gb->object.L, -1);
    lua_pop(gb->object.L, 1);
    return is_parking;
}

void lua_gb_nse_close(struct lua_gb *gb, uint32_t nsei, int64_t now)
{
    lua_object_push(&gb->object, "nse_close");
    lua_pushinteger(gb->object.L, nsei);
    lua_object_call(&gb->object, 1, now);
}

void lua_gb_nse_del(struct lua_gb *gb, uint32_t nsei, int64_t now)
{
    lua_object_push(&gb->object, "nse_del");
    lua_pushinteger(gb->object.L, nsei);
    lua_object_call(&gb->object, 1, now);
}

void lua_gb_cell_del(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_push(&gb->object, "cell_del");
    lua_pushinteger(gb->object.L, nsei);
    lua_pushinteger(gb->object.L, bvci);
    lua_object_call(&gb->object, 2, now);
}

void lua_gb_nsvc_del(struct lua_gb *gb, uint32_t nsvc, int64_t now)
{
    lua_object_push(&gb->object, "nsvc_del");
    lua_pushinteger(gb->object.L, nsvc);
    lua_object_call(&gb->object, 1, now);
}

void lua_gb_set_duration(struct lua_gb *gb, const char *group, const char *name, int64_t value)
{
    lua_object_push(&gb->object, "set_duration");
    lua_pushstring(gb->object.L, group);
    lua_pushstring(gb->object.L, name);
    lua_pushinteger(gb->object.L, value);
    lua_object_ask(&gb->object, 3, 0);
}

/* Sets a field of the table on top of the stack; 0: leaves it absent. */
static void push_value(lua_State *L, const char *key, lua_Integer value)
{
    if (value == 0)
        return;
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

void lua_gb_set_flow_control(struct lua_gb *gb, const struct lua_gb_flow_control *values)
{
    lua_object_push(&gb->object, "set_flow_control");
    lua_pushinteger(gb->object.L, values->nsei);
    lua_pushinteger(gb->object.L, values->bvci);
    lua_createtable(gb->object.L, 0, 2);
    push_value(gb->object.L, "max_rise", values->max_rise_ppm);
    push_value(gb->object.L, "bss_target", values->bss_target_ns);
    lua_object_ask(&gb->object, 3, 0);
}

static void push_endpoint(lua_State *L, const struct lua_gb_endpoint *endpoint)
{
    const struct {
        const char *name;
        lua_Integer value;
    } fields[] = {{"udp_port", endpoint->udp_port},
                  {"signalling_weight", endpoint->signalling_weight},
                  {"data_weight", endpoint->data_weight}};
    lua_createtable(L, 0, 4);
    lua_pushstring(L, endpoint->address);
    lua_setfield(L, -2, "address");
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        lua_pushinteger(L, fields[i].value);
        lua_setfield(L, -2, fields[i].name);
    }
}

void lua_gb_sns_endpoints(struct lua_gb *gb, uint32_t nsei, const struct lua_gb_endpoint *list,
                          unsigned count, int64_t now)
{
    lua_object_push(&gb->object, "sns_endpoints");
    lua_pushinteger(gb->object.L, nsei);
    lua_createtable(gb->object.L, (int)count, 0);
    for (unsigned i = 0; i < count; i++) {
        push_endpoint(gb->object.L, &list[i]);
        lua_seti(gb->object.L, -2, i + 1);
    }
    lua_object_call(&gb->object, 2, now);
}

/* --- a second object --- */

/* Sets `number` of the table on top of the stack. */
static void set_number(lua_State *L, uint32_t number)
{
    lua_pushinteger(L, number);
    lua_setfield(L, -2, "number");
}

void lua_gb_number(lua_State *L, void *arg, uint32_t (*number_of)(void *arg, uint32_t nsei, uint32_t nsvci))
{
    lua_getfield(L, -1, "nses");
    for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++) {
        uint32_t nsei = (uint32_t)lua_table_integer(L, "nsei");
        lua_getfield(L, -1, "nsvcs");
        for (lua_Integer k = 1; lua_geti(L, -1, k) != LUA_TNIL; k++) {
            set_number(L, number_of(arg, nsei, (uint32_t)lua_table_integer(L, "nsvci")));
            lua_pop(L, 1);
        }
        lua_pop(L, 2);
        if (lua_table_enter(L, "sns")) {
            set_number(L, number_of(arg, nsei, LUA_GB_SNS));
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}
