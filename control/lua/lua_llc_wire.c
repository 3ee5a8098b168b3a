/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec of LLC unnumbered frames and XID as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"

#include <lauxlib.h>
#include <string.h>

enum { FRAME_MAX_OCTETS = LLC_I_OCTETS + 1520 + LLC_FCS_OCTETS, COMMANDS = 16 };

static const char *const formats[] = {[LLC_I] = "i", [LLC_S] = "s", [LLC_UI] = "ui", [LLC_U] = "u"};

static const char *const commands[COMMANDS] = {
    [LLC_NULL] = "null", [LLC_DM] = "dm",     [LLC_DISC] = "disc", [LLC_UA] = "ua",
    [LLC_SABM] = "sabm", [LLC_FRMR] = "frmr", [LLC_XID] = "xid",
};

static const char *name_of(unsigned type)
{
    const struct llc_xid_row *row = llc_xid_row_get(type);
    return row ? row->name : type == LLC_XID_L3 ? "l3" : "reset";
}

/* --- decoding --- */

static void push_refused(lua_State *L, const struct llc_xid *xid)
{
    lua_newtable(L);
    for (unsigned type = 0; type < LLC_XID_TYPES; type++) {
        if (!(xid->refused >> type & 1))
            continue;
        lua_pushstring(L, name_of(type));
        lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    }
}

static void push_value(lua_State *L, const struct llc_xid *xid, unsigned type)
{
    if (type == LLC_XID_L3)
        lua_pushlstring(L, (const char *)xid->l3, xid->l3_octets);
    else if (type == LLC_XID_RESET)
        lua_pushboolean(L, true);
    else
        lua_pushinteger(L, xid->value[type]);
}

static void push_xid(lua_State *L, const uint8_t *bytes, size_t octets)
{
    struct llc_xid xid;
    if (llc_xid_decode(&xid, bytes, octets) < 0) {
        lua_pushnil(L);
        return;
    }
    lua_newtable(L);
    for (unsigned type = 0; type < LLC_XID_TYPES; type++) {
        if (!(xid.has >> type & 1))
            continue;
        push_value(L, &xid, type);
        lua_setfield(L, -2, name_of(type));
    }
    push_refused(L, &xid);
    lua_setfield(L, -2, "refused");
}

static void set_boolean(lua_State *L, const char *key, bool value)
{
    lua_pushboolean(L, value);
    lua_setfield(L, -2, key);
}

static void set_u_frame(lua_State *L, const struct llc *llc, const uint8_t *info)
{
    lua_pushstring(L, commands[llc->command & 15]);
    lua_setfield(L, -2, "frame");
    set_boolean(L, "is_command", !llc->cr);
    set_boolean(L, "pf", llc->pf);
    if (llc->command != LLC_XID)
        return;
    push_xid(L, info, llc->info_octets);
    lua_setfield(L, -2, "xid");
}

static int decode(lua_State *L)
{
    uint8_t frame[FRAME_MAX_OCTETS];
    struct llc llc;
    size_t octets;
    const char *bytes = luaL_checklstring(L, 1, &octets);

    /* The codec reads frames with their FCS. */
    size_t whole = octets + LLC_FCS_OCTETS;
    if (whole <= sizeof(frame))
        memset((uint8_t *)memcpy(frame, bytes, octets) + octets, 0, LLC_FCS_OCTETS);
    int header = whole <= sizeof(frame) ? llc_decode(&llc, frame, whole) : -1;
    if (header < 0) {
        lua_pushnil(L);
        lua_pushliteral(L, "malformed");
        return 2;
    }
    lua_createtable(L, 0, 8);
    lua_pushinteger(L, llc.sapi);
    lua_setfield(L, -2, "sapi");
    lua_pushstring(L, formats[llc.format]);
    lua_setfield(L, -2, "format");
    lua_pushlstring(L, (const char *)frame + header, llc.info_octets);
    lua_setfield(L, -2, "info");
    if (llc.format == LLC_U)
        set_u_frame(L, &llc, frame + header);
    return 1;
}

/* --- encoding: the frame's table is argument 1 --- */

static uint8_t command_of(lua_State *L)
{
    lua_getfield(L, 1, "frame");
    const char *name = luaL_checkstring(L, -1);
    for (unsigned i = 0; i < COMMANDS; i++)
        if (commands[i] && strcmp(commands[i], name) == 0)
            return (uint8_t)i;
    return (uint8_t)luaL_error(L, "no such frame: %s", name);
}

static bool boolean_of(lua_State *L, const char *key)
{
    lua_getfield(L, 1, key);
    bool value = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return value;
}

/* One field of the XID table on top of the stack; a text stays alive in that table. */
static void lua_llc_wire_take(lua_State *L, struct llc_xid *xid, unsigned type)
{
    size_t octets = 0;
    if (lua_getfield(L, -1, name_of(type)) == LUA_TNIL) {
        lua_pop(L, 1);
        return;
    }
    xid->has |= (uint16_t)(1U << type);
    if (type == LLC_XID_L3) {
        xid->l3 = (const uint8_t *)luaL_checklstring(L, -1, &octets);
        luaL_argcheck(L, octets <= LLC_XID_L3_MAX_OCTETS, 1, "too long layer 3 parameters");
        xid->l3_octets = (uint8_t)octets;
    } else if (type != LLC_XID_RESET) {
        xid->value[type] = (uint32_t)luaL_checkinteger(L, -1);
    }
    lua_pop(L, 1);
}

/* Writes the parameter field; its octets. */
static size_t put_xid(lua_State *L, uint8_t *bytes, size_t cap)
{
    struct llc_xid xid = {0};
    if (lua_getfield(L, 1, "xid") == LUA_TTABLE)
        for (unsigned type = 0; type < LLC_XID_TYPES; type++)
            lua_llc_wire_take(L, &xid, type);
    int octets = llc_xid_encode(bytes, cap, &xid);
    if (octets < 0)
        return (size_t)luaL_error(L, "a parameter is out of range");
    lua_pop(L, 1);
    return (size_t)octets;
}

static int encode(lua_State *L)
{
    uint8_t frame[FRAME_MAX_OCTETS];
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "sapi");
    struct llc llc = {
        .format = LLC_U,
        .sapi = (uint8_t)luaL_checkinteger(L, -1),
        .command = command_of(L),
        .cr = boolean_of(L, "is_command"),
        .pf = boolean_of(L, "pf"),
    };
    int header = llc_encode(frame, sizeof(frame), &llc);
    if (header < 0)
        return luaL_error(L, "no such SAPI");
    size_t info = put_xid(L, frame + header, sizeof(frame) - (size_t)header);
    lua_pushlstring(L, (const char *)frame, (size_t)header + info);
    return 1;
}

int luaopen_gbflow_llc(lua_State *L)
{
    static const luaL_Reg functions[] = {{"decode", decode}, {"encode", encode}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
