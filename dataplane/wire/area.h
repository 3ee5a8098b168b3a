/* SPDX-License-Identifier: BSD-3-Clause */
/* Location area, routeing area and cell: one identity in three lengths (TS 24.008 §10.5.1.3, §10.5.5.15;
   TS 48.018 §11.3.9). */
#ifndef DATAPLANE_WIRE_AREA_H
#define DATAPLANE_WIRE_AREA_H

#include <stddef.h>
#include <stdint.h>

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
int area_decode(struct area *out, const uint8_t *bytes, size_t len, enum area_octets octets);

/** Writes `octets` octets (5, 6 or 8). Returns octets, ERR_NO_SPACE, or ERR_RANGE when mcc or mnc are no
 * digits. */
int area_encode(uint8_t *bytes, size_t cap, const struct area *in, enum area_octets octets);

#endif
