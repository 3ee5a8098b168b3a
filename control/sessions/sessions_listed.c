/* SPDX-License-Identifier: BSD-3-Clause */
/* Listed sessions, mobiles of a configuration's list: they are added at the start, added and removed by a
 * reload. */
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/sessions/sessions_gtpc.h"

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
        .is_any_payload = context->is_any_payload,
        .is_acknowledged = context->is_acknowledged,
        .takes = context->takes,
        .gtp_nsapi = context->nsapi,
        .nsapi = context->nsapi,
        .sapi = context->sapi,
        .qclass = context->qclass,
        .pfi = context->pfi,
    };
}

/* Of these the limit has room for some; some of the slots that are not used are still a worker's. */
static bool are_missing(uint32_t wanted, uint32_t room, uint32_t unused, uint32_t leaving)
{
    return leaving > 0 && unused < (wanted < room ? wanted : room) + leaving;
}

bool sessions_listed_must_wait(const struct sessions *s, uint32_t contexts)
{
    const struct mobility *m = &s->core->mobility;
    uint32_t mobile_room = s->most_mobiles > s->mobile_count ? s->most_mobiles - s->mobile_count : 0;
    uint32_t context_room = s->most_contexts > s->context_count ? s->most_contexts - s->context_count : 0;
    return are_missing(1, mobile_room, s->core->config->limits.mobiles - s->mobile_count, m->leaving) ||
           are_missing(contexts, context_room, s->core->config->limits.contexts - s->context_count,
                       m->leaving_pdps);
}

bool sessions_listed_add(struct sessions *s, const struct node_config *config,
                         const struct node_config_mobile *listed)
{
    const struct sessions_traits traits = {.has_pfi = have_pfi(config, listed)};
    uint32_t mobile = sessions_make_mobile(s, listed->imsi, listed->tlli, listed->cell, traits);
    uint64_t refused = s->refused;
    if (mobile != SESSIONS_NONE) {
        s->mobiles[mobile].is_listed = true;
        core_gb_ms_elements(s->core, listed->tlli, listed->cell,
                            node_config_elements(config, listed->elements));
        sessions_order_llc(s, mobile, listed->cell, listed->unprotected, &listed->ciphering);
    }
    for (uint32_t k = 0; k < listed->context_count; k++) {
        const struct node_config_context *context = &config->contexts[listed->first_context + k];
        struct session params = params_of(s, config, context);
        bool is_added =
            mobile != SESSIONS_NONE &&
            (context->apn[0] ? sessions_gtpc_want(s, mobile, listed->msisdn, context->apn, &params)
                             : sessions_fill(s, mobile, sessions_free_pdp(s), &params));
        s->refused += !is_added;
    }
    return mobile != SESSIONS_NONE && s->refused == refused;
}

void sessions_listed_add_all(struct sessions *s)
{
    const struct node_config *config = s->core->config;
    for (uint32_t i = 0; i < config->mobile_count; i++)
        sessions_listed_add(s, config, &config->list[i]);
}

void sessions_listed_mark(struct sessions *s, const char *imsi)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    if (mobile != SESSIONS_NONE && s->mobiles[mobile].is_listed)
        s->mobiles[mobile].is_leaving = true;
}

void sessions_listed_sweep(struct sessions *s, uint32_t pdp)
{
    uint32_t session = s->pdp_session[pdp];
    if (sessions_gtpc_has(s, pdp) && s->mobiles[s->wanted[pdp].params.mobile].is_leaving)
        sessions_gtpc_forget(s, pdp);
    else if (session != SESSIONS_NONE && s->list[session].is_active &&
             s->mobiles[s->list[session].mobile].is_leaving)
        sessions_end(s, &s->list[session]);
}
