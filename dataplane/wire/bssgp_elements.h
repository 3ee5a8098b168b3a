/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The elements of a DL-UNITDATA that describe its mobile and seldom change (TS 48.018 §10.2.1): encoded
 * once, copied into the header of each of its frames (bssgp_unitdata.h). They are in two runs, as elements
 * of the frame or of the mobile's identity are between them.
 */
#ifndef DATAPLANE_WIRE_BSSGP_ELEMENTS_H
#define DATAPLANE_WIRE_BSSGP_ELEMENTS_H

#include "dataplane/wire/ie.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { BSSGP_ELEMENTS_OCTETS = 190 };

/* All zero: none. */
struct bssgp_elements {
    uint8_t front_octets; /* MS Radio Access Capability, priority, DRX parameters */
    uint8_t back_octets;  /* LSA information, Service UTRAN CCO, SPID; behind the front ones */
    uint8_t bytes[BSSGP_ELEMENTS_OCTETS]; /* as on the wire */
};

static_assert(sizeof(struct bssgp_elements) == 192, "three cache lines");

enum { BSSGP_ELEMENTS_NONE = -1 };

/* Values as on the wire. Spans of no octets and numbers of BSSGP_ELEMENTS_NONE are left out. */
struct bssgp_elements_values {
    struct ie_span ms_ra_capability, drx_parameters, lsa_information;
    int priority; /* Allocation/Retention, TS 48.008 clause 3.2.2.18 */
    int service_utran_cco, spid;
};

/** Octets on the wire. */
static inline unsigned bssgp_elements_octets(const struct bssgp_elements *elements)
{
    return (unsigned)elements->front_octets + elements->back_octets;
}

/**
 * Encodes; a value of more than 127 octets gets a length indicator of two. Returns octets; ERR_RANGE: DRX
 * parameters that are not 2 octets, a capability of less than 5, a number above 255; ERR_NO_SPACE: more than
 * BSSGP_ELEMENTS_OCTETS in all. After an error `out` is empty.
 */
int bssgp_elements_encode(struct bssgp_elements *out, const struct bssgp_elements_values *in);

#endif
