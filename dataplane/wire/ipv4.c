/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv4.h"

#include <string.h>

#define SUM_OCTETS 32

/* To 16 bits, with end-around carries. */
static uint16_t folded(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

/* Of whole pieces, in the machine's order: only the sum's octets have to be put in order (RFC 1071 clause 2).
 */
static uint16_t sum_of_long(const uint8_t *bytes, size_t pieces)
{
    unsigned __int128 whole = 0; /* an addition and one of the carry for 8 octets */
    uint64_t words[SUM_OCTETS / 8];
    for (; pieces > 0; pieces--, bytes += SUM_OCTETS) {
        memcpy(words, bytes, sizeof(words));
        whole += words[0];
        whole += words[1];
        whole += words[2];
        whole += words[3];
    }
    uint64_t low = (uint64_t)whole;
    uint16_t sum = folded((low & UINT32_MAX) + (low >> 32) + (uint64_t)(whole >> 64));
    uint8_t octets[2];
    memcpy(octets, &sum, sizeof(octets));
    return bytes_get_u16(octets);
}

uint16_t ipv4_checksum(const uint8_t *bytes, size_t octets)
{
    uint64_t sum = octets >= SUM_OCTETS ? sum_of_long(bytes, octets / SUM_OCTETS) : 0;
    bytes += octets / SUM_OCTETS * SUM_OCTETS;
    octets %= SUM_OCTETS;
    /* Words of 32 bits add up to the same once the halves are folded (RFC 1071 clause 2). */
    for (; octets > 3; bytes += 4, octets -= 4)
        sum += bytes_get_u32(bytes);
    if (octets > 1) {
        sum += bytes_get_u16(bytes);
        bytes += 2;
        octets -= 2;
    }
    if (octets)
        sum += (uint64_t)bytes[0] << 8;
    return (uint16_t)~folded(sum);
}

int ipv4_encode(uint8_t *bytes, size_t cap, const struct ipv4 *in)
{
    unsigned total_octets = IPV4_OCTETS + in->payload_octets;
    if (total_octets > 65535 || in->fragment_offset_octets % 8)
        return ERR_RANGE;
    if (cap < IPV4_OCTETS)
        return ERR_NO_SPACE;
    unsigned flags = (unsigned)in->dont_fragment << 14 | (unsigned)in->more_fragments << 13;
    bytes[0] = 0x45;
    bytes[1] = in->tos;
    bytes_put_u16(bytes + 2, (uint16_t)total_octets);
    bytes_put_u16(bytes + 4, in->id);
    bytes_put_u16(bytes + 6, (uint16_t)(flags | in->fragment_offset_octets >> 3));
    bytes[8] = in->ttl;
    bytes[9] = in->proto;
    bytes_put_u16(bytes + 10, 0);
    bytes_put_u32(bytes + 12, in->src);
    bytes_put_u32(bytes + 16, in->dst);
    bytes_put_u16(bytes + 10, ipv4_checksum(bytes, IPV4_OCTETS));
    return IPV4_OCTETS;
}

int udp_encode(uint8_t *bytes, size_t cap, const struct udp *in)
{
    if (in->payload_octets > UDP_MAX_PAYLOAD_OCTETS)
        return ERR_RANGE;
    if (cap < UDP_OCTETS)
        return ERR_NO_SPACE;
    bytes_put_u16(bytes, in->src_port);
    bytes_put_u16(bytes + 2, in->dst_port);
    bytes_put_u16(bytes + 4, (uint16_t)(UDP_OCTETS + in->payload_octets));
    bytes_put_u16(bytes + 6, in->checksum);
    return UDP_OCTETS;
}

int icmp_echo_decode(struct icmp_echo *out, const uint8_t *bytes, size_t len)
{
    if (len < ICMP_ECHO_OCTETS)
        return ERR_TRUNCATED;
    if (ipv4_checksum(bytes, len) != 0)
        return ERR_CHECKSUM;
    if ((bytes[0] != ICMP_ECHO && bytes[0] != ICMP_ECHO_REPLY) || bytes[1] != 0)
        return ERR_UNSUPPORTED;
    *out = (struct icmp_echo){
        .type = bytes[0],
        .id = bytes_get_u16(bytes + 4),
        .seq = bytes_get_u16(bytes + 6),
        .data = bytes + ICMP_ECHO_OCTETS,
        .data_octets = len - ICMP_ECHO_OCTETS,
    };
    return (int)len;
}

int icmp_echo_encode(uint8_t *bytes, size_t cap, const struct icmp_echo *in)
{
    size_t octets = ICMP_ECHO_OCTETS + in->data_octets;
    if (cap < ICMP_ECHO_OCTETS || cap - ICMP_ECHO_OCTETS < in->data_octets)
        return ERR_NO_SPACE;
    bytes[0] = in->type;
    bytes[1] = 0;
    bytes_put_u16(bytes + 2, 0);
    bytes_put_u16(bytes + 4, in->id);
    bytes_put_u16(bytes + 6, in->seq);
    if (in->data_octets > 0)
        memcpy(bytes + ICMP_ECHO_OCTETS, in->data, in->data_octets);
    bytes_put_u16(bytes + 2, ipv4_checksum(bytes, octets));
    return (int)octets;
}
