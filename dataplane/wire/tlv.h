/* SPDX-License-Identifier: BSD-3-Clause */
/* The TLV form that NS and BSSGP share: identifier, length indicator of one or two octets, value
   (TS 48.016 §10.1, TS 48.018 §11.1). */
#ifndef DATAPLANE_WIRE_TLV_H
#define DATAPLANE_WIRE_TLV_H

#include <stddef.h>
#include <stdint.h>

enum { TLV_SHORT_OCTETS = 0x7f, TLV_MAX_OCTETS = 0x7fff };
enum { TLV_SHORT_LENGTH = 0x80 }; /* added to a length of one octet */

struct tlv {
    uint8_t iei;
    uint16_t octets;      /* of the value */
    const uint8_t *value; /* inside the decoded octets; the caller's when encoding, NULL with 0 octets */
};

/** Octets of a value's length indicator in the shortest form, which is the one sent. */
static inline int tlv_length_octets(size_t octets)
{
    return octets <= TLV_SHORT_OCTETS ? 1 : 2;
}

/** Reads a length indicator in either form. Returns 1 or 2, or ERR_TRUNCATED. */
int tlv_length_get(uint16_t *octets, const uint8_t *bytes, size_t len);

/** Writes a length indicator in its shortest form. Returns 1 or 2, ERR_NO_SPACE, or ERR_RANGE above 32767. */
int tlv_length_put(uint8_t *bytes, size_t cap, size_t octets);

/**
 * Reads one TLV. Returns the octets it takes, or ERR_TRUNCATED; then out->iei is valid if len is not 0, and
 * the value is empty.
 */
int tlv_decode(struct tlv *out, const uint8_t *bytes, size_t len);

/** Writes identifier and length of a value that the caller appends. Returns octets written or as
 * tlv_length_put(). */
int tlv_header_put(uint8_t *bytes, size_t cap, uint8_t iei, size_t octets);

/** Writes one TLV. Returns octets written, ERR_NO_SPACE or ERR_RANGE. */
int tlv_encode(uint8_t *bytes, size_t cap, const struct tlv *in);

#endif
