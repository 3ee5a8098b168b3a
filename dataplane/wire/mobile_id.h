/* SPDX-License-Identifier: BSD-3-Clause */
/* An IMSI as the value part of a Mobile Identity (TS 24.008 §10.5.1.4), the form BSSGP carries it in. */
#ifndef DATAPLANE_WIRE_MOBILE_ID_H
#define DATAPLANE_WIRE_MOBILE_ID_H

#include <stddef.h>
#include <stdint.h>

enum { MOBILE_ID_DIGITS = 15, MOBILE_ID_MAX_OCTETS = 8 };

struct mobile_id {
    char digits[MOBILE_ID_DIGITS + 1];
};

/**
 * Reads the value; the type bits are ignored, as TS 48.018 §11.3.14 requires. Returns the octets consumed
 * (all, at most 8), ERR_TRUNCATED when empty, ERR_MALFORMED when a digit is above 9.
 */
int mobile_id_decode(struct mobile_id *out, const uint8_t *bytes, size_t len);

/** Writes 1 to 15 digits as an IMSI. Returns octets, ERR_NO_SPACE, or ERR_RANGE when the text is something
 * else. */
int mobile_id_encode(uint8_t *bytes, size_t cap, const struct mobile_id *in);

#endif
