/* SPDX-License-Identifier: BSD-3-Clause */
/* ICMP (RFC 792): Echo and Echo Reply, without the IP header. */
#ifndef DATAPLANE_WIRE_ICMP_H
#define DATAPLANE_WIRE_ICMP_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

#include <stddef.h>

enum { ICMP_ECHO_OCTETS = 8, ICMP_ECHO_REPLY = 0, ICMP_ECHO = 8 };

struct icmp_echo {
    uint8_t type; /* ICMP_ECHO or ICMP_ECHO_REPLY */
    uint16_t id, seq;
    const uint8_t *data; /* in the message */
    size_t data_octets;
};

/*
 * Reads a whole message of len octets. Returns len; ERR_TRUNCATED: below 8 octets; ERR_CHECKSUM;
 * ERR_UNSUPPORTED: another type, or a code that is not 0.
 */
int icmp_echo_decode(struct icmp_echo *out, const uint8_t *bytes, size_t len);

/* Writes a message with its checksum; data does not overlap it. Returns its octets, or ERR_NO_SPACE. */
int icmp_echo_encode(uint8_t *bytes, size_t cap, const struct icmp_echo *in);

#endif
