/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/getrandom.h"

#include <sys/random.h>

static uint64_t chance;

void getrandom_seed(uint64_t seed)
{
    chance = seed;
}

/* The multiplier of D. Knuth's MMIX; the upper octet of each number. */
ssize_t getrandom(void *buffer, size_t octets, unsigned unused_flags)
{
    uint8_t *at = buffer;
    for (size_t i = 0; i < octets; i++) {
        chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at[i] = (uint8_t)(chance >> 56);
    }
    return (ssize_t)octets;
}
