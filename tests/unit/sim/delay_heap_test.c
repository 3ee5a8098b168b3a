/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/delay_heap.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <string.h>

enum { PACKETS = 2000, OCTETS = 40 };

struct sink {
    struct delay_heap *heap; /* to put one more into from out(), at the same instant; or NULL */
    unsigned count;
    uint32_t number[PACKETS];
    int64_t at_ns[PACKETS];
};

/* A packet that begins with its number and ends with an octet of it; its length is of the number, too. */
static void put(struct delay_heap *heap, uint32_t number, int64_t at_ns)
{
    uint8_t packet[OCTETS + 256];
    size_t octets = OCTETS + number % 256;
    memset(packet, (uint8_t)number, sizeof(packet));
    memcpy(packet, &number, sizeof(number));
    delay_heap_put(heap, packet, octets, at_ns);
}

static void take(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct sink *sink = arg;
    uint32_t number;
    memcpy(&number, packet, sizeof(number));
    if (sink->heap && sink->count == 0)
        put(sink->heap, number + 1, now);
    assert_int_equal(octets, OCTETS + number % 256);
    assert_int_equal(packet[octets - 1], (uint8_t)number);
    sink->number[sink->count] = number;
    sink->at_ns[sink->count++] = now;
}

/* Each at its own instant; those of one instant in the order of putting. */
TEST(delays)
{
    static const struct {
        uint32_t number;
        int64_t at_ns;
    } put_rows[] = {{1, 300}, {2, 100}, {3, 300}, {4, 50}, {5, 300}, {6, 100}};
    static const uint32_t expected[] = {4, 2, 6, 1, 3, 5};
    struct sink sink = {0};
    struct delay_heap heap;
    delay_heap_init(&heap, take, &sink);
    assert_int_equal(delay_heap_step(&heap, 0), MOMENT_NEVER);
    for (size_t i = 0; i < COUNT(put_rows); i++)
        put(&heap, put_rows[i].number, put_rows[i].at_ns);
    assert_int_equal(delay_heap_step(&heap, 49), 50);
    assert_int_equal(sink.count, 0);
    assert_int_equal(delay_heap_step(&heap, 50), 50);
    assert_int_equal(delay_heap_step(&heap, 50), 100);
    assert_int_equal(sink.count, 1);
    assert_int_equal(delay_heap_step(&heap, 1000), 1000);
    assert_int_equal(delay_heap_step(&heap, 1000), MOMENT_NEVER);
    assert_int_equal(sink.count, COUNT(expected));
    assert_memory_equal(sink.number, expected, sizeof(expected));
    delay_heap_fini(&heap);
}

/* Thousands with delays by chance, of which some stay: none early, none lost, and the rest is freed. */
TEST(keeps_many)
{
    struct sink sink = {0};
    struct delay_heap heap;
    struct rng rng;
    bool is_seen[PACKETS] = {false};
    int64_t at_ns[PACKETS];
    rng_init(&rng, 1, 1);
    delay_heap_init(&heap, take, &sink);
    for (uint32_t i = 0; i < PACKETS; i++)
        put(&heap, i, at_ns[i] = (int64_t)rng_below(&rng, 500));
    for (int64_t now = 0; now < 400; now++)
        delay_heap_step(&heap, now);
    assert_in_range(sink.count, 1, PACKETS - 1);
    for (unsigned i = 0; i < sink.count; i++) {
        uint32_t number = sink.number[i];
        assert_false(is_seen[number]);
        is_seen[number] = true;
        assert_int_equal(sink.at_ns[i], at_ns[number]);
        if (i > 0 && at_ns[number] == at_ns[sink.number[i - 1]])
            assert_true(number > sink.number[i - 1]);
    }
    for (uint32_t i = 0; i < PACKETS; i++)
        assert_int_equal(is_seen[i], at_ns[i] < 400);
    delay_heap_fini(&heap);
}

/* What comes out may put more in, which is out in the same step when it is due. */
TEST(takes_while_it_gives)
{
    struct delay_heap heap;
    struct sink sink = {.heap = &heap};
    delay_heap_init(&heap, take, &sink);
    put(&heap, 7, 5);
    assert_int_equal(delay_heap_step(&heap, 5), 5);
    assert_int_equal(sink.count, 2);
    assert_int_equal(sink.number[1], 8);
    delay_heap_fini(&heap);
}

UNIT_MAIN(NULL, NULL)
