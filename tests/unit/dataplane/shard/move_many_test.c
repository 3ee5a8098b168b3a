/* SPDX-License-Identifier: BSD-3-Clause */
/* More mobiles with something held than one step looks at: each has its turn, and one that ends meanwhile
 * leaves the others theirs. */
#include "tests/unit/dataplane/shard/subscriber.h"

#include <stdlib.h>

#define MANY  100
#define LAST  MANY /* a mobile of worker 0 that worker 2 serves */
#define OTHER (MANY + 1)

static struct subscribers *subscribers;

static void step_two(struct cluster *c, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        cluster_step(c, 0);
        cluster_step(c, 2);
    }
}

/* Worker 1 sleeps, the way to it is full, and the home of MANY mobiles that it serves holds two N-PDUs of
 * each. */
static void open_many(struct cluster *c)
{
    cluster_open(c, &(struct cluster_options){.workers = 3});
    subscriber_open_all(subscribers, c);
    for (uint32_t id = 0; id <= OTHER; id++) {
        subscriber_begin(subscribers, id, 0, 0);
        assert_int_equal(subscriber_go(subscribers, id, id < MANY ? 1 : id == LAST ? 2 : 0, 0), 0);
    }
    for (unsigned i = 0; i < PEERS_RING - 1 + PEERS_WAITING; i++) {
        assert_true(subscriber_send(subscribers, 0, 0, 60));
        if (i % 32 == 31)
            cluster_step(c, 0);
    }
    step_two(c, 4);
    for (uint32_t id = 0; id < MANY; id++)
        assert_true(subscriber_send(subscribers, id, 0, 60) && subscriber_send(subscribers, id, 0, 70));
    step_two(c, 20);
    assert_int_equal(c->nodes[0].worker->stats.npdu_held, 2 * MANY);
}

TEST(all_have_their_turn)
{
    struct cluster c;
    open_many(&c);
    cluster_settle_at(&c, c.now + KIT_MS);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(&c), 0);
    cluster_close(&c);
}

/* The last of them in the row is moved and deleted at once; another mobile takes over its record. */
TEST(one_ends)
{
    struct cluster c;
    open_many(&c);
    struct msg move = subscriber_move(subscribers, LAST, 2, 1);
    struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(LAST, 0)};
    struct msg other = subscriber_move(subscribers, OTHER, 2, 0);
    cluster_post(&c, 0, &move);
    cluster_post(&c, 0, &del);
    assert_true(subscriber_send(subscribers, LAST, 0, 80));
    step_two(&c, 4); /* up to the step in which it is deleted */
    cluster_post(&c, 0, &other);
    step_two(&c, 3);
    assert_true(subscriber_send(subscribers, OTHER, 0, 90));
    cluster_settle_at(&c, c.now + KIT_MS);
    subscribers->list[LAST].is_there = false;
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(&c) + CLUSTER_SUM(&c, npdu_out), CLUSTER_SUM(&c, gn_frames));
    cluster_close(&c);
}

static int start(void **state)
{
    subscribers = calloc(1, sizeof(*subscribers));
    return subscribers ? kit_start(state) : -1;
}

static int stop(void **state)
{
    free(subscribers);
    return 0;
}

UNIT_MAIN(start, stop)
