/* SPDX-License-Identifier: BSD-3-Clause */
/* What the harnesses share: a check that ends the process, and a reader that turns input into decisions. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libFuzzer calls it with each input, whose block ends where the input ends. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* A broken invariant is a finding: libFuzzer keeps the input when the process aborts. */
#define FUZZ_CHECK(what)                                                                                     \
    do {                                                                                                     \
        if (!(what)) {                                                                                       \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #what);                               \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

struct fuzz_input {
    const uint8_t *at;
    size_t left;
};

/* The next 1 to 8 octets as a big-endian number; behind the end they are zeros. */
static inline uint64_t fuzz_take(struct fuzz_input *in, unsigned octets)
{
    uint64_t value = 0;
    for (; octets > 0; octets--) {
        value = value << 8 | (in->left ? *in->at : 0);
        in->at += in->left > 0;
        in->left -= in->left > 0;
    }
    return value;
}

/* The next octets, as many of those wanted as there are; they become *octets. */
static inline const uint8_t *fuzz_take_block(struct fuzz_input *in, size_t wanted, size_t *octets)
{
    const uint8_t *block = in->at;
    *octets = wanted < in->left ? wanted : in->left;
    in->at += *octets;
    in->left -= *octets;
    return block;
}

/* One octet becomes another: the input has its value, then its place, with any compiler. */
static inline void fuzz_spoil(struct fuzz_input *in, uint8_t *bytes, size_t octets)
{
    uint8_t value = (uint8_t)fuzz_take(in, 1);
    bytes[fuzz_take(in, 1) % octets] = value;
}

/* A block that ends where its octets end, so that reading on is seen; to be freed. */
static inline uint8_t *fuzz_copy(const uint8_t *at, size_t octets)
{
    uint8_t *copy = malloc(octets ? octets : 1);
    FUZZ_CHECK(copy);
    if (octets)
        memcpy(copy, at, octets);
    return copy;
}

/* True if octets at `at` lie in the input; of nothing it does not matter where it lies. */
static inline bool fuzz_is_inside(const uint8_t *at, size_t octets, const uint8_t *bytes, size_t len)
{
    return octets == 0 || (at >= bytes && octets <= len && at <= bytes + (len - octets));
}

struct fuzz_sequences {
    unsigned long count, steps;
};

static struct fuzz_sequences fuzz_sequences; /* of a harness that counts them */

static inline void fuzz_print_sequences(void)
{
    fprintf(stderr, "stat::sequences: %lu\nstat::steps: %lu\n", fuzz_sequences.count, fuzz_sequences.steps);
}

/* A sequence of this many steps has run: inputs of one object, which keeps its state between them. One of two
 * steps and more counts; the sums are printed when the process ends. */
static inline void fuzz_count_sequence(unsigned steps)
{
    static bool has_begun;
    if (!has_begun)
        atexit(fuzz_print_sequences);
    has_begun = true;
    fuzz_sequences.count += steps >= 2;
    fuzz_sequences.steps += steps;
}

#endif
