/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/moves.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"
#include "dataplane/worker/xworker.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/fate.h"

#include <rte_ring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool transfer_has(const struct transfer *p, unsigned nsapi)
{
    return p->nsapis >> nsapi & 1;
}

#define SENDING_BURST 32 /* mobiles served in one step */

/* --- memory --- */

bool moves_new(struct moves *m, uint32_t count)
{
    /* struct transfer is aligned to a cache line. */
    *m = (struct moves){.list = bigmem_new(count * sizeof(*m->list)), .count = count};
    for (uint32_t i = count; m->list && i-- > 0;) {
        m->list[i].next_free = m->free;
        m->free = &m->list[i];
    }
    return m->list != NULL;
}

static void free_list(struct n_pdu_list *list)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(list)))
        rte_pktmbuf_free(pool_mbuf(n_pdu));
}

void moves_free_note(struct xworker_note *note)
{
    struct moves_note *mine = (struct moves_note *)note;
    if (!mine->is_full)
        return;
    free_list(&mine->transfer.n_pdus);
    gb_abm_parcels_free(mine->transfer.links);
}

void moves_free(struct moves *m)
{
    for (uint32_t i = 0; m->list && i < m->count; i++) {
        free_list(&m->list[i].held);
        moves_free_note(&m->list[i].note.head);
    }
    bigmem_free(m->list, m->count * sizeof(*m->list));
    *m = (struct moves){0};
}

struct moves_remote *moves_home_remote(struct worker *w, uint32_t ms)
{
    uint32_t remote = w->context.mobiles[ms].remote;
    return remote == 0 ? NULL : &w->moves.list[remote - 1];
}

struct moves_remote *moves_home_begin(struct worker *w, uint32_t ms)
{
    struct moves_remote *remote = w->moves.free;
    if (!remote)
        return NULL;
    w->moves.free = remote->next_free;
    *remote = (struct moves_remote){.ms = ms, .at.worker = MOVES_NOWHERE};
    w->context.mobiles[ms].remote = (uint32_t)(remote - w->moves.list) + 1;
    return remote;
}

static void free_record(struct moves *m, struct moves_remote *remote)
{
    remote->next_free = m->free;
    m->free = remote;
}

void moves_home_end(struct worker *w, struct moves_remote *remote)
{
    remote->is_busy = false;
    remote->is_over = true;
    if (!remote->is_sending)
        free_record(&w->moves, remote);
}

/* --- N-PDUs --- */

static bool can_send(const struct moves_remote *remote)
{
    return !remote->is_busy && !remote->is_over && remote->at.worker != MOVES_NOWHERE;
}

/* Puts an N-PDU on the xworker ring to the server; if that is full, leaves it unchanged. */
static bool moves_send(struct worker *w, const struct moves_remote *remote, struct n_pdu *n_pdu)
{
    uint32_t here = n_pdu->pdp;
    n_pdu->pdp = remote->at.pdps[w->context.pdps[here].params.nsapi - MS_NSAPI_MIN];
    if (xworker_put(w->xworker, w->number, remote->at.worker, XWORKER_N_PDU, pool_mbuf(n_pdu))) {
        w->stats.npdu_xworker_out++;
        return true;
    }
    n_pdu->pdp = here;
    return false;
}

static void join_sending(struct moves *m, struct moves_remote *remote)
{
    if (remote->is_sending || !remote->held.head || !can_send(remote))
        return;
    remote->is_sending = true;
    remote->next_sending = NULL;
    if (m->sending)
        m->sending_last->next_sending = remote;
    else
        m->sending = remote;
    m->sending_last = remote;
}

static void moves_hold(struct worker *w, struct moves_remote *remote, struct n_pdu *n_pdu, int64_t now)
{
    if (remote->held_pkts == MOVES_HELD) {
        fate_drop(w, n_pdu, DROP_MOVE_FULL, now);
        return;
    }
    n_pdu_list_put(&remote->held, n_pdu);
    remote->held_pkts++;
    w->stats.npdu_held++;
    join_sending(&w->moves, remote);
}

void moves_forward(struct worker *w, struct n_pdu *n_pdu, int64_t now)
{
    struct moves_remote *remote = moves_home_remote(w, w->context.pdps[n_pdu->pdp].params.ms);
    if (can_send(remote) && !remote->held.head && moves_send(w, remote, n_pdu))
        return;
    moves_hold(w, remote, n_pdu, now);
}

/* Takes the first held N-PDU, NULL if there is none. */
static struct n_pdu *moves_home_take_held(struct worker *w, struct moves_remote *remote)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&remote->held);
    if (n_pdu) {
        remote->held_pkts--;
        w->stats.npdu_held--;
    }
    return n_pdu;
}

void moves_home_drop_context(struct worker *w, struct moves_remote *remote, uint32_t pdp, int64_t now)
{
    struct n_pdu_list others = {0};
    struct n_pdu *n_pdu;
    uint32_t kept = 0;

    while ((n_pdu = moves_home_take_held(w, remote))) {
        if (n_pdu->pdp == pdp) {
            fate_drop(w, n_pdu, DROP_CONTEXT_DELETED, now);
            continue;
        }
        n_pdu_list_put(&others, n_pdu);
        kept++;
    }
    remote->held = others;
    remote->held_pkts = kept;
    w->stats.npdu_held += kept;
    session_orders_end_pdp(w, pdp, now);
}

static unsigned send_held(struct worker *w, struct moves_remote *remote)
{
    unsigned sent = 0;
    while (can_send(remote) && remote->held.head && moves_send(w, remote, remote->held.head)) {
        moves_home_take_held(w, remote);
        sent++;
    }
    return sent;
}

unsigned moves_send_held(struct worker *w)
{
    struct moves *m = &w->moves;
    unsigned sent = 0;
    for (unsigned i = 0; i < SENDING_BURST && m->sending; i++) {
        struct moves_remote *remote = m->sending;
        m->sending = remote->next_sending;
        remote->is_sending = false;
        sent += send_held(w, remote);
        if (remote->is_over && !remote->is_busy)
            free_record(m, remote);
        else
            join_sending(m, remote);
    }
    return sent;
}

/* --- the end of an order --- */

static bool put_answer(struct worker *w, const struct moves_remote *remote)
{
    struct msg answer = {.type = MSG_ANSWER,
                         .seq = remote->seq,
                         .answer = {.type = remote->note.type,
                                    .status = remote->note.status,
                                    .generation = remote->note.llc_mode.generation},
                         .slot = msg_is_about_context(remote->note.type) ? remote->pdp : remote->ms};
    return msg_put(w->rings.to_control, &answer);
}

/* An order ends when its answer is on the ring. */
static void answered(struct worker *w, struct moves_remote *remote)
{
    remote->is_busy = false;
    if (remote->is_over)
        moves_home_end(w, remote);
    else
        join_sending(&w->moves, remote);
}

unsigned moves_answer(struct worker *w)
{
    struct moves *m = &w->moves;
    unsigned count = 0;
    while (m->answers && put_answer(w, m->answers)) {
        struct moves_remote *remote = m->answers;
        m->answers = remote->next_answer;
        answered(w, remote);
        count++;
    }
    return count;
}

static void answer_later(struct moves *m, struct moves_remote *remote)
{
    remote->next_answer = NULL;
    if (m->answers)
        m->answers_last->next_answer = remote;
    else
        m->answers = remote;
    m->answers_last = remote;
}

void moves_home_release(struct worker *w, struct moves_remote *remote, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = moves_home_take_held(w, remote))) {
        enum drop reason =
            (enum drop)context_enqueue(&w->context, &w->context.mobiles[remote->ms], n_pdu, now);
        if (reason != DROP_NONE)
            fate_drop(w, n_pdu, reason, now);
    }
}

/* No worker could take the mobile: it stays in the note. */
static void strand(struct worker *w, struct moves_remote *remote)
{
    remote->at.worker = MOVES_NOWHERE;
    w->stats.npdu_xworker_in += remote->note.transfer.pkts;
    w->stats.npdu_held += remote->note.transfer.pkts;
}

/* A server has the mobile, or none could take it. */
static void moves_settle(struct worker *w, struct moves_remote *remote)
{
    const struct msg_place *to = &remote->note.to;
    if (remote->note.is_full)
        strand(w, remote);
    else if (remote->note.status == 0 && to->worker == remote->at.worker)
        remote->at.bvc = to->bvc;
    else if (remote->note.status == 0)
        remote->at = *to;
}

static void arrive_at_home(struct worker *w, struct moves_remote *remote, int64_t now)
{
    struct moves_note *note = &remote->note;
    note->status = transfer_put(w, &note->transfer, &note->to, false, now);
    note->is_full = note->status < 0;
    if (note->is_full)
        strand(w, remote);
    else
        moves_home_release(w, remote, now);
    remote->is_over = !note->is_full;
}

void moves_moved(struct worker *w, struct moves_remote *remote, int64_t now)
{
    if (remote->note.stage == MOVES_IN)
        arrive_at_home(w, remote, now);
    else
        moves_settle(w, remote);
}

void moves_ms_deleted(struct worker *w, struct moves_remote *remote, int64_t now)
{
    w->context.mobiles[remote->ms].remote = 0;
    remote->is_over = true;
}

void moves_pdp_added(struct worker *w, struct moves_remote *remote, int64_t now)
{
    const struct moves_note *note = &remote->note;
    if (note->status < 0)
        moves_home_drop_context(w, remote, remote->pdp, now);
    else
        remote->at.pdps[note->nsapi - MS_NSAPI_MIN] = note->slot;
}

void moves_pdp_deleted(struct worker *w, struct moves_remote *remote, int64_t now)
{
    remote->at.pdps[remote->note.nsapi - MS_NSAPI_MIN] = MS_PDP_NONE;
}

void moves_pdp_llc_set(struct worker *w, struct moves_remote *remote, int64_t now)
{
    if (remote->note.status == 0)
        w->context.pdps[remote->pdp].params.is_acknowledged = remote->note.llc_mode.is_acknowledged;
}

const struct moves_way moves_ways[MSG_TYPES] = {
#define MSG_AWAY(NAME, home, server, end) [MSG_##NAME] = {home, server, end},
#include "dataplane/worker/msgs.def"
};

void moves_receive(struct worker *w, struct xworker_note *head, int64_t now)
{
    struct moves_note *note = (struct moves_note *)head;
    struct moves_remote *remote = (struct moves_remote *)note;
    if (note->home != w->number) {
        moves_guest_receive(w, note, now);
        return;
    }
    moves_ways[note->type].back(w, remote, now);
    answer_later(&w->moves, remote);
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
}

/* Removes a mobile from the tables; at its home its contexts stay. */
static void leave(struct worker *w, uint32_t index)
{
    struct ms *ms = &w->context.mobiles[index];
    uint32_t own[MS_NSAPIS];

    orders_ms_unlist(w, index, orders_ms_nse(w, index));
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
    if (ms->sched.flags & SCHED_MS_SUSPENDED)
        transfer->suspended_ns = w->context.suspended_ns[index];
    if (ms->has_elements)
        transfer->elements = *context_elements_of(&w->context, ms);
    if (w->pacing)
        pacing_ms_left(w->pacing, index);
    take_contexts(w, ms, transfer);
    gb_abm_take(w, index, transfer->links);
    take_n_pdus(w, ms, transfer);
    w->stats.npdu_xworker_out += transfer->pkts;
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
    transfer->pkts -= taken;
    return taken;
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
    return session_orders_ms_add(w, place->ms, &msg, now);
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

    if (was->has_tlli_old)
        orders_ms_list_old(w, (uint32_t)(ms - w->context.mobiles), was->tlli_old);
    ms->tells_tlli_old = was->tells_tlli_old && ms->has_tlli_old;
    if (was->has_elements)
        context_ms_elements(&w->context, (uint32_t)(ms - w->context.mobiles), &transfer->elements);
    ms->sched.link_octets = was->sched.link_octets; /* with all elements */
    memcpy(ms->llc, was->llc, sizeof(ms->llc));
    ms->cipher = was->cipher;
    ms->is_ciphered = was->is_ciphered;
    ms->unprotected = was->unprotected;
    uint8_t frozen = was->sched.flags & SCHED_MS_SUSPENDED; /* a lost mobile was heard in the new cell */
    if (is_lost)
        frozen |= SCHED_MS_LOST;
    if (frozen & SCHED_MS_SUSPENDED)
        w->context.suspended_ns[ms - w->context.mobiles] = transfer->suspended_ns;
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
    restore(w, transfer, ms, place->is_lost);
    attach_links(w, ms, now);
    gb_abm_put(w, place->ms, transfer->links, now);
    w->stats.npdu_xworker_in += transfer->pkts;
    transfer->pkts = 0;
    while ((n_pdu = n_pdu_list_take(&transfer->n_pdus)))
        put_n_pdu(w, ms, n_pdu, now);
    standby_look_back(w, ms);
    return 0;
}
