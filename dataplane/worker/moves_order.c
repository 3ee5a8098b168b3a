/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/fate.h"
#include "dataplane/worker/moves.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"

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
    standby_look(w, &w->context, ms, now);
    enum drop reason = (enum drop)context_enqueue(&w->context, ms, n_pdu, now);
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
        if (ms->pdp[i] != MS_PDP_NONE)
            reassembly_forget(&w->reassembly, &w->stats, ms->pdp[i]);
    orders_ms_unlist(w, index, orders_ms_nse(w, index));
    gb_abm_end(w, index);
    context_ms_del(&w->context, index);
    hand_back(w, note);
}

void moves_guest_pdp_add(struct worker *w, struct moves_note *note, int64_t now)
{
    struct pdp_params params = note->pdp;
    params.ms = note->server_ms;
    params.teid = 0;
    note->status = session_orders_start_pdp(w, note->slot, &params, now);
    hand_back(w, note);
}

void moves_guest_pdp_del(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    reassembly_forget(&w->reassembly, &w->stats, index);
    session_orders_stop_pdp(w, index, now);
    hand_back(w, note);
}

void moves_guest_pdp_llc(struct worker *w, struct moves_note *note, int64_t now)
{
    uint32_t index = ms_pdp(&w->context.mobiles[note->server_ms], note->nsapi);
    note->status = session_orders_set_llc(w, index, note->llc_mode.is_acknowledged, now);
    hand_back(w, note);
}

/* Out of this cell: to another one here, or to another worker. */
void moves_guest_move(struct worker *w, struct moves_note *note, int64_t now)
{
    if (note->to.worker == w->number) {
        note->status = session_orders_ms_cell(w, note->server_ms, note->to.bvc, note->to.is_lost, now);
        hand_back(w, note);
        return;
    }
    transfer_take(w, note->server_ms, &note->transfer);
    note->is_full = true;
    hand_on(w, note, MOVES_IN, note->to.worker);
}

static void come_in(struct worker *w, struct moves_note *note, int64_t now)
{
    note->status = transfer_put(w, &note->transfer, &note->to, true, now);
    note->is_full = note->status < 0;
    hand_back(w, note);
}

void moves_guest_receive(struct worker *w, struct moves_note *note, int64_t now)
{
    if (note->stage == MOVES_IN)
        come_in(w, note, now);
    else
        moves_ways[note->type].at_server(w, note, now);
}

/* --- the mobile of an order --- */

/* The mobile that has a context slot now, MS_NONE. */
static uint32_t owner_of(const struct worker *w, uint32_t pdp)
{
    bool is_there = pdp < w->context.limits.pdps && w->context.pdps[pdp].in_use;
    return is_there ? w->context.pdps[pdp].params.ms : MS_NONE;
}

/* Index of the mobile of an order to delete or move it or about its contexts; else MS_NONE. */
static uint32_t mobile_of(const struct worker *w, const struct msg *msg)
{
    const struct msg_row *row = msg_row(msg->type);
    if (!(row->flags & MSG_MOVES))
        return MS_NONE;
    uint32_t ms = row->subject == MSG_BY_HOME_MS   ? msg->slot
                  : row->subject == MSG_BY_NEW_PDP ? msg->pdp.ms
                                                   : owner_of(w, msg->slot);
    return ms < w->context.limits.mobiles ? ms : MS_NONE;
}

static bool is_busy(const struct worker *w, uint32_t ms)
{
    uint32_t remote = ms == MS_NONE ? 0 : w->context.mobiles[ms].remote;
    return remote != 0 && w->moves.list[remote - 1].is_busy;
}

bool moves_must_wait(const struct worker *w, const struct msg *msg)
{
    return is_busy(w, mobile_of(w, msg)) ||
           (msg_is_about_context(msg->type) && is_busy(w, owner_of(w, msg->slot)));
}

/* --- to start --- */

/* Sends the record's note to a worker. */
static int set_out(struct worker *w, struct moves_remote *remote, const struct msg *msg,
                   enum moves_stage stage, unsigned to)
{
    struct moves_note *note = &remote->note;
    note->home = (uint8_t)w->number;
    note->type = msg->type;
    note->stage = (uint8_t)stage;
    note->status = 0;
    note->server_ms = remote->at.ms;
    remote->seq = msg->seq;
    remote->is_busy = true;
    xworker_put_note(w->xworker, w->number, to, &note->head);
    return MOVES_LATER;
}

static bool is_nowhere(const struct moves_remote *remote)
{
    return remote->at.worker == MOVES_NOWHERE;
}

/* --- to move --- */

/* Completes the destination of a move as far as this worker knows it. At its home a mobile keeps its slots.
 * */
static bool settle_place(const struct worker *w, uint32_t ms, struct msg_place *to)
{
    const struct ms *home = &w->context.mobiles[ms];
    unsigned workers = w->xworker ? w->xworker->count : 1;
    bool is_here = to->worker == w->number;
    if (is_here)
        to->ms = ms;
    for (unsigned k = 0; k < MS_NSAPIS; k++) {
        uint32_t own = home->pdp[k];
        if (is_here || own == MS_PDP_NONE)
            to->pdps[k] = own;
        else if (to->pdps[k] == MS_PDP_NONE)
            return false;
    }
    return is_here || to->worker < workers;
}

static int move_on(struct worker *w, struct moves_remote *remote, const struct msg *msg,
                   const struct msg_place *to)
{
    struct moves_note *note = &remote->note;
    note->to = *to;
    if (!is_nowhere(remote))
        return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
    w->stats.npdu_held -= note->transfer.pkts;
    w->stats.npdu_xworker_out += note->transfer.pkts;
    return set_out(w, remote, msg, MOVES_IN, to->worker);
}

/* Moves a mobile without a server to a cell of this worker; no other worker takes part. */
static int move_home(struct worker *w, struct moves_remote *remote, const struct msg_place *to, int64_t now)
{
    struct transfer *transfer = &remote->note.transfer;
    uint32_t pkts = transfer->pkts;
    if (transfer_put(w, transfer, to, false, now) < 0)
        return -1;
    remote->note.is_full = false;
    w->stats.npdu_held -= pkts;
    w->stats.npdu_xworker_out += pkts;
    moves_home_release(w, remote, now);
    moves_home_end(w, remote);
    return 0;
}

static int move_away(struct worker *w, const struct msg *msg, const struct msg_place *to)
{
    struct moves_remote *remote = moves_home_begin(w, msg->slot);
    if (!remote)
        return -1;
    transfer_take(w, msg->slot, &remote->note.transfer);
    remote->note.is_full = true;
    remote->note.to = *to;
    return set_out(w, remote, msg, MOVES_IN, to->worker);
}

/* remote NULL: it is at home. */
int moves_home_move(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    const struct ms *ms = &w->context.mobiles[msg->slot];
    struct msg_place to = msg->place;
    if ((!remote && (!ms->in_use || ms->is_guest)) || !settle_place(w, msg->slot, &to))
        return -1;
    bool is_here = to.worker == w->number;
    if (!remote)
        return is_here ? session_orders_ms_cell(w, msg->slot, to.bvc, to.is_lost, now)
                       : move_away(w, msg, &to);
    return is_here && is_nowhere(remote) ? move_home(w, remote, &to, now) : move_on(w, remote, msg, &to);
}

/* --- to delete it --- */

static void drop_parcel(struct worker *w, struct moves_remote *remote, unsigned nsapi, int64_t now)
{
    struct n_pdu_list list = {0};
    struct n_pdu *n_pdu;
    uint32_t pdp = ms_pdp(&w->context.mobiles[remote->ms], nsapi);

    w->stats.npdu_held -= transfer_take_nsapi(&remote->note.transfer, nsapi, &list);
    remote->note.transfer.nsapis &= (uint16_t) ~(1u << nsapi);
    while ((n_pdu = n_pdu_list_take(&list))) {
        n_pdu->pdp = pdp;
        n_pdu->generation = w->context.pdps[pdp].generation;
        fate_drop(w, n_pdu, n_pdu->sent_octets > 0 ? DROP_PARTIAL : DROP_CONTEXT_DELETED, now);
    }
}

static void delete_context(struct worker *w, struct moves_remote *remote, unsigned nsapi, int64_t now)
{
    uint32_t pdp = ms_pdp(&w->context.mobiles[remote->ms], nsapi);
    if (pdp == MS_PDP_NONE)
        return;
    if (is_nowhere(remote))
        drop_parcel(w, remote, nsapi, now);
    moves_home_drop_context(w, remote, pdp, now);
}

int moves_home_ms_del(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        delete_context(w, remote, MS_NSAPI_MIN + k, now);
    if (!is_nowhere(remote))
        return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
    w->context.mobiles[remote->ms].remote = 0;
    remote->note.is_full = false;
    moves_home_end(w, remote);
    return 0;
}

/* --- its contexts --- */

int moves_home_pdp_add(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    struct ms *ms = &w->context.mobiles[remote->ms];
    struct moves_note *note = &remote->note;

    /* Its slot is not in use here, but its contexts are. */
    ms->in_use = true;
    int status = session_orders_pdp_add(w, msg->slot, msg, now);
    ms->in_use = false;
    if (status < 0)
        return -1;
    note->nsapi = msg->pdp.nsapi;
    note->pdp = msg->pdp;
    note->slot = msg->server_pdp;
    remote->pdp = msg->slot;
    if (!is_nowhere(remote))
        return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
    unsigned k = note->nsapi - MS_NSAPI_MIN;
    note->transfer.nsapis |= (uint16_t)(1u << note->nsapi);
    note->transfer.pdps[k] = note->pdp;
    note->transfer.pdps[k].teid = 0;
    note->transfer.numbers[k] = 0;
    return 0;
}

int moves_home_pdp_del(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    uint8_t nsapi = w->context.pdps[msg->slot].params.nsapi;
    delete_context(w, remote, nsapi, now);
    remote->note.nsapi = nsapi;
    remote->pdp = msg->slot;
    return is_nowhere(remote) ? 0 : set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
}

/* Without a server there is no link. */
int moves_home_pdp_llc(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    struct moves_note *note = &remote->note;
    w->orders.answer.answer.generation = msg->llc_mode.generation;
    if (is_nowhere(remote))
        return MSG_NO_LINK;
    note->nsapi = w->context.pdps[msg->slot].params.nsapi;
    note->llc_mode = msg->llc_mode;
    remote->pdp = msg->slot;
    return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
}

bool moves_order(struct worker *w, const struct msg *msg, int *status, int64_t now)
{
    uint32_t index = mobile_of(w, msg);
    struct moves_remote *remote = index == MS_NONE ? NULL : moves_home_remote(w, index);
    if (!remote && (index == MS_NONE || msg->type != MSG_MS_MOVE))
        return false;
    moves_at_home *at_home = moves_ways[msg->type].at_home;
    *status = at_home ? at_home(w, remote, msg, now) : -1;
    return true;
}
