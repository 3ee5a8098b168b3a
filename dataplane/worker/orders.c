/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_bvc.h"
#include "dataplane/context/context_look.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include "dataplane/wire/gtpc.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#define BURST 64

static orders_handler *const handlers[MSG_TYPES] = {
#define MSG_ORDER(NAME, name, subject, payload, flags, handler) [MSG_##NAME] = handler,
#include "dataplane/worker/msgs.def"
#include "dataplane/worker/signalling.h"
};

/* Nothing but its answer is wanted. */
ORDERS_CALL(orders_fence, 0)

/* --- what an order is about; MS_NONE: there is no such thing --- */

static uint32_t find_nothing(const struct worker *w, const struct msg *msg)
{
    return 0;
}

static uint32_t find_slot(const struct worker *w, const struct msg *msg)
{
    return msg->slot;
}

/* No table of NSEs, NS-VCs or cells has more. */
static uint32_t find_gb(const struct worker *w, const struct msg *msg)
{
    return msg->slot < UINT16_MAX ? msg->slot : MS_NONE;
}

static uint32_t find_ms(const struct worker *w, const struct msg *msg)
{
    const struct context *c = &w->context;
    return msg->slot < c->limits.mobiles && c->mobiles[msg->slot].in_use ? msg->slot : MS_NONE;
}

static uint32_t find_tlli(const struct worker *w, const struct msg *msg)
{
    return u64_map_get(&w->lookup.mobiles, lookup_mobile_key(msg->nse, msg->tlli));
}

static uint32_t (*const finders[])(const struct worker *w, const struct msg *msg) = {
#define MSG_SUBJECT(NAME, index, key, way) [MSG_BY_##NAME] = find_##index,
#include "dataplane/worker/msgs.def"
};

static int orders_refuse(const struct msg *msg)
{
    msg_free(msg);
    return -1;
}

static int apply(struct worker *w, const struct msg *msg, int64_t now)
{
    uint8_t subject = msg_row(msg->type)->subject;
    orders_handler *handler = msg->type < MSG_TYPES ? handlers[msg->type] : NULL;
    uint32_t index = finders[subject](w, msg);
    if (!handler || (index == MS_NONE && subject != MSG_BY_TLLI_OR_NONE))
        return orders_refuse(msg);
    return handler(w, index, msg, now);
}

static void carry_out(struct worker *w, const struct msg *msg, int64_t now)
{
    struct msg *answer = &w->orders.answer;
    *answer =
        (struct msg){.type = MSG_ANSWER, .seq = msg->seq, .slot = msg->slot, .answer = {.type = msg->type}};
    if (!moves_order(w, msg, &answer->answer.status, now))
        answer->answer.status = apply(w, msg, now);
    if (answer->answer.status != MOVES_LATER)
        msg_put(w->rings.to_control, answer);
}

/* --- those that wait for others --- */

static bool is_about_context(const struct msg *msg, uint32_t index)
{
    return msg_is_about_context(msg->type) && msg->slot == index;
}

/* Whether mobiles are on their way out of the cell, or cells of the NSE, that is to be deleted. */
static bool is_left_by_some(const struct worker *w, const struct msg *msg)
{
    const struct context *c = &w->context;
    const struct msg_row *row = msg_row(msg->type);
    if (!(row->flags & MSG_WAITS))
        return false;
    if (row->subject == MSG_BY_NSE)
        return msg->slot < c->limits.nses && context_nse_has_cells(c, (uint16_t)msg->slot);
    return msg->slot < c->limits.bvcs && c->bvcs[msg->slot].in_use && c->bvcs[msg->slot].ms_head != MS_NONE;
}

/* Whether an order has to wait, for one under way or for one of the first `count` that wait already. */
static bool must_wait(const struct worker *w, const struct msg *msg, unsigned count)
{
    if (moves_order_must_wait(w, msg) || is_left_by_some(w, msg))
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
    const struct msg again = {.type = MSG_ANSWER,
                              .seq = msg->seq,
                              .slot = msg->slot,
                              .answer = {.type = msg->type, .status = MSG_AGAIN}};
    if (msg_row(msg->type)->flags & MSG_WAITS && o->count >= ORDERS_ENDS)
        msg_put(w->rings.to_control, &again);
    else
        o->waiting[o->count++] = *msg;
}

static bool has_room(const struct worker *w)
{
    return rte_ring_free_count(w->rings.to_control) > SHARES_KEPT && port_room(&w->gb) > 0;
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

/* --- NSEs --- */

int orders_nse_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_nse_add(&w->context, (uint16_t)index, msg->nsei, now) < 0)
        return -1;
    shares_begin_worker(&w->shares, SHARE_NSES + index);
    return 0;
}

/* The last of its signalling has no link to wait for any more. */
int orders_nse_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_nse_del(&w->context, (uint16_t)index) < 0)
        return -1;
    signalling_end(w, &w->context.nses[index], now);
    return 0;
}

ORDERS_CALL(orders_nse_rate, context_nse_rate(&w->context, (uint16_t)index, &msg->link, now))

/* --- NS-VCs --- */

static struct table_key key_of(const struct gb_nsvc_params *p)
{
    return lookup_endpoint_key(p->local_ip, p->local_port, p->remote_ip, p->remote_port);
}

int orders_nsvc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_nsvc nsvc = {.params = msg->nsvc};
    const struct gb_nsvc_params *p = &nsvc.params;
    struct table_key key = key_of(p);

    if (gb_transport_template(w, &nsvc) < 0 || lookup_address_add(&w->lookup.gb, p->local_ip) < 0)
        return -1;
    if (lookup_table_add(w->lookup.endpoints, &key, index) == 0) {
        if (context_nsvc_add(&w->context, (uint16_t)index, &nsvc) == 0) {
            lookup_bss_add(&w->lookup, p->remote_ip);
            guards_measure(w, p->nse);
            return 0;
        }
        lookup_table_del(w->lookup.endpoints, &key);
    }
    lookup_address_del(&w->lookup.gb, p->local_ip);
    return -1;
}

/* Another NS PDU, or NULL, in place of that which waits for the next hop of its NS-VC. */
static void replace_waiting(struct worker *w, struct gb_nsvc *nsvc, struct rte_mbuf *mbuf)
{
    w->stats.gb_signalling_lost += nsvc->waiting != NULL;
    rte_pktmbuf_free(nsvc->waiting);
    nsvc->waiting = mbuf;
}

int orders_nsvc_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (index >= w->context.limits.nsvcs)
        return -1;
    replace_waiting(w, &w->context.nsvcs[index], NULL);
    const struct gb_nsvc_params p = w->context.nsvcs[index].params;
    struct table_key key = key_of(&p);
    if (context_nsvc_del(&w->context, (uint16_t)index) < 0)
        return -1;
    lookup_table_del(w->lookup.endpoints, &key);
    lookup_address_del(&w->lookup.gb, p.local_ip);
    lookup_bss_del(&w->lookup, p.remote_ip);
    guards_measure(w, p.nse);
    return 0;
}

ORDERS_CALL(orders_nsvc_state, context_nsvc_use(&w->context, (uint16_t)index, msg->is_usable))
ORDERS_CALL(orders_nsvc_weight, context_nsvc_weight(&w->context, (uint16_t)index, msg->data_weight))

/* Frames an NS PDU and sends it when the NSE's link lets it. -1: no room. */
static int send_ns_pdu(struct worker *w, struct gb_nsvc *nsvc, struct rte_mbuf *mbuf, int64_t now)
{
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    char *room = port_room(&w->gb) > 0 ? rte_pktmbuf_prepend(mbuf, nsvc->header_octets) : NULL;
    if (!room) {
        w->stats.gb_signalling_lost++;
        rte_pktmbuf_free(mbuf);
        return -1;
    }
    uint8_t *frame = (uint8_t *)room;
    gb_transport_put(nsvc, frame + nsvc->header_octets, octets);
    if (nsvc->is_ipv6)
        gb_transport_sum(frame, rte_pktmbuf_data_len(mbuf));
    return signalling_send(w, &w->context.nses[nsvc->params.nse], mbuf, octets, now);
}

int orders_nsvc_mac(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_nsvc *nsvc = index < w->context.limits.nsvcs ? &w->context.nsvcs[index] : NULL;
    if (!nsvc || !nsvc->in_use)
        return -1;
    memcpy(nsvc->params.remote_mac, msg->mac, sizeof(nsvc->params.remote_mac));
    memcpy(nsvc->header, msg->mac, sizeof(msg->mac)); /* the template begins with it */
    nsvc->params.needs_mac = false;
    if (now >= nsvc->waiting_until_ns)
        replace_waiting(w, nsvc, NULL);
    struct rte_mbuf *waiting = nsvc->waiting;
    nsvc->waiting = NULL;
    if (waiting)
        (void)send_ns_pdu(w, nsvc, waiting, now);
    return 0;
}

int orders_nsvc_at(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct table_key key = key_of(&msg->nsvc_at.params);
    unsigned at = msg->nsvc_at.worker, workers = w->xworker ? w->xworker->count : 1;
    if (at >= workers || at == w->number)
        return -1;
    if (!msg->nsvc_at.is_gone) {
        int rc = lookup_table_add(w->lookup.endpoints, &key, LOOKUP_AT + at);
        if (rc == 0)
            lookup_bss_add(&w->lookup, key.c);
        return rc;
    }
    if (lookup_table_get(w->lookup.endpoints, &key) != LOOKUP_AT + at)
        return -1;
    lookup_table_del(w->lookup.endpoints, &key);
    lookup_bss_del(&w->lookup, key.c);
    return 0;
}

/* --- cells --- */

int orders_bvc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_bvc_add(&w->context, (uint16_t)index, msg->bvc.bvci, msg->bvc.nse, now) < 0)
        return -1;
    memcpy(w->context.bvcs[index].area, msg->bvc.area, AREA_ROUTEING);
    return 0;
}

ORDERS_CALL(orders_bvc_del, context_bvc_del(&w->context, (uint16_t)index))
ORDERS_CALL(orders_bvc_reset, context_bvc_reset(&w->context, (uint16_t)index, now))

int orders_bvc_state(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_bvc_unblock(&w->context, (uint16_t)index, msg->is_unblocked) < 0)
        return -1;
    if (msg->is_unblocked)
        w->context.bvcs[index].up_ticks = ms_ticks(now);
    return 0;
}

int orders_bvc_waits(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct context_look look, queued[QCLASS_COUNT];
    const struct gb_bvc *bvc = context_bvc_at(&w->context, (uint16_t)index);
    if (!bvc)
        return -1;
    if (bvc->flow_known || !context_look_bvc(&w->context, (uint16_t)index, now, &look, queued))
        return 0;
    struct msg news = {.type = MSG_BVC_WAITING, .slot = index, .npdus = (uint32_t)look.queued_pkts};
    if (news.npdus > 0)
        (void)msg_put(w->rings.to_control, &news);
    return 0;
}

ORDERS_CALL(orders_bvc_flow, context_bvc_flow(&w->context, (uint16_t)index, &msg->flow, now))
ORDERS_CALL(orders_bvc_policy, context_bvc_policy(&w->context, (uint16_t)index, &msg->policy, now))

int orders_address(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_address *address = &msg->address;
    if (address->is_there)
        return lookup_address_add(&w->lookup.gn, address->ip);
    if (!lookup_is_ours(&w->lookup, address->ip))
        return -1;
    lookup_address_del(&w->lookup.gn, address->ip);
    return 0;
}

ORDERS_CALL(orders_ipv6, lookup_ipv6_put(&w->lookup.ipv6, msg->ipv6.place, msg->ipv6.octets))

int orders_hop(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (msg->hop.is_gone) {
        hops_del(&w->hops, msg->hop.ip);
        return 0;
    }
    if (hops_set(&w->hops, msg->hop.ip, msg->hop.mac) < 0)
        return -1;
    gn_tx_found(w, msg->hop.ip, now);
    return 0;
}

int orders_tunnel_at(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_tunnel *tunnel = &msg->tunnel;
    struct table_key key = lookup_tunnel_key(tunnel->sgsn_ip, tunnel->teid);
    uint32_t at = TUNNELS_AT + tunnel->worker;
    if (tunnel->worker >= w->tunnels.workers || tunnel->worker == w->number)
        return -1;
    if (tunnel->is_there)
        return tunnels_add(&w->tunnels, &key, at);
    if (lookup_table_get(w->tunnels.foreign, &key) != at)
        return -1;
    tunnels_del(&w->tunnels, &key, at);
    return 0;
}

int orders_queue_class(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_queue_class *c = &msg->queue_class;
    return sched_set_class(&w->context.sched, c->qclass, c->weight, &c->limit);
}

int orders_queue_aqm(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    context_aqm(&w->context, msg->aqm, now);
    return 0;
}

ORDERS_CALL(orders_queue_bounds, sched_set_bounds(&w->context.sched, &msg->bounds))

int orders_lifetime(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    context_lifetime(&w->context, &msg->lifetime);
    return 0;
}

ORDERS_CALL(orders_ready, context_ready(&w->context, msg->ready_ns))

int orders_reassemblies(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (msg->reassemblies > w->reassembly.count)
        return -1;
    w->reassembly.most = msg->reassemblies;
    return 0;
}

/* -1: no such NS-VC, or no room. The latest waits while the next hop is not known: NS repeats what counts. */
int orders_send_ns_pdu(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_nsvc *nsvc = index < w->context.limits.nsvcs ? &w->context.nsvcs[index] : NULL;
    if (!nsvc || !nsvc->in_use) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    if (!nsvc->params.needs_mac)
        return send_ns_pdu(w, nsvc, msg->mbuf, now);
    nsvc->waiting_until_ns = now + GN_WAIT_NS;
    replace_waiting(w, nsvc, msg->mbuf);
    return 0;
}

/* The port of an answer is GTP-C's, that of a request its own. */
static uint16_t source_port(const struct worker *w, const struct msg *msg)
{
    int seq = gtpc_request_seq(rte_pktmbuf_mtod(msg->mbuf, const uint8_t *), rte_pktmbuf_data_len(msg->mbuf));
    return seq < 0 ? GTPC_PORT : gtpc_port_of(&w->gtpc.key, msg->datagram.theirs, (uint16_t)seq);
}

/* -1: no room, or control does not know the address. */
int orders_send_datagram(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_datagram *datagram = &msg->datagram;
    struct gn_way way = {.src_ip = datagram->ours,
                         .dst_ip = datagram->theirs,
                         .src_port = source_port(w, msg),
                         .dst_port = datagram->port,
                         .tos = marking_signalling(&w->gn_marking),
                         .is_answer = datagram->is_answer,
                         .unsent = &w->stats.gn_gtpc_unsent};
    if (gn_tx_send(w, msg->mbuf, &way, now) == DROP_NONE)
        return 0;
    w->stats.gn_gtpc_unsent++;
    return -1;
}

/* -1: no such port, or no room. */
int orders_send_frame(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct port *port = msg->port == MSG_PORT_GN ? &w->gn : &w->gb;
    if (msg->port >= MSG_PORTS || port_room(port) == 0) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    port_send(port, msg->mbuf);
    return 0;
}

int orders_tap(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->tap = msg->tap;
    return 0;
}
