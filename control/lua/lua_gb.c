/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gb.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

/* Calls a method of the control plane without arguments; pushes its result. */
static void push(const struct lua_gb *gb, const char *method)
{
    lua_object_push(&gb->object, method);
    lua_object_ask(&gb->object, 0, 1);
}

/* The argument of functions for lua_table_each(): the caller's fn and its arg. */
struct visit {
    void *arg;
    void (*on_nsvc)(void *arg, const struct lua_gb_state_nsvc *nsvc);
    void (*on_bvc)(void *arg, const struct lua_gb_state_bvc *bvc);
    void (*on_count)(void *arg, const struct lua_gb_state_count *count);
};

static uint32_t number(lua_State *L, const char *key)
{
    return (uint32_t)lua_table_integer(L, key);
}

static void read_nsvc(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    struct lua_gb_state_nsvc nsvc = {
        .nsei = number(L, "nsei"), .nsvci = number(L, "nsvci"), .index = number(L, "index")};
    lua_table_text(L, "state", nsvc.state, sizeof(nsvc.state));
    lua_table_text(L, "test", nsvc.test, sizeof(nsvc.test));
    visit->on_nsvc(visit->arg, &nsvc);
}

static void read_bvc(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    struct lua_gb_state_bvc bvc = {.nsei = number(L, "nsei"),
                                   .bvci = number(L, "bvci"),
                                   .is_usable = lua_table_boolean(L, "usable"),
                                   .is_waiting = lua_table_boolean(L, "waits"),
                                   .own_buckets = number(L, "own_buckets")};
    lua_table_text(L, "state", bvc.state, sizeof(bvc.state));
    if (lua_table_enter(L, "announced")) {
        bvc.bucket_octets = (uint64_t)lua_table_integer(L, "bucket_octets");
        bvc.rate_bps = (uint64_t)lua_table_integer(L, "rate_bps");
        bvc.ms_bucket_octets = (uint64_t)lua_table_integer(L, "ms_bucket_octets");
        bvc.ms_rate_bps = (uint64_t)lua_table_integer(L, "ms_rate_bps");
        lua_pop(L, 1);
    }
    visit->on_bvc(visit->arg, &bvc);
}

static void read_count(lua_State *L, void *arg, uint32_t parent)
{
    const struct visit *visit = arg;
    lua_getfield(L, -1, "name");
    struct lua_gb_state_count count = {.name = lua_tostring(L, -1)};
    lua_pop(L, 1); /* the table keeps the text alive */
    count.count = (uint64_t)lua_table_integer(L, "count");
    visit->on_count(visit->arg, &count);
}

void lua_gb_state_nsvcs(const struct lua_gb *gb, void *arg,
                        void (*fn)(void *arg, const struct lua_gb_state_nsvc *nsvc))
{
    struct visit visit = {.arg = arg, .on_nsvc = fn};
    push(gb, "state");
    lua_table_each(gb->object.L, "nsvcs", read_nsvc, &visit, 0);
    lua_pop(gb->object.L, 1);
}

void lua_gb_state_bvcs(const struct lua_gb *gb, void *arg,
                       void (*fn)(void *arg, const struct lua_gb_state_bvc *bvc))
{
    struct visit visit = {.arg = arg, .on_bvc = fn};
    push(gb, "state");
    lua_table_each(gb->object.L, "bvcs", read_bvc, &visit, 0);
    lua_pop(gb->object.L, 1);
}

void lua_gb_state_counts(const struct lua_gb *gb, void *arg,
                         void (*fn)(void *arg, const struct lua_gb_state_count *count))
{
    struct visit visit = {.arg = arg, .on_count = fn};
    push(gb, "count_list");
    lua_table_each(gb->object.L, "counts", read_count, &visit, 0);
    lua_pop(gb->object.L, 1);
}

bool lua_gb_state_ms(const struct lua_gb *gb, uint32_t tlli, int64_t now, struct lua_gb_state_ms *ms)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "ms_state");
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, now);
    lua_object_ask(&gb->object, 2, 1);
    bool is_there = lua_istable(L, -1);
    if (is_there)
        *ms = (struct lua_gb_state_ms){.nsei = number(L, "nsei"),
                                       .bvci = number(L, "bvci"),
                                       .moves = number(L, "moves"),
                                       .is_suspended = lua_table_boolean(L, "suspended"),
                                       .is_paged = lua_table_boolean(L, "paged")};
    lua_pop(L, 1);
    return is_there;
}

void lua_gb_init(struct lua_gb *gb, const struct lua_intents *intents)
{
    lua_object_push_new(intents->L, "gb.host");
    lua_host_require(intents->L, "gbflow_wire");
    lua_object_init(&gb->object, intents, "gb", 2);
}

void lua_gb_fini(struct lua_gb *gb)
{
    lua_object_fini(&gb->object);
}

/* --- calls --- */

void lua_gb_start(struct lua_gb *gb, int64_t now)
{
    lua_object_send(&gb->object, now, "start");
}

void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now)
{
    lua_object_send(&gb->object, now, "on_pdu", LUA_ARG(nsvc), LUA_OCTETS(bytes, octets));
}

void lua_gb_unlisted(struct lua_gb *gb, const struct lua_gb_unlisted *unlisted, int64_t now)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "on_unlisted");
    lua_createtable(L, 0, 7);
    lua_table_set_integer(L, "nsei", unlisted->nsei);
    lua_table_set_integer(L, "nsvci", unlisted->nsvci);
    lua_table_set_integer(L, "udp_port", unlisted->udp_port);
    lua_table_set_integer(L, "own_port", unlisted->own_port);
    lua_table_set_text(L, "address", unlisted->address);
    lua_table_set_text(L, "own_address", unlisted->own_address);
    if (unlisted->slot >= 0)
        lua_table_set_integer(L, "number", unlisted->slot);
    lua_table_set_boolean(L, "has_room", unlisted->has_room);
    lua_table_set_boolean(L, "has_address_room", unlisted->has_address_room);
    lua_pushlstring(L, (const char *)unlisted->octets, unlisted->count);
    lua_object_call(&gb->object, 2, now);
}

void lua_gb_nse_again(struct lua_gb *gb, uint32_t nsei, int64_t now)
{
    lua_object_send(&gb->object, now, "nse_again", LUA_ARG(nsei));
}

void lua_gb_cell_again(struct lua_gb *gb, const struct lua_gb_cell *cell, int64_t now)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "cell_again");
    lua_pushinteger(L, cell->nsei);
    lua_pushinteger(L, cell->bvci);
    lua_createtable(L, 0, 5);
    lua_table_set_text(L, "mcc", cell->mcc);
    lua_table_set_text(L, "mnc", cell->mnc);
    lua_table_set_integer(L, "lac", cell->lac);
    lua_table_set_integer(L, "rac", cell->rac);
    lua_table_set_integer(L, "ci", cell->ci);
    lua_object_call(&gb->object, 3, now);
}

void lua_gb_rim(struct lua_gb *gb, const struct lua_field_octets *pdu, bool is_returned, int64_t now)
{
    lua_object_send(&gb->object, now, "on_rim", LUA_OCTETS(pdu->bytes, pdu->count), LUA_ARG(is_returned));
}

void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_send(&gb->object, now, "on_heard", LUA_ARG(tlli), LUA_ARG(nsei), LUA_ARG(bvci));
}

/* Asks the method that was pushed, with its first arguments. */
static bool ask_whether(struct lua_gb *gb, int args, int64_t now)
{
    lua_State *L = gb->object.L;
    lua_pushinteger(L, now);
    lua_object_ask(&gb->object, args + 1, 1);
    bool is_true = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is_true;
}

static void push_area(lua_State *L, const struct area *area)
{
    const struct {
        const char *name;
        lua_Integer value;
    } numbers[] = {{"lac", area->lac}, {"rac", area->rac}, {"ci", area->ci}};
    lua_createtable(L, 0, 5);
    lua_pushstring(L, area->mcc);
    lua_setfield(L, -2, "mcc");
    lua_pushstring(L, area->mnc);
    lua_setfield(L, -2, "mnc");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        lua_pushinteger(L, numbers[i].value);
        lua_setfield(L, -2, numbers[i].name);
    }
}

/* A Cell Identifier whose digits are wrong has mcc "". */
bool lua_gb_is_cell(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, const uint8_t cell_id[AREA_CELL],
                    int64_t now)
{
    lua_State *L = gb->object.L;
    struct area area;
    if (identity_area_decode(&area, cell_id, AREA_CELL, AREA_CELL) < 0)
        area = (struct area){0};
    lua_object_push(&gb->object, "is_cell");
    lua_pushinteger(L, nsei);
    lua_pushinteger(L, bvci);
    push_area(L, &area);
    return ask_whether(gb, 3, now);
}

bool lua_gb_may_move(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_push(&gb->object, "may_move");
    lua_pushinteger(gb->object.L, tlli);
    lua_pushinteger(gb->object.L, nsei);
    lua_pushinteger(gb->object.L, bvci);
    return ask_whether(gb, 3, now);
}

static void call_with_tlli(struct lua_gb *gb, const char *method, uint32_t tlli, int64_t now)
{
    lua_object_send(&gb->object, now, method, LUA_ARG(tlli));
}

void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "on_page_wanted", tlli, now);
}

void lua_gb_page_imsi(struct lua_gb *gb, uint32_t tlli, const char *imsi, int64_t now)
{
    lua_object_send(&gb->object, now, "on_page_imsi", LUA_ARG(tlli), LUA_ARG(imsi));
}

void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "on_reached", tlli, now);
}

void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms)
{
    lua_object_push(&gb->object, "ms_add");
    lua_pushinteger(gb->object.L, ms->tlli);
    lua_pushinteger(gb->object.L, ms->nsei);
    lua_pushinteger(gb->object.L, ms->bvci);
    if (ms->imsi[0])
        lua_pushstring(gb->object.L, ms->imsi);
    else
        lua_pushnil(gb->object.L);
    lua_object_ask(&gb->object, 4, 0);
}

void lua_gb_ms_del(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "ms_del", tlli, now);
}

void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_object_send(&gb->object, now, "pfc_add", LUA_ARG(pfc->tlli), LUA_ARG(pfc->pdp), LUA_ARG(pfc->pfi),
                    LUA_ARG(pfc->qclass));
}

void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_object_send(&gb->object, now, "pfc_del", LUA_ARG(pfc->tlli), LUA_ARG(pfc->pdp), LUA_ARG(pfc->pfi));
}

void lua_gb_nsvc_add(struct lua_gb *gb, const struct lua_gb_nsvc *nsvc, int64_t now)
{
    lua_object_send(&gb->object, now, "nsvc_add", LUA_ARG(nsvc->nsei), LUA_ARG(nsvc->nsvci),
                    LUA_ARG(nsvc->slot), LUA_ARG(nsvc->address), LUA_ARG(nsvc->udp_port));
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
    lua_object_put(&gb->object, "cell_leaves", LUA_ARG(nsei), LUA_ARG(bvci));
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
    lua_object_send(&gb->object, now, "nse_close", LUA_ARG(nsei));
}

void lua_gb_nse_del(struct lua_gb *gb, uint32_t nsei, int64_t now)
{
    lua_object_send(&gb->object, now, "nse_del", LUA_ARG(nsei));
}

void lua_gb_cell_del(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_send(&gb->object, now, "cell_del", LUA_ARG(nsei), LUA_ARG(bvci));
}

void lua_gb_nsvc_del(struct lua_gb *gb, uint32_t nsvc, int64_t now)
{
    lua_object_send(&gb->object, now, "nsvc_del", LUA_ARG(nsvc));
}

void lua_gb_set_duration(struct lua_gb *gb, const char *group, const char *name, int64_t value)
{
    lua_object_put(&gb->object, "set_duration", LUA_ARG(group), LUA_ARG(name), LUA_ARG(value));
}

/* Sets a field of the table on top of the stack; 0: leaves it absent. */
static void push_value(lua_State *L, const char *key, lua_Integer value)
{
    if (value == 0)
        return;
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void push_flow_control(lua_State *L, const struct lua_gb_flow_control *values)
{
    lua_createtable(L, 0, 3);
    push_value(L, "max_rise", values->max_rise_ppm);
    push_value(L, "bss_target", values->bss_target_ns);
    if (values->initial_octets > 0) {
        lua_createtable(L, 0, 2);
        push_value(L, "bmax", (lua_Integer)values->initial_octets);
        push_value(L, "leak_rate", (lua_Integer)values->initial_bps);
        lua_setfield(L, -2, "initial");
    }
}

void lua_gb_set_flow_control(struct lua_gb *gb, const struct lua_gb_flow_control *values, int64_t now)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "set_flow_control");
    lua_pushinteger(L, values->nsei);
    lua_pushinteger(L, values->bvci);
    push_flow_control(L, values);
    lua_object_call(&gb->object, 3, now);
}

void lua_gb_set_flow_control_accepted(struct lua_gb *gb, const struct lua_gb_flow_control *values,
                                      int64_t now)
{
    lua_object_push(&gb->object, "set_flow_control_accepted");
    push_flow_control(gb->object.L, values);
    lua_object_call(&gb->object, 1, now);
}

void lua_gb_ms_radio(struct lua_gb *gb, uint32_t tlli, lua_State *from, uint32_t number)
{
    int top = lua_gettop(from);
    lua_getfield(from, -1, "mobiles");
    lua_getfield(from, -1, "list");
    if (number < luaL_len(from, -1)) {
        lua_geti(from, -1, number + 1);
        lua_getfield(from, -1, "radio");
        lua_object_push(&gb->object, "ms_radio");
        lua_pushinteger(gb->object.L, tlli);
        lua_table_copy(gb->object.L, from);
        lua_object_ask(&gb->object, 2, 0);
    }
    lua_settop(from, top);
}

int lua_gb_nsvc(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_State *L = gb->object.L;
    lua_object_push(&gb->object, "nsvc_of");
    lua_pushinteger(L, nsei);
    lua_pushinteger(L, bvci);
    lua_pushinteger(L, now);
    lua_object_ask(&gb->object, 3, 1);
    int nsvc = lua_isinteger(L, -1) ? (int)lua_tointeger(L, -1) : -1;
    lua_pop(L, 1);
    return nsvc;
}

void lua_gb_waiting(struct lua_gb *gb, uint32_t nsei, uint32_t bvci, uint32_t npdus, int64_t now)
{
    lua_object_send(&gb->object, now, "on_waiting", LUA_ARG(nsei), LUA_ARG(bvci), LUA_ARG(npdus));
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

void lua_gb_number(lua_State *L, void *arg, uint32_t (*number_of)(void *arg, uint32_t nsei, uint32_t nsvci))
{
    lua_getfield(L, -1, "nses");
    for (lua_Integer i = 1; lua_geti(L, -1, i) != LUA_TNIL; i++) {
        uint32_t nsei = (uint32_t)lua_table_integer(L, "nsei");
        lua_getfield(L, -1, "nsvcs");
        for (lua_Integer k = 1; lua_geti(L, -1, k) != LUA_TNIL; k++) {
            lua_table_set_integer(L, "number", number_of(arg, nsei, (uint32_t)lua_table_integer(L, "nsvci")));
            lua_pop(L, 1);
        }
        lua_pop(L, 2);
        if (lua_table_enter(L, "sns")) {
            lua_table_set_integer(L, "number", number_of(arg, nsei, LUA_GB_SNS));
            lua_pop(L, 1);
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}
