/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Headers of LLC's I and S frames with the bitmap of a SACK (TS 44.064 clauses 6.3.1, 6.3.2, 6.3.4). llc.h
 * has the octets in front of the bitmap.
 *
 *     I:  address, three octets of control, and of a SACK: K, then K + 1 octets of bitmap
 *     S:  address, two octets of control, and of a SACK: the bitmap, up to the FCS
 *
 * Bit 8 of the first octet of the bitmap is R(1): the frame with N(S) = N(R) + 1 was received.
 */
#ifndef DATAPLANE_WIRE_LLC_ABM_H
#define DATAPLANE_WIRE_LLC_ABM_H

#include "dataplane/wire/llc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LLC_ABM_BITMAP_MAX_OCTETS = 32,
    LLC_ABM_HEADER_MAX_OCTETS = LLC_I_OCTETS + 1 + LLC_ABM_BITMAP_MAX_OCTETS,
};

struct llc_abm {
    uint16_t ns, nr; /* 0..511; ns of S frames is 0 */
    uint8_t sapi;
    uint8_t supervisory;   /* enum llc_supervisory */
    uint8_t bitmap_octets; /* of a SACK 1..32, else 0 */
    bool is_i, a;
    bool cr; /* as in struct llc */
    uint8_t bitmap[LLC_ABM_BITMAP_MAX_OCTETS];
};

/*
 * Reads the header of a whole frame, FCS included in len. Returns the offset of the information, which of an
 * S frame has 0 octets. ERR_TRUNCATED, ERR_UNSUPPORTED: as llc_decode(), or no I or S frame; ERR_MALFORMED:
 * an S frame with information, or a SACK without bitmap or with one that does not fit (W1 and W2 of an FRMR).
 */
int llc_abm_decode(struct llc_abm *out, const uint8_t *bytes, size_t len);

/* Octets of the header. */
static inline unsigned llc_abm_octets(const struct llc_abm *in)
{
    if (!in->is_i)
        return (unsigned)LLC_S_OCTETS + in->bitmap_octets;
    return (unsigned)LLC_I_OCTETS + (in->bitmap_octets ? 1U + in->bitmap_octets : 0);
}

/* Writes the header. Returns its octets; ERR_NO_SPACE; ERR_RANGE: a field that does not fit, or a bitmap that
 * contradicts the S bits. */
int llc_abm_encode(uint8_t *bytes, size_t cap, const struct llc_abm *in);

#endif
