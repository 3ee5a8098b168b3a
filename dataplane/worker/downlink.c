/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/downlink.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/gn_signal.h"
#include "dataplane/worker/inner.h"
#include "dataplane/worker/trace.h"
#include "dataplane/worker/worker.h"

/* N-PDUs of one burst, with the datagram and the key of the tunnel that each came in. */
struct tunnelled {
    unsigned count;
    struct n_pdu *n_pdus[WORKER_BURST];
    struct lookup_key keys[WORKER_BURST];
    struct gn_datagram datagrams[WORKER_BURST];
};

static void drop_frame(struct worker *w, struct rte_mbuf *mbuf, enum drop reason)
{
    w->stats.gn_drops[reason]++;
    rte_pktmbuf_free(mbuf);
}

void downlink_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now)
{
    struct trace_event event = {
        .at_ns = now,
        .arrival_ns = n_pdu->arrival_ns,
        .pdp = n_pdu->pdp,
        .generation = n_pdu->generation,
        .octets = n_pdu->octets,
        .reason = (uint8_t)reason,
        .qclass = n_pdu->qclass,
    };
    if (w->trace && !trace_put(w->trace, &event))
        w->stats.trace_lost++;
}

static void drop_n_pdu(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    w->stats.gn_drops[reason]++;
    downlink_trace(w, n_pdu, reason, now);
    rte_pktmbuf_free(pool_mbuf(n_pdu));
}

static enum drop unwrap_ip(struct worker *w, const struct rte_mbuf *mbuf, struct ether *ether,
                           struct ipv4 *ip)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t len = rte_pktmbuf_data_len(mbuf);
    int offset = ether_decode(ether, bytes, len);

    if (offset < 0 || ether->type != ETHER_TYPE_IPV4)
        return DROP_NOT_IP;
    int ip_octets = ipv4_decode(ip, bytes + offset, len - (size_t)offset);
    if (ip_octets < 0 || !ipv4_is_checksum_good(bytes + offset, (size_t)ip_octets))
        return DROP_IP_MALFORMED;
    if (!lookup_is_ours(&w->lookup, ip->dst))
        return DROP_OTHER_ADDRESS;
    return ip->proto == IPV4_PROTO_UDP ? DROP_NONE : DROP_NOT_UDP;
}

/* A received frame, or the datagram whose last fragment it was; NULL: it is held, or was dropped and counted.
 */
static struct rte_mbuf *whole_datagram(struct worker *w, struct rte_mbuf *mbuf, struct ipv4 *ip, int64_t now)
{
    struct ether ether;
    enum drop reason = unwrap_ip(w, mbuf, &ether, ip);

    if (reason != DROP_NONE) {
        drop_frame(w, mbuf, reason);
        return NULL;
    }
    mbuf->l2_len = ether.has_vlan ? ETHER_TAGGED_OCTETS : ETHER_OCTETS;
    if (likely(!ipv4_is_fragment(ip)))
        return mbuf;
    mbuf = fragments_put(&w->fragments, &w->stats, mbuf, ip, now);
    if (!mbuf)
        return NULL;
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    if (ipv4_decode(ip, bytes, rte_pktmbuf_data_len(mbuf) - mbuf->l2_len) >= 0)
        return mbuf;
    drop_frame(w, mbuf, DROP_IP_MALFORMED);
    return NULL;
}

static enum drop unwrap_udp(const uint8_t *bytes, const struct ipv4 *ip, struct gn_datagram *datagram)
{
    struct udp udp;
    if (udp_decode(&udp, bytes, ip->payload_octets) < 0)
        return DROP_UDP_MALFORMED;
    *datagram = (struct gn_datagram){.src_ip = ip->src,
                                     .dst_ip = ip->dst,
                                     .src_port = udp.src_port,
                                     .dst_port = udp.dst_port,
                                     .octets = udp.payload_octets};
    return udp.dst_port == GTPU_PORT ? DROP_NONE : DROP_OTHER_PORT;
}

/* DROP_NONE: a G-PDU. What else there is ends here, also when it was answered. */
static enum drop unwrap_gtpu(struct worker *w, const uint8_t *bytes, const struct gn_datagram *datagram,
                             struct gtpu *gtpu, int64_t now)
{
    int offset = gtpu_decode(gtpu, bytes, datagram->octets);
    if (likely(offset >= 0 && gtpu->type == GTPU_G_PDU))
        return DROP_NONE;
    if (offset >= 0)
        return gn_signal_receive(w, datagram, gtpu, bytes, now);
    if (offset != ERR_UNSUPPORTED)
        return DROP_GTPU_MALFORMED;
    gn_signal_unsupported(w, datagram, gtpu, now);
    return DROP_GTPU_UNSUPPORTED;
}

static void decapsulate(struct worker *w, struct rte_mbuf *mbuf, struct tunnelled *burst, int64_t now)
{
    struct ipv4 ip;
    struct gtpu gtpu;
    struct gn_datagram *datagram = &burst->datagrams[burst->count];

    mbuf = whole_datagram(w, mbuf, &ip, now);
    if (!mbuf)
        return;
    uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, uint8_t *, mbuf->l2_len + ip.header_octets);
    enum drop reason = unwrap_udp(bytes, &ip, datagram);
    if (reason == DROP_NONE)
        reason = unwrap_gtpu(w, bytes + UDP_OCTETS, datagram, &gtpu, now);
    if (reason != DROP_NONE) {
        drop_frame(w, mbuf, reason);
        return;
    }
    struct n_pdu *n_pdu = pool_n_pdu(mbuf);
    *n_pdu = (struct n_pdu){.data = bytes + UDP_OCTETS + gtpu.payload_offset,
                            .octets = gtpu.payload_octets,
                            .arrival_ns = now,
                            .pdp = TRACE_NO_PDP};
    w->stats.npdu_in++;
    burst->keys[burst->count] = lookup_tunnel_key(ip.dst, gtpu.teid);
    burst->n_pdus[burst->count++] = n_pdu;
}

static enum drop admit(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu, uint32_t src_ip)
{
    if (pdp->ggsn_ip != src_ip && pdp->ggsn_ip != 0 && !w->is_any_ggsn)
        return DROP_OTHER_GGSN;
    enum drop reason = inner_judge(&w->lookup, pdp, n_pdu->data, n_pdu->octets);
    if (reason != DROP_NONE)
        return reason;
    return (enum drop)sched_enqueue(&w->context.sched, &w->context.mobiles[pdp->ms].sched, n_pdu);
}

static void enqueue(struct worker *w, const struct tunnelled *burst, unsigned i, uint32_t index, int64_t now)
{
    struct n_pdu *n_pdu = burst->n_pdus[i];
    const struct gn_datagram *datagram = &burst->datagrams[i];

    if (index == LOOKUP_NONE) {
        gn_signal_unknown_tunnel(w, datagram, burst->keys[i].b, now);
        drop_n_pdu(w, n_pdu, DROP_UNKNOWN_TEID, now);
        return;
    }
    const struct pdp *pdp = &w->context.pdps[index];
    n_pdu->pdp = index;
    n_pdu->generation = pdp->generation;
    n_pdu->qclass = pdp->params.qclass;
    enum drop reason = admit(w, &pdp->params, n_pdu, datagram->src_ip);
    if (reason != DROP_NONE)
        drop_n_pdu(w, n_pdu, reason, now);
}

unsigned downlink_receive(struct worker *w, int64_t now)
{
    struct rte_mbuf *frames[WORKER_BURST];
    uint32_t indices[WORKER_BURST];
    struct tunnelled burst = {.count = 0};
    unsigned count = port_receive(&w->gn, frames);

    w->stats.gn_frames += count;
    for (unsigned i = 0; i < count; i++)
        rte_prefetch0(rte_pktmbuf_mtod(frames[i], void *));
    for (unsigned i = 0; i < count; i++)
        decapsulate(w, frames[i], &burst, now);
    lookup_get_bulk(w->lookup.tunnels, burst.keys, burst.count, indices);
    for (unsigned i = 0; i < burst.count; i++)
        enqueue(w, &burst, i, indices[i], now);
    return count;
}

void downlink_reap(struct worker *w, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&w->context.sched.dropped)))
        drop_n_pdu(w, n_pdu, n_pdu->drop_reason, now);
}
