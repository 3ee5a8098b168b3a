/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles in a configuration's list: makes their contexts at once, or, of those with an APN, requests them of
 * GGSNs. */
#include "control/core/core_address.h"
#include "control/core/sessions_gtpc.h"

static bool have_pfi(const struct node_config *config, const struct node_config_mobile *mobile)
{
    for (uint32_t k = 0; k < mobile->context_count; k++)
        if (config->contexts[mobile->first_context + k].pfi != N_PDU_NO_PFI)
            return true;
    return false;
}

static struct session params_of(struct sessions *s, const struct node_config *config,
                                const struct node_config_context *context)
{
    return (struct session){
        .sgsn_ip = core_address_of(s->core, config, context->sgsn_address),
        .teid = context->teid,
        .is_teid_given = context->teid == 0,
        .ggsn_ip = core_address_of(s->core, config, context->ggsn_address),
        .ggsn_teid = context->ggsn_teid,
        .address = context->address,
        .prefix = context->prefix,
        .interface = context->interface,
        .ip_version = context->ip_version,
        .gtp_nsapi = context->nsapi,
        .nsapi = context->nsapi,
        .sapi = context->sapi,
        .qclass = context->qclass,
        .pfi = context->pfi,
    };
}

void sessions_add_listed(struct sessions *s, const struct node_config *config,
                         const struct node_config_mobile *listed)
{
    uint32_t mobile =
        sessions_make_mobile(s, listed->imsi, listed->tlli, listed->cell, have_pfi(config, listed));
    if (mobile != SESSIONS_NONE) {
        core_ms_elements(s->core, listed->tlli, listed->cell, node_config_elements(config, listed->elements));
        sessions_order_llc(s, mobile, listed->cell, listed->unprotected, &listed->ciphering);
    }
    for (uint32_t k = 0; k < listed->context_count; k++) {
        const struct node_config_context *context = &config->contexts[listed->first_context + k];
        struct session params = params_of(s, config, context);
        bool is_added = mobile != SESSIONS_NONE &&
                        (context->apn[0] ? sessions_gtpc_want(s, mobile, listed, context, &params)
                                         : sessions_fill(s, mobile, sessions_free_pdp(s), &params));
        s->refused += !is_added;
    }
}

void sessions_add_configured(struct sessions *s)
{
    const struct node_config *config = s->core->config;
    for (uint32_t i = 0; i < config->mobile_count; i++)
        sessions_add_listed(s, config, &config->list[i]);
}
