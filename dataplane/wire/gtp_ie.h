/* SPDX-License-Identifier: BSD-3-Clause */
/* Information elements of GTPv1, user and control plane (TS 29.060 7.7, TS 29.281 8). */
#ifndef DATAPLANE_WIRE_GTP_IE_H
#define DATAPLANE_WIRE_GTP_IE_H

#include <stddef.h>
#include <stdint.h>

enum {
    GTP_IE_CAUSE = 1,
    GTP_IE_IMSI = 2,
    GTP_IE_RAI = 3,
    GTP_IE_RECOVERY = 14,
    GTP_IE_SELECTION = 15,
    GTP_IE_TEID_DATA = 16,
    GTP_IE_TEID_CONTROL = 17,
    GTP_IE_TEARDOWN = 19,
    GTP_IE_NSAPI = 20,
    GTP_IE_CHARGING = 26,
    GTP_IE_END_USER_ADDRESS = 128,
    GTP_IE_APN = 131,
    GTP_IE_GSN_ADDRESS = 133,
    GTP_IE_MSISDN = 134,
    GTP_IE_QOS = 135,
    GTP_IE_EXTENSION_TYPES = 141,
    GTP_IE_RAT_TYPE = 151,
    GTP_IE_USER_LOCATION = 152,
    GTP_IE_TIME_ZONE = 153,
    GTP_IE_IMEISV = 154,
};

enum { GTP_IE_IMSI_OCTETS = 8, GTP_IE_IMSI_CHARS = 16 };

struct gtp_ie {
    const uint8_t *value; /* inside the decoded octets; the caller's when encoding, NULL with 0 octets */
    uint16_t octets;
    uint8_t type;
};

/*
 * Reads the element at the start of bytes. Returns its octets, type and length fields included; 0 where the
 * elements end: len is 0, or a type below 128 follows whose fixed length is unknown, so that nothing behind
 * it can be read. ERR_TRUNCATED: the element is longer than len.
 */
int gtp_ie_decode(struct gtp_ie *out, const uint8_t *bytes, size_t len);

/*
 * Writes one element. Returns octets; ERR_NO_SPACE; ERR_RANGE: octets is not what a type below 128 has, or
 * more than fits the length field; ERR_UNSUPPORTED: a type below 128 that is unknown.
 */
int gtp_ie_encode(uint8_t *bytes, size_t cap, const struct gtp_ie *in);

/* An IMSI (7.7.2): digits, two an octet, the lower nibble first, 15 fills. 0; ERR_MALFORMED: not 6 to 15
 * digits. */
int gtp_ie_imsi_decode(char digits[GTP_IE_IMSI_CHARS], const struct gtp_ie *ie);

#endif
