/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/judges/kind.h"

void kind_fill(struct rng *rng, uint8_t *bytes, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        bytes[i] = (uint8_t)(rng_u64(rng) >> 32);
}
