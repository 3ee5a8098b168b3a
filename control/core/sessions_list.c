/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_gtpc.h"
#include "control/core/sessions.h"

#include <stdlib.h>

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* All places of a live node at once: to move half a million of them takes tens of milliseconds. The kernel
 * gives the memory when it is used. */
static bool take_all(struct sessions *s, uint32_t contexts)
{
    s->cap = contexts;
    s->list = reallocarray(NULL, contexts, sizeof(*s->list));
    return s->list;
}

bool sessions_list_new(struct sessions *s, uint32_t contexts)
{
    uint32_t buckets = 64;
    while (buckets < contexts && buckets < UINT32_C(1) << 31)
        buckets *= 2;
    s->remotes = malloc(buckets * sizeof(*s->remotes));
    s->remotes_mask = buckets - 1;
    for (uint32_t i = 0; s->remotes && i < buckets; i++)
        s->remotes[i] = SESSIONS_NONE;
    return s->remotes && (!s->core->config->live.is_on || take_all(s, contexts));
}

void sessions_list_free(struct sessions *s)
{
    free(s->list);
    free(s->remotes);
}

struct session *sessions_list_take(struct sessions *s, uint32_t pdp)
{
    uint32_t last = s->pdp_session[pdp];
    if (s->core->config->live.is_on && last != SESSIONS_NONE)
        return &s->list[last];
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 64;
        struct session *list = reallocarray(s->list, cap, sizeof(*list));
        if (!list)
            return NULL;
        s->list = list;
        s->cap = cap;
    }
    s->pdp_session[pdp] = s->count;
    return &s->list[s->count++];
}

static uint32_t *bucket_of(const struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    uint64_t sum = ((uint64_t)ggsn_ip << 32 | ggsn_teid) * MIX;
    return &s->remotes[(uint32_t)(sum >> 32) & s->remotes_mask];
}

void sessions_list_enter(struct sessions *s, struct session *session)
{
    uint32_t *bucket = bucket_of(s, session->ggsn_ip, session->ggsn_teid);
    session->next_remote = *bucket;
    *bucket = (uint32_t)(session - s->list);
}

void sessions_list_leave(struct sessions *s, const struct session *session)
{
    uint32_t *link = bucket_of(s, session->ggsn_ip, session->ggsn_teid);
    while (*link != (uint32_t)(session - s->list))
        link = &s->list[*link].next_remote;
    *link = session->next_remote;
}

/* The index of the first session that may have this end, SESSIONS_NONE; session.next_remote has the next. */
static uint32_t sessions_list_first(const struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    return *bucket_of(s, ggsn_ip, ggsn_teid);
}

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
    const struct sessions_traits traits = {.has_pfi = have_pfi(config, listed)};
    uint32_t mobile = sessions_make_mobile(s, listed->imsi, listed->tlli, listed->cell, traits);
    if (mobile != SESSIONS_NONE) {
        core_gb_ms_elements(s->core, listed->tlli, listed->cell,
                            node_config_elements(config, listed->elements));
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

/* The GGSN's end of a tunnel, and the local address, 0: any. */
struct end {
    uint32_t ggsn_ip, ggsn_teid, sgsn_ip;
};

static void lose(struct sessions *s, struct session *session)
{
    s->lost++;
    sessions_end(s, session);
}

/* An Error Indication proves nothing: its source can be forged, and GGSNs count their TEIDs up from 1. The
 * GGSN of a context over GTP-C is asked; of another context there is none to ask. */
static void doubt(struct sessions *s, struct session *session)
{
    if (session->wanted)
        core_gtpc_check(s->core, session->wanted);
    else
        lose(s, session);
}

/* The sessions that an Error Indication means, at most `most`: what ends one changes the list. */
static unsigned sessions_list_find(const struct sessions *s, const struct end *end, uint32_t *found,
                                   unsigned most)
{
    unsigned count = 0;
    uint32_t i = sessions_list_first(s, end->ggsn_ip, end->ggsn_teid);
    for (; i != SESSIONS_NONE && count < most; i = s->list[i].next_remote) {
        const struct session *session = &s->list[i];
        if (session->ggsn_ip == end->ggsn_ip && session->ggsn_teid == end->ggsn_teid &&
            (end->sgsn_ip == 0 || session->sgsn_ip == end->sgsn_ip))
            found[count++] = i;
    }
    return count;
}

void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip)
{
    uint32_t found[LOOKUP_ADDRESSES];
    const struct end end = {ggsn_ip, ggsn_teid, sgsn_ip};
    unsigned count = sessions_list_find(s, &end, found, LOOKUP_ADDRESSES);
    for (unsigned i = 0; i < count; i++)
        if (s->list[found[i]].is_active)
            doubt(s, &s->list[found[i]]);
}

void sessions_lose_path(struct sessions *s, uint32_t sgsn_ip, uint32_t ggsn_ip)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        if (!session->is_active || session->sgsn_ip != sgsn_ip || session->ggsn_ip != ggsn_ip)
            continue;
        if (!session->wanted) {
            lose(s, session);
            continue;
        }
        core_gtpc_lost(s->core, session->wanted, "its path is down"); /* ends the session */
    }
}

void sessions_mark(struct sessions *s, const char *imsi)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    if (mobile != SESSIONS_NONE)
        s->mobiles[mobile].is_leaving = true;
}

void sessions_sweep(struct sessions *s, uint32_t pdp)
{
    uint32_t session = s->pdp_session[pdp];
    if (sessions_gtpc_has(s, pdp) && s->mobiles[s->wanted[pdp].mobile].is_leaving)
        sessions_gtpc_forget(s, pdp);
    else if (session != SESSIONS_NONE && s->list[session].is_active &&
             s->mobiles[s->list[session].mobile].is_leaving)
        sessions_end(s, &s->list[session]);
}
