/* SPDX-License-Identifier: BSD-3-Clause */
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
#ifndef DATAPLANE_CONTEXT_LLC_CIPHER_H
#define DATAPLANE_CONTEXT_LLC_CIPHER_H

#include "dataplane/context/llc_entity.h"
#include "dataplane/crypto/gea_job.h"

#include <stdbool.h>
#include <stdint.h>

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

/* INPUT of the frame with this count (see llc_entity.h) of a SAPI. */
static inline uint32_t llc_cipher_input(uint32_t iov_ui, uint8_t sapi, uint32_t count)
{
    uint32_t sx = ((uint32_t)sapi << 27) + (UINT32_C(1) << 31);
    return (iov_ui ^ sx) + count;
}

/* The key to decipher a received frame of entity `index`; *count becomes that of its sender. */
const struct llc_key *llc_cipher_received(const struct llc_cipher *c, unsigned index, uint32_t *count);

#endif
