/* SPDX-License-Identifier: BSD-3-Clause */
/* NSEs and cells that go, by orders: when these are answered, and what becomes of who is in them; and orders
 * about limits. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define OTHER_BVCI 9

static const struct kit_options options = {.has_paging = true, .ready_ns = 1000 * MOMENT_SECOND};

/* Cell 1, BVCI 9, on NSE 1 with NS-VC 1, open. */
static void open(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1), flow = {.type = MSG_BVC_FLOW, .slot = 1};
    nsvc.nsvc.nse = 1;
    flow.flow = (struct gb_flow){1000000, 10000000, 1000000, 10000000, -1};
    kit_open(kit, &options);
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 102});
    kit_do(kit, &nsvc);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_STATE, .slot = 1, .is_usable = true});
    kit_do(kit, &(struct msg){.type = MSG_BVC_ADD, .slot = 1, .bvc = {.bvci = OTHER_BVCI, .nse = 1}});
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 1, .is_unblocked = true});
    kit_do(kit, &flow);
}

/* An N-PDU comes; how many frames leave. */
static unsigned put_down(struct kit *kit)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 200};
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    return kit_drain(&kit->gb);
}

/* The mobile's next uplink frame; how many frames leave for it. */
static unsigned hear(struct kit *kit, uint8_t nsvc, uint16_t bvci)
{
    kit_from_ms(kit, nsvc, bvci, KIT_TLLI);
    assert_int_equal(kit_drain(&kit->gn), 1);
    return kit_drain(&kit->gb);
}

/* A message comes next, about a slot, a TLLI or the BVCI that a mobile was heard in. */
static void expect(struct kit *kit, uint16_t type, uint32_t about)
{
    struct msg msg;
    assert_true(kit_take_msg(kit, &msg));
    assert_int_equal(msg.type, type);
    assert_int_equal(type == MSG_MS_HEARD ? msg.heard.bvci : msg.slot, about);
}

static void order(struct kit *kit, uint16_t type, uint32_t index)
{
    const struct msg msg = {.type = type, .slot = index, .seq = ++kit->seq};
    assert_true(msg_put(kit->worker->rings.to_worker, &msg));
    kit_settle(kit);
}

static void park(struct kit *kit)
{
    const struct msg msg = {
        .type = MSG_MS_CELL, .tlli = KIT_TLLI, .cell = {.bvc = 1, .is_lost = true}, .seq = ++kit->seq};
    assert_true(msg_put(kit->worker->rings.to_worker, &msg));
    kit_settle(kit);
}

/* The orders of its end wait until its mobile has gone; then all are answered, each once. */
TEST(waits_for_mobiles)
{
    struct kit kit;
    struct msg msg;
    open(&kit);
    kit_do(&kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 0});
    order(&kit, MSG_BVC_DEL, 0);
    order(&kit, MSG_NSE_DEL, 0);
    assert_false(kit_take_msg(&kit, &msg));
    kit_settle_at(&kit, kit.now + MOMENT_SECOND);
    assert_false(kit_take_msg(&kit, &msg));
    park(&kit);
    kit_settle(&kit);
    const uint16_t answered[] = {MSG_MS_CELL, MSG_BVC_DEL, MSG_NSE_DEL};
    for (size_t i = 0; i < COUNT(answered); i++) {
        assert_true(kit_take_msg(&kit, &msg));
        assert_true(msg.type == MSG_ANSWER && msg.answer.type == answered[i] && msg.answer.status == 0);
    }
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_NSE_DEL, .slot = 0}), -1);
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_BVC_DEL, .slot = 0}), -1);
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_NSE_DEL, .slot = UINT32_MAX}), -1);
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_BVC_DEL, .slot = UINT32_MAX}), -1);
    kit_close(&kit);
}

/* So many that no more are taken must not keep those behind them away, on which they may wait: these come
 * back. */
TEST(does_not_hold_others_up)
{
    struct kit kit;
    struct msg msg;
    unsigned again = 0, done = 0, refused = 0;
    open(&kit);
    for (unsigned i = 0; i < 2 * ORDERS_WAITING; i++)
        order(&kit, MSG_BVC_DEL, 0);
    for (; kit_take_msg(&kit, &msg); again++)
        assert_true(msg.type == MSG_ANSWER && msg.answer.type == MSG_BVC_DEL && msg.slot == 0 &&
                    msg.answer.status == MSG_AGAIN);
    assert_int_equal(again, 2 * ORDERS_WAITING - ORDERS_ENDS);
    park(&kit);
    kit_settle(&kit);
    while (kit_take_msg(&kit, &msg)) {
        done += msg.answer.type == MSG_BVC_DEL && msg.answer.status == 0;
        refused += msg.answer.type == MSG_BVC_DEL && msg.answer.status == -1;
    }
    assert_true(done == 1 && refused == ORDERS_ENDS - 1);
    kit_close(&kit);
}

/* It is paged; in a cell that nobody serves it is not found, in the one where it is looked for it is. */
TEST(is_looked_for)
{
    struct kit kit;
    open(&kit);
    assert_int_equal(put_down(&kit), 1);
    park(&kit);
    expect(&kit, MSG_ANSWER, KIT_TLLI);
    assert_int_equal(put_down(&kit), 0);
    expect(&kit, MSG_PAGE_WANTED, 0);
    assert_int_equal(hear(&kit, 1, 77), 0);
    expect(&kit, MSG_MS_REACHED, 0);
    expect(&kit, MSG_MS_HEARD, 77);
    assert_int_equal(put_down(&kit), 0);
    expect(&kit, MSG_PAGE_WANTED, 0);
    assert_int_equal(hear(&kit, 1, OTHER_BVCI), 2);
    expect(&kit, MSG_MS_REACHED, 0);
    assert_int_equal(put_down(&kit), 1);
    kit_close(&kit);
}

/* What waits when its cell goes has it paged at once. */
TEST(is_paged_for_what_waits)
{
    struct kit kit;
    open(&kit);
    kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 0});
    assert_int_equal(put_down(&kit), 0);
    park(&kit);
    expect(&kit, MSG_PAGE_WANTED, 0);
    expect(&kit, MSG_ANSWER, KIT_TLLI);
    assert_int_equal(hear(&kit, 1, OTHER_BVCI), 1);
    kit_close(&kit);
}

/* A last word that waits for the rate of a link is said when the link ends; another NSE's goes on waiting. */
TEST(last_words)
{
    struct kit kit;
    struct msg rate = {.type = MSG_NSE_RATE, .link = {8000, 1000, 50}};
    open(&kit);
    for (rate.slot = 0; rate.slot < 2; rate.slot++)
        kit_do(&kit, &rate);
    for (unsigned i = 0; i < 12; i++) {
        struct msg msg = {.type = MSG_SEND, .slot = i % 2, .mbuf = rte_pktmbuf_alloc(kit.tx_pool)};
        assert_non_null(rte_pktmbuf_append(msg.mbuf, 400));
        kit_do(&kit, &msg);
    }
    assert_int_equal(kit_drain(&kit.gb), 6);
    kit_do(&kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 1});
    kit_do(&kit, &(struct msg){.type = MSG_BVC_DEL, .slot = 1});
    kit_do(&kit, &(struct msg){.type = MSG_NSE_DEL, .slot = 1});
    assert_int_equal(kit_drain(&kit.gb), 3);
    assert_int_equal(kit.worker->signalling.count, 3);
    kit_do(&kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 103});
    assert_int_equal(kit.worker->context.nses[1].signals, 0);
    kit_settle_at(&kit, kit.now + 10 * MOMENT_SECOND);
    assert_int_equal(kit_drain(&kit.gb), 3);
    kit_close(&kit);
}

/* --- limits --- */

TEST(orders_about_limits)
{
    static const struct {
        int status;
        struct msg msg;
    } rows[] = {
        {0,
         {.type = MSG_QUEUE_CLASS, .queue_class = {.qclass = QCLASS_THP1, .weight = 5, .limit = {1000, 10}}}},
        {-1,
         {.type = MSG_QUEUE_CLASS,
          .queue_class = {.qclass = QCLASS_COUNT, .weight = 5, .limit = {1000, 10}}}},
        {-1, {.type = MSG_QUEUE_CLASS, .queue_class = {.qclass = QCLASS_THP1, .limit = {1000, 10}}}},
        {0, {.type = MSG_QUEUE_BOUNDS, .bounds = {100, 100, 1, 1500}}},
        {-1, {.type = MSG_QUEUE_BOUNDS, .bounds = {100, UINT32_MAX, 1, 1500}}},
        {0, {.type = MSG_READY, .ready_ns = MOMENT_SECOND}},
        {-1, {.type = MSG_READY, .ready_ns = -1}},
        {0, {.type = MSG_MS_LIMIT, .ms_limit = {.count = MSG_MS_LIMITS, .octets = 2000}}},
        {0, {.type = MSG_MS_LIMIT, .ms_limit = {.first = 1000000, .count = MSG_MS_LIMITS, .octets = 2000}}},
        {-1, {.type = MSG_MS_LIMIT, .ms_limit = {.count = MSG_MS_LIMITS + 1, .octets = 2000}}},
        {-1, {.type = MSG_MS_LIMIT, .ms_limit = {.count = 1, .octets = UINT64_C(1) << 32}}},
        {0, {.type = MSG_REASSEMBLIES, .reassemblies = 1}},
        {0, {.type = MSG_REASSEMBLIES, .reassemblies = 8}},
        {-1, {.type = MSG_REASSEMBLIES, .reassemblies = 9}},
    };
    struct kit kit;
    kit_open(&kit, NULL);
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(kit_order(&kit, &rows[i].msg), rows[i].status);
    kit_do(&kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 0});
    for (unsigned i = 0; i < 20; i++)
        put_down(&kit);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_QUEUE_FULL], 10);
    kit_do(&kit, &(struct msg){.type = MSG_LIFETIME,
                               .lifetime = {LIFETIME_SGSN_ONLY, MOMENT_SECOND, 0, MOMENT_NEVER}});
    kit_do(&kit, &(struct msg){.type = MSG_MS_LIMIT, .ms_limit = {.count = 1, .octets = 1000000}});
    kit_settle_at(&kit, kit.now + 2 * MOMENT_SECOND);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_LIFETIME], 10);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
