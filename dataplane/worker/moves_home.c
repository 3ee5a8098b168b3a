/* SPDX-License-Identifier: BSD-3-Clause */
/* A remote mobile at its home: the first and the last step of orders about it. */
#include "dataplane/worker/fate.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/transfer.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/ms.h"

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
        return is_here ? orders_ms_go(w, msg->slot, to.bvc, to.is_lost, now) : move_away(w, msg, &to);
    return is_here && is_nowhere(remote) ? move_home(w, remote, &to, now) : move_on(w, remote, msg, &to);
}

/* --- to delete it --- */

static void drop_parcel(struct worker *w, struct moves_remote *remote, unsigned nsapi, int64_t now)
{
    struct n_pdu_list list = {0};
    struct n_pdu *n_pdu;
    uint32_t pdp = ms_pdp(&w->context.mobiles[remote->ms], nsapi);

    w->stats.npdu_held -= transfer_take_nsapi(&remote->note.transfer, nsapi, &list);
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
    transfer_end(&remote->note.transfer);
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
    int status = orders_pdp_add(w, msg->slot, msg, now);
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

/* The address is the home's, the order of N-PDUs the server's. */
int moves_home_pdp_from(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    struct moves_note *note = &remote->note;
    uint32_t ip = msg->forwarder_ip;
    if ((address_is_ipv6(ip) && !lookup_ipv6_octets(&w->lookup.ipv6, ip)) ||
        forward_from(w, msg->slot, ip) < 0)
        return -1;
    note->nsapi = w->context.pdps[msg->slot].params.nsapi;
    note->forwarder_ip = ip;
    remote->pdp = msg->slot;
    if (!is_nowhere(remote))
        return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
    transfer_take_over(&note->transfer, note->nsapi, ip != ADDRESS_NONE);
    return 0;
}

int moves_home_pdp_ggsn(struct worker *w, struct moves_remote *remote, const struct msg *msg, int64_t now)
{
    struct moves_note *note = &remote->note;
    if (orders_pdp_set_ggsn(w, msg->slot, &msg->ggsn) < 0)
        return -1;
    note->nsapi = w->context.pdps[msg->slot].params.nsapi;
    note->ggsn = msg->ggsn;
    remote->pdp = msg->slot;
    if (!is_nowhere(remote))
        return set_out(w, remote, msg, MOVES_OUT, remote->at.worker);
    orders_pdp_put_ends(&note->transfer.pdps[note->nsapi - MS_NSAPI_MIN], &msg->ggsn);
    return 0;
}

/* --- a note that returned --- */

/* No worker could take the mobile: it stays in the note. */
static void strand(struct worker *w, struct moves_remote *remote)
{
    remote->at.worker = MOVES_NOWHERE;
    w->stats.npdu_xworker_in += remote->note.transfer.pkts;
    w->stats.npdu_held += remote->note.transfer.pkts;
}

/* A server has the mobile, or none could take it. */
static void settle_moved(struct worker *w, struct moves_remote *remote)
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

void moves_home_moved(struct worker *w, struct moves_remote *remote, int64_t now)
{
    if (remote->note.stage == MOVES_IN)
        arrive_at_home(w, remote, now);
    else
        settle_moved(w, remote);
}

void moves_home_ms_deleted(struct worker *w, struct moves_remote *remote, int64_t now)
{
    w->context.mobiles[remote->ms].remote = 0;
    remote->is_over = true;
}

void moves_home_pdp_added(struct worker *w, struct moves_remote *remote, int64_t now)
{
    const struct moves_note *note = &remote->note;
    if (note->status < 0)
        moves_home_drop_context(w, remote, remote->pdp, now);
    else
        remote->at.pdps[note->nsapi - MS_NSAPI_MIN] = note->slot;
}

void moves_home_pdp_deleted(struct worker *w, struct moves_remote *remote, int64_t now)
{
    remote->at.pdps[remote->note.nsapi - MS_NSAPI_MIN] = MS_PDP_NONE;
}

void moves_home_pdp_llc_set(struct worker *w, struct moves_remote *remote, int64_t now)
{
    if (remote->note.status == 0)
        w->context.pdps[remote->pdp].params.is_acknowledged = remote->note.llc_mode.is_acknowledged;
}

void moves_home_pdp_from_set(struct worker *w, struct moves_remote *remote, int64_t now)
{
    if (remote->note.status < 0)
        (void)forward_from(w, remote->pdp, ADDRESS_NONE);
}

void moves_home_pdp_ggsn_set(struct worker *w, struct moves_remote *remote, int64_t now)
{
}
