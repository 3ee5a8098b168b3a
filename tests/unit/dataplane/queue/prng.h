/* SPDX-License-Identifier: BSD-3-Clause */
/* Chance that a seed repeats: an additive counter whose value is scrambled (splitmix64). */
#ifndef TESTS_UNIT_DATAPLANE_QUEUE_PRNG_H
#define TESTS_UNIT_DATAPLANE_QUEUE_PRNG_H

#include <stdint.h>

/* The next 64 bits. *state is the seed at first. */
static inline uint64_t prng_u64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 .. n - 1; n > 0. The bias of the remainder does not matter here. */
static inline uint64_t prng_below(uint64_t *state, uint64_t n)
{
    return prng_u64(state) % n;
}

/* low .. high, both included. */
static inline uint64_t prng_between(uint64_t *state, uint64_t low, uint64_t high)
{
    return low + prng_below(state, high - low + 1);
}

/* 0 .. max, every order of magnitude as likely as the next. */
static inline uint64_t prng_magnitude(uint64_t *state, uint64_t max)
{
    uint64_t value = prng_u64(state);
    value >>= prng_below(state, 64);
    return value > max ? value % (max + 1) : value;
}

#endif
