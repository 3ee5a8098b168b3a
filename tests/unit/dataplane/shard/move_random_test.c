/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once by chance: moves, mobiles and contexts that come and go in the middle of them, cells
 * that are reset, closed and opened, workers that sleep. N-PDUs may be dropped, each with a reason; none may
 * overtake another, and none may be left over.
 */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

#define MOBILES    12
#define EVENTS     200000
#define SLEEPS     4000 /* events that a worker may sleep */
#define DRAINED_NS (100 * MOMENT_SECOND)

/* What control has asked for and was not yet told the end of; 0: nothing. */
struct pending {
    uint32_t add, del, move, context_add[SUBSCRIBER_CONTEXTS], context_del[SUBSCRIBER_CONTEXTS];
    unsigned worker; /* where the move goes */
    uint16_t bvc;
};

struct lab {
    struct cluster cluster;
    struct subscribers *subscribers;
    uint64_t chance;
    struct pending pending[MOBILES];
    unsigned sleeper, sleeps; /* a worker that is not stepped, and how long */
    unsigned moves, deletes, resets;
};

static uint64_t below(struct lab *lab, uint64_t n)
{
    return prng_below(&lab->chance, n);
}

/* --- what control is told --- */

static bool is_over(struct lab *lab, uint32_t id, uint32_t *seq)
{
    int status = -1;
    if (*seq == 0 || !cluster_is_answered(&lab->cluster, lab->subscribers->list[id].home, *seq, &status))
        return false;
    assert_int_equal(status, 0);
    *seq = 0;
    return true;
}

static void end_context(struct lab *lab, uint32_t id, unsigned k)
{
    struct subscriber_context *context = &lab->subscribers->list[id].contexts[k];
    context->is_there = false;
    context->seen = context->sent;
    lab->deletes++;
}

static void collect(struct lab *lab, uint32_t id)
{
    struct pending *p = &lab->pending[id];
    is_over(lab, id, &p->add);
    for (unsigned k = 0; k < SUBSCRIBER_CONTEXTS; k++) {
        is_over(lab, id, &p->context_add[k]);
        if (is_over(lab, id, &p->context_del[k]))
            end_context(lab, id, k);
    }
    if (is_over(lab, id, &p->move)) {
        subscriber_moved(lab->subscribers, id, p->worker, p->bvc);
        lab->moves++;
    }
    if (is_over(lab, id, &p->del)) {
        for (unsigned k = 0; k < SUBSCRIBER_CONTEXTS; k++)
            end_context(lab, id, k);
        lab->subscribers->list[id].is_there = false;
    }
}

/* --- what it asks for --- */

static void begin(struct lab *lab, uint32_t id)
{
    unsigned home = (unsigned)below(lab, lab->cluster.options.workers);
    struct msg ms = subscriber_add(lab->subscribers, id, home, (uint16_t)below(lab, CLUSTER_CELLS));
    lab->pending[id].add = cluster_post(&lab->cluster, home, &ms);
    lab->subscribers->list[id].receiver = (unsigned)below(lab, lab->cluster.options.workers);
}

static void order_context(struct lab *lab, uint32_t id, unsigned k)
{
    struct pending *p = &lab->pending[id];
    const struct subscriber *who = &lab->subscribers->list[id];
    struct msg msg = {.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(id, k, who->home)};

    if (p->context_add[k] != 0 || p->context_del[k] != 0)
        return;
    if (who->contexts[k].is_there && below(lab, 6) > 0)
        return;
    if (who->contexts[k].is_there) {
        p->context_del[k] = cluster_post(&lab->cluster, who->home, &msg);
    } else if (p->move == 0) {
        msg = subscriber_add_context(lab->subscribers, id, k);
        p->context_add[k] = cluster_post(&lab->cluster, who->home, &msg);
    }
}

static void order_move(struct lab *lab, uint32_t id)
{
    struct pending *p = &lab->pending[id];
    if (p->move != 0 || p->context_add[0] != 0 || p->context_add[1] != 0)
        return;
    p->worker = (unsigned)below(lab, lab->cluster.options.workers);
    p->bvc = (uint16_t)below(lab, CLUSTER_CELLS);
    struct msg move = subscriber_move(lab->subscribers, id, p->worker, p->bvc);
    p->move = cluster_post(&lab->cluster, lab->subscribers->list[id].home, &move);
}

static void order_session(struct lab *lab)
{
    uint32_t id = (uint32_t)below(lab, MOBILES);
    struct subscriber *who = &lab->subscribers->list[id];
    struct pending *p = &lab->pending[id];
    struct msg del = {.type = MSG_MS_DEL, .slot = subscriber_slot(id, who->home)};
    uint64_t what = below(lab, 60);

    if (p->del != 0)
        return;
    if (!who->is_there)
        begin(lab, id);
    else if (what == 0)
        p->del = cluster_post(&lab->cluster, who->home, &del);
    else if (what < 20)
        order_context(lab, id, (unsigned)what % SUBSCRIBER_CONTEXTS);
    else
        order_move(lab, id);
}

static void order_cell(struct lab *lab)
{
    unsigned worker = (unsigned)below(lab, lab->cluster.options.workers);
    uint16_t bvc = (uint16_t)below(lab, CLUSTER_CELLS);
    struct msg flow = {.type = MSG_BVC_FLOW, .slot = bvc};
    struct msg unblock = {.type = MSG_BVC_STATE, .slot = bvc, .is_unblocked = below(lab, 4) > 0};
    struct msg reset = {.type = MSG_BVC_RESET, .slot = bvc};

    flow.flow = (struct gb_flow){.bucket_octets = prng_magnitude(&lab->chance, 20000),
                                 .rate_bps = prng_magnitude(&lab->chance, 50000000),
                                 .ms_bucket_octets = prng_magnitude(&lab->chance, 10000),
                                 .ms_rate_bps = prng_magnitude(&lab->chance, 20000000),
                                 .ratio_percent = -1};
    if (below(lab, 8) == 0) {
        cluster_post(&lab->cluster, worker, &reset);
        lab->resets++;
    }
    cluster_post(&lab->cluster, worker, &unblock);
    cluster_post(&lab->cluster, worker, &flow);
}

static void send(struct lab *lab)
{
    uint32_t id = (uint32_t)below(lab, MOBILES);
    unsigned k = (unsigned)below(lab, SUBSCRIBER_CONTEXTS);
    const struct subscriber_context *context = &lab->subscribers->list[id].contexts[k];
    const struct pending *p = &lab->pending[id];
    bool is_ready = lab->subscribers->list[id].is_there && context->is_there && p->del == 0 && p->add == 0 &&
                    p->context_add[k] == 0 && p->context_del[k] == 0;
    if (is_ready && context->sent - context->seen < SUBSCRIBER_EXPECTED / 2)
        subscriber_send(lab->subscribers, id, k, (uint16_t)prng_between(&lab->chance, 20, 1500));
}

/* --- the run --- */

static void forget_other_answers(struct cluster_node *node)
{
    if (node->answer_count > CLUSTER_ANSWERS / 2)
        node->answer_count = 0; /* those about cells: nobody asks for them */
}

static void sleep_now(struct lab *lab, unsigned worker)
{
    lab->sleeper = worker;
    lab->sleeps = (unsigned)below(lab, SLEEPS);
}

static void step_one(struct lab *lab)
{
    unsigned worker = (unsigned)below(lab, lab->cluster.options.workers);
    if (lab->sleeps > 0)
        lab->sleeps--;
    else if (below(lab, 2000) == 0)
        sleep_now(lab, worker);
    if (lab->sleeps > 0 && worker == lab->sleeper)
        return;
    cluster_step(&lab->cluster, worker);
    for (uint32_t id = 0; id < MOBILES; id++)
        collect(lab, id);
    forget_other_answers(&lab->cluster.nodes[worker]);
}

static void event(struct lab *lab)
{
    uint64_t kind = below(lab, 100);
    if (kind < 10)
        order_session(lab);
    else if (kind < 11)
        order_cell(lab);
    else if (kind < 40)
        send(lab);
    else
        step_one(lab);
    lab->cluster.now += (int64_t)prng_magnitude(&lab->chance, 100000);
}

static void check_sums(struct lab *lab)
{
    struct cluster *c = &lab->cluster;
    assert_int_equal(CLUSTER_SUM(c, gn_frames) - CLUSTER_SUM(c, gn_steered_out) +
                         CLUSTER_SUM(c, gn_steered_in),
                     CLUSTER_SUM(c, npdu_in) + CLUSTER_SUM(c, gn_drops[DROP_XWORKER_FULL]));
    assert_int_equal(cluster_on_the_way(c), 0);
    assert_int_equal(CLUSTER_SUM(c, npdu_held), 0);
    assert_int_equal(CLUSTER_SUM(c, gn_frames),
                     CLUSTER_SUM(c, npdu_out) + cluster_drops(c) + cluster_queued(c));
    assert_int_equal(CLUSTER_SUM(c, gn_drops[DROP_UNKNOWN_TEID]), 0);
    for (unsigned i = 0; i < c->options.workers; i++) {
        assert_null(c->nodes[i].worker->moves.sending);
        assert_null(c->nodes[i].worker->moves.answers);
        assert_int_equal(c->nodes[i].worker->orders.count, 0);
    }
}

/* All mobiles end; then all buffers and all records are back. */
static void end_all(struct lab *lab)
{
    struct cluster *c = &lab->cluster;
    for (uint32_t id = 0; id < MOBILES; id++) {
        const struct subscriber *who = &lab->subscribers->list[id];
        if (who->is_there)
            cluster_do(c, who->home,
                       &(struct msg){.type = MSG_MS_DEL, .slot = subscriber_slot(id, who->home)});
    }
    for (unsigned i = 0; i < c->options.workers; i++)
        kit_drain(&c->nodes[i].gn); /* Error Indications */
    assert_int_equal(cluster_queued(c), 0);
    assert_int_equal(rte_mempool_avail_count(c->rx_pool), c->options.buffers);
    assert_int_equal(rte_mempool_avail_count(c->tx_pool), c->options.buffers);
    for (unsigned i = 0; i < c->options.workers; i++) {
        unsigned records = 0;
        for (const struct moves_remote *a = c->nodes[i].worker->moves.free; a; a = a->next_free)
            records++;
        assert_int_equal(records, c->options.remote_mobiles_max);
    }
}

static void play(unsigned workers, uint64_t seed, uint32_t queue_limit_octets)
{
    struct lab lab = {.chance = seed, .subscribers = calloc(1, sizeof(*lab.subscribers))};
    assert_non_null(lab.subscribers);
    cluster_open(&lab.cluster, &(struct cluster_options){.workers = workers,
                                                         .n201_u = (uint16_t)(140 + 460 * (seed % 4)),
                                                         .queue_limit_octets = queue_limit_octets});
    subscriber_open_all(lab.subscribers, &lab.cluster);
    lab.subscribers->may_lose = true;
    for (unsigned i = 0; i < EVENTS; i++)
        event(&lab);
    for (unsigned i = 0; i < 3; i++) {
        cluster_settle_at(&lab.cluster, lab.cluster.now + DRAINED_NS);
        for (uint32_t id = 0; id < MOBILES; id++)
            collect(&lab, id);
    }
    check_sums(&lab);
    printf("%u workers, seed %lu: %u moves, %u contexts ended, %u resets, %lu of %lu N-PDUs out\n", workers,
           seed, lab.moves, lab.deletes, lab.resets, CLUSTER_SUM(&lab.cluster, npdu_out),
           CLUSTER_SUM(&lab.cluster, gn_frames));
    assert_true(lab.moves > EVENTS / 60 && lab.deletes > EVENTS / 500);
    assert_true(CLUSTER_SUM(&lab.cluster, npdu_out) > EVENTS / 20);
    end_all(&lab);
    cluster_close(&lab.cluster);
    free(lab.subscribers);
}

TEST(chance)
{
    for (uint64_t seed = 1; seed <= (short_form_is_wanted() ? 2 : 6); seed++)
        play(2 + (unsigned)seed % 3, seed, seed % 2 ? 30000 : 1000000);
}

/*
 * 1000 cell changes in each second of ten (2.5 in the short form), between two workers under load: no N-PDU
 * is lost or overtakes another, and every buffer comes back. The workers take turns in one thread, so each
 * run is the same.
 */

#define LOAD_MOBILES    40
#define MOVE_NS         KIT_MS /* between orders */
#define ROUND_NS        INT64_C(20000)
#define ROUND_PKTS      2
#define RATE_BPS        20000000 /* of a cell */
#define MS_RATE_BPS     4000000
#define BUCKET          8000
#define MS_BUCKET       3000
#define LOAD_DRAINED_NS (20 * MOMENT_SECOND)
#define MANY_WAITING    4000

struct load {
    struct cluster cluster;
    struct subscribers *subscribers;
    uint64_t chance;
    uint32_t seqs[LOAD_MOBILES]; /* of the order under way, 0: none */
    uint16_t to_bvc[LOAD_MOBILES];
    unsigned to_worker[LOAD_MOBILES];
    unsigned moves, between_workers;
    uint64_t most_waiting, sent;
};

static void load_flow(struct load *load)
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
    for (uint32_t id = 0; id < LOAD_MOBILES; id++) {
        load->subscribers->list[id].receiver = (unsigned)prng_below(&load->chance, workers);
        subscriber_begin(load->subscribers, id, id % workers, (uint16_t)(id % CLUSTER_CELLS));
    }
    load_flow(load);
}

static void collect_answers(struct load *load)
{
    for (uint32_t id = 0; id < LOAD_MOBILES; id++) {
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
static void load_order_move(struct load *load)
{
    uint32_t id = (uint32_t)prng_below(&load->chance, LOAD_MOBILES);
    while (load->seqs[id] != 0)
        id = (id + 1) % LOAD_MOBILES;
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
        load->sent += subscriber_send(load->subscribers, (uint32_t)prng_below(&load->chance, LOAD_MOBILES), 0,
                                      (uint16_t)prng_between(&load->chance, 40, 1500));
    for (unsigned i = 0; i < c->options.workers; i++)
        cluster_step(c, i);
    collect_answers(load);
    c->now += ROUND_NS;
}

static void load_play(unsigned workers, unsigned moves)
{
    struct load load;
    open_load(&load, workers);
    int64_t began_ns = load.cluster.now, next_ns = began_ns;
    while (load.moves < moves) {
        if (load.cluster.now >= next_ns) {
            load_order_move(&load);
            next_ns += MOVE_NS;
        }
        play_round(&load);
    }
    assert_true(load.cluster.now - began_ns <= moves * MOVE_NS + MOMENT_SECOND);
    assert_true(load.most_waiting > MANY_WAITING / 2);
    assert_true(load.between_workers > moves / 3);
    cluster_open_buckets(&load.cluster);
    cluster_settle_at(&load.cluster, load.cluster.now + LOAD_DRAINED_NS);
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

TEST_CALL(two_workers, load_play(2, short_form_is_wanted() ? 2500 : 10000))
TEST_CALL(four_workers, load_play(4, short_form_is_wanted() ? 1000 : 3000))

UNIT_MAIN(kit_start, NULL)
