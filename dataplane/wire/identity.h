/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of an area, and that of a mobile: its IMSI as BSSGP carries it. */
#ifndef DATAPLANE_WIRE_IDENTITY_H
#define DATAPLANE_WIRE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Location area, routeing area and cell: one identity in three lengths (TS 24.008 §10.5.1.3, §10.5.5.15;
   TS 48.018 §11.3.9). */
enum area_octets { AREA_LOCATION = 5, AREA_ROUTEING = 6, AREA_CELL = 8 };

/* mnc has two or three digits, and they are different networks: 42 is not 042. */
struct area {
    char mcc[4];
    char mnc[4];
    uint16_t lac;
    uint8_t rac;
    uint16_t ci;
};

/** Reads `octets` octets (5, 6 or 8); fields beyond that length are 0. Returns octets, or ERR_TRUNCATED,
 * ERR_MALFORMED. */
int identity_area_decode(struct area *out, const uint8_t *bytes, size_t len, enum area_octets octets);

/** Writes `octets` octets (5, 6 or 8). Returns octets, ERR_NO_SPACE, or ERR_RANGE when mcc or mnc are no
 * digits. */
int identity_area_encode(uint8_t *bytes, size_t cap, const struct area *in, enum area_octets octets);

/* An IMSI as the value part of a Mobile Identity (TS 24.008 §10.5.1.4), the form BSSGP carries it in. */

enum { IDENTITY_IMSI_LEAST_DIGITS = 6, IDENTITY_IMSI_DIGITS = 15, IDENTITY_IMSI_MAX_OCTETS = 8 };

/* Whether an IMSI has so many digits (TS 23.003 §2.2): those of its network, and one at least of the
 * subscriber. */
static inline bool identity_is_imsi(size_t digits)
{
    return digits >= IDENTITY_IMSI_LEAST_DIGITS && digits <= IDENTITY_IMSI_DIGITS;
}

struct identity_imsi {
    char digits[IDENTITY_IMSI_DIGITS + 1];
};

/**
 * Reads the value; the type bits are ignored, as TS 48.018 §11.3.14 requires. Returns the octets consumed
 * (all, at most 8), ERR_TRUNCATED when empty, ERR_MALFORMED when a digit is above 9 or there are not 6 to 15.
 */
int identity_imsi_decode(struct identity_imsi *out, const uint8_t *bytes, size_t len);

/** Writes 6 to 15 digits as an IMSI. Returns octets, ERR_NO_SPACE, or ERR_RANGE when the text is something
 * else. */
int identity_imsi_encode(uint8_t *bytes, size_t cap, const struct identity_imsi *in);

#endif
