/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/transfer.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/context_ms.h"
#include "dataplane/context/context_pdp.h"
#include "dataplane/context/ms.h"
#include "dataplane/memory/pool.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/wait.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool transfer_has(const struct transfer *p, unsigned nsapi)
{
    return p->nsapis >> nsapi & 1;
}

/* --- packing --- */

static void take_contexts(struct worker *w, const struct ms *ms, struct transfer *transfer)
{
    transfer->nsapis = 0;
    for (unsigned k = 0; k < MS_NSAPIS; k++) {
        uint32_t index = ms->pdp[k];
        if (index == MS_PDP_NONE)
            continue;
        transfer->nsapis |= (uint16_t)(1u << (MS_NSAPI_MIN + k));
        transfer->pdps[k] = w->context.pdps[index].params;
        transfer->pdps[k].teid = 0;
        transfer->numbers[k] = w->context.pdps[index].next_number;
        reassembly_forget(&w->reassembly, &w->stats, index);
    }
}

static void take_n_pdus(struct worker *w, struct ms *ms, struct transfer *transfer)
{
    transfer->n_pdus = (struct n_pdu_list){0};
    transfer->pkts = 0;
    sched_ms_take_all(&w->context.sched, &ms->sched, &transfer->n_pdus);
    for (struct n_pdu *n_pdu = transfer->n_pdus.head; n_pdu; n_pdu = n_pdu->next) {
        n_pdu->pdp = w->context.pdps[n_pdu->pdp].params.nsapi;
        transfer->pkts++;
    }
    for (unsigned k = 0; k < MS_NSAPIS; k++) {
        transfer->forwards[k] = (struct forward_parcel){0};
        if (transfer_has(transfer, MS_NSAPI_MIN + k))
            transfer->pkts += forward_pack(w, ms->pdp[k], &transfer->forwards[k]);
        for (struct n_pdu *n_pdu = transfer->forwards[k].list.head; n_pdu; n_pdu = n_pdu->next)
            n_pdu->pdp = MS_NSAPI_MIN + k;
    }
}

/* Removes a mobile from the tables; at its home its contexts stay. */
static void leave(struct worker *w, uint32_t index)
{
    struct ms *ms = &w->context.mobiles[index];
    uint32_t own[MS_NSAPIS];

    lookup_ms_del(&w->lookup, ms, index, context_ms_nse(&w->context, index));
    if (ms->is_guest) {
        context_ms_del(&w->context, index);
        return;
    }
    memcpy(own, ms->pdp, sizeof(own));
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        ms->pdp[i] = MS_PDP_NONE;
    context_ms_del(&w->context, index);
    memcpy(ms->pdp, own, sizeof(own));
}

void transfer_take(struct worker *w, uint32_t index, struct transfer *transfer)
{
    struct ms *ms = &w->context.mobiles[index];
    transfer->ms = *ms;
    if (ms->stops)
        transfer->suspended_ns = w->context.suspended_ns[index];
    if (ms->has_elements)
        transfer->elements = *context_elements_of(&w->context, ms);
    if (w->pacing)
        pacing_ms_left(w->pacing, index);
    take_contexts(w, ms, transfer);
    gb_abm_take(w, index, transfer->links);
    transfer->compression = gb_compression_take(w, index);
    take_n_pdus(w, ms, transfer);
    w->stats.npdu_xworker_out += transfer->pkts;
    transfer->has_waiting = transfer->pkts > 0;
    transfer->ms.sched.wait = sched_wait_take(&w->context.sched, &ms->sched, transfer->has_waiting);
    leave(w, index);
}

uint32_t transfer_take_nsapi(struct transfer *transfer, unsigned nsapi, struct n_pdu_list *out)
{
    struct n_pdu_list all = transfer->n_pdus;
    struct n_pdu *n_pdu;
    uint32_t taken = 0;

    transfer->n_pdus = (struct n_pdu_list){0};
    while ((n_pdu = n_pdu_list_take(&all))) {
        bool is_it = n_pdu->pdp == nsapi;
        n_pdu_list_put(is_it ? out : &transfer->n_pdus, n_pdu);
        taken += is_it;
    }
    struct forward_parcel *parcel = &transfer->forwards[nsapi - MS_NSAPI_MIN];
    while ((n_pdu = n_pdu_list_take(&parcel->list))) {
        if (forward_was_sent(n_pdu)) {
            pool_n_pdu_free(n_pdu);
            continue;
        }
        n_pdu_list_put(out, n_pdu);
        taken++;
    }
    *parcel = (struct forward_parcel){0};
    transfer->pkts -= taken;
    transfer->nsapis &= (uint16_t) ~(1u << nsapi);
    gb_abm_parcels_forget(transfer->links, nsapi);
    return taken;
}

void transfer_take_over(struct transfer *transfer, unsigned nsapi, bool is_taking_over)
{
    struct forward_parcel *parcel = &transfer->forwards[nsapi - MS_NSAPI_MIN];
    struct n_pdu *n_pdu;
    parcel->is_taking_over = is_taking_over;
    if (is_taking_over || parcel->mode != FORWARD_OFF)
        return;
    while ((n_pdu = n_pdu_list_take(&parcel->list)))
        n_pdu_list_put(&transfer->n_pdus, n_pdu);
}

void transfer_end(struct transfer *transfer)
{
    gb_abm_parcels_free(transfer->links);
    gb_compression_list_free(transfer->compression);
    transfer->compression = NULL;
}

/* --- unpacking --- */

static int put_guest_contexts(struct worker *w, const struct transfer *transfer,
                              const struct msg_place *place)
{
    for (unsigned k = 0; k < MS_NSAPIS; k++) {
        struct pdp_params params = transfer->pdps[k];
        if (!transfer_has(transfer, MS_NSAPI_MIN + k))
            continue;
        params.ms = place->ms;
        if (context_pdp_add(&w->context, place->pdps[k], &params) < 0)
            return -1;
    }
    return 0;
}

static int put_ms(struct worker *w, const struct ms *was, const struct msg_place *place, int64_t now)
{
    struct msg msg;
    msg.ms = (struct ms_params){.tlli = was->tlli,
                                .bvc = place->bvc,
                                .n201_u = was->sched.n201_u,
                                .queue_limit_octets = was->sched.limit_octets,
                                .link_octets = was->sched.link_octets,
                                .stays_in_area = was->stays_in_area,
                                .drops_suspended = was->drops_suspended,
                                .imsi_octets = was->imsi_octets};
    memcpy(msg.ms.imsi, was->imsi, sizeof(msg.ms.imsi));
    return orders_ms_add(w, place->ms, &msg, now);
}

static int enter_as_guest(struct worker *w, const struct transfer *transfer, const struct msg_place *place,
                          int64_t now)
{
    if (put_ms(w, &transfer->ms, place, now) < 0)
        return -1;
    w->context.mobiles[place->ms].is_guest = true;
    if (put_guest_contexts(w, transfer, place) == 0)
        return 0;
    leave(w, place->ms);
    return -1;
}

/* The mobile's contexts and its record of a remote mobile must survive a failure. */
static int enter_at_home(struct worker *w, const struct transfer *transfer, const struct msg_place *place,
                         int64_t now)
{
    struct ms *ms = &w->context.mobiles[place->ms];
    uint32_t own[MS_NSAPIS], remote = ms->remote;

    memcpy(own, ms->pdp, sizeof(own));
    int status = put_ms(w, &transfer->ms, place, now);
    memcpy(ms->pdp, own, sizeof(own));
    ms->remote = status < 0 ? remote : 0;
    return status;
}

static void restore(struct worker *w, const struct transfer *transfer, struct ms *ms, bool is_lost)
{
    const struct ms *was = &transfer->ms;
    uint32_t index = (uint32_t)(ms - w->context.mobiles);

    if (was->has_tlli_old)
        lookup_ms_add_old(&w->lookup, ms, index, context_ms_nse(&w->context, index), was->tlli_old);
    ms->tells_tlli_old = was->tells_tlli_old && ms->has_tlli_old;
    if (was->has_elements)
        context_ms_elements(&w->context, index, &transfer->elements);
    ms->sched.link_octets = was->sched.link_octets; /* with all elements */
    memcpy(ms->llc, was->llc, sizeof(ms->llc));
    ms->cipher = was->cipher;
    ms->is_ciphered = was->is_ciphered;
    ms->unprotected = was->unprotected;
    ms->awaits_reset = was->awaits_reset;
    ms->is_wanted = was->is_wanted;
    ms->stops = was->stops & ~MS_AWAITS_CELL;
    uint8_t frozen = is_lost ? SCHED_MS_LOST : 0; /* one that was lost was heard in the new cell */
    if (ms->stops) {
        frozen |= SCHED_MS_SUSPENDED;
        w->context.suspended_ns[index] = transfer->suspended_ns;
    }
    if (frozen)
        sched_ms_freeze(&w->context.sched, &ms->sched, frozen);
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        if (transfer_has(transfer, MS_NSAPI_MIN + k))
            w->context.pdps[ms->pdp[k]].next_number = transfer->numbers[k];
}

static void put_n_pdu(struct worker *w, struct ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    n_pdu->pdp = ms_pdp(ms, n_pdu->pdp);
    n_pdu->generation = w->context.pdps[n_pdu->pdp].generation;
    enum drop reason = (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
    if (reason != DROP_NONE)
        fate_drop(w, n_pdu, n_pdu->sent_octets > 0 ? DROP_PARTIAL : reason, now);
}

/* Where all links are in use, control is told, and N-PDUs of its contexts in acknowledged mode are dropped
 * until it orders another mode. */
static void attach_links(struct worker *w, const struct ms *ms, int64_t now)
{
    for (unsigned k = 0; k < MS_NSAPIS; k++) {
        const struct pdp_params *pdp = ms->pdp[k] == MS_PDP_NONE ? NULL : &w->context.pdps[ms->pdp[k]].params;
        const struct msg lost = {.type = MSG_LLC_LOST, .slot = ms->pdp[k]};
        if (pdp && pdp->is_acknowledged && gb_abm_attach(w, pdp->ms, pdp->sapi, now) < 0)
            (void)msg_put(w->rings.to_control, &lost);
    }
}

int transfer_put(struct worker *w, struct transfer *transfer, const struct msg_place *place, bool is_guest,
                 int64_t now)
{
    struct n_pdu *n_pdu;
    int status = is_guest ? enter_as_guest(w, transfer, place, now) : enter_at_home(w, transfer, place, now);
    if (status < 0)
        return -1;
    struct ms *ms = &w->context.mobiles[place->ms];
    sched_wait_put(&w->context.sched, &ms->sched, &transfer->ms.sched.wait, transfer->has_waiting);
    restore(w, transfer, ms, place->is_lost);
    attach_links(w, ms, now);
    gb_abm_put(w, place->ms, transfer->links, now);
    gb_compression_put(w, place->ms, transfer->compression);
    transfer->compression = NULL;
    w->stats.npdu_xworker_in += transfer->pkts;
    transfer->pkts = 0;
    while ((n_pdu = n_pdu_list_take(&transfer->n_pdus)))
        put_n_pdu(w, ms, n_pdu, now);
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        if (transfer_has(transfer, MS_NSAPI_MIN + k))
            forward_unpack(w, ms->pdp[k], &transfer->forwards[k], now);
    standby_look_back(w, ms, now);
    return 0;
}
