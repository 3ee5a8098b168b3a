/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/phones.h"

#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "sim/ms_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_frame(struct emulate_phones *phones, const struct emulate_phone *phone, uint32_t tlli,
                      const uint8_t *frame, size_t octets)
{
    struct emulate_phones_waiting *waiting =
        lua_table_append(&phones->waiting, &phones->waiting_count, sizeof(*waiting));
    waiting->bvci = phone->bvci;
    waiting->tlli = tlli;
    waiting->octets = (uint16_t)octets;
    memcpy(waiting->frame, frame, octets);
}

static const uint8_t *phones_octets_of(lua_State *L, const char *key, size_t *count)
{
    *count = 0;
    lua_getfield(L, -1, key);
    const uint8_t *octets = lua_isstring(L, -1) ? (const uint8_t *)lua_tolstring(L, -1, count) : NULL;
    lua_pop(L, 1); /* the intent still holds it */
    return octets;
}

static void obey_send(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint8_t frame[EMULATE_LLC_FRAME_OCTETS];
    size_t count;
    const uint8_t *octets = phones_octets_of(phones->L, "octets", &count);
    size_t length =
        emulate_llc_wrap(&phone->stack, lua_table_boolean(phones->L, "ciphered"), octets, count, frame);
    if (length)
        put_frame(phones, phone, (uint32_t)lua_table_integer(phones->L, "tlli"), frame, length);
}

static void obey_cipher(struct emulate_phones *phones, struct emulate_phone *phone)
{
    size_t count;
    const uint8_t *kc = phones_octets_of(phones->L, "key", &count);
    uint8_t algorithm = (uint8_t)lua_table_integer(phones->L, "algorithm");
    emulate_llc_key(&phone->stack, algorithm, kc, count);
    emulate_llc_key(&phone->user.stack, algorithm, kc, count);
}

/* With an attach the phone's LLC restarts (TS 44.064 clause 7.2.1.1); other TLLIs leave it as it is. */
static void obey_tlli(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint32_t tlli = (uint32_t)lua_table_integer(phones->L, "tlli");
    phone->former = phone->tlli;
    phone->tlli = tlli;
    if (!lua_table_boolean(phones->L, "restarts"))
        return;
    ms_stack_reset(&phone->user.stack, phones->now);
    phone->stack.llc = (struct llc_entity){0};
}

/* An SGSN has told the phone to reset its LLC under its newest TLLI. Frames under an earlier one, for which
 * the radio has a queue of its own, may come later. They are of another SGSN: taken for one of now, the N(U)
 * of such a frame would spoil the count that deciphers those that follow. */
static void keep_newest(struct emulate_phone *phone)
{
    phone->former = 0;
    phone->given = 0;
}

static uint32_t phones_number_of(const struct emulate_phones *phones, const struct emulate_phone *phone)
{
    return (uint32_t)(phone - phones->list);
}

static void obey_up(struct emulate_phones *phones, struct emulate_phone *phone)
{
    char text[64];
    const struct emulate_user_context context = {
        .address = lua_table_address(phones->L, "address"),
        .nsapi = (uint8_t)lua_table_integer(phones->L, "nsapi"),
        .sapi = (uint8_t)lua_table_integer(phones->L, "sapi"),
        .has_link = lua_table_boolean(phones->L, "acknowledged"),
    };
    emulate_user_up(&phones->host, &phone->user, phones_number_of(phones, phone), &context, phones->now);
    phones->up_count += !phone->is_up;
    phone->is_up = true;
    if (phones->up_count != phones->count)
        return;
    snprintf(text, sizeof(text), "all %u phones have a context", phones->count);
    log_line(phones->log, "phones", "info", text, phones->now);
}

static void obey_down(struct emulate_phones *phones, struct emulate_phone *phone)
{
    emulate_user_down(&phones->host, &phone->user, phones_number_of(phones, phone));
    phones->up_count -= phone->is_up;
    phone->is_up = false;
}

static void obey_cell(struct emulate_phones *phones, struct emulate_phone *phone)
{
    uint16_t from = phone->bvci;
    uint32_t cell = (uint32_t)lua_table_integer(phones->L, "cell") - 1;
    if (cell >= phones->cell_count || !phones->air)
        return;
    phone->bvci = phones->bvcis[cell];
    phones->air->move(phones->air->arg, phone->tlli, from, phone->bvci);
}

static void obey_data(struct emulate_phones *phones, struct emulate_phone *phone)
{
    phone->is_held = !lua_table_boolean(phones->L, "is_open");
}

/* N-PDUs that the SGSN has received. */
static void obey_received(struct emulate_phones *phones, struct emulate_phone *phone)
{
    if (phone->user.stack.link)
        ms_link_confirm(phone->user.stack.link, (uint8_t)lua_table_integer(phones->L, "n_pdu"));
}

static void obey_suspend(struct emulate_phones *phones, struct emulate_phone *phone)
{
    if (!phones->air)
        return;
    phone->is_suspended = true;
    phone->has_reference = false;
    phones->air->suspend(phones->air->arg, phone->tlli, phone->bvci);
}

static void obey_resume(struct emulate_phones *phones, struct emulate_phone *phone)
{
    if (!phones->air)
        return;
    phone->is_suspended = false;
    phones->air->resume(phones->air->arg, phone->tlli, phone->bvci,
                        phone->has_reference ? &phone->reference : NULL);
}

static void obey_done(struct emulate_phones *phones, struct emulate_phone *phone)
{
    char text[64];
    phones->done_count++;
    if (phones->done_count != phones->count)
        return;
    snprintf(text, sizeof(text), "all %u phones have played their script", phones->count);
    log_line(phones->log, "phones", "info", text, phones->now);
}

static const struct {
    const char *what;
    void (*obey)(struct emulate_phones *phones, struct emulate_phone *phone);
} orders[] = {
    {"send", obey_send},       {"cipher", obey_cipher}, {"tlli", obey_tlli},         {"up", obey_up},
    {"down", obey_down},       {"cell", obey_cell},     {"data", obey_data},         {"done", obey_done},
    {"suspend", obey_suspend}, {"resume", obey_resume}, {"received", obey_received},
};

static void obey(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_phones *phones = arg;
    char what[12];
    lua_table_text(L, "what", what, sizeof(what));
    uint32_t number = (uint32_t)lua_table_integer(L, "phone") - 1;
    for (size_t i = 0; number < phones->count && i < sizeof(orders) / sizeof(orders[0]); i++)
        if (!strcmp(what, orders[i].what))
            orders[i].obey(phones, &phones->list[number]);
}

/* lua_table_each() takes the list as a field. */
static void obey_all(struct emulate_phones *phones)
{
    lua_State *L = phones->L;
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_setfield(L, -2, "intents");
    lua_table_each(L, "intents", obey, phones, 0);
    lua_pop(L, 1);
}

/* --- set-up --- */

static void make_object(struct emulate_phones *phones)
{
    lua_State *L = phones->L;
    lua_host_require(L, "phone.phones");
    lua_getfield(L, -1, "new_live");
    lua_pushvalue(L, -3);
    lua_host_require(L, "wire.phone");
    lua_pushcfunction(L, lua_host_random);
    lua_host_call(L, 3, 1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, phones);
    lua_pop(L, 1);
}

static const struct emulate_config_device *phones_device_of(const struct emulate_config *config)
{
    for (uint32_t i = 0; i < config->device_count; i++)
        if (config->devices[i].is_of_phones)
            return &config->devices[i];
    return NULL;
}

struct emulate_phones *emulate_phones_new(lua_State *L, const struct emulate_config *config)
{
    if (!lua_table_enter(L, "phones"))
        return NULL;
    uint32_t count = (uint32_t)lua_table_integer(L, "count");
    lua_pop(L, 1);
    struct emulate_phones *phones = calloc(1, sizeof(*phones));
    struct emulate_phone *list = calloc(count, sizeof(*list));
    uint16_t *bvcis = calloc(config->cell_count, sizeof(*bvcis));
    if (!phones || !list || !bvcis) {
        fprintf(stderr, "gbflow: out of memory for %u phones\n", count);
        exit(1);
    }
    *phones = (struct emulate_phones){
        .L = L, .count = count, .list = list, .bvcis = bvcis, .cell_count = config->cell_count};
    for (uint32_t i = 0; i < config->cell_count; i++)
        bvcis[i] = config->air.cells[i].bvci;
    for (uint32_t i = 0; i < count; i++) {
        list[i].bvci = bvcis[i % config->cell_count];
        list[i].stack = (struct ms_stack){.sapi = LLC_SAPI_GMM, .gea = gea_init(NULL, NULL)};
        emulate_user_init(&list[i].user);
    }
    emulate_users_init(&phones->host, phones_device_of(config), config, count);
    make_object(phones);
    return phones;
}

void emulate_phones_free(struct emulate_phones *phones)
{
    if (!phones)
        return;
    lua_host_free(phones->L);
    for (uint32_t i = 0; i < phones->count; i++)
        ms_stack_fini(&phones->list[i].user.stack);
    emulate_users_free(&phones->host);
    free(phones->waiting);
    free(phones->bvcis);
    free(phones->list);
    free(phones);
}

/* --- calls: method and object are pushed, then the arguments --- */

static void push(struct emulate_phones *phones, const char *method)
{
    lua_rawgetp(phones->L, LUA_REGISTRYINDEX, phones);
    lua_getfield(phones->L, -1, method);
    lua_insert(phones->L, -2);
}

static void call(struct emulate_phones *phones, int arguments, int64_t now)
{
    lua_State *L = phones->L;
    phones->now = now;
    lua_pushinteger(L, now);
    lua_host_call(L, arguments + 2, 1);
    obey_all(phones);
}

void emulate_phones_start(struct emulate_phones *phones, struct log *log, int64_t now)
{
    if (phones->has_started)
        return;
    phones->log = log;
    phones->has_started = true;
    push(phones, "start");
    call(phones, 0, now);
}

bool emulate_phones_switch(struct emulate_phones *phones, uint32_t number, bool is_on, int64_t now)
{
    if (!phones || number < 1 || number > phones->count)
        return false;
    push(phones, "order");
    lua_pushinteger(phones->L, number);
    lua_pushstring(phones->L, is_on ? "attach" : "power_off");
    call(phones, 2, now);
    return true;
}

/* The N-PDU number that RAU COMPLETE may have to say. */
static void tell_expected(struct emulate_phones *phones, uint32_t i, int64_t now)
{
    const struct ms_link *link = phones->list[i].user.stack.link;
    if (!link)
        return;
    push(phones, "expects");
    lua_pushinteger(phones->L, i + 1);
    lua_pushinteger(phones->L, ms_link_expected(link));
    call(phones, 2, now);
}

static void give(struct emulate_phones *phones, uint32_t i, const struct emulate_llc_message *message,
                 int64_t now)
{
    tell_expected(phones, i, now);
    push(phones, "frame");
    lua_pushinteger(phones->L, i + 1);
    lua_pushboolean(phones->L, message->is_ciphered);
    lua_pushlstring(phones->L, (const char *)message->octets, message->count);
    call(phones, 3, now);
}

static struct ms_stack *stack_of(struct emulate_phone *phone, const uint8_t *llc_pdu, size_t octets)
{
    bool is_user = octets > 0 && phone->user.address != 0 && (llc_pdu[0] & 15) == phone->user.stack.sapi;
    return is_user ? &phone->user.stack : &phone->stack;
}

static void take(struct emulate_phones *phones, uint32_t i, uint32_t tlli, const uint8_t *llc_pdu,
                 size_t octets, int64_t now)
{
    struct emulate_phone *phone = &phones->list[i];
    struct emulate_llc_message message;
    uint8_t answer[EMULATE_LLC_ANSWER_OCTETS];
    size_t answer_octets;
    struct ms_stack *stack = stack_of(phone, llc_pdu, octets);
    if (stack == &phone->stack && emulate_llc_obey_beside(&phone->user.stack, llc_pdu, octets, now) &&
        tlli == phone->tlli)
        keep_newest(phone);
    if (emulate_llc_take(stack, llc_pdu, octets, answer, &answer_octets, now) ||
        emulate_llc_refuse(stack, llc_pdu, octets, answer, &answer_octets))
        put_frame(phones, phone, tlli, answer, answer_octets);
    else if (emulate_user_take(&phones->host, &phone->user, llc_pdu, octets, now))
        return;
    else if (emulate_llc_unwrap(&phone->stack, llc_pdu, octets, &message))
        give(phones, i, &message, now);
    else if (octets > 0 && (llc_pdu[0] & 15) != LLC_SAPI_GMM)
        phones->other_frames++;
    else
        phones->bad_frames++;
}

/* Index of the phone with a TLLI; phones->count: none. */
static uint32_t find_phone(const struct emulate_phones *phones, uint32_t tlli)
{
    uint32_t i = tlli ? 0 : phones->count;
    while (i < phones->count && phones->list[i].tlli != tlli && phones->list[i].former != tlli &&
           phones->list[i].given != tlli)
        i++;
    return i;
}

void emulate_phones_rename(struct emulate_phones *phones, uint32_t tlli, uint32_t tlli_old)
{
    uint32_t i = find_phone(phones, tlli_old);
    if (i < phones->count)
        phones->list[i].given = tlli;
}

bool emulate_phones_take(struct emulate_phones *phones, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now)
{
    uint32_t i = find_phone(phones, tlli);
    if (i < phones->count)
        take(phones, i, tlli, llc_pdu, octets, now);
    return i < phones->count;
}

/* --- what the SGSN tells the BSS --- */

void emulate_phones_page(struct emulate_phones *phones, const struct bss_page *page, int64_t now)
{
    for (uint32_t i = 0; i < phones->count; i++) {
        if (phones->list[i].bvci != page->bvci || phones->list[i].is_suspended)
            continue;
        push(phones, "page");
        lua_pushinteger(phones->L, i + 1);
        lua_pushinteger(phones->L, page->has_tmsi ? page->tmsi : 0);
        lua_pushlstring(phones->L, (const char *)page->imsi, page->imsi_octets);
        call(phones, 3, now);
    }
}

void emulate_phones_suspended(struct emulate_phones *phones, uint32_t tlli, uint8_t reference, int64_t now)
{
    uint32_t i = find_phone(phones, tlli);
    if (i == phones->count)
        return;
    phones->list[i].has_reference = true;
    phones->list[i].reference = reference;
    push(phones, "suspended");
    lua_pushinteger(phones->L, i + 1);
    call(phones, 1, now);
}

void emulate_phones_resumed(struct emulate_phones *phones, uint32_t tlli, bool has_resumed, int64_t now)
{
    uint32_t i = find_phone(phones, tlli);
    if (i == phones->count)
        return;
    push(phones, "resumed");
    lua_pushinteger(phones->L, i + 1);
    lua_pushboolean(phones->L, has_resumed);
    call(phones, 2, now);
}

static int64_t next_at(struct emulate_phones *phones)
{
    push(phones, "next_at");
    lua_host_call(phones->L, 1, 1);
    int64_t next_ns = lua_isinteger(phones->L, -1) ? lua_tointeger(phones->L, -1) : MOMENT_NEVER;
    lua_pop(phones->L, 1);
    return next_ns;
}

struct route {
    const struct emulate_phones_air *air;
    const struct emulate_phone *phone;
};

static void send_up(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    const struct route *route = arg;
    route->air->send(route->air->arg, route->phone->bvci, route->phone->tlli, llc_pdu, octets);
}

static bool may_send(const struct emulate_phone *phone, const struct emulate_phones_air *air)
{
    return !phone->is_held && !phone->is_suspended && air->is_up(air->arg, phone->bvci);
}

/* Links of stacks; returns the next deadline, `now` if one was due. */
static int64_t step_links(struct emulate_phones *phones, const struct emulate_phones_air *air, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (uint32_t i = 0; i < phones->count; i++) {
        struct emulate_phone *phone = &phones->list[i];
        struct route route = {air, phone};
        int64_t due_ns = ms_stack_due_ns(&phone->user.stack);
        if (due_ns == MOMENT_NEVER || !may_send(phone, air))
            continue;
        if (due_ns <= now)
            ms_stack_step(&phone->user.stack, send_up, &route, now);
        next_ns = moment_min(next_ns, moment_max(due_ns, now));
    }
    return next_ns;
}

int64_t emulate_phones_step(struct emulate_phones *phones, const struct emulate_phones_air *air, int64_t now)
{
    phones->air = air;
    if (next_at(phones) <= now) {
        push(phones, "advance");
        call(phones, 0, now);
    }
    phones->air = NULL;
    uint32_t count = phones->waiting_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct emulate_phones_waiting *waiting = &phones->waiting[i];
        air->send(air->arg, waiting->bvci, waiting->tlli, waiting->frame, waiting->octets);
    }
    phones->waiting_count = 0;
    free(phones->waiting);
    phones->waiting = NULL;
    int64_t links_ns = step_links(phones, air, now);
    return count ? now : moment_min(next_at(phones), links_ns);
}

/* --- user data --- */

void emulate_phones_open(struct emulate_phones *phones, int tun)
{
    phones->host.tun = tun;
}

bool emulate_phones_packet(struct emulate_phones *phones, const uint8_t *packet, size_t octets,
                           const struct emulate_phones_air *air, int64_t now)
{
    uint32_t i = emulate_user_sender(&phones->host, packet, octets);
    if (i == EMULATE_USER_NONE)
        return false;
    struct emulate_phone *phone = &phones->list[i];
    struct route route = {air, phone};
    if (may_send(phone, air))
        emulate_user_send(&phone->user, packet, octets, send_up, &route, now);
    else
        phone->user.unsent++;
    return true;
}

/* --- report --- */

uint64_t emulate_phones_refused(const struct emulate_phones *phones)
{
    return phones ? phones->host.refused : 0;
}

uint64_t emulate_phones_bad_frames(const struct emulate_phones *phones)
{
    return phones ? phones->bad_frames : 0;
}

uint64_t emulate_phones_other_frames(const struct emulate_phones *phones)
{
    return phones ? phones->other_frames : 0;
}

/* Pushes the list that a method returns; the number of its items. */
static lua_Integer push_list(struct emulate_phones *phones, const char *method)
{
    push(phones, method);
    lua_host_call(phones->L, 1, 1);
    return (lua_Integer)lua_rawlen(phones->L, -1);
}

/* A text of the table on top, which holds it. */
static const char *text_of(lua_State *L, const char *key)
{
    lua_getfield(L, -1, key);
    const char *text = lua_isstring(L, -1) ? lua_tostring(L, -1) : "-";
    lua_pop(L, 1);
    return text;
}

void emulate_phones_each(struct emulate_phones *phones,
                         void (*put)(void *arg, const struct emulate_phones_row *row), void *arg)
{
    lua_Integer count = phones ? push_list(phones, "list") : 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_State *L = phones->L;
        lua_rawgeti(L, -1, i);
        const struct emulate_phones_row row = {.imsi = text_of(L, "imsi"),
                                               .state = text_of(L, "state"),
                                               .session = text_of(L, "session"),
                                               .address = text_of(L, "address"),
                                               .dns = text_of(L, "dns"),
                                               .tlli = (uint32_t)lua_table_integer(L, "tlli"),
                                               .user = &phones->list[i - 1].user,
                                               .bvci = phones->list[i - 1].bvci};
        put(arg, &row);
        lua_pop(L, 1);
    }
    if (phones)
        lua_pop(phones->L, 1);
}

void emulate_phones_counts(struct emulate_phones *phones,
                           void (*put)(void *arg, const char *name, uint64_t count), void *arg)
{
    lua_Integer count = phones ? push_list(phones, "report") : 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(phones->L, -1, i);
        put(arg, text_of(phones->L, "name"), (uint64_t)lua_table_integer(phones->L, "count"));
        lua_pop(phones->L, 1);
    }
    if (phones)
        lua_pop(phones->L, 1);
}
