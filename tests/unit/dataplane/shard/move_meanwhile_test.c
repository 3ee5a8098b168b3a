/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens to a mobile, its contexts and its cells while it is between workers, or away. */
#include "tests/unit/dataplane/shard/subscriber.h"

#include <stdlib.h>

#define CLOSED_OCTETS 1200 /* of a bucket that leaks nothing: two segments */
#define TOO_MANY      101
#define STAGES        12 /* steps of single workers until a move is over */

static void send(unsigned context, unsigned count, uint16_t octets)
{
    for (unsigned i = 0; i < count; i++)
        assert_true(subscriber_send(subscribers, 0, context, octets));
}

/* Mobile 0, at home at worker 0, at `server` now, with four N-PDUs that wait, the first in service. */
static void open_at(struct cluster *c, unsigned server)
{
    cluster_open(c, &(struct cluster_options){.workers = 3});
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    assert_int_equal(subscriber_go(subscribers, 0, server, 0), 0);
    cluster_flow(c, server, 0, CLOSED_OCTETS, 0);
    send(0, 4, 1400);
    cluster_settle(c);
}

static void step_each(struct cluster *c, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cluster_step(c, i % c->options.workers);
}

static int answer_to(struct cluster *c, uint32_t seq)
{
    int status = 1;
    assert_true(cluster_is_answered(c, 0, seq, &status));
    return status;
}

/* From where and to where; the home is worker 0. */
static const struct {
    unsigned from, to;
} ways[] = {{0, 1}, {1, 0}, {1, 2}, {1, 1}};

/* --- N-PDUs --- */

/* Some come in each stage, behind those that waited. */
TEST(n_pdus_come)
{
    for (unsigned i = 0; i < COUNT(ways) * STAGES; i++) {
        struct cluster c;
        unsigned to = ways[i / STAGES].to;
        open_at(&c, ways[i / STAGES].from);
        struct msg move = subscriber_move(subscribers, 0, to, 1);
        uint32_t seq = cluster_post(&c, 0, &move);
        step_each(&c, i % STAGES);
        send(0, 3, 300);
        step_each(&c, 2);
        send(0, 2, 200);
        cluster_settle(&c);
        assert_int_equal(answer_to(&c, seq), 0);
        subscriber_check_all_came(subscribers);
        assert_int_equal(cluster_drops(&c), 0);
        assert_int_equal(subscribers->list[0].last_worker, to);
        cluster_close(&c);
    }
}

/* The server of before sleeps: what its home cannot hold is dropped and counted; the rest comes, in order. */
TEST_IN(too_many_come, struct cluster, c, open_at(c, 1), cluster_close(c))
{
    struct msg move = subscriber_move(subscribers, 0, 2, 1);
    cluster_post(c, 0, &move);
    cluster_step(c, 0);
    subscribers->may_lose = true;
    for (unsigned i = 0; i < MOVES_HELD + TOO_MANY; i += 25) {
        send(0, 25, 60);
        cluster_step(c, 0);
    }
    assert_int_equal(cluster_stats(c, 0)->npdu_held, MOVES_HELD);
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_MOVE_FULL], TOO_MANY);
    cluster_settle(c);
    assert_int_equal(CLUSTER_SUM(c, npdu_out), 4 + MOVES_HELD);
    assert_int_equal(cluster_drops(c), TOO_MANY);
}

/* The way to the server is full for a while: nothing is lost, and the fence stays behind what was before it.
 */
TEST_IN(way_is_full, struct cluster, c, open_at(c, 1), cluster_close(c))
{
    unsigned sent = 0;
    for (unsigned i = 0; i < XWORKER_RING + XWORKER_WAITING + 200; i += 25, sent += 25) {
        send(0, 25, 60);
        cluster_step(c, 0);
    }
    struct msg move = subscriber_move(subscribers, 0, 2, 1);
    uint32_t seq = cluster_post(c, 0, &move);
    cluster_step(c, 0);
    assert_true(cluster_stats(c, 0)->npdu_held > 0);
    send(0, 100, 70);
    int64_t next_ns = cluster_step(c, 0);
    while (next_ns <= c->now)
        next_ns = cluster_step(c, 0);
    assert_true(next_ns <= c->now + KIT_MS);
    cluster_settle_at(c, next_ns);
    assert_int_equal(answer_to(c, seq), 0);
    subscriber_check_all_came(subscribers);
    assert_int_equal(CLUSTER_SUM(c, npdu_out), 4 + sent + 100);
    assert_int_equal(cluster_drops(c), 0);
}

/* --- orders --- */

/* One after the other, however they come; each is answered. */
TEST(orders_follow)
{
    for (unsigned i = 0; i < COUNT(ways) * STAGES; i++) {
        struct cluster c;
        uint32_t seqs[4];
        open_at(&c, ways[i / STAGES].from);
        struct msg first = subscriber_move(subscribers, 0, ways[i / STAGES].to, 1);
        struct msg second = subscriber_move(subscribers, 0, 2, 2),
                   third = subscriber_move(subscribers, 0, 0, 1);
        struct msg other = {.type = MSG_BVC_STATE, .slot = 2, .is_unblocked = true};
        seqs[0] = cluster_post(&c, 0, &first);
        step_each(&c, i % STAGES);
        seqs[1] = cluster_post(&c, 0, &second);
        seqs[2] = cluster_post(&c, 0, &third);
        seqs[3] = cluster_post(&c, 0, &other);
        send(0, 2, 100);
        cluster_settle(&c);
        for (unsigned k = 0; k < COUNT(seqs); k++)
            assert_int_equal(answer_to(&c, seqs[k]), 0);
        subscriber_check_all_came(subscribers);
        assert_int_equal(cluster_drops(&c), 0);
        assert_int_equal(subscribers->list[0].last_worker, 0);
        cluster_close(&c);
    }
}

/* The first ORDERS_WAITING wait with it; then none is taken until it is over, and none is lost. */
TEST_IN(many_orders_wait, struct cluster, c, open_at(c, 1), cluster_close(c))
{
    struct msg there = subscriber_move(subscribers, 0, 2, 0), here = subscriber_move(subscribers, 0, 1, 1);
    struct msg other = {.type = MSG_BVC_STATE, .slot = 2, .is_unblocked = true};
    uint32_t first = cluster_post(c, 0, &there);
    for (unsigned i = 0; i < ORDERS_WAITING + 20; i++)
        cluster_post(c, 0, i % 2 == 0 ? &here : &there);
    uint32_t last = cluster_post(c, 0, &other);
    for (unsigned i = 0; i < 10; i++)
        cluster_step(c, 0);
    assert_int_equal(c->nodes[0].worker->orders.count, ORDERS_WAITING);
    assert_int_equal(c->nodes[0].answer_count, 0);
    cluster_settle(c);
    for (uint32_t seq = first; seq <= last; seq++)
        assert_int_equal(answer_to(c, seq), 0);
    subscriber_check_all_came(subscribers);
}

/* --- the end of it --- */

static void assert_all_free(struct cluster *c, unsigned to)
{
    struct subscriber *who = &subscribers->list[0];
    assert_int_equal(cluster_queued(c) + CLUSTER_SUM(c, npdu_held), 0);
    who->is_there = false;
    /* All slots can be filled anew at once. */
    subscriber_begin(subscribers, 0, to, 2);
    who->is_there = false;
    cluster_do(c, to, &(struct msg){.type = MSG_MS_DEL, .slot = subscriber_slot(0, to)});
    subscriber_begin(subscribers, 0, 0, 0);
    cluster_open_buckets(c);
    assert_int_equal(subscriber_go(subscribers, 0, to, 0), 0);
    send(0, 1, 100);
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
}

/* Deleted in each stage of a move: what waited is dropped once, its TEID is stale, all slots are free. */
TEST(deleted)
{
    for (unsigned i = 0; i < COUNT(ways) * STAGES; i++) {
        struct cluster c;
        unsigned to = ways[i / STAGES].to;
        open_at(&c, ways[i / STAGES].from);
        struct msg move = subscriber_move(subscribers, 0, to, 0);
        struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(0, 0)};
        cluster_flow(&c, to, 0, 0, 0);
        cluster_post(&c, 0, &move);
        step_each(&c, i % STAGES);
        uint32_t seq = cluster_post(&c, 0, &del);
        send(0, 2, 100);
        cluster_settle(&c);
        assert_int_equal(answer_to(&c, seq), 0);
        send(0, 1, 100);
        cluster_settle(&c);
        assert_int_equal(CLUSTER_SUM(&c, npdu_out) + cluster_drops(&c), 7);
        assert_true(CLUSTER_SUM(&c, gn_drops[DROP_STALE_TEID]) >= 1);
        assert_int_equal(CLUSTER_SUM(&c, gn_drops[DROP_PARTIAL]), 1);
        assert_all_free(&c, to);
        cluster_close(&c);
    }
}

/* One of two contexts ends, and another begins on its NSAPI, in each stage. */
TEST(context_changes)
{
    for (unsigned i = 0; i < COUNT(ways) * STAGES; i++) {
        struct cluster c;
        unsigned to = ways[i / STAGES].to;
        open_at(&c, ways[i / STAGES].from);
        cluster_flow(&c, to, 1, 0, 0);
        struct msg second = subscriber_add_context(subscribers, 0, 1);
        second.server_pdp = subscriber_pdp_slot(0, 1, ways[i / STAGES].from);
        cluster_do(&c, 0, &second);
        send(1, 3, 500);
        cluster_settle(&c);
        struct msg move = subscriber_move(subscribers, 0, to, 1);
        struct msg del = {.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(0, 1, 0)};
        uint32_t seqs[3] = {cluster_post(&c, 0, &move)};
        step_each(&c, i % STAGES);
        seqs[1] = cluster_post(&c, 0, &del);
        second = subscriber_add_context(subscribers, 0, 1);
        second.server_pdp = subscriber_pdp_slot(0, 1, to);
        seqs[2] = cluster_post(&c, 0, &second);
        cluster_settle(&c);
        for (unsigned k = 0; k < COUNT(seqs); k++)
            assert_int_equal(answer_to(&c, seqs[k]), 0);
        send(0, 2, 100);
        send(1, 2, 100);
        subscriber_moved(subscribers, 0, to, 1);
        cluster_open_buckets(&c);
        subscriber_check_all_came(subscribers);
        assert_int_equal(CLUSTER_SUM(&c, gn_drops[DROP_CONTEXT_DELETED]), 3);
        assert_int_equal(CLUSTER_SUM(&c, npdu_out), 4 + 2 + 2);
        cluster_close(&c);
    }
}

/* A context is made and deleted again before the move is over. */
TEST(context_comes_and_goes)
{
    for (unsigned i = 0; i < STAGES; i++) {
        struct cluster c;
        open_at(&c, 1);
        struct msg move = subscriber_move(subscribers, 0, 2, 0);
        struct msg add = subscriber_add_context(subscribers, 0, 1),
                   del = {.type = MSG_PDP_DEL, .slot = add.slot};
        add.server_pdp = subscriber_pdp_slot(0, 1, 2);
        uint32_t seqs[] = {cluster_post(&c, 0, &move), 0, 0, 0, 0};
        for (unsigned k = 1; k < COUNT(seqs); k++) {
            step_each(&c, i);
            seqs[k] = cluster_post(&c, 0, k % 2 ? &add : &del);
        }
        cluster_settle(&c);
        for (unsigned k = 0; k < COUNT(seqs); k++)
            assert_int_equal(answer_to(&c, seqs[k]), 0);
        subscriber_check_all_came(subscribers);
        cluster_close(&c);
    }
}

/* --- cells --- */

/* A reset drops what waits in its cell; not what has left it, nor what is not there yet. */
TEST(cells_are_reset)
{
    static const struct {
        unsigned worker, stage;
        uint64_t drops;
    } rows[] = {{1, 1, 4}, {1, 3, 0}, {2, 0, 0}, {2, STAGES, 4}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct cluster c;
        open_at(&c, 1);
        cluster_flow(&c, 2, 0, 0, 0);
        subscribers->may_lose = true;
        struct msg move = subscriber_move(subscribers, 0, 2, 0), reset = {.type = MSG_BVC_RESET};
        cluster_post(&c, 0, &move);
        step_each(&c, rows[i].stage);
        cluster_post(&c, rows[i].worker, &reset);
        cluster_settle(&c);
        subscriber_moved(subscribers, 0, 2, 0);
        uint64_t drops = CLUSTER_SUM(&c, gn_drops[DROP_BVC_RESET]) + CLUSTER_SUM(&c, gn_drops[DROP_PARTIAL]);
        if (drops != rows[i].drops || cluster_queued(&c) != 4 - rows[i].drops)
            fail_msg("row %zu: %lu", i, drops);
        cluster_do(&c, rows[i].worker, &(struct msg){.type = MSG_BVC_STATE, .is_unblocked = true});
        cluster_open_buckets(&c);
        send(0, 1, 100);
        cluster_settle(&c);
        assert_int_equal(subscribers->list[0].last_worker, 2);
        assert_int_equal(CLUSTER_SUM(&c, npdu_out) + cluster_drops(&c), 5);
        cluster_close(&c);
    }
}

/* --- the end of everything --- */

/* cluster_close() counts the buffers. */
TEST(ends_on_the_way)
{
    for (unsigned i = 0; i < COUNT(ways) * STAGES; i++) {
        struct cluster c;
        open_at(&c, ways[i / STAGES].from);
        struct msg move = subscriber_move(subscribers, 0, ways[i / STAGES].to, 1);
        cluster_post(&c, 0, &move);
        send(0, 10, 300);
        step_each(&c, i % STAGES);
        cluster_close(&c);
    }
}

UNIT_MAIN(subscriber_start, subscriber_stop)
