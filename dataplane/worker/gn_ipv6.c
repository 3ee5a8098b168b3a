/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_ipv6.h"

#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

/* The headers up to transport: IPv6, and a fragment header if there is one. */
struct outer {
    struct ipv6 ip;
    struct ipv6_fragment fragment;
    uint32_t dst_ip;
    uint16_t offset; /* of the transport header, from the IPv6 header */
    uint8_t protocol;
    bool is_piece; /* a fragment of several */
};

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
    out->dst_ip = addresses_get(&w->lookup.ipv6, out->ip.dst);
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
                          struct gn_datagram *datagram)
{
    struct udp udp;
    size_t octets = outer->ip.payload_octets + (size_t)IPV6_OCTETS - outer->offset;
    if (udp_decode(&udp, bytes, octets) < 0)
        return DROP_UDP_MALFORMED;
    if (udp.checksum == 0 ||
        ipv6_checksum(&outer->ip, IPV4_PROTO_UDP, bytes, UDP_OCTETS + (size_t)udp.payload_octets) != 0)
        return DROP_UDP_CHECKSUM;
    *datagram = (struct gn_datagram){.src_ipv6 = outer->ip.src,
                                     .src_ip = addresses_get(&w->lookup.ipv6, outer->ip.src),
                                     .dst_ip = outer->dst_ip,
                                     .src_port = udp.src_port,
                                     .dst_port = udp.dst_port,
                                     .octets = udp.payload_octets};
    return DROP_NONE;
}

uint8_t *gn_ipv6_unwrap(struct worker *w, struct rte_mbuf **mbuf, struct gn_datagram *datagram, int64_t now)
{
    struct outer outer = {0};
    enum drop reason = read_outer(w, *mbuf, &outer);
    if (reason == DROP_NONE && outer.is_piece) {
        *mbuf = fragments_put_ipv6(&w->fragments, &w->stats, *mbuf, now);
        if (!*mbuf)
            return NULL;
        outer = (struct outer){0};
        reason = read_outer(w, *mbuf, &outer);
        if (reason == DROP_NONE && outer.is_piece)
            reason = DROP_IP_EXTENSION; /* fragments of fragments are not accepted */
    }
    uint8_t *bytes = rte_pktmbuf_mtod_offset(*mbuf, uint8_t *, (*mbuf)->l2_len + outer.offset);
    if (reason == DROP_NONE)
        reason = read_udp(w, &outer, bytes, datagram);
    if (reason == DROP_NONE)
        return bytes + UDP_OCTETS;
    punts_drop(w, MSG_PORT_GN, *mbuf, reason, now);
    return NULL;
}
