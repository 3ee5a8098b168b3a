/* SPDX-License-Identifier: BSD-3-Clause */
/* The longest queue beside a plain search through all of them. */
#include "dataplane/queue/longest.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define MOST 1000 /* queues */

struct queue {
    uint32_t node;
    uint16_t pkts;
};

struct all {
    struct longest longest;
    struct queue queues[MOST];
    uint32_t count;
};

/* Room for that many long queues and not one more. */
static void all_new(struct all *all, uint32_t count)
{
    assert_true(longest_new(&all->longest, count * LONGEST_MIN_PKTS));
    all->count = count;
    for (uint32_t i = 0; i < count; i++)
        all->queues[i] = (struct queue){LONGEST_NONE, 0};
}

static void set(struct all *all, uint32_t i, uint16_t pkts)
{
    struct queue *queue = &all->queues[i];
    queue->pkts = pkts;
    queue->node = longest_update(&all->longest, queue->node, queue, pkts);
    assert_true((queue->node == LONGEST_NONE) == (pkts < LONGEST_MIN_PKTS));
}

/* Exactly the longest one, unless there is a crowd of very long ones: then one of those. */
static void check(const struct all *all)
{
    uint16_t most = 0;
    for (uint32_t i = 0; i < all->count; i++)
        if (all->queues[i].pkts > most)
            most = all->queues[i].pkts;
    const struct queue *found = longest_get(&all->longest);
    if (most < LONGEST_MIN_PKTS) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    if (most < LONGEST_BINS - 1 || all->count <= LONGEST_SEARCH)
        assert_int_equal(found->pkts, most);
    else
        assert_in_range(found->pkts, LONGEST_BINS - 1, most);
}

/* --- every length --- */

TEST(one_of_every_length_beside_a_shorter_one)
{
    static struct all all;
    all_new(&all, 2);
    for (uint32_t pkts = 0; pkts <= UINT16_MAX; pkts++) {
        set(&all, 0, (uint16_t)pkts);
        check(&all);
        set(&all, 1, (uint16_t)(pkts - (pkts > 0)));
        check(&all);
    }
    for (uint32_t pkts = UINT16_MAX; pkts-- > 0;) {
        set(&all, 0, (uint16_t)pkts);
        check(&all);
        set(&all, 1, (uint16_t)(pkts + 1));
        check(&all);
    }
    longest_free(&all.longest);
}

/* However many there are. */
TEST(a_crowd_of_shorter_ones)
{
    static struct all all;
    all_new(&all, 200);
    for (uint32_t most = LONGEST_MIN_PKTS; most <= UINT16_MAX; most += 1 + most / 50) {
        set(&all, 0, (uint16_t)most);
        for (uint32_t i = 1; i < 200; i++) /* the latest are found first */
            set(&all, i, (uint16_t)((most * (100 + i % 100) / 200)));
        check(&all);
    }
    longest_free(&all.longest);
}

/* --- random lives --- */

static const struct {
    const char *name;
    uint32_t queues, steps;
    uint16_t most_pkts;
    bool by_one; /* lengths change by one, as queues do */
} lives[] = {
    {"few, short", 5, 100000, 12, true},
    {"as many as are searched", LONGEST_SEARCH, 100000, 40, true},
    {"any length", LONGEST_SEARCH, 50000, UINT16_MAX, false},
    {"a crowd", MOST, 50000, 100, true},
    {"a crowd of any length", MOST, 50000, UINT16_MAX, false},
};

static uint16_t next_length(const struct queue *queue, size_t row, uint64_t *seed)
{
    uint32_t most = lives[row].most_pkts;
    if (!lives[row].by_one)
        return (uint16_t)prng_magnitude(seed, most);
    /* Rising for a while, then falling. */
    bool rises = prng_below(seed, 16) < 8 + (uint64_t)(*seed >> 62);
    return (uint16_t)(rises ? queue->pkts + (queue->pkts < most) : queue->pkts - (queue->pkts > 0));
}

static void live(size_t row)
{
    static struct all all;
    uint64_t seed = row + 1;
    all_new(&all, lives[row].queues);
    for (uint32_t n = 0; n < lives[row].steps; n++) {
        uint32_t i = (uint32_t)prng_below(&seed, all.count);
        set(&all, i, next_length(&all.queues[i], row, &seed));
        check(&all);
    }
    for (uint32_t i = 0; i < all.count; i++) { /* all nodes are in use at once, then none */
        set(&all, i, LONGEST_MIN_PKTS);
        check(&all);
    }
    for (uint32_t i = 0; i < all.count; i++)
        set(&all, i, 0);
    assert_null(longest_get(&all.longest));
    longest_free(&all.longest);
}

TEST(random_lives)
{
    for (size_t i = 0; i < COUNT(lives); i++)
        live(i);
}

UNIT_MAIN(NULL, NULL)
