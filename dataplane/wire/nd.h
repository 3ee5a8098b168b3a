/* SPDX-License-Identifier: BSD-3-Clause */
/* Neighbour Solicitation and Advertisement (RFC 4861 clauses 4.3, 4.4, 4.6.1), ICMPv6 messages without the IP
 * header. Their checksum is the caller's, and so is the hop limit, which has to be 255. */
#ifndef DATAPLANE_WIRE_ND_H
#define DATAPLANE_WIRE_ND_H

#include "dataplane/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ND_OCTETS = 24,     /* without options */
    ND_MAX_OCTETS = 32, /* as encoded */
    ND_SOLICITATION = 135,
    ND_ADVERTISEMENT = 136,
};

struct nd {
    uint8_t type;
    uint8_t target[16];
    bool has_mac; /* the sender's in a solicitation, the target's in an advertisement */
    uint8_t mac[6];
    bool is_solicited, is_override; /* of an advertisement */
};

/*
 * Reads a whole message of len octets; other options than the MAC address are skipped. Returns len;
 * ERR_TRUNCATED; ERR_UNSUPPORTED: another type; ERR_MALFORMED: a code that is not 0, a target that is
 * multicast, or an option of no length or one that overruns the message.
 */
int nd_decode(struct nd *out, const uint8_t *bytes, size_t len);

/* Writes a message, its checksum 0. Returns 24 or 32, or ERR_NO_SPACE. */
int nd_encode(uint8_t *bytes, size_t cap, const struct nd *in);

#endif
