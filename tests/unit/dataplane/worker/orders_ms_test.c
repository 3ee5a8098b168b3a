/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders about mobiles that are named by TLLI and NSE, seen from both sides of the worker: what it refuses,
 * where it finds the mobile's uplink, and what leaves where.
 */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <rte_mbuf.h>
#include <string.h>

/* Where things lie in a frame without IMSI whose LLC-PDU is longer than 127 octets. */
enum { UDP_DST = 36, BVCI = 44, TLLI = 47, PFI = 58, LLC_PDU = 58 };

#define LONG_OCTETS 200
#define TLLI_2      0xc0000002u
#define TLLI_3      0xc0000003u
#define OTHER_BVCI  9

static void open(struct kit *kit)
{
    kit_open(kit, NULL);
    kit_open_cells(kit);
}

static uint32_t number_at(const uint8_t *at, unsigned octets)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < octets; i++)
        value = value << 8 | at[i];
    return value;
}

/* An N-PDU comes; its frame leaves at once, on this NS-VC, for this cell, with this TLLI. */
static void expect_down(struct kit *kit, unsigned nsvc, uint16_t bvci, uint32_t tlli)
{
    uint8_t got[KIT_FRAME_OCTETS];
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_true(kit_take_gb(kit, got) > LONG_OCTETS);
    assert_int_equal(number_at(got + UDP_DST, 2), KIT_BSS_PORT + nsvc);
    assert_int_equal(number_at(got + BVCI, 2), bvci);
    assert_int_equal(number_at(got + TLLI, 4), tlli);
    assert_int_equal(kit_drain(&kit->gb), 0);
}

/* The mobile's next uplink frame, on an NS-VC from a cell under a TLLI; whether it is known there. */
static bool is_heard(struct kit *kit, unsigned nsvc, uint16_t bvci, uint32_t tlli)
{
    uint64_t unknown = kit->worker->stats.gb_drops[DROP_UNKNOWN_TLLI];
    kit_from_ms(kit, nsvc, bvci, tlli);
    bool is_unknown = kit->worker->stats.gb_drops[DROP_UNKNOWN_TLLI] > unknown;
    assert_int_equal(kit_drain(&kit->gn), !is_unknown);
    return !is_unknown;
}

/* --- what is refused --- */

#define FLOW                                                                                                 \
    {                                                                                                        \
        .bucket_octets = 1000, .rate_bps = 8000, .ms_bucket_octets = 500, .ms_rate_bps = 8000,               \
        .ratio_percent = -1                                                                                  \
    }
#define TOO_FAST                                                                                             \
    {                                                                                                        \
        .bucket_octets = 1000, .rate_bps = BUCKET_MAX_RATE_BPS + 1, .ratio_percent = -1                      \
    }

static const struct {
    const char *name;
    int status;
    struct msg msg;
} mobiles[] = {
    {"rate of an NSE", 0, {.type = MSG_NSE_RATE, .slot = 1, .link = {1000000, 10000, 10}}},
    {"rate of no NSE", -1, {.type = MSG_NSE_RATE, .slot = 2, .link = {1000000, 10000, 10}}},
    {"rate without a share", -1, {.type = MSG_NSE_RATE, .slot = 1, .link = {1000000, 10000, 0}}},
    {"policy of a cell", 0, {.type = MSG_BVC_POLICY, .slot = 1, .policy = {.rate_percent = 100}}},
    {"policy of no cell", -1, {.type = MSG_BVC_POLICY, .slot = 3, .policy = {.rate_percent = 100}}},
    {"policy that stops everything", -1, {.type = MSG_BVC_POLICY, .slot = 1}},
    {"flow beyond all", -1, {.type = MSG_BVC_FLOW, .slot = 0, .flow = TOO_FAST}},
    {"flow of a mobile beyond all", -1, {.type = MSG_MS_FLOW, .tlli = KIT_TLLI, .flow = TOO_FAST}},
    {"discarded in its cell",
     0,
     {.type = MSG_MS_DISCARDED, .tlli = KIT_TLLI, .discard = {.bvc = GB_BVC_NONE}}},
    {"discarded in a cell", 0, {.type = MSG_MS_DISCARDED, .tlli = 77, .discard = {.bvc = 1}}},
    {"discarded of nobody", -1, {.type = MSG_MS_DISCARDED, .tlli = 77, .discard = {.bvc = GB_BVC_NONE}}},
    {"flushed", 0, {.type = MSG_MS_FLUSHED, .tlli = KIT_TLLI, .flush = {.octets = 9, .from = 0, .to = 1}}},
    {"flushed, deleted", 0, {.type = MSG_MS_FLUSHED, .tlli = 77, .flush = {.octets = 9, .to = GB_BVC_NONE}}},
    {"flushed to no cell", -1, {.type = MSG_MS_FLUSHED, .tlli = KIT_TLLI, .flush = {.octets = 9, .to = 3}}},
    {"suspend", 0, {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true}},
    {"resume", 0, {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI}},
    {"suspend nobody", -1, {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .nse = 1, .is_suspended = true}},
    {"lost", 0, {.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true}},
    {"found", 0, {.type = MSG_MS_LOST, .tlli = KIT_TLLI}},
    {"lost nobody", -1, {.type = MSG_MS_LOST, .tlli = 77}},
    {"packet flow not made", -1, {.type = MSG_PFC_FLOW, .tlli = KIT_TLLI, .pfc = {.pfi = 8, .flow = FLOW}}},
    {"packet flow", 0, {.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = 8}},
    {"packet flow known", -1, {.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = 8}},
    {"packet flow made", 0, {.type = MSG_PFC_FLOW, .tlli = KIT_TLLI, .pfc = {.pfi = 8, .flow = FLOW}}},
    {"packet flow of nobody", -1, {.type = MSG_PFC_ADD, .tlli = 77, .pfi = 8}},
    {"packet flow deleted", 0, {.type = MSG_PFC_DEL, .tlli = KIT_TLLI, .pfi = 8}},
    {"packet flow deleted again", -1, {.type = MSG_PFC_DEL, .tlli = KIT_TLLI, .pfi = 8}},
    {"packet flow of a context", 0, {.type = MSG_PDP_PFI, .slot = 0, .pfi = 8}},
    {"reserved one of a context", -1, {.type = MSG_PDP_PFI, .slot = 0, .pfi = 4}},
    {"none of a context", 0, {.type = MSG_PDP_PFI, .slot = 0, .pfi = N_PDU_NO_PFI}},
    {"packet flow of no context", -1, {.type = MSG_PDP_PFI, .slot = 1, .pfi = 8}},
    {"cell", 0, {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .cell = {.bvc = 1}}},
    {"cell, its old NSE", -1, {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .cell = {.bvc = 0}}},
    {"cell not there", -1, {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .nse = 1, .cell = {.bvc = 3}}},
    {"cell back", 0, {.type = MSG_MS_CELL, .tlli = KIT_TLLI, .nse = 1, .cell = {.bvc = 0}}},
    {"TLLI of nobody", -1, {.type = MSG_MS_TLLI, .slot = 1, .assigned = {.tlli = TLLI_2}}},
    {"TLLI out of range", -1, {.type = MSG_MS_TLLI, .slot = KIT_MOBILES, .assigned = {.tlli = TLLI_2}}},
    {"heard, which is not an order", -1, {.type = MSG_MS_HEARD}},
};

#define OPEN_TEST(name) TEST_IN(name, struct kit, kit, open(kit), kit_close(kit))

OPEN_TEST(each_message)
{
    for (size_t i = 0; i < COUNT(mobiles); i++)
        if (kit_order(kit, &mobiles[i].msg) != mobiles[i].status)
            fail_msg("%s: not %d", mobiles[i].name, mobiles[i].status);
    assert_int_equal(kit->worker->context.pdps[0].params.pfi, N_PDU_NO_PFI);
}

/* --- cells --- */

static int move(struct kit *kit, uint32_t tlli, uint16_t nse, uint32_t cell)
{
    return kit_order(kit,
                     &(struct msg){.type = MSG_MS_CELL, .tlli = tlli, .nse = nse, .cell = {.bvc = cell}});
}

OPEN_TEST(another_cell)
{
    expect_down(kit, 0, KIT_BVCI, KIT_TLLI);
    assert_int_equal(move(kit, KIT_TLLI, 0, 2), 0);
    expect_down(kit, 0, OTHER_BVCI + 1, KIT_TLLI);
    assert_true(is_heard(kit, 0, OTHER_BVCI + 1, KIT_TLLI));
    assert_int_equal(move(kit, KIT_TLLI, 0, 1), 0);
    expect_down(kit, 1, OTHER_BVCI, KIT_TLLI);
    assert_true(is_heard(kit, 1, OTHER_BVCI, KIT_TLLI));
    assert_false(is_heard(kit, 0, KIT_BVCI, KIT_TLLI));
}

/* Its TLLI is another's there: nothing changes. */
OPEN_TEST(taken_there)
{
    struct msg ms;
    ms = kit_ms(kit, 1, KIT_TLLI);
    ms.ms.bvc = 1;
    kit_do(kit, &ms);
    assert_int_equal(move(kit, KIT_TLLI, 0, 1), -1);
    expect_down(kit, 0, KIT_BVCI, KIT_TLLI);
    assert_true(is_heard(kit, 0, KIT_BVCI, KIT_TLLI));
    assert_int_equal(kit->worker->context.mobiles[0].bvc, 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 1});
    ms.ms.tlli = TLLI_2; /* now that of before the change is */
    kit_do(kit, &ms);
    kit_do(kit, &(struct msg){.type = MSG_MS_TLLI, .assigned = {.tlli = TLLI_2, .keeps_old = true}});
    kit_do(kit, &(struct msg){.type = MSG_MS_TLLI, .assigned = {.tlli = KIT_TLLI, .keeps_old = true}});
    assert_int_equal(move(kit, KIT_TLLI, 0, 1), -1);
    assert_false(is_heard(kit, 1, OTHER_BVCI, KIT_TLLI));
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 1});
    assert_int_equal(move(kit, KIT_TLLI, 0, 1), 0);
    assert_true(is_heard(kit, 1, OTHER_BVCI, TLLI_2));
}

/* --- TLLIs --- */

static int rename_to(struct kit *kit, uint32_t tlli, bool keep)
{
    return kit_order(kit, &(struct msg){.type = MSG_MS_TLLI, .assigned = {.tlli = tlli, .keeps_old = keep}});
}

static void expect_known(struct kit *kit, unsigned nsvc, bool first, bool second, bool third)
{
    uint16_t bvci = nsvc == 0 ? KIT_BVCI : OTHER_BVCI;
    assert_int_equal(is_heard(kit, nsvc, bvci, KIT_TLLI), first);
    assert_int_equal(is_heard(kit, nsvc, bvci, TLLI_2), second);
    assert_int_equal(is_heard(kit, nsvc, bvci, TLLI_3), third);
}

/* Both are accepted until the change is over; both go along to another NSE, and leave with the mobile. */
OPEN_TEST(another_tlli)
{
    assert_int_equal(rename_to(kit, TLLI_2, true), 0);
    expect_down(kit, 0, KIT_BVCI, TLLI_2);
    expect_known(kit, 0, true, true, false);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_MS_DEFAULTS, .tlli = KIT_TLLI}), 0);
    assert_int_equal(rename_to(kit, KIT_TLLI, true), 0);
    expect_down(kit, 0, KIT_BVCI, KIT_TLLI);
    assert_int_equal(rename_to(kit, TLLI_2, true), 0);
    assert_int_equal(move(kit, KIT_TLLI, 0, 1), 0);
    expect_known(kit, 1, true, true, false);
    expect_known(kit, 0, false, false, false);
    assert_int_equal(rename_to(kit, TLLI_3, true), 0);
    expect_known(kit, 1, false, true, true);
    assert_int_equal(rename_to(kit, TLLI_3, false), 0);
    expect_known(kit, 1, false, false, true);
    assert_int_equal(rename_to(kit, KIT_TLLI, false), 0);
    expect_known(kit, 1, true, false, false);
    assert_int_equal(rename_to(kit, TLLI_2, true), 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL, .slot = 0});
    for (uint32_t tlli = KIT_TLLI; tlli <= TLLI_3; tlli++) {
        struct msg ms = kit_ms(kit, tlli - KIT_TLLI, tlli);
        ms.ms.bvc = 1;
        kit_do(kit, &ms);
    }
}

/* The answer to its end has the numbers at which its LLC continues, unless it is ciphered or told to reset.
 */
OPEN_TEST(gone_with_its_numbers)
{
    static const struct msg before[] = {
        {.type = MSG_FENCE},
        {.type = MSG_MS_LLC_AWAIT},
        {.type = MSG_MS_CIPHER, .cipher = {.algorithm = 3, .kc_octets = 8}},
    };
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    for (size_t i = 0; i < COUNT(before); i++) {
        struct msg msg = kit_ms(kit, 0, KIT_TLLI);
        msg.ms.first_down[0] = 77;
        msg.ms.first_sapi = LLC_SAPI_GMM;
        msg.ms.first_nu = 5;
        kit_do(kit, &msg);
        kit_do(kit, &before[i]);
        msg = (struct msg){.type = MSG_MS_DEL};
        assert_true(msg_put(kit->worker->rings.to_worker, &msg));
        kit_settle(kit);
        assert_true(kit_take_msg(kit, &msg));
        const struct msg_gone *gone = &msg.answer.gone;
        assert_true(msg.answer.type == MSG_MS_DEL && gone->tlli == KIT_TLLI && gone->is_kept == (i == 0));
        assert_true(gone->numbers.down[0] == 77 && gone->numbers.up[0] == 6 && gone->numbers.up[1] == 0);
    }
}

/* A TLLI of another mobile, also its old one, is refused, and nothing changes. */
OPEN_TEST(taken_tllis)
{
    struct msg ms;
    ms = kit_ms(kit, 1, TLLI_2);
    kit_do(kit, &ms);
    assert_int_equal(rename_to(kit, TLLI_2, true), -1);
    kit_do(kit,
           &(struct msg){.type = MSG_MS_TLLI, .slot = 1, .assigned = {.tlli = TLLI_3, .keeps_old = true}});
    assert_int_equal(rename_to(kit, TLLI_2, true), -1);
    assert_int_equal(rename_to(kit, TLLI_3, true), -1);
    assert_false(kit->worker->context.mobiles[0].has_tlli_old);
    expect_down(kit, 0, KIT_BVCI, KIT_TLLI);
    kit_do(kit,
           &(struct msg){.type = MSG_MS_TLLI, .slot = 1, .assigned = {.tlli = TLLI_3, .keeps_old = false}});
    assert_int_equal(rename_to(kit, TLLI_2, true), 0);
}

/* --- what is heard --- */

OPEN_TEST(lost_until_heard)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true});
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_int_equal(kit_drain(&kit->gb), 0);
    assert_true(is_heard(kit, 0, KIT_BVCI, KIT_TLLI));
    assert_int_equal(kit_drain(&kit->gb), 1);
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true});
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_true(is_heard(kit, 0, KIT_BVCI, KIT_TLLI));
    assert_int_equal(kit_drain(&kit->gb), 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI});
    assert_int_equal(kit_drain(&kit->gb), 1);
}

/* --- packet flows --- */

OPEN_TEST(frames_say_pfi)
{
    static const uint8_t pfi[] = {0x28, 0x81, 8, 0x0e};
    uint8_t got[KIT_FRAME_OCTETS];
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    size_t without = kit_take_gb(kit, got);
    assert_int_equal(got[LLC_PDU], 0x0e);
    kit_do(kit, &(struct msg){.type = MSG_PDP_PFI, .slot = 0, .pfi = 8}); /* not added: no queue was free */
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_int_equal(kit_take_gb(kit, got), without);
    kit_do(kit, &(struct msg){.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = 8});
    kit_do(kit, &(struct msg){.type = MSG_PDP_PFI, .slot = 0, .pfi = 8});
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_int_equal(kit_take_gb(kit, got), without + 3);
    assert_memory_equal(got + PFI, pfi, sizeof(pfi));
}

/* Values of FLOW-CONTROL-MS that let nothing pass end at the nanosecond, though nothing else happens then. */
OPEN_TEST(own_values_end_by_themselves)
{
    const int64_t th_ns = 5 * MOMENT_SECOND;
    struct msg own = {.type = MSG_MS_FLOW, .tlli = KIT_TLLI};
    own.flow = (struct gb_flow){.bucket_octets = 1000, .ratio_percent = -1, .th_ns = th_ns};
    kit_do(kit, &own);
    int64_t end_ns = kit->now + th_ns;
    for (unsigned i = 0; i < 10; i++)
        gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    assert_in_range(kit_drain(&kit->gb), 1, 5);
    assert_int_equal(kit_settle(kit), end_ns);
    assert_int_equal(kit_settle_at(kit, end_ns - 1), end_ns);
    assert_int_equal(kit_drain(&kit->gb), 0);
    kit_settle_at(kit, end_ns);
    assert_in_range(kit_drain(&kit->gb), 5, 9);
}

/* N-PDUs that waited in a packet flow when it was deleted leave without it, also after it was created again.
 */
OPEN_TEST(deleted_flow_is_not_named)
{
    const struct msg add = {.type = MSG_PFC_ADD, .tlli = KIT_TLLI, .pfi = 8};
    uint8_t got[KIT_FRAME_OCTETS];
    kit_do(kit, &add);
    kit_do(kit, &(struct msg){.type = MSG_PDP_PFI, .slot = 0, .pfi = 8});
    kit_flow(kit, 0, 0);
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    kit_do(kit, &(struct msg){.type = MSG_PFC_DEL, .tlli = KIT_TLLI, .pfi = 8});
    kit_do(kit, &add);
    kit_flow(kit, 100000, 1000000);
    assert_true(kit_take_gb(kit, got) > LLC_PDU);
    assert_int_equal(got[LLC_PDU], 0x0e);
}

/* NSEs and cells that go, by orders: when these are answered, and what becomes of who is in them; and orders
 * about limits. */

static const struct kit_options options = {.has_paging = true, .ready_ns = 1000 * MOMENT_SECOND};

/* Cell 1, BVCI 9, on NSE 1 with NS-VC 1, open. */
static void gone_open(struct kit *kit)
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
static unsigned gone_put_down(struct kit *kit)
{
    gn_frame_put(kit, KIT_TEID, 200);
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

static void order_stay(struct kit *kit)
{
    const struct msg msg = {.type = MSG_MS_DECIDED,
                            .heard_number = kit->worker->context.mobiles[0].heard_number,
                            .seq = ++kit->seq};
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

#define GONE_OPEN_TEST(name) TEST_IN(name, struct kit, kit, gone_open(kit), kit_close(kit))

/* The orders of its end wait until its mobile has gone; then all are answered, each once. */
GONE_OPEN_TEST(waits_for_mobiles)
{
    struct msg msg;
    kit_do(kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 0});
    order(kit, MSG_BVC_DEL, 0);
    order(kit, MSG_NSE_DEL, 0);
    assert_false(kit_take_msg(kit, &msg));
    kit_settle_at(kit, kit->now + MOMENT_SECOND);
    assert_false(kit_take_msg(kit, &msg));
    park(kit);
    kit_settle(kit);
    const uint16_t answered[] = {MSG_MS_CELL, MSG_BVC_DEL, MSG_NSE_DEL};
    for (size_t i = 0; i < COUNT(answered); i++) {
        assert_true(kit_take_msg(kit, &msg));
        assert_true(msg.type == MSG_ANSWER && msg.answer.type == answered[i] && msg.answer.status == 0);
    }
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_NSE_DEL, .slot = 0}), -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_BVC_DEL, .slot = 0}), -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_NSE_DEL, .slot = UINT32_MAX}), -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_BVC_DEL, .slot = UINT32_MAX}), -1);
}

/* So many that no more are taken must not keep those behind them away, on which they may wait: these come
 * back. */
GONE_OPEN_TEST(does_not_hold_others_up)
{
    struct msg msg;
    unsigned again = 0, done = 0, refused = 0;
    for (unsigned i = 0; i < 2 * ORDERS_WAITING; i++)
        order(kit, MSG_BVC_DEL, 0);
    for (; kit_take_msg(kit, &msg); again++)
        assert_true(msg.type == MSG_ANSWER && msg.answer.type == MSG_BVC_DEL && msg.slot == 0 &&
                    msg.answer.status == MSG_AGAIN);
    assert_int_equal(again, 2 * ORDERS_WAITING - ORDERS_ENDS);
    park(kit);
    kit_settle(kit);
    while (kit_take_msg(kit, &msg)) {
        done += msg.answer.type == MSG_BVC_DEL && msg.answer.status == 0;
        refused += msg.answer.type == MSG_BVC_DEL && msg.answer.status == -1;
    }
    assert_true(done == 1 && refused == ORDERS_ENDS - 1);
}

/* It is paged; in a cell that nobody serves it is not found, in the one where it is looked for it is.
 * Control is told of the cell first, since what it sends then is to go there. */
GONE_OPEN_TEST(is_looked_for)
{
    assert_int_equal(gone_put_down(kit), 1);
    park(kit);
    expect(kit, MSG_ANSWER, KIT_TLLI);
    assert_int_equal(gone_put_down(kit), 0);
    expect(kit, MSG_PAGE_WANTED, 0);
    assert_int_equal(hear(kit, 1, 77), 0);
    expect(kit, MSG_MS_HEARD, 77);
    expect(kit, MSG_MS_REACHED, 0);
    assert_int_equal(gone_put_down(kit), 0);
    order_stay(kit);
    expect(kit, MSG_PAGE_WANTED, 0);
    expect(kit, MSG_ANSWER, 0);
    assert_int_equal(hear(kit, 1, OTHER_BVCI), 2);
    expect(kit, MSG_MS_REACHED, 0);
    assert_int_equal(gone_put_down(kit), 1);
}

/* What waits when its cell goes has it paged at once. */
GONE_OPEN_TEST(is_paged_for_what_waits)
{
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 0});
    assert_int_equal(gone_put_down(kit), 0);
    park(kit);
    expect(kit, MSG_PAGE_WANTED, 0);
    expect(kit, MSG_ANSWER, KIT_TLLI);
    assert_int_equal(hear(kit, 1, OTHER_BVCI), 1);
}

/* A last word that waits for the rate of a link is said when the link ends; another NSE's goes on waiting. */
GONE_OPEN_TEST(last_words)
{
    struct msg rate = {.type = MSG_NSE_RATE, .link = {8000, 1000, 50}};
    for (rate.slot = 0; rate.slot < 2; rate.slot++)
        kit_do(kit, &rate);
    for (unsigned i = 0; i < 12; i++) {
        struct msg msg = {.type = MSG_SEND, .slot = i % 2, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
        assert_non_null(rte_pktmbuf_append(msg.mbuf, 400));
        kit_do(kit, &msg);
    }
    assert_int_equal(kit_drain(&kit->gb), 6);
    kit_do(kit, &(struct msg){.type = MSG_NSVC_DEL, .slot = 1});
    kit_do(kit, &(struct msg){.type = MSG_BVC_DEL, .slot = 1});
    kit_do(kit, &(struct msg){.type = MSG_NSE_DEL, .slot = 1});
    assert_int_equal(kit_drain(&kit->gb), 3);
    assert_int_equal(kit->worker->signalling.count, 3);
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 103});
    assert_int_equal(kit->worker->context.nses[1].signals, 0);
    kit_settle_at(kit, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(kit_drain(&kit->gb), 3);
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
        gone_put_down(&kit);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_QUEUE_FULL], 10);
    kit_do(&kit, &(struct msg){.type = MSG_LIFETIME,
                               .lifetime = {LIFETIME_SGSN_ONLY, MOMENT_SECOND, 0, MOMENT_NEVER}});
    kit_do(&kit, &(struct msg){.type = MSG_MS_LIMIT, .ms_limit = {.count = 1, .octets = 1000000}});
    kit_settle_at(&kit, kit.now + 2 * MOMENT_SECOND);
    assert_int_equal(kit.worker->stats.gn_drops[DROP_LIFETIME], 10);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
