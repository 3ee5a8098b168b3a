/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua_gb_call.h"

#include "control/lua_config_radio.h"
#include "control/lua_host.h"
#include "control/lua_table.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <lauxlib.h>
#include <string.h>

void lua_gb_init(struct lua_gb *gb, lua_State *L, lua_gb_emit emit, void *arg)
{
    *gb = (struct lua_gb){.L = L, .emit = emit, .arg = arg};
    lua_host_require(L, "gb_host");
    lua_getfield(L, -1, "new");
    lua_remove(L, -2);
    lua_insert(L, -2);
    lua_host_require(L, "gbflow_wire");
    lua_host_call(L, 2, 1);
    gb->host = luaL_ref(L, LUA_REGISTRYINDEX);
}

void lua_gb_fini(struct lua_gb *gb)
{
    luaL_unref(gb->L, LUA_REGISTRYINDEX, gb->host);
}

/* --- one intent, on top of the stack --- */

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
    lua_config_radio_elements(L, &intent->elements);
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

static void read_intent(lua_State *L, struct lua_gb_intent *intent)
{
    const char *name = string(L, "op", NULL);
    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        if (strcmp(ops[i].name, name) != 0)
            continue;
        *intent = (struct lua_gb_intent){
            .op = (enum lua_gb_op)i, .pfi = N_PDU_NO_PFI, .ratio_percent = -1, .measurement_cs = -1};
        ops[i].read(L, intent);
        return;
    }
    luaL_error(L, "the host knows no intent '%s'", name);
}

/* --- calls --- */

void lua_gb_push_method(const struct lua_gb *gb, const char *method)
{
    lua_rawgeti(gb->L, LUA_REGISTRYINDEX, gb->host);
    lua_getfield(gb->L, -1, method);
    lua_insert(gb->L, -2);
}

/* Calls the method with its arguments, and hands out the intents it returns. */
static void call(struct lua_gb *gb, int arguments)
{
    lua_State *L = gb->L;
    struct lua_gb_intent intent;

    lua_host_call(L, arguments + 1, 1);
    lua_Integer count = luaL_len(L, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        read_intent(L, &intent);
        gb->emit(gb->arg, &intent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

void lua_gb_call_at(struct lua_gb *gb, int arguments, int64_t now)
{
    lua_pushinteger(gb->L, now);
    call(gb, arguments + 1);
}

void lua_gb_start(struct lua_gb *gb, int64_t now)
{
    lua_gb_push_method(gb, "start");
    lua_gb_call_at(gb, 0, now);
}

void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now)
{
    lua_gb_push_method(gb, "pdu");
    lua_pushinteger(gb->L, nsvc);
    lua_pushlstring(gb->L, (const char *)bytes, octets);
    lua_gb_call_at(gb, 2, now);
}

static void push_place(lua_State *L, uint32_t tlli, uint32_t nsei, uint32_t bvci)
{
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, nsei);
    lua_pushinteger(L, bvci);
}

void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_gb_push_method(gb, "heard");
    push_place(gb->L, tlli, nsei, bvci);
    lua_gb_call_at(gb, 3, now);
}

static void call_with_tlli(struct lua_gb *gb, const char *method, uint32_t tlli, int64_t now)
{
    lua_gb_push_method(gb, method);
    lua_pushinteger(gb->L, tlli);
    lua_gb_call_at(gb, 1, now);
}

void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "page_wanted", tlli, now);
}

void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "reached", tlli, now);
}

void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms)
{
    lua_gb_push_method(gb, "ms_add");
    push_place(gb->L, ms->tlli, ms->nsei, ms->bvci);
    if (ms->imsi[0])
        lua_pushstring(gb->L, ms->imsi);
    else
        lua_pushnil(gb->L);
    lua_host_call(gb->L, 5, 0);
}

void lua_gb_ms_del(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "ms_del", tlli, now);
}

static void push_pfc(lua_State *L, const struct lua_gb_pfc *pfc)
{
    lua_pushinteger(L, pfc->tlli);
    lua_pushinteger(L, pfc->pdp);
    lua_pushinteger(L, pfc->pfi);
}

void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_gb_push_method(gb, "pfc_add");
    push_pfc(gb->L, pfc);
    lua_pushstring(gb->L, pfc->qclass);
    lua_gb_call_at(gb, 4, now);
}

void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_gb_push_method(gb, "pfc_del");
    push_pfc(gb->L, pfc);
    lua_gb_call_at(gb, 3, now);
}

void lua_gb_advance(struct lua_gb *gb, int64_t now)
{
    lua_gb_push_method(gb, "advance");
    lua_gb_call_at(gb, 0, now);
}

int64_t lua_gb_next_ns(const struct lua_gb *gb)
{
    lua_gb_push_method(gb, "next_at");
    lua_host_call(gb->L, 1, 1);
    int64_t at = lua_isnil(gb->L, -1) ? MOMENT_NEVER : lua_tointeger(gb->L, -1);
    lua_pop(gb->L, 1);
    return at;
}
