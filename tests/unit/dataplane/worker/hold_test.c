/* SPDX-License-Identifier: BSD-3-Clause */
/* MSG_MS_HOLD: N-PDUs of a mobile wait, in service or not, with a suspension or without. */
#include "dataplane/aqm/aqm.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#include <rte_mbuf.h>
#include <string.h>

#define S MOMENT_SECOND

static void hold(struct kit *kit, bool is_held)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_HOLD, .is_held = is_held});
}

static void suspend(struct kit *kit, bool is_suspended)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = is_suspended});
}

/* An N-PDU comes; how many frames leave. */
static unsigned put_down(struct kit *kit)
{
    gn_frame_put(kit, KIT_TEID, 200);
    return kit_drain(&kit->gb);
}

/* Each of the two stops it, and neither ends the other. */
KIT_TEST(besides_a_suspension, NULL)
{
    static const struct {
        bool holds, is_on; /* else it suspends */
        unsigned leave;    /* of what waits, with one that comes then */
    } rows[] = {
        {true, true, 0}, {false, true, 0},  {true, false, 0}, {false, false, 4}, {false, true, 0},
        {true, true, 0}, {false, false, 0}, {true, true, 0},  {true, false, 5},  {true, false, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (rows[i].holds ? hold : suspend)(kit, rows[i].is_on);
        unsigned left = kit_drain(&kit->gb);
        assert_int_equal(left + put_down(kit), rows[i].leave);
    }
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_MS_HOLD, .slot = 7}), -1);
    assert_int_equal(kit_order(kit, &(struct msg){.type = MSG_MS_HOLD, .slot = KIT_MOBILES}), -1);
}

/* phones.suspended = "drop" drops nothing that waits or comes while it is held. */
KIT_TEST(drops_nothing, NULL)
{
    struct msg ms = kit_ms(kit, 0, KIT_TLLI), pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    const uint64_t *dropped = &kit->worker->stats.gn_drops[DROP_SUSPENDED];
    ms.ms.drops_suspended = true;
    kit_do(kit, &(struct msg){.type = MSG_PDP_DEL});
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    kit_do(kit, &ms);
    kit_do(kit, &pdp);
    hold(kit, true);
    assert_int_equal(put_down(kit), 0);
    suspend(kit, true);
    assert_int_equal(put_down(kit), 0);
    assert_int_equal(*dropped, 0);
    suspend(kit, false);
    hold(kit, false);
    assert_int_equal(kit_drain(&kit->gb), 2);
    hold(kit, true);
    assert_int_equal(put_down(kit), 0);
    suspend(kit, true);
    hold(kit, false); /* what waits is dropped as it would have been */
    assert_int_equal(*dropped, 1);
    assert_int_equal(put_down(kit), 0);
    assert_int_equal(*dropped, 2);
}

/* Nothing grows too old, and its time counts as before afterwards. */
KIT_TEST(nothing_grows_old, &(struct kit_options){.lifetime_ns = 10 * S})
{
    const uint64_t *dropped = &kit->worker->stats.gn_drops[DROP_LIFETIME];
    hold(kit, true);
    assert_int_equal(put_down(kit), 0);
    (void)kit_settle_at(kit, kit->now + 100 * S);
    assert_int_equal(*dropped, 0);
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE});
    hold(kit, false);
    (void)kit_settle_at(kit, kit->now + 9 * S);
    assert_int_equal(*dropped, 0);
    (void)kit_settle_at(kit, kit->now + 2 * S);
    assert_int_equal(*dropped, 1);
}

static enum aqm_verdict refuse(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    return AQM_DROP;
}

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    return NULL;
}

/* No AQM scheme is asked for those that come while it is held. */
TEST(no_scheme_is_asked)
{
    static const struct aqm_ops refuses = {
        .name = "refuses", .prepare = prepare, .law_octets = 8, .state_octets = 8, .enqueue = refuse};
    struct kit kit;
    struct context_policy policy;
    context_policy_default(&policy);
    policy.sched.aqm[QCLASS_BACKGROUND] =
        (struct sched_aqm_params){.choice = {.ops = &refuses}, .scope = SCHED_AQM_MS};
    for (unsigned flow_queues = 0; flow_queues <= 4; flow_queues += 4) {
        policy.sched.flow_queues = (uint8_t)flow_queues;
        kit_open(&kit, &(struct kit_options){.policy = &policy});
        assert_int_equal(put_down(&kit), 0);
        hold(&kit, true);
        assert_int_equal(put_down(&kit) + put_down(&kit), 0);
        assert_int_equal(kit.worker->stats.gn_drops[DROP_AQM], 1);
        hold(&kit, false);
        assert_int_equal(kit_drain(&kit.gb), 2);
        kit_close(&kit);
    }
}

static bool is_told(struct kit *kit, uint16_t type)
{
    struct msg msg;
    return kit_take_msg(kit, &msg) && msg.type == type;
}

/* A lost mobile is not paged while it is held, and at once when it is not any more. */
KIT_TEST(asks_for_no_page, &(struct kit_options){.has_paging = true})
{
    struct msg msg;
    const struct msg go_on = {.type = MSG_MS_HOLD};
    hold(kit, true);
    kit_do(kit, &(struct msg){.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true});
    assert_int_equal(put_down(kit), 0);
    assert_false(kit_take_msg(kit, &msg));
    assert_true(msg_put(kit->worker->rings.to_worker, &go_on));
    kit_settle(kit);
    assert_true(is_told(kit, MSG_PAGE_WANTED));
    assert_true(is_told(kit, MSG_ANSWER));
}

/* Signalling leaves all the same. */
KIT_TEST(signalling_goes, NULL)
{
    hold(kit, true);
    struct msg ui = {.type = MSG_LLC_UI, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    ui.llc.sapi = 1;
    assert_non_null(ui.mbuf);
    memset(rte_pktmbuf_append(ui.mbuf, 20), 8, 20);
    kit_do(kit, &ui);
    assert_int_equal(kit_drain(&kit->gb), 1);
    assert_int_equal(put_down(kit), 0);
}

enum { STREAM = 40, FRAMES = 400 };

struct frames {
    unsigned count;
    size_t octets[FRAMES];
    uint8_t bytes[FRAMES][KIT_FRAME_OCTETS];
};

static void collect(struct kit *kit, struct frames *out)
{
    size_t octets;
    while ((octets = kit_take_gb(kit, out->bytes[out->count])) > 0)
        out->octets[out->count++] = octets;
}

/* N-PDUs of several segments at a slow bucket; some come while it is held, if it is ever. */
static void play(struct frames *out, unsigned held_at)
{
    struct kit kit;
    kit_open(&kit, &(struct kit_options){.n201_u = 200});
    kit_flow(&kit, 700, 8000);
    for (unsigned i = 0; i < STREAM; i++) {
        uint8_t frame[KIT_FRAME_OCTETS];
        const struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 900, .seed = (uint16_t)(i + 1)};
        if (i == held_at)
            hold(&kit, true);
        kit_from_gn(&kit, frame, gn_frame_build(frame, &in));
        if (i == held_at + 5) {
            (void)kit_settle_at(&kit, kit.now + 30 * S);
            hold(&kit, false);
        }
        collect(&kit, out);
        (void)kit_settle_at(&kit, kit.now + S / 10);
    }
    for (unsigned i = 0; i < 1000; i++) {
        (void)kit_settle_at(&kit, kit.now + S / 10);
        collect(&kit, out);
    }
    assert_int_equal(kit.worker->stats.npdu_out, STREAM);
    kit_close(&kit);
}

/* The frames of a stream are octet by octet those of one that was never held, N-PDUs in service included. */
TEST(leaves_the_stream_as_it_was)
{
    static struct frames one, other;
    play(&one, STREAM);
    assert_true(one.count >= 5 * STREAM);
    for (unsigned held_at = 0; held_at < STREAM - 6; held_at += 3) {
        other.count = 0;
        play(&other, held_at);
        assert_int_equal(other.count, one.count);
        for (unsigned i = 0; i < one.count; i++) {
            assert_int_equal(other.octets[i], one.octets[i]);
            assert_memory_equal(other.bytes[i], one.bytes[i], one.octets[i]);
        }
    }
}

/* Context and mobile are deleted with what waits; kit_close() holds that all buffers came back. */
KIT_TEST(deleted_while_held, NULL)
{
    hold(kit, true);
    for (unsigned i = 0; i < 30; i++)
        assert_int_equal(put_down(kit), 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    assert_int_equal(kit->worker->stats.gn_drops[DROP_CONTEXT_DELETED], 30);
    kit_do(kit, &(struct msg){.type = MSG_MS_ADD, .ms = kit_ms(kit, 0, KIT_TLLI).ms});
    struct msg pdp = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    kit_do(kit, &pdp);
    assert_int_equal(put_down(kit), 1);
}

UNIT_MAIN(kit_start, NULL)
