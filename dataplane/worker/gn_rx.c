/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames received from Gn.
 * Exits: DROP_NOT_IP, DROP_IP_MALFORMED, DROP_IP_RESERVED_ADDRESS, DROP_IP_EXTENSION, DROP_OTHER_ADDRESS,
 * DROP_NOT_UDP, DROP_UDP_MALFORMED, DROP_UDP_CHECKSUM, DROP_FRAME_TOO_LONG, DROP_OTHER_MAC, DROP_OTHER_VLAN,
 * DROP_GTPU_MALFORMED, DROP_GTPU_UNSUPPORTED.
 */
#include "dataplane/worker/gn_rx.h"
#include "dataplane/worker/admission.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/gn_signal.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/address.h"
#include "dataplane/context/marking.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/drop.h"

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Outer IPv6: from frame to UDP payload. The only extension header accepted is one fragment header between
 * IPv6 and UDP; a GGSN has no reason to send others, and any sender could choose how long the worker follows
 * them. UDP without a checksum is not accepted (RFC 8200 clause 8.1; TS 29.281 requires no exception by RFC
 * 6935).
 *
 * Not here: neighbour discovery, which is control's.
 */

/* The headers up to transport: IPv6, and a fragment header if there is one. */
struct outer {
    struct ipv6 ip;
    struct ipv6_fragment fragment;
    uint32_t dst_ip;
    uint16_t offset; /* of the transport header, from the IPv6 header */
    uint8_t protocol;
    bool is_piece; /* a fragment of several */
};

static enum fragments_place place_of(const struct rte_mbuf *mbuf)
{
    return mbuf->ol_flags & PORT_GUARDED ? FRAGMENTS_GN_GUARDED : FRAGMENTS_GN;
}

static enum drop judge_protocol(uint8_t protocol)
{
    if (protocol == IPV4_PROTO_UDP)
        return DROP_NONE;
    return ipv6_is_extension(protocol) ? DROP_IP_EXTENSION : DROP_NOT_UDP;
}

static enum drop read_fragment(struct outer *out, const uint8_t *bytes)
{
    struct ipv6_fragment *fragment = &out->fragment;
    uint16_t octets = out->ip.payload_octets;
    if (ipv6_fragment_decode(fragment, bytes, octets) < 0)
        return DROP_IP_MALFORMED;
    octets = (uint16_t)(octets - IPV6_FRAGMENT_OCTETS);
    bool is_ragged = fragment->more && octets % 8 != 0;
    if (octets == 0 || is_ragged || fragment->offset_octets + octets > UINT16_MAX)
        return DROP_IP_MALFORMED;
    out->is_piece = fragment->more || fragment->offset_octets > 0; /* RFC 6946: else the whole datagram */
    out->protocol = fragment->next_header;
    out->offset += IPV6_FRAGMENT_OCTETS;
    return DROP_NONE;
}

static enum drop read_outer(const struct worker *w, const struct rte_mbuf *mbuf, struct outer *out)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    if (ipv6_decode(&out->ip, bytes, rte_pktmbuf_data_len(mbuf) - mbuf->l2_len) < 0)
        return DROP_IP_MALFORMED;
    out->dst_ip = lookup_ipv6_get(&w->lookup.ipv6, out->ip.dst);
    if (out->dst_ip == ADDRESS_NONE || !lookup_is_ours(&w->lookup, out->dst_ip))
        return DROP_OTHER_ADDRESS;
    out->offset = IPV6_OCTETS;
    out->protocol = out->ip.next_header;
    enum drop reason = DROP_NONE;
    if (out->protocol == IPV6_FRAGMENT)
        reason = read_fragment(out, bytes + IPV6_OCTETS);
    return reason == DROP_NONE ? judge_protocol(out->protocol) : reason;
}

static enum drop read_udp(const struct worker *w, const struct outer *outer, const uint8_t *bytes,
                          enum port_sum sum, struct gn_datagram *datagram)
{
    struct udp udp;
    size_t octets = outer->ip.payload_octets + (size_t)IPV6_OCTETS - outer->offset;
    if (udp_decode(&udp, bytes, octets) < 0)
        return DROP_UDP_MALFORMED;
    if (udp.checksum == 0 || sum == PORT_SUM_BAD ||
        (sum == PORT_SUM_UNKNOWN &&
         ipv6_checksum(&outer->ip, IPV4_PROTO_UDP, bytes, UDP_OCTETS + (size_t)udp.payload_octets) != 0))
        return DROP_UDP_CHECKSUM;
    *datagram = (struct gn_datagram){.src_ipv6 = outer->ip.src,
                                     .src_ip = lookup_ipv6_get(&w->lookup.ipv6, outer->ip.src),
                                     .dst_ip = outer->dst_ip,
                                     .src_port = udp.src_port,
                                     .dst_port = udp.dst_port,
                                     .octets = udp.payload_octets,
                                     .ecn = outer->ip.traffic_class & MARKING_ECN};
    return DROP_NONE;
}

/*
 * Unwraps a frame whose IPv6 header is at mbuf->l2_len. Returns the UDP payload in *mbuf, which is another
 * buffer when the frame completed a datagram. NULL: the frame was kept, or dropped and counted.
 */
static uint8_t *gn_ipv6_unwrap(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram,
                               int64_t now)
{
    struct outer outer = {0};
    enum drop reason = read_outer(w, *mbuf, &outer);
    enum port_sum sum = outer.is_piece ? PORT_SUM_UNKNOWN : port_udp_sum(*mbuf);
    if (reason == DROP_NONE && outer.is_piece) {
        *mbuf = fragments_put_ipv6(&w->fragments, &w->stats, place_of(*mbuf), *mbuf, now);
        if (!*mbuf)
            return NULL;
        outer = (struct outer){0};
        reason = read_outer(w, *mbuf, &outer);
        if (reason == DROP_NONE && outer.is_piece)
            reason = DROP_IP_EXTENSION; /* fragments of fragments are not accepted */
    }
    uint8_t *bytes = rte_pktmbuf_mtod_offset(*mbuf, uint8_t *, (*mbuf)->l2_len + outer.offset);
    if (reason == DROP_NONE)
        reason = read_udp(w, &outer, bytes, sum, datagram);
    if (reason == DROP_NONE)
        return bytes + UDP_OCTETS;
    punts_drop(w, MSG_PORT_GN, *mbuf, reason, now);
    return NULL;
}

#define AHEAD  8  /* distance of the prefetch, in frames */
#define BEHIND 16 /* distance from an N-PDU's prefetch of its context to the reading, in N-PDUs */

static void drop_frame(struct worker *w, struct rte_mbuf *mbuf, enum drop reason)
{
    w->stats.gn_drops[reason]++;
    rte_pktmbuf_free(mbuf);
}

static enum drop judge_ipv4(const struct worker *w, const struct ipv4 *ip, const uint8_t *bytes)
{
    if (!ipv4_is_checksum_good(bytes, ip->header_octets))
        return DROP_IP_MALFORMED;
    if (unlikely(address_is_ipv6(ip->src) || address_is_ipv6(ip->dst)))
        return DROP_IP_RESERVED_ADDRESS;
    if (!lookup_is_ours(&w->lookup, ip->dst))
        return DROP_OTHER_ADDRESS;
    return ip->proto == IPV4_PROTO_UDP ? DROP_NONE : DROP_NOT_UDP;
}

/* The frame with an IPv4 header at l2_len, or the datagram that it completed; NULL: it was kept, or dropped
 * and counted. */
static struct rte_mbuf *whole_ipv4(struct worker *w, struct rte_mbuf *mbuf, struct ipv4 *ip, int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    enum drop reason = DROP_IP_MALFORMED;

    if (ipv4_decode(ip, bytes, rte_pktmbuf_data_len(mbuf) - mbuf->l2_len) >= 0)
        reason = judge_ipv4(w, ip, bytes);
    if (reason != DROP_NONE) {
        punts_drop(w, MSG_PORT_GN, mbuf, reason, now);
        return NULL;
    }
    if (likely(!ipv4_is_fragment(ip)))
        return mbuf;
    struct ipv4 part = *ip; /* a copy, so that *ip can stay in registers */
    mbuf = fragments_put(&w->fragments, &w->stats, place_of(mbuf), mbuf, &part, now);
    if (!mbuf)
        return NULL;
    bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    if (ipv4_decode(ip, bytes, rte_pktmbuf_data_len(mbuf) - mbuf->l2_len) >= 0)
        return mbuf;
    drop_frame(w, mbuf, DROP_IP_MALFORMED);
    return NULL;
}

/* As gn_ipv6_unwrap(). */
static uint8_t *unwrap_ipv4(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram,
                            int64_t now)
{
    struct ipv4 ip;
    struct udp udp;

    *mbuf = whole_ipv4(w, *mbuf, &ip, now);
    if (!*mbuf)
        return NULL;
    uint8_t *bytes = rte_pktmbuf_mtod_offset(*mbuf, uint8_t *, (*mbuf)->l2_len + ip.header_octets);
    if (udp_decode(&udp, bytes, ip.payload_octets) < 0) {
        drop_frame(w, *mbuf, DROP_UDP_MALFORMED);
        return NULL;
    }
    *datagram = (struct gn_datagram){.src_ip = ip.src,
                                     .dst_ip = ip.dst,
                                     .src_port = udp.src_port,
                                     .dst_port = udp.dst_port,
                                     .octets = udp.payload_octets,
                                     .ecn = ip.tos & MARKING_ECN};
    return bytes + UDP_OCTETS;
}

/* From frame to UDP payload, over IPv4 or IPv6. */
static uint8_t *unwrap(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram, int64_t now)
{
    struct ether ether;
    int offset = ether_decode(&ether, rte_pktmbuf_mtod(*mbuf, const uint8_t *), rte_pktmbuf_data_len(*mbuf));

    if (unlikely(port_is_stray(&w->gn, *mbuf))) {
        drop_frame(w, *mbuf, DROP_OTHER_MAC);
        return NULL;
    }
    if (likely(offset >= 0)) {
        (*mbuf)->l2_len = (uint8_t)offset & 0x7f;
        if (likely(ether.type == ETHER_TYPE_IPV4))
            return unwrap_ipv4(w, mbuf, datagram, now);
        if (ether.type == ETHER_TYPE_IPV6)
            return gn_ipv6_unwrap(w, mbuf, datagram, now);
    }
    punts_drop(w, MSG_PORT_GN, *mbuf, DROP_NOT_IP, now);
    return NULL;
}

/* DROP_NONE: a G-PDU. All other messages end here, answered or not. */
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

/* A record of an N-PDU. In place: a compound literal would first be made on the stack. */
static inline struct n_pdu *gn_rx_start(struct rte_mbuf *mbuf, uint8_t *data, uint16_t octets, int64_t now)
{
    struct n_pdu *n_pdu = pool_n_pdu(mbuf);
    memset(n_pdu, 0, sizeof(*n_pdu));
    n_pdu->data = data;
    n_pdu->octets = octets;
    n_pdu->arrival_ns = now;
    n_pdu->pdp = TRACE_NO_PDP;
    return n_pdu;
}

/* Adds a G-PDU to the burst; its datagram is there already. */
static void gn_rx_put(const struct worker *w, struct admission *burst, struct n_pdu *n_pdu, uint32_t teid)
{
    tunnels_prefetch(&w->tunnels, teid);
    unsigned i = burst->count++;
    burst->keys[i] = lookup_tunnel_key(burst->datagrams[i].dst_ip, teid);
    burst->n_pdus[i] = n_pdu;
}

/* Header by header; each error has its reason. */
static void decapsulate_any(struct worker *w, struct rte_mbuf *mbuf, struct admission *burst, int64_t now)
{
    struct gtpu gtpu;
    struct gn_datagram *datagram = &burst->datagrams[burst->count];

    uint8_t *bytes = unwrap(w, &mbuf, datagram, now);
    if (!bytes)
        return;
    if (unlikely(datagram->dst_port != GTPU_PORT)) {
        punts_datagram(w, mbuf, bytes, datagram, now);
        return;
    }
    enum drop reason = unwrap_gtpu(w, bytes, datagram, &gtpu, now);
    if (reason != DROP_NONE) {
        drop_frame(w, mbuf, reason);
        return;
    }
    struct n_pdu *n_pdu = gn_rx_start(mbuf, bytes + gtpu.payload_offset, gtpu.payload_octets, now);
    n_pdu->tos = datagram->ecn;
    if (gtpu.flags & GTPU_PN)
        n_pdu->number = N_PDU_TOLD | gtpu.n_pdu_number;
    gn_rx_put(w, burst, n_pdu, gtpu.teid);
}

/* Most nodes have one address on Gn. */
static bool is_for_us(const struct worker *w, const struct gn_plain *plain)
{
    if (unlikely(address_is_ipv6(plain->src_ip) || address_is_ipv6(plain->dst_ip)))
        return false;
    const struct lookup_addresses *gn = &w->lookup.gn;
    return (plain->dst_ip == gn->list[0].ip && gn->count > 0) || lookup_is_ours(&w->lookup, plain->dst_ip);
}

static void decapsulate(struct worker *w, struct rte_mbuf *mbuf, struct admission *burst, int64_t now)
{
    struct gn_plain plain;
    uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);

    if (unlikely(!gn_plain_decode(&plain, frame, rte_pktmbuf_data_len(mbuf)) || !is_for_us(w, &plain) ||
                 !port_is_addressed(&w->gn, frame))) {
        decapsulate_any(w, mbuf, burst, now);
        return;
    }
    struct gn_datagram *datagram = &burst->datagrams[burst->count];
    datagram->src_ipv6 = NULL; /* all members, one by one: a compound literal is first stored as zeros */
    datagram->src_ip = plain.src_ip;
    datagram->dst_ip = plain.dst_ip;
    datagram->src_port = plain.src_port;
    datagram->dst_port = GTPU_PORT;
    datagram->octets = plain.udp_payload_octets;
    struct n_pdu *n_pdu = gn_rx_start(mbuf, frame + plain.offset, plain.octets, now);
    if (unlikely(frame[GN_PLAIN_IP + 1] & 1)) /* ECT(1) or CE: others change nothing (context/marking.h) */
        n_pdu->tos = frame[GN_PLAIN_IP + 1] & MARKING_ECN;
    gn_rx_put(w, burst, n_pdu, plain.teid);
}

/* Both lines of headers, Gn's and the user's. */
static void prefetch_frame(const struct rte_mbuf *mbuf)
{
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    rte_prefetch0(frame);
    rte_prefetch0(frame + RTE_CACHE_LINE_SIZE);
}

void gn_rx_decode(struct worker *w, struct rte_mbuf **frames, unsigned count, struct admission *burst,
                  int64_t now)
{
    for (unsigned i = 0; i < count && i < AHEAD; i++)
        prefetch_frame(frames[i]);
    for (unsigned i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_frame(frames[i + AHEAD]);
        decapsulate(w, frames[i], burst, now);
        if (burst->count > BEHIND)
            admission_look(w, burst, burst->count - BEHIND);
    }
}

unsigned gn_rx_sift(struct worker *w, struct rte_mbuf **frames, unsigned count)
{
    const struct port_sifted sifted = {&w->stats.gn_drops[DROP_FRAME_TOO_LONG],
                                       &w->stats.gn_drops[DROP_OTHER_VLAN],
                                       &w->stats.gn_drops[DROP_OTHER_MAC]};
    return port_sift(&w->gn, frames, count, &sifted);
}

unsigned gn_rx_receive(struct worker *w, int64_t now)
{
    struct rte_mbuf *frames[WORKER_BURST];
    struct admission burst;
    unsigned count = port_receive(&w->gn, frames);

    admission_start(&burst, false);
    w->stats.gn_frames += count;
    if (unlikely(port_must_sift(&w->gn)))
        count = gn_rx_sift(w, frames, count);
    gn_rx_decode(w, frames, count, &burst, now);
    admission_queue(w, &burst, now);
    return count;
}
