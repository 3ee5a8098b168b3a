/* SPDX-License-Identifier: BSD-3-Clause */
/* The codec of GTP-C as a Lua module. */
#include "control/lua/lua_wire.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/qos.h"

#include <arpa/inet.h>
#include <lauxlib.h>
#include <string.h>

struct word {
    unsigned number;
    const char *text;
};

static const struct word types[] = {
    {GTPC_ECHO_REQUEST, "echo_request"},
    {GTPC_ECHO_RESPONSE, "echo_response"},
    {GTPC_CREATE_REQUEST, "create_request"},
    {GTPC_CREATE_RESPONSE, "create_response"},
    {GTPC_UPDATE_REQUEST, "update_request"},
    {GTPC_UPDATE_RESPONSE, "update_response"},
    {GTPC_DELETE_REQUEST, "delete_request"},
    {GTPC_DELETE_RESPONSE, "delete_response"},
    {GTPC_VERSION_NOT_SUPPORTED, "version_not_supported"},
    {GTPC_INITIATE_REQUEST, "initiate_request"},
    {GTPC_INITIATE_RESPONSE, "initiate_response"},
    {GTPC_PDU_NOTIFICATION_REQUEST, "pdu_notification_request"},
    {GTPC_PDU_NOTIFICATION_RESPONSE, "pdu_notification_response"},
    {0, NULL},
};

static const struct word pdp_types[] = {{GTPC_PDP_IPV4, "ipv4"},
                                        {GTPC_PDP_IPV6, "ipv6"},
                                        {GTPC_PDP_IPV4V6, "ipv4v6"},
                                        {GTPC_PDP_NON_IP, "non_ip"},
                                        {0, NULL}};

static const char *lua_gtpc_wire_text_of(const struct word *words, unsigned number)
{
    while (words->text && words->number != number)
        words++;
    return words->text;
}

/* Fields that are numbers, by the bit that says that they are there. */
enum kind { OCTET, PAIR, TEID };

static const struct field {
    const char *name;
    uint32_t has;
    enum kind kind;
    size_t offset;
} fields[] = {
    {"cause", GTPC_HAS_CAUSE, OCTET, offsetof(struct gtpc, cause)},
    {"recovery", GTPC_HAS_RECOVERY, OCTET, offsetof(struct gtpc, recovery)},
    {"selection", GTPC_HAS_SELECTION, OCTET, offsetof(struct gtpc, selection)},
    {"nsapi", GTPC_HAS_NSAPI, OCTET, offsetof(struct gtpc, nsapi)},
    {"linked_nsapi", GTPC_HAS_LINKED_NSAPI, OCTET, offsetof(struct gtpc, linked_nsapi)},
    {"rat_type", GTPC_HAS_RAT_TYPE, OCTET, offsetof(struct gtpc, rat_type)},
    {"charging", GTPC_HAS_CHARGING, PAIR, offsetof(struct gtpc, charging)},
    {"teid_data", GTPC_HAS_TEID_DATA, TEID, offsetof(struct gtpc, teid_data)},
    {"teid_control", GTPC_HAS_TEID_CONTROL, TEID, offsetof(struct gtpc, teid_control)},
    {"charging_id", GTPC_HAS_CHARGING_ID, TEID, offsetof(struct gtpc, charging_id)},
    {NULL, 0, OCTET, 0},
};

/* --- decoding --- */

static void push_numbers(lua_State *L, const struct gtpc *message)
{
    for (const struct field *field = fields; field->name; field++) {
        const char *at = (const char *)message + field->offset;
        if (!(message->has & field->has))
            continue;
        if (field->kind == TEID) {
            uint32_t teid;
            memcpy(&teid, at, sizeof(teid));
            lua_pushinteger(L, teid);
        } else {
            lua_pushinteger(L, *(const uint8_t *)at);
        }
        lua_setfield(L, -2, field->name);
    }
}

static void push_address(lua_State *L, const char *name, const struct gtpc_address *address)
{
    char text[INET6_ADDRSTRLEN];
    if (address->octets == 0)
        return;
    inet_ntop(address->octets == 4 ? AF_INET : AF_INET6, address->bytes, text, sizeof(text));
    lua_pushstring(L, text);
    lua_setfield(L, -2, name);
}

static void push_qos(lua_State *L, const struct gtpc *message)
{
    struct qos qos;
    if (!(message->has & GTPC_HAS_QOS))
        return;
    lua_pushinteger(L, message->arp);
    lua_setfield(L, -2, "arp");
    lua_pushlstring(L, (const char *)message->qos, message->qos_octets);
    lua_setfield(L, -2, "qos");
    if (qos_decode(&qos, message->qos, message->qos_octets) < 0)
        return;
    lua_pushstring(L, n_pdu_qclass_name(qos_qclass(&qos)));
    lua_setfield(L, -2, "class");
}

static void push_options(lua_State *L, const struct gtpc *message)
{
    if (message->has & GTPC_HAS_PCO) {
        lua_pushlstring(L, (const char *)message->pco, message->pco_octets);
        lua_setfield(L, -2, "pco");
    }
    if (message->has & GTPC_HAS_TFT) {
        lua_pushlstring(L, (const char *)message->tft, message->tft_octets);
        lua_setfield(L, -2, "tft");
    }
}

static void push_texts(lua_State *L, const struct gtpc *message)
{
    if (message->has & GTPC_HAS_IMSI) {
        lua_pushstring(L, message->imsi);
        lua_setfield(L, -2, "imsi");
    }
    if (message->has & GTPC_HAS_TEARDOWN) {
        lua_pushboolean(L, message->teardown);
        lua_setfield(L, -2, "teardown");
    }
    if (message->has & GTPC_HAS_END_USER) {
        lua_pushstring(L, lua_gtpc_wire_text_of(pdp_types, message->pdp_type));
        lua_setfield(L, -2, "pdp_type");
    }
}

static void push_head(lua_State *L, const struct gtpc *message)
{
    lua_createtable(L, 0, 16);
    lua_pushstring(L, lua_gtpc_wire_text_of(types, message->type));
    lua_setfield(L, -2, "type");
    lua_pushinteger(L, message->teid);
    lua_setfield(L, -2, "teid");
    lua_pushinteger(L, message->seq);
    lua_setfield(L, -2, "seq");
}

/* nil, error, and for one in the elements what answers it: type, TEID, number, `fault` (a cause). */
static int refuse(lua_State *L, int err, const struct gtpc *message)
{
    lua_pushnil(L);
    lua_pushstring(L, err == ERR_TRUNCATED     ? "truncated"
                      : err == ERR_UNSUPPORTED ? "unsupported"
                                               : "malformed");
    if (message->fault == 0)
        return 2;
    push_head(L, message);
    lua_pushinteger(L, message->fault);
    lua_setfield(L, -2, "fault");
    return 3;
}

static int decode(lua_State *L)
{
    struct gtpc message;
    size_t len;
    const uint8_t *bytes = (const uint8_t *)luaL_checklstring(L, 1, &len);
    int n = gtpc_decode(&message, bytes, len);
    if (n < 0)
        return refuse(L, n, &message);
    push_head(L, &message);
    push_numbers(L, &message);
    push_texts(L, &message);
    push_address(L, "control", &message.control);
    push_address(L, "control_other", &message.control_other);
    push_address(L, "user", &message.user);
    push_address(L, "user_ipv4", &message.user_ipv4);
    push_address(L, "user_ipv6", &message.user_ipv6);
    push_qos(L, &message);
    push_options(L, &message);
    return 1;
}

/* --- encoding: the message is the first argument --- */

static lua_Integer lua_gtpc_wire_number_of(lua_State *L, const char *name, lua_Integer most)
{
    lua_getfield(L, 1, name);
    lua_Integer value = luaL_optinteger(L, -1, 0);
    if (value < 0 || value > most)
        luaL_error(L, "field '%s': must be 0 .. %I", name, (LUAI_UACINT)most);
    lua_pop(L, 1);
    return value;
}

/* A text, which the message keeps alive; NULL: it is not there. */
static const char *text_field(lua_State *L, const char *name)
{
    lua_getfield(L, 1, name);
    const char *text = luaL_optstring(L, -1, NULL);
    lua_pop(L, 1);
    return text;
}

static uint8_t word_of(lua_State *L, const struct word *words, const char *name, const char *text)
{
    while (words->text && strcmp(words->text, text) != 0)
        words++;
    if (!words->text)
        luaL_error(L, "field '%s': unknown word '%s'", name, text);
    return (uint8_t)words->number;
}

static bool pull_address(lua_State *L, const char *name, struct gtpc_address *out)
{
    const char *text = text_field(L, name);
    if (!text)
        return false;
    if (inet_pton(AF_INET, text, out->bytes) == 1)
        out->octets = 4;
    else if (inet_pton(AF_INET6, text, out->bytes) == 1)
        out->octets = 16;
    else
        luaL_error(L, "field '%s': '%s' is not an IP address", name, text);
    return true;
}

/* The identity of the mobile's cell in eight octets; the message names the routeing area, too. */
static void pull_cell(lua_State *L, struct gtpc *out)
{
    size_t octets = 0;
    lua_getfield(L, 1, "cell");
    const char *cell = luaL_optlstring(L, -1, NULL, &octets);
    lua_pop(L, 1);
    if (!cell)
        return;
    if (identity_area_decode(&out->area, (const uint8_t *)cell, octets, AREA_CELL) != AREA_CELL)
        luaL_error(L, "field 'cell': must be a Cell Identifier of %d octets", AREA_CELL);
    out->has |= GTPC_HAS_CELL | GTPC_HAS_RAI;
}

/* Quarters of an hour, times 4, and hours of daylight saving time. */
static void pull_zone(lua_State *L, struct gtpc *out)
{
    if (lua_getfield(L, 1, "zone") != LUA_TNIL) {
        lua_Integer zone = luaL_checkinteger(L, -1);
        if (zone < -4 * GTPC_QUARTERS_MAX || zone > 4 * GTPC_QUARTERS_MAX)
            luaL_error(L, "field 'zone': must be -%d .. %d", 4 * GTPC_QUARTERS_MAX, 4 * GTPC_QUARTERS_MAX);
        out->daylight = (uint8_t)(zone & 3);
        out->quarters = (int8_t)((zone - out->daylight) / 4);
        out->has |= GTPC_HAS_TIME_ZONE;
    }
    lua_pop(L, 1);
}

static void pull_numbers(lua_State *L, struct gtpc *out)
{
    for (const struct field *field = fields; field->name; field++) {
        char *at = (char *)out + field->offset;
        bool is_there = lua_getfield(L, 1, field->name) != LUA_TNIL;
        lua_pop(L, 1);
        if (!is_there)
            continue;
        out->has |= field->has;
        if (field->kind == TEID) {
            uint32_t teid = (uint32_t)lua_gtpc_wire_number_of(L, field->name, UINT32_MAX);
            memcpy(at, &teid, sizeof(teid));
        } else if (field->kind == PAIR) {
            uint16_t pair = (uint16_t)lua_gtpc_wire_number_of(L, field->name, UINT16_MAX);
            memcpy(at, &pair, sizeof(pair));
        } else {
            *(uint8_t *)at = (uint8_t)lua_gtpc_wire_number_of(L, field->name, UINT8_MAX);
        }
    }
}

static void pull_texts(lua_State *L, struct gtpc *out)
{
    const char *imsi = text_field(L, "imsi"), *pdp_type = text_field(L, "pdp_type");
    out->apn = text_field(L, "apn");
    out->msisdn = text_field(L, "msisdn");
    out->imeisv = text_field(L, "imeisv");
    out->has |= (out->apn ? GTPC_HAS_APN : 0u) | (out->msisdn ? GTPC_HAS_MSISDN : 0u) |
                (out->imeisv ? GTPC_HAS_IMEISV : 0u);
    if (imsi) {
        if (strlen(imsi) >= sizeof(out->imsi))
            luaL_error(L, "field 'imsi': at most 15 digits");
        memcpy(out->imsi, imsi, strlen(imsi) + 1);
        out->has |= GTPC_HAS_IMSI;
    }
    if (pdp_type) {
        out->pdp_type = word_of(L, pdp_types, "pdp_type", pdp_type);
        out->has |= GTPC_HAS_END_USER;
    }
    if (lua_getfield(L, 1, "teardown") != LUA_TNIL) {
        out->teardown = (uint8_t)lua_toboolean(L, -1);
        out->has |= GTPC_HAS_TEARDOWN;
    }
    lua_pop(L, 1);
}

static void pull_addresses(lua_State *L, struct gtpc *out)
{
    if (pull_address(L, "control", &out->control))
        out->has |= GTPC_HAS_CONTROL_ADDRESS;
    if (pull_address(L, "user", &out->user))
        out->has |= GTPC_HAS_USER_ADDRESS;
    if (pull_address(L, "control_other", &out->control_other))
        out->has |= GTPC_HAS_CONTROL_OTHER;
    pull_address(L, "user_ipv4", &out->user_ipv4);
    pull_address(L, "user_ipv6", &out->user_ipv6);
}

static void pull_qos(lua_State *L, struct gtpc *out)
{
    size_t octets;
    if (lua_getfield(L, 1, "qos") != LUA_TNIL) {
        out->qos = (const uint8_t *)luaL_checklstring(L, -1, &octets);
        if (octets > UINT8_MAX)
            luaL_error(L, "field 'qos': at most 255 octets");
        out->qos_octets = (uint16_t)octets;
        out->arp = (uint8_t)lua_gtpc_wire_number_of(L, "arp", UINT8_MAX);
        out->has |= GTPC_HAS_QOS;
    }
    lua_pop(L, 1); /* the message keeps it alive */
}

/* Octets of a field, which the message keeps alive; NULL: it has none. */
static const uint8_t *pull_octets(lua_State *L, const char *name, uint8_t *count)
{
    size_t octets = 0;
    const char *bytes = NULL;
    if (lua_getfield(L, 1, name) != LUA_TNIL)
        bytes = luaL_checklstring(L, -1, &octets);
    if (octets > UINT8_MAX)
        luaL_error(L, "field '%s': at most 255 octets", name);
    *count = (uint8_t)octets;
    lua_pop(L, 1);
    return (const uint8_t *)bytes;
}

static void pull_options(lua_State *L, struct gtpc *out)
{
    out->pco = pull_octets(L, "pco", &out->pco_octets);
    out->tft = pull_octets(L, "tft", &out->tft_octets);
    out->has |= (out->pco ? GTPC_HAS_PCO : 0u) | (out->tft ? GTPC_HAS_TFT : 0u);
}

static int encode(lua_State *L)
{
    uint8_t bytes[GTPC_MAX_OCTETS];
    luaL_checktype(L, 1, LUA_TTABLE);
    const char *type = text_field(L, "type");
    struct gtpc message = {.type = word_of(L, types, "type", type ? type : ""),
                           .teid = (uint32_t)lua_gtpc_wire_number_of(L, "teid", UINT32_MAX),
                           .seq = (uint16_t)lua_gtpc_wire_number_of(L, "seq", UINT16_MAX)};
    pull_numbers(L, &message);
    pull_texts(L, &message);
    pull_addresses(L, &message);
    pull_qos(L, &message);
    pull_options(L, &message);
    pull_cell(L, &message);
    pull_zone(L, &message);
    int n = gtpc_encode(bytes, sizeof(bytes), &message);
    if (n < 0)
        return luaL_error(L, "%s: an element is missing, or is not allowed in this message", type);
    lua_pushlstring(L, (const char *)bytes, (size_t)n);
    return 1;
}

int luaopen_gbflow_gtpc(lua_State *L)
{
    static const luaL_Reg functions[] = {{"decode", decode}, {"encode", encode}, {NULL, NULL}};
    luaL_newlib(L, functions);
    return 1;
}
