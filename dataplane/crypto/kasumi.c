/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/kasumi.h"

#include "dataplane/base/bytes.h"
#include "dataplane/crypto/kasumi_terms.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { STRIDES = GEA_MAX_OCTETS / KASUMI_STRIDE_OCTETS + 1, SPARE_SHARE = 4 };

/* Counting sort by strides, longest first. */
static void sort(struct kasumi_lanes *l)
{
    uint16_t begin[STRIDES + 1] = {0};
    for (size_t i = 0; i < l->count; i++) {
        assert(l->jobs[i].octets > 0 && l->jobs[i].octets <= GEA_MAX_OCTETS);
        begin[STRIDES - 1 - l->jobs[i].octets / KASUMI_STRIDE_OCTETS + 1]++;
    }
    for (unsigned i = 1; i < STRIDES; i++)
        begin[i] = (uint16_t)(begin[i] + begin[i - 1]);
    for (size_t i = 0; i < l->count; i++)
        l->order[begin[STRIDES - 1 - l->jobs[i].octets / KASUMI_STRIDE_OCTETS]++] = (uint16_t)i;
}

void kasumi_lanes_init(struct kasumi_lanes *l, const struct gea_job *jobs, size_t count, unsigned lanes)
{
    assert(count > 0 && count <= KASUMI_LANES_JOBS && lanes > 0 && lanes <= KASUMI_LANES);
    l->jobs = jobs;
    l->count = count;
    l->next = 0;
    l->width = count < lanes ? (unsigned)count : lanes;
    l->spare = lanes / SPARE_SHARE;
    memset(l->words, 0, sizeof l->words);
    memset(l->left_octets, 0, sizeof l->left_octets);
    for (unsigned i = 0; i < KASUMI_LANES; i++)
        l->data[i] = jobs[0].data;
    sort(l);
}

static void kasumi_put(struct kasumi_lanes *l, unsigned lane, const struct gea_job *job)
{
    uint8_t first[8] = {0};
    bytes_put_u32(first, job->input);
    first[4] = (uint8_t)(job->direction << 2);
    first[5] = 0xff; /* CA of GEA3 and GEA4 */
    memcpy(&l->words[0][lane], job->key, 8);
    memcpy(&l->words[1][lane], job->key + 8, 8);
    memcpy(&l->words[2][lane], first, 8);
    l->data[lane] = job->data;
    l->left_octets[lane] = job->octets;
}

static unsigned idle(const struct kasumi_lanes *l)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < l->width; i++)
        lanes += l->left_octets[i] == 0;
    return lanes;
}

/*
 * When the key of one lane changes, the keys of all lanes are expanded again, at the cost of about two
 * blocks.
 */
static bool fill_pays(const struct kasumi_lanes *l)
{
    if (l->next == l->count)
        return false;
    unsigned lanes = idle(l);
    return lanes == l->width || lanes >= l->spare || lanes >= l->count - l->next;
}

uint64_t kasumi_lanes_fill(struct kasumi_lanes *l)
{
    uint64_t fresh = 0;
    if (!fill_pays(l))
        return 0;
    for (unsigned i = 0; i < l->width && l->next < l->count; i++) {
        if (l->left_octets[i] != 0)
            continue;
        kasumi_put(l, i, &l->jobs[l->order[l->next++]]);
        fresh |= UINT64_C(1) << i;
    }
    return fresh;
}

unsigned kasumi_lanes_blocks(const struct kasumi_lanes *l)
{
    unsigned most = 0;
    for (unsigned i = 0; i < l->width; i++)
        most = l->left_octets[i] > most ? l->left_octets[i] : most;
    unsigned blocks = (most + 7) / 8;
    return blocks < KASUMI_STRIDE_BLOCKS ? blocks : KASUMI_STRIDE_BLOCKS;
}

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
static void kasumi_start(struct cipher *c, const struct gea_job *job)
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
    kasumi_start(&c, job);
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
