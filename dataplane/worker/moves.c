/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/moves.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
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
        pool_n_pdu_free(n_pdu);
}

void moves_free_note(struct xworker_note *note)
{
    struct moves_note *mine = (struct moves_note *)note;
    if (!mine->is_full)
        return;
    free_list(&mine->transfer.n_pdus);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        forward_parcel_free(&mine->transfer.forwards[i]);
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
    orders_pdp_end(w, pdp, now);
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

void moves_answer_later(struct moves *m, struct moves_remote *remote)
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
    struct ms *ms = &w->context.mobiles[remote->ms];
    while ((n_pdu = moves_home_take_held(w, remote))) {
        int fate = forward_take(w, ms, n_pdu, now);
        enum drop reason =
            (enum drop)(fate == FORWARD_NOT ? context_enqueue(&w->context, ms, n_pdu, now) : fate);
        if (reason != DROP_NONE)
            fate_drop(w, n_pdu, reason, now);
    }
}
