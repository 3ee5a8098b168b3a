/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbering of unacknowledged LLC frames of one (TLLI, SAPI), TS 44.064 clause 8.4. Framing, FCS and
 * ciphering are elsewhere.
 *
 * Frames are counted beyond N(U), in 32 bits that may wrap:
 *
 *     count = OC + N(U),  N(U) = count mod 512
 *
 * where OC is the overflow counter that ciphering adds (clause A.2.1): from N(U) 511 to 0 it increases by
 * 512, and the frame with 511 has the old one. Each direction has its own count.
 *
 * The receiver accepts N(U) from V(UR) on as new. Of the 32 before V(UR) it accepts those not received yet
 * (late) and discards the others (duplicate). So up to 479 frames in a row may be lost while the count stays
 * right; after more the caller has to find it (llc_entity_leap()).
 */
#ifndef DATAPLANE_CONTEXT_LLC_ENTITY_H
#define DATAPLANE_CONTEXT_LLC_ENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define LLC_ENTITY_NU_MODULUS 512
#define LLC_ENTITY_WINDOW     32

struct llc_entity {
    uint32_t vu;   /* count of the next frame to send; V(U) */
    uint32_t vur;  /* count of the next frame expected; V(UR) */
    uint32_t seen; /* bit i: the frame of count vur - 1 - i was received */
};

/* N(U) of a count. */
static inline uint16_t llc_entity_nu(uint32_t count)
{
    return count % LLC_ENTITY_NU_MODULUS;
}

/* The count of the next frame to send; advances V(U). */
static inline uint32_t llc_entity_take(struct llc_entity *e)
{
    return e->vu++;
}

/* The count for a received N(U) (0..511): the one from V(UR) - 32 to V(UR) + 479. */
static inline uint32_t llc_entity_count(const struct llc_entity *e, uint16_t nu)
{
    uint32_t oldest = e->vur - LLC_ENTITY_WINDOW;
    return oldest + (nu - oldest) % LLC_ENTITY_NU_MODULUS;
}

/* Whether a frame with a count of llc_entity_count() is new or late; if so, stores that it was received.
 * False: duplicate, discard. */
bool llc_entity_accept(struct llc_entity *e, uint32_t count);

/* Whether the frame of a count of llc_entity_count() was received: it is in the window, and stored. */
static inline bool llc_entity_was_received(const struct llc_entity *e, uint32_t count)
{
    uint32_t behind = e->vur - 1 - count;
    return behind < LLC_ENTITY_WINDOW && (e->seen >> behind & 1);
}

/* The frame of this count is expected next: those before it were lost, and none of them counts as late. */
static inline void llc_entity_leap(struct llc_entity *e, uint32_t count)
{
    e->vur = count;
    e->seen = 0;
}

/* OC := 0 in both directions, N(U) continues: for the start of ciphering (clause A.2.1). */
void llc_entity_restart_overflow(struct llc_entity *e);

#endif
