/* SPDX-License-Identifier: BSD-3-Clause */
/* Mobiles that are not heard: from when on what comes for them waits, what control is told, and what lets it
 * go. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"

#define READY_NS  (10 * MOMENT_SECOND)
#define COARSE_NS ((INT64_C(1) << MS_TICK_BITS) + 1) /* so much later it may be noticed */

static const struct kit_options options = {.has_paging = true, .ready_ns = READY_NS};

/* An N-PDU comes at an instant; how many frames leave. */
static unsigned put_down(struct kit *kit, int64_t now)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 200};
    kit->now = now;
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    return kit_drain(&kit->gb);
}

/* The mobile is heard at an instant; how many frames leave. */
static unsigned hear(struct kit *kit, int64_t now)
{
    static const uint8_t data[40] = {0x45, 0, 0, sizeof(data), [16] = 10}; /* to a host */
    uint8_t frame[KIT_FRAME_OCTETS];
    const struct ms *ms = &kit->worker->context.mobiles[0];
    struct gb_frame_uplink in = {.tlli = KIT_TLLI,
                                 .nu = llc_entity_nu(ms->llc[1].vur),
                                 .number = (uint16_t)kit->worker->stats.ul_npdu_out,
                                 .octets = sizeof(data),
                                 .data = data};
    kit->now = now;
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    assert_int_equal(kit_drain(&kit->gn), 1);
    return kit_drain(&kit->gb);
}

static bool is_told(struct kit *kit, uint16_t type)
{
    struct msg msg;
    if (!kit_take_msg(kit, &msg))
        return false;
    assert_true(msg.type == type && msg.slot == 0 && msg.nse == 0);
    return true;
}

TEST(ready_until_the_timer_runs_out)
{
    static const struct {
        int64_t silent_ns;
        bool is_ready;
    } rows[] = {{0, true}, {READY_NS, true}, {READY_NS + 2 * COARSE_NS, false}, {3000 * READY_NS, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        kit_open(&kit, &options);
        int64_t heard_ns = kit.now + 3 * MOMENT_SECOND;
        assert_int_equal(hear(&kit, heard_ns), 0);
        assert_int_equal(put_down(&kit, heard_ns + rows[i].silent_ns), rows[i].is_ready);
        assert_int_equal(is_told(&kit, MSG_PAGE_WANTED), !rows[i].is_ready);
        kit_close(&kit);
    }
}

/* Control is told once, however much comes; the first frame of the mobile lets everything go, in order. */
TEST(asked_once_and_let_go)
{
    struct kit kit;
    kit_open(&kit, &options);
    int64_t late_ns = kit.now + READY_NS + 2 * COARSE_NS;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(put_down(&kit, late_ns + i), 0);
    assert_true(is_told(&kit, MSG_PAGE_WANTED));
    assert_false(is_told(&kit, MSG_PAGE_WANTED));
    assert_int_equal(hear(&kit, late_ns + 10), 3);
    assert_true(is_told(&kit, MSG_MS_REACHED));
    assert_int_equal(hear(&kit, late_ns + 20), 0);
    assert_false(is_told(&kit, MSG_MS_REACHED));
    assert_int_equal(put_down(&kit, late_ns + 30), 1);
    kit_close(&kit);
}

/* A cell that was down has not heard anybody: its mobiles have the whole time again. */
TEST(time_begins_anew_with_the_cell)
{
    struct kit kit;
    const struct msg up = {.type = MSG_BVC_STATE, .slot = 0, .is_unblocked = true};
    kit_open(&kit, &options);
    kit.now += READY_NS + 2 * COARSE_NS;
    kit_do(&kit, &up);
    assert_int_equal(put_down(&kit, kit.now), 1);
    assert_int_equal(put_down(&kit, kit.now + READY_NS + 2 * COARSE_NS), 0);
    kit_close(&kit);
}

TEST(asked_again_when_nobody_answered)
{
    struct kit kit;
    const struct msg end = {.type = MSG_PAGE_END, .tlli = KIT_TLLI};
    kit_open(&kit, &options);
    int64_t late_ns = kit.now + READY_NS + 2 * COARSE_NS;
    assert_int_equal(put_down(&kit, late_ns), 0);
    assert_true(is_told(&kit, MSG_PAGE_WANTED));
    kit_do(&kit, &end);
    assert_false(is_told(&kit, MSG_PAGE_WANTED));
    assert_int_equal(put_down(&kit, late_ns + 1), 0);
    assert_true(is_told(&kit, MSG_PAGE_WANTED));
    kit_close(&kit);
}

/* Carries out an order; whether it has the mobile paged. */
static bool asks(struct kit *kit, const struct msg *order)
{
    struct msg msg;
    assert_true(msg_put(kit->worker->rings.to_worker, order));
    kit_settle(kit);
    assert_true(kit_take_msg(kit, &msg));
    bool is_asked = msg.type == MSG_PAGE_WANTED;
    if (is_asked)
        assert_true(kit_take_msg(kit, &msg));
    assert_true(msg.type == MSG_ANSWER && msg.answer.status == 0);
    return is_asked;
}

/* RADIO-STATUS: what waits already is asked for at once, else the next N-PDU is; not while it is suspended.
 */
TEST(lost_by_its_bss)
{
    struct kit kit;
    const struct kit_options endless = {.has_paging = true};
    const struct msg lost = {.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true};
    struct msg suspend = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    kit_open(&kit, &endless);
    kit_do(&kit, &suspend);
    assert_int_equal(put_down(&kit, kit.now), 0);
    assert_false(asks(&kit, &lost));
    suspend.is_suspended = false;
    assert_true(asks(&kit, &suspend));
    assert_false(asks(&kit, &lost));
    assert_int_equal(hear(&kit, kit.now + 1), 1);
    assert_true(is_told(&kit, MSG_MS_REACHED));
    assert_false(asks(&kit, &lost));
    assert_int_equal(put_down(&kit, kit.now + 2), 0);
    assert_true(is_told(&kit, MSG_PAGE_WANTED));
    kit_close(&kit);
}

TEST(nobody_pages)
{
    struct kit kit;
    kit_open(&kit, NULL);
    assert_int_equal(put_down(&kit, kit.now + 3000 * READY_NS), 1);
    kit_do(&kit, &(struct msg){.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true});
    assert_int_equal(put_down(&kit, kit.now + 1), 0);
    assert_false(is_told(&kit, MSG_PAGE_WANTED));
    assert_int_equal(kit_order(&kit, &(struct msg){.type = MSG_PAGE_END, .tlli = 77}), -1);
    kit_close(&kit);
}

UNIT_MAIN(kit_start, NULL)
