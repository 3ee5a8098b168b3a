/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seeded random numbers: xoshiro256** (Blackman and Vigna, 2018), its state filled by splitmix64. Integers
 * only, so equal seeds give equal draws with every compiler and C library.
 */
#ifndef DATAPLANE_BASE_RNG_H
#define DATAPLANE_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state[4]; /* never all zero */
};

/* Starts stream number `stream` of a seed. Streams of one seed are independent. All values are allowed. */
void rng_init(struct rng *r, uint64_t seed, uint64_t stream);

/* The next 64 bits. */
uint64_t rng_u64(struct rng *r);

/* Leaves out the next `count` draws of rng_u64(). */
void rng_skip(struct rng *r, uint32_t count);

/* Uniform in 0 .. n - 1, without bias (Lemire 2019); n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Uniform in low .. high, both included; low <= high. */
uint64_t rng_between(struct rng *r, uint64_t low, uint64_t high);

/* True with a probability of ppm millionths; always true from 1000000 on. Takes a draw in every case. */
bool rng_chance_ppm(struct rng *r, uint32_t ppm);

/*
 * Exponentially distributed with mean mean_ns, from 0 to about 44 means, rounded down to whole ns. 0 <=
 * mean_ns < 2^57. The logarithm is computed in fixed point, exact to 2^-31 of a mean.
 */
int64_t rng_exponential_ns(struct rng *r, int64_t mean_ns);

#endif
