/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions.h"

#include "dataplane/wire/mobile_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSAPI_MIN 5
#define NSAPI_MAX 15

bool sessions_new(struct sessions *s, struct core *core)
{
    uint32_t pdps = core->config->limits.contexts;
    *s = (struct sessions){.core = core, .next_tlli = core->config->mobiles.first_tlli};
    s->mobiles = calloc(core->config->limits.mobiles, sizeof(*s->mobiles));
    s->pdp_session = malloc(pdps * sizeof(*s->pdp_session));
    s->pdp_generation = calloc(pdps, sizeof(*s->pdp_generation));
    if (!s->mobiles || !s->pdp_session || !s->pdp_generation) {
        sessions_free(s);
        return false;
    }
    for (uint32_t i = 0; i < pdps; i++)
        s->pdp_session[i] = SESSIONS_NONE;
    return true;
}

void sessions_free(struct sessions *s)
{
    free(s->list);
    free(s->mobiles);
    free(s->pdp_session);
    free(s->pdp_generation);
    *s = (struct sessions){0};
}

/* --- slots
 * ------------------------------------------------------------------------------------------------------------
 */

static uint32_t free_mobile(const struct sessions *s)
{
    for (uint32_t i = 0; i < s->core->config->limits.mobiles; i++)
        if (!s->mobiles[i].in_use)
            return i;
    return SESSIONS_NONE;
}

static uint32_t find_mobile(const struct sessions *s, const char *imsi)
{
    for (uint32_t i = 0; imsi[0] && i < s->core->config->limits.mobiles; i++)
        if (s->mobiles[i].in_use && strcmp(s->mobiles[i].imsi, imsi) == 0)
            return i;
    return SESSIONS_NONE;
}

static uint32_t free_pdp(const struct sessions *s)
{
    for (uint32_t i = 0; i < s->core->config->limits.contexts; i++)
        if (s->pdp_session[i] == SESSIONS_NONE || !s->list[s->pdp_session[i]].is_active)
            return i;
    return SESSIONS_NONE;
}

static uint8_t pick_nsapi(const struct sessions_mobile *mobile, uint8_t wanted)
{
    if (wanted >= NSAPI_MIN && wanted <= NSAPI_MAX && !(mobile->nsapis >> wanted & 1))
        return wanted;
    for (uint8_t nsapi = NSAPI_MIN; nsapi <= NSAPI_MAX; nsapi++)
        if (!(mobile->nsapis >> nsapi & 1))
            return nsapi;
    return 0;
}

/* --- orders
 * -----------------------------------------------------------------------------------------------------------
 */

static void order_mobile(struct sessions *s, uint32_t slot, uint16_t cell)
{
    const struct sessions_mobile *mobile = &s->mobiles[slot];
    struct msg msg = {.type = MSG_MS_ADD, .index = slot};

    msg.ms = (struct ms_params){
        .tlli = mobile->tlli,
        .bvc = cell,
        .n201_u = s->core->config->mobiles.n201_u,
        .queue_limit_octets = s->core->config->mobiles.queue_limit_octets,
    };
    struct mobile_id imsi;
    snprintf(imsi.digits, sizeof(imsi.digits), "%s", mobile->imsi);
    int octets = mobile_id_encode(msg.ms.imsi, sizeof(msg.ms.imsi), &imsi);
    msg.ms.imsi_octets = octets > 0 ? (uint8_t)octets : 0; /* not known: none */
    core_request(s->core, &msg);
}

static uint32_t make_mobile(struct sessions *s, const char *imsi, uint32_t tlli, uint16_t cell)
{
    uint32_t slot = free_mobile(s);
    if (slot == SESSIONS_NONE)
        return slot;
    s->mobiles[slot] = (struct sessions_mobile){.tlli = tlli, .in_use = true};
    snprintf(s->mobiles[slot].imsi, sizeof(s->mobiles[slot].imsi), "%s", imsi);
    order_mobile(s, slot, cell);
    return slot;
}

static uint32_t learn_mobile(struct sessions *s, const char *imsi)
{
    const struct node_config *config = s->core->config;
    uint32_t slot = find_mobile(s, imsi);
    if (slot != SESSIONS_NONE)
        return slot;
    slot = make_mobile(s, imsi, s->next_tlli, config->homes[s->next_home % config->home_count]);
    if (slot != SESSIONS_NONE) {
        s->next_tlli++;
        s->next_home++;
    }
    return slot;
}

static void order_context(struct sessions *s, const struct session *session)
{
    struct msg msg = {.type = MSG_PDP_ADD, .index = session->pdp};
    msg.pdp = (struct pdp_params){
        .ms = session->mobile,
        .sgsn_ip = session->sgsn_ip,
        .teid = session->teid,
        .ggsn_ip = session->ggsn_ip,
        .ggsn_teid = session->ggsn_teid,
        .address = session->address,
        .ip_version = session->ip_version,
        .nsapi = session->nsapi,
        .sapi = s->core->config->mobiles.sapi,
        .qclass = session->qclass,
    };
    core_request(s->core, &msg);
}

static struct session *append(struct sessions *s)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->list = reallocarray(s->list, s->cap, sizeof(*s->list));
        if (!s->list) {
            fprintf(stderr, "gbflow: no memory for sessions\n");
            exit(1);
        }
    }
    return &s->list[s->count++];
}

/* A tunnel that exists already (a repeated Create Request whose answer came twice, or a reused TEID). */
static struct session *find_tunnel(struct sessions *s, const struct session *params)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && s->list[i].sgsn_ip == params->sgsn_ip && s->list[i].teid == params->teid)
            return &s->list[i];
    return NULL;
}

/* Whether a request that was sent and answered again says what is known: nothing has to end for it. */
static bool is_repeated(const struct sessions *s, const struct session *old, const char *imsi,
                        const struct session *params)
{
    return imsi[0] && strcmp(s->mobiles[old->mobile].imsi, imsi) == 0 &&
           old->gtp_nsapi == params->gtp_nsapi && old->ggsn_ip == params->ggsn_ip &&
           old->ggsn_teid == params->ggsn_teid && old->ggsn_control_teid == params->ggsn_control_teid;
}

static bool add_context(struct sessions *s, uint32_t mobile, const struct session *params)
{
    uint32_t pdp = free_pdp(s);
    uint8_t nsapi = pick_nsapi(&s->mobiles[mobile], params->nsapi);
    if (pdp == SESSIONS_NONE || nsapi == 0)
        return false;
    struct session *session = append(s);
    *session = *params;
    session->pdp = pdp;
    session->generation = ++s->pdp_generation[pdp];
    session->mobile = mobile;
    session->nsapi = nsapi;
    session->is_active = true;
    s->pdp_session[pdp] = s->count - 1;
    s->mobiles[mobile].nsapis |= (uint16_t)(1U << nsapi);
    order_context(s, session);
    return true;
}

static void drop_idle_mobile(struct sessions *s, uint32_t mobile)
{
    if (s->mobiles[mobile].nsapis != 0)
        return;
    struct msg msg = {.type = MSG_MS_DEL, .index = mobile};
    s->mobiles[mobile].in_use = false;
    core_request(s->core, &msg);
}

bool sessions_add(struct sessions *s, const char *imsi, const struct session *params)
{
    struct session *old = find_tunnel(s, params);
    if (old && is_repeated(s, old, imsi, params))
        return true;
    if (old)
        sessions_end(s, old);
    uint32_t mobile = learn_mobile(s, imsi);
    if (mobile != SESSIONS_NONE) {
        if (add_context(s, mobile, params))
            return true;
        drop_idle_mobile(s, mobile);
    }
    s->refused++;
    return false;
}

void sessions_end(struct sessions *s, struct session *session)
{
    struct msg msg = {.type = MSG_PDP_DEL, .index = session->pdp};
    session->is_active = false;
    s->mobiles[session->mobile].nsapis &= (uint16_t) ~(1U << session->nsapi);
    core_request(s->core, &msg);
    drop_idle_mobile(s, session->mobile);
}

void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        if (!session->is_active || session->ggsn_ip != ggsn_ip || session->ggsn_teid != ggsn_teid)
            continue;
        sessions_end(s, session);
        s->lost++;
    }
}

void sessions_add_configured(struct sessions *s)
{
    const struct node_config *config = s->core->config;

    for (uint32_t i = 0; i < config->mobile_count; i++) {
        const struct node_config_mobile *listed = &config->list[i];
        uint32_t mobile = make_mobile(s, listed->imsi, listed->tlli, listed->cell);
        for (uint32_t k = 0; k < listed->context_count; k++) {
            const struct node_config_context *context = &config->contexts[listed->first_context + k];
            struct session params = {
                .sgsn_ip = context->sgsn_address,
                .teid = context->teid,
                .ggsn_ip = context->ggsn_address,
                .ggsn_teid = context->ggsn_teid,
                .address = context->address,
                .ip_version = 4,
                .gtp_nsapi = context->nsapi,
                .nsapi = context->nsapi,
                .qclass = context->qclass,
            };
            if (mobile == SESSIONS_NONE || !add_context(s, mobile, &params))
                s->refused++;
        }
    }
}

struct session *sessions_of(struct sessions *s, uint32_t pdp, uint32_t generation)
{
    if (pdp >= s->core->config->limits.contexts)
        return NULL;
    for (uint32_t i = s->pdp_session[pdp]; i < s->count; i--)
        if (s->list[i].pdp == pdp && s->list[i].generation == generation)
            return &s->list[i];
    return NULL;
}
