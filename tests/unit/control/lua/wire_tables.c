/* SPDX-License-Identifier: BSD-3-Clause */
/* The codecs' tables of messages and elements as a Lua module of the tests: what peers may send, so that a
 * new element is sent in every size without a line in a test. */
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/ns.h"

#include <lauxlib.h>

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

static void set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

/* { name =, iei =, least =, most =, form = } at the end of the list on top of the stack; most 0: no limit. */
static void add_place(lua_State *L, const struct ie *ie, uint8_t iei, const char *form)
{
    lua_createtable(L, 0, 5);
    set_text(L, "name", ie->name);
    set_text(L, "form", form);
    set_integer(L, "iei", iei);
    set_integer(L, "least", ie->min_octets);
    set_integer(L, "most", ie->max_octets);
    lua_rawseti(L, -2, luaL_len(L, -2) + 1);
}

/* Of the place that was added last. */
static void set_mandatory(lua_State *L, bool is_mandatory)
{
    lua_rawgeti(L, -1, luaL_len(L, -1));
    lua_pushboolean(L, is_mandatory);
    lua_setfield(L, -2, "is_mandatory");
    lua_pop(L, 1);
}

/* A row, whose places follow: { name =, type =, senders = bits, places = {} }; the places are on top. */
static void open_row(lua_State *L, const char *name, uint8_t type, uint8_t senders)
{
    lua_createtable(L, 0, 4);
    set_text(L, "name", name);
    set_integer(L, "type", type);
    set_integer(L, "senders", senders);
    lua_newtable(L);
}

static void close_row(lua_State *L, size_t number)
{
    lua_setfield(L, -2, "places");
    lua_rawseti(L, -2, (lua_Integer)number + 1);
}

static void push_pdus(lua_State *L, const struct pdu_grammar *grammar)
{
    lua_newtable(L);
    for (size_t i = 0; i < grammar->row_count; i++) {
        const struct pdu_row *row = &grammar->rows[i];
        open_row(L, row->name, row->type, row->senders);
        lua_pushinteger(L, row->bvcs);
        lua_setfield(L, -3, "bvcs");
        for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++) {
            const struct ie *ie = &grammar->ies[p->ie];
            add_place(L, ie, ie->iei, p->presence == PDU_FIXED ? "v" : ie->is_tv ? "tv" : "tlv");
            set_mandatory(L, p->presence <= PDU_MANDATORY);
        }
        close_row(L, i);
    }
}

/* The octets of a value by the type of an element of GTP; 0: as its length says. */
static void push_gtp(lua_State *L)
{
    lua_newtable(L);
    for (unsigned type = 1; type <= UINT8_MAX; type++) {
        uint8_t bytes[UINT8_MAX] = {0};
        struct gtp_ie ie;
        bytes[0] = (uint8_t)type;
        if (gtp_ie_decode(&ie, bytes, sizeof bytes) <= 0)
            continue;
        lua_pushinteger(L, ie.octets);
        lua_rawseti(L, -2, type);
    }
}

int luaopen_gbflow_tables(lua_State *L);

int luaopen_gbflow_tables(lua_State *L)
{
    lua_newtable(L);
    push_pdus(L, &bssgp_grammar);
    lua_setfield(L, -2, "bssgp");
    push_pdus(L, &ns_grammar);
    lua_setfield(L, -2, "ns");
    push_gtp(L);
    lua_setfield(L, -2, "gtp");
    return 1;
}
