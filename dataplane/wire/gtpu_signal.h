/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages that a GTP-U endpoint answers with: Echo Response, Error Indication, Supported Extension
 * Headers. */
#ifndef DATAPLANE_WIRE_GTPU_SIGNAL_H
#define DATAPLANE_WIRE_GTPU_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

/* The tunnel end that an Error Indication speaks of (TS 29.281 7.3.1). */
struct gtpu_signal_error {
    uint32_t teid;         /* TEID of the G-PDU that found no context */
    uint32_t peer_address; /* its IPv4 destination, host order */
    uint16_t udp_port;     /* its source port, in an extension header of its own; 0: none. Not read */
};

/* Writes an Echo Response to a request with that sequence number (7.2.2). Returns 14, or ERR_NO_SPACE. */
int gtpu_signal_echo_response_encode(uint8_t *bytes, size_t cap, uint16_t seq);

/* Writes an Error Indication, sequence number 0. Returns 24, or 28 with the port (5.2.2.1); or ERR_NO_SPACE.
 */
int gtpu_signal_error_encode(uint8_t *bytes, size_t cap, const struct gtpu_signal_error *in);

/*
 * Reads the payload of an Error Indication (what gtpu_decode() says lies behind its header). Returns octets
 * read; ERR_TRUNCATED; ERR_MALFORMED: TEID or address missing; ERR_UNSUPPORTED: the address is not IPv4.
 */
int gtpu_signal_error_decode(struct gtpu_signal_error *out, const uint8_t *bytes, size_t len);

/* Writes the notification that only the PDCP PDU number header is known here (7.2.3). Returns 15, or
 * ERR_NO_SPACE. */
int gtpu_signal_extensions_encode(uint8_t *bytes, size_t cap);

#endif
