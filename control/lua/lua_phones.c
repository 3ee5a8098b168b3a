/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_phones.h"

#include "control/lua/lua_gtpc.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_table.h"

#include <lauxlib.h>

/* is_listed(imsi); its upvalue is the struct lua_phones. */
static int is_listed(lua_State *L)
{
    const struct lua_phones *phones = lua_touserdata(L, lua_upvalueindex(1));
    const char *imsi = luaL_checkstring(L, 1);
    lua_pushboolean(L, phones->is_listed && phones->is_listed(phones->arg, imsi));
    return 1;
}

void lua_phones_init(struct lua_phones *phones, const struct lua_intents *intents)
{
    lua_State *L = intents->L;
    bool has_phones = lua_getfield(L, -1, "phones") == LUA_TTABLE;
    lua_pop(L, 1);
    if (!has_phones) {
        lua_pop(L, 1);
        return;
    }
    lua_object_push_new(L, "gmm.phones");
    lua_host_require(L, "gbflow_phone");
    lua_pushcfunction(L, lua_gtpc_random);
    lua_pushlightuserdata(L, phones);
    lua_pushcclosure(L, is_listed, 1);
    lua_object_init(&phones->object, intents, "phones", 4);
}

void lua_phones_fini(struct lua_phones *phones)
{
    if (phones->object.L)
        lua_object_fini(&phones->object);
}

/* --- calls --- */

void lua_phones_start(struct lua_phones *phones, int64_t now)
{
    lua_object_send(&phones->object, now, "start");
}

void lua_phones_cell_add(struct lua_phones *phones, const struct lua_phones_cell *cell)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "cell_add");
    lua_pushinteger(L, cell->nsei);
    lua_pushinteger(L, cell->bvci);
    lua_createtable(L, 0, 4);
    lua_table_set_text(L, "mcc", cell->mcc);
    lua_table_set_text(L, "mnc", cell->mnc);
    lua_table_set_integer(L, "lac", cell->lac);
    lua_table_set_integer(L, "rac", cell->rac);
    lua_object_ask(&phones->object, 3, 0);
}

void lua_phones_cell_del(struct lua_phones *phones, uint32_t nsei, uint32_t bvci)
{
    lua_object_set(&phones->object, "cell_del", LUA_ARG(nsei), LUA_ARG(bvci));
}

void lua_phones_set(struct lua_phones *phones, const char *name, int64_t value)
{
    lua_object_set(&phones->object, "set", LUA_ARG(name), LUA_ARG(value));
}

void lua_phones_configure(struct lua_phones *phones, lua_State *from, int64_t now)
{
    lua_object_push(&phones->object, "configure");
    lua_getfield(from, -1, "phones");
    lua_table_copy(phones->object.L, from);
    lua_pop(from, 1);
    lua_object_call(&phones->object, 1, now);
}

void lua_phones_listed(struct lua_phones *phones, const char *imsi, int64_t now)
{
    lua_object_send(&phones->object, now, "listed", LUA_ARG(imsi));
}

int64_t lua_phones_admit(struct lua_phones *phones, uint32_t tlli, const struct lua_phones_message *message,
                         int64_t now)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "admit");
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, message->nsei);
    lua_pushinteger(L, message->bvci);
    lua_pushlstring(L, (const char *)message->octets, message->count);
    lua_pushinteger(L, now);
    lua_object_ask(&phones->object, 5, 1);
    int64_t verdict = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : LUA_PHONES_REFUSE;
    lua_pop(L, 1);
    return verdict;
}

void lua_phones_add(struct lua_phones *phones, uint32_t slot, uint32_t tlli,
                    const struct lua_phones_message *message, int64_t now)
{
    lua_object_send(&phones->object, now, "add", LUA_ARG(slot), LUA_ARG(tlli), LUA_ARG(message->nsei),
                    LUA_ARG(message->bvci));
}

void lua_phones_stray(struct lua_phones *phones, uint32_t slot, bool is_ciphered, int64_t now)
{
    lua_object_send(&phones->object, now, "stray", LUA_ARG(slot), LUA_ARG(is_ciphered));
}

void lua_phones_frame(struct lua_phones *phones, uint32_t slot, const struct lua_phones_message *message,
                      int64_t now)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "frame");
    lua_pushinteger(L, slot);
    lua_createtable(L, 0, 4);
    lua_table_set_integer(L, "tlli", message->tlli);
    lua_table_set_integer(L, "nsei", message->nsei);
    lua_table_set_integer(L, "bvci", message->bvci);
    lua_pushboolean(L, message->is_restarted);
    lua_setfield(L, -2, "restarted");
    lua_pushboolean(L, message->is_ciphered);
    lua_pushlstring(L, (const char *)message->octets, message->count);
    lua_object_call(&phones->object, 4, now);
}

void lua_phones_reached(struct lua_phones *phones, uint32_t slot, int64_t now)
{
    lua_object_send(&phones->object, now, "reached", LUA_ARG(slot));
}

void lua_phones_context_up(struct lua_phones *phones, uint32_t slot, uint8_t nsapi,
                           const struct lua_phones_given *given, int64_t now)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "context_up");
    lua_pushinteger(L, slot);
    lua_pushinteger(L, nsapi);
    lua_createtable(L, 0, 4);
    lua_table_set_text(L, "ipv4", given->ipv4);
    lua_table_set_text(L, "ipv6", given->ipv6);
    lua_table_set_text(L, "class", given->qclass);
    if (given->pco) {
        lua_pushlstring(L, given->pco, given->pco_octets);
        lua_setfield(L, -2, "pco");
    }
    lua_object_call(&phones->object, 3, now);
}

void lua_phones_context_down(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, int cause, int64_t now)
{
    lua_object_send(&phones->object, now, "context_down", LUA_ARG(slot), LUA_ARG(nsapi), LUA_ARG(cause));
}

void lua_phones_context_class(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, const char *qclass,
                              int cause, int64_t now)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "context_class");
    lua_pushinteger(L, slot);
    lua_pushinteger(L, nsapi);
    lua_createtable(L, 0, 2);
    lua_table_set_text(L, "class", qclass);
    lua_pushinteger(L, cause);
    lua_setfield(L, -2, "cause");
    lua_object_call(&phones->object, 3, now);
}

void lua_phones_context_llc(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, bool is_set, int64_t now)
{
    lua_object_send(&phones->object, now, "context_llc", LUA_ARG(slot), LUA_ARG(nsapi), LUA_ARG(is_set));
}

void lua_phones_context_llc_lost(struct lua_phones *phones, uint32_t slot, uint8_t nsapi, int64_t now)
{
    lua_object_send(&phones->object, now, "context_llc_lost", LUA_ARG(slot), LUA_ARG(nsapi));
}

void lua_phones_hlr(struct lua_phones *phones, bool is_up, int64_t now)
{
    lua_object_send(&phones->object, now, is_up ? "hlr_up" : "hlr_down");
}

void lua_phones_held(struct lua_phones *phones, uint32_t slot, const struct lua_phones_numbers *numbers,
                     size_t count, int64_t now)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "held");
    lua_pushinteger(L, slot);
    lua_createtable(L, 0, (int)count);
    for (size_t i = 0; i < count; i++) {
        lua_createtable(L, 0, 2);
        lua_table_set_integer(L, "send", numbers[i].send);
        lua_table_set_integer(L, "receive", numbers[i].receive);
        lua_seti(L, -2, numbers[i].nsapi);
    }
    lua_object_call(&phones->object, 2, now);
}

void lua_phones_resolved(struct lua_phones *phones, uint64_t id, const char *address, int64_t now)
{
    lua_object_send(&phones->object, now, "resolved", LUA_ARG(id), LUA_ARG(address));
}

void lua_phones_sgsn(struct lua_phones *phones, const void *octets, size_t count, int64_t now)
{
    lua_object_send(&phones->object, now, "sgsn", LUA_OCTETS(octets, count));
}

void lua_phones_hlr_octets(struct lua_phones *phones, const void *octets, size_t count, int64_t now)
{
    lua_object_send(&phones->object, now, "hlr_octets", LUA_OCTETS(octets, count));
}

/* --- what there is to show --- */

/* A text of the table on top of the stack, which keeps it alive. */
static const char *lua_phones_text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_tostring(L, -1);
    lua_pop(L, 1);
    return text ? text : "-";
}

void lua_phones_list(const struct lua_phones *phones, void *arg,
                     void (*each)(void *arg, const struct lua_phones_row *row))
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "list");
    lua_object_ask(&phones->object, 0, 1);
    lua_Integer rows = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        struct lua_phones_row row = {.imsi = lua_phones_text_of(L, "imsi"),
                                     .state = lua_phones_text_of(L, "state"),
                                     .contexts = lua_phones_text_of(L, "contexts"),
                                     .tlli = (uint32_t)lua_table_integer(L, "tlli"),
                                     .nsei = (uint32_t)lua_table_integer(L, "nsei"),
                                     .bvci = (uint32_t)lua_table_integer(L, "bvci"),
                                     .algorithm = (uint32_t)lua_table_integer(L, "algorithm")};
        each(arg, &row);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void lua_phones_hlr_state(const struct lua_phones *phones, void *arg,
                          void (*each)(void *arg, const struct lua_phones_hlr_state *state))
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "hlr_state");
    lua_object_ask(&phones->object, 0, 1);
    if (lua_istable(L, -1)) {
        const struct lua_phones_hlr_state state = {.address = lua_phones_text_of(L, "address"),
                                                   .port = (uint16_t)lua_table_integer(L, "port"),
                                                   .is_up = lua_table_boolean(L, "is_up")};
        each(arg, &state);
    }
    lua_pop(L, 1);
}

void lua_phones_pool(const struct lua_phones *phones, void *arg,
                     void (*each)(void *arg, const struct lua_phones_pool *pool))
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "pool_state");
    lua_object_ask(&phones->object, 0, 1);
    if (lua_istable(L, -1)) {
        const struct lua_phones_pool pool = {.nris = lua_phones_text_of(L, "nris"),
                                             .offload = lua_phones_text_of(L, "offload"),
                                             .leaving = (uint64_t)lua_table_integer(L, "leaving"),
                                             .told = (uint64_t)lua_table_integer(L, "told")};
        each(arg, &pool);
    }
    lua_pop(L, 1);
}

void lua_phones_counts(const struct lua_phones *phones, void *arg,
                       void (*each)(void *arg, const char *name, uint64_t count))
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "report");
    lua_object_ask(&phones->object, 0, 1);
    lua_Integer rows = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        each(arg, lua_phones_text_of(L, "name"), (uint64_t)lua_table_integer(L, "count"));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* Reads the value of the row on top of the stack, which stays there. */
static void read_detail(lua_State *L, struct lua_phones_detail *detail)
{
    lua_getfield(L, -1, "value");
    detail->is_truth = lua_isboolean(L, -1);
    detail->is_whole = lua_isinteger(L, -1);
    detail->number = detail->is_truth ? lua_toboolean(L, -1) : lua_tonumber(L, -1);
    detail->text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : NULL;
    lua_pop(L, 1); /* the row keeps the text alive */
}

void lua_phones_detail(const struct lua_phones *phones, uint32_t slot, int64_t now, void *arg,
                       void (*each)(void *arg, const struct lua_phones_detail *detail))
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "detail");
    lua_pushinteger(L, slot);
    lua_pushinteger(L, now);
    lua_object_ask(&phones->object, 2, 1);
    lua_Integer rows = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= rows; i++) {
        lua_geti(L, -1, i);
        struct lua_phones_detail detail = {.section = lua_phones_text_of(L, "section"),
                                           .name = lua_phones_text_of(L, "name"),
                                           .item = (uint32_t)lua_table_integer(L, "item")};
        read_detail(L, &detail);
        each(arg, &detail);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

uint32_t lua_phones_of_p_tmsi(const struct lua_phones *phones, uint32_t p_tmsi)
{
    lua_State *L = phones->object.L;
    lua_object_push(&phones->object, "mobile_of_p_tmsi");
    lua_pushinteger(L, p_tmsi);
    lua_object_ask(&phones->object, 1, 1);
    uint32_t slot = lua_isinteger(L, -1) ? (uint32_t)lua_tointeger(L, -1) : UINT32_MAX;
    lua_pop(L, 1);
    return slot;
}
