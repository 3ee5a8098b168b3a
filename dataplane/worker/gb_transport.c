/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transport of NS on Gb: Ethernet, IP and UDP.
 * Exits: DROP_NOT_IP, DROP_IP_MALFORMED, DROP_IP_EXTENSION, DROP_NOT_UDP, DROP_UDP_MALFORMED,
 * DROP_UDP_CHECKSUM, DROP_OTHER_MAC, DROP_UNKNOWN_NSVC.
 */
#include "dataplane/worker/gb_transport.h"
#include "dataplane/context/context.h"
#include "dataplane/context/gb.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"

#include <rte_mbuf.h>
#include <stdint.h>
#include <string.h>

#define TTL             64
#define NO_UDP_CHECKSUM 0xffff /* sent over IPv6 when the sum is 0 */

/* --- sending --- */

static void put_ipv4(const struct worker *w, uint8_t *ip, const struct gb_nsvc_params *p)
{
    struct ipv4 header = {.src = p->local_ip,
                          .dst = p->remote_ip,
                          .tos = marking_signalling(&w->gb_marking),
                          .ttl = TTL,
                          .proto = IPV4_PROTO_UDP};
    ipv4_encode(ip, IPV4_OCTETS, &header);
}

static int put_ipv6(const struct worker *w, uint8_t *ip, const struct gb_nsvc_params *p)
{
    struct ipv6 header = {
        .src = lookup_ipv6_octets(&w->lookup.ipv6, p->local_ip),
        .dst = lookup_ipv6_octets(&w->lookup.ipv6, p->remote_ip),
        .traffic_class = marking_signalling(&w->gb_marking),
        .next_header = IPV4_PROTO_UDP,
        .hop_limit = TTL,
    };
    if (!header.src || !header.dst)
        return -1;
    return ipv6_encode(ip, IPV6_OCTETS, &header) < 0 ? -1 : 0;
}

int gb_transport_template(const struct worker *w, struct gb_nsvc *nsvc)
{
    const struct gb_nsvc_params *p = &nsvc->params;
    struct udp udp = {.src_port = p->local_port, .dst_port = p->remote_port};
    uint8_t *ip = nsvc->header + ETHER_OCTETS;

    nsvc->is_ipv6 = address_is_ipv6(p->local_ip);
    nsvc->header_octets = nsvc->is_ipv6 ? GB_HEADER_MAX_OCTETS : GB_HEADER_OCTETS;
    if (address_is_ipv6(p->remote_ip) != nsvc->is_ipv6)
        return -1;
    struct ether ether = {.type = nsvc->is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4};
    memcpy(ether.dst, p->remote_mac, sizeof(ether.dst));
    memcpy(ether.src, p->local_mac, sizeof(ether.src));
    ether_encode(nsvc->header, ETHER_OCTETS, &ether);
    udp_encode(nsvc->header + nsvc->header_octets - UDP_OCTETS, UDP_OCTETS, &udp);
    if (nsvc->is_ipv6)
        return put_ipv6(w, ip, p);
    put_ipv4(w, ip, p);
    return 0;
}

void gb_transport_sum(uint8_t *frame, size_t octets)
{
    uint8_t *udp = frame + ETHER_OCTETS + IPV6_OCTETS;
    struct ipv6 ip = {.src = frame + ETHER_OCTETS + 8, .dst = frame + ETHER_OCTETS + 24};
    uint16_t sum = ipv6_checksum(&ip, IPV4_PROTO_UDP, udp, octets - ETHER_OCTETS - IPV6_OCTETS);
    bytes_put_u16(udp + 6, sum ? sum : NO_UDP_CHECKSUM);
}

/* --- receiving --- */

/* The rest of a frame at each layer, and the addresses and ports read so far. */
struct incoming {
    const uint8_t *bytes;
    size_t octets;
    struct table_key key; /* aligned to 8 */
    enum port_sum sum;    /* as the device found it */
};

/* Reads the UDP header at in->bytes of a segment between these addresses. */
static enum drop read_udp(struct incoming *in, uint32_t local, uint32_t remote, struct udp *udp)
{
    if (udp_decode(udp, in->bytes, in->octets) < 0)
        return DROP_UDP_MALFORMED;
    in->key = lookup_endpoint_key(local, udp->dst_port, remote, udp->src_port);
    in->bytes += UDP_OCTETS;
    in->octets = udp->payload_octets;
    return DROP_NONE;
}

static enum drop read_ipv4(struct incoming *in)
{
    struct ipv4 ip;
    struct udp udp;
    int header = ipv4_decode(&ip, in->bytes, in->octets);
    if (header < 0 || ipv4_is_fragment(&ip) || !ipv4_is_checksum_good(in->bytes, (size_t)header))
        return DROP_IP_MALFORMED;
    if (ip.proto != IPV4_PROTO_UDP)
        return DROP_NOT_UDP;
    if (address_is_ipv6(ip.src) || address_is_ipv6(ip.dst)) /* no host's, and equal to IPv6 indices */
        return DROP_UNKNOWN_NSVC;
    in->bytes += header;
    in->octets = ip.payload_octets;
    return read_udp(in, ip.dst, ip.src, &udp);
}

static enum drop judge_ipv6(const struct ipv6 *ip)
{
    if (ip->next_header == IPV4_PROTO_UDP)
        return DROP_NONE;
    return ipv6_is_extension(ip->next_header) ? DROP_IP_EXTENSION : DROP_NOT_UDP;
}

static enum drop read_ipv6(const struct worker *w, struct incoming *in)
{
    struct ipv6 ip;
    struct udp udp;
    int header = ipv6_decode(&ip, in->bytes, in->octets);
    if (header < 0)
        return DROP_IP_MALFORMED;
    enum drop reason = judge_ipv6(&ip);
    if (reason != DROP_NONE)
        return reason;
    uint32_t local = lookup_ipv6_get(&w->lookup.ipv6, ip.dst),
             remote = lookup_ipv6_get(&w->lookup.ipv6, ip.src);
    if (local == ADDRESS_NONE || remote == ADDRESS_NONE)
        return DROP_UNKNOWN_NSVC;
    const uint8_t *segment = in->bytes += header;
    in->octets = ip.payload_octets;
    reason = read_udp(in, local, remote, &udp);
    if (reason != DROP_NONE)
        return reason;
    bool is_good = udp.checksum != 0 &&
                   (in->sum == PORT_SUM_UNKNOWN ? ipv6_checksum(&ip, IPV4_PROTO_UDP, segment,
                                                                UDP_OCTETS + (size_t)udp.payload_octets) == 0
                                                : in->sum == PORT_SUM_GOOD);
    return is_good ? DROP_NONE : DROP_UDP_CHECKSUM;
}

/* The octets of the IP header; negative: there is no UDP in the packet. */
static int read_addresses(struct gb_transport_datagram *out, uint16_t type, const uint8_t *packet,
                          size_t octets, size_t *udp_octets)
{
    struct ipv4 ip;
    struct ipv6 ip6;
    bool is_ipv6 = type == ETHER_TYPE_IPV6;
    int header = is_ipv6 ? ipv6_decode(&ip6, packet, octets) : ipv4_decode(&ip, packet, octets);
    if (header < 0 || (is_ipv6 ? ip6.next_header : ip.proto) != IPV4_PROTO_UDP)
        return -1;
    if (!is_ipv6 && (ipv4_is_fragment(&ip) || !ipv4_is_checksum_good(packet, (size_t)header)))
        return -1;
    out->address_octets = is_ipv6 ? ADDRESS_IPV6_OCTETS : sizeof(uint32_t);
    out->remote = packet + (is_ipv6 ? 8 : 12);
    out->local = out->remote + out->address_octets;
    *udp_octets = is_ipv6 ? ip6.payload_octets : ip.payload_octets;
    return header;
}

bool gb_transport_read(struct gb_transport_datagram *out, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct udp udp;
    size_t udp_octets;
    int offset = ether_decode(&ether, frame, octets);
    if (offset < 0 || (ether.type != ETHER_TYPE_IPV4 && ether.type != ETHER_TYPE_IPV6))
        return false;
    const uint8_t *packet = frame + offset;
    int header = read_addresses(out, ether.type, packet, octets - (size_t)offset, &udp_octets);
    if (header < 0 || udp_decode(&udp, packet + header, udp_octets) < 0)
        return false;
    out->payload = packet + header + UDP_OCTETS;
    out->octets = udp.payload_octets;
    out->remote_port = udp.src_port;
    out->local_port = udp.dst_port;
    return true;
}

enum drop gb_transport_unwrap(struct worker *w, struct rte_mbuf *mbuf, uint32_t *nsvc)
{
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t octets = rte_pktmbuf_data_len(mbuf);
    struct ether ether;

    int offset = ether_decode(&ether, frame, octets);
    if (unlikely(!port_is_addressed(&w->gb, frame)) && port_is_stray(&w->gb, mbuf))
        return DROP_OTHER_MAC;
    if (offset < 0 || (ether.type != ETHER_TYPE_IPV4 && ether.type != ETHER_TYPE_IPV6))
        return DROP_NOT_IP;
    struct incoming in = {
        .bytes = frame + offset, .octets = octets - (size_t)offset, .sum = port_udp_sum(mbuf)};
    enum drop reason = ether.type == ETHER_TYPE_IPV4 ? read_ipv4(&in) : read_ipv6(w, &in);
    if (unlikely(reason != DROP_NONE))
        return reason;
    *nsvc = lookup_table_get(w->lookup.endpoints, &in.key);
    if (unlikely(*nsvc >= LOOKUP_AT))
        return DROP_UNKNOWN_NSVC;
    mbuf->data_off = (uint16_t)(in.bytes - (const uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)in.octets;
    mbuf->pkt_len = mbuf->data_len;
    return DROP_NONE;
}
