/* SPDX-License-Identifier: BSD-3-Clause */
/* Cell changes between workers, one at a time: what goes along, what is refused, and what happens meanwhile.
 */
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/unit.h"

#include "dataplane/context/context_look.h"

#include <rte_mbuf.h>
#include <stdlib.h>

#define CLOSED_OCTETS 1200 /* of a bucket that leaks nothing: two segments */

/* Mobile 0, at home at worker 0, in cell 0 there. */
static void open_one(struct cluster *c, unsigned workers)
{
    cluster_open(c, &(struct cluster_options){.workers = workers});
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
}

static void send(unsigned count, uint16_t octets)
{
    for (unsigned i = 0; i < count; i++)
        assert_true(subscriber_send(subscribers, 0, 0, octets));
}

/* Nothing was lost, and the mobile goes on where it is. */
static void finish(struct cluster *c)
{
    cluster_open_buckets(c);
    send(3, 700);
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(c), 0);
    assert_int_equal(cluster_queued(c), 0);
    assert_int_equal(subscribers->list[0].last_worker, subscribers->list[0].server);
    assert_int_equal(subscribers->list[0].last_bvci, 2 + subscribers->list[0].bvc);
    cluster_close(c);
}

/* --- sequences of moves --- */

static const struct {
    const char *name;
    unsigned count;
    struct {
        unsigned worker;
        uint16_t bvc;
    } to[6];
} ways[] = {
    {"stays", 2, {{0, 0}, {0, 0}}},
    {"another cell at home", 3, {{0, 1}, {0, 2}, {0, 0}}},
    {"away", 1, {{1, 0}}},
    {"away and back", 2, {{1, 2}, {0, 1}}},
    {"to and fro", 5, {{1, 0}, {0, 0}, {1, 0}, {0, 0}, {1, 1}}},
    {"another cell when away", 4, {{1, 0}, {1, 1}, {1, 2}, {0, 0}}},
    {"on", 2, {{1, 0}, {2, 0}}},
    {"on and back", 3, {{1, 0}, {2, 1}, {0, 0}}},
    {"round and round", 6, {{1, 0}, {2, 0}, {1, 0}, {2, 2}, {0, 1}, {2, 0}}},
};

/* With N-PDUs that wait, one of them in service, in a bucket that lets two segments of each cell go. */
TEST(sequences)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct cluster c;
        open_one(&c, 3);
        for (unsigned worker = 0; worker < 3; worker++)
            for (uint16_t bvc = 0; bvc < CLUSTER_CELLS; bvc++)
                cluster_flow(&c, worker, bvc, CLOSED_OCTETS, 0);
        send(5, 1400);
        cluster_settle(&c);
        for (unsigned k = 0; k < ways[i].count; k++) {
            assert_int_equal(subscriber_go(subscribers, 0, ways[i].to[k].worker, ways[i].to[k].bvc), 0);
            send(1, 200);
            cluster_settle(&c);
        }
        finish(&c);
    }
}

#define CLUSTER_TEST(name) TEST_IN(name, struct cluster, c, open_one(c, 2), finish(c))

/* The note with its N-PDUs is on the way for 3 s: for these they wait for the move. */
CLUSTER_TEST(time_on_the_way)
{
    struct sched_wait_now wait;
    int status;
    cluster_flow(c, 0, 0, CLOSED_OCTETS, 0);
    send(5, 700);
    cluster_settle(c);
    cluster_settle_at(c, c->now + MOMENT_SECOND);
    struct msg move = subscriber_move(subscribers, 0, 1, 0);
    uint32_t seq = cluster_post(c, 0, &move), before = sched_wait_tick(c->now);
    cluster_step(c, 0);
    cluster_settle_at(c, c->now + 3 * MOMENT_SECOND);
    assert_true(cluster_is_answered(c, 0, seq, &status) && status == 0);
    subscriber_moved(subscribers, 0, 1, 0);
    assert_true(context_look_wait(&c->nodes[1].worker->context, subscriber_slot(0, 1), c->now, &wait));
    assert_int_equal(wait.ticks[SCHED_WAIT_MOVING], sched_wait_tick(c->now) - before);
    uint32_t others = 0; /* the second before */
    for (unsigned cause = SCHED_WAIT_NONE + 1; cause < SCHED_WAIT_CAUSES; cause++)
        others += cause == SCHED_WAIT_MOVING ? 0 : wait.ticks[cause];
    assert_int_equal(others, before - sched_wait_tick(c->now - 4 * MOMENT_SECOND));
}

/* Numbers go on: N(U) and N-PDU number wrap on the way. */
CLUSTER_TEST(numbers)
{
    for (unsigned i = 0; i < 5000; i++) {
        send(1, 40);
        cluster_settle(c);
        if (i % 97 == 0)
            assert_int_equal(subscriber_go(subscribers, 0, i / 97 % 2, 0), 0);
    }
}

/* One N-PDU from the mobile, at the Gb port of a worker: how many came out there on Gn, from the address and
 * to the TEID that its tunnel has. */
static unsigned uplink_at(struct cluster *c, unsigned worker, uint16_t nu)
{
    static const uint8_t tunnel[] = {0xc0, 0, 2, 1, 0xc0, 0, 2, 2}, teid[] = {0, 0, 0x20, 2};
    uint8_t frame[KIT_FRAME_OCTETS], data[60];
    struct gb_frame_uplink in = {.nu = nu, .octets = sizeof(data), .data = data};
    unsigned count = 0;
    struct rte_mbuf *mbuf;

    gn_frame_inner(data, sizeof(data), nu);
    assert_int_equal(vport_push(&c->nodes[worker].gb, frame, gb_frame_uplink(frame, &in)), 0);
    cluster_settle(c);
    for (; (mbuf = vport_pull(&c->nodes[worker].gn)); count++) {
        const uint8_t *out = rte_pktmbuf_mtod(mbuf, const uint8_t *);
        assert_memory_equal(out + 26, tunnel, sizeof(tunnel));
        assert_memory_equal(out + GN_FRAME_GTP + 4, teid, sizeof(teid));
        assert_memory_equal(out + GN_FRAME_INNER, data, sizeof(data));
        rte_pktmbuf_free(mbuf);
    }
    return count;
}

/* Uplink goes out of the worker that serves; which N(U) were received goes along. */
CLUSTER_TEST(uplink)
{
    assert_int_equal(uplink_at(c, 0, 5), 1);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    assert_int_equal(uplink_at(c, 1, 5), 0);
    assert_int_equal(cluster_stats(c, 1)->gb_drops[DROP_MOVE_OLD], 1);
    assert_int_equal(uplink_at(c, 1, 6), 1);
    assert_int_equal(uplink_at(c, 0, 7), 0);
    assert_int_equal(cluster_stats(c, 0)->gb_drops[DROP_UNKNOWN_TLLI], 1);
    assert_int_equal(subscriber_go(subscribers, 0, 0, 1), 0);
    assert_int_equal(uplink_at(c, 0, 6), 0);
    assert_int_equal(uplink_at(c, 0, 7), 1);
}

/* --- refused at once --- */

CLUSTER_TEST(refused)
{
    struct msg no_slot = subscriber_move(subscribers, 0, 1, 0),
               no_worker = subscriber_move(subscribers, 0, 2, 0);
    struct msg nobody = subscriber_move(subscribers, 0, 1, 0), out_of_range = nobody, no_cell = nobody;
    no_slot.place.pdps[0] = MS_PDP_NONE;
    nobody.slot++;
    out_of_range.slot = UINT32_MAX;
    no_cell = subscriber_move(subscribers, 0, 0, CLUSTER_CELLS);
    const struct msg *rows[] = {&no_slot, &no_worker, &nobody, &out_of_range, &no_cell};
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(cluster_order(c, 0, rows[i]), -1);
}

/* Orders about a guest's existence are its home's. */
CLUSTER_TEST(guests_are_not_ours)
{
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    struct msg move = subscriber_move(subscribers, 0, 0, 0), pdp = kit_pdp(99, subscriber_slot(0, 1), 9, 7);
    struct msg ms = {.type = MSG_MS_ADD, .slot = subscriber_slot(0, 1)};
    move.slot = subscriber_slot(0, 1);
    pdp.pdp.pfi = N_PDU_NO_PFI;
    ms.ms = (struct ms_params){.tlli = 5, .n201_u = 500};
    const struct msg rows[] = {
        {.type = MSG_MS_DEL, .slot = subscriber_slot(0, 1)},
        {.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(0, 0, 1)},
        move,
        pdp,
        ms,
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (cluster_order(c, 1, &rows[i]) != -1)
            fail_msg("row %zu", i);
    /* And the slot that it left at home is not free. */
    ms.slot = subscriber_slot(0, 0);
    assert_int_equal(cluster_order(c, 0, &ms), -1);
}

TEST_IN(no_record_left, struct cluster, c,
        cluster_open(c, &(struct cluster_options){.remote_mobiles_max = 1}), finish(c))
{
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    subscriber_begin(subscribers, 1, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
        assert_int_equal(subscriber_go(subscribers, 1, 1, 0), -1);
        assert_int_equal(subscriber_go(subscribers, 0, 0, 0), 0);
    }
}

/* --- a place that cannot take it: nowhere --- */

enum obstacle { NO_CELL, SLOT_TAKEN, CONTEXT_TAKEN, TLLI_TAKEN, OBSTACLES };

/* Puts something of another mobile's, in slot 40, in the way at worker 1. */
static void put_obstacle(struct cluster *c, enum obstacle obstacle)
{
    struct msg ms = {.type = MSG_MS_ADD, .slot = 40};
    struct msg pdp = kit_pdp(subscriber_pdp_slot(0, 0, 1), 40, 5, 99);
    pdp.pdp.pfi = N_PDU_NO_PFI;
    ms.ms = (struct ms_params){.tlli = obstacle == TLLI_TAKEN ? KIT_TLLI : 5, .n201_u = 500};
    if (obstacle == SLOT_TAKEN)
        ms.slot = pdp.pdp.ms = subscriber_slot(0, 1);
    cluster_do(c, 1, &ms);
    if (obstacle == CONTEXT_TAKEN)
        cluster_do(c, 1, &pdp);
}

static void clear_obstacle(struct cluster *c, enum obstacle obstacle)
{
    cluster_do(
        c, 1, &(struct msg){.type = MSG_MS_DEL, .slot = obstacle == SLOT_TAKEN ? subscriber_slot(0, 1) : 40});
}

/* Its home keeps it, and what comes for it, until it finds a place. */
TEST(nowhere)
{
    for (int i = 0; i < 2 * OBSTACLES; i++) {
        struct cluster c;
        enum obstacle obstacle = (enum obstacle)(i % OBSTACLES);
        uint16_t bvc = obstacle == NO_CELL ? CLUSTER_CELLS : 0;
        open_one(&c, 2);
        put_obstacle(&c, obstacle);
        cluster_flow(&c, 0, 0, CLOSED_OCTETS, 0);
        send(4, 1400);
        cluster_settle(&c);
        assert_int_equal(subscriber_go(subscribers, 0, 1, bvc), -1);
        send(4, 300);
        cluster_settle(&c);
        assert_int_equal(cluster_stats(&c, 0)->npdu_held, 4 + 4);
        assert_int_equal(subscriber_go(subscribers, 0, 1, bvc), -1);
        clear_obstacle(&c, obstacle);
        assert_int_equal(subscriber_go(subscribers, 0, i / OBSTACLES, 0), 0);
        assert_int_equal(cluster_stats(&c, 0)->npdu_held, 0);
        finish(&c);
    }
}

/* On the way home it can fail, too. */
TEST(nowhere_at_home)
{
    struct cluster c;
    struct msg ms = {.type = MSG_MS_ADD, .slot = 41};
    ms.ms = (struct ms_params){.tlli = KIT_TLLI, .n201_u = 500};
    open_one(&c, 2);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    cluster_do(&c, 0, &ms);
    cluster_flow(&c, 1, 0, CLOSED_OCTETS, 0);
    send(4, 1400);
    cluster_settle(&c);
    assert_int_equal(subscriber_go(subscribers, 0, 0, 0), -1);
    assert_int_equal(cluster_stats(&c, 0)->npdu_held, 4);
    assert_int_equal(subscriber_go(subscribers, 0, 0, 1), -1);
    cluster_do(&c, 0, &(struct msg){.type = MSG_MS_DEL, .slot = 41});
    assert_int_equal(subscriber_go(subscribers, 0, 0, 1), 0);
    finish(&c);
}

/* More mobiles with something held than one step looks at: each has its turn, and one that ends meanwhile
 * leaves the others theirs. */

#define MANY  100
#define LAST  MANY /* a mobile of worker 0 that worker 2 serves */
#define OTHER (MANY + 1)

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
    for (unsigned i = 0; i < XWORKER_RING - 1 + XWORKER_WAITING; i++) {
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

TEST_IN(all_have_their_turn, struct cluster, c, open_many(c), cluster_close(c))
{
    cluster_settle_at(c, c->now + KIT_MS);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(c), 0);
}

/* The last of them in the row is moved and deleted at once; another mobile takes over its record. */
TEST_IN(one_ends, struct cluster, c, open_many(c), cluster_close(c))
{
    struct msg move = subscriber_move(subscribers, LAST, 2, 1);
    struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(LAST, 0)};
    struct msg other = subscriber_move(subscribers, OTHER, 2, 0);
    cluster_post(c, 0, &move);
    cluster_post(c, 0, &del);
    assert_true(subscriber_send(subscribers, LAST, 0, 80));
    step_two(c, 4); /* up to the step in which it is deleted */
    cluster_post(c, 0, &other);
    step_two(c, 3);
    assert_true(subscriber_send(subscribers, OTHER, 0, 90));
    cluster_settle_at(c, c->now + KIT_MS);
    subscribers->list[LAST].is_there = false;
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(c) + CLUSTER_SUM(c, npdu_out), CLUSTER_SUM(c, gn_frames));
}

UNIT_MAIN(subscriber_start, subscriber_stop)
