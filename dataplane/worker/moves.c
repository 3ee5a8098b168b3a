/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/moves.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/moves_home.h"
#include "dataplane/worker/session_orders.h"
#include "dataplane/worker/worker.h"

#include <rte_ring.h>

#define SENDING_BURST 32 /* mobiles looked at in one step */

/* --- life --- */

bool moves_new(struct moves *m, uint32_t count)
{
    /* What lies in a parcel is aligned like a cache line. */
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

void moves_free_note(struct peers_note *note)
{
    struct moves_note *mine = (struct moves_note *)note;
    if (mine->is_full)
        free_list(&mine->parcel.n_pdus);
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

struct moves_away *moves_home_away(struct worker *w, uint32_t ms)
{
    uint32_t away = w->context.mobiles[ms].away;
    return away == 0 ? NULL : &w->moves.list[away - 1];
}

struct moves_away *moves_home_begin(struct worker *w, uint32_t ms)
{
    struct moves_away *away = w->moves.free;
    if (!away)
        return NULL;
    w->moves.free = away->next_free;
    *away = (struct moves_away){.ms = ms, .at.worker = MOVES_NOWHERE};
    w->context.mobiles[ms].away = (uint32_t)(away - w->moves.list) + 1;
    return away;
}

static void free_record(struct moves *m, struct moves_away *away)
{
    away->next_free = m->free;
    m->free = away;
}

void moves_home_end(struct worker *w, struct moves_away *away)
{
    away->is_busy = false;
    away->is_over = true;
    if (!away->is_sending)
        free_record(&w->moves, away);
}

/* --- N-PDUs --- */

static bool can_send(const struct moves_away *away)
{
    return !away->is_busy && !away->is_over && away->at.worker != MOVES_NOWHERE;
}

/* Puts an N-PDU on its way to the server, or leaves it as it is. */
static bool send(struct worker *w, const struct moves_away *away, struct n_pdu *n_pdu)
{
    uint32_t here = n_pdu->pdp;
    n_pdu->pdp = away->at.pdps[w->context.pdps[here].params.nsapi - MS_NSAPI_MIN];
    if (peers_put(w->peers, w->number, away->at.worker, PEERS_N_PDU, pool_mbuf(n_pdu))) {
        w->stats.npdu_left++;
        return true;
    }
    n_pdu->pdp = here;
    return false;
}

static void join_sending(struct moves *m, struct moves_away *away)
{
    if (away->is_sending || !away->held.head || !can_send(away))
        return;
    away->is_sending = true;
    away->next_sending = NULL;
    if (m->sending)
        m->sending_last->next_sending = away;
    else
        m->sending = away;
    m->sending_last = away;
}

static void hold(struct worker *w, struct moves_away *away, struct n_pdu *n_pdu, int64_t now)
{
    if (away->held_pkts == MOVES_HELD) {
        downlink_drop(w, n_pdu, DROP_MOVE_FULL, now);
        return;
    }
    n_pdu_list_put(&away->held, n_pdu);
    away->held_pkts++;
    w->stats.npdu_held++;
    join_sending(&w->moves, away);
}

void moves_forward(struct worker *w, struct n_pdu *n_pdu, int64_t now)
{
    struct moves_away *away = moves_home_away(w, w->context.pdps[n_pdu->pdp].params.ms);
    if (can_send(away) && !away->held.head && send(w, away, n_pdu))
        return;
    hold(w, away, n_pdu, now);
}

struct n_pdu *moves_home_take_held(struct worker *w, struct moves_away *away)
{
    struct n_pdu *n_pdu = n_pdu_list_take(&away->held);
    if (n_pdu) {
        away->held_pkts--;
        w->stats.npdu_held--;
    }
    return n_pdu;
}

void moves_home_drop_context(struct worker *w, struct moves_away *away, uint32_t pdp, int64_t now)
{
    struct n_pdu_list others = {0};
    struct n_pdu *n_pdu;
    uint32_t kept = 0;

    while ((n_pdu = moves_home_take_held(w, away))) {
        if (n_pdu->pdp == pdp) {
            downlink_drop(w, n_pdu, DROP_CONTEXT_DELETED, now);
            continue;
        }
        n_pdu_list_put(&others, n_pdu);
        kept++;
    }
    away->held = others;
    away->held_pkts = kept;
    w->stats.npdu_held += kept;
    session_orders_pdp_del(w, pdp, now);
}

static unsigned send_held(struct worker *w, struct moves_away *away)
{
    unsigned sent = 0;
    while (can_send(away) && away->held.head && send(w, away, away->held.head)) {
        moves_home_take_held(w, away);
        sent++;
    }
    return sent;
}

unsigned moves_send_held(struct worker *w)
{
    struct moves *m = &w->moves;
    unsigned sent = 0;
    for (unsigned i = 0; i < SENDING_BURST && m->sending; i++) {
        struct moves_away *away = m->sending;
        m->sending = away->next_sending;
        away->is_sending = false;
        sent += send_held(w, away);
        if (away->is_over && !away->is_busy)
            free_record(m, away);
        else
            join_sending(m, away);
    }
    return sent;
}

/* --- the end of an order --- */

static bool put_answer(struct worker *w, const struct moves_away *away)
{
    bool is_about_context = away->note.type == MSG_PDP_ADD || away->note.type == MSG_PDP_DEL;
    struct msg answer = {.type = MSG_ANSWER,
                         .seq = away->seq,
                         .index = away->note.type,
                         .id = is_about_context ? away->pdp : away->ms,
                         .status = away->note.status};
    return msg_put(w->rings.to_control, &answer);
}

/* The order is over as soon as its answer is on its way. */
static void answered(struct worker *w, struct moves_away *away)
{
    away->is_busy = false;
    if (away->is_over)
        moves_home_end(w, away);
    else
        join_sending(&w->moves, away);
}

unsigned moves_answer(struct worker *w)
{
    struct moves *m = &w->moves;
    unsigned count = 0;
    while (m->answers && put_answer(w, m->answers)) {
        struct moves_away *away = m->answers;
        m->answers = away->next_answer;
        answered(w, away);
        count++;
    }
    return count;
}

static void answer_later(struct moves *m, struct moves_away *away)
{
    away->next_answer = NULL;
    if (m->answers)
        m->answers_last->next_answer = away;
    else
        m->answers = away;
    m->answers_last = away;
}

void moves_home_release(struct worker *w, struct moves_away *away, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = moves_home_take_held(w, away))) {
        enum drop reason = (enum drop)context_enqueue(&w->context, &w->context.mobiles[away->ms], n_pdu, now);
        if (reason != DROP_NONE)
            downlink_drop(w, n_pdu, reason, now);
    }
}

/* Nobody could take it: it stays in the note. */
static void strand(struct worker *w, struct moves_away *away)
{
    away->at.worker = MOVES_NOWHERE;
    w->stats.npdu_joined += away->note.parcel.pkts;
    w->stats.npdu_held += away->note.parcel.pkts;
}

static void moved(struct worker *w, struct moves_away *away)
{
    const struct msg_place *to = &away->note.to;
    if (away->note.is_full)
        strand(w, away);
    else if (away->note.status == 0 && to->worker == away->at.worker)
        away->at.bvc = to->bvc;
    else if (away->note.status == 0)
        away->at = *to;
}

static void arrive_at_home(struct worker *w, struct moves_away *away, int64_t now)
{
    struct moves_note *note = &away->note;
    note->status = parcel_put(w, &note->parcel, &note->to, false, now);
    note->is_full = note->status < 0;
    if (note->is_full)
        strand(w, away);
    else
        moves_home_release(w, away, now);
    away->is_over = !note->is_full;
}

static void finish(struct worker *w, struct moves_away *away, int64_t now)
{
    struct moves_note *note = &away->note;
    switch (note->type) {
    case MSG_MS_MOVE:
        if (note->stage == MOVES_IN)
            arrive_at_home(w, away, now);
        else
            moved(w, away);
        break;
    case MSG_MS_DEL:
        w->context.mobiles[away->ms].away = 0;
        away->is_over = true;
        break;
    case MSG_PDP_ADD:
        if (note->status < 0)
            moves_home_drop_context(w, away, away->pdp, now);
        else
            away->at.pdps[note->nsapi - MS_NSAPI_MIN] = note->slot;
        break;
    default:
        away->at.pdps[note->nsapi - MS_NSAPI_MIN] = MS_PDP_NONE;
        break;
    }
    answer_later(&w->moves, away);
}

void moves_receive(struct worker *w, struct peers_note *head, int64_t now)
{
    struct moves_note *note = (struct moves_note *)head;
    if (note->home == w->number)
        finish(w, (struct moves_away *)note, now);
    else
        moves_guest_receive(w, note, now);
}
