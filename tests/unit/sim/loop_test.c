/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual time: who is called when, and how a run ends. */
#include "sim/loop.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

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
    {"what moves keeps the others called",
     {.at_ns = {5}, .moves = 2},
     {.at_ns = {5}, .moves = 1},
     100,
     0,
     LOOP_UNTIL,
     100,
     "A1 B1 A5 B5 A5 B5 A5 B5 "},
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

UNIT_MAIN(NULL, NULL)
