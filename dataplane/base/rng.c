/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/rng.h"

__extension__ typedef unsigned __int128 u128;

#define LN2_Q64 UINT64_C(0xb17217f7d1cf79ab)

static uint64_t scramble(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void rng_init(struct rng *r, uint64_t seed, uint64_t stream)
{
    /* Scrambled: otherwise stream n + 1 would equal stream n one draw later. */
    uint64_t counter = seed ^ scramble(stream + UINT64_C(0x6a09e667f3bcc909));
    for (unsigned i = 0; i < 4; i++)
        r->state[i] = scramble(counter += UINT64_C(0x9e3779b97f4a7c15));
}

static uint64_t rotate_left(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void rng_step(uint64_t s[4])
{
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
}

uint64_t rng_u64(struct rng *r)
{
    uint64_t drawn = rotate_left(r->state[1] * 5, 7) * 9;
    rng_step(r->state);
    return drawn;
}

void rng_skip(struct rng *r, uint32_t count)
{
    struct rng skipped = *r;
    while (count-- > 0)
        rng_step(skipped.state);
    *r = skipped;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    u128 product = (u128)rng_u64(r) * n;
    if ((uint64_t)product < n) {
        uint64_t unfair = -n % n;
        while ((uint64_t)product < unfair)
            product = (u128)rng_u64(r) * n;
    }
    return (uint64_t)(product >> 64);
}

uint64_t rng_between(struct rng *r, uint64_t low, uint64_t high)
{
    uint64_t span = high - low + 1;
    return span == 0 ? rng_u64(r) : low + rng_below(r, span);
}

bool rng_chance_ppm(struct rng *r, uint32_t ppm)
{
    return rng_below(r, 1000000) < ppm;
}

/*
 * Binary logarithm in Q32, rounded down; x > 0. Each squaring of the mantissa gives one bit of the fraction.
 */
static uint64_t log2_q32(uint64_t x)
{
    unsigned whole = 63 - (unsigned)__builtin_clzll(x);
    uint64_t mantissa = x << (63 - whole), fraction = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        u128 square = (u128)mantissa * mantissa >> 63;
        unsigned carry = (unsigned)(square >> 64);
        fraction = fraction << 1 | carry;
        mantissa = (uint64_t)(square >> carry);
    }
    return (uint64_t)whole << 32 | fraction;
}

int64_t rng_exponential_ns(struct rng *r, int64_t mean_ns)
{
    uint64_t drawn = rng_u64(r);
    uint64_t octaves_q32 = (UINT64_C(64) << 32) - log2_q32(drawn ? drawn : 1);
    uint64_t means_q32 = (uint64_t)((u128)octaves_q32 * LN2_Q64 >> 64);
    return (int64_t)((u128)(uint64_t)mean_ns * means_q32 >> 32);
}
