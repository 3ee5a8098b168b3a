/* SPDX-License-Identifier: BSD-3-Clause */
/* N-PDUs that leave for another SGSN: their order, each once or counted, ways that are not open yet, and the
 * end. */
#include "dataplane/base/bytes.h"
#include "dataplane/worker/forward.h"
#include "tests/unit/dataplane/worker/gb_phone.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define S            MOMENT_SECOND
#define OTHER_IP     0xc0000216u /* the other SGSN */
#define OTHER_TEID   0x0000cc05u
#define THIRD_IP     0xc0000219u
#define GN_PN        0x31 /* flags with an N-PDU number */
#define LONG_OCTETS  4    /* more of such a header */
#define MANY         1000
#define LEAST_OCTETS 60

static void hold(struct kit *kit, bool is_held)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_HOLD, .is_held = is_held});
}

static struct msg forward_to(uint32_t ip)
{
    return (struct msg){.type = MSG_PDP_FORWARD,
                        .forward = {.ip = ip, .teid = OTHER_TEID, .nsapi = KIT_NSAPI}};
}

static uint16_t octets_of(unsigned i)
{
    return (uint16_t)(LEAST_OCTETS + i * 37 % 900);
}

/* N-PDU number i comes from the GGSN. */
static void put_down(struct kit *kit, unsigned i)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {.teid = KIT_TEID, .inner_octets = octets_of(i), .seed = (uint16_t)i};
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
}

/* The next frame on Gn is N-PDU number i on its way to the other SGSN, unchanged. number: of SNDCP, -1:
 * without one. */
static void expect(struct kit *kit, unsigned i, int number)
{
    uint8_t frame[KIT_FRAME_OCTETS], inner[KIT_FRAME_OCTETS];
    size_t octets = kit_take_gn(kit, frame), header = GN_FRAME_INNER + (number < 0 ? 0 : LONG_OCTETS);
    assert_int_equal(octets, header + octets_of(i));
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 12), KIT_SGSN_IP);
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 16), OTHER_IP);
    assert_int_equal(bytes_get_u16(frame + GN_FRAME_UDP + 2), 2152);
    assert_int_equal(frame[GN_FRAME_GTP], number < 0 ? 0x30 : GN_PN);
    assert_int_equal(frame[GN_FRAME_GTP + 1], 255);
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_GTP + 4), OTHER_TEID);
    if (number >= 0)
        assert_int_equal(frame[GN_FRAME_GTP + 10], number);
    gn_frame_inner(inner, octets_of(i), (uint16_t)i);
    assert_memory_equal(frame + header, inner, octets_of(i));
}

static void expect_all(struct kit *kit, unsigned from, unsigned end)
{
    for (unsigned i = from; i < end; i++)
        expect(kit, i, -1);
    assert_int_equal(kit_drain(&kit->gn), 0);
}

/* N-PDUs of one context in three classes; the stream goes on while those before are on their way. */
static void play_classes(const struct kit_options *options)
{
    static const uint8_t classes[] = {QCLASS_BACKGROUND, QCLASS_THP1, QCLASS_STREAMING};
    struct kit kit;
    const struct msg to = forward_to(OTHER_IP);
    kit_open(&kit, options);
    hold(&kit, true);
    for (unsigned i = 0; i < MANY; i++) {
        if (i == MANY * 7 / 10) {
            assert_int_equal(context_queued_pkts(&kit.worker->context), i);
            kit_do(&kit, &to);
            expect_all(&kit, 0, i);
        }
        kit.now += i % 3 * KIT_MS;
        kit_do(&kit, &(struct msg){.type = MSG_PDP_QCLASS, .qclass = classes[i * 7 / 3 % 3]});
        put_down(&kit, i);
        if (i >= MANY * 7 / 10)
            expect_all(&kit, i, i + 1);
    }
    assert_int_equal(kit_drain(&kit.gb), 0);
    assert_int_equal(kit.worker->stats.forward_npdu_out, MANY);
    assert_int_equal(kit.worker->stats.npdu_out, 0);
    kit_close(&kit);
}

TEST_CALL(in_order_of_arrival, play_classes(&(struct kit_options){.lifetime_ns = S / 2}))

TEST(in_order_of_flow_queues)
{
    struct context_policy policy;
    context_policy_default(&policy);
    policy.sched.flow_queues = 4;
    policy.sched.drops_duplicates = true;
    play_classes(&(struct kit_options){.policy = &policy});
}

/* A step sends no more than its part. */
KIT_TEST(a_part_in_a_step, NULL)
{
    const struct msg to = forward_to(OTHER_IP);
    hold(kit, true);
    for (unsigned i = 0; i < 3 * FORWARD_BURST; i++)
        put_down(kit, i);
    assert_true(msg_put(kit->worker->rings.to_worker, &to));
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(worker_step(kit->worker, kit->now), kit->now);
        for (unsigned k = 0; k < FORWARD_BURST; k++)
            expect(kit, i * FORWARD_BURST + k, -1);
        assert_int_equal(kit_drain(&kit->gn), 0);
    }
    struct msg msg;
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg) && msg.type == MSG_ANSWER && msg.answer.status == 0);
}

/* One of which segments have left goes whole, before all others. */
KIT_TEST(partly_sent, &(struct kit_options){.n201_u = 200})
{
    const struct msg to = forward_to(OTHER_IP);
    kit_flow(kit, 700, 8000);
    for (unsigned i = 20; i < 26; i++)
        put_down(kit, i); /* of 800 octets and more */
    assert_int_equal(kit->worker->stats.npdu_out, 0);
    assert_true(kit_drain(&kit->gb) > 0);
    hold(kit, true);
    kit_do(kit, &to);
    expect_all(kit, 20, 26);
    (void)kit_settle_at(kit, kit->now + 100 * S);
    assert_int_equal(kit_drain(&kit->gb), 0);
}

/* Refused, with nothing changed. */
KIT_TEST(refused_orders, NULL)
{
    struct msg to = forward_to(OTHER_IP);
    assert_int_equal(kit_order(kit, &to), -1); /* not held */
    hold(kit, true);
    put_down(kit, 0);
    to.forward.nsapi = KIT_NSAPI + 1;
    assert_int_equal(kit_order(kit, &to), -1);
    to.forward.nsapi = 200;
    assert_int_equal(kit_order(kit, &to), -1);
    to = forward_to(address_of_place(0));
    assert_int_equal(kit_order(kit, &to), -1); /* not known, and of another version */
    assert_int_equal(kit->worker->forward.count, 0);
    hold(kit, false);
    assert_int_equal(kit_drain(&kit->gb), 1);
}

/* Forwarding ends, or never begins, as the other side has no tunnel: all is counted. After the hold nothing
 * of that is left. */
KIT_TEST(to_nowhere, NULL)
{
    static const struct {
        uint32_t ip, teid;
    } rows[] = {{ADDRESS_NONE, OTHER_TEID}, {OTHER_IP, 0}, {OTHER_IP, UINT32_MAX}};
    const uint64_t *dropped = &kit->worker->stats.gn_drops[DROP_HANDED_OVER];
    for (unsigned i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        struct msg to = forward_to(OTHER_IP);
        uint64_t before = *dropped;
        hold(kit, true);
        put_down(kit, 0);
        if (i % 2) {
            kit_do(kit, &to);
            expect_all(kit, 0, 1);
        }
        to.forward.ip = rows[i / 2].ip;
        to.forward.teid = rows[i / 2].teid;
        kit_do(kit, &to);
        assert_int_equal(*dropped - before, i % 2 ? 0 : 1);
        put_down(kit, 1);
        put_down(kit, 2);
        assert_int_equal(*dropped - before, i % 2 ? 2 : 3);
        assert_int_equal(kit_drain(&kit->gn) + kit_drain(&kit->gb), 0);
        hold(kit, false);
        put_down(kit, 3);
        assert_int_equal(kit_drain(&kit->gb), 1);
        assert_int_equal(kit->worker->forward.count, 0);
    }
}

/* --- a next hop that is not known yet --- */

static const struct kit_options unknown_hops = {.has_neighbours = true, .queue_limit_octets = 3000};

static void tell_hop(struct kit *kit)
{
    kit_do(kit, &(struct msg){.type = MSG_GN_HOP, .hop = {.ip = OTHER_IP, .mac = {2, 0, 0, 0, 0, 9}}});
}

/* Control was asked for the hop; takes its request away. */
static void expect_question(struct kit *kit)
{
    struct msg msg;
    assert_true(kit_take_msg(kit, &msg));
    assert_true(msg.type == MSG_HOP_WANTED && msg.hop.ip == OTHER_IP && !msg.hop.is_answer);
}

/* Held, and forwarded as soon as somebody knows the way; what comes meanwhile waits up to the mobile's limit.
 */
static void wait_for_hop(struct kit *kit)
{
    struct msg msg;
    const struct msg to = forward_to(OTHER_IP);
    hold(kit, true);
    put_down(kit, 0);
    assert_true(msg_put(kit->worker->rings.to_worker, &to));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg) && msg.type == MSG_ANSWER && msg.answer.status == 0);
    expect_question(kit);
}

KIT_TEST(waits_for_the_next_hop, &unknown_hops)
{
    wait_for_hop(kit);
    unsigned came = 1, octets = octets_of(0);
    for (; octets + octets_of(came) <= unknown_hops.queue_limit_octets; came++) {
        octets += octets_of(came);
        put_down(kit, came);
    }
    put_down(kit, 20); /* 800 octets */
    assert_int_equal(kit->worker->stats.gn_drops[DROP_QUEUE_FULL], 1);
    assert_int_equal(context_queued_pkts(&kit->worker->context), came);
    assert_int_equal(kit_drain(&kit->gn), 0);
    (void)kit_settle_at(kit, kit->now + S / 10);
    expect_question(kit);
    tell_hop(kit);
    (void)kit_settle_at(kit, kit->now + S / 10);
    expect_all(kit, 0, came);
    assert_int_equal(kit->worker->stats.forward_octets_out, octets);
    assert_int_equal(kit->worker->stats.forward_behind, 0);
}

/* The phone comes back: nothing has left, and all of it is the mobile's again, in order. */
KIT_TEST(comes_back, &unknown_hops)
{
    uint8_t frame[KIT_FRAME_OCTETS], inner[KIT_FRAME_OCTETS];
    wait_for_hop(kit);
    for (unsigned i = 1; i < 10; i++)
        put_down(kit, i);
    hold(kit, false);
    put_down(kit, 10);
    for (unsigned i = 0; i < 11; i++) {
        size_t octets = kit_take_gb(kit, frame);
        gn_frame_inner(inner, octets_of(i), (uint16_t)i);
        assert_true(octets > octets_of(i) + 3u);
        assert_memory_equal(frame + octets - 3 - octets_of(i), inner, octets_of(i));
    }
    assert_int_equal(kit->worker->stats.npdu_out, 11);
    assert_int_equal(kit->worker->forward.count, 0);
}

/* N-PDUs of which segments have left begin again when the phone comes back. */
KIT_TEST(partly_sent_comes_back, &(struct kit_options){.n201_u = 200, .has_neighbours = true})
{
    struct msg to = forward_to(OTHER_IP);
    kit_flow(kit, 700, 8000);
    for (unsigned i = 20; i < 23; i++)
        put_down(kit, i);
    assert_true(kit_drain(&kit->gb) > 0);
    hold(kit, true);
    assert_true(msg_put(kit->worker->rings.to_worker, &to));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &to));
    expect_question(kit);
    kit_flow(kit, 100000, 800000);
    hold(kit, false);
    unsigned again = kit_drain(&kit->gb);
    for (unsigned i = 20; i < 23; i++)
        put_down(kit, i);
    assert_int_equal(again, kit_drain(&kit->gb));
}

/* One that may go does not wait for another's way. */
KIT_TEST(each_has_its_way, &unknown_hops)
{
    const struct msg second = kit_pdp(1, 0, KIT_NSAPI + 1, KIT_TEID + 1);
    struct msg to = forward_to(THIRD_IP);
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {.teid = KIT_TEID + 1, .inner_octets = octets_of(7), .seed = 7};
    kit_do(kit, &second);
    kit_do(kit, &(struct msg){.type = MSG_GN_HOP, .hop = {.ip = THIRD_IP, .mac = {2, 0, 0, 0, 0, 8}}});
    wait_for_hop(kit);
    to.forward.nsapi = KIT_NSAPI + 1;
    kit_do(kit, &to);
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    assert_int_equal(kit_take_gn(kit, frame), GN_FRAME_INNER + octets_of(7));
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 16), THIRD_IP);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 1);
}

/* Deleted with what waits; kit_close() holds that all buffers came back. */
static void delete_waiting(struct kit *kit, uint16_t type)
{
    wait_for_hop(kit);
    put_down(kit, 1);
    kit_do(kit, &(struct msg){.type = type});
    assert_int_equal(kit->worker->stats.gn_drops[DROP_CONTEXT_DELETED], 2);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 0);
    (void)kit_settle_at(kit, kit->now + S);
    assert_int_equal(kit->worker->forward.count, 0);
    if (type == MSG_MS_DEL)
        kit_do(kit, &(struct msg){.type = MSG_MS_ADD, .ms = kit_ms(kit, 0, KIT_TLLI).ms});
    struct msg pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    kit_do(kit, &pdp);
    hold(kit, false);
    put_down(kit, 2);
    assert_int_equal(kit_drain(&kit->gb), 1);
}

KIT_TEST(context_deleted, &unknown_hops)
{
    delete_waiting(kit, MSG_PDP_DEL);
}

KIT_TEST(mobile_deleted, &unknown_hops)
{
    delete_waiting(kit, MSG_MS_DEL);
}

/* The worker ends with what waits. */
KIT_TEST(worker_ends, &unknown_hops)
{
    wait_for_hop(kit);
}

/* They have the mark of their class. */
KIT_TEST(marked, &(struct kit_options){.gn_marking = {.dscp = {10, 10, 10, 10, 10, 10, 10, 10}}})
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct msg to = forward_to(OTHER_IP);
    hold(kit, true);
    kit_do(kit, &to);
    put_down(kit, 0);
    assert_true(kit_take_gn(kit, frame) > 0);
    assert_int_equal(frame[GN_FRAME_IP + 1] >> 2, 10);
}

/* --- long N-PDUs --- */

/* In fragments, or counted where nothing is fragmented. */
static void send_long(bool is_whole)
{
    struct kit kit;
    const struct msg to = forward_to(OTHER_IP);
    kit_open(&kit, &(struct kit_options){.gn_mtu_octets = 600, .is_gn_whole = is_whole});
    hold(&kit, true);
    kit_do(&kit, &to);
    for (unsigned i = 20; i < 22; i++)
        put_down(&kit, i);
    put_down(&kit, 0);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_HANDED_OVER], is_whole ? 2 : 0);
    assert_int_equal(kit.worker->stats.forward_npdu_out, is_whole ? 1 : 3);
    assert_int_equal(kit_drain(&kit.gn), is_whole ? 1 : 5);
    kit_close(&kit);
}

TEST_CALL(long_in_fragments, send_long(false))
TEST_CALL(long_and_dropped, send_long(true))

/* --- acknowledged mode --- */

enum { SENT = 5, QUEUED = 4 };

/* SENT N-PDUs were sent and none is confirmed, the next has begun to leave, others wait. */
static void send_unconfirmed(struct gb_phone *p, struct kit *kit, bool compresses)
{
    gb_phone_open(p, kit, 0);
    if (compresses)
        gb_phone_compress(p);
    kit_flow(kit, 100000, 800000);
    gb_phone_down(p, 0, 400);
    gb_phone_play(p, kit->now + S); /* acknowledged mode is there */
    assert_int_equal(p->received, 1);
    p->loss_ppm = 1000000 - 1;
    for (unsigned i = 1; i <= SENT; i++)
        gb_phone_down(p, i, 400);
    gb_phone_play(p, kit->now + S / 2);
    kit_flow(kit, 600, 800);
    for (unsigned i = 0; i < QUEUED; i++)
        gb_phone_down(p, SENT + 1 + i, 1400);
    gb_phone_lose_air(p);
    assert_int_equal(kit_drain(&kit->gb), 1); /* a segment */
}

/* The octets of gb_phone_down(). */
static void check_n_pdu(const uint8_t *n_pdu, unsigned i, uint16_t octets, bool compresses)
{
    uint8_t inner[KIT_FRAME_OCTETS];
    assert_int_equal(bytes_get_u16(n_pdu + octets - 2), i);
    if (compresses) {
        assert_int_equal(bytes_get_u16(n_pdu + 4), i);
        for (unsigned k = 40; k < octets - 2u; k++)
            assert_int_equal(n_pdu[k], "a page of text, "[k * k % 251 % 16]);
        return;
    }
    gn_frame_inner(inner, octets, (uint16_t)i);
    assert_memory_equal(n_pdu, inner, octets - 2u);
}

/* The next frame on Gn has N-PDU i, and its number or, -1, none. */
static void expect_numbered(struct kit *kit, unsigned i, int number, bool compresses)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    uint16_t octets = i <= SENT ? 400 : 1400;
    size_t header = GN_FRAME_INNER + (number < 0 ? 0 : LONG_OCTETS);
    assert_int_equal(kit_take_gn(kit, frame), header + octets);
    assert_int_equal(frame[GN_FRAME_GTP], number < 0 ? 0x30 : GN_PN);
    if (number >= 0)
        assert_int_equal(frame[GN_FRAME_GTP + 10], number);
    check_n_pdu(frame + header, i, octets, compresses);
}

/* N-PDUs that were sent have their numbers, and go first. A compressed one of those that wait fits the
 * bucket: it was sent, too; of a plain one a segment was. */
static void forward_unconfirmed(bool compresses)
{
    struct kit kit;
    struct gb_phone p;
    const struct msg to = forward_to(OTHER_IP);
    kit_open(&kit, &gb_phone_options);
    send_unconfirmed(&p, &kit, compresses);
    const struct worker_stats *s = &kit.worker->stats;
    uint64_t out = s->npdu_out;
    hold(&kit, true);
    assert_true(s->abm_held > 0);
    kit_do(&kit, &to);
    assert_int_equal(s->abm_held, 0);
    for (unsigned i = 1; i <= SENT + QUEUED; i++)
        expect_numbered(&kit, i, i <= SENT + 1 ? (int)i : -1, compresses);
    assert_int_equal(s->forward_unconfirmed, SENT + compresses);
    assert_int_equal(s->forward_npdu_out, QUEUED - compresses);
    assert_int_equal(s->npdu_out, out);
    gb_phone_close(&p);
    kit_close(&kit);
}

TEST_CALL(unconfirmed_first, forward_unconfirmed(false))
TEST_CALL(unconfirmed_and_compressed, forward_unconfirmed(true))

/* The answer to a hold has the numbers of the next N-PDUs: those that were sent have theirs. */
TEST(numbers_told)
{
    struct kit kit;
    struct gb_phone p;
    struct msg msg = {.type = MSG_MS_HOLD, .is_held = true};
    kit_open(&kit, &gb_phone_options);
    struct msg other = kit_pdp(1, 0, KIT_NSAPI + 2, KIT_TEID + 1); /* not acknowledged */
    kit_do(&kit, &other);
    gb_phone_open(&p, &kit, 0);
    kit_flow(&kit, 100000, 800000);
    for (unsigned i = 0; i < 5; i++)
        gb_phone_down(&p, i, 400);
    for (unsigned i = 0; i < 3; i++)
        gb_phone_up(&p, i, 100);
    gb_phone_play(&p, kit.now + 10 * S);
    assert_true(p.received == 5 && p.received_up == 3);
    assert_true(msg_put(kit.worker->rings.to_worker, &msg));
    kit_settle(&kit);
    assert_true(kit_take_msg(&kit, &msg) && msg.type == MSG_ANSWER && msg.answer.status == 0);
    assert_int_equal(msg.answer.n_pdus.nsapis, 1);
    assert_int_equal(msg.answer.n_pdus.send[0], 5);
    assert_int_equal(msg.answer.n_pdus.receive[0], 3);
    gb_phone_close(&p);
    kit_close(&kit);
}

/* Answers, and questions for the next hop. */
static void take_messages(struct kit *kit)
{
    struct msg msg;
    while (kit_take_msg(kit, &msg))
        assert_true(msg.type == MSG_HOP_WANTED || (msg.type == MSG_ANSWER && msg.answer.status == 0));
}

/* Nothing has left for the other SGSN when the phone comes back: it gets each N-PDU once, in order. */
static void return_unconfirmed(bool compresses)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options options = gb_phone_options;
    const struct msg to = forward_to(OTHER_IP);
    options.has_neighbours = true;
    kit_open(&kit, &options);
    send_unconfirmed(&p, &kit, compresses);
    hold(&kit, true);
    assert_true(msg_put(kit.worker->rings.to_worker, &to));
    kit_settle(&kit);
    take_messages(&kit);
    assert_int_equal(kit.worker->stats.abm_held, 0);
    p.loss_ppm = 0;
    kit_flow(&kit, 100000, 800000);
    gb_phone_play(&p, kit.now + 5 * S);
    assert_int_equal(p.received, 1);
    take_messages(&kit);
    hold(&kit, false);
    gb_phone_play(&p, kit.now + 60 * S);
    assert_int_equal(p.received, 1 + SENT + QUEUED);
    assert_int_equal(kit.worker->stats.abm_held, 0);
    gb_phone_close(&p);
    kit_close(&kit);
}

TEST_CALL(unconfirmed_comes_back, return_unconfirmed(false))
TEST_CALL(compressed_comes_back, return_unconfirmed(true))

/* The context ends while they wait: those that were sent are abandoned, the others dropped. */
TEST(unconfirmed_and_deleted)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options options = gb_phone_options;
    const struct msg to = forward_to(OTHER_IP);
    options.has_neighbours = true;
    kit_open(&kit, &options);
    send_unconfirmed(&p, &kit, false);
    hold(&kit, true);
    assert_true(msg_put(kit.worker->rings.to_worker, &to));
    kit_settle(&kit);
    take_messages(&kit);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_DEL});
    assert_int_equal(kit.worker->stats.abm_abandoned, SENT);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_CONTEXT_DELETED], QUEUED);
    gb_phone_close(&p);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
