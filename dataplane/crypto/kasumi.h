/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets side by side for engines that run KASUMI in 64 lanes. KGCORE (TS 55.216 clause 4) feeds its output
 * back, so a packet's blocks follow each other in one lane, and only packets in other lanes make it faster.
 * The longest packets start first and a lane that has finished one takes the next packet: lanes idle only
 * for lack of packets. An engine repeats
 *
 *     fresh = kasumi_lanes_fill(l)      where not 0: load the lanes' keys, restart the fresh ones
 *     blocks = kasumi_lanes_blocks(l)   0: finished
 *     (make that many blocks in every lane)
 *     kasumi_lanes_take(l, i)           for each lane: where to add the keystream, how many octets
 */
#ifndef DATAPLANE_CRYPTO_KASUMI_H
#define DATAPLANE_CRYPTO_KASUMI_H

#include "dataplane/crypto/gea.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KASUMI_LANES = 64,
    KASUMI_NIBBLES_LANES = 8,
    KASUMI_LANES_JOBS = 512, /* jobs that are put into order together */
    KASUMI_STRIDE_BLOCKS = 8,
    KASUMI_STRIDE_OCTETS = 8 * KASUMI_STRIDE_BLOCKS,
};

/* words[0], words[1]: key; words[2]: KGCORE's first block; octets in the order of the specification. */
struct kasumi_lanes {
    uint64_t words[3][KASUMI_LANES] __attribute__((aligned(64)));
    uint8_t *data[KASUMI_LANES];        /* of an idle lane: a job's, of which no octet is left */
    uint16_t left_octets[KASUMI_LANES]; /* 0: idle */
    unsigned width;                     /* lanes width and above are not used */
    unsigned spare; /* lanes to be idle before running ones are interrupted for new packets */
    const struct gea_job *jobs;
    size_t count, next; /* 0 <= next <= count: jobs order[next] .. order[count - 1] wait */
    uint16_t order[KASUMI_LANES_JOBS];
};

struct kasumi_lanes_piece {
    uint8_t *data;
    unsigned octets; /* 0 .. KASUMI_STRIDE_OCTETS */
};

/* Starts 1 .. KASUMI_LANES_JOBS jobs, borrowed until all lanes have finished, in 1 .. KASUMI_LANES lanes. */
void kasumi_lanes_init(struct kasumi_lanes *l, const struct gea_job *jobs, size_t count, unsigned lanes);

/* Assigns waiting jobs to idle lanes where that pays. Returns the lanes that got one, bit i for lane i. */
uint64_t kasumi_lanes_fill(struct kasumi_lanes *l);

/* Blocks to make before lanes may change: 1 .. KASUMI_STRIDE_BLOCKS; 0 when no lane has work. */
unsigned kasumi_lanes_blocks(const struct kasumi_lanes *l);

/* The octets of the lane's job that the blocks just made cipher; advances the lane. */
static inline struct kasumi_lanes_piece kasumi_lanes_take(struct kasumi_lanes *l, unsigned lane)
{
    unsigned left = l->left_octets[lane];
    unsigned octets = left < KASUMI_STRIDE_OCTETS ? left : KASUMI_STRIDE_OCTETS;
    struct kasumi_lanes_piece piece = {l->data[lane], octets};
    l->data[lane] += octets;
    l->left_octets[lane] = (uint16_t)(left - octets);
    return piece;
}

/* GEA3 and GEA4 in portable C for few packets, one after the other. */

/* Whether kasumi_lone_cipher() takes less time for these count > 0 jobs than kasumi_sliced_cipher(). */
bool kasumi_lone_pays(const struct gea_job *jobs, size_t count);

/* Ciphers count >= 0 jobs. */
void kasumi_lone_cipher(const struct gea_job *jobs, size_t count);

/* GEA3 and GEA4 by Intel's IPsec-mb: a reference for the other engines; slow as Debian builds it. */

/*
 * NULL if it runs here, else static text with the reason. The first call allocates the library's memory,
 * which is never freed: call it at start, before threads.
 */
const char *kasumi_ipsec_missing(void);

/* Ciphers count >= 0 jobs, one after the other. Requires that kasumi_ipsec_missing() returned NULL. */
void kasumi_ipsec_cipher(const struct gea_job *jobs, size_t count);

/* GEA3 and GEA4 in portable C for many packets: 64 packets side by side, each with its own key. */

/* Ciphers count >= 0 jobs. One job takes about as long as 64. */
void kasumi_sliced_cipher(const struct gea_job *jobs, size_t count);

/* GEA3 and GEA4 on AVX-512: 64 packets side by side, each with its own key. */

/* NULL if this processor runs it, else static text that names the missing instructions. */
const char *kasumi_vector_missing(void);

/* Ciphers count >= 0 jobs. Requires that kasumi_vector_missing() returned NULL. */
void kasumi_vector_cipher(const struct gea_job *jobs, size_t count);

/* GEA3 and GEA4 on AVX2: eight packets side by side, each with its own key; less latency than the others. */

/* NULL if this processor runs it, else static text that names the missing instructions. */
const char *kasumi_nibbles_missing(void);

/*
 * Whether a processor that runs both takes less time for up to KASUMI_NIBBLES_LANES jobs here than in
 * kasumi_vector_cipher(). That was measured on AMD's processors only.
 */
bool kasumi_nibbles_pays(void);

/* Ciphers count >= 0 jobs; one takes about as long as eight. Requires that kasumi_nibbles_missing() returned
 * NULL. */
void kasumi_nibbles_cipher(const struct gea_job *jobs, size_t count);

#endif
