/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual time: who is called when, and how a run ends. */
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "sim/delay_line.h"
#include "sim/loop.h"

#include <stdio.h>
#include <string.h>

/* An actor that moves at given instants, as often at each as it is told, and writes down its calls. */
struct clockwork {
    char letter;
    char *log;
    int64_t at_ns[4]; /* rising; 0 ends */
    unsigned moves;   /* at each instant */
    unsigned next, moved;
};

static int64_t tick(void *self, int64_t now)
{
    struct clockwork *c = self;
    size_t used = strlen(c->log);
    if (used < 200)
        snprintf(c->log + used, 40, "%c%d ", c->letter, (int)now);
    if (c->at_ns[c->next] && c->at_ns[c->next] <= now) {
        if (c->moved++ < c->moves)
            return now;
        c->moved = 0;
        c->next++;
    }
    return c->at_ns[c->next] ? c->at_ns[c->next] : MOMENT_NEVER;
}

struct loop_row {
    const char *name;
    struct clockwork a, b;
    int64_t until, done_at; /* done_at 0: there is no is_done() */
    enum loop_end end;
    int64_t now;
    const char *log;
};

static const struct loop_row rows[] = {
    {"nothing ever", {.moves = 1}, {.moves = 1}, 100, 0, LOOP_UNTIL, 100, "A1 B1 "},
    {"nothing, and done", {.moves = 1}, {.moves = 1}, 100, 1, LOOP_DONE, 1, "A1 B1 "},
    {"one deadline", {.at_ns = {5}, .moves = 1}, {.moves = 1}, 100, 0, LOOP_UNTIL, 100, "A1 B1 A5 B5 A5 B5 "},
    {"both, the nearer first", {.at_ns = {9}}, {.at_ns = {5}}, 100, 0, LOOP_UNTIL, 100, "A1 B1 A5 B5 A9 B9 "},
    {"at the end itself", {.at_ns = {100}}, {.moves = 1}, 100, 0, LOOP_UNTIL, 100, "A1 B1 A100 B100 "},
    {"just behind the end", {.at_ns = {101}}, {.moves = 1}, 100, 0, LOOP_UNTIL, 100, "A1 B1 "},
    {"done in the middle", {.at_ns = {5, 9, 20}}, {.moves = 1}, 100, 9, LOOP_DONE, 9, "A1 B1 A5 B5 A9 B9 "},
    ROW("what moves keeps the others called", {.at_ns = {5}, .moves = 2}, {.at_ns = {5}, .moves = 1}, 100, 0,
        LOOP_UNTIL, 100, "A1 B1 A5 B5 A5 B5 A5 B5 "),
    {"end before the start", {.at_ns = {5}}, {.moves = 1}, 1, 0, LOOP_UNTIL, 1, "A1 B1 "},
};

static bool is_done(void *arg, int64_t now)
{
    return now >= *(const int64_t *)arg;
}

TEST(runs)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        char log[256] = "";
        struct clockwork a = rows[i].a, b = rows[i].b;
        int64_t now = 1, done_at = rows[i].done_at;
        a.letter = 'A', b.letter = 'B';
        a.log = b.log = log;
        const struct loop_actor actors[] = {{"a", &a, tick}, {"b", &b, tick}};
        struct loop loop = {
            .actors = actors, .count = 2, .is_done = done_at ? is_done : NULL, .arg = &done_at};
        enum loop_end end = loop_run(&loop, &now, rows[i].until);
        if (end != rows[i].end || now != rows[i].now || strcmp(log, rows[i].log) != 0)
            fail_msg("%s: %d at %d: %s", rows[i].name, (int)end, (int)now, log);
    }
}

/* A run goes on where another ended. */
TEST(in_two_parts)
{
    char log[256] = "";
    struct clockwork a = {.letter = 'A', .log = log, .at_ns = {5, 9}};
    const struct loop_actor actors[] = {{"a", &a, tick}};
    struct loop loop = {.actors = actors, .count = 1};
    int64_t now = 1;
    assert_int_equal(loop_run(&loop, &now, 7), LOOP_UNTIL);
    assert_int_equal(now, 7);
    assert_int_equal(loop_run(&loop, &now, 20), LOOP_UNTIL);
    assert_string_equal(log, "A1 A5 A7 A9 ");
    assert_int_equal(loop.rounds, 4);
}

static int64_t always(void *self, int64_t now)
{
    ++*(uint64_t *)self;
    return now;
}

static int64_t past(void *self, int64_t now)
{
    ++*(uint64_t *)self;
    return now - 1;
}

/* Actors that never rest, or whose deadline lies behind them, end the run instead of hanging it. */
TEST(stuck)
{
    int64_t (*const steps[])(void *, int64_t) = {always, past};
    for (size_t i = 0; i < COUNT(steps); i++) {
        uint64_t calls = 0;
        const struct loop_actor actors[] = {{"restless", &calls, steps[i]}};
        struct loop loop = {.actors = actors, .count = 1};
        int64_t now = 3;
        assert_int_equal(loop_run(&loop, &now, 100), LOOP_STUCK);
        assert_int_equal(now, 3);
        assert_int_equal(calls, loop.rounds);
        assert_true(calls >= 1000000);
    }
}

/* --- A delay line: same order, same octets, one delay, whatever is under way --- */

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

struct measured {
    size_t octets; /* of each packet that is out next */
    unsigned count;
};

static void measure(void *arg, const uint8_t *packet, size_t octets, int64_t now)
{
    struct measured *measured = arg;
    assert_int_equal(octets, measured->octets);
    assert_int_equal(packet[0], (uint8_t)octets);
    assert_int_equal(packet[octets - 1], (uint8_t)octets);
    measured->count++;
}

/* Packets of any length, one after the other, through blocks that are used again; one is longer than a block.
 */
TEST(uses_blocks_again)
{
    static uint8_t packet[100001];
    struct delay_line line;
    struct measured measured = {0};
    delay_line_init(&line, 10, measure, &measured);
    for (size_t octets = 1; octets < sizeof(packet); octets = octets * 3 / 2 + 1) {
        measured = (struct measured){.octets = octets};
        for (unsigned i = 0; i < 20; i++) {
            memset(packet, (int)octets, octets);
            delay_line_put(&line, packet, octets, (int64_t)octets * 100 + i);
            if (i % 7 == 6)
                delay_line_step(&line, (int64_t)octets * 100 + i);
        }
        delay_line_step(&line, (int64_t)octets * 100 + 40);
        assert_int_equal(measured.count, 20);
        assert_int_equal(delay_line_step(&line, (int64_t)octets * 100 + 40), MOMENT_NEVER);
    }
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
