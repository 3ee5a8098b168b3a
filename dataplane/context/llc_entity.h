/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbering of unacknowledged LLC frames of one (TLLI, SAPI), TS 44.064 clause 8.4. Framing, FCS and
 * ciphering are elsewhere.
 *
 * The receiver takes N(U) from V(UR) on as new. In the 32 before V(UR) it takes what it has not seen yet
 * (late) and refuses what it has (duplicate).
 */
#ifndef DATAPLANE_CONTEXT_LLC_ENTITY_H
#define DATAPLANE_CONTEXT_LLC_ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define LLC_ENTITY_NU_MODULUS 512
#define LLC_ENTITY_WINDOW     32

struct llc_entity {
    uint16_t vu;   /* V(U): next to send */
    uint16_t vur;  /* V(UR): next expected */
    uint32_t seen; /* bit i: N(U) = V(UR) - 1 - i was received */
};

/* N(U) for the next frame to send; moves V(U) on. */
uint16_t llc_entity_take_nu(struct llc_entity *e);

/* Whether a received N(U) (0..511) is new or late; then notes it. False: duplicate, discard. */
bool llc_entity_accept(struct llc_entity *e, uint16_t nu);

#endif
