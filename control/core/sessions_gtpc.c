/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/sessions_gtpc.h"

#include "control/core/core_gtpc.h"
#include "control/core/core_phones.h"
#include "control/core/session_teid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_BITS 24 /* of an id; the other bits are a count, which makes ids unique */

static uint32_t slots(const struct sessions *s)
{
    return s->core->config->limits.contexts;
}

static struct sessions_wanted *find(const struct sessions *s, uint64_t id)
{
    uint32_t pdp = (uint32_t)(id & ((1U << SLOT_BITS) - 1));
    return s->wanted && id != 0 && pdp < slots(s) && s->wanted[pdp].id == id ? &s->wanted[pdp] : NULL;
}

const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id)
{
    return find(s, id);
}

static uint32_t slot_of(const struct sessions *s, const struct sessions_wanted *wanted)
{
    return (uint32_t)(wanted - s->wanted);
}

/* The TEID that the slot will have when it is filled next. */
static uint32_t next_teid(struct sessions *s, const struct sessions_wanted *wanted)
{
    struct session next = wanted->params;
    next.pdp = slot_of(s, wanted);
    next.home = (uint8_t)mobility_home(&s->core->mobility, wanted->mobile);
    next.generation = sessions_generation(s, next.home, next.pdp) + 1;
    return session_teid_give(s, &next);
}

/* --- requested contexts --- */

static void ask(struct sessions *s, const struct sessions_wanted *wanted, const struct sessions_asked *asked)
{
    const struct session *params = &wanted->params;
    struct core_wanted ask = {
        .id = wanted->id,
        .imsi = asked->imsi,
        .msisdn = asked->msisdn,
        .apn = wanted->apn,
        .sgsn_ip = params->sgsn_ip,
        .ggsn_ip = params->ggsn_ip,
        .teid = params->teid,
        .address = params->address,
        .prefix = params->prefix,
        .interface = params->interface,
        .ip_version = params->ip_version,
        .nsapi = params->gtp_nsapi,
        .qclass = params->qclass,
        .pco = asked->pco,
        .pco_octets = asked->pco_octets,
        .is_once = asked->is_once,
    };
    core_gtpc_add(s->core, &ask);
}

static bool has_table(struct sessions *s)
{
    if (!s->wanted)
        s->wanted = calloc(slots(s), sizeof(*s->wanted));
    return s->wanted && s->core->gtpc.object.L;
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params)
{
    const struct sessions_asked asked = {.imsi = listed->imsi, .msisdn = listed->msisdn, .apn = context->apn};
    if (!s->core->gtpc.object.L && s->refused == 0)
        core_tell(s->core, "gtpc", "warning",
                  "contexts with an APN are ignored: only a live node sends GTP-C to GGSNs");
    return sessions_gtpc_ask(s, mobile, &asked, params);
}

bool sessions_gtpc_ask(struct sessions *s, uint32_t mobile, const struct sessions_asked *asked,
                       const struct session *params)
{
    uint32_t pdp = sessions_free_pdp(s);
    if (pdp == SESSIONS_NONE || !has_table(s))
        return false;
    struct sessions_wanted *wanted = &s->wanted[pdp];
    *wanted = (struct sessions_wanted){.id = ++s->wanted_count << SLOT_BITS | pdp,
                                       .mobile = mobile,
                                       .session = SESSIONS_NONE,
                                       .params = *params,
                                       .is_once = asked->is_once};
    snprintf(wanted->apn, sizeof(wanted->apn), "%s", asked->apn);
    sessions_count_pdp(s, pdp, false);
    wanted->params.wanted = wanted->id;
    wanted->params.is_teid_given = true;
    wanted->params.teid = next_teid(s, wanted);
    s->mobiles[mobile].wanted++;
    ask(s, wanted, asked);
    return true;
}

static void end(struct sessions *s, const struct sessions_wanted *wanted)
{
    if (wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active)
        sessions_end(s, &s->list[wanted->session]);
}

/* Frees the slot of a request. */
static void release(struct sessions *s, struct sessions_wanted *wanted)
{
    uint32_t mobile = wanted->mobile;
    *wanted = (struct sessions_wanted){0};
    sessions_count_pdp(s, (uint32_t)(wanted - s->wanted), true);
    s->mobiles[mobile].wanted--;
    sessions_drop_idle(s, mobile);
}

void sessions_gtpc_forget(struct sessions *s, uint32_t pdp)
{
    struct sessions_wanted *wanted = &s->wanted[pdp];
    end(s, wanted);
    core_gtpc_del(s->core, wanted->id);
    release(s, wanted);
}

void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    for (uint32_t pdp = 0; s->wanted && pdp < slots(s); pdp++) {
        const struct sessions_wanted *wanted = &s->wanted[pdp];
        if (wanted->id != 0 && wanted->mobile == mobile && wanted->params.nsapi == nsapi)
            sessions_gtpc_forget(s, pdp);
    }
}

bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    for (uint32_t pdp = 0; s->wanted && mobile != SESSIONS_NONE && pdp < slots(s); pdp++) {
        struct sessions_wanted *wanted = &s->wanted[pdp];
        if (wanted->id == 0 || wanted->mobile != mobile || wanted->params.nsapi != nsapi)
            continue;
        wanted->params.qclass = qclass;
        core_gtpc_change(s->core, wanted->id, qclass);
        return true;
    }
    return false;
}

/* --- callbacks of the core --- */

static struct session params_of(const struct sessions_wanted *wanted, const struct core_given *given)
{
    struct session params = wanted->params;
    params.ggsn_ip = given->ggsn_ip;
    params.ggsn_teid = given->ggsn_teid;
    params.address = given->address;
    params.prefix = given->prefix;
    params.interface = given->interface;
    params.qclass = given->qclass;
    return params;
}

void sessions_gtpc_up(struct sessions *s, uint64_t id, const struct core_given *given)
{
    struct sessions_wanted *wanted = find(s, id);
    if (!wanted)
        return;
    struct session params = params_of(wanted, given);
    end(s, wanted);
    if (sessions_fill(s, wanted->mobile, slot_of(s, wanted), &params))
        wanted->session = s->count - 1;
    else
        s->refused++;
    if (wanted->is_once)
        core_phones_up(s->core, wanted->mobile, wanted->params.nsapi, given);
}

void sessions_gtpc_class(struct sessions *s, uint64_t id, uint8_t qclass)
{
    const struct sessions_wanted *wanted = find(s, id);
    struct msg msg = {.type = MSG_PDP_QCLASS, .qclass = qclass};
    if (!wanted || wanted->session == SESSIONS_NONE || !s->list[wanted->session].is_active)
        return;
    s->list[wanted->session].qclass = qclass;
    msg.slot = slot_of(s, wanted);
    mobility_order(&s->core->mobility, &msg);
}

void sessions_gtpc_down(struct sessions *s, uint64_t id)
{
    struct sessions_wanted *wanted = find(s, id);
    if (!wanted)
        return;
    s->lost += wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active;
    end(s, wanted);
    wanted->params.teid = next_teid(s, wanted);
    core_gtpc_teid(s->core, id, wanted->params.teid);
}

void sessions_gtpc_ended(struct sessions *s, uint64_t id, int cause)
{
    struct sessions_wanted *wanted = find(s, id);
    if (!wanted)
        return;
    uint32_t mobile = wanted->mobile;
    uint8_t nsapi = wanted->params.nsapi;
    end(s, wanted);
    release(s, wanted);
    core_phones_down(s->core, mobile, nsapi, cause);
}
