/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile that is heard in another cell than its own: control is told, and nothing is sent to the mobile
 * until control has decided. */
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/shares.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"

/* Where things lie in a frame without IMSI whose LLC-PDU is longer than 127 octets. */
enum { UDP_DST = 36, BVCI = 44 };

#define LONG_OCTETS 200

static void open(struct kit *kit)
{
    kit_open(kit, NULL);
    kit_open_cells(kit);
}

#define CELLS_TEST(name) TEST_IN(name, struct kit, kit, open(kit), kit_close(kit))

/* The mobile's next uplink frame, on an NS-VC from a cell. */
static void hear(struct kit *kit, unsigned nsvc, uint16_t bvci)
{
    kit_from_ms(kit, nsvc, bvci, KIT_TLLI);
    assert_int_equal(kit_drain(&kit->gn), 1);
}

static void move(struct kit *kit, uint16_t nse, uint32_t cell)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_CELL, .tlli = KIT_TLLI, .nse = nse, .cell = {.bvc = cell}});
}

/* An N-PDU comes; how many frames leave. */
static unsigned put_down(struct kit *kit)
{
    gn_frame_put(kit, KIT_TEID, LONG_OCTETS);
    return kit_drain(&kit->gb);
}

static uint8_t take_heard(struct kit *kit, uint16_t bvci)
{
    struct msg msg;
    assert_true(kit_take_msg(kit, &msg));
    assert_true(msg.type == MSG_MS_HEARD && msg.heard.bvci == bvci);
    return msg.heard.number;
}

/* Control is told once that a mobile is heard in another cell of its NSE, again after it was elsewhere, and
 * again in another tick (ms.h); of a cell of another NSE each time. The message is of the share of the NSE
 * that the frame came from. */
CELLS_TEST(told_where)
{
    static const struct {
        uint16_t nse, bvci;
        bool is_told, is_later; /* is_later: in another tick than the one before */
    } frames[] = {{0, KIT_BVCI, false},
                  {0, 10, true},
                  {0, 10, false},
                  {0, 11, true},
                  {0, 10, true},
                  {0, KIT_BVCI, false},
                  {0, 10, true},
                  {0, 10, false},
                  {0, 10, true, true},
                  {0, 10, false},
                  {1, 10, true},
                  {1, 10, true},
                  {0, 10, true},
                  {0, 10, false},
                  {1, KIT_BVCI, true},
                  {0, 10, true},
                  {1, 10, true, true},
                  {0, 10, true},
                  {0, KIT_BVCI, false, true}};
    struct msg msg;
    for (size_t i = 0; i < COUNT(frames); i++) {
        const struct msg_heard cell = {.nse = frames[i].nse, .bvci = frames[i].bvci};
        kit->now += frames[i].is_later ? INT64_C(1) << MS_TICK_BITS : 0;
        standby_heard(kit->worker, 0, KIT_TLLI, cell, kit->now);
        if (shares_waiting(&kit->worker->shares, SHARE_NSES + cell.nse) != frames[i].is_told ||
            kit_take_msg(kit, &msg) != frames[i].is_told)
            fail_msg("row %zu", i);
        if (!frames[i].is_told)
            continue;
        assert_int_equal(msg.type, MSG_MS_HEARD);
        assert_int_equal(msg.slot, 0);
        assert_int_equal(msg.heard.bvci, cell.bvci);
        assert_int_equal(msg.heard.nse, cell.nse);
        assert_int_equal(msg.nse, 0);
    }
    hear(kit, 0, 11);
    take_heard(kit, 11);
    move(kit, 0, 2);
    hear(kit, 0, 11); /* it was moved, and is there all the same */
    take_heard(kit, 11);
    hear(kit, 0, KIT_BVCI);
    take_heard(kit, KIT_BVCI);
    move(kit, 0, 1);
    hear(kit, 1, KIT_BVCI);
    assert_true(kit_take_msg(kit, &msg));
    assert_int_equal(msg.nse, 1);
}

/* How many frames leave once control has decided. */
static unsigned decide(struct kit *kit, uint8_t number)
{
    kit_do(kit, &(struct msg){.type = MSG_MS_DECIDED, .heard_number = number});
    return kit_drain(&kit->gb);
}

/* Where the share of the frame's NSE is full control does not hear of the cell, and nothing waits for it; the
 * next frame tells it. */
CELLS_TEST(not_told)
{
    struct msg msg = {.type = MSG_PAGE_WANTED};
    while (shares_put(&kit->worker->rings, &msg, SHARE_NSES))
        ;
    hear(kit, 0, 10);
    assert_int_equal(put_down(kit), 1);
    while (kit_take_msg(kit, &msg))
        assert_int_equal(msg.type, MSG_PAGE_WANTED);
    hear(kit, 0, 10);
    take_heard(kit, 10);
    assert_int_equal(put_down(kit), 0);
}

/* Behind the frame that a mobile sends in another cell nothing leaves for the former one: an N-PDU waits for
 * the move, however late that is ordered (TS 23.060 clause 6.9.1.1). */
CELLS_TEST(move_before_forward)
{
    static const struct {
        uint16_t heard, cell, bvci;
        unsigned nsvc;
    } rows[] = {{10, 2, 10, 0}, {KIT_BVCI, 0, KIT_BVCI, 0}, {10, 1, 9, 1}};
    uint8_t got[KIT_FRAME_OCTETS];
    struct msg msg;
    for (size_t i = 0; i < COUNT(rows); i++) {
        hear(kit, 0, rows[i].heard);
        uint8_t number = take_heard(kit, rows[i].heard);
        assert_int_equal(put_down(kit), 0);
        kit_settle_at(kit, kit->now + STANDBY_WAIT_NS - 1);
        assert_int_equal(kit_drain(&kit->gb), 0);
        move(kit, 0, rows[i].cell);
        assert_int_equal(kit_drain(&kit->gb), 0);
        kit_do(kit, &(struct msg){.type = MSG_MS_DECIDED, .heard_number = number});
        assert_true(kit_take_gb(kit, got) > LONG_OCTETS);
        assert_int_equal(bytes_get_u16(got + UDP_DST), KIT_BSS_PORT + rows[i].nsvc);
        assert_int_equal(bytes_get_u16(got + BVCI), rows[i].bvci);
        assert_int_equal(put_down(kit), 1);
        assert_false(kit_take_msg(kit, &msg));
    }
}

/* One that was heard in a third cell before it is moved to the second waits for the decision on the third. */
CELLS_TEST(last_cell_counts)
{
    hear(kit, 0, 10);
    uint8_t first = take_heard(kit, 10);
    hear(kit, 0, 11);
    uint8_t last = take_heard(kit, 11);
    assert_int_equal(put_down(kit), 0);
    move(kit, 0, 2);
    assert_int_equal(decide(kit, first), 0);
    assert_int_equal(decide(kit, last), 1);
}

/* One that may not move stays where it was: each refusal lets its N-PDUs go, however often it is heard
 * elsewhere meanwhile. A frame from the mobile's own cell ends the wait, the end of a suspension does not. */
CELLS_TEST(stays_where_it_was)
{
    hear(kit, 0, 10);
    uint8_t first = take_heard(kit, 10);
    assert_int_equal(put_down(kit), 0);
    assert_int_equal(decide(kit, first), 1);
    assert_int_equal(put_down(kit), 1);
    hear(kit, 0, 11);
    uint8_t second = take_heard(kit, 11);
    hear(kit, 0, 10);
    uint8_t third = take_heard(kit, 10);
    assert_int_equal(put_down(kit), 0);
    assert_int_equal(decide(kit, second), 1);
    hear(kit, 0, 11);
    uint8_t fourth = take_heard(kit, 11);
    assert_int_equal(put_down(kit), 0);
    assert_int_equal(decide(kit, third), 1);
    assert_int_equal(decide(kit, fourth), 0);
    hear(kit, 0, 10);
    take_heard(kit, 10);
    assert_int_equal(put_down(kit), 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true});
    kit_do(kit, &(struct msg){.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI});
    assert_int_equal(kit_drain(&kit->gb), 0);
    hear(kit, 0, KIT_BVCI);
    assert_int_equal(kit_drain(&kit->gb), 1);
}

/* A second mobile is heard in cell 10. */
static void hear_other(struct kit *kit)
{
    const struct msg other = kit_ms(kit, 1, KIT_TLLI + 1);
    kit_do(kit, &other);
    standby_heard(kit->worker, 1, KIT_TLLI + 1, (struct msg_heard){.bvci = 10}, kit->now);
    take_heard(kit, 10);
}

/* The decision never comes: the N-PDUs go to the cell that control knows, however often the mobile is heard
 * elsewhere meanwhile. A wait that ended otherwise, behind another mobile's, does not end a later one. */
CELLS_TEST(never_decided)
{
    const uint64_t *count = &kit->worker->stats.cell_undecided;
    hear_other(kit);
    hear(kit, 0, 10);
    take_heard(kit, 10);
    kit_settle_at(kit, kit->now + STANDBY_WAIT_NS / 2);
    hear(kit, 0, KIT_BVCI);
    hear(kit, 0, 10);
    take_heard(kit, 10);
    assert_int_equal(put_down(kit), 0);
    int64_t begin_ns = kit->now;
    kit_settle_at(kit, begin_ns + STANDBY_WAIT_NS / 2);
    hear(kit, 0, 11);
    take_heard(kit, 11);
    kit_settle_at(kit, begin_ns + STANDBY_WAIT_NS - 1);
    assert_true(kit_drain(&kit->gb) == 0 && *count == 1);
    kit_settle_at(kit, begin_ns + STANDBY_WAIT_NS);
    assert_true(kit_drain(&kit->gb) == 1 && *count == 2);
    assert_int_equal(worker_step(kit->worker, kit->now), MOMENT_NEVER);
    hear(kit, 0, 11);
    take_heard(kit, 11);
    assert_int_equal(put_down(kit), 0);
}

/* A mobile that is new in the place of one that waited does not end its wait with that. */
CELLS_TEST(another_mobile)
{
    struct msg msg = kit_ms(kit, 0, KIT_TLLI);
    hear(kit, 0, 10);
    take_heard(kit, 10);
    kit_settle_at(kit, kit->now + STANDBY_WAIT_NS / 2);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    kit_do(kit, &msg);
    kit_from_ms(kit, 0, 10, KIT_TLLI);
    take_heard(kit, 10);
    kit_settle_at(kit, kit->now + STANDBY_WAIT_NS / 2);
    assert_true(kit->worker->context.mobiles[0].stops == MS_AWAITS_CELL &&
                kit->worker->stats.cell_undecided == 0);
    kit_do(kit, &(struct msg){.type = MSG_MS_DEL});
    kit_settle_at(kit, kit->now + STANDBY_WAIT_NS);
    assert_true(kit->worker->waits.count == 0 && kit->worker->stats.cell_undecided == 0);
}

/* Behind a wait that is on, places of those that have ended stay taken. Without a free one control is told as
 * ever, and nothing waits. */
CELLS_TEST(full)
{
    struct worker *w = kit->worker;
    const struct msg_heard here = {.bvci = KIT_BVCI}, there = {.bvci = 10};
    hear_other(kit);
    for (unsigned i = 1; i <= STANDBY_WAITS; i++) {
        assert_int_equal(w->waits.count, i);
        standby_heard(w, 0, KIT_TLLI, here, kit->now);
        standby_heard(w, 0, KIT_TLLI, there, kit->now);
        take_heard(kit, 10);
    }
    assert_int_equal(w->stats.cell_undecided, 1);
    assert_int_equal(put_down(kit), 1);
    standby_heard(w, 1, KIT_TLLI + 1, here, kit->now);
    hear(kit, 0, 11);
    take_heard(kit, 11);
    assert_int_equal(w->waits.count, 1);
    assert_int_equal(put_down(kit), 0);
}

/* A message waits for the mobile: control may send it, behind its own order of the move; but not to one that
 * is also suspended, held or lost. */
TEST(reached_meanwhile)
{
    static const struct {
        struct msg before;
        bool is_reached;
    } rows[] = {{{.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI}, true},
                {{.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true}, false},
                {{.type = MSG_MS_LOST, .tlli = KIT_TLLI, .is_lost = true}, false}};
    struct msg msg;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct kit kit;
        open(&kit);
        kit_do(&kit, &rows[i].before);
        hear(&kit, 0, 10);
        take_heard(&kit, 10);
        const struct msg wanted = {.type = MSG_MS_WANTED};
        bool is_reached = false;
        assert_true(msg_put(kit.worker->rings.to_worker, &wanted));
        kit_settle(&kit);
        while (kit_take_msg(&kit, &msg))
            is_reached |= msg.type == MSG_MS_REACHED;
        assert_int_equal(is_reached, rows[i].is_reached);
        kit_close(&kit);
    }
}

UNIT_MAIN(kit_start, NULL)
