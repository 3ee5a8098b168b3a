/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/orders.h"

#include "dataplane/base/drop.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/framing.h"
#include "dataplane/worker/worker.h"

#include <rte_ring.h>
#include <string.h>

#define BURST 64
#define TTL   64

/* --- NS-VCs
 * -----------------------------------------------------------------------------------------------------------
 */

static void put_template(struct gb_nsvc *nsvc)
{
    const struct gb_nsvc_params *p = &nsvc->params;
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct ipv4 ip = {.src = p->local_ip, .dst = p->remote_ip, .ttl = TTL, .proto = IPV4_PROTO_UDP};
    struct udp udp = {.src_port = p->local_port, .dst_port = p->remote_port};

    memcpy(ether.dst, p->remote_mac, sizeof(ether.dst));
    memcpy(ether.src, p->local_mac, sizeof(ether.src));
    ether_encode(nsvc->header, ETHER_OCTETS, &ether);
    ipv4_encode(nsvc->header + ETHER_OCTETS, IPV4_OCTETS, &ip);
    bytes_put_u16(nsvc->header + ETHER_OCTETS + 10,
                  0); /* the checksum is summed anew with each frame's length */
    udp_encode(nsvc->header + ETHER_OCTETS + IPV4_OCTETS, UDP_OCTETS, &udp);
}

static int add_nsvc(struct worker *w, const struct msg *msg)
{
    struct gb_nsvc nsvc = {.params = msg->nsvc};
    const struct gb_nsvc_params *p = &nsvc.params;
    struct lookup_key key = lookup_endpoint_key(p->local_ip, p->local_port, p->remote_ip, p->remote_port);

    put_template(&nsvc);
    if (msg->index > UINT16_MAX || lookup_address_add(&w->lookup.gb, p->local_ip) < 0)
        return -1;
    if (lookup_add(w->lookup.endpoints, &key, msg->index) == 0) {
        if (context_nsvc_add(&w->context, (uint16_t)msg->index, &nsvc) == 0)
            return 0;
        lookup_del(w->lookup.endpoints, &key);
    }
    lookup_address_del(&w->lookup.gb, p->local_ip);
    return -1;
}

/* Frames an NS PDU of the control core's and sends it; takes the buffer over. */
static int send_ns_pdu(struct worker *w, const struct msg *msg)
{
    struct rte_mbuf *mbuf = msg->mbuf;
    struct gb_nsvc *nsvc = msg->index < w->context.limits.nsvcs ? &w->context.nsvcs[msg->index] : NULL;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    uint8_t *frame = NULL;

    if (nsvc && nsvc->in_use && port_room(&w->gb) > 0)
        frame = (uint8_t *)rte_pktmbuf_prepend(mbuf, GB_HEADER_OCTETS);
    if (!frame) {
        rte_pktmbuf_free(mbuf);
        return -1;
    }
    framing_put_transport(nsvc, frame, octets);
    port_send(&w->gb, mbuf);
    return 0;
}

/* --- mobiles and contexts
 * --------------------------------------------------------------------------------------------- */

static struct lookup_key key_of_ms(const struct worker *w, const struct ms *ms)
{
    return lookup_mobile_key(w->context.bvcs[ms->bvc].nse, ms->tlli);
}

static int add_ms(struct worker *w, const struct msg *msg, int64_t now)
{
    if (context_ms_add(&w->context, msg->index, &msg->ms, now) < 0)
        return -1;
    struct lookup_key key = key_of_ms(w, &w->context.mobiles[msg->index]);
    if (lookup_add(w->lookup.mobiles, &key, msg->index) == 0)
        return 0;
    context_ms_del(&w->context, msg->index);
    return -1;
}

static int del_pdp(struct worker *w, uint32_t index)
{
    if (index >= w->context.limits.pdps || !w->context.pdps[index].in_use)
        return -1;
    const struct pdp_params *pdp = &w->context.pdps[index].params;
    struct lookup_key key = lookup_tunnel_key(pdp->sgsn_ip, pdp->teid);
    lookup_del(w->lookup.tunnels, &key);
    key = lookup_tunnel_key(pdp->ggsn_ip, pdp->ggsn_teid);
    lookup_del_of(w->lookup.remotes, &key, index);
    lookup_address_del(&w->lookup.gn, pdp->sgsn_ip);
    reassembly_forget(&w->reassembly, &w->stats, index);
    return context_pdp_del(&w->context, index);
}

static int del_ms(struct worker *w, uint32_t index, int64_t now)
{
    if (index >= w->context.limits.mobiles || !w->context.mobiles[index].in_use)
        return -1;
    struct ms *ms = &w->context.mobiles[index];
    struct lookup_key key = key_of_ms(w, ms);
    for (unsigned i = 0; i < MS_NSAPIS; i++)
        if (ms->pdp[i] != MS_PDP_NONE)
            del_pdp(w, ms->pdp[i]);
    lookup_del(w->lookup.mobiles, &key);
    return context_ms_del(&w->context, index);
}

static int add_pdp(struct worker *w, const struct msg *msg)
{
    const struct pdp_params *pdp = &msg->pdp;
    struct lookup_key key = lookup_tunnel_key(pdp->sgsn_ip, pdp->teid);
    struct lookup_key remote = lookup_tunnel_key(pdp->ggsn_ip, pdp->ggsn_teid);
    if (lookup_address_add(&w->lookup.gn, pdp->sgsn_ip) < 0)
        return -1;
    if (lookup_add(w->lookup.tunnels, &key, msg->index) == 0) {
        if (context_pdp_add(&w->context, msg->index, pdp) == 0) {
            /* No room is no reason to refuse: the context is only deaf to Error Indications then. */
            if (pdp->ggsn_ip != 0)
                lookup_replace(w->lookup.remotes, &remote, msg->index);
            return 0;
        }
        lookup_del(w->lookup.tunnels, &key);
    }
    lookup_address_del(&w->lookup.gn, pdp->sgsn_ip);
    return -1;
}

/* --- flow control of one mobile
 * --------------------------------------------------------------------------------------- */

static int apply_to_ms(struct worker *w, const struct msg *msg, int64_t now)
{
    struct lookup_key key = lookup_mobile_key(msg->parent, msg->id);
    uint32_t index = lookup_get(w->lookup.mobiles, &key);
    if (index == LOOKUP_NONE)
        return -1;
    switch (msg->type) {
    case MSG_MS_FLOW:
        return context_ms_flow(&w->context, index, &msg->flow, now);
    case MSG_MS_DEFAULTS:
        return context_ms_defaults(&w->context, index, now);
    default:
        return context_ms_discarded(&w->context, index, msg->octets, now);
    }
}

static int apply(struct worker *w, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    /* Of NSEs, NS-VCs and cells; no table of them has that many, so a larger one is refused. */
    uint16_t index = msg->index < UINT16_MAX ? (uint16_t)msg->index : UINT16_MAX;

    switch ((enum msg_type)msg->type) {
    case MSG_NSE_ADD:
        return context_nse_add(c, index, (uint16_t)msg->id);
    case MSG_NSVC_ADD:
        return add_nsvc(w, msg);
    case MSG_NSVC_USE:
        return context_nsvc_use(c, index, msg->flag);
    case MSG_BVC_ADD:
        return context_bvc_add(c, index, (uint16_t)msg->id, msg->parent, now);
    case MSG_BVC_RESET:
        return context_bvc_reset(c, index, now);
    case MSG_BVC_UNBLOCK:
        return context_bvc_unblock(c, index, msg->flag);
    case MSG_BVC_FLOW:
        return context_bvc_flow(c, index, &msg->flow, now);
    case MSG_MS_ADD:
        return add_ms(w, msg, now);
    case MSG_MS_DEL:
        return del_ms(w, msg->index, now);
    case MSG_MS_FLOW:
    case MSG_MS_DEFAULTS:
    case MSG_MS_DISCARDED:
        return apply_to_ms(w, msg, now);
    case MSG_PDP_ADD:
        return add_pdp(w, msg);
    case MSG_PDP_DEL:
        return del_pdp(w, msg->index);
    case MSG_SEND:
        return send_ns_pdu(w, msg);
    case MSG_ANSWER:
    case MSG_PUNT:
    case MSG_TUNNEL_ERROR:
        break;
    }
    return -1;
}

unsigned orders_apply(struct worker *w, int64_t now)
{
    struct msg msg;
    unsigned count = 0;

    /* An order is taken only when there is room for its answer and, should it be one to send, for the frame.
     */
    while (count < BURST && !rte_ring_full(w->rings.to_control) && port_room(&w->gb) > 0 &&
           msg_take(w->rings.to_worker, &msg)) {
        struct msg answer = {.type = MSG_ANSWER, .seq = msg.seq, .status = apply(w, &msg, now)};
        answer.index = msg.type;
        msg_put(w->rings.to_control, &answer);
        count++;
    }
    return count;
}
