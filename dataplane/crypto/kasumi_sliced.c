/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KASUMI (TS 35.202) in bit slices: plane p holds bit p of the 64-bit block of every lane, bit i of the
 * plane for lane i, and the S-boxes are computed by their equations. Rotating a word renames its planes. No
 * address and no branch depends on data.
 */

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/kasumi.h"
#include "dataplane/crypto/kasumi_circuit.h"

#include <string.h>

enum { WORD = 16, HALF = 32, BLOCK = 64 };

struct cipher {
    uint64_t plain[8][WORD], mixed[8][WORD]; /* K and K' of the key schedule */
    uint64_t begin[BLOCK];                   /* A of KGCORE */
    uint64_t feedback[BLOCK];                /* KSB(n - 1) */
    uint64_t block[8];                       /* n - 1 */
};

/* to += from, WORD planes, from rotated left first. */
static inline void add_rotated(uint64_t *to, const uint64_t *from, unsigned left)
{
    for (unsigned i = 0; i < WORD; i++)
        to[i] ^= from[(i - left) % WORD];
}

/* x = FI(x, subkey). */
static void fi(uint64_t x[WORD], const uint64_t subkey[WORD])
{
    uint64_t nine[9], seven[7];
    kasumi_circuit_s9(nine, x + 7);
    kasumi_circuit_s7(seven, x);
    for (unsigned i = 0; i < 7; i++) {
        nine[i] ^= x[i];
        seven[i] ^= nine[i] ^ subkey[9 + i];
    }
    for (unsigned i = 0; i < 9; i++)
        nine[i] ^= subkey[i];
    kasumi_circuit_s9(x, nine);
    for (unsigned i = 0; i < 7; i++)
        x[i] ^= seven[i];
    kasumi_circuit_s7(x + 9, seven);
    for (unsigned i = 0; i < 7; i++)
        x[9 + i] ^= x[i];
}

/* A half's left word is its upper one: planes WORD .. HALF - 1. */
static void fl(uint64_t half[HALF], const struct cipher *c, unsigned round)
{
    const uint64_t *k1 = c->plain[round], *k2 = c->mixed[(round + 2) % 8];
    uint64_t *left = half + WORD, *right = half, t[WORD];
    for (unsigned i = 0; i < WORD; i++)
        t[i] = left[i] & k1[(i - 1) % WORD];
    add_rotated(right, t, 1);
    for (unsigned i = 0; i < WORD; i++)
        t[i] = right[i] | k2[i];
    add_rotated(left, t, 1);
}

static void fo(uint64_t half[HALF], const struct cipher *c, unsigned round)
{
    uint64_t *left = half + WORD, *right = half, last[WORD];
    add_rotated(left, c->plain[(round + 1) % 8], 5);
    fi(left, c->mixed[(round + 4) % 8]);
    add_rotated(left, right, 0);
    memcpy(last, left, sizeof last);
    add_rotated(right, c->plain[(round + 5) % 8], 8);
    fi(right, c->mixed[(round + 3) % 8]);
    add_rotated(left, right, 0);
    add_rotated(last, c->plain[(round + 6) % 8], 13);
    fi(last, c->mixed[(round + 7) % 8]);
    memcpy(right, last, sizeof last);
    add_rotated(right, left, 0);
}

static void add_half(uint64_t to[HALF], const uint64_t from[HALF])
{
    for (unsigned i = 0; i < HALF; i++)
        to[i] ^= from[i];
}

static void encipher(uint64_t block[BLOCK], const struct cipher *c)
{
    uint64_t *left = block + HALF, *right = block, half[HALF];
    for (unsigned round = 0; round < 8; round += 2) {
        memcpy(half, left, sizeof half);
        fl(half, c, round);
        fo(half, c, round);
        add_half(right, half);
        memcpy(half, right, sizeof half);
        fo(half, c, round + 1);
        fl(half, c, round + 1);
        add_half(left, half);
    }
}

/*
 * Bit j of row i becomes bit i of row j: exchanges blocks of halving size, as in Warren's Hacker's Delight.
 */
static void transpose(uint64_t rows[64])
{
    uint64_t mask = UINT32_MAX;
    for (unsigned size = 32; size > 0; size /= 2, mask ^= mask << size) {
        for (unsigned i = 0; i < 64; i = (i + size + 1) & ~size) {
            uint64_t swapped = (rows[i] >> size ^ rows[i + size]) & mask;
            rows[i] ^= swapped << size;
            rows[i + size] ^= swapped;
        }
    }
}

/* planes[i] gets bit i of each of the 64 words. */
static void planes_of(uint64_t planes[BLOCK], const uint64_t words[KASUMI_LANES])
{
    for (unsigned i = 0; i < KASUMI_LANES; i++) {
        const uint8_t *octets = (const uint8_t *)&words[i];
        planes[i] = (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
    }
    transpose(planes);
}

/* changed is first added to each word of the key. */
static void expand(struct cipher *c, const uint64_t key[2][BLOCK], unsigned changed)
{
    static const uint16_t constants[8] = {0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};
    for (size_t i = 0; i < 8; i++) {
        const uint64_t *word = &key[i / 4][(3 - i % 4) * WORD];
        for (unsigned j = 0; j < WORD; j++) {
            c->plain[i][j] = word[j] ^ -(uint64_t)(changed >> j & 1);
            c->mixed[i][j] = c->plain[i][j] ^ -(uint64_t)(constants[i] >> j & 1);
        }
    }
}

/* Loads the keys of all lanes, makes A of KGCORE, and restarts the counters of the fresh lanes. */
static void load(struct cipher *c, const struct kasumi_lanes *l, uint64_t fresh)
{
    uint64_t key[2][BLOCK];
    planes_of(key[0], l->words[0]);
    planes_of(key[1], l->words[1]);
    planes_of(c->begin, l->words[2]);
    expand(c, key, 0x5555);
    encipher(c->begin, c);
    expand(c, key, 0);
    for (unsigned i = 0; i < BLOCK; i++)
        c->feedback[i] &= ~fresh;
    for (unsigned i = 0; i < 8; i++)
        c->block[i] &= ~fresh;
}

/* The next block of keystream of every lane. */
static void kasumi_sliced_step(struct cipher *c)
{
    uint64_t carry = UINT64_MAX;
    for (unsigned i = 0; i < BLOCK; i++)
        c->feedback[i] ^= c->begin[i];
    for (unsigned i = 0; i < 8; i++) {
        uint64_t bit = c->block[i];
        c->feedback[i] ^= bit;
        c->block[i] ^= carry;
        carry &= bit;
    }
    encipher(c->feedback, c);
}

/* words[i * KASUMI_LANES] is the lane's block i. */
static void add_octets(struct kasumi_lanes_piece piece, const uint64_t *words)
{
    uint8_t stream[KASUMI_STRIDE_OCTETS];
    for (size_t i = 0; i < KASUMI_STRIDE_BLOCKS; i++) {
        uint64_t block = words[i * KASUMI_LANES];
        bytes_put_u32(stream + 8 * i, (uint32_t)(block >> 32));
        bytes_put_u32(stream + 8 * i + 4, (uint32_t)block);
    }
    for (unsigned i = 0; i < piece.octets; i++)
        piece.data[i] ^= stream[i];
}

static void stride(struct cipher *c, struct kasumi_lanes *l, unsigned blocks)
{
    uint64_t words[KASUMI_STRIDE_BLOCKS][KASUMI_LANES] = {0};
    for (unsigned i = 0; i < blocks; i++) {
        kasumi_sliced_step(c);
        memcpy(words[i], c->feedback, sizeof words[i]);
        transpose(words[i]);
    }
    for (unsigned lane = 0; lane < l->width; lane++)
        add_octets(kasumi_lanes_take(l, lane), words[0] + lane);
}

static void kasumi_sliced_run(const struct gea_job *jobs, size_t count)
{
    struct kasumi_lanes lanes;
    struct cipher c;
    kasumi_lanes_init(&lanes, jobs, count, KASUMI_LANES);
    memset(&c, 0, sizeof c);
    for (;;) {
        uint64_t fresh = kasumi_lanes_fill(&lanes);
        if (fresh != 0)
            load(&c, &lanes, fresh);
        unsigned blocks = kasumi_lanes_blocks(&lanes);
        if (blocks == 0)
            break;
        stride(&c, &lanes, blocks);
    }
}

void kasumi_sliced_cipher(const struct gea_job *jobs, size_t count)
{
    for (size_t at = 0; at < count; at += KASUMI_LANES_JOBS)
        kasumi_sliced_run(jobs + at, count - at < KASUMI_LANES_JOBS ? count - at : KASUMI_LANES_JOBS);
}
