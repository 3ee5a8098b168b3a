/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/session_orders.h"

#include "dataplane/worker/orders_ms.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"

/* A mobile that is here and not a guest; NULL. */
static struct ms *ms_at(struct worker *w, uint32_t index)
{
    if (index >= w->context.limits.mobiles)
        return NULL;
    struct ms *ms = &w->context.mobiles[index];
    return ms->in_use && !ms->is_guest ? ms : NULL;
}

static bool is_guests(const struct worker *w, uint32_t ms)
{
    return ms < w->context.limits.mobiles && w->context.mobiles[ms].is_guest;
}

int session_orders_ms_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_ms_add(&w->context, index, &msg->ms, now) < 0)
        return -1;
    if (orders_ms_list(w, index, orders_ms_nse(w, index)))
        return 0;
    context_ms_del(&w->context, index);
    return -1;
}

int session_orders_ms_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct ms *ms = ms_at(w, index);
    if (!ms)
        return -1;
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE)
            session_orders_end_pdp(w, ms->pdp[i], now);
    orders_ms_unlist(w, index, orders_ms_nse(w, index));
    return context_ms_del(&w->context, index);
}

static int go_to(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    if (!is_lost)
        return context_ms_move(&w->context, index, bvc, now);
    int status = context_ms_park(&w->context, index, bvc, now);
    standby_look_back(w, ms);
    return status;
}

/* moves_order() carries out all moves but those of a slot that the table does not have. */
int session_orders_ms_move(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return -1;
}

int session_orders_ms_cell(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now)
{
    if (bvc >= w->context.limits.bvcs || !w->context.bvcs[bvc].in_use)
        return -1;
    uint16_t from = orders_ms_nse(w, index), to = w->context.bvcs[bvc].nse;
    if (from != to && !orders_ms_list(w, index, to))
        return -1;
    if (from != to)
        orders_ms_unlist(w, index, from);
    return go_to(w, index, bvc, is_lost, now);
}

int session_orders_end_pdp(struct worker *w, uint32_t index, int64_t now)
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
    return context_pdp_del(&w->context, index, now);
}

int session_orders_pdp_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return session_orders_end_pdp(w, index, now);
}

/* Whether control has told of an IPv6 address. */
static bool is_known(const struct worker *w, uint32_t ip)
{
    return !address_is_ipv6(ip) || addresses_octets(&w->lookup.ipv6, ip);
}

/* Both ends are there, and of one IP version. */
static bool can_reach(const struct worker *w, const struct pdp_params *pdp)
{
    bool is_mixed = address_is_ipv6(pdp->sgsn_ip) != address_is_ipv6(pdp->ggsn_ip);
    return is_known(w, pdp->sgsn_ip) && is_known(w, pdp->ggsn_ip) &&
           (pdp->ggsn_ip == ADDRESS_NONE || !is_mixed);
}

int session_orders_pdp_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct pdp_params *pdp = &msg->pdp;
    struct table_key key = lookup_tunnel_key(pdp->sgsn_ip, pdp->teid);
    uint64_t remote = lookup_remote_key(pdp->ggsn_ip, pdp->ggsn_teid);
    if (!can_reach(w, pdp) || is_guests(w, pdp->ms) || lookup_address_add(&w->lookup.gn, pdp->sgsn_ip) < 0)
        return -1;
    if (tunnels_add(&w->tunnels, &key, index) == 0) {
        if (context_pdp_add(&w->context, index, pdp) == 0) {
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

int session_orders_pdp_pfi(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pdp_pfi(&w->context, index, msg->pfi);
}

int session_orders_pdp_qclass(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pdp_qclass(&w->context, index, msg->qclass);
}
