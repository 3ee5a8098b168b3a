/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders to make, change and delete PDP contexts: the tables, and all look-ups that lead to them. */
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/context_pdp.h"
#include "dataplane/context/ms.h"

#include <stdbool.h>
#include <stdint.h>

static bool is_guests(const struct worker *w, uint32_t ms)
{
    return ms < w->context.limits.mobiles && w->context.mobiles[ms].is_guest;
}

/* A context of a mobile that is here and not a guest. */
static bool is_own(const struct worker *w, uint32_t index)
{
    return index < w->context.limits.pdps && w->context.pdps[index].in_use &&
           !is_guests(w, w->context.pdps[index].params.ms);
}

int orders_pdp_start(struct worker *w, uint32_t index, const struct pdp_params *pdp, int64_t now)
{
    if (context_pdp_add(&w->context, index, pdp) < 0)
        return -1;
    if (!pdp->is_acknowledged || gb_abm_attach(w, pdp->ms, pdp->sapi, now) == 0)
        return 0;
    context_pdp_del(&w->context, index, now);
    return -1;
}

/* Drops what a context has queued, while it is there to count that. */
static void empty(struct worker *w, uint32_t index, int64_t now)
{
    struct ms *ms = &w->context.mobiles[w->context.pdps[index].params.ms];
    forward_forget(w, index, now);
    sched_ms_remove_pdp(&w->context.sched, &ms->sched, index, now);
    fate_reap(w, now);
}

int orders_pdp_stop(struct worker *w, uint32_t index, int64_t now)
{
    const struct pdp_params params = w->context.pdps[index].params;
    if (w->context.pdps[index].in_use)
        empty(w, index, now);
    int status = context_pdp_del(&w->context, index, now);
    if (status == 0 && params.is_acknowledged)
        gb_abm_detach(w, params.ms, params.sapi, params.nsapi, now);
    return status;
}

int orders_pdp_end(struct worker *w, uint32_t index, int64_t now)
{
    if (index >= w->context.limits.pdps || !w->context.pdps[index].in_use)
        return -1;
    const struct pdp_params *pdp = &w->context.pdps[index].params;
    if (is_guests(w, pdp->ms))
        return -1;
    struct table_key key = lookup_tunnel_key(pdp->sgsn_ip, pdp->teid);
    tunnels_del(&w->tunnels, &key, index);
    u64_map_del(&w->lookup.remotes, lookup_remote_key(pdp->ggsn_ip, pdp->ggsn_teid), index);
    lookup_address_del(&w->lookup.gn, pdp->sgsn_ip);
    reassembly_forget(&w->reassembly, &w->stats, index);
    return orders_pdp_stop(w, index, now);
}

ORDERS_CALL(orders_pdp_del, orders_pdp_end(w, index, now))

/* Whether control has told of an IPv6 address. */
static bool is_known(const struct worker *w, uint32_t ip)
{
    return !address_is_ipv6(ip) || lookup_ipv6_octets(&w->lookup.ipv6, ip);
}

/* Both ends are there, and of one IP version. */
static bool can_reach(const struct worker *w, const struct pdp_params *pdp)
{
    bool is_mixed = address_is_ipv6(pdp->sgsn_ip) != address_is_ipv6(pdp->ggsn_ip);
    return is_known(w, pdp->sgsn_ip) && is_known(w, pdp->ggsn_ip) &&
           (pdp->ggsn_ip == ADDRESS_NONE || !is_mixed);
}

int orders_pdp_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct pdp_params *pdp = &msg->pdp;
    struct table_key key = lookup_tunnel_key(pdp->sgsn_ip, pdp->teid);
    uint64_t remote = lookup_remote_key(pdp->ggsn_ip, pdp->ggsn_teid);
    if (!can_reach(w, pdp) || is_guests(w, pdp->ms) || lookup_address_add(&w->lookup.gn, pdp->sgsn_ip) < 0)
        return -1;
    if (tunnels_add(&w->tunnels, &key, index) == 0) {
        if (orders_pdp_start(w, index, pdp, now) == 0) {
            /* No room is no reason to refuse: the context is only deaf to Error Indications then. */
            if (pdp->ggsn_ip != 0)
                u64_map_put(&w->lookup.remotes, remote, index);
            return 0;
        }
        tunnels_del(&w->tunnels, &key, index);
    }
    lookup_address_del(&w->lookup.gn, pdp->sgsn_ip);
    return -1;
}

static int set_llc(struct worker *w, uint32_t index, bool is_acknowledged, int64_t now)
{
    struct pdp_params *pdp = &w->context.pdps[index].params;
    if (pdp->is_acknowledged == is_acknowledged) /* it may have come from a worker without a link for it */
        return is_acknowledged && !gb_abm_find(w, pdp->ms, pdp->sapi) ? MSG_NO_LINK : 0;
    if (is_acknowledged && gb_abm_attach(w, pdp->ms, pdp->sapi, now) < 0)
        return MSG_NO_LINK;
    pdp->is_acknowledged = is_acknowledged;
    reassembly_forget(&w->reassembly, &w->stats, index);
    if (!is_acknowledged)
        gb_abm_detach(w, pdp->ms, pdp->sapi, pdp->nsapi, now);
    return 0;
}

int orders_pdp_set_llc(struct worker *w, uint32_t index, const struct msg_llc_mode *mode, int64_t now)
{
    int status = set_llc(w, index, mode->is_acknowledged, now);
    if (status == 0 && mode->is_continued)
        gb_abm_continue(w, &w->context.pdps[index].params, mode->send, mode->receive, now);
    return status;
}

int orders_pdp_llc(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->orders.answer.answer.generation = msg->llc_mode.generation;
    if (!is_own(w, index))
        return -1;
    return orders_pdp_set_llc(w, index, &msg->llc_mode, now);
}

int orders_pdp_set_from(struct worker *w, uint32_t index, uint32_t ip, int64_t now)
{
    bool is_there = ip != ADDRESS_NONE;
    if (!is_known(w, ip) || forward_take_over(w, index, is_there, now) < 0)
        return -1;
    if (forward_from(w, index, ip) == 0)
        return 0;
    (void)forward_take_over(w, index, false, now);
    return -1;
}

void orders_pdp_put_ends(struct pdp_params *pdp, const struct msg_ggsn *ggsn)
{
    pdp->ggsn_ip = ggsn->ip;
    pdp->ggsn_teid = ggsn->teid;
    pdp->address = ggsn->address;
    pdp->prefix = ggsn->prefix;
    pdp->interface = ggsn->interface;
}

int orders_pdp_set_ggsn(struct worker *w, uint32_t index, const struct msg_ggsn *ggsn)
{
    struct pdp_params *pdp = &w->context.pdps[index].params, changed = *pdp;
    orders_pdp_put_ends(&changed, ggsn);
    if (ggsn->ip == ADDRESS_NONE || !can_reach(w, &changed))
        return -1;
    u64_map_del(&w->lookup.remotes, lookup_remote_key(pdp->ggsn_ip, pdp->ggsn_teid), index);
    *pdp = changed;
    w->context.pdps[index].error_period = 0;
    u64_map_put(&w->lookup.remotes, lookup_remote_key(ggsn->ip, ggsn->teid), index);
    return 0;
}

ORDERS_CALL(orders_pdp_from, is_own(w, index) ? orders_pdp_set_from(w, index, msg->forwarder_ip, now) : -1)
ORDERS_CALL(orders_pdp_ggsn, is_own(w, index) ? orders_pdp_set_ggsn(w, index, &msg->ggsn) : -1)
ORDERS_CALL(orders_pdp_pfi, context_pdp_pfi(&w->context, index, msg->pfi))
ORDERS_CALL(orders_pdp_qclass, context_pdp_qclass(&w->context, index, msg->qclass))
