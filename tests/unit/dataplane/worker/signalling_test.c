/* SPDX-License-Identifier: BSD-3-Clause */
/* Signalling on a link with a rate: at once within its part, in order beyond, and never in others' way. */
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/msg.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "dataplane/sched/link.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <string.h>

#define PLACES       128 /* of frames that wait */
#define NS_OCTETS    400
#define HEAD_OCTETS  42 /* Ethernet, IPv4, UDP */
#define MARK         (HEAD_OCTETS + 4)
#define SHARE_OCTETS 1526 /* one largest LLC-PDU at least */

static int send(struct kit *kit, uint32_t nsvc, uint8_t mark)
{
    struct msg msg = {.type = MSG_SEND, .slot = nsvc, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    assert_non_null(msg.mbuf);
    char *room = rte_pktmbuf_append(msg.mbuf, NS_OCTETS);
    assert_non_null(room);
    memset(room, mark, NS_OCTETS);
    return kit_order(kit, &msg);
}

/* The next frame is the one with this mark; 0: there is none. */
static void expect(struct kit *kit, uint8_t mark)
{
    uint8_t got[KIT_FRAME_OCTETS];
    size_t octets = kit_take_gb(kit, got);
    assert_int_equal(octets, mark ? HEAD_OCTETS + NS_OCTETS : 0);
    if (mark)
        assert_int_equal(got[MARK], mark);
}

static void set_rate(struct kit *kit, uint32_t nse, uint64_t rate_bps, uint64_t octets, uint32_t percent)
{
    struct msg msg = {.type = MSG_NSE_RATE, .slot = nse};
    msg.link = (struct sched_link_rate){rate_bps, octets, percent};
    kit_do(kit, &msg);
}

/* NSE 1 has NS-VC 1 and nothing else. */
static void open(struct kit *kit)
{
    struct msg nsvc = kit_nsvc(1);
    nsvc.nsvc.nse = 1;
    kit_open(kit, NULL);
    kit_do(kit, &(struct msg){.type = MSG_NSE_ADD, .slot = 1, .nsei = 102});
    kit_do(kit, &nsvc);
}

#define OPEN_TEST(name) TEST_IN(name, struct kit, kit, open(kit), kit_close(kit))

OPEN_TEST(without_a_rate)
{
    for (unsigned i = 0; i < 200; i++) {
        assert_int_equal(send(kit, 0, 1), 0);
        expect(kit, 1);
    }
}

/* Three frames fit into the share; the fourth leaves when 74 octets of it have leaked at 4 kbit/s. */
OPEN_TEST(waits_for_its_part)
{
    set_rate(kit, 0, 8000, 1000, 50);
    for (uint8_t i = 1; i <= 5; i++)
        assert_int_equal(send(kit, 0, i), 0);
    for (uint8_t i = 1; i <= 3; i++)
        expect(kit, i);
    expect(kit, 0);
    int64_t start_ns = kit->now, first_ns = start_ns + 148 * KIT_MS, second_ns = first_ns + 800 * KIT_MS;
    assert_true(kit_settle(kit) == first_ns);
    assert_true(kit_settle_at(kit, first_ns - 1) == first_ns);
    expect(kit, 0);
    assert_true(kit_settle_at(kit, first_ns) == second_ns);
    expect(kit, 4);
    expect(kit, 0);
    assert_true(kit_settle_at(kit, second_ns) == MOMENT_NEVER);
    expect(kit, 5);
}

/* An earlier one waits: a shorter one, for which there would be room, does not pass it. */
OPEN_TEST(in_order)
{
    set_rate(kit, 0, 8000, 1000, 50);
    for (uint8_t i = 1; i <= 5; i++)
        assert_int_equal(send(kit, 0, i), 0);
    assert_int_equal(kit_drain(&kit->gb), 3);
    struct msg ui = {.type = MSG_LLC_UI, .llc = {.sapi = 1}, .mbuf = rte_pktmbuf_alloc(kit->tx_pool)};
    assert_non_null(rte_pktmbuf_append(ui.mbuf, 10));
    assert_int_equal(kit_order(kit, &ui), 0);
    expect(kit, 0);
    kit_settle_at(kit, kit->now + 348 * KIT_MS); /* 100 octets more than the fourth needs */
    expect(kit, 4);
    expect(kit, 0);
    kit_settle_at(kit, kit->now + 600 * KIT_MS);
    expect(kit, 5);
    expect(kit, 0);
    kit_settle_at(kit, kit->now + 800 * KIT_MS);
    assert_int_equal(kit_drain(&kit->gb), 1);
}

/* Another NSE, users' frames and other orders go on. */
OPEN_TEST(others_go_on)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = 100};
    set_rate(kit, 0, 8000, 3000, 20);
    for (uint8_t i = 1; i <= 10; i++)
        assert_int_equal(send(kit, 0, i), 0);
    assert_int_equal(kit_drain(&kit->gb), 3);
    assert_int_equal(send(kit, 1, 77), 0);
    expect(kit, 77);
    kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    assert_int_equal(kit_drain(&kit->gb), 1);
    kit_do(kit, &(struct msg){.type = MSG_BVC_STATE, .slot = 0, .is_unblocked = true});
    assert_int_equal(kit->worker->signalling.count, 7);
}

/* What signalling took the link's users wait for. */
OPEN_TEST(counts_for_users)
{
    uint8_t frame[KIT_FRAME_OCTETS];
    struct gn_frame in = {.teid = KIT_TEID,
                          .inner_octets = 90}; /* 100 octets of LLC, and no headers counted */
    set_rate(kit, 0, 8000, 1000, 100);
    for (uint8_t i = 1; i <= 2; i++)
        assert_int_equal(send(kit, 0, i), 0);
    assert_int_equal(kit_drain(&kit->gb), 2);
    for (unsigned i = 0; i < 3; i++)
        kit_from_gn(kit, frame, gn_frame_build(frame, &in));
    assert_int_equal(kit_drain(&kit->gb), 2);
    assert_true(kit_settle(kit) == kit->now + 100 * KIT_MS);
    kit_settle_at(kit, kit->now + 100 * KIT_MS);
    assert_int_equal(kit_drain(&kit->gb), 1);
}

/* Half of the places are taken; the next frame is lost, counted, and its order answered so. */
TEST(too_many)
{
    struct kit kit;
    open(&kit);
    set_rate(&kit, 0, 8000, 1000, 1);
    for (unsigned i = 0; i < 3 + PLACES / 2; i++)
        assert_int_equal(send(&kit, 0, (uint8_t)(i + 1)), 0);
    assert_int_equal(kit_drain(&kit.gb), 3);
    assert_int_equal(kit.worker->stats.gb_signalling_lost, 0);
    assert_int_equal(send(&kit, 0, 200), -1);
    assert_int_equal(kit.worker->stats.gb_signalling_lost, 1);
    assert_int_equal(send(&kit, 1, 201), 0);
    expect(&kit, 201);
    kit_close(&kit); /* and what waits is freed */
}

/* An NSE whose link has a rate, too, finds a place beside a flood for another one's. */
OPEN_TEST(a_flood_leaves_others_places)
{
    set_rate(kit, 0, 8000, 1000, 1);
    set_rate(kit, 1, 8000, 1000, 1);
    for (unsigned i = 0; i < 2 * PLACES; i++)
        send(kit, 0, (uint8_t)i);
    kit_drain(&kit->gb);
    for (unsigned i = 0; i < 3 + PLACES / 4; i++)
        assert_int_equal(send(kit, 1, 1), 0);
    kit_drain(&kit->gb);
}

/* Another rate, or none, lets go at once what now may. */
OPEN_TEST(new_rates)
{
    set_rate(kit, 0, 8000, 1000, 10);
    for (uint8_t i = 1; i <= 9; i++)
        assert_int_equal(send(kit, 0, i), 0);
    assert_int_equal(kit_drain(&kit->gb), 3);
    set_rate(kit, 0, 8000, 20000, 10); /* 2000 octets */
    expect(kit, 4);
    expect(kit, 5);
    expect(kit, 0);
    set_rate(kit, 0, 0, 0, 0);
    for (uint8_t i = 6; i <= 9; i++)
        expect(kit, i);
    assert_true(kit_settle(kit) == MOMENT_NEVER);
    assert_int_equal(kit->worker->context.nses[0].signals, 0);
}

/* The port takes no more: those that wait and may go stay until it does. */
OPEN_TEST(port_is_full)
{
    unsigned sent = 0;
    struct rte_mbuf *mbuf;
    set_rate(kit, 0, 8000, 1000, 1);
    for (unsigned i = 0; i < 3 + PLACES / 2; i++)
        assert_int_equal(send(kit, 0, 1), 0);
    while ((mbuf = rte_pktmbuf_alloc(kit->tx_pool)) && rte_ring_enqueue(kit->gb.to_outside, mbuf) == 0)
        sent++;
    rte_pktmbuf_free(mbuf);
    while (port_room(&kit->worker->gb) > 10)
        port_send(&kit->worker->gb, rte_pktmbuf_alloc(kit->tx_pool));
    struct msg msg = {.type = MSG_NSE_RATE, .seq = 1};
    assert_true(msg_put(kit->worker->rings.to_worker, &msg));
    for (unsigned i = 0; i < 3; i++) {
        kit->now++;
        assert_true(worker_step(kit->worker, kit->now) <= kit->now + KIT_MS);
    }
    assert_int_equal(port_room(&kit->worker->gb), 0);
    assert_int_equal(kit->worker->signalling.count, PLACES / 2 - 10);
    sent += kit_drain(&kit->gb);
    while (kit->worker->signalling.count > 0 || kit->worker->gb.pending_count > 0) {
        worker_step(kit->worker, ++kit->now);
        kit_drain(&kit->gb);
    }
    assert_true(kit_take_msg(kit, &msg));
    assert_true(sent > 0);
}

UNIT_MAIN(kit_start, NULL)
