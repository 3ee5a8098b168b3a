/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/virtual/deal.h"

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

static uint32_t mix(uint32_t hash, uint32_t word)
{
    uint64_t product = (uint64_t)(hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(product >> 32);
}

/* Fragments have no ports; all fragments of a datagram must get the same hash. */
static uint32_t hash_of(const uint8_t *bytes, const struct ipv4 *ip, bool is_in_turn)
{
    struct udp udp;
    uint32_t hash = mix(mix(0, ip->src), ip->dst);
    if (ipv4_is_fragment(ip))
        return is_in_turn ? mix(hash, ip->id) : hash;
    bool has_ports = ip->proto == IPV4_PROTO_UDP && udp_decode(&udp, bytes, ip->payload_octets) >= 0;
    return has_ports ? mix(hash, (uint32_t)udp.src_port << 16 | udp.dst_port) : hash;
}

unsigned deal_frame(struct deal *deal, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct ipv4 ip = {0};
    int header = -1, offset = deal->workers > 1 ? ether_decode(&ether, frame, octets) : -1;
    if (offset >= 0 && ether.type == ETHER_TYPE_IPV4)
        header = ipv4_decode(&ip, frame + offset, octets - (size_t)offset);
    if (header < 0)
        return 0;
    if (deal->is_in_turn && !ipv4_is_fragment(&ip))
        return deal->next++ % deal->workers;
    return hash_of(frame + offset + header, &ip, deal->is_in_turn) % deal->workers;
}
