/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua_wire.h"

#include <lauxlib.h>
#include <string.h>

#include "control/lua_wire_fields.h"
#include "dataplane/base/err.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

enum { MAX_PDU_OCTETS = 65536 };

static const char *err_name(int err)
{
    return err == ERR_TRUNCATED ? "truncated" : err == ERR_UNSUPPORTED ? "unsupported" : "malformed";
}

static void push_name(lua_State *state, const struct pdu_row *row)
{
    if (row)
        lua_pushstring(state, row->name);
    else
        lua_pushnil(state);
}

static int push_pdu(lua_State *state, const struct pdu_grammar *grammar, const struct pdu *pdu)
{
    lua_createtable(state, 0, 8);
    lua_pushstring(state, pdu->row->name);
    lua_setfield(state, -2, "pdu");
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++) {
        if (!pdu_has(pdu, p->ie))
            continue;
        lua_wire_field_push(state, &grammar->ies[p->ie], pdu);
        lua_setfield(state, -2, grammar->ies[p->ie].name);
    }
    return 1;
}

static int ns_decode_lua(lua_State *state)
{
    struct ns ns;
    size_t len;
    const char *bytes = luaL_checklstring(state, 1, &len);
    int n = ns_decode(&ns, (const uint8_t *)bytes, len);
    if (n >= 0)
        return push_pdu(state, &ns_grammar, &ns.head);
    lua_pushnil(state);
    lua_pushstring(state, err_name(n));
    lua_pushinteger(state, ns.error_cause);
    push_name(state, ns.head.row);
    return 4;
}

static int refuse(lua_State *state, int cause, int err, const struct pdu_row *row)
{
    lua_pushnil(state);
    lua_pushinteger(state, cause);
    lua_pushstring(state, err_name(err));
    push_name(state, row);
    return 4;
}

static enum bssgp_sender sender_of(lua_State *state, int index)
{
    static const char *const names[] = {"bss", "sgsn", NULL};
    return luaL_checkoption(state, index, NULL, names) == 0 ? BSSGP_FROM_BSS : BSSGP_FROM_SGSN;
}

/* 0 when the optional arguments have nothing against this type. */
static int misplaced_cause(lua_State *state, uint8_t type)
{
    if (lua_isnoneornil(state, 2))
        return 0;
    enum bssgp_sender from = sender_of(state, 2);
    int has_bvci = !lua_isnoneornil(state, 3);
    lua_Integer bvci = has_bvci ? luaL_checkinteger(state, 3) : 0;
    luaL_argcheck(state, bvci >= 0 && bvci <= UINT16_MAX, 3, "a BVCI is 0 .. 65535");
    int cause = bssgp_misplaced_cause(type, from, (uint16_t)bvci);
    return !has_bvci && cause == BSSGP_CAUSE_INCOMPATIBLE_STATE ? 0 : cause;
}

static int bssgp_decode_lua(lua_State *state)
{
    struct bssgp pdu;
    size_t len;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(state, 1, &len);
    if (len > 0) {
        int cause = misplaced_cause(state, bytes[0]);
        const struct pdu_row *row = pdu_row_get(&bssgp_grammar, bytes[0]);
        if (cause)
            return refuse(state, cause, ERR_UNSUPPORTED, row);
    }
    int n = bssgp_decode(&pdu, bytes, len);
    if (n < 0)
        return refuse(state, pdu.error_cause, n, pdu.head.row);
    return push_pdu(state, &bssgp_grammar, &pdu.head);
}

static const struct pdu_row *row_of_table(lua_State *state, const struct pdu_grammar *grammar)
{
    luaL_checktype(state, 1, LUA_TTABLE);
    lua_settop(state, 1);
    if (lua_getfield(state, 1, "pdu") != LUA_TSTRING)
        luaL_error(state, "field 'pdu': the name of a PDU is needed");
    const struct pdu_row *row = pdu_row_by_name(grammar, lua_tostring(state, -1));
    if (!row)
        luaL_error(state, "no PDU has the name '%s'", lua_tostring(state, -1));
    return row;
}

static bool has_field(const struct pdu_grammar *grammar, const struct pdu_row *row, const char *name)
{
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++)
        if (strcmp(grammar->ies[p->ie].name, name) == 0)
            return true;
    return strcmp(name, "pdu") == 0;
}

static void check_keys(lua_State *state, const struct pdu_grammar *grammar, const struct pdu_row *row)
{
    lua_pushnil(state);
    while (lua_next(state, 1)) {
        lua_pop(state, 1);
        if (lua_type(state, -1) != LUA_TSTRING || !has_field(grammar, row, lua_tostring(state, -1)))
            luaL_error(state, "%s: unknown field '%s'", row->name, luaL_tolstring(state, -1, NULL));
    }
}

/* Control bits are 0 but for the resource distribution function, so they alone may be left out. */
static bool is_needed(const struct pdu_place *place, const struct ie *ie)
{
    return place->presence <= PDU_MANDATORY && strcmp(ie->name, "control_bits") != 0;
}

static void fill(lua_State *state, const struct pdu_grammar *grammar, struct pdu *out)
{
    const struct pdu_row *row = row_of_table(state, grammar);
    check_keys(state, grammar, row);
    out->type = row->type;
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        luaL_checkstack(state, 8, NULL);
        if (lua_getfield(state, 1, ie->name) != LUA_TNIL) {
            lua_wire_field_pull(state, ie, out);
            pdu_mark(out, p->ie);
        } else if (is_needed(p, ie)) {
            luaL_error(state, "%s: field '%s' is missing", row->name, ie->name);
        }
    }
}

static int push_octets(lua_State *state, const uint8_t *bytes, int n)
{
    if (n == ERR_NO_SPACE)
        return luaL_error(state, "the PDU is longer than %d octets", MAX_PDU_OCTETS);
    if (n < 0)
        return luaL_error(state, "a value does not fit its place on the wire or is no multiple of its unit");
    lua_pushlstring(state, (const char *)bytes, (size_t)n);
    return 1;
}

static int ns_encode_lua(lua_State *state)
{
    uint8_t bytes[MAX_PDU_OCTETS];
    struct ns ns = {0};
    fill(state, &ns_grammar, &ns.head);
    return push_octets(state, bytes, ns_encode(bytes, sizeof bytes, &ns));
}

static int bssgp_encode_lua(lua_State *state)
{
    uint8_t bytes[MAX_PDU_OCTETS];
    struct bssgp pdu = {0};
    fill(state, &bssgp_grammar, &pdu.head);
    return push_octets(state, bytes, bssgp_encode(bytes, sizeof bytes, &pdu));
}

int luaopen_gbflow_wire(lua_State *state)
{
    static const luaL_Reg functions[] = {
        {"ns_decode", ns_decode_lua},
        {"ns_encode", ns_encode_lua},
        {"bssgp_decode", bssgp_decode_lua},
        {"bssgp_encode", bssgp_encode_lua},
        {NULL, NULL},
    };
    luaL_newlib(state, functions);
    return 1;
}
