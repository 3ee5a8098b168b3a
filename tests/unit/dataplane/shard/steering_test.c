/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that reach another worker than the one that their TEID names. */
#include "dataplane/base/n_pdu.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#define N_PDUS    3000
#define OTHER_IP  0xc0000299u
#define FOREIGN   0x20300007u /* looks like one of worker 2 */
#define PORT_RING 1023

static struct subscribers *subscribers;

static void open_with(struct cluster *c, unsigned workers)
{
    cluster_open(c, &(struct cluster_options){.workers = workers});
    subscriber_open_all(subscribers, c);
}

static struct worker_stats *stats_of(struct cluster *c, unsigned worker)
{
    return &c->nodes[worker].worker->stats;
}

static void put(struct cluster *c, unsigned worker, const struct gn_frame *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    cluster_put_gn(c, worker, frame, gn_frame_build(frame, in));
}

/* --- it arrives --- */

/* All to one worker, for mobiles of all: each gets all, in order. */
TEST(through_one_port)
{
    struct cluster c;
    uint64_t chance = 1;
    open_with(&c, 4);
    for (uint32_t id = 0; id < 8; id++) {
        subscribers->list[id].receiver = 1;
        subscriber_begin(subscribers, id, id % 4, 0);
    }
    for (unsigned i = 0; i < N_PDUS; i++) {
        uint32_t id = (uint32_t)prng_below(&chance, 8);
        if (!subscriber_send(subscribers, id, 0, (uint16_t)prng_between(&chance, 20, 1500)) || i % 100 == 0)
            cluster_settle(&c);
    }
    cluster_settle(&c);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(&c), 0);
    assert_true(stats_of(&c, 1)->gn_steered_out > N_PDUS / 2);
    assert_int_equal(CLUSTER_SUM(&c, gn_steered_in), stats_of(&c, 1)->gn_steered_out);
    for (unsigned worker = 0; worker < 4; worker++)
        assert_int_equal(stats_of(&c, worker)->npdu_in, stats_of(&c, worker)->npdu_out);
    cluster_close(&c);
}

/* Whatever stood around the N-PDU on Gn. */
static const struct gn_frame shapes[] = {
    {.inner_octets = 20},
    {.inner_octets = 1503, .seed = 1},
    {.inner_octets = 100, .seed = 2, .has_vlan = true},
    {.inner_octets = 101, .seed = 3, .ip_option_words = 10},
    {.inner_octets = 102, .seed = 4, .gtp_flags = 2},
    {.inner_octets = 103, .seed = 5, .gtp_flags = 4, .extension = 0x20, .extension_units = {1, 2}},
    {.inner_octets = 104, .seed = 6, .padding_octets = 9},
};

TEST(any_shape)
{
    struct cluster c;
    open_with(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    struct subscriber_context *context = &subscribers->list[0].contexts[0];
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct gn_frame in = shapes[i];
        in.teid = context->teid;
        context->expected[context->sent++] = (struct subscriber_sent){in.inner_octets, in.seed};
        put(&c, 0, &in);
        cluster_settle(&c);
    }
    subscriber_check_all_came(subscribers);
    assert_int_equal(stats_of(&c, 1)->npdu_out, COUNT(shapes));
    cluster_close(&c);
}

/* Pieces of a datagram are put together where they arrive. */
TEST(fragments)
{
    struct cluster c;
    uint8_t whole[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
    open_with(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    struct subscriber_context *context = &subscribers->list[0].contexts[0];
    struct gn_frame in = {.teid = context->teid, .inner_octets = 1400, .seed = 9};
    size_t octets = gn_frame_build(whole, &in), piece_octets;
    context->expected[context->sent++] = (struct subscriber_sent){in.inner_octets, in.seed};
    for (unsigned i = 0; (piece_octets = gn_frame_fragment(piece, whole, octets, 600, i)) > 0; i++)
        cluster_put_gn(&c, 0, piece, piece_octets);
    cluster_settle(&c);
    subscriber_check_all_came(subscribers);
    assert_int_equal(stats_of(&c, 0)->gn_merged, 2);
    assert_int_equal(stats_of(&c, 0)->gn_steered_out, 1);
    cluster_close(&c);
}

/* The time that an N-PDU may wait began when it was received, not when it was handed over. */
TEST(arrival_is_kept)
{
    struct cluster c;
    open_with(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    c.nodes[1].worker->trace = trace_new("handover", 16);
    assert_true(subscriber_send(subscribers, 0, 0, 100));
    cluster_step(&c, 0);
    c.now += KIT_MS;
    cluster_settle(&c);
    struct trace_event event;
    assert_true(trace_take(c.nodes[1].worker->trace, &event));
    assert_int_equal(event.at_ns - event.arrival_ns, KIT_MS);
    rte_ring_free(c.nodes[1].worker->trace);
    c.nodes[1].worker->trace = NULL;
    cluster_close(&c);
}

/* --- it is not taken there --- */

static const struct {
    const char *name;
    uint32_t teid;
    unsigned ends_at; /* worker */
    enum drop reason;
} ends[] = {
    {"stale at its worker", 0x10500000, 1, DROP_STALE_TEID},
    {"no slot at its worker", 0x10100000 + CLUSTER_PDPS, 1, DROP_UNKNOWN_TEID},
    {"stale here", 0x00500000, 0, DROP_STALE_TEID},
    {"a worker that is not", 0x20100000, 0, DROP_UNKNOWN_TEID},
    {"no generation", 0x10000000, 0, DROP_UNKNOWN_TEID},
};

TEST(ends_there)
{
    struct cluster c;
    open_with(&c, 2);
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct worker_stats *s = stats_of(&c, ends[i].ends_at);
        uint64_t before = s->gn_drops[ends[i].reason], answers = s->gn_error_indications;
        put(&c, 0, &(struct gn_frame){.teid = ends[i].teid, .inner_octets = 60});
        cluster_settle(&c);
        if (s->gn_drops[ends[i].reason] != before + 1 || s->gn_error_indications != answers + 1)
            fail_msg("%s", ends[i].name);
    }
    assert_int_equal(CLUSTER_SUM(&c, gn_steered_out), 2);
    cluster_close(&c);
}

/* The Error Indication goes to whom the frame came from, from where it went to, with its TEID. */
TEST(error_of_another)
{
    static const uint8_t want[] = {0x32, 26, 0, 16};
    struct cluster c;
    open_with(&c, 2);
    put(&c, 0, &(struct gn_frame){.teid = 0x10500003, .inner_octets = 60});
    cluster_settle(&c);
    struct rte_mbuf *mbuf = vport_pull(&c.nodes[1].gn);
    assert_non_null(mbuf);
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    assert_memory_equal(frame + GN_FRAME_GTP, want, sizeof(want));
    assert_memory_equal(frame + 26, ((const uint8_t[]){0xc0, 0, 2, 1, 0xc0, 0, 2, 2}), 8);
    assert_memory_equal(frame + GN_FRAME_GTP + 13, ((const uint8_t[]){0x10, 0x50, 0, 3}), 4);
    rte_pktmbuf_free(mbuf);
    cluster_close(&c);
}

/* Its address has to be one of ours at the worker that receives it. */
TEST(addresses)
{
    struct cluster c;
    struct msg add = {.type = MSG_GN_ADDRESS, .address = {.ip = OTHER_IP, .is_there = true}};
    struct msg del = {.type = MSG_GN_ADDRESS, .address = {.ip = KIT_SGSN_IP}};
    struct gn_frame in = {.teid = 0x10500003, .inner_octets = 60};
    open_with(&c, 2);
    cluster_do(&c, 0, &add);
    cluster_do(&c, 0, &del);
    assert_int_equal(cluster_order(&c, 0, &del), -1);
    put(&c, 0, &in);
    cluster_settle(&c);
    assert_int_equal(stats_of(&c, 0)->gn_drops[DROP_OTHER_ADDRESS], 1);
    cluster_close(&c);
}

/* --- foreign TEIDs --- */

static struct msg foreign_at(uint32_t teid, uint16_t worker, bool is_there)
{
    return (struct msg){
        .type = MSG_TUNNEL_AT,
        .tunnel = {.sgsn_ip = KIT_SGSN_IP, .teid = teid, .worker = worker, .is_there = is_there}};
}

/* A worker is told whose they are; what their bits say does not matter. */
TEST(foreign)
{
    static const uint32_t teids[] = {77, FOREIGN, 0x00100003, 0x10100009};
    for (size_t i = 0; i < COUNT(teids); i++) {
        struct cluster c;
        open_with(&c, 3);
        struct msg ms = subscriber_add(subscribers, 0, 1, 0), at = foreign_at(teids[i], 1, true);
        struct msg pdp = subscriber_add_context(subscribers, 0, 0);
        pdp.pdp.teid = subscribers->list[0].contexts[0].teid = teids[i];
        cluster_do(&c, 1, &ms);
        cluster_do(&c, 1, &pdp);
        cluster_do(&c, 0, &at);
        assert_int_equal(cluster_order(&c, 0, &at), -1);
        assert_true(subscriber_send(subscribers, 0, 0, 300));
        cluster_settle(&c);
        subscriber_check_all_came(subscribers);
        at.tunnel.is_there = false;
        cluster_do(&c, 0, &at);
        assert_int_equal(cluster_order(&c, 0, &at), -1);
        assert_true(subscriber_send(subscribers, 0, 0, 300));
        cluster_settle(&c);
        /* What is like one of worker 1's goes there all the same. */
        assert_int_equal(cluster_drops(&c), teids[i] >> 28 == 1 ? 0 : 1);
        cluster_close(&c);
    }
}

TEST(foreign_refused)
{
    struct cluster c;
    open_with(&c, 2);
    const struct msg orders[] = {foreign_at(77, 0, true), foreign_at(77, 2, true), foreign_at(77, 1, false)};
    for (size_t i = 0; i < COUNT(orders); i++)
        assert_int_equal(cluster_order(&c, 0, &orders[i]), -1);
    cluster_close(&c);
}

/* Two workers that each take a TEID for the other's do not pass a frame to and fro. */
TEST(no_circle)
{
    struct cluster c;
    struct msg first = foreign_at(77, 1, true), second = foreign_at(77, 0, true);
    open_with(&c, 2);
    cluster_do(&c, 0, &first);
    cluster_do(&c, 1, &second);
    put(&c, 0, &(struct gn_frame){.teid = 77, .inner_octets = 60});
    cluster_settle(&c);
    assert_int_equal(stats_of(&c, 1)->gn_drops[DROP_UNKNOWN_TEID], 1);
    assert_int_equal(CLUSTER_SUM(&c, gn_steered_out), 1);
    cluster_close(&c);
}

/* --- no room --- */

/* The other worker sleeps: the ring and the waiting room fill, the rest is dropped and counted. */
static void fill_the_way(struct cluster *c)
{
    unsigned sent = 0;
    open_with(c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < 400; k++)
            sent += subscriber_send(subscribers, 0, 0, 60);
        while (cluster_step(c, 0) <= c->now)
            ;
    }
    const struct worker_stats *s = stats_of(c, 0);
    assert_int_equal(sent, 1600);
    assert_int_equal(s->gn_steered_out, PORT_RING + PEERS_WAITING);
    assert_int_equal(s->gn_drops[DROP_XWORKER_FULL], 1600 - PORT_RING - PEERS_WAITING);
}

/* Then all that was kept arrives, in order. */
TEST(ring_full)
{
    struct cluster c;
    fill_the_way(&c);
    int64_t retry_ns = cluster_step(&c, 0);
    assert_true(retry_ns > c.now && retry_ns <= c.now + KIT_MS);
    cluster_settle_at(&c, retry_ns);
    assert_int_equal(stats_of(&c, 1)->npdu_out, stats_of(&c, 0)->gn_steered_out);
    cluster_close(&c);
}

/* What is on its way when everything ends is freed: cluster_close() counts the buffers. */
TEST(end_on_the_way)
{
    struct cluster c;
    open_with(&c, 2);
    subscriber_begin(subscribers, 0, 1, 0);
    for (unsigned k = 0; k < 100; k++)
        assert_true(subscriber_send(subscribers, 0, 0, 60));
    cluster_step(&c, 0);
    assert_int_equal(cluster_on_the_way(&c), WORKER_BURST);
    cluster_close(&c);
    fill_the_way(&c);
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
