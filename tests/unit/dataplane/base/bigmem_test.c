/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bigmem.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdlib.h>

#define MIB ((size_t)1 << 20)
#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#elif defined(__has_feature)
#define HAS_ASAN __has_feature(address_sanitizer)
#else
#define HAS_ASAN 0
#endif

static const struct {
    size_t octets, align_octets;
} blocks[] = {
    {0, 64},
    {1, 64},
    {100, 64},
    {2 * MIB - 1, 64},
    {2 * MIB, 2 * MIB},
    {2 * MIB + 4097, 2 * MIB},
    {9 * MIB, 2 * MIB},
};

TEST(is_aligned_and_writable)
{
    for (size_t i = 0; i < COUNT(blocks); i++) {
        uint8_t *block = bigmem_new(blocks[i].octets);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % blocks[i].align_octets, 0);
        for (size_t at = 0; at < blocks[i].octets; at++) {
            if (block[at] != 0)
                fail_msg("%zu of %zu octets", at, blocks[i].octets);
            block[at] = 0xa5;
        }
        bigmem_free(block, blocks[i].octets);
    }
}

/* A hole between blocks in use keeps what was written there, until the next block comes to lie in it. */
TEST(is_zero_where_others_were)
{
    const size_t hole_octets = 100000, octets = 50000;
    volatile uint8_t *hole = malloc(hole_octets);
    void *after = malloc(hole_octets);
    assert_non_null(hole);
    assert_non_null(after);
    for (size_t at = 0; at < hole_octets; at++)
        hole[at] = 0xa5;
    free((void *)hole);
    uint8_t *block = bigmem_new(octets);
    assert_non_null(block);
    for (size_t at = 0; at < octets; at++)
        assert_int_equal(block[at], 0);
    bigmem_free(block, octets);
    free(after);
}

TEST(says_when_there_is_none)
{
    if (!HAS_ASAN) /* which ends a program that asks for that much */
        assert_null(bigmem_new(SIZE_MAX / 2));
    bigmem_free(NULL, 100);
}

UNIT_MAIN(NULL, NULL)
