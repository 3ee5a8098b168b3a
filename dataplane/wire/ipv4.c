/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ipv4.h"

uint16_t ipv4_checksum(const uint8_t *bytes, size_t octets)
{
    uint64_t sum = 0;
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
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
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
