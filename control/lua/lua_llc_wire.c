/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec of LLC unnumbered frames, XID and SNDCP's field in that as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_xid.h"
#include "dataplane/wire/sndcp_xid.h"

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

static const char *const kinds[] = {"data", "header", NULL};

static unsigned kind_of(lua_State *L, int at)
{
    return luaL_checkoption(L, at, NULL, kinds) == 0 ? SNDCP_XID_DATA : SNDCP_XID_HEADER;
}

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

/* --- SNDCP's field: decoding --- */

static void set_proposal(lua_State *L, const struct sndcp_xid_entity *entity)
{
    const struct sndcp_xid_algorithm *row = sndcp_xid_algorithm_get(entity->kind, entity->algorithm);
    set_integer(L, "algorithm", entity->algorithm);
    lua_createtable(L, entity->value_count, 0);
    for (unsigned i = 0; i < entity->value_count; i++) {
        lua_pushinteger(L, entity->values[i]);
        lua_seti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "values");
    lua_pushstring(L, row ? row->name : NULL);
    lua_setfield(L, -2, "name");
}

static void push_entity(lua_State *L, const struct sndcp_xid_entity *entity)
{
    lua_createtable(L, 0, 8);
    lua_pushstring(L, kinds[entity->kind == SNDCP_XID_HEADER]);
    lua_setfield(L, -2, "kind");
    set_integer(L, "number", entity->number);
    set_integer(L, "nsapis", entity->nsapis);
    lua_pushboolean(L, entity->is_proposal);
    lua_setfield(L, -2, "is_proposal");
    lua_pushlstring(L, (const char *)entity->parameters, entity->parameter_octets);
    lua_setfield(L, -2, "parameters");
    if (entity->is_proposal)
        set_proposal(L, entity);
}

static int sndcp_decode(lua_State *L)
{
    struct sndcp_xid xid;
    size_t octets;
    const char *bytes = luaL_checklstring(L, 1, &octets);
    bool is_whole = sndcp_xid_decode(&xid, (const uint8_t *)bytes, octets) >= 0;
    lua_createtable(L, xid.count, 2);
    for (unsigned i = 0; i < xid.count; i++) {
        push_entity(L, &xid.entities[i]);
        lua_seti(L, -2, i + 1);
    }
    if (xid.has_version)
        set_integer(L, "version", xid.version);
    lua_pushboolean(L, is_whole);
    lua_setfield(L, -2, "is_whole");
    return 1;
}

static int sndcp_parameters(lua_State *L)
{
    struct sndcp_xid_parameters parameters;
    size_t octets;
    unsigned kind = kind_of(L, 1), algorithm = (unsigned)luaL_checkinteger(L, 2);
    const char *bytes = luaL_checklstring(L, 3, &octets);
    luaL_argcheck(
        L, sndcp_xid_parameters_decode(&parameters, kind, algorithm, (const uint8_t *)bytes, octets) >= 0, 2,
        "no such algorithm");
    lua_createtable(L, parameters.count, 0);
    for (unsigned i = 0; i < parameters.count; i++) {
        lua_pushinteger(L, parameters.value[i]);
        lua_seti(L, -2, i + 1);
    }
    return 1;
}

/* --- SNDCP's field: encoding --- */

/* A field of the table on top of the stack, 0 if it is absent. */
static unsigned take(lua_State *L, const char *key, unsigned most)
{
    lua_Integer value = lua_getfield(L, -1, key) == LUA_TNIL ? 0 : luaL_checkinteger(L, -1);
    lua_pop(L, 1);
    if (value < 0 || value > (lua_Integer)most)
        luaL_error(L, "%s is out of range", key);
    return (unsigned)value;
}

static void take_values(lua_State *L, struct sndcp_xid_entity *out)
{
    if (lua_getfield(L, -1, "values") == LUA_TTABLE) {
        lua_Unsigned count = lua_rawlen(L, -1);
        luaL_argcheck(L, count <= SNDCP_XID_MAX_VALUES, 1, "too many values");
        out->value_count = (uint8_t)count;
        for (unsigned i = 0; i < out->value_count; i++) {
            lua_geti(L, -1, i + 1);
            out->values[i] = (uint8_t)luaL_checkinteger(L, -1);
            lua_pop(L, 1);
        }
    }
    lua_pop(L, 1);
}

/* The entity's table is on top of the stack, and keeps its parameters alive. */
static void take_entity(lua_State *L, struct sndcp_xid_entity *out)
{
    size_t octets = 0;
    *out = (struct sndcp_xid_entity){
        .number = (uint8_t)take(L, "number", SNDCP_XID_NUMBERS - 1),
        .algorithm = (uint8_t)take(L, "algorithm", SNDCP_XID_NUMBERS - 1),
        .nsapis = (uint16_t)take(L, "nsapis", UINT16_MAX),
    };
    lua_getfield(L, -1, "kind");
    out->kind = (uint8_t)kind_of(L, -1);
    lua_getfield(L, -2, "is_proposal");
    out->is_proposal = lua_toboolean(L, -1);
    lua_getfield(L, -3, "parameters");
    out->parameters = (const uint8_t *)luaL_optlstring(L, -1, "", &octets);
    luaL_argcheck(L, octets <= SNDCP_XID_MAX_OCTETS, 1, "too long parameters");
    out->parameter_octets = (uint8_t)octets;
    lua_pop(L, 3);
    if (out->is_proposal)
        take_values(L, out);
}

static int sndcp_encode(lua_State *L)
{
    struct sndcp_xid xid;
    uint8_t bytes[SNDCP_XID_MAX_OCTETS];
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_Unsigned count = lua_rawlen(L, 1);
    luaL_argcheck(L, count <= SNDCP_XID_MAX_ENTITIES, 1, "too many entities");
    xid.count = (uint8_t)count;
    xid.version = (uint8_t)take(L, "version", 15);
    xid.has_version = lua_getfield(L, 1, "version") != LUA_TNIL;
    lua_pop(L, 1);
    for (unsigned i = 0; i < xid.count; i++) {
        lua_geti(L, 1, i + 1);
        take_entity(L, &xid.entities[i]);
        lua_pop(L, 1);
    }
    int octets = sndcp_xid_encode(bytes, sizeof(bytes), &xid);
    if (octets == ERR_NO_SPACE)
        lua_pushnil(L);
    else if (octets < 0)
        return luaL_error(L, "an entity cannot be encoded");
    else
        lua_pushlstring(L, (const char *)bytes, (size_t)octets);
    return 1;
}

static int sndcp_pack(lua_State *L)
{
    struct sndcp_xid_parameters parameters = {0};
    uint8_t bytes[2 * SNDCP_XID_MAX_PARAMETERS];
    unsigned kind = kind_of(L, 1), algorithm = (unsigned)luaL_checkinteger(L, 2);
    luaL_checktype(L, 3, LUA_TTABLE);
    lua_Unsigned count = lua_rawlen(L, 3);
    luaL_argcheck(L, count <= SNDCP_XID_MAX_PARAMETERS, 3, "too many parameters");
    parameters.count = (uint8_t)count;
    for (unsigned i = 0; i < parameters.count; i++) {
        lua_geti(L, 3, i + 1);
        parameters.value[i] = (uint16_t)luaL_checkinteger(L, -1);
        lua_pop(L, 1);
    }
    int octets = sndcp_xid_parameters_encode(bytes, sizeof(bytes), kind, algorithm, &parameters);
    if (octets < 0)
        return luaL_error(L, "a parameter is out of range");
    lua_pushlstring(L, (const char *)bytes, (size_t)octets);
    return 1;
}

int luaopen_gbflow_llc(lua_State *L)
{
    static const luaL_Reg functions[] = {{"decode", decode},
                                         {"encode", encode},
                                         {"sndcp_decode", sndcp_decode},
                                         {"sndcp_encode", sndcp_encode},
                                         {"sndcp_parameters", sndcp_parameters},
                                         {"sndcp_pack", sndcp_pack},
                                         {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
