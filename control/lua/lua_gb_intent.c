/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gb_intent.h"

#include "control/lua/lua_elements.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/n_pdu.h"

#include <lauxlib.h>

/* A string that the intent's table keeps alive. */
static const char *string(lua_State *L, const char *key, size_t *octets)
{
    lua_getfield(L, -1, key);
    const char *value = lua_tolstring(L, -1, octets);
    lua_pop(L, 1);
    return value;
}

static uint32_t number(lua_State *L, const char *key)
{
    return (uint32_t)lua_table_integer(L, key);
}

static void read_send(lua_State *L, struct lua_gb_intent *intent)
{
    size_t octets;
    intent->nsvc = number(L, "nsvc");
    intent->bytes = string(L, "octets", &octets);
    intent->octets = octets;
}

static void read_log(lua_State *L, struct lua_gb_intent *intent)
{
    intent->level = string(L, "level", NULL);
    intent->text = string(L, "text", NULL);
}

static void read_nsvc(lua_State *L, struct lua_gb_intent *intent)
{
    intent->nsvc = number(L, "nsvc");
    intent->is_usable = lua_table_boolean(L, "usable");
    intent->weight = (uint8_t)lua_table_integer(L, "weight");
}

static struct lua_gb_address address(lua_State *L, const char *key)
{
    struct lua_gb_address address;
    address.count = lua_table_ip(L, key, address.octets);
    return address;
}

static void read_new_nsvc(lua_State *L, struct lua_gb_intent *intent)
{
    intent->nsvc = number(L, "nsvc");
    intent->nsei = number(L, "nsei");
    intent->weight = (uint8_t)lua_table_integer(L, "weight");
    intent->ends = (struct lua_gb_ends){
        .own_address = address(L, "own_address"),
        .address = address(L, "address"),
        .own_port = (uint16_t)lua_table_integer(L, "own_port"),
        .udp_port = (uint16_t)lua_table_integer(L, "udp_port"),
    };
}

static void read_bvc(lua_State *L, struct lua_gb_intent *intent)
{
    intent->nsei = number(L, "nsei");
    intent->bvci = number(L, "bvci");
    intent->is_usable = lua_table_boolean(L, "usable");
}

static void read_bucket(lua_State *L, struct lua_gb_intent *intent)
{
    intent->nsei = number(L, "nsei");
    intent->bvci = number(L, "bvci");
    intent->bucket_octets = (uint64_t)lua_table_integer(L, "bucket_octets");
    intent->rate_bps = (uint64_t)lua_table_integer(L, "rate_bps");
    intent->ratio_percent = (int32_t)lua_table_integer_or(L, "ratio_percent", -1);
}

static void read_bvc_flow(lua_State *L, struct lua_gb_intent *intent)
{
    read_bucket(L, intent);
    intent->ms_bucket_octets = (uint64_t)lua_table_integer(L, "ms_bucket_octets");
    intent->ms_rate_bps = (uint64_t)lua_table_integer(L, "ms_rate_bps");
    intent->measurement_cs = (int32_t)lua_table_integer_or(L, "measurement_cs", -1);
}

static void read_ms_flow(lua_State *L, struct lua_gb_intent *intent)
{
    read_bucket(L, intent);
    intent->tlli = number(L, "tlli");
}

static void read_pfc(lua_State *L, struct lua_gb_intent *intent)
{
    read_ms_flow(L, intent);
    intent->pdp = number(L, "pdp");
    intent->pfi = (uint8_t)lua_table_integer_or(L, "pfi", N_PDU_NO_PFI);
}

static void read_ms(lua_State *L, struct lua_gb_intent *intent)
{
    intent->nsei = number(L, "nsei");
    intent->bvci = number(L, "bvci");
    intent->tlli = number(L, "tlli");
    intent->imsi = string(L, "imsi", NULL);
    intent->octets = (uint64_t)lua_table_integer_or(L, "octets", 0);
    intent->pfi = (uint8_t)lua_table_integer_or(L, "pfi", N_PDU_NO_PFI);
    intent->nsei_new = number(L, "nsei_new");
    intent->bvci_new = number(L, "bvci_new");
    intent->nsei_home = number(L, "nsei_home");
}

static void read_elements(lua_State *L, struct lua_gb_intent *intent)
{
    read_ms(L, intent);
    lua_elements_read(L, &intent->elements);
}

static const struct {
    const char *name;
    void (*read)(lua_State *L, struct lua_gb_intent *intent);
} ops[] = {
    [LUA_GB_SEND] = {"send", read_send},
    [LUA_GB_NSVC_ADD] = {"nsvc_add", read_new_nsvc},
    [LUA_GB_NSVC_DEL] = {"nsvc_del", read_nsvc},
    [LUA_GB_NSVC_WEIGHT] = {"nsvc_weight", read_nsvc},
    [LUA_GB_NSVC_STATE] = {"nsvc_state", read_nsvc},
    [LUA_GB_NSE_DEL] = {"nse_del", read_bvc},
    [LUA_GB_BVC_DEL] = {"bvc_del", read_bvc},
    [LUA_GB_BVC_RESET] = {"bvc_reset", read_bvc},
    [LUA_GB_BVC_STATE] = {"bvc_state", read_bvc},
    [LUA_GB_BVC_FLOW] = {"flow_control_bvc", read_bvc_flow},
    [LUA_GB_MS_FLOW] = {"flow_control_ms", read_ms_flow},
    [LUA_GB_MS_DEFAULTS] = {"ms_defaults", read_ms},
    [LUA_GB_PFC_FLOW] = {"flow_control_pfc", read_pfc},
    [LUA_GB_PFC_ADD] = {"pfc_add", read_pfc},
    [LUA_GB_PFC_DEL] = {"pfc_del", read_pfc},
    [LUA_GB_PDP_PFI] = {"pdp_pfi", read_pfc},
    [LUA_GB_DISCARDED] = {"discarded", read_ms},
    [LUA_GB_FLUSHED] = {"flushed", read_ms},
    [LUA_GB_MS_SUSPEND] = {"ms_suspend", read_ms},
    [LUA_GB_MS_RESUME] = {"ms_resume", read_ms},
    [LUA_GB_MS_LOST] = {"ms_lost", read_ms},
    [LUA_GB_PAGE_END] = {"page_end", read_ms},
    [LUA_GB_MS_MOVE] = {"ms_move", read_ms},
    [LUA_GB_MS_PARK] = {"ms_park", read_ms},
    [LUA_GB_MS_ELEMENTS] = {"ms_elements", read_elements},
    [LUA_GB_LOG] = {"log", read_log},
};

void lua_gb_intent_read(lua_State *L, int numbers, struct lua_gb_intent *intent)
{
    lua_getfield(L, -1, "op");
    lua_rawget(L, numbers);
    if (lua_isnil(L, -1))
        luaL_error(L, "the host does not know an intent");
    lua_Integer op = lua_tointeger(L, -1);
    lua_pop(L, 1);
    *intent = (struct lua_gb_intent){
        .op = (enum lua_gb_op)op, .pfi = N_PDU_NO_PFI, .ratio_percent = -1, .measurement_cs = -1};
    ops[op].read(L, intent);
}

int lua_gb_intent_numbers(lua_State *L)
{
    lua_newtable(L);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        lua_pushinteger(L, (lua_Integer)i);
        lua_setfield(L, -2, ops[i].name);
    }
    return luaL_ref(L, LUA_REGISTRYINDEX);
}
