/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/icmp.h"

#include "dataplane/wire/ipv4.h"

#include <string.h>

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
