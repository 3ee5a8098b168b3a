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
#ifndef DATAPLANE_CONTEXT_LLC_H
#define DATAPLANE_CONTEXT_LLC_H

#include "dataplane/crypto/gea.h"

#include <stdbool.h>
#include <stdint.h>

#define LLC_ENTITY_NU_MODULUS 512
#define LLC_ENTITY_WINDOW     32
#define LLC_ENTITY_ASTRAY     64 /* so many frames of one SAPI are not lost in a row */

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

/* Whether the count of a received frame is old, or so far ahead that its sender may have begun again. */
static inline bool llc_entity_is_astray(const struct llc_entity *e, uint32_t count)
{
    return llc_entity_was_received(e, count) || (int32_t)(count - e->vur) >= LLC_ENTITY_ASTRAY;
}

/* The same of the first frame of a new mobile. */
static inline bool llc_entity_begins_astray(uint16_t nu)
{
    const struct llc_entity e = {0};
    return llc_entity_is_astray(&e, llc_entity_count(&e, nu));
}

/* The frame of this count is expected next: those before it were lost, and none of them counts as late. */
static inline void llc_entity_leap(struct llc_entity *e, uint32_t count)
{
    e->vur = count;
    e->seen = 0;
}

/* V(U) leaves the last numbers before 0, which a peer that has begun again would discard as old. One that
 * has not takes the numbers left out for lost frames. */
void llc_entity_leave_last(struct llc_entity *e);

/* OC := 0 in both directions, N(U) continues: for the start of ciphering (clause A.2.1). */
void llc_entity_restart_overflow(struct llc_entity *e);

/*
 * Ciphering of a mobile's UI frames (TS 44.064 annex A): key and INPUT of each frame. The keystream is made
 * in dataplane/crypto.
 *
 *     INPUT = ((IOV-UI xor SX) + OC + N(U)) mod 2^32,  SX = 2^27 SAPI + 2^31
 *
 * A switch (on, off, to another key) takes effect with the next frame of each SAPI and direction: downlink
 * from V(U) on, uplink from V(UR) on. A late uplink frame that was sent before the switch is deciphered with
 * the former key.
 */

#define LLC_CIPHER_SAPIS     6 /* 1, 3, 5, 7, 9, 11, as ms_sapi_index() counts them */
#define LLC_CIPHER_KC_OCTETS 16

/* The key and algorithm of a frame. */
struct llc_key {
    uint8_t key[GEA_KEY_OCTETS];
    uint32_t iov_ui;
    uint8_t algorithm; /* GEA number; 0: not ciphered */
};

/* All zero: never ciphered. */
struct llc_cipher {
    struct llc_key now, before;
    uint32_t switched_vur[LLC_CIPHER_SAPIS]; /* V(UR) at the last switch, with the former OC */
};

struct llc_cipher_params {
    uint8_t algorithm; /* 0, 3 or 4 */
    uint8_t kc_octets; /* 8 for GEA3, 16 for GEA4 */
    uint8_t kc[LLC_CIPHER_KC_OCTETS];
    uint32_t iov_ui;
};

/* Makes a key from parameters. 0, ERR_UNSUPPORTED: an algorithm that gea_refusal() names; ERR_RANGE: a key
 * of another length. */
int llc_cipher_key(struct llc_key *key, const struct llc_cipher_params *params);

/*
 * Switches; sets the overflow counters of all entities to 0. 0, an error of llc_cipher_key(), or
 * ERR_MALFORMED: key and IOV-UI equal those in force or those before the last switch, so that other frames
 * would get the same keystream. On an error nothing changes.
 */
int llc_cipher_switch(struct llc_cipher *c, struct llc_entity entities[LLC_CIPHER_SAPIS],
                      const struct llc_cipher_params *params);

static inline bool llc_cipher_is_on(const struct llc_cipher *c)
{
    return c->now.algorithm != 0;
}

/* INPUT of the frame with this count (see llc.h) of a SAPI. */
static inline uint32_t llc_cipher_input(uint32_t iov_ui, uint8_t sapi, uint32_t count)
{
    uint32_t sx = ((uint32_t)sapi << 27) + (UINT32_C(1) << 31);
    return (iov_ui ^ sx) + count;
}

/* The key to decipher a received frame of entity `index`; *count becomes that of its sender. */
const struct llc_key *llc_cipher_received(const struct llc_cipher *c, unsigned index, uint32_t *count);

#endif
