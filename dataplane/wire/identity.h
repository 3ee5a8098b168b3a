/* SPDX-License-Identifier: BSD-3-Clause */
/* The value part of a Mobile Identity in GMM (TS 24.008 clause 10.5.1.4). mobile_id.h has the IMSI that BSSGP
 * carries. */
#ifndef DATAPLANE_WIRE_IDENTITY_H
#define DATAPLANE_WIRE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

enum identity_type {
    IDENTITY_NONE = 0,
    IDENTITY_IMSI = 1,
    IDENTITY_IMEI = 2,
    IDENTITY_IMEISV = 3,
    IDENTITY_TMSI = 4, /* or P-TMSI */
};

enum { IDENTITY_DIGITS = 16, IDENTITY_MAX_OCTETS = 9 };

struct identity {
    uint8_t type;                     /* enum identity_type */
    char digits[IDENTITY_DIGITS + 1]; /* of the first three types */
    uint32_t tmsi;
};

/**
 * Reads the value. Returns len; ERR_TRUNCATED when it is empty; ERR_MALFORMED: a digit above 9, a wrong
 * parity, a number of digits that its type does not have (IMSI 6 to 15, IMEI 15, IMEISV 16), or a type
 * above 4.
 */
int identity_decode(struct identity *out, const uint8_t *bytes, size_t len);

/** Writes the value. Returns octets, ERR_NO_SPACE, or ERR_RANGE for what identity_decode() would refuse. */
int identity_encode(uint8_t *bytes, size_t cap, const struct identity *in);

#endif
