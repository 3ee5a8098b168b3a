/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/u64_map.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

/* The authors' value of the key 00 .. 0f and the input 00 .. 07. */
TEST(reference)
{
    const struct siphash_key key = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    assert_true(siphash_u64(&key, UINT64_C(0x0706050403020100)) == UINT64_C(0x93f5f5799a932462));
}

/* Each bit of key and input changes about half of the bits. */
TEST(each_bit_counts)
{
    const struct siphash_key key = {1, 2};
    uint64_t before = siphash_u64(&key, 3);
    for (unsigned bit = 0; bit < 192; bit++) {
        struct siphash_key other = key;
        uint64_t input = 3, one = UINT64_C(1) << bit % 64;
        *(bit < 64 ? &other.low : bit < 128 ? &other.high : &input) ^= one;
        int changed = __builtin_popcountll(before ^ siphash_u64(&other, input));
        assert_in_range(changed, 12, 52);
    }
}

UNIT_MAIN(NULL, NULL)
