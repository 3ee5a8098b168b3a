/* SPDX-License-Identifier: BSD-3-Clause */
/* Every engine that this processor can run, against division bit by bit. */
#include "dataplane/wire/llc_fcs.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_OCTETS = 1600, OFFSETS = 64, BUFFERS = 200000, LONG_OCTETS = 5000, START_MASK = 0xffffff };

static struct llc_fcs_engine engines[LLC_FCS_ENGINES_MAX];
static unsigned engine_count;
static uint64_t seed = 24;

static int list_engines(void **state)
{
    engine_count = llc_fcs_engines(engines);
    return 0;
}

/* The register, reflected as llc_fcs_update() has it, after these octets. */
static uint32_t divide(uint32_t running, const uint8_t *bytes, size_t octets)
{
    for (size_t i = 0; i < octets; i++) {
        running ^= bytes[i];
        for (unsigned bit = 0; bit < 8; bit++)
            running = running >> 1 ^ (0xad85dd & -(running & 1));
    }
    return running;
}

static uint32_t random_start(void)
{
    return (uint32_t)(probe_random(&seed) >> 20) & START_MASK;
}

static void fill(uint8_t *bytes, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        bytes[i] = (uint8_t)(probe_random(&seed) >> 24);
}

static void expect_all(uint32_t start, const uint8_t *bytes, size_t octets)
{
    uint32_t expected = divide(start, bytes, octets);
    for (unsigned k = 0; k < engine_count; k++)
        if (engines[k].update(start, bytes, octets) != expected)
            fail_msg("%s: %zu octets, begun with %06x", engines[k].name, octets, start);
}

TEST(the_list)
{
    static const char *const names[] = {"sliced", "clmul", "vclmul"};
    assert_in_range(engine_count, 1, LLC_FCS_ENGINES_MAX);
    for (unsigned k = 0; k < LLC_FCS_ENGINES_MAX && k < engine_count; k++) {
        assert_string_equal(engines[k].name, names[k]);
        assert_int_equal(engines[k].update(LLC_FCS_START, (const uint8_t *)"123456789", 9),
                         0xffffff ^ 0x4e86cb);
        print_message("engine %s\n", engines[k].name);
    }
}

/* Octets in front of the message and behind it are others at each offset, and must not matter. */
TEST(every_length_at_every_offset)
{
    static uint8_t message[MAX_OCTETS], room[MAX_OCTETS + 2 * OFFSETS] __attribute__((aligned(64)));
    fill(message, sizeof message);
    fill(room, sizeof room);
    for (size_t octets = 0; octets <= MAX_OCTETS; octets++) {
        uint32_t start = random_start(), expected = divide(start, message, octets);
        for (size_t offset = 0; offset < OFFSETS; offset++) {
            uint8_t *begin = room + offset, *end = begin + octets;
            uint8_t behind = *end;
            memcpy(begin, message, octets);
            *end ^= (uint8_t)offset;
            for (unsigned k = 0; k < engine_count; k++)
                if (engines[k].update(start, begin, octets) != expected)
                    fail_msg("%s: %zu octets at offset %zu", engines[k].name, octets, offset);
            *end = behind;
        }
    }
}

TEST(random_buffers)
{
    static uint8_t bytes[MAX_OCTETS + OFFSETS + 8];
    for (unsigned round = 0; round < BUFFERS; round++) {
        size_t octets = 1 + probe_random(&seed) % MAX_OCTETS;
        uint8_t *begin = bytes + probe_random(&seed) % OFFSETS;
        for (size_t i = 0; i < octets; i += 8)
            memcpy(begin + i, &(uint64_t){probe_random(&seed)}, 8);
        expect_all(round % 2 ? LLC_FCS_START : random_start(), begin, octets);
    }
}

/* More than one table of weights is long. */
TEST(longer_than_any_frame)
{
    static uint8_t bytes[LONG_OCTETS];
    fill(bytes, sizeof bytes);
    for (size_t octets = MAX_OCTETS; octets <= LONG_OCTETS; octets++)
        expect_all(random_start(), bytes, octets);
}

/* Heap blocks that are as long as the message: the address sanitizer watches both ends. */
TEST(blocks_of_exact_size)
{
    for (size_t octets = 1; octets <= MAX_OCTETS; octets++) {
        uint8_t *block = malloc(octets);
        assert_non_null(block);
        fill(block, octets);
        expect_all(random_start(), block, octets);
        free(block);
    }
}

/* One page with forbidden ones on both sides: the message ends where it ends, or begins where it begins. */
TEST(borders_of_memory)
{
    size_t page_octets = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *pages = mmap(NULL, 3 * page_octets, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    uint8_t *begin = pages + page_octets, *end = begin + page_octets;
    assert_int_equal(mprotect(begin, page_octets, PROT_READ | PROT_WRITE), 0);
    fill(begin, page_octets);
    for (size_t octets = 0; octets <= MAX_OCTETS; octets++) {
        expect_all(LLC_FCS_START, begin, octets);
        expect_all(LLC_FCS_START, end - octets, octets);
    }
    munmap(pages, 3 * page_octets);
}

TEST(pieces_make_the_whole)
{
    uint8_t bytes[MAX_OCTETS];
    for (unsigned round = 0; round < 20000; round++) {
        size_t octets = probe_random(&seed) % (round % 2 ? sizeof bytes : 100), longest = 1 + round % 200;
        uint32_t start = random_start();
        fill(bytes, octets);
        uint32_t expected = divide(start, bytes, octets);
        for (unsigned k = 0; k < engine_count; k++) {
            uint32_t running = start;
            for (size_t at = 0, piece; at < octets; at += piece) {
                piece = probe_random(&seed) % (longest + 1); /* sometimes empty */
                piece = piece < octets - at ? piece : octets - at;
                running = engines[k].update(running, bytes + at, piece);
            }
            assert_int_equal(running, expected);
        }
    }
}

UNIT_MAIN(list_engines, NULL)
