/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/users.h"

#include "app/emulate/emulate.h"
#include "dataplane/wire/ipv4.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N201_U_OCTETS 500 /* default of SAPI 3, 5, 9 and 11 (TS 44.064 table 9) */
#define SAPI_MASK     15

void emulate_user_init(struct emulate_user *user)
{
    *user = (struct emulate_user){
        .stack = {.n201_u = N201_U_OCTETS, .ignores_cr = true, .gea = gea_init(NULL, NULL)}};
}

void emulate_users_init(struct emulate_users *host, const struct emulate_config_device *device,
                        const struct emulate_config *config, uint32_t count)
{
    *host = (struct emulate_users){.device = device, .tun = -1, .stack = config->phones_stack};
    if (!device || u64_map_new(&host->by_address, count))
        return;
    fprintf(stderr, "gbflow: out of memory for the addresses of %u phones\n", count);
    exit(1);
}

void emulate_users_free(struct emulate_users *host)
{
    u64_map_free(&host->by_address);
}

void emulate_user_down(struct emulate_users *host, struct emulate_user *user, uint32_t phone)
{
    if (user->address == 0)
        return;
    u64_map_del(&host->by_address, user->address, phone);
    emulate_tun_remove(host->device, phone + 1);
    user->address = 0;
    ms_stack_end(&user->stack);
}

void emulate_user_up(struct emulate_users *host, struct emulate_user *user, uint32_t phone,
                     const struct emulate_user_context *context, int64_t now)
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
    struct ms_settings settings = host->stack;
    settings.has_link = context->has_link;
    ms_stack_begin(&user->stack, &settings, now);
}

static void give_to_host(struct emulate_user *user, int tun, const uint8_t *n_pdu, size_t octets)
{
    if (write(tun, n_pdu, octets) < 0) {
        user->unwritten++;
        return;
    }
    user->down_npdus++;
    user->down_octets += octets;
}

void emulate_user_receive(struct emulate_user *user, int tun, const uint8_t *llc_pdu, size_t octets,
                          int64_t now)
{
    size_t n_pdu_octets;
    uint16_t number;
    const uint8_t *n_pdu = ms_stack_receive(&user->stack, llc_pdu, octets, &n_pdu_octets, &number, now);
    for (; n_pdu; n_pdu = ms_stack_receive_more(&user->stack, &n_pdu_octets, &number, now))
        give_to_host(user, tun, n_pdu, n_pdu_octets);
}

bool emulate_user_take(const struct emulate_users *host, struct emulate_user *user, const uint8_t *llc_pdu,
                       size_t octets, int64_t now)
{
    if (user->address == 0 || octets == 0 || (llc_pdu[0] & SAPI_MASK) != user->stack.sapi)
        return false;
    emulate_user_receive(user, host->tun, llc_pdu, octets, now);
    return true;
}

uint32_t emulate_user_sender(const struct emulate_users *host, const uint8_t *packet, size_t octets)
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
