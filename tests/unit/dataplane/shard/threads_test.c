/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two workers, each stepped by a thread of its own, while a third is control, GGSN and all mobiles: moves as
 * fast as they go, under load. Nothing is lost, nothing overtakes, every buffer comes back. Time is a count
 * that control moves on.
 *
 * Ports are filled and emptied by their worker's thread; frames come and go over rings made by code that a
 * thread sanitizer sees.
 */
#include "dataplane/worker/xworker.h"
#include "dataplane/worker/msg.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/buffers.h"
#include "tests/unit/dataplane/shard/subscriber.h"

#include <pthread.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKERS     2
#define MOBILES     40
#define RING        4096
#define BURST       32
#define UNDER_WAY   8            /* moves */
#define WAITING     XWORKER_RING /* N-PDUs of all: the way to a worker without a core holds no more */
#define LATE        512          /* frames of a mobile that came before one that left earlier */
#define TICK_NS     10000
#define AHEAD_NS    (MOMENT_SECOND / 50) /* of control's time before the slower worker's */
#define RATE_BPS    200000000
#define MS_RATE_BPS 40000000
#define BUCKET      8000
#define DRAINED_NS  (10 * MOMENT_SECOND)

struct thread {
    pthread_t id;
    struct cluster_node *node;
    const atomic_llong *now; /* written by control */
    atomic_llong seen_ns;    /* the last step's */
    const atomic_bool *is_over;
    struct rte_ring *in, *out; /* frames for Gn, frames from Gb */
};

/* A frame of a mobile that waits for those before it. */
struct late {
    struct rte_mbuf *mbuf;
    unsigned worker;
};

struct lab {
    struct cluster cluster;
    struct subscribers *subscribers;
    struct thread threads[WORKERS];
    atomic_llong now;
    atomic_bool is_over;
    uint64_t chance, sent;
    struct late late[MOBILES][LATE]; /* by N(U) */
    uint32_t seqs[MOBILES];
    unsigned to[MOBILES], under_way, moves;
};

/* --- a worker's thread --- */

static void feed(struct thread *t)
{
    void *mbufs[BURST];
    unsigned room = rte_ring_free_count(t->node->gn.to_worker);
    unsigned count = rte_ring_sc_dequeue_burst(t->in, mbufs, room < BURST ? room : BURST, NULL);
    rte_ring_sp_enqueue_burst(t->node->gn.to_worker, mbufs, count, NULL);
}

static unsigned empty(struct thread *t)
{
    void *mbufs[BURST];
    unsigned room = rte_ring_free_count(t->out);
    unsigned count =
        rte_ring_sc_dequeue_burst(t->node->gb.to_outside, mbufs, room < BURST ? room : BURST, NULL);
    rte_ring_sp_enqueue_burst(t->out, mbufs, count, NULL);
    return count;
}

static void *run(void *arg)
{
    struct thread *t = arg;
    while (!atomic_load_explicit(t->is_over, memory_order_acquire)) {
        int64_t now = atomic_load_explicit(t->now, memory_order_acquire);
        feed(t);
        int64_t next = worker_step(t->node->worker, now);
        atomic_store_explicit(&t->seen_ns, now, memory_order_release);
        if (empty(t) == 0 && next > now)
            sched_yield();
    }
    return NULL;
}

/* --- mobiles --- */

static uint16_t nu_of(const uint8_t *frame, size_t octets, uint32_t *id)
{
    struct subscriber_heading heading = subscriber_heading(frame, octets);
    *id = heading.tlli - KIT_TLLI;
    assert_true(*id < MOBILES);
    return heading.nu;
}

/* Hands a mobile its frames in the order of N(U), as far as they are here. */
static void deliver(struct lab *lab, uint32_t id)
{
    for (;;) {
        struct late *late = &lab->late[id][lab->subscribers->list[id].nu];
        struct rte_mbuf *mbuf = late->mbuf;
        if (!mbuf)
            return;
        late->mbuf = NULL;
        subscriber_take_frame(lab->subscribers, late->worker, rte_pktmbuf_mtod(mbuf, uint8_t *),
                              rte_pktmbuf_data_len(mbuf));
        rte_pktmbuf_free(mbuf);
    }
}

static unsigned take_frames(struct lab *lab)
{
    void *mbufs[BURST];
    unsigned total = 0;
    for (unsigned worker = 0; worker < WORKERS; worker++) {
        unsigned count = rte_ring_sc_dequeue_burst(lab->threads[worker].out, mbufs, BURST, NULL);
        for (unsigned i = 0; i < count; i++) {
            struct rte_mbuf *mbuf = mbufs[i];
            uint32_t id;
            uint16_t nu = nu_of(rte_pktmbuf_mtod(mbuf, uint8_t *), rte_pktmbuf_data_len(mbuf), &id);
            assert_null(lab->late[id][nu].mbuf);
            lab->late[id][nu] = (struct late){mbuf, worker};
            deliver(lab, id);
        }
        total += count;
    }
    return total;
}

/* --- control and GGSN --- */

static uint32_t waiting(const struct lab *lab)
{
    uint32_t sum = 0;
    for (uint32_t id = 0; id < MOBILES; id++)
        sum += lab->subscribers->list[id].contexts[0].sent - lab->subscribers->list[id].contexts[0].seen;
    return sum;
}

static void send(struct lab *lab)
{
    uint32_t id = (uint32_t)prng_below(&lab->chance, MOBILES);
    struct subscriber *who = &lab->subscribers->list[id];
    struct rte_ring *in = lab->threads[who->receiver].in;
    if (waiting(lab) >= WAITING || rte_ring_full(in))
        return;
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(lab->cluster.rx_pool);
    if (!mbuf)
        return;
    uint8_t frame[KIT_FRAME_OCTETS];
    size_t octets =
        subscriber_build(lab->subscribers, id, 0, (uint16_t)prng_between(&lab->chance, 40, 1500), frame);
    memcpy(rte_pktmbuf_append(mbuf, (uint16_t)octets), frame, octets);
    assert_int_equal(rte_ring_sp_enqueue(in, mbuf), 0);
    lab->sent++;
}

static void order_move(struct lab *lab)
{
    uint32_t id = (uint32_t)prng_below(&lab->chance, MOBILES);
    if (lab->seqs[id] != 0 || lab->under_way == UNDER_WAY)
        return;
    lab->to[id] = (unsigned)prng_below(&lab->chance, WORKERS);
    uint16_t bvc = (uint16_t)prng_below(&lab->chance, CLUSTER_CELLS);
    struct msg move = subscriber_move(lab->subscribers, id, lab->to[id], bvc);
    lab->seqs[id] = cluster_post(&lab->cluster, lab->subscribers->list[id].home, &move);
    lab->under_way++;
}

static void take_answers(struct lab *lab)
{
    struct msg answer;
    for (unsigned worker = 0; worker < WORKERS; worker++) {
        while (shares_take(&lab->cluster.nodes[worker].worker->rings, &answer)) {
            uint32_t id = 0;
            while (id < MOBILES && lab->seqs[id] != answer.seq)
                id++;
            assert_true(id < MOBILES && answer.answer.status == 0);
            subscriber_moved(lab->subscribers, id, lab->to[id], 0);
            lab->seqs[id] = 0;
            lab->under_way--;
            lab->moves++;
        }
    }
}

/* --- the run --- */

static struct rte_ring *ring_of(const char *way, unsigned worker)
{
    char name[32];
    snprintf(name, sizeof(name), "threads%s%u", way, worker);
    struct rte_ring *ring = rte_ring_create(name, RING, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    assert_non_null(ring);
    return ring;
}

static void open_lab(struct lab *lab)
{
    cluster_open(&lab->cluster, &(struct cluster_options){.workers = WORKERS, .buffers = 16383});
    subscriber_open_all(lab->subscribers, &lab->cluster);
    for (uint32_t id = 0; id < MOBILES; id++) {
        lab->subscribers->list[id].receiver = id / 2 % WORKERS;
        subscriber_begin(lab->subscribers, id, id % WORKERS, 0);
    }
    for (unsigned i = 0; i < WORKERS * CLUSTER_CELLS; i++) {
        struct msg msg = {.type = MSG_BVC_FLOW, .slot = i / WORKERS};
        msg.flow = (struct gb_flow){BUCKET, RATE_BPS, BUCKET, MS_RATE_BPS, -1, 0, false};
        cluster_do(&lab->cluster, i % WORKERS, &msg);
    }
    atomic_store(&lab->now, lab->cluster.now);
    for (unsigned i = 0; i < WORKERS; i++) {
        lab->threads[i] = (struct thread){.node = &lab->cluster.nodes[i],
                                          .now = &lab->now,
                                          .seen_ns = lab->cluster.now,
                                          .is_over = &lab->is_over,
                                          .in = ring_of("in", i),
                                          .out = ring_of("out", i)};
        assert_int_equal(pthread_create(&lab->threads[i].id, NULL, run, &lab->threads[i]), 0);
    }
}

static bool has_all_come(const struct lab *lab)
{
    return waiting(lab) == 0 && lab->under_way == 0;
}

/* Time waits for a worker whose thread has no core, or packets would grow too old in its queues. */
static void advance(struct lab *lab)
{
    int64_t now = atomic_load_explicit(&lab->now, memory_order_relaxed);
    for (unsigned i = 0; i < WORKERS; i++)
        if (now > atomic_load_explicit(&lab->threads[i].seen_ns, memory_order_acquire) + AHEAD_NS)
            return;
    atomic_store_explicit(&lab->now, now + TICK_NS, memory_order_release);
}

static void play(struct lab *lab, unsigned moves)
{
    bool is_ending = false;
    while (!is_ending || !has_all_come(lab)) {
        is_ending = lab->moves >= moves;
        for (unsigned i = 0; i < 4 && !is_ending; i++)
            send(lab);
        if (!is_ending)
            order_move(lab);
        advance(lab);
        take_answers(lab);
        if (take_frames(lab) == 0)
            sched_yield();
    }
}

static void close_lab(struct lab *lab)
{
    atomic_store_explicit(&lab->is_over, true, memory_order_release);
    for (unsigned i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(lab->threads[i].id, NULL), 0);
    for (unsigned i = 0; i < WORKERS; i++) {
        cluster_check(lab->cluster.nodes[i].worker);
        rte_ring_free(lab->threads[i].in);
        rte_ring_free(lab->threads[i].out);
    }
    assert_int_equal(cluster_drops(&lab->cluster), 0);
    assert_int_equal(cluster_on_the_way(&lab->cluster), 0);
    assert_int_equal(CLUSTER_SUM(&lab->cluster, npdu_out), lab->sent);
    assert_int_equal(rte_mempool_avail_count(lab->cluster.rx_pool), lab->cluster.options.buffers);
    cluster_close(&lab->cluster);
}

TEST(moves_in_threads)
{
    const char *asked = getenv("SHARD_MOVES");
    struct lab *lab = calloc(1, sizeof(*lab));
    lab->subscribers = calloc(1, sizeof(*lab->subscribers));
    lab->chance = 3;
    open_lab(lab);
    play(lab, asked ? (unsigned)strtoul(asked, NULL, 10) : 20000);
    printf("%u moves, %lu N-PDUs\n", lab->moves, lab->sent);
    close_lab(lab);
    free(lab->subscribers);
    free(lab);
}

static int start(void **state)
{
    if (kit_start(state) != 0)
        return -1;
    buffers_choose();
    return 0;
}

UNIT_MAIN(start, NULL)
