/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 1000 cell changes in each second of ten, between two workers under load: no N-PDU is lost or overtakes
 * another, and every buffer comes back. The workers take turns in one thread, so each run is the same.
 */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/subscriber.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

#define MOBILES      40
#define MOVE_NS      KIT_MS /* between orders */
#define ROUND_NS     INT64_C(20000)
#define ROUND_PKTS   2
#define RATE_BPS     20000000 /* of a cell */
#define MS_RATE_BPS  4000000
#define BUCKET       8000
#define MS_BUCKET    3000
#define DRAINED_NS   (20 * MOMENT_SECOND)
#define MANY_WAITING 4000

struct load {
    struct cluster cluster;
    struct subscribers *subscribers;
    uint64_t chance;
    uint32_t seqs[MOBILES]; /* of the order under way, 0: none */
    uint16_t to_bvc[MOBILES];
    unsigned to_worker[MOBILES];
    unsigned moves, between_workers;
    uint64_t most_waiting, sent;
};

static void flow(struct load *load)
{
    for (unsigned worker = 0; worker < load->cluster.options.workers; worker++) {
        for (uint16_t bvc = 0; bvc < CLUSTER_CELLS; bvc++) {
            struct msg msg = {.type = MSG_BVC_FLOW, .slot = bvc};
            msg.flow = (struct gb_flow){.bucket_octets = BUCKET,
                                        .rate_bps = RATE_BPS,
                                        .ms_bucket_octets = MS_BUCKET,
                                        .ms_rate_bps = MS_RATE_BPS,
                                        .ratio_percent = -1};
            cluster_do(&load->cluster, worker, &msg);
        }
    }
}

static void open_load(struct load *load, unsigned workers)
{
    *load = (struct load){.chance = 5, .subscribers = calloc(1, sizeof(*load->subscribers))};
    assert_non_null(load->subscribers);
    cluster_open(&load->cluster, &(struct cluster_options){.workers = workers});
    subscriber_open_all(load->subscribers, &load->cluster);
    for (uint32_t id = 0; id < MOBILES; id++) {
        load->subscribers->list[id].receiver = (unsigned)prng_below(&load->chance, workers);
        subscriber_begin(load->subscribers, id, id % workers, (uint16_t)(id % CLUSTER_CELLS));
    }
    flow(load);
}

static void collect_answers(struct load *load)
{
    for (uint32_t id = 0; id < MOBILES; id++) {
        int status = -1;
        const struct subscriber *who = &load->subscribers->list[id];
        if (load->seqs[id] == 0 || !cluster_is_answered(&load->cluster, who->home, load->seqs[id], &status))
            continue;
        assert_int_equal(status, 0);
        load->seqs[id] = 0;
        load->moves++;
        load->between_workers += load->to_worker[id] != who->server;
        subscriber_moved(load->subscribers, id, load->to_worker[id], load->to_bvc[id]);
    }
}

/* One that has no order under way goes anywhere. */
static void order_move(struct load *load)
{
    uint32_t id = (uint32_t)prng_below(&load->chance, MOBILES);
    while (load->seqs[id] != 0)
        id = (id + 1) % MOBILES;
    load->to_worker[id] = (unsigned)prng_below(&load->chance, load->cluster.options.workers);
    load->to_bvc[id] = (uint16_t)prng_below(&load->chance, CLUSTER_CELLS);
    struct msg move = subscriber_move(load->subscribers, id, load->to_worker[id], load->to_bvc[id]);
    load->seqs[id] = cluster_post(&load->cluster, load->subscribers->list[id].home, &move);
}

static void play_round(struct load *load)
{
    struct cluster *c = &load->cluster;
    uint64_t waiting = cluster_queued(c) + CLUSTER_SUM(c, npdu_held) + cluster_on_the_way(c);

    load->most_waiting = waiting > load->most_waiting ? waiting : load->most_waiting;
    for (unsigned i = 0; i < ROUND_PKTS && waiting < MANY_WAITING; i++)
        load->sent += subscriber_send(load->subscribers, (uint32_t)prng_below(&load->chance, MOBILES), 0,
                                      (uint16_t)prng_between(&load->chance, 40, 1500));
    for (unsigned i = 0; i < c->options.workers; i++)
        cluster_step(c, i);
    collect_answers(load);
    c->now += ROUND_NS;
}

static void play(unsigned workers, unsigned moves)
{
    struct load load;
    open_load(&load, workers);
    int64_t began_ns = load.cluster.now, next_ns = began_ns;
    while (load.moves < moves) {
        if (load.cluster.now >= next_ns) {
            order_move(&load);
            next_ns += MOVE_NS;
        }
        play_round(&load);
    }
    assert_true(load.cluster.now - began_ns <= moves * MOVE_NS + MOMENT_SECOND);
    assert_true(load.most_waiting > MANY_WAITING / 2);
    assert_true(load.between_workers > moves / 3);
    cluster_open_buckets(&load.cluster);
    cluster_settle_at(&load.cluster, load.cluster.now + DRAINED_NS);
    subscriber_check_all_came(load.subscribers);
    assert_int_equal(cluster_drops(&load.cluster), 0);
    assert_int_equal(CLUSTER_SUM(&load.cluster, npdu_out), load.sent);
    assert_int_equal(rte_mempool_avail_count(load.cluster.rx_pool), load.cluster.options.buffers);
    assert_int_equal(rte_mempool_avail_count(load.cluster.tx_pool), load.cluster.options.buffers);
    printf("%u workers: %u moves, %u to another worker, %lu N-PDUs, at most %lu waiting\n", workers,
           load.moves, load.between_workers, load.sent, load.most_waiting);
    cluster_close(&load.cluster);
    free(load.subscribers);
}

TEST(two_workers)
{
    play(2, 10000);
}

TEST(four_workers)
{
    play(4, 3000);
}

UNIT_MAIN(kit_start, NULL)
