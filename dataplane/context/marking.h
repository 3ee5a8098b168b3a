/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Marking: DSCP and ECN of the IP headers that the node puts around users' packets, and takes off.
 *
 * Gn is a tunnel between IP headers (RFC 9601 names GTP), so RFC 6040 applies. Off, by its clause 4.2:
 *
 *      outer      Not-ECT    ECT(0)    ECT(1)    CE
 *      inner
 *      Not-ECT    Not-ECT    Not-ECT   Not-ECT   dropped
 *      ECT(0)     ECT(0)     ECT(0)    ECT(1)    CE
 *      ECT(1)     ECT(1)     ECT(1)    ECT(1)    CE
 *      CE         CE         CE        CE        CE
 *
 * On, by its clause 4.1: normal mode copies ECN; compatibility mode, for a GGSN that does not do the above,
 * leaves Not-ECT. On Gb it is always Not-ECT: the far end is a BSS, which passes LLC-PDUs on, and sees
 * neither the user's header, as it may be ciphered, nor does it propagate ECN.
 *
 * DSCP is that of the class, or of the user's packet; that of a header taken off ends (RFC 2983, pipe model).
 */
#ifndef DATAPLANE_CONTEXT_MARKING_H
#define DATAPLANE_CONTEXT_MARKING_H

#include "dataplane/base/drop.h"
#include "dataplane/base/n_pdu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MARKING_ECN = 3, MARKING_NO_IP = -1 };

/* Of one interface. */
struct marking {
    uint8_t dscp[QCLASS_COUNT]; /* of each class's packets; QCLASS_SIGNALLING: of all that is no user's */
    bool copies_dscp;           /* that of users' IP packets, in place of their class's */
    bool clears_ecn;            /* compatibility mode */
};

/* The traffic class octet, DSCP and ECN, of signalling. */
static inline uint8_t marking_signalling(const struct marking *m)
{
    return (uint8_t)(m->dscp[QCLASS_SIGNALLING] << 2);
}

/* The traffic class octet of a user's packet; MARKING_NO_IP: it has no IP header. */
static inline int marking_inner(const uint8_t *packet, size_t octets)
{
    if (octets < 20 || (packet[0] >> 4 != 4 && packet[0] >> 4 != 6))
        return MARKING_NO_IP;
    return packet[0] >> 4 == 4 ? packet[1] : (packet[0] << 4 | packet[1] >> 4) & 0xff;
}

/* The octet around a packet of this class; inner: what marking_inner() says of it. */
static inline uint8_t marking_outer(const struct marking *m, uint8_t qclass, int inner)
{
    if (inner == MARKING_NO_IP)
        return (uint8_t)(m->dscp[qclass] << 2);
    int dscp = m->copies_dscp ? inner & ~MARKING_ECN : m->dscp[qclass] << 2;
    return (uint8_t)(dscp | (m->clears_ecn ? 0 : inner & MARKING_ECN));
}

/* Sets ECN of an N-PDU, with IPv4's checksum (RFC 1624), by that of the header taken off, n_pdu->tos.
 * DROP_CE_NOT_ECT: it must not pass. */
enum drop marking_take_off(struct n_pdu *n_pdu);

#endif
