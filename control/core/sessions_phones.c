/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that attach themselves: made on their first message, without an IMSI at first. */
#include "control/core/core_gtpc.h"
#include "control/core/sessions_gtpc.h"
#include "control/config/mobile_keys.h"
#include "dataplane/base/n_pdu.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

static struct sessions_mobile *phone_at(const struct sessions *s, uint32_t slot)
{
    if (slot >= s->core->config->limits.mobiles || !s->mobiles[slot].in_use || !s->mobiles[slot].is_phone)
        return NULL;
    return &s->mobiles[slot];
}

uint32_t sessions_phones_add(struct sessions *s, uint32_t tlli, uint16_t cell)
{
    const struct node_config *config = s->core->config;
    uint32_t slot = sessions_make_mobile(s, "", tlli, cell, false);
    if (slot == SESSIONS_NONE) {
        s->refused++;
        return UINT32_MAX;
    }
    s->mobiles[slot].is_phone = true;
    s->mobiles[slot].wanted = 1; /* it stays without a context */
    core_ms_elements(s->core, tlli, cell, node_config_elements(config, config->mobiles.elements));
    sessions_order_llc(s, slot, cell, config->mobiles.unprotected, &(struct llc_cipher_params){0});
    return slot;
}

/* The Gb control plane knows mobiles by TLLI: what it has of the former one ends. */
static void call_it(struct sessions *s, uint32_t slot, uint32_t tlli, const char *imsi)
{
    struct sessions_mobile *mobile = &s->mobiles[slot];
    uint16_t cell = s->core->mobility.list[slot].cell;
    struct msg defaults = {.type = MSG_MS_DEFAULTS, .tlli = tlli, .nse = s->core->config->cells[cell].nse};
    bool is_other = tlli != mobile->tlli;
    core_ms_del(s->core, mobile->tlli);
    if (is_other)
        mobility_rename(&s->core->mobility, slot, tlli);
    mobile->tlli = tlli;
    core_ms_add(s->core, tlli, imsi, cell);
    if (is_other)
        mobility_order(&s->core->mobility, &defaults);
}

void sessions_phones_tlli(struct sessions *s, uint32_t slot, uint32_t tlli)
{
    const struct sessions_mobile *mobile = phone_at(s, slot);
    if (mobile && mobile->tlli != tlli && s->core->mobility.list)
        call_it(s, slot, tlli, mobile->imsi);
}

void sessions_phones_imsi(struct sessions *s, uint32_t slot, const char *imsi)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile || !s->core->mobility.list)
        return;
    if (mobile->imsi[0])
        u64_map_del(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    snprintf(mobile->imsi, sizeof(mobile->imsi), "%s", imsi);
    if (mobile->imsi[0])
        u64_map_put(&s->imsis, mobile_keys_imsi(mobile->imsi), slot);
    call_it(s, slot, mobile->tlli, mobile->imsi);
}

void sessions_phones_del(struct sessions *s, uint32_t slot)
{
    struct sessions_mobile *mobile = phone_at(s, slot);
    if (!mobile)
        return;
    mobile->is_phone = false;
    mobile->wanted--;
    sessions_drop_idle(s, slot);
}

static uint8_t version_of(const char *pdp_type)
{
    return strcmp(pdp_type, "ipv4") == 0 ? 4 : strcmp(pdp_type, "ipv6") == 0 ? 6 : 0;
}

static uint32_t ipv4_of(const char *text)
{
    struct in_addr address;
    return text && inet_pton(AF_INET, text, &address) == 1 ? ntohl(address.s_addr) : 0;
}

bool sessions_phones_want(struct sessions *s, uint32_t slot, const struct core_phone_context *context)
{
    const struct sessions_mobile *mobile = phone_at(s, slot);
    int qclass = context->qclass ? qclass_from_name(context->qclass) : -1;
    if (!mobile || qclass < 0 || !context->apn || !context->pdp_type || !context->ours || !context->ggsn)
        return false;
    const struct session params = {.sgsn_ip = core_gtpc_address(s->core, context->ours),
                                   .ggsn_ip = core_gtpc_address(s->core, context->ggsn),
                                   .address = ipv4_of(context->ipv4),
                                   .ip_version = version_of(context->pdp_type),
                                   .gtp_nsapi = context->nsapi,
                                   .nsapi = context->nsapi,
                                   .sapi = context->sapi,
                                   .qclass = (uint8_t)qclass,
                                   .pfi = N_PDU_NO_PFI};
    const struct sessions_asked asked = {.imsi = mobile->imsi,
                                         .msisdn = context->msisdn,
                                         .apn = context->apn,
                                         .pco = (const uint8_t *)context->pco,
                                         .pco_octets = context->pco_octets,
                                         .is_once = true};
    return sessions_gtpc_ask(s, slot, &asked, &params);
}
