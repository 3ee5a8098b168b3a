/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_gb.h"

#include "control/lua/lua_host.h"

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
    lua_object_push(&gb->object, "start");
    lua_object_call(&gb->object, 0, now);
}

void lua_gb_pdu(struct lua_gb *gb, uint32_t nsvc, const uint8_t *bytes, size_t octets, int64_t now)
{
    lua_object_push(&gb->object, "on_pdu");
    lua_pushinteger(gb->object.L, nsvc);
    lua_pushlstring(gb->object.L, (const char *)bytes, octets);
    lua_object_call(&gb->object, 2, now);
}

static void push_place(lua_State *L, uint32_t tlli, uint32_t nsei, uint32_t bvci)
{
    lua_pushinteger(L, tlli);
    lua_pushinteger(L, nsei);
    lua_pushinteger(L, bvci);
}

void lua_gb_heard(struct lua_gb *gb, uint32_t tlli, uint32_t nsei, uint32_t bvci, int64_t now)
{
    lua_object_push(&gb->object, "on_heard");
    push_place(gb->object.L, tlli, nsei, bvci);
    lua_object_call(&gb->object, 3, now);
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
    if (area_decode(&area, cell_id, AREA_CELL, AREA_CELL) < 0)
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
    push_place(gb->object.L, tlli, nsei, bvci);
    return ask_whether(gb, 3, now);
}

static void call_with_tlli(struct lua_gb *gb, const char *method, uint32_t tlli, int64_t now)
{
    lua_object_push(&gb->object, method);
    lua_pushinteger(gb->object.L, tlli);
    lua_object_call(&gb->object, 1, now);
}

void lua_gb_page_wanted(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "on_page_wanted", tlli, now);
}

void lua_gb_reached(struct lua_gb *gb, uint32_t tlli, int64_t now)
{
    call_with_tlli(gb, "on_reached", tlli, now);
}

void lua_gb_ms_add(struct lua_gb *gb, const struct lua_gb_ms *ms)
{
    lua_object_push(&gb->object, "ms_add");
    push_place(gb->object.L, ms->tlli, ms->nsei, ms->bvci);
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

static void push_pfc(lua_State *L, const struct lua_gb_pfc *pfc)
{
    lua_pushinteger(L, pfc->tlli);
    lua_pushinteger(L, pfc->pdp);
    lua_pushinteger(L, pfc->pfi);
}

void lua_gb_pfc_add(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_object_push(&gb->object, "pfc_add");
    push_pfc(gb->object.L, pfc);
    lua_pushstring(gb->object.L, pfc->qclass);
    lua_object_call(&gb->object, 4, now);
}

void lua_gb_pfc_del(struct lua_gb *gb, const struct lua_gb_pfc *pfc, int64_t now)
{
    lua_object_push(&gb->object, "pfc_del");
    push_pfc(gb->object.L, pfc);
    lua_object_call(&gb->object, 3, now);
}
