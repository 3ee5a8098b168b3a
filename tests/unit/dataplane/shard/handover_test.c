/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that go from SGSN to SGSN while they go from worker to worker: holds, N-PDUs that are forwarded,
 * and those that wait behind forwarded ones. */
#include "dataplane/base/bytes.h"
#include "dataplane/worker/forward.h"
#include "tests/unit/dataplane/shard/subscriber.h"

#include "tests/unit/dataplane/worker/gn_frame.h"

#include <rte_mbuf.h>
#include <string.h>

#define OTHER_IP   0xc0000216u /* the other SGSN */
#define OTHER_TEID 0x0000cc05u
#define OCTETS     300

/* Mobile 0 of worker 0, served by `server`. */
static void open_at(struct cluster *c, unsigned server)
{
    cluster_open(c, NULL);
    subscriber_open_all(subscribers, c);
    subscriber_begin(subscribers, 0, 0, 0);
    if (server > 0)
        assert_int_equal(subscriber_go(subscribers, 0, server, 0), 0);
}

static struct msg hold(unsigned worker, bool is_held)
{
    return (struct msg){.type = MSG_MS_HOLD, .slot = subscriber_slot(0, worker), .is_held = is_held};
}

static struct msg forward(unsigned worker)
{
    return (struct msg){.type = MSG_PDP_FORWARD,
                        .slot = subscriber_slot(0, worker),
                        .forward = {.ip = OTHER_IP, .teid = OTHER_TEID, .nsapi = KIT_NSAPI}};
}

static struct msg from(uint32_t ip)
{
    return (struct msg){.type = MSG_PDP_FROM, .slot = subscriber_pdp_slot(0, 0, 0), .forwarder_ip = ip};
}

static void do_hold(struct cluster *c, unsigned worker, bool is_held)
{
    const struct msg msg = hold(worker, is_held);
    cluster_do(c, worker, &msg);
}

static void do_from(struct cluster *c, uint32_t ip)
{
    const struct msg msg = from(ip);
    cluster_do(c, 0, &msg);
}

static void send(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_true(subscriber_send(subscribers, 0, 0, OCTETS));
}

/* --- holds --- */

/* Nothing leaves wherever it goes, and everything when the hold ends, in order. */
TEST(held_on_the_way)
{
    for (unsigned server = 0; server < 2; server++) {
        struct cluster c;
        open_at(&c, server);
        do_hold(&c, server, true);
        send(3);
        cluster_settle(&c);
        assert_int_equal(subscriber_go(subscribers, 0, 1 - server, 1), 0);
        send(3);
        cluster_settle(&c);
        assert_int_equal(subscriber_go(subscribers, 0, server, 0), 0);
        send(3);
        cluster_settle(&c);
        assert_int_equal(subscribers->list[0].frames, 0);
        do_hold(&c, server, false);
        assert_int_equal(subscribers->list[0].frames, 9);
        subscriber_check_all_came(subscribers);
        cluster_close(&c);
    }
}

/* No worker could take it: it is held where it arrives in the end. */
TEST_IN(held_and_nowhere, struct cluster, c, open_at(c, 0), cluster_close(c))
{
    do_hold(c, 0, true);
    send(2);
    cluster_settle(c);
    assert_int_equal(subscriber_go(subscribers, 0, 1, CLUSTER_CELLS), -1);
    send(2);
    cluster_settle(c);
    const struct msg none = hold(0, false);
    assert_int_equal(cluster_order(c, 0, &none), -1);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 1), 0);
    assert_int_equal(subscribers->list[0].frames, 0);
    do_hold(c, 1, false);
    subscriber_check_all_came(subscribers);
}

/* --- forwarding --- */

/* Takes what left on Gn at any worker: the next ones of those that were sent. */
static void take_forwarded(struct cluster *c)
{
    struct subscriber_context *context = &subscribers->list[0].contexts[0];
    uint8_t want[OCTETS];
    struct rte_mbuf *mbuf;
    for (unsigned i = 0; i < c->options.workers; i++)
        for (; (mbuf = vport_pull(&c->nodes[i].gn)); rte_pktmbuf_free(mbuf)) {
            const uint8_t *frame = rte_pktmbuf_mtod(mbuf, uint8_t *);
            assert_int_equal(rte_pktmbuf_data_len(mbuf), GN_FRAME_INNER + OCTETS);
            assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 12), KIT_SGSN_IP);
            assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 16), OTHER_IP);
            assert_int_equal(bytes_get_u32(frame + GN_FRAME_GTP + 4), OTHER_TEID);
            gn_frame_inner(want, OCTETS, context->expected[context->seen++ % SUBSCRIBER_EXPECTED].seed);
            assert_memory_equal(frame + GN_FRAME_INNER, want, OCTETS);
        }
}

/* Steps all until all rest, and takes what leaves on Gn after each step. */
static void settle(struct cluster *c)
{
    for (unsigned i = 0; i < 1000; i++) {
        cluster_step(c, i % c->options.workers);
        take_forwarded(c);
    }
    cluster_settle(c);
    take_forwarded(c);
}

/* N-PDUs of a mobile at home, or away, are forwarded by the worker that serves it; a stream goes on. */
TEST(forwarded_by_its_server)
{
    for (unsigned server = 0; server < 2; server++) {
        struct cluster c;
        open_at(&c, server);
        const struct msg to = forward(server);
        do_hold(&c, server, true);
        send(100);
        settle(&c);
        (void)cluster_post(&c, server, &to);
        for (unsigned i = 0; i < 20; i++) {
            send(5);
            cluster_step(&c, i % 2);
            take_forwarded(&c);
        }
        settle(&c);
        subscriber_check_all_came(subscribers);
        assert_int_equal(cluster_stats(&c, server)->forward_npdu_out, 200);
        assert_int_equal(cluster_stats(&c, server)->npdu_out, 0);
        cluster_close(&c);
    }
}

/* It goes to another worker, and back, while its N-PDUs are on their way to the other SGSN. */
TEST(forwarded_and_moved)
{
    for (unsigned server = 0; server < 2; server++) {
        struct cluster c;
        open_at(&c, server);
        const struct msg to = forward(server);
        struct msg move = subscriber_move(subscribers, 0, 1 - server, 1);
        do_hold(&c, server, true);
        send(150);
        settle(&c);
        (void)cluster_post(&c, server, &to);
        if (server == 1)
            cluster_step(&c, 1); /* the order is done: some have left */
        (void)cluster_post(&c, 0, &move);
        send(10);
        settle(&c);
        subscriber_moved(subscribers, 0, 1 - server, 1);
        send(10);
        settle(&c);
        assert_true(cluster_stats(&c, 1 - server)->forward_npdu_out >= 20);
        assert_int_equal(subscriber_go(subscribers, 0, server, 0), 0);
        send(10);
        settle(&c);
        subscriber_check_all_came(subscribers);
        assert_int_equal(CLUSTER_SUM(&c, forward_npdu_out), 180);
        cluster_close(&c);
    }
}

/* Deleted with all that waits, at home, away or nowhere; cluster_close() holds that buffers came back. */
TEST(deleted)
{
    static const struct {
        unsigned server;
        uint16_t bvc; /* of a move that follows */
        bool is_context;
    } rows[] = {
        {0, 0, false}, {1, 0, false}, {0, CLUSTER_CELLS, false}, {1, 0, true}, {0, CLUSTER_CELLS, true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cluster c;
        open_at(&c, rows[i].server);
        const struct msg to = forward(rows[i].server);
        const struct msg del = {.type = rows[i].is_context ? MSG_PDP_DEL : MSG_MS_DEL,
                                .slot = rows[i].is_context ? subscriber_pdp_slot(0, 0, 0)
                                                           : subscriber_slot(0, 0)};
        struct msg move = subscriber_move(subscribers, 0, 1, rows[i].bvc);
        do_from(&c, OTHER_IP);
        do_hold(&c, rows[i].server, true);
        send(60);
        cluster_settle(&c); /* behind */
        (void)cluster_post(&c, rows[i].server, &to);
        if (rows[i].server == 1)
            cluster_step(&c, 1);
        else
            (void)cluster_post(&c, 0, &move);
        if (rows[i].bvc == CLUSTER_CELLS)
            cluster_settle(&c);
        cluster_do(&c, 0, &del);
        take_forwarded(&c);
        assert_int_equal(cluster_drops(&c) + CLUSTER_SUM(&c, forward_npdu_out), 60);
        assert_int_equal(c.nodes[0].worker->forward.count + c.nodes[1].worker->forward.count, 0);
        cluster_close(&c);
    }
}

/* --- a take-over --- */

enum { PLAYED = 12 };

/* N-PDUs of both sources, of which the old SGSN's are expected first, arrive in turns. */
static void send_both(struct cluster *c)
{
    static uint8_t frames[PLAYED][KIT_FRAME_OCTETS];
    size_t octets[PLAYED];
    for (unsigned i = 0; i < PLAYED; i++)
        octets[i] = subscriber_build(subscribers, 0, 0, OCTETS, frames[i]);
    for (unsigned i = 0; i < PLAYED / 2; i++) {
        bytes_put_u32(frames[i] + GN_FRAME_IP + 12, OTHER_IP);
        gn_frame_sum_ip(frames[i] + GN_FRAME_IP);
        cluster_put_gn(c, 0, frames[PLAYED / 2 + i], octets[PLAYED / 2 + i]);
        cluster_put_gn(c, 0, frames[i], octets[i]);
    }
}

/* Forwarded ones first, then those of the GGSN, though the mobile moves meanwhile, or is nowhere for a time.
 */
TEST(taken_over_on_the_way)
{
    static const struct {
        unsigned server;
        unsigned hops, to[3];
        uint16_t bvc[3];
        bool is_told_late; /* nowhere, when the old SGSN is named */
    } rows[] = {
        {0, 0, {0}, {0}, false},
        {1, 0, {0}, {0}, false},
        {0, 1, {1}, {1}, false},
        {1, 1, {0}, {1}, false},
        {0, 3, {1, 0, 1}, {0}, false},
        {0, 2, {1, 1}, {CLUSTER_CELLS, 1}, false},
        {0, 2, {1, 0}, {CLUSTER_CELLS, 1}, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct cluster c;
        unsigned server = rows[i].server;
        open_at(&c, server);
        do_hold(&c, server, true);
        if (!rows[i].is_told_late) {
            do_from(&c, OTHER_IP);
            send_both(&c);
        }
        cluster_settle(&c);
        for (unsigned hop = 0; hop < rows[i].hops; hop++) {
            bool is_nowhere = rows[i].bvc[hop] == CLUSTER_CELLS;
            assert_int_equal(subscriber_go(subscribers, 0, rows[i].to[hop], rows[i].bvc[hop]),
                             is_nowhere ? -1 : 0);
            server = is_nowhere ? server : rows[i].to[hop];
            if (is_nowhere && rows[i].is_told_late) {
                do_from(&c, OTHER_IP);
                send_both(&c);
                cluster_settle(&c);
            }
        }
        assert_int_equal(subscribers->list[0].frames, 0);
        do_hold(&c, server, false);
        subscriber_check_all_came(subscribers);
        assert_int_equal(cluster_stats(&c, 0)->forward_npdu_in, PLAYED / 2);
        assert_int_equal(cluster_drops(&c), 0);
        do_from(&c, ADDRESS_NONE);
        assert_int_equal(c.nodes[0].worker->forward.count + c.nodes[1].worker->forward.count, 0);
        cluster_close(&c);
    }
}

/* The old SGSN is done while the mobile is away, or nowhere, and held. */
TEST(old_sgsn_done)
{
    for (unsigned is_nowhere = 0; is_nowhere < 2; is_nowhere++) {
        struct cluster c;
        open_at(&c, 1);
        do_hold(&c, 1, true);
        do_from(&c, OTHER_IP);
        send_both(&c);
        cluster_settle(&c);
        if (is_nowhere)
            assert_int_equal(subscriber_go(subscribers, 0, 0, CLUSTER_CELLS), -1);
        do_from(&c, ADDRESS_NONE);
        if (is_nowhere)
            assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
        send(3);
        cluster_settle(&c);
        assert_int_equal(subscribers->list[0].frames, 0);
        assert_int_equal(c.nodes[1].worker->forward.count, 0);
        do_hold(&c, 1, false);
        subscriber_check_all_came(subscribers);
        cluster_close(&c);
    }
}

/* --- another end at the GGSN --- */

static const struct pdp_params *params_at(const struct cluster *c, unsigned worker)
{
    return &c->nodes[worker].worker->context.pdps[subscriber_pdp_slot(0, 0, worker)].params;
}

/* Uplink N-PDUs leave from the server, which knows it, too; and so does the next one. */
TEST_IN(another_ggsn, struct cluster, c, open_at(c, 1), cluster_close(c))
{
    struct msg order = {
        .type = MSG_PDP_GGSN, .slot = subscriber_pdp_slot(0, 0, 0), .ggsn = {KIT_GGSN_IP + 1, 0x3003}};
    cluster_do(c, 0, &order);
    for (unsigned worker = 0; worker < 2; worker++)
        assert_true(params_at(c, worker)->ggsn_ip == KIT_GGSN_IP + 1 &&
                    params_at(c, worker)->ggsn_teid == 0x3003);
    send(1);
    cluster_settle(c); /* from the former one */
    assert_int_equal(cluster_stats(c, 0)->gn_drops[DROP_OTHER_GGSN], 1);
    assert_int_equal(subscriber_go(subscribers, 0, 0, CLUSTER_CELLS), -1);
    order.ggsn = (struct msg_ggsn){KIT_GGSN_IP, KIT_GGSN_TEID};
    cluster_do(c, 0, &order);
    assert_int_equal(subscriber_go(subscribers, 0, 1, 0), 0);
    assert_true(params_at(c, 1)->ggsn_ip == KIT_GGSN_IP && params_at(c, 1)->ggsn_teid == KIT_GGSN_TEID);
    order.ggsn.ip = address_of_place(9);
    assert_int_equal(cluster_order(c, 0, &order), -1);
}

UNIT_MAIN(subscriber_start, subscriber_stop)
