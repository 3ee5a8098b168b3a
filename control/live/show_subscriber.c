/* SPDX-License-Identifier: BSD-3-Clause */
/* One subscriber of `gbflow show subscriber`: what control, Lua and its worker have of it. No key is in it.
 */
#include "control/live/tables.h"

#include "control/base/utf8.h"
#include "control/live/live.h"
#include "control/report/field.h"
#include "control/sessions/sessions.h"
#include "dataplane/base/n_pdu.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEX_CHARS  9
#define HEX_DIGITS 8
#define LOCAL_TLLI 0xc0000000 /* on top of a P-TMSI (TS 23.003 clause 2.6) */
#define WHAT_CHARS 200
#define KEY_CHARS  61

/* --- which one is meant --- */

/* Of a TLLI or P-TMSI; a P-TMSI is that of the local TLLI, or one that was offered. */
static uint32_t find_by_tlli(const struct live *live, uint32_t number)
{
    const struct core *core = &live->node.core;
    uint32_t slot = mobility_find(&core->mobility, number);
    if (slot == MOBILITY_NONE)
        slot = mobility_find(&core->mobility, number | LOCAL_TLLI);
    if (slot == MOBILITY_NONE)
        slot = (uint32_t)core_ask(core, phones_mobile_of_p_tmsi, MOBILITY_NONE, LUA_ARG(number | LOCAL_TLLI));
    return slot == MOBILITY_NONE ? SESSIONS_NONE : slot;
}

static uint64_t half_of(const uint8_t *octets)
{
    uint64_t half = 0;
    for (int i = 0; i < 8; i++)
        half = half << 8 | octets[i];
    return half;
}

/* Of a mobile's address, that of its first context. */
static uint32_t find_by_address(const struct sessions *s, const char *key)
{
    uint8_t v6[16] = {0};
    struct in_addr v4 = {0};
    bool is_v4 = inet_pton(AF_INET, key, &v4) == 1, is_v6 = inet_pton(AF_INET6, key, v6) == 1;
    for (uint32_t i = 0; (is_v4 || is_v6) && i < s->count; i++) {
        const struct session *session = &s->list[i];
        bool is_it = is_v4 ? session->address == ntohl(v4.s_addr) : session->prefix == half_of(v6);
        if (session->is_active && is_it && (is_v4 || session->prefix != 0))
            return session->mobile;
    }
    return SESSIONS_NONE;
}

/* By IMSI, TLLI, P-TMSI or address. */
static uint32_t find(const struct live *live, const char *key)
{
    const struct sessions *s = &live->node.sessions;
    const char *digits = strncmp(key, "0x", 2) == 0 ? key + 2 : key;
    bool is_hex = strlen(digits) == HEX_DIGITS && digits[strspn(digits, "0123456789abcdefABCDEF")] == '\0';
    uint32_t slot = key[strspn(key, "0123456789")] == '\0' ? sessions_find_mobile(s, key) : SESSIONS_NONE;
    if (slot == SESSIONS_NONE && is_hex)
        slot = find_by_tlli(live, (uint32_t)strtoul(digits, NULL, 16));
    if (slot == SESSIONS_NONE)
        slot = find_by_address(s, key);
    return slot != SESSIONS_NONE && s->mobiles[slot].in_use ? slot : SESSIONS_NONE;
}

/* --- sections --- */

/* The object of a section, or of an item of its list, made if it is new. */
static json_t *section_of(json_t *root, const char *section, uint32_t item)
{
    json_t *at = json_object_get(root, section);
    if (!at) {
        at = item > 0 ? json_array() : json_object();
        json_object_set_new(root, section, at);
    }
    while (item > json_array_size(at))
        json_array_append_new(at, json_object());
    return item > 0 ? json_array_get(at, item - 1) : at;
}

/* One value of what is known of a phone (lua/gmm/detail.lua). */
struct detail {
    const char *section, *name, *text; /* text NULL: a number or a truth */
    uint32_t item;                     /* in the list of the section; 0: the section is no list */
    double number;
    bool truth, is_truth, is_whole; /* is_whole: of the number */
};

static const struct lua_field detail_fields[] = {
    LUA_FIELD_AS(TEXT, struct detail, section, "section"),
    LUA_FIELD_AS(TEXT, struct detail, name, "name"),
    LUA_FIELD_OF(struct detail, item, "item"),
    LUA_FIELD_AS(TEXT, struct detail, text, "value"),
    LUA_FIELD_OF(struct detail, number, "value"),
    LUA_FIELD_OF(struct detail, truth, "value"),
    LUA_FIELD_WORDS(IS_WORD, struct detail, is_truth, "kind", "boolean"),
    LUA_FIELD_WORDS(IS_WORD, struct detail, is_whole, "kind", "integer"),
    {0}};

static void put_detail(void *root, const void *row)
{
    const struct detail *detail = row;
    json_t *value = detail->text       ? json_string(detail->text)
                    : detail->is_truth ? json_boolean(detail->truth)
                    : detail->is_whole ? json_integer((json_int_t)detail->number)
                                       : json_real(detail->number);
    json_object_set_new(section_of(root, detail->section, detail->item), detail->name, value);
}

static void put_details(json_t *root, const struct live *live, uint32_t slot)
{
    struct detail detail = {0};
    core_each(&live->node.core, phones_detail,
              &((struct lua_list){NULL, detail_fields, &detail, sizeof(detail), put_detail, root}),
              LUA_ARG(slot));
}

static void put_hex(json_t *object, const char *name, uint32_t number)
{
    char text[HEX_CHARS];
    snprintf(text, sizeof(text), "%08x", number);
    json_object_set_new(object, name, json_string(text));
}

/* Values of the rows of a table; a value that is not known is left out. */
static void put_fields(json_t *object, const struct field *fields, const void *record)
{
    for (const struct field *field = fields; field->name; field++) {
        struct field_value value = field_value_of(field, record);
        if (value.is == FIELD_IS_COUNT)
            json_object_set_new(object, field->name, json_integer((json_int_t)value.count));
        else if (value.is == FIELD_IS_NUMBER)
            json_object_set_new(object, field->name, json_real(value.number));
        else if (value.is == FIELD_IS_TEXT && value.text[0])
            json_object_set_new(object, field->name, json_string(value.text));
    }
}

static void put_queue(json_t *root, const struct live *live, uint32_t slot)
{
    struct show_state state;
    uint64_t sent, dropped;
    json_t *queue = section_of(root, "queue", 0);
    show_state_ms(&state, live, slot, &sent, &dropped);
    put_fields(queue, show_state_queue, &state);
    put_fields(queue, show_state_bucket, &state);
    if (sent != FIELD_NONE) {
        field_json_put_count(queue, "sent_npdus", sent);
        field_json_put_count(queue, "dropped_npdus", dropped);
    }
    put_fields(queue, show_state_second, &state);
}

/* The item of a context in the list of sections; a new one: Lua does not have it. */
static json_t *context_of(json_t *root, uint8_t nsapi)
{
    json_t *contexts = json_object_get(root, "contexts"), *context;
    size_t at;
    json_array_foreach(contexts, at, context) if (json_integer_value(json_object_get(context, "nsapi")) ==
                                                  nsapi) return context;
    context = section_of(root, "contexts", (uint32_t)json_array_size(contexts) + 1);
    json_object_set_new(context, "nsapi", json_integer(nsapi));
    return context;
}

static void put_address(json_t *object, const struct live *live, const char *name, uint32_t address)
{
    char text[ADDRESS_BOOK_TEXT_CHARS];
    address_book_text(&live->node.core.addresses, address, text);
    json_object_set_new(object, name, json_string(text));
}

static void put_tunnel(json_t *root, const struct live *live, const struct session *session)
{
    json_t *context = context_of(root, session->nsapi);
    char address[INET_ADDRSTRLEN];
    field_ip(session->address, address);
    if (session->address != 0)
        json_object_set_new(context, "ipv4", json_string(address));
    json_object_set_new(context, "class", json_string(n_pdu_qclass_name(session->qclass)));
    put_hex(context, "teid", session->teid);
    put_address(context, live, "sgsn_address", session->sgsn_ip);
    put_hex(context, "ggsn_teid", session->ggsn_teid);
    put_address(context, live, "ggsn_address", session->ggsn_ip);
}

static void put_tunnels(json_t *root, const struct live *live, uint32_t slot)
{
    const struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && s->list[i].mobile == slot)
            put_tunnel(root, live, &s->list[i]);
}

LUA_ROWS_STRUCT(gb_ms);

/* Its place and state at the Gb control plane. */
static void put_gb(json_t *root, const struct live *live, uint32_t slot)
{
    struct gb_ms ms = {.state = "unknown"};
    json_t *gb = section_of(root, "gb", 0);
    bool is_there = core_read(&live->node.core, gb_ms_state, gb_ms_of_lua, &ms, LUA_ARG(slot));
    json_object_set_new(gb, "state", json_string(ms.state));
    if (!is_there)
        return;
    put_hex(gb, "tlli", mobility_tlli(&live->node.core.mobility, slot));
    field_json_put_count(gb, "nsei", ms.nsei);
    field_json_put_count(gb, "bvci", ms.bvci);
    field_json_put_count(gb, "moves_left", ms.moves);
}

static json_t *refusal_of(const char *key)
{
    char text[WHAT_CHARS], word[KEY_CHARS];
    utf8_copy(word, sizeof(word), key);
    snprintf(
        text, sizeof(text),
        "%s: no subscriber has this IMSI, TLLI, P-TMSI or address; `gbflow show subscribers` and `gbflow "
        "show ms` list them",
        word);
    return json_pack("{s:s}", "error", text);
}

json_t *show_subscriber_tell(void *record, const char *parameters)
{
    const struct live *live = record;
    const char *key = parameters ? parameters : "";
    uint32_t slot = find(live, key);
    if (slot == SESSIONS_NONE)
        return refusal_of(key);
    const struct sessions_mobile *mobile = &live->node.sessions.mobiles[slot];
    json_t *root = json_object();
    if (mobile->imsi[0])
        json_object_set_new(section_of(root, "identity", 0), "imsi", json_string(mobile->imsi));
    if (mobile->is_phone)
        put_details(root, live, slot);
    put_gb(root, live, slot);
    put_queue(root, live, slot);
    put_tunnels(root, live, slot);
    return root;
}
