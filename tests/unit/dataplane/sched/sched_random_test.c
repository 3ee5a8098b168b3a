/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler through long random lives (life.h). The same seed makes the same life. */
#include "tests/unit/dataplane/sched/life.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#define STEPS 5000 /* of a life */
#define LIVES 2    /* of a profile */

static const struct life_profile profiles[] = {
    {"plain", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true},
    {"plain, in whole milliseconds", RIG_MSEC, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3},
    {"classes", 1, 80 * RIG_MSEC, 3000 * RIG_MSEC, 0, 200, 60, 0, 0, 5, .has_classes = true,
     .is_short = true},
    {"a link", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 0, 0, 5, .has_classes = true},
    {"a link, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 900 * RIG_MSEC, 80000, 100, 40, 0, 0, 5,
     .has_classes = true, .is_short = true},
    {"packet flows", 1, 80 * RIG_MSEC, MOMENT_NEVER, 0, 300, 120, 0, 0, 10, .has_classes = true,
     .has_pfcs = true},
    {"packet flows, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 5000 * RIG_MSEC, 400000, 300, 60, 0, 0,
     20, .has_pfcs = true},
    {"everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true, true, true, true},
    {"everything, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC, 200000, 200, 40, 0, 0, 30,
     true, true, true, true},
    {"everything, without end", 1, 50 * RIG_MSEC, MOMENT_NEVER, 100000, 390, 30, 0, 0, 50, false, true, true,
     true},
    {"everything, too much of it", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 0, 0, 30, true, true,
     true, true},
    {"classes that come and go", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 200000, 300, 200, 0, 0, 30,
     .has_classes = true, .leaves = true},
    {"flow queues", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 24, 8, 3, .is_short = true},
    {"flow queues, in whole milliseconds", RIG_MSEC, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 24, 3,
     5, .has_classes = true},
    {"flow queues, too few", 1, 40 * RIG_MSEC, 2000 * RIG_MSEC, 200000, 300, 60, 3, 16, 10,
     .has_classes = true, .is_short = true, .leaves = true},
    {"flow queues and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 60, 16, 30, true, true,
     true, true},
    {"flow queues and everything, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC, 200000,
     200, 40, 30, 5, 30, true, true, true, true},
    {"flow queues, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12, 8, 30,
     false, true, true, true},
    {"in order of arrival", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true,
     .fifo = 0xff},
    {"in order of arrival, classes and a link", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 0, 0, 5,
     .has_classes = true, .fifo = 0xff},
    {"in order of arrival, everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true,
     true, true, true, .fifo = 0xff},
    {"in order of arrival, some classes, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC,
     200000, 200, 40, 0, 0, 30, true, true, true, true, .fifo = 0xaa},
    {"in order of arrival, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 0, 0,
     30, false, true, true, true, .fifo = 0xff},
    {"by start tags", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true, .sfq = 0xff},
    {"by start tags, everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true, true,
     true, true, .sfq = 0xff},
    {"by start tags, flow queues and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 60, 16,
     30, true, true, true, true, .sfq = 0xff},
    {"by start tags and not, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12,
     8, 30, false, true, true, true, .sfq = 0x55},
    {"flow queues by start tags", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 24, 16, 5,
     .has_classes = true, .sfq = 0xff, .flow_tags = true},
    {"flow queues by start tags, too few, and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60,
     3, 8, 30, true, true, true, true, .flow_tags = true},
    {"flow queues by start tags, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12,
     12, 8, 30, false, true, true, true, .sfq = 0xff, .flow_tags = true},
    {"room and credits", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 0, 300, 60, 24, 16, 5, .has_classes = true,
     .sfq = 0xff, .flow_tags = true, .has_room = true},
    {"room and credits, everything", 1, 40 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 12, 8, 30, true,
     true, true, true, .sfq = 0xff, .flow_tags = true, .has_room = true, .protects = true},
    {"room, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12, 8, 30, false,
     true, true, true, .sfq = 0xff, .flow_tags = true, .has_room = true},
    {"old at once", 1, 60 * RIG_MSEC, 30 * RIG_MSEC, 100000, 100, 200, 0, 0, 10, false, true, false, true},
};

/* Prints the seed of a life that fails. */
static uint64_t live(const struct life_profile *profile, uint64_t seed, uint32_t steps)
{
    static struct life l;
    life_new(&l, profile, seed);
    for (uint32_t i = 0; i < steps; i++)
        life_step(&l);
    uint64_t digest = l.digest;
    assert_in_range(l.rig.llc_pdus, steps / 20, UINT64_MAX);
    life_free(&l);
    return digest;
}

TEST(random_lives)
{
    for (size_t i = 0; i < COUNT(profiles); i++)
        for (uint64_t seed = 1; seed <= LIVES; seed++)
            live(&profiles[i], seed, STEPS);
}

TEST(the_same_seed_makes_the_same_life)
{
    for (size_t i = 0; i < COUNT(profiles); i++) {
        uint64_t first = live(&profiles[i], 7, 1000);
        assert_true(live(&profiles[i], 7, 1000) == first);
        assert_true(live(&profiles[i], 8, 1000) != first);
    }
}

/* Without arguments the lives of every build; with a first seed, how many from it on and how long. */
int main(int argc, char **argv)
{
    if (argc != 4)
        return UNIT_RUN(NULL, NULL);
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        for (size_t i = 0; i < COUNT(profiles); i++)
            live(&profiles[i], seed, (uint32_t)strtoul(argv[3], NULL, 10));
    return 0;
}
