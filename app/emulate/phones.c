/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/phones.h"

#include "app/emulate/config.h"
#include "app/emulate/emulate.h"
#include "bss/bss_ms.h"
#include "control/log/log.h"
#include "control/lua/lua_table.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "sim/ms_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct emulate_user_context {
    uint32_t address;
    uint8_t nsapi, sapi;
    bool is_acknowledged;
};

#define N201_U_OCTETS 500 /* default of SAPI 3, 5, 9 and 11 (TS 44.064 table 9) */
#define SAPI_MASK     15

static void emulate_user_down(struct emulate_host *host, struct emulate_user *user, uint32_t phone);
static size_t emulate_phones_wrap(struct emulate_phone *phone, bool is_ciphered, const uint8_t *octets,
                                  size_t count, uint8_t frame[EMULATE_PHONES_FRAME_OCTETS]);
static void emulate_phones_cipher(struct emulate_phone *phone, uint8_t algorithm, const uint8_t *kc,
                                  size_t octets);

void emulate_user_init(struct emulate_user *user)
{
    *user = (struct emulate_user){
        .stack = {.n201_u = N201_U_OCTETS, .ignores_cr = true, .gea = gea_init(NULL, NULL)}};
}

void emulate_host_init(struct emulate_host *host, const struct emulate_config_device *device, uint32_t count,
                       const struct link_values *acknowledged)
{
    *host = (struct emulate_host){.device = device, .tun = -1, .acknowledged = *acknowledged};
    if (!device || u64_map_new(&host->by_address, count))
        return;
    fprintf(stderr, "gbflow: out of memory for the addresses of %u phones\n", count);
    exit(1);
}

void emulate_host_free(struct emulate_host *host)
{
    u64_map_free(&host->by_address);
}

/* A context of the phone begins; its end. */
static void emulate_user_up(struct emulate_host *host, struct emulate_user *user, uint32_t phone,
                            const struct emulate_user_context *context)
{
    emulate_user_down(host, user, phone);
    if (!host->device)
        return;
    if (u64_map_add(&host->by_address, context->address, phone) != 0) {
        host->refused++;
        return;
    }
    if (!emulate_tun_add(host->device, phone + 1, context->address)) {
        host->refused++;
        u64_map_del(&host->by_address, context->address, phone);
        return;
    }
    user->address = context->address;
    user->stack.nsapi = context->nsapi;
    user->stack.sapi = context->sapi;
    user->stack.next_number = 0;
    user->stack.is_open = false;
    ms_stack_acknowledge(&user->stack, context->is_acknowledged ? &host->acknowledged : NULL);
}

static void emulate_user_down(struct emulate_host *host, struct emulate_user *user, uint32_t phone)
{
    if (user->address == 0)
        return;
    u64_map_del(&host->by_address, user->address, phone);
    emulate_tun_remove(host->device, phone + 1);
    user->address = 0;
    ms_stack_acknowledge(&user->stack, NULL);
}

static void give_to_host(const struct emulate_host *host, struct emulate_user *user, const uint8_t *n_pdu,
                         size_t octets)
{
    if (write(host->tun, n_pdu, octets) < 0) {
        user->unwritten++;
        return;
    }
    user->down_npdus++;
    user->down_octets += octets;
}

bool emulate_user_take(const struct emulate_host *host, struct emulate_user *user, const uint8_t *llc_pdu,
                       size_t octets, int64_t now)
{
    size_t n_pdu_octets;
    uint16_t number;
    if (user->address == 0 || octets == 0 || (llc_pdu[0] & SAPI_MASK) != user->stack.sapi)
        return false;
    const uint8_t *n_pdu = ms_stack_receive(&user->stack, llc_pdu, octets, &n_pdu_octets, &number, now);
    for (; n_pdu; n_pdu = ms_stack_receive_more(&user->stack, &n_pdu_octets, &number))
        give_to_host(host, user, n_pdu, n_pdu_octets);
    return true;
}

uint32_t emulate_user_sender(const struct emulate_host *host, const uint8_t *packet, size_t octets)
{
    struct ipv4 ip;
    uint32_t phone =
        ipv4_decode(&ip, packet, octets) < 0 ? U64_MAP_NONE : u64_map_get(&host->by_address, ip.src);
    return phone == U64_MAP_NONE ? EMULATE_USER_NONE : phone;
}

void emulate_user_send(struct emulate_user *user, const uint8_t *packet, size_t octets,
                       ms_stack_send_fn *send, void *arg, int64_t now)
{
    if (!ms_stack_send(&user->stack, packet, octets, send, arg, now)) {
        user->unsent++;
        return;
    }
    user->up_npdus++;
    user->up_octets += octets;
}

void phones_intents_put(struct emulate_phones *phones, const struct emulate_phone *phone, uint32_t tlli,
                        const uint8_t *frame, size_t octets)
{
    struct phones_waiting *waiting =
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
    uint8_t frame[EMULATE_PHONES_FRAME_OCTETS];
    size_t count;
    const uint8_t *octets = phones_octets_of(phones->L, "octets", &count);
    size_t length =
        emulate_phones_wrap(phone, lua_table_boolean(phones->L, "ciphered"), octets, count, frame);
    if (length)
        phones_intents_put(phones, phone, (uint32_t)lua_table_integer(phones->L, "tlli"), frame, length);
}

static void obey_cipher(struct emulate_phones *phones, struct emulate_phone *phone)
{
    size_t count;
    const uint8_t *kc = phones_octets_of(phones->L, "key", &count);
    emulate_phones_cipher(phone, (uint8_t)lua_table_integer(phones->L, "algorithm"), kc, count);
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
        .is_acknowledged = lua_table_boolean(phones->L, "acknowledged"),
    };
    emulate_user_up(&phones->host, &phone->user, phones_number_of(phones, phone), &context);
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
    {"send", obey_send},       {"cipher", obey_cipher}, {"tlli", obey_tlli}, {"up", obey_up},
    {"down", obey_down},       {"cell", obey_cell},     {"data", obey_data}, {"done", obey_done},
    {"suspend", obey_suspend}, {"resume", obey_resume},
};

static void obey(lua_State *L, void *arg, uint32_t parent)
{
    struct emulate_phones *phones = arg;
    char what[8];
    lua_table_text(L, "what", what, sizeof(what));
    uint32_t number = (uint32_t)lua_table_integer(L, "phone") - 1;
    for (size_t i = 0; number < phones->count && i < sizeof(orders) / sizeof(orders[0]); i++)
        if (!strcmp(what, orders[i].what))
            orders[i].obey(phones, &phones->list[number]);
}

/* lua_table_each() takes the list as a field. */
void phones_intents_obey(struct emulate_phones *phones)
{
    lua_State *L = phones->L;
    lua_createtable(L, 0, 1);
    lua_insert(L, -2);
    lua_setfield(L, -2, "intents");
    lua_table_each(L, "intents", obey, phones, 0);
    lua_pop(L, 1);
}

static void cipher(const struct emulate_phone *phone, uint8_t *frame, size_t octets, uint32_t count,
                   uint8_t direction)
{
    const struct ms_stack *stack = &phone->stack;
    struct gea_job job = {
        .key = stack->key.key,
        .data = frame + LLC_UI_OCTETS,
        .input = llc_cipher_input(stack->key.iov_ui, LLC_SAPI_GMM, count),
        .octets = (uint16_t)(octets - LLC_UI_OCTETS),
        .direction = direction,
    };
    gea_cipher_burst(stack->gea, &job, 1);
}

/* A message in a frame, ciphered with the phone's key; returns the octets of the frame, 0: too long. */
static size_t emulate_phones_wrap(struct emulate_phone *phone, bool is_ciphered, const uint8_t *octets,
                                  size_t count, uint8_t frame[EMULATE_PHONES_FRAME_OCTETS])
{
    if (count > EMULATE_PHONES_FRAME_OCTETS - LLC_UI_OCTETS - LLC_FCS_OCTETS)
        return 0;
    uint32_t number = llc_entity_take(&phone->stack.llc);
    struct llc llc = {.format = LLC_UI,
                      .sapi = LLC_SAPI_GMM,
                      .pm = true,
                      .e = is_ciphered && phone->stack.key.algorithm != 0,
                      .nu = llc_entity_nu(number)};
    size_t at = (size_t)llc_ui_encode(frame, EMULATE_PHONES_FRAME_OCTETS, &llc);
    memcpy(frame + at, octets, count);
    at += count;
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    at += LLC_FCS_OCTETS;
    if (llc.e)
        cipher(phone, frame, at, number, GEA_UPLINK);
    return at;
}

/* The SGSN's LLC may have begun again, after ATTACH REJECT for example: RLC repeats nothing, so that a clear
 * frame with an old number is a new one. */
static bool accepts(struct llc_entity *entity, uint32_t count, bool is_ciphered)
{
    if (llc_entity_accept(entity, count))
        return true;
    if (!is_ciphered)
        llc_entity_leap(entity, count + 1);
    return !is_ciphered;
}

bool emulate_phones_unwrap(struct emulate_phone *phone, const uint8_t *llc_pdu, size_t octets,
                           struct emulate_phones_message *message)
{
    struct llc llc;
    int header = llc_decode(&llc, llc_pdu, octets);
    if (header < 0 || llc.format != LLC_UI || llc.sapi != LLC_SAPI_GMM || octets > sizeof(message->clear) ||
        (llc.e && phone->stack.key.algorithm == 0))
        return false;
    uint32_t count = llc_entity_count(&phone->stack.llc, llc.nu);
    memcpy(message->clear, llc_pdu, octets);
    if (llc.e)
        cipher(phone, message->clear, octets, count, GEA_DOWNLINK);
    message->octets = message->clear + header;
    message->count = llc.info_octets;
    message->is_ciphered = llc.e;
    return llc_fcs_is_right(message->clear, (size_t)header, llc.info_octets, llc.pm) &&
           accepts(&phone->stack.llc, count, llc.e);
}

static void set_key(struct ms_stack *stack, uint8_t algorithm, const uint8_t *kc, size_t octets)
{
    struct llc_cipher_params params = {.algorithm = algorithm, .iov_ui = stack->key.iov_ui};
    if (octets > sizeof(params.kc))
        octets = 0;
    params.kc_octets = (uint8_t)octets;
    if (octets)
        memcpy(params.kc, kc, octets);
    stack->key = (struct llc_key){.iov_ui = params.iov_ui};
    if (llc_cipher_key(&stack->key, &params) < 0)
        stack->key = (struct llc_key){.iov_ui = params.iov_ui};
    llc_entity_restart_overflow(&stack->llc);
}

/* Another key for the frames that follow, of both SAPIs; the overflow counters restart. */
static void emulate_phones_cipher(struct emulate_phone *phone, uint8_t algorithm, const uint8_t *kc,
                                  size_t octets)
{
    set_key(&phone->stack, algorithm, kc, octets);
    set_key(&phone->user.stack, algorithm, kc, octets);
}
