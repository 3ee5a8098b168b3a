/* SPDX-License-Identifier: BSD-3-Clause */
/* The codecs of GMM, SM, SMS and GSUP as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/sm.h"
#include "dataplane/wire/gmm.h"
#include "dataplane/wire/gsup.h"
#include "dataplane/wire/sms.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

static const char *err_name(int err)
{
    return err == ERR_TRUNCATED ? "truncated" : err == ERR_UNSUPPORTED ? "unsupported" : "malformed";
}

static void set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

static void set_integer(lua_State *L, const char *key, lua_Integer value)
{
    lua_pushinteger(L, value);
    lua_setfield(L, -2, key);
}

/* --- GMM, SM and SMS --- */

static enum l3_sender sender_of(lua_State *L, int index)
{
    static const char *const names[] = {"ms", "sgsn", NULL};
    return luaL_checkoption(L, index, "ms", names) == 0 ? L3_FROM_MS : L3_FROM_SGSN;
}

/* nil, error, cause, message type */
static int lua_phone_wire_refuse(lua_State *L, int err, const struct l3 *l3)
{
    lua_pushnil(L);
    lua_pushstring(L, err_name(err));
    lua_pushinteger(L, l3->cause);
    lua_pushinteger(L, l3->type);
    return 4;
}

static int push_message(lua_State *L, const struct l3_grammar *grammar, const struct l3 *l3)
{
    lua_createtable(L, 0, 12);
    set_text(L, "message", l3->row->name);
    for (const struct l3_place *p = l3->row->places; p->form != L3_END; p++) {
        if (p->form == L3_SPARE || !l3_has(l3, p->ie))
            continue;
        lua_wire_field_push(L, &grammar->ies[p->ie], l3);
        lua_setfield(L, -2, grammar->ies[p->ie].name);
    }
    return 1;
}

static int gmm_decode_lua(lua_State *L)
{
    struct gmm gmm;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = gmm_decode(&gmm, sender_of(L, 2), (const uint8_t *)bytes, len);
    return n < 0 ? lua_phone_wire_refuse(L, n, &gmm.head) : push_message(L, &gmm_grammar, &gmm.head);
}

/* The transaction: ti_flag is 0 in messages of the side that began it. */
static int push_transaction(lua_State *L, const struct l3_grammar *grammar, const struct l3 *l3, uint8_t ti)
{
    push_message(L, grammar, l3);
    set_integer(L, "ti", ti);
    set_integer(L, "ti_flag", l3->head >> 7);
    return 1;
}

/* A message that is refused is followed by its transaction, too. With cause 0 it is to be ignored. */
static int sm_decode_lua(lua_State *L)
{
    struct sm sm;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = sm_decode(&sm, sender_of(L, 2), (const uint8_t *)bytes, len);
    if (n >= 0)
        return push_transaction(L, &sm_grammar, &sm.head, sm.ti);
    lua_phone_wire_refuse(L, n, &sm.head);
    lua_pushinteger(L, sm.ti);
    lua_pushinteger(L, sm.head.head >> 7);
    return 6;
}

static int cp_decode_lua(lua_State *L)
{
    struct cp cp;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = cp_decode(&cp, sender_of(L, 2), (const uint8_t *)bytes, len);
    return n < 0 ? lua_phone_wire_refuse(L, n, &cp.head)
                 : push_transaction(L, &cp_grammar, &cp.head, cp.head.head >> 4 & 7);
}

/* A message that is refused is followed by its reference, too, where that was read. */
static int rp_decode_lua(lua_State *L)
{
    struct rp rp;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = rp_decode(&rp, sender_of(L, 2), (const uint8_t *)bytes, len);
    if (n >= 0) {
        push_message(L, &rp_grammar, &rp.head);
        set_integer(L, "reference", rp.head.head);
        return 1;
    }
    lua_phone_wire_refuse(L, n, &rp.head);
    if (len < 2)
        return 4;
    lua_pushinteger(L, rp.head.head);
    return 5;
}

static lua_Integer integer_of(lua_State *L, const char *key, lua_Integer most)
{
    lua_getfield(L, 1, key);
    lua_Integer value = luaL_checkinteger(L, -1);
    if (value < 0 || value > most)
        luaL_error(L, "field '%s': must be 0 .. %I", key, (LUAI_UACINT)most);
    lua_pop(L, 1);
    return value;
}

static const struct l3_row *row_of(lua_State *L, const struct l3_grammar *grammar)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "message");
    const char *name = luaL_checkstring(L, -1);
    const struct l3_row *row = l3_row_by_name(grammar, name);
    if (!row)
        luaL_error(L, "no message has the name '%s'", name);
    lua_pop(L, 1);
    return row;
}

static bool has_field(const struct l3_grammar *grammar, const struct l3_row *row, const char *name)
{
    for (const struct l3_place *p = row->places; p->form != L3_END; p++)
        if (p->form != L3_SPARE && strcmp(grammar->ies[p->ie].name, name) == 0)
            return true;
    return strcmp(name, "message") == 0 || strcmp(name, "ti") == 0 || strcmp(name, "ti_flag") == 0 ||
           strcmp(name, "reference") == 0;
}

static void refuse_unknown(lua_State *L, const struct l3_grammar *grammar, const struct l3_row *row)
{
    lua_pushnil(L);
    while (lua_next(L, 1)) {
        lua_pop(L, 1);
        if (lua_type(L, -1) != LUA_TSTRING || !has_field(grammar, row, lua_tostring(L, -1)))
            luaL_error(L, "%s: unknown field '%s'", row->name, luaL_tolstring(L, -1, NULL));
    }
}

static void lua_phone_wire_fill(lua_State *L, const struct l3_grammar *grammar, struct l3 *out)
{
    out->row = row_of(L, grammar);
    refuse_unknown(L, grammar, out->row);
    for (const struct l3_place *p = out->row->places; p->form != L3_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        luaL_checkstack(L, 8, NULL);
        if (p->form == L3_SPARE)
            continue;
        if (lua_getfield(L, 1, ie->name) != LUA_TNIL) {
            lua_wire_field_pull(L, ie, out);
            l3_mark(out, p->ie);
        } else if (l3_is_mandatory(p)) {
            luaL_error(L, "%s: field '%s' is missing", out->row->name, ie->name);
        }
    }
}

static int push_octets(lua_State *L, const char *name, const uint8_t *bytes, int n)
{
    if (n < 0)
        return luaL_error(L, "%s: a value is too large for its field", name);
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
}

static int gmm_encode_lua(lua_State *L)
{
    uint8_t bytes[L3_MAX_OCTETS];
    struct gmm gmm = {.head = {.head = L3_GMM}};
    lua_settop(L, 1);
    lua_phone_wire_fill(L, &gmm_grammar, &gmm.head);
    return push_octets(L, gmm.head.row->name, bytes, gmm_encode(bytes, sizeof bytes, &gmm));
}

static uint8_t transaction_of(lua_State *L, enum l3_discriminator protocol)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    return (uint8_t)(integer_of(L, "ti_flag", 1) << 7 | protocol);
}

static int cp_encode_lua(lua_State *L)
{
    uint8_t bytes[L3_MAX_OCTETS];
    struct cp cp = {0};
    lua_settop(L, 1);
    cp.head.head = (uint8_t)(transaction_of(L, L3_SMS) | integer_of(L, "ti", 6) << 4);
    lua_phone_wire_fill(L, &cp_grammar, &cp.head);
    return push_octets(L, cp.head.row->name, bytes, cp_encode(bytes, sizeof bytes, &cp));
}

static int rp_encode_lua(lua_State *L)
{
    uint8_t bytes[L3_MAX_OCTETS];
    struct rp rp = {0};
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    rp.head.head = (uint8_t)integer_of(L, "reference", UINT8_MAX);
    lua_phone_wire_fill(L, &rp_grammar, &rp.head);
    return push_octets(L, rp.head.row->name, bytes, rp_encode(bytes, sizeof bytes, &rp));
}

static int sm_encode_lua(lua_State *L)
{
    uint8_t bytes[L3_MAX_OCTETS];
    struct sm sm = {0};
    lua_settop(L, 1);
    sm.head.head = transaction_of(L, L3_SM);
    sm.ti = (uint8_t)integer_of(L, "ti", 127);
    lua_phone_wire_fill(L, &sm_grammar, &sm.head);
    return push_octets(L, sm.head.row->name, bytes, sm_encode(bytes, sizeof bytes, &sm));
}

/* --- mobile identity --- */

static const char *const identity_types[] = {"none", "imsi", "imei", "imeisv", "tmsi", NULL};

/* identity(octets): a type's name, and its digits or number; nil: malformed. */
static int identity_lua(lua_State *L)
{
    struct identity identity;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    if (identity_decode(&identity, (const uint8_t *)bytes, len) < 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushstring(L, identity_types[identity.type]);
    if (identity.type == IDENTITY_TMSI)
        lua_pushinteger(L, identity.tmsi);
    else
        lua_pushstring(L, identity.digits);
    return 2;
}

/* identity_octets(type, digits or number) */
static int identity_octets_lua(lua_State *L)
{
    uint8_t bytes[IDENTITY_MAX_OCTETS];
    struct identity identity = {.type = (uint8_t)luaL_checkoption(L, 1, NULL, identity_types)};
    if (identity.type == IDENTITY_TMSI)
        identity.tmsi = (uint32_t)luaL_checkinteger(L, 2);
    else
        strncpy(identity.digits, luaL_optstring(L, 2, ""), sizeof identity.digits - 1);
    return push_octets(L, "identity", bytes, identity_encode(bytes, sizeof bytes, &identity));
}

/* --- GSUP --- */

static void push_fields(lua_State *L, const struct ie *list, uint32_t has, const void *in)
{
    for (unsigned i = 0; list[i].name; i++) {
        if (!(has >> i & 1))
            continue;
        lua_wire_field_push(L, &list[i], in);
        lua_setfield(L, -2, list[i].name);
    }
}

static void push_tuples(lua_State *L, const struct gsup *gsup)
{
    lua_createtable(L, (int)gsup->tuples, 0);
    for (unsigned i = 0; i < gsup->tuples; i++) {
        lua_createtable(L, 0, 7);
        push_fields(L, gsup_tuple_ies, gsup->tuple[i].has, &gsup->tuple[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "tuples");
}

static void push_pdp_infos(lua_State *L, const struct gsup *gsup)
{
    lua_createtable(L, (int)gsup->pdp_infos, 0);
    for (unsigned i = 0; i < gsup->pdp_infos; i++) {
        lua_createtable(L, 0, 4);
        push_fields(L, gsup_pdp_ies, gsup->pdp_info[i].has, &gsup->pdp_info[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "pdp_infos");
}

/* skipped: names of the elements that were skipped, "pdp_info_id" for one in a container. */
static void push_skips(lua_State *L, const struct gsup *gsup)
{
    lua_newtable(L);
    for (unsigned i = 0; i < gsup->skips && i < GSUP_SKIPS; i++) {
        const struct gsup_skip *skip = &gsup->skip[i];
        const struct ie *ie = gsup_elements(skip->container);
        while (ie->name && ie->iei != skip->tag)
            ie++;
        lua_pushfstring(L, "%s%s",
                        skip->container == GSUP_TAG_TUPLE      ? "tuple_"
                        : skip->container == GSUP_TAG_PDP_INFO ? "pdp_info_"
                                                               : "",
                        ie->name          ? ie->name
                        : skip->container ? "other"
                                          : "imsi");
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setfield(L, -2, "skipped");
}

/* gsup_decode(octets): a table; one with `error` is cut, one without `message` has an unknown type. Without
 * an IMSI nil, error, type number. */
static int gsup_decode_lua(lua_State *L)
{
    struct gsup gsup;
    size_t len;
    const char *bytes = luaL_checklstring(L, 1, &len);
    int n = gsup_decode(&gsup, (const uint8_t *)bytes, len);
    if (!gsup.imsi[0]) {
        lua_pushnil(L);
        lua_pushstring(L, err_name(n));
        lua_pushinteger(L, gsup.type);
        return 3;
    }
    lua_createtable(L, 0, 14);
    lua_pushinteger(L, gsup.type);
    lua_setfield(L, -2, "type");
    if (gsup_name(gsup.type))
        set_text(L, "message", gsup_name(gsup.type));
    if (n < 0)
        set_text(L, "error", err_name(n));
    set_text(L, "imsi", gsup.imsi);
    push_fields(L, gsup_ies, gsup.has, &gsup);
    push_tuples(L, &gsup);
    push_pdp_infos(L, &gsup);
    push_skips(L, &gsup);
    return 1;
}

static void pull_imsi(lua_State *L, struct gsup *out)
{
    lua_getfield(L, 1, "imsi");
    strncpy(out->imsi, luaL_checkstring(L, -1), sizeof out->imsi - 1);
    lua_pop(L, 1);
}

/* gsup_encode(table): octets without IPA; tuples and PDP infos are not written, since an HLR sends them. A
 * message without name has the number `type`. */
static int gsup_encode_lua(lua_State *L)
{
    uint8_t bytes[GSUP_MAX_OCTETS];
    struct gsup gsup = {0};
    lua_settop(L, 1);
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_getfield(L, 1, "type");
    lua_getfield(L, 1, "message");
    const char *name = luaL_optstring(L, -1, NULL);
    lua_Integer type = name ? gsup_type_of(name) : luaL_checkinteger(L, -2);
    if (type < 0 || type > UINT8_MAX)
        return luaL_error(L, "no message of GSUP is '%s'", name ? name : lua_tostring(L, -2));
    gsup.type = (uint8_t)type;
    pull_imsi(L, &gsup);
    for (unsigned i = 0; gsup_ies[i].name; i++) {
        luaL_checkstack(L, 8, NULL);
        if (lua_getfield(L, 1, gsup_ies[i].name) == LUA_TNIL)
            continue;
        lua_wire_field_pull(L, &gsup_ies[i], &gsup);
        gsup.has |= UINT32_C(1) << i;
    }
    return push_octets(L, name ? name : "a message of GSUP", bytes, gsup_encode(bytes, sizeof bytes, &gsup));
}

/* ipv6_octets(text): the 16 octets of an IPv6 address. */
static int ipv6_octets_lua(lua_State *L)
{
    uint8_t octets[16];
    const char *text = luaL_checkstring(L, 1);
    luaL_argcheck(L, inet_pton(AF_INET6, text, octets) == 1, 1, "no IPv6 address");
    lua_pushlstring(L, (const char *)octets, sizeof octets);
    return 1;
}

/* ipa(stream, octets): the message with its header. */
static int ipa_lua(lua_State *L)
{
    uint8_t header[IPA_HEADER_OCTETS];
    size_t octets;
    lua_Integer stream = luaL_checkinteger(L, 1);
    const char *bytes = luaL_checklstring(L, 2, &octets);
    luaL_argcheck(L, octets <= UINT16_MAX, 2, "too long");
    gsup_ipa_put(header, (uint8_t)stream, (uint16_t)octets);
    lua_pushlstring(L, (const char *)header, sizeof header);
    lua_pushlstring(L, bytes, octets);
    lua_concat(L, 2);
    return 1;
}

/* ipa_split(octets, at): the stream and octets of the message that begins there, and where the next one
 * begins; nil: it is not complete. */
static int ipa_split_lua(lua_State *L)
{
    size_t len;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &len);
    lua_Integer at = luaL_checkinteger(L, 2);
    luaL_argcheck(L, at >= 1 && (size_t)at <= len + 1, 2, "out of range");
    int n = gsup_ipa_octets(bytes + at - 1, len - (size_t)at + 1);
    if (n < 0) {
        lua_pushnil(L);
        return 1;
    }
    lua_pushinteger(L, bytes[at + 1]);
    lua_pushlstring(L, (const char *)bytes + at - 1 + IPA_HEADER_OCTETS, (size_t)n - IPA_HEADER_OCTETS);
    lua_pushinteger(L, at + n);
    return 3;
}

int luaopen_gbflow_phone(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"gmm_decode", gmm_decode_lua},
        {"gmm_encode", gmm_encode_lua},
        {"sm_decode", sm_decode_lua},
        {"sm_encode", sm_encode_lua},
        {"cp_decode", cp_decode_lua},
        {"cp_encode", cp_encode_lua},
        {"rp_decode", rp_decode_lua},
        {"rp_encode", rp_encode_lua},
        {"ipv6_octets", ipv6_octets_lua},
        {"identity", identity_lua},
        {"identity_octets", identity_octets_lua},
        {"gsup_decode", gsup_decode_lua},
        {"gsup_encode", gsup_encode_lua},
        {"ipa", ipa_lua},
        {"ipa_split", ipa_split_lua},
        {NULL, NULL},
    };
    luaL_newlib(L, functions);
    return 1;
}
