/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/ecn.h"

#include "dataplane/base/bytes.h"

/* RFC 1624, equation 3, for a 16-bit word of the header that increases by `more`. */
static void grow_checksum(uint8_t *field, unsigned more)
{
    uint32_t sum = (uint16_t)~bytes_get_u16(field) + more;
    bytes_put_u16(field, (uint16_t) ~((sum & 0xffff) + (sum >> 16)));
}

bool ecn_set_ce(uint8_t *packet, size_t octets)
{
    unsigned before = ecn_get(packet, octets);
    if (before == AQM_ECN_NOT)
        return false;
    if (packet[0] >> 4 == 4) {
        packet[1] |= AQM_ECN_CE;
        grow_checksum(packet + 10, AQM_ECN_CE - before);
    } else {
        packet[1] |= AQM_ECN_CE << 4;
    }
    return true;
}
