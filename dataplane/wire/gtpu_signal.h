/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a GTP-U endpoint itself: Echo Request and Response, Error Indication, Supported Extension
 * Headers Notification. */
#ifndef DATAPLANE_WIRE_GTPU_SIGNAL_H
#define DATAPLANE_WIRE_GTPU_SIGNAL_H

#include <stddef.h>
#include <stdint.h>

/* The tunnel end that an Error Indication names (TS 29.281 7.3.1). */
struct gtpu_signal_error {
    uint32_t teid;       /* TEID of the G-PDU that found no context */
    const uint8_t *peer; /* its destination: inside the decoded octets; the caller's when encoding */
    uint8_t peer_octets; /* 4 or 16 */
    uint16_t udp_port;   /* its source port, in an extension header; 0: none. Not decoded */
};

#define GTPU_SIGNAL_MAX_OCTETS 40

/* Writes an Echo Request (7.2.1). Returns 12, or ERR_NO_SPACE. */
int gtpu_signal_echo_request_encode(uint8_t *bytes, size_t cap, uint16_t seq);

/* Writes an Echo Response to a request with that sequence number (7.2.2). Returns 14, or ERR_NO_SPACE. */
int gtpu_signal_echo_response_encode(uint8_t *bytes, size_t cap, uint16_t seq);

/* Writes an Error Indication, sequence number 0. Returns 20 and the address's octets, 4 more with the port
 * (5.2.2.1); ERR_NO_SPACE; ERR_RANGE: an address of another length. */
int gtpu_signal_error_encode(uint8_t *bytes, size_t cap, const struct gtpu_signal_error *in);

/*
 * Reads the payload of an Error Indication (behind the header, see gtpu_decode()). Returns octets read;
 * ERR_TRUNCATED; ERR_MALFORMED: TEID or address missing; ERR_UNSUPPORTED: an address of neither 4 nor 16
 * octets.
 */
int gtpu_signal_error_decode(struct gtpu_signal_error *out, const uint8_t *bytes, size_t len);

/* Writes the notification that only the PDCP PDU number header is supported (7.2.3). Returns 15, or
 * ERR_NO_SPACE. */
int gtpu_signal_extensions_encode(uint8_t *bytes, size_t cap);

#endif
