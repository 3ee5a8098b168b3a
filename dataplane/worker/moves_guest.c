/* SPDX-License-Identifier: BSD-3-Clause */
/* A guest of moves between workers: a mobile at its server, which is not its home: its N-PDUs, and the notes
 * about it. */
#include "dataplane/worker/fate.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/transfer.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "dataplane/sched/flow.h"

void moves_guest_n_pdu(struct worker *w, struct n_pdu *n_pdu, int64_t now)
{
    const struct pdp *pdp = &w->context.pdps[n_pdu->pdp];
    struct ms *ms = &w->context.mobiles[pdp->params.ms];
    w->stats.npdu_xworker_in++;
    n_pdu->generation = pdp->generation;
    /* The packet flow may have been deleted here after the home labelled the N-PDU. */
    if (n_pdu->pfi != N_PDU_NO_PFI && !sched_pfc_get(&w->context.sched, &ms->sched, n_pdu->pfi))
        n_pdu->pfi = N_PDU_NO_PFI;
    fate_in(w, ms, n_pdu, now);
    int fate = standby_look(w, &w->context, ms, now) ? forward_take(w, ms, n_pdu, now) : FORWARD_NOT;
    n_pdu->is_numbered &= fate != FORWARD_NOT;
    enum drop reason = (enum drop)(fate == FORWARD_NOT ? context_enqueue(&w->context, ms, n_pdu, now) : fate);
    if (reason != DROP_NONE)
        fate_drop(w, n_pdu, reason, now);
}

/* --- notes --- */

static void hand_on(struct worker *w, struct moves_note *note, enum moves_stage stage, unsigned to)
{
    note->stage = (uint8_t)stage;
    xworker_put_note(w->xworker, w->number, to, &note->head);
}

static void hand_back(struct worker *w, struct moves_note *note)
{
    hand_on(w, note, MOVES_BACK, note->home);
}

void moves_guest_ms_del(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = note->server_ms;
    struct ms *ms = &w->context.mobiles[index];
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE) {
            reassembly_forget(&w->reassembly, &w->stats, ms->pdp[i]);
            forward_forget(w, ms->pdp[i], now);
        }
    lookup_ms_del(&w->lookup, ms, index, context_ms_nse(&w->context, index));
    gb_abm_end(w, index);
    gb_compression_end(w, index);
    context_ms_del(&w->context, index);
    hand_back(w, note);
}

void moves_guest_pdp_add(struct worker *w, struct moves_note *note, int64_t now)
{
    struct pdp_params params = note->pdp;
    params.ms = note->server_ms;
    params.teid = 0;
    note->status = orders_pdp_start(w, note->slot, &params, now);
    hand_back(w, note);
}

void moves_guest_pdp_del(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    reassembly_forget(&w->reassembly, &w->stats, index);
    orders_pdp_stop(w, index, now);
    hand_back(w, note);
}

void moves_guest_pdp_llc(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    note->status = orders_pdp_set_llc(w, index, &note->llc_mode, now);
    hand_back(w, note);
}

void moves_guest_pdp_from(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    note->status = forward_take_over(w, index, note->forwarder_ip != ADDRESS_NONE, now);
    hand_back(w, note);
}

/* Uplink N-PDUs leave from here. */
void moves_guest_pdp_ggsn(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    orders_pdp_put_ends(&w->context.pdps[index].params, &note->ggsn);
    hand_back(w, note);
}

/* Out of this cell: to another one here, or to another worker. */
void moves_guest_move(struct worker *w, struct moves_note *note, int64_t now)
{
    if (note->to.worker == w->number) {
        note->status = orders_ms_go(w, note->server_ms, note->to.bvc, note->to.is_lost, now);
        hand_back(w, note);
        return;
    }
    transfer_take(w, note->server_ms, &note->transfer);
    note->is_full = true;
    hand_on(w, note, MOVES_IN, note->to.worker);
}

void moves_guest_come_in(struct worker *w, struct moves_note *note, int64_t now)
{
    note->status = transfer_put(w, &note->transfer, &note->to, true, now);
    note->is_full = note->status < 0;
    hand_back(w, note);
}
