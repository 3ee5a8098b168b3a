/* SPDX-License-Identifier: BSD-3-Clause */
/* GTPv1 header (TS 29.281 5.1, 5.2; TS 29.060 6), and the message types of the user plane. */
#ifndef DATAPLANE_WIRE_GTPU_H
#define DATAPLANE_WIRE_GTPU_H

#include "dataplane/base/bytes.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GTPU_OCTETS = 8,
    GTPU_LONG_OCTETS = 12,
    GTPU_PORT = 2152,

    GTPU_VERSION_1 = 0x30, /* flags octet of a header without options */
    GTPU_E = 0x04,
    GTPU_S = 0x02,
    GTPU_PN = 0x01,

    GTPU_ECHO_REQUEST = 1,
    GTPU_ECHO_RESPONSE = 2,
    GTPU_ERROR_INDICATION = 26,
    GTPU_SUPPORTED_EXTENSIONS = 31,
    GTPU_TUNNEL_STATUS = 253,
    GTPU_END_MARKER = 254,
    GTPU_G_PDU = 255,
};

/* payload_offset + payload_octets = 8 + the header's Length; octets of the datagram behind that are padding.
 * */
struct gtpu {
    uint32_t teid;
    uint32_t payload_offset;
    uint16_t payload_octets;
    uint16_t seq; /* 0 unless flags has GTPU_S */
    uint8_t flags;
    uint8_t type;
    uint8_t n_pdu_number; /* 0 unless flags has GTPU_PN */
    uint8_t extension; /* not 0 with ERR_UNSUPPORTED: the header type whose comprehension is required (answer:
                          type 31) */
};

/*
 * Reads a header of any message type, GTP-C's too. Returns the payload's offset. ERR_TRUNCATED: len is below
 * 8 or Length; ERR_MALFORMED: Length or an extension header contradicts its parts; ERR_UNSUPPORTED: not
 * version 1, GTP', or an unknown extension header of which comprehension is required. With both latter errors
 * type, flags, teid are set.
 */
int gtpu_header_decode(struct gtpu *out, const uint8_t *bytes, size_t len);

/* gtpu_decode() in all cases but the plain one. */
int gtpu_decode_slowly(struct gtpu *out, const uint8_t *bytes, size_t len);

/*
 * Reads a user plane message: as gtpu_header_decode(), and in addition ERR_UNSUPPORTED (with extension 0): a
 * type that GTP-U does not have; ERR_MALFORMED: a G-PDU without a T-PDU.
 */
static inline int gtpu_decode(struct gtpu *out, const uint8_t *bytes, size_t len)
{
    if (len < GTPU_OCTETS)
        return ERR_TRUNCATED;
    /* A G-PDU with no option, or with a sequence number only. The spare bit does not matter. */
    unsigned offset = GTPU_OCTETS + 2 * (bytes[0] & GTPU_S), end = GTPU_OCTETS + bytes_get_u16(bytes + 2);
    if ((bytes[0] & 0xf5) != GTPU_VERSION_1 || bytes[1] != GTPU_G_PDU || end > len || end <= offset)
        return gtpu_decode_slowly(out, bytes, len);
    *out = (struct gtpu){
        .teid = bytes_get_u32(bytes + 4),
        .payload_offset = offset,
        .payload_octets = (uint16_t)(end - offset),
        .seq = offset == GTPU_OCTETS ? 0 : bytes_get_u16(bytes + 8),
        .flags = bytes[0],
        .type = GTPU_G_PDU,
    };
    return (int)offset;
}

/*
 * Writes the header of a message with payload_octets behind it, from type, teid, flags (GTPU_E, _S, _PN; the
 * version bits are ours), seq, n_pdu_number. With GTPU_E `extension` is the type of the first extension
 * header, and the payload begins with it. Returns 8 or 12; ERR_NO_SPACE; ERR_RANGE: a Length above 65535.
 */
int gtpu_encode(uint8_t *bytes, size_t cap, const struct gtpu *in);

/* One GTP extension header (TS 29.281 5.2): its length in units of four octets, content, the next one's type.
 */

enum { GTPU_EXTENSION_MAX_OCTETS = 4 * 255 };

/* content_octets + 2 is a multiple of 4. */
struct gtpu_extension {
    const uint8_t *content; /* inside the decoded octets; the caller's when encoding */
    uint16_t content_octets;
    uint8_t type; /* stands in the header before this one */
    uint8_t next; /* 0: this is the last one */
};

/*
 * Reads the header of this type at the start of bytes. Returns its octets; ERR_TRUNCATED: it is longer than
 * len; ERR_MALFORMED: its length is 0, with which a chain would never end.
 */
int gtpu_extension_decode(struct gtpu_extension *out, uint8_t type, const uint8_t *bytes, size_t len);

/* Writes content and in->next. Returns octets; ERR_NO_SPACE; ERR_RANGE: content of 0, of other than 4n + 2,
 * or of more than 1018 octets. */
int gtpu_extension_encode(uint8_t *bytes, size_t cap, const struct gtpu_extension *in);

/* The messages of a GTP-U endpoint itself: Echo Request and Response, Error Indication, Supported Extension
 * Headers Notification. */

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
