/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit congestion notification in a user's IP packet (RFC 3168), version 4 or 6. */
#ifndef DATAPLANE_AQM_ECN_H
#define DATAPLANE_AQM_ECN_H

#include "dataplane/aqm/aqm.h"

#include <stddef.h>

/* The code point of a packet; AQM_ECN_NOT also if it has no IPv4 or IPv6 header. */
static inline enum aqm_ecn ecn_get(const uint8_t *packet, size_t octets)
{
    if (octets < 20)
        return AQM_ECN_NOT;
    if (packet[0] >> 4 == 4)
        return (enum aqm_ecn)(packet[1] & 3);
    return packet[0] >> 4 == 6 && octets >= 40 ? (enum aqm_ecn)(packet[1] >> 4 & 3) : AQM_ECN_NOT;
}

/*
 * Sets CE. IPv4's header checksum is updated by RFC 1624, so that a wrong checksum stays wrong; IPv6 has
 * none. False, and nothing changed, when the packet is not ECN capable.
 */
bool ecn_set_ce(uint8_t *packet, size_t octets);

#endif
