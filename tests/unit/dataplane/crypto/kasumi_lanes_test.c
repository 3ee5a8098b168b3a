/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/kasumi.h"

#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <string.h>

static uint8_t data[KASUMI_LANES_JOBS][GEA_MAX_OCTETS];
static struct gea_job jobs[KASUMI_LANES_JOBS];

static void fill(size_t count, struct rng *r)
{
    static uint8_t keys[KASUMI_LANES_JOBS][GEA_KEY_OCTETS];
    for (size_t i = 0; i < count; i++) {
        keys[i][0] = (uint8_t)i;
        jobs[i] =
            (struct gea_job){keys[i], data[i], (uint32_t)i, (uint16_t)rng_between(r, 1, GEA_MAX_OCTETS), 1};
    }
    memset(data, 0, sizeof data);
}

/* Runs all jobs, marks each octet taken. Returns the blocks that the lanes were run for. */
static size_t run(struct kasumi_lanes *l, size_t count)
{
    size_t blocks_run = 0;
    kasumi_lanes_init(l, jobs, count, KASUMI_LANES);
    for (;;) {
        kasumi_lanes_fill(l);
        unsigned blocks = kasumi_lanes_blocks(l);
        if (blocks == 0)
            return blocks_run;
        blocks_run += blocks;
        for (unsigned lane = 0; lane < l->width; lane++) {
            struct kasumi_lanes_piece piece = kasumi_lanes_take(l, lane);
            assert_true(piece.octets <= 8 * blocks);
            for (unsigned i = 0; i < piece.octets; i++)
                piece.data[i]++;
        }
    }
}

TEST(every_octet_is_taken_once)
{
    static struct kasumi_lanes l;
    struct rng r;
    rng_init(&r, 1, 0);
    for (size_t count = 1; count <= KASUMI_LANES_JOBS; count += 1 + count / 8) {
        fill(count, &r);
        run(&l, count);
        for (size_t i = 0; i < count; i++)
            for (size_t at = 0; at < GEA_MAX_OCTETS; at++)
                assert_int_equal(data[i][at], at < jobs[i].octets);
    }
}

/* Where packets wait, lanes are busy: 80 % of the octets that the blocks have room for. */
TEST(waiting_jobs_keep_lanes_busy)
{
    static struct kasumi_lanes l;
    struct rng r;
    rng_init(&r, 2, 0);
    for (size_t count = 128; count <= KASUMI_LANES_JOBS; count += 64) {
        size_t octets = 0;
        fill(count, &r);
        for (size_t i = 0; i < count; i++)
            octets += jobs[i].octets;
        assert_true(octets * 100 >= run(&l, count) * 8 * KASUMI_LANES * 80);
    }
}

TEST(the_longest_start_first)
{
    static struct kasumi_lanes l;
    struct rng r;
    rng_init(&r, 3, 0);
    fill(KASUMI_LANES_JOBS, &r);
    kasumi_lanes_init(&l, jobs, KASUMI_LANES_JOBS, KASUMI_LANES);
    assert_true(kasumi_lanes_fill(&l) == UINT64_MAX);
    assert_true(kasumi_lanes_fill(&l) == 0);
    for (size_t i = KASUMI_LANES; i < KASUMI_LANES_JOBS; i++) {
        unsigned strides = jobs[l.order[i]].octets / KASUMI_STRIDE_OCTETS;
        assert_true(strides <= jobs[l.order[i - 1]].octets / KASUMI_STRIDE_OCTETS);
    }
}

/* A few idle lanes wait for more, unless they serve all that wait or nothing else runs. */
TEST(refilling_waits_until_it_pays)
{
    static const struct {
        size_t count;
        unsigned lanes, idle, taken;
    } rows[] = {{200, 64, 0, 0}, {200, 64, 1, 0}, {200, 64, 15, 0}, {200, 64, 16, 16}, {200, 64, 64, 64},
                {65, 64, 1, 1},  {66, 64, 1, 0},  {66, 64, 2, 2},   {64, 64, 64, 0},   {20, 8, 1, 0},
                {20, 8, 2, 2},   {20, 8, 8, 8},   {9, 8, 1, 1},     {8, 8, 8, 0}};
    static struct kasumi_lanes l;
    struct rng r;
    rng_init(&r, 4, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        fill(rows[i].count, &r);
        kasumi_lanes_init(&l, jobs, rows[i].count, rows[i].lanes);
        kasumi_lanes_fill(&l);
        memset(l.left_octets, 0, rows[i].idle * sizeof l.left_octets[0]);
        assert_int_equal(__builtin_popcountll(kasumi_lanes_fill(&l)), rows[i].taken);
    }
}

TEST(words_are_key_and_first_block)
{
    static struct kasumi_lanes l;
    static const uint8_t first[8] = {0x8a, 0x34, 0x56, 0x7d, 0x04, 0xff, 0, 0};
    const uint8_t key[GEA_KEY_OCTETS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    uint8_t octets[9];
    const struct gea_job job = {key, octets, 0x8a34567d, sizeof octets, GEA_DOWNLINK};
    kasumi_lanes_init(&l, &job, 1, KASUMI_LANES);
    assert_true(kasumi_lanes_fill(&l) == 1);
    assert_memory_equal(&l.words[0][0], key, 8);
    assert_memory_equal(&l.words[1][0], key + 8, 8);
    assert_memory_equal(&l.words[2][0], first, 8);
    assert_int_equal(kasumi_lanes_blocks(&l), 2);
}

UNIT_MAIN(NULL, NULL)
