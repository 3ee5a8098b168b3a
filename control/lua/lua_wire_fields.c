/* SPDX-License-Identifier: BSD-3-Clause */
/* Fields of messages between Lua tables and C structs, for the modules of codecs. */
#include "control/lua/lua_wire.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

#include "dataplane/wire/identity.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

enum { MAX_ENDPOINTS = 255 };

static void *field_at(const struct ie *ie, const void *base)
{
    return (char *)base + ie->at;
}

static void set_integer(lua_State *state, const char *key, uint64_t value)
{
    lua_pushinteger(state, (lua_Integer)value);
    lua_setfield(state, -2, key);
}

static void push_area(lua_State *state, const struct area *area, unsigned octets)
{
    lua_createtable(state, 0, 5);
    lua_pushstring(state, area->mcc);
    lua_setfield(state, -2, "mcc");
    lua_pushstring(state, area->mnc);
    lua_setfield(state, -2, "mnc");
    set_integer(state, "lac", area->lac);
    if (octets >= AREA_ROUTEING)
        set_integer(state, "rac", area->rac);
    if (octets >= AREA_CELL)
        set_integer(state, "ci", area->ci);
}

static void push_imsi(lua_State *state, const struct ie_span *span)
{
    struct identity_imsi imsi;
    identity_imsi_decode(&imsi, span->at, span->octets);
    lua_pushstring(state, imsi.digits);
}

static void push_address(lua_State *state, const uint8_t *address, size_t octets)
{
    char text[INET6_ADDRSTRLEN];
    inet_ntop(octets == 4 ? AF_INET : AF_INET6, address, text, sizeof text);
    lua_pushstring(state, text);
}

static enum ns_family family_of(const struct ie *ie)
{
    return ie->min_octets == ns_endpoint_octets(NS_IP4) ? NS_IP4 : NS_IP6;
}

static void push_endpoints(lua_State *state, const struct ie *ie, const struct ie_span *span)
{
    struct ns_endpoint e;
    struct ns list = {.ip4_list = *span, .ip6_list = *span};
    enum ns_family family = family_of(ie);
    lua_newtable(state);
    for (size_t i = 0; ns_endpoint_get(&e, &list, family, i) == 0; i++) {
        lua_createtable(state, 0, 4);
        push_address(state, e.address, ie->min_octets - 4u);
        lua_setfield(state, -2, "address");
        set_integer(state, "udp_port", e.udp_port);
        set_integer(state, "signalling_weight", e.signalling_weight);
        set_integer(state, "data_weight", e.data_weight);
        lua_rawseti(state, -2, (lua_Integer)i + 1);
    }
}

static void push_pfcs(lua_State *state, const struct pfc_list *list)
{
    lua_createtable(state, (int)list->count, 0);
    for (unsigned i = 0; i < list->count; i++) {
        lua_createtable(state, 0, 4);
        set_integer(state, "pfi", list->flow[i].pfi);
        set_integer(state, "bucket_octets", list->flow[i].bucket_octets);
        set_integer(state, "rate_bps", list->flow[i].rate_bps);
        if (list->has_ratio)
            set_integer(state, "ratio_percent", list->flow[i].ratio_percent);
        lua_rawseti(state, -2, (lua_Integer)i + 1);
    }
}

void lua_wire_field_push(lua_State *state, const struct ie *ie, const void *in)
{
    const void *field = field_at(ie, in);
    const struct ie_span *span = field;
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
        lua_pushinteger(state, *(const uint32_t *)field);
        return;
    case IE_FLAG:
        lua_pushboolean(state, *(const uint32_t *)field != 0);
        return;
    case IE_UNITS:
        lua_pushinteger(state, (lua_Integer) * (const uint64_t *)field);
        return;
    case IE_SPAN:
        lua_pushlstring(state, (const char *)span->at, span->octets);
        return;
    case IE_IMSI:
        push_imsi(state, span);
        return;
    case IE_ENDPOINTS:
        push_endpoints(state, ie, span);
        return;
    case IE_ADDRESS:
        push_address(state, span->at, span->octets);
        return;
    case IE_AREA:
        push_area(state, field, ie->min_octets);
        return;
    case IE_PFCS:
        push_pfcs(state, field);
        return;
    }
}

static uint64_t integer_at_top(lua_State *state, const char *name, uint64_t most)
{
    lua_Integer value = lua_tointeger(state, -1);
    if (!lua_isinteger(state, -1))
        luaL_error(state, "field '%s': an integer is needed, not a %s", name, luaL_typename(state, -1));
    if (value < 0 || (uint64_t)value > most)
        luaL_error(state, "field '%s': %I is out of range 0 .. %I", name, value, (lua_Integer)most);
    return (uint64_t)value;
}

static uint64_t integer_in(lua_State *state, const char *name, uint64_t most)
{
    lua_getfield(state, -1, name);
    uint64_t value = integer_at_top(state, name, most);
    lua_pop(state, 1);
    return value;
}

static const char *string_at_top(lua_State *state, const char *name, size_t *octets)
{
    if (lua_type(state, -1) != LUA_TSTRING)
        luaL_error(state, "field '%s': a string is needed, not a %s", name, luaL_typename(state, -1));
    return lua_tolstring(state, -1, octets);
}

static void need_table(lua_State *state, const char *name)
{
    if (!lua_istable(state, -1))
        luaL_error(state, "field '%s': a table is needed, not a %s", name, luaL_typename(state, -1));
}

static void digits_in(lua_State *state, const char *name, char out[4])
{
    size_t octets;
    lua_getfield(state, -1, name);
    const char *text = string_at_top(state, name, &octets);
    if (octets < 2 || octets > 3 || strspn(text, "0123456789") != octets)
        luaL_error(state, "field '%s': two or three digits are needed", name);
    memcpy(out, text, octets + 1);
    lua_pop(state, 1);
}

static void pull_area(lua_State *state, const struct ie *ie, struct area *out)
{
    need_table(state, ie->name);
    digits_in(state, "mcc", out->mcc);
    digits_in(state, "mnc", out->mnc);
    out->lac = (uint16_t)integer_in(state, "lac", UINT16_MAX);
    if (ie->min_octets >= AREA_ROUTEING)
        out->rac = (uint8_t)integer_in(state, "rac", UINT8_MAX);
    if (ie->min_octets >= AREA_CELL)
        out->ci = (uint16_t)integer_in(state, "ci", UINT16_MAX);
}

static void pull_imsi(lua_State *state, const struct ie *ie, struct ie_span *out)
{
    struct identity_imsi imsi = {0};
    size_t digits;
    const char *text = string_at_top(state, ie->name, &digits);
    if (digits > IDENTITY_IMSI_DIGITS)
        luaL_error(state, "field '%s': at most %d digits", ie->name, IDENTITY_IMSI_DIGITS);
    memcpy(imsi.digits, text, digits);
    uint8_t *bytes = lua_newuserdatauv(state, IDENTITY_IMSI_MAX_OCTETS, 0);
    int n = identity_imsi_encode(bytes, IDENTITY_IMSI_MAX_OCTETS, &imsi);
    if (n < ie->min_octets)
        luaL_error(state, "field '%s': '%s' is not an IMSI", ie->name, text);
    *out = (struct ie_span){bytes, (size_t)n};
}

static size_t address_get(lua_State *state, const char *name, uint8_t out[16])
{
    size_t octets;
    const char *text = string_at_top(state, name, &octets);
    if (inet_pton(AF_INET, text, out) == 1)
        return 4;
    if (inet_pton(AF_INET6, text, out) != 1)
        luaL_error(state, "field '%s': '%s' is not an IP address", name, text);
    return 16;
}

static void pull_address(lua_State *state, const struct ie *ie, struct ie_span *out)
{
    uint8_t address[16];
    size_t octets = address_get(state, ie->name, address);
    uint8_t *bytes = lua_newuserdatauv(state, octets, 0);
    memcpy(bytes, address, octets);
    *out = (struct ie_span){bytes, octets};
}

static void pull_endpoint(lua_State *state, const struct ie *ie, uint8_t *bytes)
{
    uint8_t address[16];
    need_table(state, ie->name);
    lua_getfield(state, -1, "address");
    if (address_get(state, "address", address) != ie->min_octets - 4u)
        luaL_error(state, "field '%s': the address is of the other IP version", ie->name);
    lua_pop(state, 1);
    struct ns_endpoint e = {.address = address};
    e.udp_port = (uint16_t)integer_in(state, "udp_port", UINT16_MAX);
    e.signalling_weight = (uint8_t)integer_in(state, "signalling_weight", UINT8_MAX);
    e.data_weight = (uint8_t)integer_in(state, "data_weight", UINT8_MAX);
    ns_endpoint_encode(bytes, ie->min_octets, &e, family_of(ie));
}

static void pull_endpoints(lua_State *state, const struct ie *ie, struct ie_span *out)
{
    need_table(state, ie->name);
    size_t count = lua_rawlen(state, -1), each = ie->min_octets;
    if (count < 1 || count > MAX_ENDPOINTS)
        luaL_error(state, "field '%s': 1 to %d endpoints", ie->name, MAX_ENDPOINTS);
    uint8_t *bytes = lua_newuserdatauv(state, count * each, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(state, -2, (lua_Integer)i + 1);
        pull_endpoint(state, ie, bytes + i * each);
        lua_pop(state, 1);
    }
    *out = (struct ie_span){bytes, count * each};
}

static void pull_flow(lua_State *state, struct pfc_flow *out, bool *has_ratio)
{
    need_table(state, "pfcs");
    out->pfi = (uint8_t)integer_in(state, "pfi", 127);
    out->bucket_octets = integer_in(state, "bucket_octets", INT64_MAX);
    out->rate_bps = integer_in(state, "rate_bps", INT64_MAX);
    *has_ratio = lua_getfield(state, -1, "ratio_percent") != LUA_TNIL;
    if (*has_ratio)
        out->ratio_percent = (uint8_t)integer_at_top(state, "ratio_percent", UINT8_MAX);
    lua_pop(state, 1);
}

static void pull_pfcs(lua_State *state, struct pfc_list *out)
{
    need_table(state, "pfcs");
    size_t count = lua_rawlen(state, -1);
    if (count > PFC_LIST_MAX)
        luaL_error(state, "field 'pfcs': at most %d flows", PFC_LIST_MAX);
    for (out->count = 0; out->count < count; out->count++) {
        bool has_ratio;
        lua_rawgeti(state, -1, (lua_Integer)out->count + 1);
        pull_flow(state, &out->flow[out->count], &has_ratio);
        if (out->count > 0 && has_ratio != out->has_ratio)
            luaL_error(state, "field 'ratio_percent': in all flows or in none");
        out->has_ratio = has_ratio;
        lua_pop(state, 1);
    }
}

static void pull_flag(lua_State *state, const struct ie *ie, uint32_t *out)
{
    if (!lua_isboolean(state, -1))
        luaL_error(state, "field '%s': true or false is needed", ie->name);
    *out = (uint32_t)lua_toboolean(state, -1);
}

void lua_wire_field_pull(lua_State *state, const struct ie *ie, void *out)
{
    void *field = field_at(ie, out);
    struct ie_span *span = field;
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
        *(uint32_t *)field =
            (uint32_t)integer_at_top(state, ie->name, (UINT64_C(1) << 8 * ie->min_octets) - 1);
        return;
    case IE_FLAG:
        pull_flag(state, ie, field);
        return;
    case IE_UNITS:
        *(uint64_t *)field = integer_at_top(state, ie->name, INT64_MAX);
        return;
    case IE_SPAN:
        span->at = (const uint8_t *)string_at_top(state, ie->name, &span->octets);
        return;
    case IE_IMSI:
        pull_imsi(state, ie, span);
        return;
    case IE_ENDPOINTS:
        pull_endpoints(state, ie, span);
        return;
    case IE_ADDRESS:
        pull_address(state, ie, span);
        return;
    case IE_AREA:
        pull_area(state, ie, field);
        return;
    case IE_PFCS:
        pull_pfcs(state, field);
        return;
    }
}
