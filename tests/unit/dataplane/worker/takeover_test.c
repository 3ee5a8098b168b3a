/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts that come from another SGSN: the sources of their G-PDUs, the order of N-PDUs while the mobile is
 * held and afterwards, and another GGSN's end of the tunnel. */
#include "dataplane/base/bytes.h"
#include "dataplane/worker/forward.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <string.h>

#define S          MOMENT_SECOND
#define OLD_IP     0xc0000216u /* the old SGSN */
#define GGSN_2_IP  0xc0000203u
#define GGSN_2     0x00003003u /* its TEID */
#define STRANGE_IP 0xc0000217u
#define NEXT_IP    0xc0000218u /* a third SGSN */
#define NEXT_TEID  0x0000dd05u
#define OCTETS     200
#define WITH_PN    1

static void hold(struct kit *kit, bool is_held)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_HOLD, .is_held = is_held});
}

static struct msg from(uint32_t ip)
{
    return (struct msg){.type = MSG_PDP_FROM, .forwarder_ip = ip};
}

/* N-PDU number i comes in a G-PDU from an address. */
static void put_from(struct kit *kit, uint32_t ip, unsigned i, uint8_t flags)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct gn_frame in = {
        .teid = KIT_TEID, .inner_octets = OCTETS, .seed = (uint16_t)i, .gtp_flags = flags};
    size_t octets = gn_frame_build(frame, &in);
    bytes_put_u32(frame + GN_FRAME_IP + 12, ip);
    gn_frame_sum_ip(frame + GN_FRAME_IP);
    kit_from_gn(kit, frame, octets);
}

static void expect_inner(const uint8_t *n_pdu, unsigned i)
{
    uint8_t inner[OCTETS];
    gn_frame_inner(inner, OCTETS, (uint16_t)i);
    assert_memory_equal(n_pdu, inner, OCTETS);
}

/* These N-PDUs have left for the mobile, in this order, and no other. */
static void expect_down(struct kit *kit, const unsigned *list, unsigned count)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    for (unsigned i = 0; i < count; i++) {
        size_t octets = kit_take_gb(kit, frame);
        assert_true(octets > OCTETS + 3);
        expect_inner(frame + octets - 3 - OCTETS, list[i]);
    }
    assert_int_equal(kit_drain(&kit->gb), 0);
}

#define EXPECT_DOWN(kit, ...)                                                                                \
    expect_down(kit, (const unsigned[]){__VA_ARGS__}, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

/* Who may send to the context, with each option of GTP-U's header. */
static void play_sources(bool is_any_ggsn)
{
    struct kit kit;
    struct msg order = from(OLD_IP);
    kit_open(&kit, &(struct kit_options){.is_any_ggsn = is_any_ggsn});
    const struct worker_stats *s = &kit.worker->stats;
    put_from(&kit, OLD_IP, 0, 0);
    assert_int_equal(kit_drain(&kit.gb), is_any_ggsn);
    assert_int_equal(s->forward_npdu_in, 0);
    kit_do(&kit, &order);
    for (uint8_t flags = 0; flags < 4; flags++)
        put_from(&kit, OLD_IP, 1 + flags, flags);
    EXPECT_DOWN(&kit, 1, 2, 3, 4);
    assert_int_equal(s->forward_npdu_in, 4);
    assert_int_equal(s->forward_octets_in, 4 * OCTETS);
    put_from(&kit, KIT_GGSN_IP, 5, 0);
    put_from(&kit, STRANGE_IP, 6, 0);
    assert_int_equal(kit_drain(&kit.gb), 1 + is_any_ggsn);
    kit_do(&kit, &(struct msg){.type = MSG_PDP_FROM});
    put_from(&kit, OLD_IP, 7, 0);
    assert_int_equal(kit_drain(&kit.gb), is_any_ggsn);
    assert_int_equal(s->gn_drops[DROP_OTHER_GGSN], is_any_ggsn ? 0 : 3);
    assert_int_equal(s->forward_npdu_in, 4);
    assert_int_equal(kit.worker->forward.count + kit.worker->forward.froms, 0);
    kit_close(&kit);
}

TEST_CALL(of_its_ggsn, play_sources(false))
TEST_CALL(of_any_ggsn, play_sources(true))

/* While it is held the GGSN's wait behind; afterwards each is queued as it comes. */
KIT_TEST(forwarded_ones_go_first, NULL)
{
    const struct msg order = from(OLD_IP);
    hold(kit, true);
    kit_do(kit, &order);
    for (unsigned i = 0; i < 6; i++)
        put_from(kit, i % 2 ? OLD_IP : KIT_GGSN_IP, i, i == 3 ? WITH_PN : 0);
    assert_int_equal(kit_drain(&kit->gb), 0);
    assert_int_equal(context_queued_pkts(&kit->worker->context), 6);
    assert_int_equal(kit->worker->stats.forward_behind, 3);
    hold(kit, false);
    EXPECT_DOWN(kit, 1, 3, 5, 0, 2, 4);
    put_from(kit, KIT_GGSN_IP, 6, 0);
    put_from(kit, OLD_IP, 7, 0);
    EXPECT_DOWN(kit, 6, 7);
    assert_int_equal(kit->worker->stats.forward_behind, 3);
    hold(kit, true); /* another hold is not that of a take-over */
    put_from(kit, KIT_GGSN_IP, 8, 0);
    put_from(kit, OLD_IP, 9, 0);
    hold(kit, false);
    EXPECT_DOWN(kit, 8, 9);
}

/* The old SGSN has no more: what waits behind it is queued, though the mobile is still held. */
KIT_TEST(the_old_one_is_done, NULL)
{
    const struct msg order = from(OLD_IP);
    hold(kit, true);
    kit_do(kit, &order);
    put_from(kit, KIT_GGSN_IP, 0, 0);
    put_from(kit, OLD_IP, 1, 0);
    kit_do(kit, &(struct msg){.type = MSG_PDP_FROM});
    put_from(kit, KIT_GGSN_IP, 2, 0);
    assert_int_equal(kit->worker->forward.count, 0);
    hold(kit, false);
    EXPECT_DOWN(kit, 1, 0, 2);
}

/* Without a hold nothing waits. */
KIT_TEST(not_held, NULL)
{
    const struct msg order = from(OLD_IP);
    kit_do(kit, &order);
    put_from(kit, KIT_GGSN_IP, 0, 0);
    put_from(kit, OLD_IP, 1, 0);
    EXPECT_DOWN(kit, 0, 1);
}

/* As many wait behind as the mobile's queue may have, and no more than all may; each other one is counted. */
static void fill(const struct kit_options *options, unsigned fit, enum drop reason)
{
    struct kit kit;
    const struct msg order = from(OLD_IP);
    kit_open(&kit, options);
    hold(&kit, true);
    kit_do(&kit, &order);
    for (unsigned i = 0; i < fit + 3; i++)
        put_from(&kit, KIT_GGSN_IP, i, 0);
    assert_int_equal(kit.worker->stats.gn_drops[reason], 3);
    assert_int_equal(context_queued_pkts(&kit.worker->context), fit);
    hold(&kit, false);
    assert_int_equal(kit_drain(&kit.gb), fit);
    kit_close(&kit);
}

static void fill_packets(void)
{
    struct context_policy policy;
    context_policy_default(&policy);
    policy.sched.ms_limit_pkts = 10;
    fill(&(struct kit_options){.policy = &policy}, 10, DROP_QUEUE_FULL);
}

TEST_CALL(full_of_packets, fill_packets())
TEST_CALL(full, fill(&(struct kit_options){.queue_limit_octets = 10 * OCTETS + 1}, 10, DROP_QUEUE_FULL))
TEST_CALL(full_in_all, fill(&(struct kit_options){.budget_pkts = 20}, 20, DROP_BUDGET))

/* Nothing waits too long behind: its time begins when the hold ends. */
KIT_TEST(waits_long, &(struct kit_options){.lifetime_ns = 10 * S})
{
    const struct msg order = from(OLD_IP);
    hold(kit, true);
    kit_do(kit, &order);
    put_from(kit, KIT_GGSN_IP, 0, 0);
    (void)kit_settle_at(kit, kit->now + 60 * S);
    hold(kit, false);
    EXPECT_DOWN(kit, 0);
}

/* The phone goes on to a third SGSN before this one has released it: what the first one has sent, then what
 * waits behind. */
KIT_TEST(goes_on_at_once, NULL)
{
    static const unsigned order_of[] = {1, 3, 0, 2, 4, 5};
    const struct msg order = from(OLD_IP);
    const struct msg to = {.type = MSG_PDP_FORWARD,
                           .forward = {.ip = NEXT_IP, .teid = NEXT_TEID, .nsapi = KIT_NSAPI}};
    uint8_t frame[KIT_FRAME_OCTETS];
    hold(kit, true);
    kit_do(kit, &order);
    for (unsigned i = 0; i < 4; i++)
        put_from(kit, i % 2 ? OLD_IP : KIT_GGSN_IP, i, 0);
    kit_do(kit, &to);
    put_from(kit, KIT_GGSN_IP, 4, 0);
    put_from(kit, OLD_IP, 5, 0);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(kit_take_gn(kit, frame), GN_FRAME_INNER + OCTETS);
        assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 16), NEXT_IP);
        assert_int_equal(bytes_get_u32(frame + GN_FRAME_GTP + 4), NEXT_TEID);
        expect_inner(frame + GN_FRAME_INNER, order_of[i]);
    }
    assert_int_equal(kit_drain(&kit->gn) + kit_drain(&kit->gb), 0);
}

/* The first SGSN is done while the way to the third one is not known. */
KIT_TEST(goes_on_alone, &(struct kit_options){.has_neighbours = true})
{
    const struct msg order = from(OLD_IP);
    struct msg msg = {.type = MSG_PDP_FORWARD,
                      .forward = {.ip = NEXT_IP, .teid = NEXT_TEID, .nsapi = KIT_NSAPI}};
    hold(kit, true);
    kit_do(kit, &order);
    put_from(kit, KIT_GGSN_IP, 0, 0);
    assert_true(msg_put(kit->worker->rings.to_worker, &msg));
    kit_settle(kit);
    while (kit_take_msg(kit, &msg))
        ;
    kit_do(kit, &(struct msg){.type = MSG_PDP_FROM});
    kit_do(kit, &(struct msg){.type = MSG_GN_HOP, .hop = {.ip = NEXT_IP, .mac = {2, 0, 0, 0, 0, 9}}});
    (void)kit_settle_at(kit, kit->now + S);
    assert_int_equal(kit_drain(&kit->gn), 1);
    assert_int_equal(kit_drain(&kit->gb), 0);
}

/* The mobile comes back from the SGSN that its N-PDUs went to: they wait here, and those that it sends back
 * go first. None goes there and back again. */
KIT_TEST(comes_back, NULL)
{
    const struct msg order = from(NEXT_IP);
    hold(kit, true);
    kit_do(kit, &(struct msg){.type = MSG_PDP_FORWARD,
                              .forward = {.ip = NEXT_IP, .teid = NEXT_TEID, .nsapi = KIT_NSAPI}});
    put_from(kit, KIT_GGSN_IP, 0, 0);
    assert_int_equal(kit_drain(&kit->gn), 1);
    kit_do(kit, &order);
    put_from(kit, KIT_GGSN_IP, 1, 0);
    put_from(kit, NEXT_IP, 0, 0);
    put_from(kit, KIT_GGSN_IP, 2, 0);
    assert_int_equal(kit_drain(&kit->gn) + kit_drain(&kit->gb), 0);
    hold(kit, false);
    EXPECT_DOWN(kit, 0, 1, 2);
    kit_do(kit, &(struct msg){.type = MSG_PDP_FROM});
    assert_int_equal(kit->worker->forward.count, 0);
}

/* Deleted with what waits behind. */
KIT_TEST(deleted, NULL)
{
    const struct msg order = from(OLD_IP);
    hold(kit, true);
    kit_do(kit, &order);
    for (unsigned i = 0; i < 4; i++)
        put_from(kit, i % 2 ? OLD_IP : KIT_GGSN_IP, i, 0);
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL});
    assert_int_equal(kit->worker->stats.gn_drops[DROP_CONTEXT_DELETED], 4);
    assert_int_equal(kit->worker->forward.count, 0);
    assert_int_equal(kit_order(kit, &order), -1);
}

/* Addresses that the worker does not know, contexts that are not there. */
KIT_TEST(refused, NULL)
{
    struct msg order = from(address_of_place(3));
    struct msg ggsn = {.type = MSG_PDP_GGSN, .ggsn = {address_of_place(3), GGSN_2}};
    assert_int_equal(kit_order(kit, &order), -1);
    assert_int_equal(kit_order(kit, &ggsn), -1);
    ggsn.ggsn.ip = ADDRESS_NONE; /* any sender would do */
    assert_int_equal(kit_order(kit, &ggsn), -1);
    order = from(OLD_IP);
    ggsn.ggsn.ip = GGSN_2_IP;
    order.slot = ggsn.slot = 1;
    assert_int_equal(kit_order(kit, &order), -1);
    assert_int_equal(kit_order(kit, &ggsn), -1);
    order.slot = ggsn.slot = KIT_PDPS;
    assert_int_equal(kit_order(kit, &order), -1);
    assert_int_equal(kit_order(kit, &ggsn), -1);
    assert_int_equal(kit->worker->forward.count, 0);
}

/* --- another end at the GGSN --- */

/* An Error Indication from an address, for a TEID of its own: whether control is told. */
static bool is_error_told(struct kit *kit, uint32_t ip, uint32_t teid)
{
    static const uint8_t zeroed[] = {0x32, 26, 0, 16, 0, 0,    0, 0, 0, 0, 0, 0,
                                     0x10, 0,  0, 0,  0, 0x85, 0, 4, 0, 0, 0, 0};
    uint8_t frame[KIT_FRAME_OCTETS], gtp[sizeof(zeroed)];
    struct msg msg;
    memcpy(gtp, zeroed, sizeof(gtp));
    bytes_put_u32(gtp + 13, teid);
    bytes_put_u32(gtp + 20, ip);
    kit_from_gn(
        kit, frame,
        gn_frame_wrap(frame, (uint32_t[]){ip, KIT_SGSN_IP}, (uint16_t[]){2152, 2152}, gtp, sizeof(gtp)));
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_true(msg.type == MSG_TUNNEL_ERROR && msg.tunnel_error.ggsn_ip == ip &&
                msg.tunnel_error.teid == teid);
    return true;
}

/* Uplink N-PDUs, sources of downlink ones and Error Indications follow. */
KIT_TEST(another_ggsn, &(struct kit_options){.no_uplink_filter = true})
{
    const struct msg order = {.type = MSG_PDP_GGSN, .ggsn = {GGSN_2_IP, GGSN_2}};
    uint8_t frame[KIT_FRAME_OCTETS];
    kit_do(kit, &order);
    kit_from_ms(kit, 0, KIT_BVCI, KIT_TLLI);
    assert_true(kit_take_gn(kit, frame) > 0);
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_IP + 16), GGSN_2_IP);
    assert_int_equal(bytes_get_u32(frame + GN_FRAME_GTP + 4), GGSN_2);
    put_from(kit, KIT_GGSN_IP, 0, 0);
    put_from(kit, GGSN_2_IP, 1, 0);
    EXPECT_DOWN(kit, 1);
    assert_int_equal(kit->worker->stats.gn_drops[DROP_OTHER_GGSN], 1);
    assert_false(is_error_told(kit, KIT_GGSN_IP, KIT_GGSN_TEID));
    assert_false(is_error_told(kit, GGSN_2_IP, KIT_GGSN_TEID));
    assert_true(is_error_told(kit, GGSN_2_IP, GGSN_2));
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL});
    assert_false(is_error_told(kit, GGSN_2_IP, GGSN_2));
}

UNIT_MAIN(kit_start, NULL)
