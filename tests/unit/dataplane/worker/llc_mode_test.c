/* SPDX-License-Identifier: BSD-3-Clause */
/* MSG_PDP_LLC: a context that is there takes a link of acknowledged mode, or gives it back. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

enum { MOBILES = 3, LINKS = 2, GENERATION = 77 };

static const struct kit_options options = {
    .abm = {.links = LINKS,
            .buffers = 64,
            .values = {.n201_i_octets = 1503, .t200_ds = 20, .k_down = 16, .k_up = 8, .n200 = 3},
            .seed = 1},
    .gn_mtu_octets = 2000,
};

static struct msg mode(uint32_t pdp, bool is_acknowledged)
{
    return (struct msg){.type = MSG_PDP_LLC,
                        .slot = pdp,
                        .llc_mode = {.generation = GENERATION, .is_acknowledged = is_acknowledged}};
}

static int order(struct kit *kit, uint32_t pdp, bool is_acknowledged)
{
    struct msg msg = mode(pdp, is_acknowledged);
    return kit_order(kit, &msg);
}

/* The kit's mobile and two more, with a context each; slots are those of their mobiles. */
static void add_mobiles(struct kit *kit)
{
    for (uint32_t i = 1; i < MOBILES; i++) {
        struct msg ms = kit_ms(kit, i, KIT_TLLI + i), pdp = kit_pdp(i, i, KIT_NSAPI, KIT_TEID + i);
        kit_do(kit, &ms);
        kit_do(kit, &pdp);
    }
}

static bool is_acknowledged(const struct kit *kit, uint32_t pdp)
{
    return kit->worker->context.pdps[pdp].params.is_acknowledged;
}

/* The third finds none of two; nothing changes for it until one is free. */
KIT_TEST(needs_a_link, &options)
{
    const struct worker *w = kit->worker;
    add_mobiles(kit);
    for (uint32_t i = 0; i < MOBILES; i++)
        assert_int_equal(order(kit, i, true), i < LINKS ? 0 : MSG_NO_LINK);
    assert_true(is_acknowledged(kit, 0) && is_acknowledged(kit, 1) && !is_acknowledged(kit, 2));
    assert_true(w->abm.free_count == 0 && w->stats.abm_refused == 1);
    assert_null(gb_abm_find(w, 2, KIT_SAPI));
    assert_int_equal(order(kit, 2, false), 0); /* it is so */
    assert_int_equal(order(kit, 0, false), 0);
    assert_int_equal(w->abm.free_count, 1);
    assert_int_equal(order(kit, 2, true), 0);
    assert_true(!is_acknowledged(kit, 0) && is_acknowledged(kit, 2));
    assert_true(w->abm.free_count == 0 && w->stats.abm_refused == 1);
}

/* A repeated order takes no second share of the link, which ends with the only one. */
KIT_TEST(is_repeated, &options)
{
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(order(kit, 0, true), 0);
    assert_int_equal(gb_abm_find(kit->worker, 0, KIT_SAPI)->contexts, 1);
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0};
    kit_do(kit, &del);
    assert_int_equal(kit->worker->abm.free_count, LINKS);
    assert_int_equal(order(kit, 0, true), -1); /* of no context */
    assert_int_equal(order(kit, KIT_PDPS, true), -1);
    assert_int_equal(kit->worker->stats.abm_refused, 0);
}

/* The answer has the order's generation, whatever it says. */
KIT_TEST(is_answered_with_its_generation, &options)
{
    for (uint32_t pdp = 0; pdp < 2; pdp++) {
        struct msg msg = mode(pdp, true), answer;
        assert_true(msg_put(kit->worker->rings.to_worker, &msg));
        kit_settle(kit);
        assert_true(kit_take_msg(kit, &answer));
        assert_true(answer.type == MSG_ANSWER && answer.answer.type == MSG_PDP_LLC && answer.slot == pdp);
        assert_int_equal(answer.answer.status, pdp == 0 ? 0 : -1);
        assert_int_equal(answer.answer.generation, GENERATION);
    }
}

/* N-PDUs that wait go as they came: in UI frames, or with their link, which is gone. */
KIT_TEST(of_packets_that_wait, &options)
{
    const struct worker_stats *stats = &kit->worker->stats;
    gn_frame_put(kit, KIT_TEID, 100); /* the cell has no flow control yet */
    assert_int_equal(order(kit, 0, true), 0);
    gn_frame_put(kit, KIT_TEID, 100);
    assert_int_equal(order(kit, 0, false), 0);
    gn_frame_put(kit, KIT_TEID, 100);
    kit_flow(kit, 100000, 80000);
    kit_settle_at(kit, kit->now + MOMENT_SECOND);
    assert_int_equal(stats->gn_drops[DROP_CONTEXT_DELETED], 1);
    assert_true(stats->npdu_out == 2 && stats->llc_frames == 2);
}

UNIT_MAIN(kit_start, NULL)
