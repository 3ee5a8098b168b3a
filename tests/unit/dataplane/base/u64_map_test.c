/* SPDX-License-Identifier: BSD-3-Clause */
/* The map against a list of all keys there can be, full, and with keys that meet. */
#include "tests/unit/unit.h"

#include "dataplane/base/rng.h"
#include "dataplane/base/u64_map.h"

#include <stdlib.h>
#include <string.h>

#define KEYS   200
#define EVENTS 200000

TEST(memory)
{
    static const uint32_t limits[] = {0, 1, 10, 11, 1000, 1000000};
    for (size_t i = 0; i < COUNT(limits); i++) {
        struct u64_map m;
        assert_true(u64_map_new(&m, limits[i]));
        assert_true((m.mask + 1) * 2 >= limits[i] * 3ull);
        assert_int_equal(u64_map_get(&m, 5), U64_MAP_NONE);
        u64_map_free(&m);
        assert_null(m.slots);
    }
    struct u64_map none = {0};
    u64_map_free(&none);
}

/* Every entry is refused once it is full, but not the value of one that is there; one gone makes room for
 * one. */
TEST(full)
{
    struct u64_map m;
    assert_true(u64_map_new(&m, 1000));
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(u64_map_add(&m, UINT64_C(7) << 32 | i, i), 0);
    assert_int_equal(u64_map_add(&m, 1, 1), -1);
    assert_int_equal(u64_map_put(&m, 1, 1), -1);
    assert_int_equal(u64_map_put(&m, UINT64_C(7) << 32 | 3, 77), 0);
    assert_int_equal(u64_map_get(&m, UINT64_C(7) << 32 | 3), 77);
    assert_false(u64_map_del(&m, UINT64_C(7) << 32 | 3, 3));
    assert_true(u64_map_del(&m, UINT64_C(7) << 32 | 3, 77));
    assert_int_equal(u64_map_add(&m, 1, 1), 0);
    assert_int_equal(u64_map_add(&m, 2, 1), -1);
    u64_map_free(&m);
}

/* Few slots, so that runs are long and go over the end of the array. */
TEST(against_a_list)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct u64_map m;
        struct rng rng;
        uint64_t keys[KEYS];
        uint32_t want[KEYS], count = 0;
        rng_init(&rng, seed, 0);
        assert_true(u64_map_new(&m, 10 + (uint32_t)seed * 3));
        for (unsigned i = 0; i < KEYS; i++)
            keys[i] = seed % 2 ? i : rng_u64(&rng);
        memset(want, 0xff, sizeof(want));
        for (unsigned n = 0; n < EVENTS / 20; n++) {
            unsigned i = (unsigned)rng_below(&rng, KEYS);
            uint32_t value = (uint32_t)rng_below(&rng, 1000), had = want[i];
            bool is_there = had != U64_MAP_NONE;
            switch (rng_below(&rng, 3)) {
            case 0:
                assert_int_equal(u64_map_add(&m, keys[i], value), is_there || count == m.limit ? -1 : 0);
                want[i] = is_there || count == m.limit ? had : value;
                break;
            case 1:
                assert_int_equal(u64_map_put(&m, keys[i], value), !is_there && count == m.limit ? -1 : 0);
                want[i] = !is_there && count == m.limit ? had : value;
                break;
            default:
                assert_false(u64_map_del(&m, keys[i], had - 1));
                assert_int_equal(u64_map_del(&m, keys[i], had), is_there);
                want[i] = U64_MAP_NONE;
                break;
            }
            count += (want[i] != U64_MAP_NONE) - is_there;
            assert_int_equal(m.count, count);
            for (unsigned k = 0; k < KEYS; k++)
                assert_int_equal(u64_map_get(&m, keys[k]), want[k]);
        }
        u64_map_free(&m);
    }
}

/* --- The authors' value of the key 00 .. 0f and the input 00 .. 07 --- */

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
