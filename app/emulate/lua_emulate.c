/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/lua_emulate.h"
#include "app/emulate/emulate.h"
#include "app/emulate/phones.h"
#include "app/run/lua_scenario.h"

#include "app/emulate/config.h"
#include "control/config/lua_text.h"
#include "control/config/lua_config_node.h"
#include "control/lua/lua_gtpc.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/wire/llc.h"

#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct emulate_phones *emulate_phones_new(lua_State *L, const struct emulate_config *config);

static void read_nsvc(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_nsvc *nsvc = lua_table_append(&config->nsvcs, &config->nsvc_count, sizeof(*nsvc));
    nsvc->nsvci = (uint16_t)lua_table_integer(L, "nsvci");
    nsvc->address = lua_table_address(L, "address");
    nsvc->udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    nsvc->sgsn_address = lua_table_address(L, "sgsn_address");
    nsvc->sgsn_udp_port = (uint16_t)lua_table_integer(L, "sgsn_udp_port");
}

static bool read_bucket(lua_State *L, const char *key, struct bss_bucket *bucket)
{
    if (!lua_table_enter(L, key))
        return false;
    bucket->bucket_octets = (uint64_t)lua_table_integer(L, "bucket");
    bucket->rate_bps = (uint64_t)lua_table_integer(L, "rate");
    lua_pop(L, 1);
    return true;
}

static void read_flow_control(lua_State *L, struct emulate_config_cell *cell)
{
    lua_table_enter(L, "flow_control");
    read_bucket(L, "bvc", &cell->bvc);
    read_bucket(L, "ms_default", &cell->ms_default);
    read_bucket(L, "pfc", &cell->pfc);
    cell->has_ms = read_bucket(L, "ms", &cell->ms);
    if (cell->has_ms) {
        lua_table_enter(L, "ms");
        cell->ms_at_ns = lua_table_integer(L, "start");
        lua_pop(L, 1);
    }
    cell->announce_every_ns = lua_table_integer(L, "every");
    cell->has_measurement = lua_table_boolean(L, "measurement");
    cell->has_level = lua_table_boolean(L, "bucket_level");
    lua_pop(L, 1);
}

static void read_cell(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    lua_table_enter(L, "cell_id");
    lua_table_text(L, "mcc", cell->cell_id.mcc, sizeof(cell->cell_id.mcc));
    lua_table_text(L, "mnc", cell->cell_id.mnc, sizeof(cell->cell_id.mnc));
    cell->cell_id.lac = (uint16_t)lua_table_integer(L, "lac");
    cell->cell_id.rac = (uint8_t)lua_table_integer(L, "rac");
    cell->cell_id.ci = (uint16_t)lua_table_integer(L, "ci");
    lua_pop(L, 1);
    read_flow_control(L, cell);
}

static uint16_t cell_of(const struct emulate_config *config, lua_Integer bvci)
{
    uint16_t cell = 0;
    while (config->air.cells[cell].bvci != bvci)
        cell++;
    return cell;
}

static struct emulate_config_mobile mobile_of(lua_State *L, const struct emulate_config *config)
{
    char qclass[16];
    lua_table_text(L, "class", qclass, sizeof(qclass));
    struct emulate_config_mobile mobile = {
        .tlli = (uint32_t)lua_table_integer(L, "tlli"),
        .address = lua_table_address(L, "address"),
        .cell = cell_of(config, lua_table_integer(L, "cell")),
        .n201_u = (uint16_t)lua_table_integer(L, "n201_u"),
        .nsapi = (uint8_t)lua_table_integer(L, "nsapi"),
        .sapi = (uint8_t)lua_table_integer(L, "sapi"),
        .qclass = (uint8_t)qclass_from_name(qclass),
    };
    lua_config_node_ciphering(L, &mobile.ciphering);
    mobile.is_acknowledged = lua_scenario_read_acknowledged(L, &mobile.acknowledged);
    return mobile;
}

static struct emulate_config_device device_of(lua_State *L)
{
    struct emulate_config_device device = {0};
    lua_table_enter(L, "tun");
    lua_table_text(L, "device", device.name, sizeof(device.name));
    lua_getfield(L, -1, "namespace");
    bool has_name_space = lua_isstring(L, -1);
    lua_pop(L, 1);
    if (has_name_space)
        lua_table_text(L, "namespace", device.name_space, sizeof(device.name_space));
    device.mtu_octets = (uint16_t)lua_table_integer(L, "mtu");
    device.has_default_route = lua_table_boolean(L, "default_route");
    lua_pop(L, 1);
    return device;
}

/* One item is `count` mobiles behind one device. */
static void read_mobiles(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_config *config = arg;
    struct emulate_config_mobile like = mobile_of(L, config);
    struct emulate_config_device *device =
        lua_table_append(&config->devices, &config->device_count, sizeof(*device));
    *device = device_of(L);
    device->first_mobile = config->mobile_count;
    device->mobile_count = (uint32_t)lua_table_integer(L, "count");
    for (uint32_t i = 0; i < device->mobile_count; i++, like.tlli++, like.address++) {
        struct emulate_config_mobile *mobile =
            lua_table_append(&config->mobiles, &config->mobile_count, sizeof(*mobile));
        *mobile = like;
    }
}

static void read_phones(lua_State *L, struct emulate_config *config)
{
    if (!lua_table_enter(L, "phones"))
        return;
    lua_scenario_read_acknowledged(L, &config->phones_acknowledged);
    if (lua_table_enter(L, "tun")) {
        lua_pop(L, 1);
        struct emulate_config_device *device =
            lua_table_append(&config->devices, &config->device_count, sizeof(*device));
        *device = device_of(L);
        device->is_of_phones = true;
    }
    lua_pop(L, 1);
}

static void read_all(lua_State *L, struct emulate_config *config)
{
    config->nsei = (uint16_t)lua_table_integer(L, "nsei");
    config->air.seed = (uint64_t)lua_table_integer(L, "seed");
    lua_table_each(L, "nsvcs", read_nsvc, config, 0);
    lua_scenario_read_cells(L, &config->air);
    lua_table_each(L, "cells", read_cell, config, 0);
    lua_table_each(L, "mobiles", read_mobiles, config, 0);
    read_phones(L, config);
}

bool lua_emulate_load(lua_State *L, const char *path, struct emulate_config *config,
                      struct emulate_phones **phones)
{
    *config = (struct emulate_config){0};
    if (!lua_text_load_config(L, path, "bss"))
        return false;
    read_all(L, config);
    if (phones)
        *phones = emulate_phones_new(L, config);
    lua_pop(L, 1);
    return true;
}

/* --- set-up --- */

static void make_object(struct emulate_phones *phones)
{
    lua_State *L = phones->L;
    lua_host_require(L, "phone.phones");
    lua_getfield(L, -1, "new_live");
    lua_pushvalue(L, -3);
    lua_host_require(L, "gbflow_phone");
    lua_pushcfunction(L, lua_gtpc_random);
    lua_host_call(L, 3, 1);
    phones->object = luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
}

static const struct emulate_config_device *phones_device_of(const struct emulate_config *config)
{
    for (uint32_t i = 0; i < config->device_count; i++)
        if (config->devices[i].is_of_phones)
            return &config->devices[i];
    return NULL;
}

/* From the checked configuration on top of the stack; NULL: it has no phones. L is the phones' from then on.
 * Ends the program when memory is short. */
static struct emulate_phones *emulate_phones_new(lua_State *L, const struct emulate_config *config)
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
    emulate_host_init(&phones->host, phones_device_of(config), count, &config->phones_acknowledged);
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
    emulate_host_free(&phones->host);
    free(phones->waiting);
    free(phones->bvcis);
    free(phones->list);
    free(phones);
}

/* --- calls: method and object are pushed, then the arguments --- */

static void push(struct emulate_phones *phones, const char *method)
{
    lua_rawgeti(phones->L, LUA_REGISTRYINDEX, phones->object);
    lua_getfield(phones->L, -1, method);
    lua_insert(phones->L, -2);
}

static void call(struct emulate_phones *phones, int arguments, int64_t now)
{
    lua_State *L = phones->L;
    phones->now = now;
    lua_pushinteger(L, now);
    lua_host_call(L, arguments + 2, 1);
    phones_intents_obey(phones);
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

static void give(struct emulate_phones *phones, uint32_t i, const struct emulate_phones_message *message,
                 int64_t now)
{
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

static void lua_emulate_take(struct emulate_phones *phones, uint32_t i, uint32_t tlli, const uint8_t *llc_pdu,
                             size_t octets, int64_t now)
{
    struct emulate_phone *phone = &phones->list[i];
    struct emulate_phones_message message;
    uint8_t answer[EMULATE_LLC_ANSWER_OCTETS];
    size_t answer_octets;
    struct ms_stack *stack = stack_of(phone, llc_pdu, octets);
    if (emulate_llc_take(stack, llc_pdu, octets, answer, &answer_octets, now) ||
        emulate_llc_refuse(stack, llc_pdu, octets, answer, &answer_octets))
        phones_intents_put(phones, phone, tlli, answer, answer_octets);
    else if (emulate_user_take(&phones->host, &phone->user, llc_pdu, octets, now))
        return;
    else if (emulate_phones_unwrap(phone, llc_pdu, octets, &message))
        give(phones, i, &message, now);
    else if (octets > 0 && (llc_pdu[0] & 15) != LLC_SAPI_GMM)
        phones->other_frames++;
    else
        phones->bad_frames++;
}

/* Index of the phone with a TLLI; phones->count: none. */
static uint32_t lua_emulate_find(const struct emulate_phones *phones, uint32_t tlli)
{
    uint32_t i = tlli ? 0 : phones->count;
    while (i < phones->count && phones->list[i].tlli != tlli && phones->list[i].former != tlli)
        i++;
    return i;
}

bool emulate_phones_take(struct emulate_phones *phones, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                         int64_t now)
{
    uint32_t i = lua_emulate_find(phones, tlli);
    if (i < phones->count)
        lua_emulate_take(phones, i, tlli, llc_pdu, octets, now);
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
    uint32_t i = lua_emulate_find(phones, tlli);
    if (i == phones->count)
        return;
    phones->list[i].has_reference = true;
    phones->list[i].reference = reference;
    push(phones, "suspended");
    lua_pushinteger(phones->L, i + 1);
    call(phones, 1, now);
}

void emulate_phones_resumed(struct emulate_phones *phones, uint32_t tlli, bool is_acknowledged, int64_t now)
{
    uint32_t i = lua_emulate_find(phones, tlli);
    if (i == phones->count)
        return;
    push(phones, "resumed");
    lua_pushinteger(phones->L, i + 1);
    lua_pushboolean(phones->L, is_acknowledged);
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

/* Links in acknowledged mode; returns the next deadline, `now` if one was due. */
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
        const struct phones_waiting *waiting = &phones->waiting[i];
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
    return luaL_len(phones->L, -1);
}

/* A text of the table on top, which holds it. */
static const char *lua_emulate_text_of(lua_State *L, const char *key)
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
        const struct emulate_phones_row row = {.imsi = lua_emulate_text_of(L, "imsi"),
                                               .state = lua_emulate_text_of(L, "state"),
                                               .session = lua_emulate_text_of(L, "session"),
                                               .address = lua_emulate_text_of(L, "address"),
                                               .dns = lua_emulate_text_of(L, "dns"),
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
        put(arg, lua_emulate_text_of(phones->L, "name"), (uint64_t)lua_table_integer(phones->L, "count"));
        lua_pop(phones->L, 1);
    }
    if (phones)
        lua_pop(phones->L, 1);
}
