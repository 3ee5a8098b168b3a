/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_wire.h"

#include <lauxlib.h>
#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

enum { MAX_PDU_OCTETS = 65536 };

/* Upvalues of the functions, since to make or find the Lua string of a name takes longer than to handle the
 * element. For each grammar: the names of its elements by number, from 1, and its rows by name. */
enum { NS_NAMES = 1, NS_ROWS, BSSGP_NAMES, BSSGP_ROWS, PDU_KEY, UPVALUES = PDU_KEY };

struct dialect {
    const struct pdu_grammar *grammar;
    int names, rows; /* upvalues */
};

static const struct dialect ns_dialect = {&ns_grammar, NS_NAMES, NS_ROWS};
static const struct dialect bssgp_dialect = {&bssgp_grammar, BSSGP_NAMES, BSSGP_ROWS};

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

static void push_key(lua_State *state, const struct dialect *dialect, unsigned ie)
{
    lua_rawgeti(state, lua_upvalueindex(dialect->names), (lua_Integer)ie + 1);
}

static unsigned count_fields(const struct pdu *pdu)
{
    unsigned count = 0;
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++)
        count += pdu_has(pdu, p->ie);
    return count;
}

static int push_pdu(lua_State *state, const struct dialect *dialect, const struct pdu *pdu)
{
    lua_createtable(state, 0, (int)count_fields(pdu) + 1);
    lua_pushvalue(state, lua_upvalueindex(PDU_KEY));
    lua_pushstring(state, pdu->row->name);
    lua_rawset(state, -3);
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++) {
        if (!pdu_has(pdu, p->ie))
            continue;
        push_key(state, dialect, p->ie);
        lua_wire_field_push(state, &dialect->grammar->ies[p->ie], pdu);
        lua_rawset(state, -3);
    }
    return 1;
}

/* nil, errname, cause, pdu */
static int lua_wire_refuse(lua_State *state, int err, int cause, const struct pdu_row *row)
{
    lua_pushnil(state);
    lua_pushstring(state, err_name(err));
    lua_pushinteger(state, cause);
    push_name(state, row);
    return 4;
}

static int ns_decode_lua(lua_State *state)
{
    struct ns ns;
    size_t len;
    const char *bytes = luaL_checklstring(state, 1, &len);
    int n = ns_decode(&ns, (const uint8_t *)bytes, len);
    if (n < 0)
        return lua_wire_refuse(state, n, ns.error_cause, ns.head.row);
    return push_pdu(state, &ns_dialect, &ns.head);
}

static enum bssgp_sender sender_of(lua_State *state, int index)
{
    static const char *const names[] = {"bss", "sgsn", NULL};
    return luaL_checkoption(state, index, NULL, names) == 0 ? BSSGP_FROM_BSS : BSSGP_FROM_SGSN;
}

/* 0: the optional arguments are valid for this type. */
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
            return lua_wire_refuse(state, ERR_UNSUPPORTED, cause, row);
    }
    int n = bssgp_decode(&pdu, bytes, len);
    if (n < 0)
        return lua_wire_refuse(state, n, pdu.error_cause, pdu.head.row);
    return push_pdu(state, &bssgp_dialect, &pdu.head);
}

static const struct pdu_row *row_of_table(lua_State *state, int table, const struct dialect *dialect)
{
    luaL_checktype(state, table, LUA_TTABLE);
    lua_pushvalue(state, lua_upvalueindex(PDU_KEY));
    if (lua_rawget(state, table) != LUA_TSTRING)
        luaL_error(state, "field 'pdu': the name of a PDU is needed");
    lua_pushvalue(state, -1);
    lua_rawget(state, lua_upvalueindex(dialect->rows));
    const struct pdu_row *row = lua_touserdata(state, -1);
    if (!row)
        luaL_error(state, "no PDU has the name '%s'", lua_tostring(state, -2));
    lua_pop(state, 2);
    return row;
}

static bool has_field(const struct pdu_grammar *grammar, const struct pdu_row *row, const char *name)
{
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++)
        if (strcmp(grammar->ies[p->ie].name, name) == 0)
            return true;
    return strcmp(name, "pdu") == 0;
}

static void refuse_unknown(lua_State *state, int table, const struct pdu_grammar *grammar,
                           const struct pdu_row *row)
{
    lua_pushnil(state);
    while (lua_next(state, table)) {
        lua_pop(state, 1);
        if (lua_type(state, -1) != LUA_TSTRING || !has_field(grammar, row, lua_tostring(state, -1)))
            luaL_error(state, "%s: unknown field '%s'", row->name, luaL_tolstring(state, -1, NULL));
    }
}

static unsigned count_keys(lua_State *state, int table)
{
    unsigned count = 0;
    lua_pushnil(state);
    for (; lua_next(state, table); count++)
        lua_pop(state, 1);
    return count;
}

/* Control bits are 0 but for the resource distribution function, so they alone may be left out. */
static bool is_needed(const struct pdu_place *place, const struct ie *ie)
{
    return place->presence <= PDU_MANDATORY && strcmp(ie->name, "control_bits") != 0;
}

/* Reads a PDU from the table at that index, the last one on the stack. */
static void lua_wire_fill(lua_State *state, int table, const struct dialect *dialect, struct pdu *out)
{
    const struct pdu_row *row = row_of_table(state, table, dialect);
    const char *missing = NULL;
    unsigned known = 1; /* keys, with the name */
    out->type = row->type;
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++) {
        const struct ie *ie = &dialect->grammar->ies[p->ie];
        luaL_checkstack(state, 8, NULL);
        push_key(state, dialect, p->ie);
        if (lua_rawget(state, table) != LUA_TNIL) {
            lua_wire_field_pull(state, ie, out);
            pdu_mark(out, p->ie);
            known++;
        } else if (!missing && is_needed(p, ie)) {
            missing = ie->name;
        }
    }
    if (missing || count_keys(state, table) != known)
        refuse_unknown(state, table, dialect->grammar, row);
    if (missing)
        luaL_error(state, "%s: field '%s' is missing", row->name, missing);
}

static int push_octets(lua_State *state, const uint8_t *bytes, int n)
{
    if (n == ERR_NO_SPACE)
        return luaL_error(state, "the PDU is longer than %d octets", MAX_PDU_OCTETS);
    if (n < 0)
        return luaL_error(state, "a value is too large for its field, or not a multiple of the field's unit");
    lua_pushlstring(state, (const char *)bytes, (size_t)n);
    return 1;
}

static int ns_encode_lua(lua_State *state)
{
    uint8_t bytes[MAX_PDU_OCTETS];
    struct ns ns = {0};
    lua_settop(state, 1);
    lua_wire_fill(state, 1, &ns_dialect, &ns.head);
    return push_octets(state, bytes, ns_encode(bytes, sizeof bytes, &ns));
}

static int bssgp_encode_lua(lua_State *state)
{
    uint8_t bytes[MAX_PDU_OCTETS];
    struct bssgp pdu = {0};
    lua_settop(state, 1);
    lua_wire_fill(state, 1, &bssgp_dialect, &pdu.head);
    return push_octets(state, bytes, bssgp_encode(bytes, sizeof bytes, &pdu));
}

/* Encodes an NS-UNITDATA with its BSSGP PDU at once, the most frequent case. */
static int unitdata_encode_lua(lua_State *state)
{
    uint8_t bytes[MAX_PDU_OCTETS];
    struct bssgp pdu = {0};
    lua_Integer bvci = luaL_checkinteger(state, 1);
    luaL_argcheck(state, bvci >= 0 && bvci <= UINT16_MAX, 1, "a BVCI is 0 .. 65535");
    lua_settop(state, 2);
    lua_wire_fill(state, 2, &bssgp_dialect, &pdu.head);
    int header = ns_unitdata_header_put(bytes, (uint16_t)bvci);
    int n = bssgp_encode(bytes + header, sizeof bytes - (size_t)header, &pdu);
    return push_octets(state, bytes, n < 0 ? n : header + n);
}

static void push_names(lua_State *state, const struct pdu_grammar *grammar)
{
    lua_newtable(state);
    for (size_t i = 0; i < grammar->ie_count; i++) {
        lua_pushstring(state, grammar->ies[i].name);
        lua_rawseti(state, -2, (lua_Integer)i + 1);
    }
}

static void push_rows(lua_State *state, const struct pdu_grammar *grammar)
{
    lua_newtable(state);
    for (size_t i = grammar->row_count; i-- > 0;) { /* of equal names the first one counts */
        lua_pushlightuserdata(state, (void *)(uintptr_t)&grammar->rows[i]);
        lua_setfield(state, -2, grammar->rows[i].name);
    }
}

int luaopen_gbflow_wire(lua_State *state)
{
    static const luaL_Reg functions[] = {
        {"ns_decode", ns_decode_lua},
        {"ns_encode", ns_encode_lua},
        {"bssgp_decode", bssgp_decode_lua},
        {"bssgp_encode", bssgp_encode_lua},
        {"unitdata_encode", unitdata_encode_lua},
        {NULL, NULL},
    };
    luaL_newlibtable(state, functions);
    push_names(state, &ns_grammar);
    push_rows(state, &ns_grammar);
    push_names(state, &bssgp_grammar);
    push_rows(state, &bssgp_grammar);
    lua_pushstring(state, "pdu");
    luaL_setfuncs(state, functions, UPVALUES);
    return 1;
}
