/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that reach another worker than the one that their TEID names. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/shard/subscriber.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/fate.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdlib.h>
#include <string.h>

#define N_PDUS    3000
#define OTHER_IP  0xc0000299u
#define FOREIGN   0x20300007u /* looks like one of worker 2 */
#define PORT_RING 1023

static void open_with(struct cluster *c, unsigned workers)
{
    cluster_open(c, &(struct cluster_options){.workers = workers});
    subscriber_open_all(subscribers, c);
}

static void put(struct cluster *c, unsigned worker, const struct gn_frame *in)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    cluster_put_gn(c, worker, frame, gn_frame_build(frame, in));
}

/* --- it arrives --- */

/* All to one worker, for mobiles of all: each gets all, in order. */
TEST_IN(through_one_port, struct cluster, c, open_with(c, 4), cluster_close(c))
{
    uint64_t chance = 1;
    for (uint32_t id = 0; id < 8; id++) {
        subscribers->list[id].receiver = 1;
        subscriber_begin(subscribers, id, id % 4, 0);
    }
    for (unsigned i = 0; i < N_PDUS; i++) {
        uint32_t id = (uint32_t)prng_below(&chance, 8);
        if (!subscriber_send(subscribers, id, 0, (uint16_t)prng_between(&chance, 20, 1500)) || i % 100 == 0)
            cluster_settle(c);
    }
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_drops(c), 0);
    assert_true(cluster_stats(c, 1)->gn_steered_out > N_PDUS / 2);
    assert_int_equal(CLUSTER_SUM(c, gn_steered_in), cluster_stats(c, 1)->gn_steered_out);
    for (unsigned worker = 0; worker < 4; worker++)
        assert_int_equal(cluster_stats(c, worker)->npdu_in, cluster_stats(c, worker)->npdu_out);
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

#define CLUSTER_TEST(name) TEST_IN(name, struct cluster, c, open_with(c, 2), cluster_close(c))

CLUSTER_TEST(any_shape)
{
    subscriber_begin(subscribers, 0, 1, 0);
    struct subscriber_context *context = &subscribers->list[0].contexts[0];
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct gn_frame in = shapes[i];
        in.teid = context->teid;
        context->expected[context->sent++] = (struct subscriber_sent){in.inner_octets, in.seed};
        put(c, 0, &in);
        cluster_settle(c);
    }
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_stats(c, 1)->npdu_out, COUNT(shapes));
}

/* Pieces of a datagram are put together where they arrive. */
CLUSTER_TEST(fragments)
{
    uint8_t whole[KIT_FRAME_OCTETS], piece[KIT_FRAME_OCTETS];
    subscriber_begin(subscribers, 0, 1, 0);
    struct subscriber_context *context = &subscribers->list[0].contexts[0];
    struct gn_frame in = {.teid = context->teid, .inner_octets = 1400, .seed = 9};
    size_t octets = gn_frame_build(whole, &in), piece_octets;
    context->expected[context->sent++] = (struct subscriber_sent){in.inner_octets, in.seed};
    for (unsigned i = 0; (piece_octets = gn_frame_fragment(piece, whole, octets, 600, i)) > 0; i++)
        cluster_put_gn(c, 0, piece, piece_octets);
    cluster_settle(c);
    subscriber_check_all_came(subscribers);
    assert_int_equal(cluster_stats(c, 0)->gn_merged, 2);
    assert_int_equal(cluster_stats(c, 0)->gn_steered_out, 1);
}

/* The time that an N-PDU may wait began when it was received, not when it was handed over. */
CLUSTER_TEST(arrival_is_kept)
{
    subscriber_begin(subscribers, 0, 1, 0);
    c->nodes[1].worker->trace = fate_trace_new("handover", 16);
    assert_true(subscriber_send(subscribers, 0, 0, 100));
    cluster_step(c, 0);
    c->now += KIT_MS;
    cluster_settle(c);
    struct trace_event event;
    assert_true(fate_trace_take(c->nodes[1].worker->trace, &event));
    assert_int_equal(event.at_ns - event.arrival_ns, KIT_MS);
    rte_ring_free(c->nodes[1].worker->trace);
    c->nodes[1].worker->trace = NULL;
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

CLUSTER_TEST(ends_there)
{
    for (size_t i = 0; i < COUNT(ends); i++) {
        struct worker_stats *s = cluster_stats(c, ends[i].ends_at);
        uint64_t before = s->gn_drops[ends[i].reason], answers = s->gn_error_indications;
        put(c, 0, &(struct gn_frame){.teid = ends[i].teid, .inner_octets = 60});
        cluster_settle(c);
        if (s->gn_drops[ends[i].reason] != before + 1 || s->gn_error_indications != answers + 1)
            fail_msg("%s", ends[i].name);
    }
    assert_int_equal(CLUSTER_SUM(c, gn_steered_out), 2);
}

/* The Error Indication goes to whom the frame came from, from where it went to, with its TEID. */
CLUSTER_TEST(error_of_another)
{
    static const uint8_t want[] = {0x32, 26, 0, 16};
    put(c, 0, &(struct gn_frame){.teid = 0x10500003, .inner_octets = 60});
    cluster_settle(c);
    struct rte_mbuf *mbuf = vport_pull(&c->nodes[1].gn);
    assert_non_null(mbuf);
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    assert_memory_equal(frame + GN_FRAME_GTP, want, sizeof(want));
    assert_memory_equal(frame + 26, ((const uint8_t[]){0xc0, 0, 2, 1, 0xc0, 0, 2, 2}), 8);
    assert_memory_equal(frame + GN_FRAME_GTP + 13, ((const uint8_t[]){0x10, 0x50, 0, 3}), 4);
    rte_pktmbuf_free(mbuf);
}

/* Its address has to be one of ours at the worker that receives it. */
CLUSTER_TEST(addresses)
{
    struct msg add = {.type = MSG_GN_ADDRESS, .address = {.ip = OTHER_IP, .is_there = true}};
    struct msg del = {.type = MSG_GN_ADDRESS, .address = {.ip = KIT_SGSN_IP}};
    struct gn_frame in = {.teid = 0x10500003, .inner_octets = 60};
    cluster_do(c, 0, &add);
    cluster_do(c, 0, &del);
    assert_int_equal(cluster_order(c, 0, &del), -1);
    put(c, 0, &in);
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_OTHER_ADDRESS], 1);
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

CLUSTER_TEST(foreign_refused)
{
    const struct msg orders[] = {foreign_at(77, 0, true), foreign_at(77, 2, true), foreign_at(77, 1, false)};
    for (size_t i = 0; i < COUNT(orders); i++)
        assert_int_equal(cluster_order(c, 0, &orders[i]), -1);
}

/* Two workers that each take a TEID for the other's do not pass a frame to and fro. */
CLUSTER_TEST(no_circle)
{
    struct msg first = foreign_at(77, 1, true), second = foreign_at(77, 0, true);
    cluster_do(c, 0, &first);
    cluster_do(c, 1, &second);
    put(c, 0, &(struct gn_frame){.teid = 77, .inner_octets = 60});
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 1)->gn_drops[DROP_UNKNOWN_TEID], 1);
    assert_int_equal(CLUSTER_SUM(c, gn_steered_out), 1);
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
    const struct worker_stats *s = cluster_stats(c, 0);
    assert_int_equal(sent, 1600);
    assert_int_equal(s->gn_steered_out, PORT_RING + XWORKER_WAITING);
    assert_int_equal(s->gn_drops[DROP_XWORKER_FULL], 1600 - PORT_RING - XWORKER_WAITING);
}

/* Then all that was kept arrives, in order. */
TEST_IN(ring_full, struct cluster, c, fill_the_way(c), cluster_close(c))
{
    int64_t retry_ns = cluster_step(c, 0);
    assert_true(retry_ns > c->now && retry_ns <= c->now + KIT_MS);
    cluster_settle_at(c, retry_ns);
    assert_int_equal(cluster_stats(c, 1)->npdu_out, cluster_stats(c, 0)->gn_steered_out);
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

/* Frames of Gb, and what a GGSN says of a tunnel, that reach another worker than the one they are for; and
 * uplink frames of mobiles that are not where they are heard. */

#define OTHERS_NSVC 1  /* worker 1's, besides the one that all have */
#define BVCI        2  /* of cell 0 of each worker */
#define FRAMES      40 /* of a burst */

/* Worker 1 has an NS-VC of its own, and the others know it. */
static void open(struct cluster *c, unsigned workers)
{
    struct msg nsvc = kit_nsvc(OTHERS_NSVC), use = {.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true};
    cluster_open(c, &(struct cluster_options){.workers = workers, .is_told = true});
    subscriber_open_all(subscribers, c);
    cluster_do(c, 1, &nsvc);
    cluster_do(c, 1, &use);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    for (unsigned i = 0; i < workers; i++)
        if (i != 1)
            cluster_do(c, i, &nsvc);
}

/* A frame of a subscriber's from cell 0, at a worker's port, on an NS-VC. */
static void steering_put(struct cluster *c, unsigned worker, uint8_t nsvc,
                         const struct gb_frame_uplink *given)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = *given;
    in.nsvc = nsvc;
    size_t octets = gb_frame_uplink(frame, &in);
    /* NS-UNITDATA of the kit's cell becomes that of cell 0. */
    frame[42 + 2] = 0;
    frame[42 + 3] = BVCI;
    cluster_put_gb(c, worker, frame, octets);
}

static struct gb_frame_uplink frame_of(uint32_t id, uint16_t nu)
{
    return (struct gb_frame_uplink){.tlli = subscribers->list[id].tlli, .nu = nu, .number = nu, .octets = 60};
}

/* --- frames of Gb --- */

/* Users' packets and signalling, a burst of each, in order. */
TEST_IN(goes_to_its_worker, struct cluster, c, open(c, 3), cluster_close(c))
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t alive[] = {0x0a};
    subscriber_begin(subscribers, 0, 1, 0);
    for (uint16_t i = 0; i < FRAMES; i++) {
        struct gb_frame_uplink in = frame_of(0, i);
        steering_put(c, i % 2 ? 0 : 2, OTHERS_NSVC, &in);
        cluster_settle(c);
    }
    assert_int_equal(cluster_stats(c, 1)->ul_npdu_out, FRAMES);
    cluster_put_gb(c, 2, frame, gb_frame_wrap(frame, OTHERS_NSVC, alive, sizeof(alive)));
    cluster_settle(c);
    struct msg msg;
    assert_true(cluster_take_told(c, 1, &msg));
    assert_true(msg.type == MSG_PUNT && msg.slot == 1 && rte_pktmbuf_data_len(msg.mbuf) == 1);
    rte_pktmbuf_free(msg.mbuf);
    assert_int_equal(cluster_stats(c, 0)->gb_steered_out, FRAMES / 2);
    assert_int_equal(cluster_stats(c, 2)->gb_steered_out, FRAMES / 2 + 1);
    assert_int_equal(cluster_stats(c, 1)->gb_steered_in, FRAMES + 1);
    assert_false(cluster_take_told(c, 0, &msg) || cluster_take_told(c, 2, &msg));
}

/* Of nobody's NS-VC, or of one that its worker has no more. */
TEST_IN(nobodys, struct cluster, c, open(c, 3), cluster_close(c))
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint8_t alive[] = {0x0a};
    cluster_put_gb(c, 0, frame, gb_frame_wrap(frame, 3, alive, sizeof(alive)));
    struct msg nsvc = kit_nsvc(3);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    cluster_do(c, 2, &nsvc);
    cluster_put_gb(c, 2, frame, gb_frame_wrap(frame, 3, alive, sizeof(alive)));
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 0)->gb_drops[DROP_UNKNOWN_NSVC], 1);
    assert_int_equal(cluster_stats(c, 0)->gb_steered_out, 0);
    assert_int_equal(cluster_stats(c, 1)->gb_drops[DROP_UNKNOWN_NSVC], 1);
}

#define OPEN_TEST(name) TEST_IN(name, struct cluster, c, open(c, 2), cluster_close(c))

OPEN_TEST(no_room_on_the_way)
{
    subscriber_begin(subscribers, 0, 1, 0);
    const unsigned room = XWORKER_RING - 1 + XWORKER_WAITING, frames = room + 100;
    for (unsigned i = 0; i < frames; i++) {
        struct gb_frame_uplink in = frame_of(0, (uint16_t)(i & 511));
        steering_put(c, 0, OTHERS_NSVC, &in);
        cluster_step(c, 0);
    }
    assert_int_equal(cluster_stats(c, 0)->gb_drops[DROP_XWORKER_FULL], 100);
    assert_int_equal(cluster_stats(c, 0)->gb_steered_out, room);
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 1)->gb_steered_in, room);
}

/* Orders that name a worker that is not, this one, or an endpoint that is in use. */
OPEN_TEST(bad_orders)
{
    struct msg nsvc = kit_nsvc(3);
    nsvc.type = MSG_NSVC_AT;
    for (nsvc.nsvc_at.worker = 1; nsvc.nsvc_at.worker < 4; nsvc.nsvc_at.worker++)
        assert_int_equal(cluster_order(c, 1, &nsvc), -1);
    nsvc = kit_nsvc(OTHERS_NSVC);
    nsvc.type = MSG_NSVC_AT;
    nsvc.nsvc_at.worker = 1;
    assert_int_equal(cluster_order(c, 0, &nsvc), -1);
}

/* --- strangers --- */

/* Control is told of a frame of a mobile that is not here, and gives it to the worker that has the mobile. */
OPEN_TEST(comes_back)
{
    struct msg msg;
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    steering_put(c, 1, 0, &in);
    cluster_settle(c);
    assert_true(cluster_take_told(c, 1, &msg));
    assert_int_equal(msg.type, MSG_UNKNOWN_TLLI);
    assert_true(msg.tlli == subscribers->list[0].tlli && msg.heard.bvci == BVCI && msg.nse == 0);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    msg = (struct msg){.type = MSG_UPLINK, .slot = subscriber_slot(0, 1), .mbuf = msg.mbuf};
    cluster_do(c, 1, &msg);
    assert_int_equal(cluster_stats(c, 1)->ul_npdu_out, 1);
    assert_int_equal(cluster_stats(c, 1)->gb_returned, 1);
    assert_int_equal(cluster_stats(c, 1)->gb_drops[DROP_UNKNOWN_TLLI], 0);
}

/* A worker that does not have the mobile refuses it. */
OPEN_TEST(comes_back_in_vain)
{
    struct msg msg;
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    steering_put(c, 1, 0, &in);
    cluster_settle(c);
    assert_true(cluster_take_told(c, 1, &msg));
    msg = (struct msg){.type = MSG_UPLINK, .slot = subscriber_slot(0, 1), .mbuf = msg.mbuf};
    assert_int_equal(cluster_order(c, 1, &msg), -1);
    assert_int_equal(cluster_stats(c, 1)->gb_returned, 0);
    assert_false(cluster_take_told(c, 1, &msg));
}

/* Where nobody wants to know they are dropped. */
TEST_IN(nobody_asks, struct cluster, c, cluster_open(c, &(struct cluster_options){.workers = 2}),
        cluster_close(c))
{
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    struct gb_frame_uplink in = frame_of(0, 0);
    steering_put(c, 1, 0, &in);
    cluster_settle(c);
    assert_int_equal(cluster_stats(c, 1)->gb_drops[DROP_UNKNOWN_TLLI], 1);
}

/* --- a GGSN's word --- */

static void put_error(struct cluster *c, unsigned worker, uint32_t from_ip, uint32_t teid)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const uint32_t ip[2] = {from_ip, KIT_SGSN_IP};
    const uint16_t port[2] = {2152, 2152};
    const uint8_t error[] = {0x32,
                             26,
                             0,
                             16,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0, /* sequence number */
                             16,
                             (uint8_t)(teid >> 24),
                             (uint8_t)(teid >> 16),
                             (uint8_t)(teid >> 8),
                             (uint8_t)teid,
                             133,
                             0,
                             4,
                             KIT_GGSN_IP >> 24,
                             KIT_GGSN_IP >> 16 & 255,
                             KIT_GGSN_IP >> 8 & 255,
                             KIT_GGSN_IP & 255};
    cluster_put_gn(c, worker, frame, gn_frame_wrap(frame, ip, port, error, sizeof(error)));
    cluster_settle(c);
}

/* The worker of the tunnel knows; any other one asks control, but not on the word of somebody else. */
OPEN_TEST(error_at_another_worker)
{
    struct msg msg;
    subscriber_begin(subscribers, 0, 1, 0);
    struct msg added = subscriber_add_context(subscribers, 0, 0);
    put_error(c, 0, KIT_GGSN_IP + 1, added.pdp.ggsn_teid);
    assert_false(cluster_take_told(c, 0, &msg));
    put_error(c, 0, KIT_GGSN_IP, added.pdp.ggsn_teid);
    assert_true(cluster_take_told(c, 0, &msg));
    assert_true(msg.type == MSG_TUNNEL_ERROR && msg.tunnel_error.is_elsewhere &&
                msg.tunnel_error.ggsn_ip == KIT_GGSN_IP && msg.tunnel_error.teid == added.pdp.ggsn_teid &&
                msg.tunnel_error.sgsn_ip == KIT_SGSN_IP);
    assert_int_equal(cluster_stats(c, 0)->gn_errors_elsewhere, 1);
    put_error(c, 1, KIT_GGSN_IP, added.pdp.ggsn_teid);
    assert_true(cluster_take_told(c, 1, &msg));
    assert_true(msg.type == MSG_TUNNEL_ERROR && !msg.tunnel_error.is_elsewhere);
    assert_int_equal(cluster_stats(c, 1)->gn_tunnel_errors, 1);
}

/* --- identifications --- */

enum { ECHO_OCTETS = 12, ECHOES = 400, IP_ID_AT = GN_FRAME_IP + 4 };

/* A worker's answer to an echo from one of many hosts; returns its IPv4 identification. */
static uint16_t answered_id(struct cluster *c, unsigned worker, uint32_t host)
{
    static const uint16_t ports[] = {2152, 2152};
    static const uint8_t echo[ECHO_OCTETS] = {0x32, 1, [3] = 4};
    const uint32_t ips[] = {0xc0000400 + host, KIT_SGSN_IP};
    uint8_t frame[KIT_FRAME_OCTETS];
    cluster_put_gn(c, worker, frame, gn_frame_wrap(frame, ips, ports, echo, ECHO_OCTETS));
    cluster_settle_at(c, c->now + MOMENT_SECOND);
    struct rte_mbuf *answer = vport_pull(&c->nodes[worker].gn);
    assert_non_null(answer);
    const uint8_t *at = rte_pktmbuf_mtod_offset(answer, const uint8_t *, IP_ID_AT);
    uint16_t id = (uint16_t)(at[0] << 8 | at[1]);
    rte_pktmbuf_free(answer);
    return id;
}

/* Workers send from one address: the other end must not join fragments of two (RFC 791, RFC 6864). */
static void no_identification_twice(unsigned workers)
{
    static bool is_used[UINT16_MAX + 1];
    struct cluster c;
    open_with(&c, workers);
    memset(is_used, 0, sizeof(is_used));
    for (uint32_t i = 0; i < ECHOES; i++) {
        uint16_t id = answered_id(&c, i / 3 % workers, i);
        assert_false(is_used[id]);
        is_used[id] = true;
    }
    cluster_close(&c);
}

/* One worker has used all of its numbers, and begins again; those that the others begin with are not its. */
static void no_identification_of_another(unsigned workers)
{
    static bool is_used[UINT16_MAX + 1];
    struct cluster c;
    open_with(&c, workers);
    memset(is_used, 0, sizeof(is_used));
    for (uint32_t i = 0; i < UINT16_MAX / workers + ECHOES; i++)
        is_used[answered_id(&c, 0, i)] = true;
    for (uint32_t i = 0; i < ECHOES; i++)
        assert_false(is_used[answered_id(&c, 1 + i % (workers - 1), i)]);
    cluster_close(&c);
}

TEST_CALL(identifications_after_the_wrap, no_identification_of_another(3))
TEST_CALL(identifications_of_two_workers, no_identification_twice(2))
TEST_CALL(identifications_of_three_workers, no_identification_twice(3))
TEST_CALL(identifications_of_four_workers, no_identification_twice(4))

/* --- orders --- */

/* An answer says what it is about; a fence does nothing. */
OPEN_TEST(answers_name_their_order)
{
    cluster_post(c, 0, &(struct msg){.type = MSG_FENCE, .slot = 77});
    cluster_settle(c);
    const struct msg *answer = &c->nodes[0].answers[c->nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_FENCE && answer->slot == 77 && answer->answer.status == 0);
    subscriber_begin(subscribers, 3, 0, 0);
    struct msg move = subscriber_move(subscribers, 3, 1, 0);
    cluster_post(c, 0, &move);
    cluster_settle(c);
    answer = &c->nodes[0].answers[c->nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_MS_MOVE && answer->slot == move.slot &&
                answer->answer.status == 0);
    cluster_post(c, 0, &(struct msg){.type = MSG_PDP_DEL, .slot = subscriber_pdp_slot(3, 0, 0)});
    cluster_settle(c);
    answer = &c->nodes[0].answers[c->nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_PDP_DEL && answer->slot == subscriber_pdp_slot(3, 0, 0));
    cluster_post(c, 0, &(struct msg){.type = MSG_MS_DEL, .slot = move.slot});
    cluster_settle(c);
    answer = &c->nodes[0].answers[c->nodes[0].answer_count - 1];
    assert_true(answer->answer.type == MSG_MS_DEL && answer->slot == move.slot && answer->answer.status == 0);
}

UNIT_MAIN(subscriber_start, subscriber_stop)
