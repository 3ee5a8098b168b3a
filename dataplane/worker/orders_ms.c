/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles, and frames that show in which cell a mobile is. */

#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/msg.h"
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* Assigns TLLIs. One of the mobile's present two that is not among the new ones leaves the look-up. */
int orders_ms_tlli(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    const struct ms *ms = &c->mobiles[index];
    const uint32_t tlli = msg->assigned.tlli, before[] = {ms->tlli, ms->tlli_old};
    unsigned count = ms->has_tlli_old ? 2 : 1;
    uint16_t nse = context_ms_nse(&w->context, index);
    bool is_known = tlli == before[0] || (count == 2 && tlli == before[1]);

    if (!is_known && !lookup_tlli_add(&w->lookup, nse, tlli, index))
        return -1;
    context_ms_tlli(c, index, tlli, msg->assigned.keeps_old);
    for (unsigned i = 0; i < count; i++)
        if (before[i] != ms->tlli && !(ms->has_tlli_old && before[i] == ms->tlli_old))
            lookup_tlli_del(&w->lookup, nse, before[i], index);
    return 0;
}

ORDERS_CALL(orders_ms_flow, context_ms_flow(&w->context, index, &msg->flow, now))
ORDERS_CALL(orders_ms_defaults, context_ms_defaults(&w->context, index, now))

static_assert(U64_MAP_NONE == MS_NONE, "a slot that the map does not have is no mobile's");

int orders_ms_discarded(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_discard discard = msg->discard;
    discard.ms = index;
    if (index != MS_NONE) {
        gb_abm_lost(w, index, false, now);
        gb_compression_lost(w, index);
        if (w->pacing)
            pacing_ms_lost(w->pacing, index, false);
    }
    return context_bvc_discarded(&w->context, &discard, now);
}

int orders_ms_flushed(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_flush flush = msg->flush;
    flush.ms = index;
    if (index != MS_NONE && flush.to == GB_BVC_NONE)
        gb_abm_lost(w, index, true, now);
    if (index != MS_NONE)
        gb_compression_lost(w, index);
    return context_bvc_flushed(&w->context, &flush, now);
}

static int look_back(struct worker *w, uint32_t index, int status, int64_t now)
{
    if (status == 0)
        standby_look_back(w, &w->context.mobiles[index], now);
    return status;
}

ORDERS_CALL(orders_ms_suspend,
            look_back(w, index, context_ms_stop(&w->context, index, MS_SUSPENDED, msg->is_suspended, now),
                      now))
ORDERS_CALL(orders_ms_lost, look_back(w, index, context_ms_lost(&w->context, index, msg->is_lost, now), now))

static void tell_numbers(const struct worker *w, uint32_t index, struct msg_n_pdu_numbers *out)
{
    for (unsigned i = 0; i < MS_NSAPIS; i++) {
        uint32_t at = w->context.mobiles[index].pdp[i];
        const struct pdp_params *pdp = at == MS_PDP_NONE ? NULL : &w->context.pdps[at].params;
        const struct gb_abm_link *l = pdp && pdp->is_acknowledged ? gb_abm_find(w, index, pdp->sapi) : NULL;
        if (!l)
            continue;
        out->nsapis |= (uint16_t)(1u << i);
        out->send[i] = l->link.next_number[i];
        out->receive[i] = l->link.in[i].number;
    }
}

/* N-PDUs that wait beside the queue join it before the hold ends. */
int orders_ms_hold(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (!msg->is_held)
        forward_end(w, &w->context.mobiles[index], now);
    tell_numbers(w, index, &w->orders.answer.answer.n_pdus);
    return look_back(w, index, context_ms_stop(&w->context, index, MS_HELD, msg->is_held, now), now);
}

int orders_ms_received(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    uint32_t pdp = ms_pdp(&w->context.mobiles[index], msg->received.nsapi);
    if (pdp == MS_PDP_NONE)
        return -1;
    w->stats.forward_confirmed += gb_abm_confirm(w, &w->context.pdps[pdp].params, msg->received.number, now);
    return 0;
}

ORDERS_CALL(orders_pdp_forward, forward_begin(w, index, &msg->forward, now))

int orders_ms_page_end(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    standby_page_end(&w->context.mobiles[index]);
    return 0;
}

ORDERS_CALL(orders_ms_decided, standby_decided(w, &w->context.mobiles[index], msg->heard_number, now))
ORDERS_CALL(orders_ms_wanted, standby_want(w, &w->context.mobiles[index], now) ? 0 : -1)
ORDERS_CALL(orders_ms_cell, orders_ms_go(w, index, msg->cell.bvc, msg->cell.is_lost, now))
ORDERS_CALL(orders_ms_imsi, context_ms_imsi(&w->context, index, &msg->imsi))
ORDERS_CALL(orders_ms_elements, context_ms_elements(&w->context, index, &msg->elements))

/* --- packet flows --- */

ORDERS_CALL(orders_ms_pfc_add, context_ms_pfc_add(&w->context, index, msg->pfi, now))
ORDERS_CALL(orders_ms_pfc_flow, context_ms_pfc_flow(&w->context, index, msg->pfc.pfi, &msg->pfc.flow, now))
ORDERS_CALL(orders_ms_pfc_del, context_ms_pfc_del(&w->context, index, msg->pfi, now))

/* A mobile that is here and not a guest; NULL. */
static struct ms *ms_at(struct worker *w, uint32_t index)
{
    if (index >= w->context.limits.mobiles)
        return NULL;
    struct ms *ms = &w->context.mobiles[index];
    return ms->in_use && !ms->is_guest ? ms : NULL;
}

int orders_ms_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_ms_add(&w->context, index, &msg->ms, now) < 0)
        return -1;
    if (lookup_ms_add(&w->lookup, &w->context.mobiles[index], index, context_ms_nse(&w->context, index))) {
        w->stats.ul_llc_frames += msg->ms.first_sapi != 0;
        return 0;
    }
    context_ms_del(&w->context, index);
    return -1;
}

static void tell_llc_numbers(const struct ms *ms, struct msg_numbers *out)
{
    for (unsigned i = 0; i < MS_SAPIS; i++) {
        out->down[i] = llc_entity_nu(ms->llc[i].vu);
        out->up[i] = llc_entity_nu(ms->llc[i].vur);
    }
}

/* Control knows it by its former TLLI until the phone uses the new one. */
static void tell_gone(const struct ms *ms, struct msg_gone *out)
{
    out->tlli = ms->has_tlli_old ? ms->tlli_old : ms->tlli;
    out->is_kept = !ms->awaits_reset && !ms->is_ciphered;
    tell_llc_numbers(ms, &out->numbers);
}

int orders_ms_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct ms *ms = ms_at(w, index);
    if (!ms)
        return -1;
    tell_gone(ms, &w->orders.answer.answer.gone);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE)
            orders_pdp_end(w, ms->pdp[i], now);
    lookup_ms_del(&w->lookup, ms, index, context_ms_nse(&w->context, index));
    gb_abm_end(w, index);
    gb_compression_end(w, index);
    return context_ms_del(&w->context, index);
}

static int go_to(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    if (w->pacing)
        pacing_ms_lost(w->pacing, index, false);
    if (!is_lost)
        return context_ms_move(&w->context, index, bvc, now);
    int status = context_ms_park(&w->context, index, bvc, now);
    standby_look_back(w, ms, now);
    return status;
}

/* moves_order() carries out all moves but those of a slot that the table does not have. */
ORDERS_CALL(orders_ms_move, -1)

int orders_ms_go(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now)
{
    if (bvc >= w->context.limits.bvcs || !w->context.bvcs[bvc].in_use)
        return -1;
    const struct ms *ms = &w->context.mobiles[index];
    uint16_t from = context_ms_nse(&w->context, index), to = w->context.bvcs[bvc].nse;
    if (from != to && !lookup_ms_add(&w->lookup, ms, index, to))
        return -1;
    if (from != to)
        lookup_ms_del(&w->lookup, ms, index, from);
    int status = go_to(w, index, bvc, is_lost, now);
    gb_abm_moved(w, index, now);
    gb_compression_lost(w, index);
    return status;
}

/* --- their LLC --- */

#define ALL_SAPIS ((1u << MS_SAPIS) - 1)

/* The answer says which frames are the first with the new key. */
int orders_ms_cipher(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    struct msg_numbers *numbers = &w->orders.answer.answer.numbers;
    if (msg->cipher.algorithm != 0 && !w->gea)
        return -1;
    if (ms_cipher_switch(ms, &msg->cipher) < 0)
        return -1;
    ms->awaits_reset = false;
    gb_abm_renew(w, index, now);
    tell_llc_numbers(ms, numbers);
    return 0;
}

int orders_ms_unprotected(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (msg->unprotected_sapis > ALL_SAPIS)
        return -1;
    w->context.mobiles[index].unprotected = (uint8_t)msg->unprotected_sapis;
    return 0;
}

int orders_ms_llc_await(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->context.mobiles[index].awaits_reset = true;
    return 0;
}

int orders_ms_llc_reset(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    gb_abm_reset(w, index, now);
    return 0;
}

int orders_ms_abm(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    gb_abm_bound(w, index, msg->abm.sapi, &msg->abm.bounds, now);
    return 0;
}

int orders_link_values(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    gb_abm_values(w, &msg->link_values);
    return 0;
}

int orders_ms_n201_u(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    uint32_t most = gb_abm_n201(w, index), octets = msg->n201_u_octets;
    return context_ms_n201_u(&w->context, index, octets < most ? octets : most, now);
}

/* Mobiles that another worker serves have their limit from that one. */
int orders_ms_limit(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_ms_limit *l = &msg->ms_limit;
    if (l->count > MSG_MS_LIMITS || l->octets > UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < l->count && l->first + i < w->context.limits.mobiles; i++)
        context_ms_limit(&w->context, l->first + i, (uint32_t)l->octets, now);
    return 0;
}
