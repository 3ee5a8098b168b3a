/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/orders.h"

#include "dataplane/base/drop.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/limit_orders.h"
#include "dataplane/worker/link_orders.h"
#include "dataplane/worker/llc_orders.h"
#include "dataplane/worker/orders_ms.h"
#include "dataplane/worker/session_orders.h"
#include "dataplane/worker/gb_rx.h"
#include "dataplane/worker/worker.h"

#include <rte_ring.h>
#include <string.h>

#define BURST 64

/* --- NS-VCs --- */

static int add_nsvc(struct worker *w, const struct msg *msg)
{
    struct gb_nsvc nsvc = {.params = msg->nsvc};
    const struct gb_nsvc_params *p = &nsvc.params;
    struct table_key key = lookup_endpoint_key(p->local_ip, p->local_port, p->remote_ip, p->remote_port);

    if (msg->slot > UINT16_MAX || gb_transport_template(w, &nsvc) < 0 ||
        lookup_address_add(&w->lookup.gb, p->local_ip) < 0)
        return -1;
    if (table_add(w->lookup.endpoints, &key, msg->slot) == 0) {
        if (context_nsvc_add(&w->context, (uint16_t)msg->slot, &nsvc) == 0)
            return 0;
        table_del(w->lookup.endpoints, &key);
    }
    lookup_address_del(&w->lookup.gb, p->local_ip);
    return -1;
}

static int del_nsvc(struct worker *w, uint16_t index)
{
    if (index >= w->context.limits.nsvcs)
        return -1;
    const struct gb_nsvc_params p = w->context.nsvcs[index].params;
    struct table_key key = lookup_endpoint_key(p.local_ip, p.local_port, p.remote_ip, p.remote_port);
    if (context_nsvc_del(&w->context, index) < 0)
        return -1;
    table_del(w->lookup.endpoints, &key);
    lookup_address_del(&w->lookup.gb, p.local_ip);
    return 0;
}

/* Frames an NS PDU of the control core's and sends it when its link lets it; takes the buffer over. */
static int send_ns_pdu(struct worker *w, const struct msg *msg, int64_t now)
{
    struct rte_mbuf *mbuf = msg->mbuf;
    struct gb_nsvc *nsvc = msg->slot < w->context.limits.nsvcs ? &w->context.nsvcs[msg->slot] : NULL;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    uint8_t *frame = NULL;

    if (nsvc && nsvc->in_use && !nsvc->params.needs_mac && port_room(&w->gb) > 0)
        frame = (uint8_t *)rte_pktmbuf_prepend(mbuf, nsvc->header_octets);
    if (!frame) {
        rte_pktmbuf_free(mbuf);
        return -1;
    }
    gb_transport_put(nsvc, frame + nsvc->header_octets, octets);
    if (nsvc->is_ipv6)
        gb_transport_sum(frame, rte_pktmbuf_data_len(mbuf));
    return signalling_send(w, &w->context.nses[nsvc->params.nse], mbuf, octets, now);
}

/* --- what other workers have --- */

static int note_address(struct worker *w, const struct msg *msg)
{
    if (msg->address.is_there)
        return lookup_address_add(&w->lookup.gn, msg->address.ip);
    if (!lookup_is_ours(&w->lookup, msg->address.ip))
        return -1;
    lookup_address_del(&w->lookup.gn, msg->address.ip);
    return 0;
}

static int note_tunnel(struct worker *w, const struct msg *msg)
{
    const struct msg_tunnel *tunnel = &msg->tunnel;
    struct table_key key = lookup_tunnel_key(tunnel->sgsn_ip, tunnel->teid);
    uint32_t index = TUNNELS_AT + tunnel->worker;
    if (tunnel->worker >= w->tunnels.workers || tunnel->worker == w->number)
        return -1;
    if (tunnel->is_there)
        return tunnels_add(&w->tunnels, &key, index);
    if (table_get(w->tunnels.foreign, &key) != index)
        return -1;
    tunnels_del(&w->tunnels, &key, index);
    return 0;
}

static int note_nsvc(struct worker *w, const struct msg *msg)
{
    const struct gb_nsvc_params *p = &msg->nsvc_at.params;
    struct table_key key = lookup_endpoint_key(p->local_ip, p->local_port, p->remote_ip, p->remote_port);
    unsigned at = msg->nsvc_at.worker, workers = w->xworker ? w->xworker->count : 1;
    if (at >= workers || at == w->number)
        return -1;
    if (!msg->nsvc_at.is_gone)
        return table_add(w->lookup.endpoints, &key, LOOKUP_AT + at);
    if (table_get(w->lookup.endpoints, &key) != LOOKUP_AT + at)
        return -1;
    table_del(w->lookup.endpoints, &key);
    return 0;
}

static int apply_to_gn(struct worker *w, const struct msg *msg, int64_t now)
{
    switch (msg->type) {
    case MSG_GN_ADDRESS:
        return note_address(w, msg);
    case MSG_GN_IPV6:
        return addresses_put(&w->lookup.ipv6, msg->ipv6.place, msg->ipv6.octets);
    case MSG_TUNNEL_AT:
        return note_tunnel(w, msg);
    default:
        return gn_echo_order(w, msg, now);
    }
}

static int apply_to_pdp(struct worker *w, const struct msg *msg, int64_t now)
{
    switch (msg->type) {
    case MSG_PDP_ADD:
        return session_orders_pdp_add(w, msg);
    case MSG_PDP_DEL:
        return session_orders_pdp_del(w, msg->slot, now);
    case MSG_PDP_QCLASS:
        return context_pdp_qclass(&w->context, msg->slot, msg->qclass);
    default:
        return context_pdp_pfi(&w->context, msg->slot, msg->pfi);
    }
}

static int unblock(struct worker *w, uint16_t index, bool is_up, int64_t now)
{
    if (context_bvc_unblock(&w->context, index, is_up) < 0)
        return -1;
    if (is_up)
        w->context.bvcs[index].up_ticks = ms_ticks(now);
    return 0;
}

/* The last of its signalling has no link to wait for any more. */
static int del_nse(struct worker *w, uint16_t index, int64_t now)
{
    if (context_nse_del(&w->context, index) < 0)
        return -1;
    signalling_end(w, &w->context.nses[index], now);
    return 0;
}

/* Orders about NSEs, NS-VCs and cells. */
static int apply_to_gb(struct worker *w, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    /* Of NSEs, NS-VCs and cells; no table of them has that many, so a larger one is refused. */
    uint16_t index = msg->slot < UINT16_MAX ? (uint16_t)msg->slot : UINT16_MAX;

    switch (msg->type) {
    case MSG_NSE_ADD:
        return context_nse_add(c, index, msg->nsei, now);
    case MSG_NSE_DEL:
        return del_nse(w, index, now);
    case MSG_NSVC_ADD:
        return add_nsvc(w, msg);
    case MSG_NSVC_DEL:
        return del_nsvc(w, index);
    case MSG_NSVC_USE:
        return context_nsvc_use(c, index, msg->is_usable);
    case MSG_NSVC_WEIGHT:
        return context_nsvc_weight(c, index, msg->data_weight);
    case MSG_NSVC_AT:
        return note_nsvc(w, msg);
    case MSG_NSE_RATE:
        return context_nse_rate(c, index, &msg->link, now);
    case MSG_BVC_ADD:
        return context_bvc_add(c, index, msg->bvc.bvci, msg->bvc.nse, now);
    case MSG_BVC_DEL:
        return context_bvc_del(c, index);
    case MSG_BVC_RESET:
        return context_bvc_reset(c, index, now);
    case MSG_BVC_UNBLOCK:
        return unblock(w, index, msg->is_unblocked, now);
    case MSG_BVC_FLOW:
        return context_bvc_flow(c, index, &msg->flow, now);
    default:
        return context_bvc_policy(c, index, &msg->policy, now);
    }
}

static bool is_about_gb(uint16_t type)
{
    switch (type) {
    case MSG_NSE_ADD:
    case MSG_NSE_DEL:
    case MSG_NSVC_ADD:
    case MSG_NSVC_DEL:
    case MSG_NSVC_USE:
    case MSG_NSVC_WEIGHT:
    case MSG_NSVC_AT:
    case MSG_NSE_RATE:
    case MSG_BVC_ADD:
    case MSG_BVC_DEL:
    case MSG_BVC_RESET:
    case MSG_BVC_UNBLOCK:
    case MSG_BVC_FLOW:
    case MSG_BVC_POLICY:
        return true;
    default:
        return false;
    }
}

static int apply(struct worker *w, const struct msg *msg, struct msg *answer, int64_t now)
{
    if (is_about_gb(msg->type))
        return apply_to_gb(w, msg, now);
    if (limit_orders_is_one(msg->type))
        return limit_orders_apply(w, msg, now);
    switch (msg->type) {
    case MSG_MS_ADD:
        return session_orders_ms_add(w, msg, now);
    case MSG_MS_DEL:
        return session_orders_ms_del(w, msg->slot, now);
    case MSG_MS_FLOW:
    case MSG_MS_DEFAULTS:
    case MSG_MS_DISCARDED:
    case MSG_MS_FLUSHED:
    case MSG_MS_SUSPEND:
    case MSG_MS_LOST:
    case MSG_PAGE_END:
    case MSG_MS_CELL:
    case MSG_MS_ELEMENTS:
    case MSG_MS_TLLI:
    case MSG_PFC_ADD:
    case MSG_PFC_FLOW:
    case MSG_PFC_DEL:
        return orders_ms_apply(w, msg, now);
    case MSG_MS_CIPHER:
    case MSG_MS_PM:
    case MSG_MS_N201:
    case MSG_MS_LLC_RESET:
        return llc_orders_apply(w, msg, answer, now);
    case MSG_PDP_ADD:
    case MSG_PDP_DEL:
    case MSG_PDP_PFI:
    case MSG_PDP_QCLASS:
        return apply_to_pdp(w, msg, now);
    case MSG_GN_ADDRESS:
    case MSG_GN_IPV6:
    case MSG_GN_ECHO:
    case MSG_GN_ECHO_END:
    case MSG_TUNNEL_AT:
        return apply_to_gn(w, msg, now);
    case MSG_SEND:
        return send_ns_pdu(w, msg, now);
    case MSG_LLC_UI:
    case MSG_LLC_FRAME:
        return gb_tx_send_order(w, msg, now);
    case MSG_UPLINK:
        return gb_rx_return(w, msg, now);
    case MSG_FENCE:
        return 0;
    default: /* also MSG_MS_MOVE of none that is here or away, and what is no order */
        return link_orders_apply(w, msg, now);
    }
}

static void carry_out(struct worker *w, const struct msg *msg, int64_t now)
{
    struct msg answer = {
        .type = MSG_ANSWER, .seq = msg->seq, .slot = msg->slot, .answer = {.type = msg->type}};
    if (!moves_order(w, msg, &answer.answer.status, now))
        answer.answer.status = apply(w, msg, &answer, now);
    if (answer.answer.status != MOVES_LATER)
        msg_put(w->rings.to_control, &answer);
}

/* --- those that wait for others --- */

static bool is_about_context(const struct msg *msg, uint32_t index)
{
    return (msg->type == MSG_PDP_ADD || msg->type == MSG_PDP_DEL) && msg->slot == index;
}

/* Whether mobiles are on their way out of what is to be deleted, to other workers. */
static bool is_left_by_some(const struct worker *w, const struct msg *msg)
{
    const struct context *c = &w->context;
    if (msg->type == MSG_BVC_DEL)
        return msg->slot < c->limits.bvcs && c->bvcs[msg->slot].in_use &&
               c->bvcs[msg->slot].ms_head != MS_NONE;
    return msg->type == MSG_NSE_DEL && msg->slot < c->limits.nses &&
           context_nse_has_cells(c, (uint16_t)msg->slot);
}

/* Whether an order has to wait, for one under way or for one of the first `count` that wait already. */
static bool must_wait(const struct worker *w, const struct msg *msg, unsigned count)
{
    if (moves_must_wait(w, msg) || is_left_by_some(w, msg))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (is_about_context(&w->orders.waiting[i], msg->slot) && is_about_context(msg, msg->slot))
            return true;
    return false;
}

/* One that has to wait does so here, or comes again. */
static void put_off(struct worker *w, const struct msg *msg)
{
    struct orders *o = &w->orders;
    bool is_end = msg->type == MSG_BVC_DEL || msg->type == MSG_NSE_DEL;
    const struct msg again = {
        .type = MSG_ANSWER, .seq = msg->seq, .slot = msg->slot, .answer = {msg->type, MSG_AGAIN}};
    if (is_end && o->count >= ORDERS_ENDS)
        msg_put(w->rings.to_control, &again);
    else
        o->waiting[o->count++] = *msg;
}

static bool has_room(const struct worker *w)
{
    return !rte_ring_full(w->rings.to_control) && port_room(&w->gb) > 0;
}

/* Looks at each once, in order. */
static unsigned apply_waiting(struct worker *w, int64_t now)
{
    struct orders *o = &w->orders;
    unsigned kept = 0, count = o->count;
    for (unsigned i = 0; i < count; i++) {
        struct msg msg = o->waiting[i];
        if (!has_room(w) || must_wait(w, &msg, kept))
            o->waiting[kept++] = msg;
        else
            carry_out(w, &msg, now);
    }
    o->count = kept;
    return count - kept;
}

unsigned orders_apply(struct worker *w, int64_t now)
{
    struct orders *o = &w->orders;
    struct msg msg;
    unsigned count = moves_answer(w) + apply_waiting(w, now);

    /* An order is taken only when there is room for its answer and, should it be one to send, for the frame.
     */
    for (unsigned i = 0;
         i < BURST && o->count < ORDERS_WAITING && has_room(w) && msg_take(w->rings.to_worker, &msg); i++) {
        if (must_wait(w, &msg, o->count))
            put_off(w, &msg);
        else
            carry_out(w, &msg, now);
        count++;
    }
    return count;
}
