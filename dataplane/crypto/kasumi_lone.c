/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * KASUMI (TS 35.202) of one packet. KGCORE feeds its output back, so the latency of a block counts. FI is
 * two functions on 16 bits with the subkey added between, each a sum of products of input bits (its algebraic
 * normal form, about 100 products). A vector has the same word in all lanes; eight products are compared
 * at once, (word & product) == product, and select what they add. No address and no branch depends on data.
 */
#include "dataplane/crypto/kasumi_lone.h"

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/kasumi_terms.h"

enum {
    LANES = 8,
    BLOCK_OCTETS = 8,
    PAYS_PACKETS = 4, /* a block of 64 packets in kasumi_sliced.c takes as long as 4.8 here */
};

typedef uint16_t lanes __attribute__((vector_size(2 * LANES)));

struct cipher {
    lanes left1[8], left5[8], left8[8], left13[8], mixed[8]; /* K rotated; K' */
    lanes begin[4], feedback[4]; /* A and KSB(n - 1) of KGCORE, first octets first */
};

static inline lanes everywhere(uint16_t word)
{
    return (lanes){word, word, word, word, word, word, word, word};
}

static inline lanes left1(lanes x)
{
    return x << 1 | x >> 15;
}

/* The sum of all lanes in each lane. */
static inline lanes sum(lanes x)
{
    x ^= __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
    x ^= __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
    return x ^ __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6);
}

/* Sum, lane by lane, of what the products of one row add. */
static inline lanes row(lanes x, const uint16_t terms[2][LANES])
{
    const lanes *t = (const lanes *)terms;
    return (lanes)((x & t[0]) == t[0]) & t[1];
}

/* A half of FI. */
static inline lanes mix(lanes x, const uint16_t half[KASUMI_HALF_ROWS][2][LANES])
{
    lanes added = {0};
    _Pragma("GCC unroll 16") for (unsigned i = 0; i < KASUMI_HALF_ROWS; i++) added ^= row(x, half[i]);
    return sum(added);
}

static inline lanes fi(lanes x, lanes subkey)
{
    return mix(mix(x, kasumi_half1) ^ subkey, kasumi_half2);
}

static inline void fl(lanes half[2], const struct cipher *c, unsigned round)
{
    half[1] ^= left1(half[0] & c->left1[round]);
    half[0] ^= left1(half[1] | c->mixed[(round + 2) % 8]);
}

static inline void fo(lanes half[2], const struct cipher *c, unsigned round)
{
    lanes left = fi(half[0] ^ c->left5[(round + 1) % 8], c->mixed[(round + 4) % 8]) ^ half[1];
    lanes right = fi(half[1] ^ c->left8[(round + 5) % 8], c->mixed[(round + 3) % 8]) ^ left;
    half[1] = fi(left ^ c->left13[(round + 6) % 8], c->mixed[(round + 7) % 8]) ^ right;
    half[0] = right;
}

static void encipher(lanes block[4], const struct cipher *c)
{
    for (unsigned round = 0; round < 8; round += 2) {
        lanes half[2] = {block[0], block[1]};
        fl(half, c, round);
        fo(half, c, round);
        half[0] = block[2] ^= half[0];
        half[1] = block[3] ^= half[1];
        fo(half, c, round + 1);
        fl(half, c, round + 1);
        block[0] ^= half[0];
        block[1] ^= half[1];
    }
}

/* Key schedule; changed is first added to each word of the key. */
static void expand(struct cipher *c, const uint8_t key[GEA_KEY_OCTETS], uint16_t changed)
{
    static const uint16_t constants[8] = {0x0123, 0x4567, 0x89ab, 0xcdef, 0xfedc, 0xba98, 0x7654, 0x3210};
    for (size_t i = 0; i < 8; i++) {
        lanes k = everywhere((uint16_t)(bytes_get_u16(key + 2 * i) ^ changed));
        c->left1[i] = left1(k);
        c->left5[i] = k << 5 | k >> 11;
        c->left8[i] = k << 8 | k >> 8;
        c->left13[i] = k << 13 | k >> 3;
        c->mixed[i] = k ^ constants[i];
    }
}

/* A of KGCORE (TS 55.216 clause 4), then the key. */
static void start(struct cipher *c, const struct gea_job *job)
{
    c->begin[0] = everywhere((uint16_t)(job->input >> 16));
    c->begin[1] = everywhere((uint16_t)job->input);
    c->begin[2] = everywhere((uint16_t)(job->direction << 10 | 0xff)); /* 0xff: CA of GEA3 and GEA4 */
    c->begin[3] = everywhere(0);
    expand(c, job->key, 0x5555);
    encipher(c->begin, c);
    expand(c, job->key, 0);
    for (size_t i = 0; i < 4; i++)
        c->feedback[i] = everywhere(0);
}

static void add_octets(uint8_t *data, unsigned octets, const lanes block[4])
{
    uint8_t stream[BLOCK_OCTETS];
    for (size_t i = 0; i < 4; i++)
        bytes_put_u16(stream + 2 * i, block[i][0]);
    for (unsigned i = 0; i < octets; i++)
        data[i] ^= stream[i];
}

static void cipher(const struct gea_job *job)
{
    struct cipher c;
    start(&c, job);
    for (unsigned at = 0; at < job->octets; at += BLOCK_OCTETS) {
        unsigned octets = job->octets - at;
        for (size_t i = 0; i < 4; i++)
            c.feedback[i] ^= c.begin[i];
        c.feedback[3] ^= (uint16_t)(at / BLOCK_OCTETS);
        encipher(c.feedback, &c);
        add_octets(job->data + at, octets < BLOCK_OCTETS ? octets : BLOCK_OCTETS, c.feedback);
    }
}

bool kasumi_lone_pays(const struct gea_job *jobs, size_t count)
{
    size_t most = 0, octets = 0;
    for (size_t i = 0; i < count && octets <= PAYS_PACKETS * (size_t)GEA_MAX_OCTETS; i++) {
        most = jobs[i].octets > most ? jobs[i].octets : most;
        octets += jobs[i].octets;
    }
    return octets <= PAYS_PACKETS * most;
}

void kasumi_lone_cipher(const struct gea_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cipher(&jobs[i]);
}
