/* SPDX-License-Identifier: BSD-3-Clause */
/* --- where mobiles are found --- */
#include "dataplane/worker/msg.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

uint16_t orders_ms_nse(const struct worker *w, uint32_t index)
{
    return w->context.bvcs[w->context.mobiles[index].bvc].nse;
}

static bool list_under(struct worker *w, uint32_t index, uint16_t nse, uint32_t tlli)
{
    return u64_map_add(&w->lookup.mobiles, lookup_mobile_key(nse, tlli), index) == 0;
}

static void unlist_under(struct worker *w, uint32_t index, uint16_t nse, uint32_t tlli)
{
    u64_map_del(&w->lookup.mobiles, lookup_mobile_key(nse, tlli), index);
}

/* Enters a mobile's TLLIs, in an NSE, into the look-up. False: another mobile has one of them, or there is
 * no room; then nothing is changed. */
static bool orders_ms_list(struct worker *w, uint32_t index, uint16_t nse)
{
    const struct ms *ms = &w->context.mobiles[index];
    if (!list_under(w, index, nse, ms->tlli))
        return false;
    if (!ms->has_tlli_old || list_under(w, index, nse, ms->tlli_old))
        return true;
    unlist_under(w, index, nse, ms->tlli);
    return false;
}

void orders_ms_unlist(struct worker *w, uint32_t index, uint16_t nse)
{
    const struct ms *ms = &w->context.mobiles[index];
    unlist_under(w, index, nse, ms->tlli);
    if (ms->has_tlli_old)
        unlist_under(w, index, nse, ms->tlli_old);
}

void orders_ms_list_old(struct worker *w, uint32_t index, uint32_t tlli)
{
    struct ms *ms = &w->context.mobiles[index];
    if (!list_under(w, index, orders_ms_nse(w, index), tlli))
        return;
    ms->tlli_old = tlli;
    ms->has_tlli_old = true;
}

/* --- orders --- */

/* Assigns TLLIs. One of the mobile's present two that is not among the new ones leaves the look-up. */
int orders_ms_tlli(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    const struct ms *ms = &c->mobiles[index];
    const uint32_t tlli = msg->assigned.tlli, before[] = {ms->tlli, ms->tlli_old};
    unsigned count = ms->has_tlli_old ? 2 : 1;
    uint16_t nse = orders_ms_nse(w, index);
    bool is_known = tlli == before[0] || (count == 2 && tlli == before[1]);

    if (!is_known && !list_under(w, index, nse, tlli))
        return -1;
    context_ms_tlli(c, index, tlli, msg->assigned.keeps_old);
    for (unsigned i = 0; i < count; i++)
        if (before[i] != ms->tlli && !(ms->has_tlli_old && before[i] == ms->tlli_old))
            unlist_under(w, index, nse, before[i]);
    return 0;
}

int orders_ms_flow(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_flow(&w->context, index, &msg->flow, now);
}

int orders_ms_defaults(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_defaults(&w->context, index, now);
}

static_assert(U64_MAP_NONE == MS_NONE, "a slot that the map does not have is no mobile's");

int orders_ms_discarded(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_discard discard = msg->discard;
    discard.ms = index;
    if (index != MS_NONE)
        gb_abm_lost(w, index, false, now);
    return context_discarded(&w->context, &discard, now);
}

int orders_ms_flushed(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_flush flush = msg->flush;
    flush.ms = index;
    if (index != MS_NONE && flush.to == GB_BVC_NONE)
        gb_abm_lost(w, index, true, now);
    return context_flushed(&w->context, &flush, now);
}

/* After the mobile became lost, suspended or reachable: with queued N-PDUs it is paged at once. */
static int look_back(struct worker *w, uint32_t index, int status)
{
    if (status == 0)
        standby_look_back(w, &w->context.mobiles[index]);
    return status;
}

int orders_ms_suspend(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return look_back(w, index, context_ms_suspend(&w->context, index, msg->is_suspended, now));
}

int orders_ms_lost(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return look_back(w, index, context_ms_lost(&w->context, index, msg->is_lost, now));
}

int orders_ms_page_end(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->context.mobiles[index].is_paged = false;
    return 0;
}

int orders_ms_wanted(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return standby_want(w, &w->context.mobiles[index], now) ? 0 : -1;
}

int orders_ms_cell(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return session_orders_ms_cell(w, index, msg->cell.bvc, msg->cell.is_lost, now);
}

int orders_ms_imsi(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_imsi(&w->context, index, &msg->imsi);
}

int orders_ms_elements(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_elements(&w->context, index, &msg->elements);
}

/* --- packet flows --- */

int orders_ms_pfc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_add(&w->context, index, msg->pfi, now);
}

int orders_ms_pfc_flow(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_flow(&w->context, index, msg->pfc.pfi, &msg->pfc.flow, now);
}

int orders_ms_pfc_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_del(&w->context, index, msg->pfi, now);
}

/* --- what is heard --- */

bool orders_ms_is_in(const struct worker *w, uint32_t index, struct msg_heard cell)
{
    const struct gb_bvc *bvc = &w->context.bvcs[w->context.mobiles[index].bvc];
    return cell.bvci == bvc->bvci && cell.nse == bvc->nse;
}

/* Control may have refused to move the mobile when it was told before, so it is told again. */
static void tell_cell(struct worker *w, uint32_t index, struct msg_heard cell, bool is_again)
{
    struct ms *ms = &w->context.mobiles[index];
    uint16_t nse = orders_ms_nse(w, index);
    struct msg msg = {.type = MSG_MS_HEARD, .nse = nse, .slot = index, .heard = cell};
    if (cell.nse == nse && cell.bvci == ms->told_bvci && !is_again)
        return;
    if (msg_put(w->rings.to_control, &msg) && cell.nse == nse)
        ms->told_bvci = cell.bvci;
}

void orders_ms_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    bool is_here = orders_ms_is_in(w, index, cell), is_later = ms->heard_ticks != ms_ticks(now);

    /* Elsewhere it is not to be reached in the cell that it has here, and may be so in none. */
    if (is_here)
        context_ms_heard(&w->context, ms, now);
    else
        ms->heard_ticks = ms_ticks(now);
    standby_heard(w, ms);
    if (ms->tells_tlli_old && tlli == ms->tlli)
        context_ms_tlli_heard(ms);
    if (is_here)
        ms->told_bvci = 0;
    else
        tell_cell(w, index, cell, is_later);
}

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
    gb_abm_end(w, index);
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
    int status = go_to(w, index, bvc, is_lost, now);
    gb_abm_moved(w, index, now);
    return status;
}

int session_orders_start_pdp(struct worker *w, uint32_t index, const struct pdp_params *pdp, int64_t now)
{
    if (context_pdp_add(&w->context, index, pdp) < 0)
        return -1;
    if (!pdp->is_acknowledged || gb_abm_attach(w, pdp->ms, pdp->sapi, now) == 0)
        return 0;
    context_pdp_del(&w->context, index, now);
    return -1;
}

int session_orders_stop_pdp(struct worker *w, uint32_t index, int64_t now)
{
    const struct pdp_params params = w->context.pdps[index].params;
    int status = context_pdp_del(&w->context, index, now);
    if (status == 0 && params.is_acknowledged)
        gb_abm_detach(w, params.ms, params.sapi, params.nsapi, now);
    return status;
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
    return session_orders_stop_pdp(w, index, now);
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
        if (session_orders_start_pdp(w, index, pdp, now) == 0) {
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

int session_orders_set_llc(struct worker *w, uint32_t index, bool is_acknowledged, int64_t now)
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

int session_orders_pdp_llc(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->orders.answer.answer.generation = msg->llc_mode.generation;
    if (index >= w->context.limits.pdps || !w->context.pdps[index].in_use ||
        is_guests(w, w->context.pdps[index].params.ms))
        return -1;
    return session_orders_set_llc(w, index, msg->llc_mode.is_acknowledged, now);
}

int session_orders_pdp_pfi(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pdp_pfi(&w->context, index, msg->pfi);
}

int session_orders_pdp_qclass(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pdp_qclass(&w->context, index, msg->qclass);
}
