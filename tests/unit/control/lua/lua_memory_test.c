/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_host.h"
#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS 500
#define ROUNDS 200000
#define LARGE  ((size_t)2000)

struct block {
    uint8_t *at;
    size_t octets;
    uint8_t filling;
};

static void fill(struct block *block, unsigned round)
{
    block->filling = (uint8_t)round;
    if (block->octets > 0)
        memset(block->at, block->filling, block->octets);
}

static void check(const struct block *block, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        assert_int_equal(block->at[i], block->filling);
}

static void resize(struct lua_memory *memory, struct block *block, size_t octets, unsigned round)
{
    size_t kept = octets < block->octets ? octets : block->octets;
    block->at = lua_memory_allocate(memory, block->at, block->octets, octets);
    assert_true((block->at != NULL) == (octets > 0));
    if (octets > 0) {
        assert_int_equal((uintptr_t)block->at % LUA_MEMORY_STEP_OCTETS, 0);
        check(block, kept);
    }
    block->octets = octets;
    fill(block, round);
}

/* Blocks keep what is in them through other blocks' lives and their own growth. */
TEST(blocks_are_apart)
{
    (void)state;
    static struct block blocks[BLOCKS];
    struct lua_memory memory;
    struct rng rng;
    rng_init(&rng, 1, 0);
    lua_memory_init(&memory, SIZE_MAX / 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct block *block = &blocks[rng_below(&rng, BLOCKS)];
        uint64_t most = rng_below(&rng, 4) == 0 ? LARGE : LUA_MEMORY_SMALL_OCTETS / 4;
        check(block, block->octets);
        resize(&memory, block, rng_below(&rng, 3) == 0 ? 0 : 1 + rng_below(&rng, most), round);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        resize(&memory, &blocks[i], 0, 0);
    lua_memory_fini(&memory);
}

/* What is let go is had again: nothing grows but by what is in use. */
TEST(blocks_are_used_again)
{
    (void)state;
    struct lua_memory memory;
    lua_memory_init(&memory, SIZE_MAX / 2);
    void *first = lua_memory_allocate(&memory, NULL, 5, 40);
    lua_memory_allocate(&memory, first, 40, 0);
    size_t used_octets = memory.used_octets;
    for (unsigned i = 0; i < 100000; i++) {
        void *block = lua_memory_allocate(&memory, NULL, 0, 40);
        assert_ptr_equal(block, first);
        lua_memory_allocate(&memory, block, 40, 0);
    }
    assert_int_equal(memory.used_octets, used_octets);
    lua_memory_fini(&memory);
}

TEST(larger_ones_go_back)
{
    (void)state;
    struct lua_memory memory;
    lua_memory_init(&memory, LARGE);
    void *block = lua_memory_allocate(&memory, NULL, 0, LARGE);
    assert_non_null(block);
    assert_int_equal(memory.used_octets, LARGE);
    assert_null(lua_memory_allocate(&memory, block, LARGE, LARGE + 1));
    assert_null(lua_memory_allocate(&memory, NULL, 0, LUA_MEMORY_SMALL_OCTETS + 1));
    assert_null(lua_memory_allocate(&memory, NULL, 0, 1));
    block = lua_memory_allocate(&memory, block, LARGE, LARGE - 1);
    assert_non_null(block);
    assert_null(lua_memory_allocate(&memory, block, LARGE - 1, 0));
    assert_int_equal(memory.used_octets, 0);
    lua_memory_fini(&memory);
}

/* Small ones end at the limit, too, and nothing that is there is lost by that. */
TEST(there_is_a_limit)
{
    (void)state;
    const size_t limit_octets = (size_t)1 << 20;
    struct lua_memory memory;
    unsigned count = 0;
    lua_memory_init(&memory, limit_octets);
    void **last = NULL, **block;
    while ((block = lua_memory_allocate(&memory, NULL, 0, 100))) {
        *block = (void *)last;
        last = block;
        count++;
    }
    assert_true(memory.used_octets <= limit_octets);
    assert_in_range(count, limit_octets / 112 * 9 / 10, limit_octets / 112);
    assert_null(lua_memory_allocate(&memory, (void *)last, 100, 200));
    for (; last; count--) {
        block = *last;
        lua_memory_allocate(&memory, (void *)last, 100, 0);
        last = block;
    }
    assert_int_equal(count, 0);
    lua_memory_fini(&memory);
}

UNIT_MAIN(NULL, NULL)
