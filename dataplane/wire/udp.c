/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/udp.h"

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
