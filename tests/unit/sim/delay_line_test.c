/* SPDX-License-Identifier: BSD-3-Clause */
/* A delay line: same order, same octets, one delay, whatever is under way. */
#include "sim/loop.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define PACKETS 1000

struct sink {
    struct delay_line *line; /* to put into from out(), or NULL */
    unsigned again;          /* how often */
    unsigned count;
    uint32_t first[PACKETS];
    int64_t at_ns[PACKETS];
};

/* A packet of 4 .. 2048 octets that begins with its number and ends with an octet of it. */
static size_t put(struct delay_line *line, uint32_t number, int64_t now)
{
    uint8_t packet[2048] = {0};
    size_t octets = number % 64 == 63 ? sizeof(packet) : 5 + number % 1900;
    packet[octets - 1] = (uint8_t)(number * 3);
    memcpy(packet, &number, sizeof(number));
    delay_line_put(line, packet, octets, now);
    return octets;
}

static void take(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct sink *sink = arg;
    uint32_t number;
    memcpy(&number, packet, sizeof(number));
    assert_int_equal(octets, number % 64 == 63 ? 2048 : 5 + number % 1900);
    sink->first[sink->count] = number;
    sink->at_ns[sink->count++] = now;
    if (sink->line && sink->again > 0) {
        sink->again--;
        put(sink->line, number + 1, now);
        put(sink->line, number + 2, now);
    }
    assert_int_equal(packet[octets - 1], (uint8_t)(number * 3)); /* what was put meanwhile did not move it */
}

/* What has a delay comes out at its instant, not before, and the step says when. */
TEST(delays)
{
    struct sink sink = {0};
    struct delay_line line;
    delay_line_init(&line, 100, take, &sink);
    assert_int_equal(delay_line_step(&line, 0), MOMENT_NEVER);
    put(&line, 1, 10);
    put(&line, 2, 10);
    put(&line, 3, 50);
    assert_int_equal(delay_line_step(&line, 109), 110);
    assert_int_equal(sink.count, 0);
    assert_int_equal(delay_line_step(&line, 110), 110);
    assert_int_equal(sink.count, 2);
    assert_int_equal(delay_line_step(&line, 110), 150);
    assert_int_equal(delay_line_step(&line, 200), 200);
    assert_int_equal(delay_line_step(&line, 200), MOMENT_NEVER);
    assert_int_equal(sink.count, 3);
    assert_int_equal(sink.first[2], 3);
    delay_line_fini(&line);
}

/* Growing while the ring is turned: everything in order. */
TEST(grows)
{
    struct sink sink = {0};
    struct delay_line line;
    uint32_t next = 0;
    delay_line_init(&line, 1000, take, &sink);
    for (int64_t now = 0; now < 40; now++)
        put(&line, next++, now);
    delay_line_step(&line, 1029);
    assert_int_equal(sink.count, 30);
    while (next < PACKETS)
        put(&line, next++, 1030);
    delay_line_step(&line, 2030);
    assert_int_equal(sink.count, PACKETS);
    for (uint32_t i = 0; i < PACKETS; i++)
        assert_int_equal(sink.first[i], i);
    delay_line_fini(&line);
}

/* What comes out may put more in, which grows the ring under the one that is handed out. */
TEST(takes_while_it_gives)
{
    struct delay_line line;
    struct sink sink = {.line = &line, .again = 200};
    delay_line_init(&line, 0, take, &sink);
    put(&line, 0, 5);
    assert_int_equal(delay_line_step(&line, 5), 5);
    assert_int_equal(sink.count, 1 + 2 * 200);
    assert_int_equal(sink.at_ns[sink.count - 1], 5);
    assert_int_equal(delay_line_step(&line, 5), MOMENT_NEVER);
    delay_line_fini(&line);
}

/* Without delay everything leaves in the step at which it came, and a late step gives all. */
TEST(zero_delay)
{
    struct sink sink = {0};
    struct delay_line line;
    delay_line_init(&line, 0, take, &sink);
    put(&line, 7, 3);
    put(&line, 8, 4);
    assert_int_equal(delay_line_step(&line, 3), 3);
    assert_int_equal(sink.count, 1);
    assert_int_equal(delay_line_step(&line, 9), 9);
    assert_int_equal(sink.count, 2);
    delay_line_fini(&line);
    delay_line_fini(&line);
}

UNIT_MAIN(NULL, NULL)
