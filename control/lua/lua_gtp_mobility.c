/* SPDX-License-Identifier: BSD-3-Clause */
/* GTP-C messages between SGSNs, the mobility of a mobile, as Lua tables. */
#include "control/lua/lua_wire.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtp_context.h"
#include "dataplane/wire/gtp_mobility.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

enum kind { OCTET, PAIR, WORD, FLAG, TEXT, OCTETS, SPAN, ADDRESS };

/* A member of a struct as a field of a table. */
struct row {
    const char *name;
    uint32_t has; /* the bit that says that it is there; 0: of a struct without such bits */
    enum kind kind;
    uint16_t at, size;
};

#define ROW(type, name, member, kind, has)                                                                   \
    {                                                                                                        \
        name, has, kind, offsetof(type, member), sizeof(((type *)0)->member)                                 \
    }
#define END                                                                                                  \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }
#define MESSAGE(name, member, kind, has) ROW(struct gtp_mobility, name, member, kind, GTP_MOBILITY_##has)
#define VECTOR(member)                   ROW(struct gtp_context_vector, #member, member, SPAN, 0)
#define MM(member, kind)                 ROW(struct gtp_context_mm, #member, member, kind, 0)
#define PDP(name, member, kind)          ROW(struct gtp_context_pdp, name, member, kind, 0)

static const struct row head_rows[] = {ROW(struct gtp_mobility, "teid", teid, WORD, 0),
                                       ROW(struct gtp_mobility, "seq", seq, PAIR, 0), END};

static const struct row message_rows[] = {
    MESSAGE("cause", cause, OCTET, CAUSE),
    MESSAGE("imsi", imsi, TEXT, IMSI),
    MESSAGE("rai", rai, OCTETS, RAI),
    MESSAGE("tlli", tlli, WORD, TLLI),
    MESSAGE("p_tmsi", p_tmsi, WORD, P_TMSI),
    MESSAGE("signature", signature, OCTETS, SIGNATURE),
    MESSAGE("ms_validated", ms_validated, FLAG, MS_VALIDATED),
    MESSAGE("teid_control", teid_control, WORD, TEID_CONTROL),
    MESSAGE("radio_priority_sms", priority_sms, OCTET, PRIORITY_SMS),
    MESSAGE("charging", charging, PAIR, CHARGING),
    MESSAGE("control", control, ADDRESS, CONTROL),
    MESSAGE("control_other", control_other, ADDRESS, CONTROL_OTHER),
    MESSAGE("container", container, SPAN, CONTAINER),
    MESSAGE("sgsn_number", number, TEXT, NUMBER),
    MESSAGE("radio_priority_lcs", priority_lcs, OCTET, PRIORITY_LCS),
    MESSAGE("rat_type", rat_type, OCTET, RAT_TYPE),
    MESSAGE("routing_address", rim_address, SPAN, RIM_ADDRESS),
    MESSAGE("hop_counter", hop_counter, OCTET, HOP_COUNTER),
    MESSAGE("discriminator", rim_discriminator, OCTET, RIM_DISCRIMINATOR),
    END,
};

static const struct row vector_rows[] = {VECTOR(rand), VECTOR(sres), VECTOR(kc),   VECTOR(xres),
                                         VECTOR(ck),   VECTOR(ik),   VECTOR(autn), END};

static const struct row mm_rows[] = {
    MM(mode, OCTET), MM(cksn, OCTET),  MM(cipher, OCTET),    MM(kc, SPAN),     MM(ck, SPAN), MM(ik, SPAN),
    MM(drx, SPAN),   MM(access, SPAN), MM(capability, SPAN), MM(imeisv, TEXT), END,
};

static const struct row pdp_rows[] = {
    PDP("is_active", is_active, FLAG),
    PDP("reordering", reordering, FLAG),
    PDP("vplmn_allowed", vplmn_allowed, FLAG),
    PDP("nsapi", nsapi, OCTET),
    PDP("sapi", sapi, OCTET),
    PDP("arp_subscribed", subscribed.arp, OCTET),
    PDP("arp_requested", requested.arp, OCTET),
    PDP("arp", negotiated.arp, OCTET),
    PDP("qos_subscribed", subscribed.value, SPAN),
    PDP("qos_requested", requested.value, SPAN),
    PDP("qos_negotiated", negotiated.value, SPAN),
    PDP("sequence_down", sequence_down, PAIR),
    PDP("sequence_up", sequence_up, PAIR),
    PDP("send_n_pdu", send_n_pdu, OCTET),
    PDP("receive_n_pdu", receive_n_pdu, OCTET),
    PDP("teid_control", teid_control, WORD),
    PDP("teid_data", teid_data, WORD),
    PDP("context_id", context_id, OCTET),
    PDP("ipv4", ipv4, ADDRESS),
    PDP("ipv6", ipv6, ADDRESS),
    PDP("control", control, ADDRESS),
    PDP("user", user, ADDRESS),
    PDP("apn", apn, TEXT),
    PDP("ti", ti, OCTET),
    PDP("ti_extension", ti_extension, OCTET),
    END,
};

static const struct row tunnel_rows[] = {ROW(struct gtp_mobility_tunnel, "nsapi", nsapi, OCTET, 0),
                                         ROW(struct gtp_mobility_tunnel, "teid", teid, WORD, 0), END};
static const struct row priority_rows[] = {ROW(struct gtp_mobility_value, "nsapi", nsapi, OCTET, 0),
                                           ROW(struct gtp_mobility_value, "priority", value, OCTET, 0), END};
static const struct row pfi_rows[] = {ROW(struct gtp_mobility_value, "nsapi", nsapi, OCTET, 0),
                                      ROW(struct gtp_mobility_value, "pfi", value, OCTET, 0), END};
static const struct row user_row = {"user", 0, ADDRESS, 0, sizeof(struct gtpc_address)};

/* Structs of which a message has several, as a list of tables. */
static const struct list {
    const char *name;
    uint32_t has;
    const struct row *rows;
    uint16_t at, each, most, count_at;
} lists[] = {
#define LIST(name, has, rows, member, count)                                                                 \
    {                                                                                                        \
        name, has, rows, offsetof(struct gtp_mobility, member),                                              \
            sizeof(((struct gtp_mobility *)0)->member[0]),                                                   \
            sizeof(((struct gtp_mobility *)0)->member) / sizeof(((struct gtp_mobility *)0)->member[0]),      \
            offsetof(struct gtp_mobility, count)                                                             \
    }
    LIST("triplets", GTP_MOBILITY_TRIPLETS, vector_rows, vector, vectors),
    LIST("quintuplets", GTP_MOBILITY_QUINTUPLETS, vector_rows, vector, vectors),
    LIST("radio_priorities", GTP_MOBILITY_PRIORITIES, priority_rows, priority, priorities),
    LIST("pfis", GTP_MOBILITY_PFIS, pfi_rows, pfi, pfis),
    LIST("contexts", GTP_MOBILITY_CONTEXT, pdp_rows, context, contexts),
    LIST("tunnels", GTP_MOBILITY_TUNNELS, tunnel_rows, tunnel, tunnels),
};

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

static const struct {
    uint8_t number;
    const char *text;
} pdp_types[] = {{GTPC_PDP_IPV4, "ipv4"},
                 {GTPC_PDP_IPV6, "ipv6"},
                 {GTPC_PDP_IPV4V6, "ipv4v6"},
                 {GTPC_PDP_NON_IP, "non_ip"}};

enum { PDP_TYPES = sizeof(pdp_types) / sizeof(pdp_types[0]) };

/* --- decoding: into the table on top --- */

static void push_address(lua_State *L, const struct gtpc_address *address)
{
    char text[INET6_ADDRSTRLEN];
    if (address->octets == 0) {
        lua_pushnil(L);
        return;
    }
    inet_ntop(address->octets == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof text);
    lua_pushstring(L, text);
}

/* nil: a text, an address or octets that are not there. */
static void push_value(lua_State *L, const struct row *row, const void *at)
{
    uint32_t word;
    uint16_t pair;
    const struct ie_span *span = at;
    switch (row->kind) {
    case OCTET:
        lua_pushinteger(L, *(const uint8_t *)at);
        return;
    case PAIR:
        memcpy(&pair, at, sizeof pair);
        lua_pushinteger(L, pair);
        return;
    case WORD:
        memcpy(&word, at, sizeof word);
        lua_pushinteger(L, word);
        return;
    case FLAG:
        lua_pushboolean(L, *(const uint8_t *)at);
        return;
    case TEXT:
        lua_pushstring(L, *(const char *)at ? at : NULL);
        return;
    case OCTETS:
        lua_pushlstring(L, at, row->size);
        return;
    case SPAN:
        if (span->octets > 0)
            lua_pushlstring(L, (const char *)span->at, span->octets);
        else
            lua_pushnil(L);
        return;
    case ADDRESS:
        push_address(L, at);
        return;
    }
}

static void push_rows(lua_State *L, const struct row *rows, const void *in, uint32_t has)
{
    for (; rows->name; rows++) {
        if (rows->has && !(rows->has & has))
            continue;
        push_value(L, rows, (const char *)in + rows->at);
        lua_setfield(L, -2, rows->name);
    }
}

static void push_list(lua_State *L, const struct list *list, const void *in, unsigned count)
{
    lua_createtable(L, (int)count, 0);
    for (unsigned i = 0; i < count; i++) {
        lua_createtable(L, 0, 8);
        push_rows(L, list->rows, (const char *)in + (size_t)i * list->each, 0);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, list->name);
}

static void push_mm(lua_State *L, const struct gtp_mobility *message)
{
    const struct gtp_context_mm *mm = &message->mm;
    if (!(message->has & GTP_MOBILITY_MM))
        return;
    lua_createtable(L, 0, 10);
    push_rows(L, mm_rows, mm, 0);
    push_list(L, &lists[mm->mode == GTP_CONTEXT_GSM ? 0 : 1], mm->vector, mm->vectors);
    lua_setfield(L, -2, "mm");
}

static void push_lists(lua_State *L, const struct gtp_mobility *message)
{
    for (unsigned i = 0; i < LISTS; i++)
        if (message->has & lists[i].has)
            push_list(L, &lists[i], (const char *)message + lists[i].at,
                      *((const uint8_t *)message + lists[i].count_at));
}

static const char *pdp_text_of(uint8_t number)
{
    for (unsigned i = 0; i < PDP_TYPES; i++)
        if (pdp_types[i].number == number)
            return pdp_types[i].text;
    return NULL;
}

static void push_pdp_types(lua_State *L, const struct gtp_mobility *message)
{
    if (!(message->has & GTP_MOBILITY_CONTEXT))
        return;
    lua_getfield(L, -1, "contexts");
    for (unsigned i = 0; i < message->contexts; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        lua_pushstring(L, pdp_text_of(message->context[i].pdp_type));
        lua_setfield(L, -2, "pdp_type");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* One address for all tunnels is the message's, others are those of their tunnels. */
static void push_users(lua_State *L, const struct gtp_mobility *message)
{
    if (message->users == 1) {
        push_address(L, &message->user[0]);
        lua_setfield(L, -2, "user");
    }
    if (message->users < 2)
        return;
    lua_getfield(L, -1, "tunnels");
    for (unsigned i = 0; i < message->users; i++) {
        lua_rawgeti(L, -1, (lua_Integer)i + 1);
        push_address(L, &message->user[i]);
        lua_setfield(L, -2, "user");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void push_head(lua_State *L, const char *type, const struct gtp_mobility *message)
{
    lua_createtable(L, 0, 12);
    lua_pushstring(L, type);
    lua_setfield(L, -2, "type");
    push_rows(L, head_rows, message, 0);
}

/* The answer to a request needs the TEID and the address of the new SGSN. */
static int lua_gtp_mobility_refuse(lua_State *L, const char *type, int err,
                                   const struct gtp_mobility *message)
{
    lua_pushnil(L);
    lua_pushstring(L, err == ERR_TRUNCATED     ? "truncated"
                      : err == ERR_UNSUPPORTED ? "unsupported"
                                               : "malformed");
    if (message->fault == 0)
        return 2;
    push_head(L, type, message);
    lua_pushinteger(L, message->fault);
    lua_setfield(L, -2, "fault");
    if (message->has & GTP_MOBILITY_TEID_CONTROL) {
        lua_pushinteger(L, message->teid_control);
        lua_setfield(L, -2, "teid_control");
    }
    push_address(L, &message->control);
    lua_setfield(L, -2, "control");
    return 3;
}

int lua_gtp_mobility_decode(lua_State *L, const char *type, const uint8_t *bytes, size_t len)
{
    struct gtp_mobility message;
    int n = gtp_mobility_decode(&message, bytes, len);
    if (n < 0)
        return lua_gtp_mobility_refuse(L, type, n, &message);
    push_head(L, type, &message);
    push_rows(L, message_rows, &message, message.has);
    push_mm(L, &message);
    push_lists(L, &message);
    push_pdp_types(L, &message);
    push_users(L, &message);
    if (message.has & GTP_MOBILITY_PRIORITIZED) {
        lua_pushboolean(L, true);
        lua_setfield(L, -2, "prioritized");
    }
    return 1;
}

/* --- encoding: of the table on top, which keeps its octets alive --- */

static lua_Integer integer_of(lua_State *L, const char *name, lua_Integer most)
{
    lua_Integer value = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
    if (value < 0 || value > most)
        luaL_error(L, "field '%s': must be 0 .. %I", name, (LUAI_UACINT)most);
    return value;
}

static struct ie_span octets_of(lua_State *L, const char *name)
{
    size_t octets;
    if (lua_type(L, -1) != LUA_TSTRING)
        luaL_error(L, "field '%s': must be a string", name);
    const char *bytes = lua_tolstring(L, -1, &octets);
    return (struct ie_span){(const uint8_t *)bytes, octets};
}

static void pull_address(lua_State *L, const char *name, struct gtpc_address *out)
{
    const char *text = (const char *)octets_of(L, name).at;
    if (inet_pton(AF_INET, text, out->bytes) == 1)
        out->octets = 4;
    else if (inet_pton(AF_INET6, text, out->bytes) == 1)
        out->octets = 16;
    else
        luaL_error(L, "field '%s': '%s' is not an IP address", name, text);
}

static void pull_text(lua_State *L, const struct row *row, char *out)
{
    struct ie_span text = octets_of(L, row->name);
    if (text.octets >= row->size || memchr(text.at, '\0', text.octets))
        luaL_error(L, "field '%s': at most %d characters", row->name, row->size - 1);
    memcpy(out, text.at, text.octets);
    out[text.octets] = '\0';
}

static void pull_octets(lua_State *L, const struct row *row, uint8_t *out)
{
    struct ie_span octets = octets_of(L, row->name);
    if (octets.octets != row->size)
        luaL_error(L, "field '%s': must be %d octets", row->name, row->size);
    memcpy(out, octets.at, octets.octets);
}

static void pull_value(lua_State *L, const struct row *row, void *at)
{
    switch (row->kind) {
    case OCTET:
        *(uint8_t *)at = (uint8_t)integer_of(L, row->name, UINT8_MAX);
        return;
    case PAIR:
        memcpy(at, &(uint16_t){(uint16_t)integer_of(L, row->name, UINT16_MAX)}, sizeof(uint16_t));
        return;
    case WORD:
        memcpy(at, &(uint32_t){(uint32_t)integer_of(L, row->name, UINT32_MAX)}, sizeof(uint32_t));
        return;
    case FLAG:
        *(bool *)at = lua_toboolean(L, -1);
        return;
    case TEXT:
        pull_text(L, row, at);
        return;
    case OCTETS:
        pull_octets(L, row, at);
        return;
    case SPAN:
        *(struct ie_span *)at = octets_of(L, row->name);
        return;
    case ADDRESS:
        pull_address(L, row->name, at);
        return;
    }
}

/* Returns the bits of those that are there. */
static uint32_t pull_rows(lua_State *L, const struct row *rows, void *out)
{
    uint32_t has = 0;
    for (; rows->name; rows++) {
        if (lua_getfield(L, -1, rows->name) != LUA_TNIL) {
            pull_value(L, rows, (char *)out + rows->at);
            has |= rows->has;
        }
        lua_pop(L, 1);
    }
    return has;
}

/* Of a field of the table on top; returns the number of its elements. */
static uint8_t pull_list(lua_State *L, const struct list *list, void *out)
{
    lua_Integer count = 0;
    if (lua_getfield(L, -1, list->name) != LUA_TNIL) {
        count = lua_istable(L, -1) ? luaL_len(L, -1) : -1;
        if (count < 0 || count > list->most)
            luaL_error(L, "field '%s': must be a list of at most %d", list->name, list->most);
    }
    for (lua_Integer i = 0; i < count; i++) {
        if (lua_geti(L, -1, i + 1) != LUA_TTABLE)
            luaL_error(L, "field '%s': must be a list of tables", list->name);
        pull_rows(L, list->rows, (char *)out + (size_t)i * list->each);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return (uint8_t)count;
}

static void pull_mm(lua_State *L, struct gtp_mobility *out)
{
    if (lua_getfield(L, -1, "mm") != LUA_TNIL) {
        if (!lua_istable(L, -1))
            luaL_error(L, "field 'mm': must be a table");
        pull_rows(L, mm_rows, &out->mm);
        bool is_gsm = out->mm.mode == GTP_CONTEXT_GSM;
        if (lua_getfield(L, -1, lists[is_gsm].name) != LUA_TNIL && luaL_len(L, -1) > 0)
            luaL_error(L, "field '%s': mode %d has other vectors", lists[is_gsm].name, out->mm.mode);
        lua_pop(L, 1);
        out->mm.vectors = pull_list(L, &lists[!is_gsm], out->mm.vector);
        out->has |= GTP_MOBILITY_MM;
    }
    lua_pop(L, 1);
}

static void pull_lists(lua_State *L, struct gtp_mobility *out)
{
    for (unsigned i = 0; i < LISTS; i++) {
        uint8_t count = pull_list(L, &lists[i], (char *)out + lists[i].at);
        if (count == 0)
            continue;
        *((uint8_t *)out + lists[i].count_at) = count;
        out->has |= lists[i].has;
    }
}

/* The PDP type is a word; an ARP that is not there is that of the negotiated QoS. */
static void pull_context(lua_State *L, struct gtp_context_pdp *out)
{
    unsigned i = 0;
    lua_getfield(L, -1, "pdp_type");
    const char *text = (const char *)octets_of(L, "pdp_type").at;
    while (i < PDP_TYPES && strcmp(pdp_types[i].text, text) != 0)
        i++;
    if (i == PDP_TYPES)
        luaL_error(L, "field 'pdp_type': unknown word '%s'", text);
    out->pdp_type = pdp_types[i].number;
    if (lua_getfield(L, -2, "arp_subscribed") == LUA_TNIL)
        out->subscribed.arp = out->negotiated.arp;
    if (lua_getfield(L, -3, "arp_requested") == LUA_TNIL)
        out->requested.arp = out->negotiated.arp;
    lua_pop(L, 3);
}

static void pull_contexts(lua_State *L, struct gtp_mobility *out)
{
    lua_getfield(L, -1, "contexts");
    for (unsigned i = 0; i < out->contexts; i++) {
        lua_geti(L, -1, (lua_Integer)i + 1);
        pull_context(L, &out->context[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static uint8_t pull_user(lua_State *L, struct gtpc_address *out)
{
    bool is_there = lua_getfield(L, -1, user_row.name) != LUA_TNIL;
    if (is_there)
        pull_value(L, &user_row, out);
    lua_pop(L, 1);
    return is_there;
}

static void pull_users(lua_State *L, struct gtp_mobility *out)
{
    unsigned of_tunnels = 0;
    uint8_t for_all = pull_user(L, &out->user[0]);
    lua_getfield(L, -1, "tunnels");
    for (unsigned i = 0; i < out->tunnels; i++) {
        lua_geti(L, -1, (lua_Integer)i + 1);
        of_tunnels += pull_user(L, &out->user[i]);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    if (of_tunnels > 0 && (for_all || of_tunnels != out->tunnels))
        luaL_error(L, "field 'user': must be one for all tunnels, or one of each");
    out->users = for_all ? 1 : (uint8_t)of_tunnels;
    out->has |= out->users ? GTP_MOBILITY_USERS : 0u;
}

int lua_gtp_mobility_encode(lua_State *L, const char *name, uint8_t type)
{
    uint8_t bytes[GTP_MOBILITY_MAX_OCTETS];
    struct gtp_mobility message = {.type = type};
    lua_pushvalue(L, 1);
    pull_rows(L, head_rows, &message);
    message.has = pull_rows(L, message_rows, &message);
    pull_mm(L, &message);
    pull_lists(L, &message);
    pull_contexts(L, &message);
    pull_users(L, &message);
    lua_getfield(L, -1, "prioritized");
    message.has |= lua_toboolean(L, -1) ? GTP_MOBILITY_PRIORITIZED : 0u;
    int n = gtp_mobility_encode(bytes, sizeof bytes, &message);
    if (n == ERR_NO_SPACE)
        return luaL_error(L, "%s: is too large", name);
    if (n < 0)
        return luaL_error(
            L, "%s: an element is missing, is not allowed in this message, or has a wrong value", name);
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
}
