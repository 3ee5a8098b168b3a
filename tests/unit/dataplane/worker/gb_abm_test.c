/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile in acknowledged mode behind Gb: N-PDUs both ways over a channel that loses frames, with cell
 * changes, keys, closed windows, full buffers and compression. */
#include "tests/unit/dataplane/worker/gb_phone.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/unit.h"

#include <string.h>

KIT_TEST(nothing_is_lost, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 300000);
    kit_flow(kit, 100000, 80000);
    gb_phone_both_ways(&p, 40);
    gb_phone_play(&p, kit->now + 600 * MOMENT_SECOND);
    assert_int_equal(p.received, 40);
    assert_int_equal(p.received_up, p.sent_up);
    assert_int_equal(p.abandoned, 0);
    assert_int_equal(kit->worker->stats.abm_held, 0);
    assert_true(kit->worker->stats.abm_repeated > 0);
    gb_phone_close(&p);
}

KIT_TEST(without_loss_nothing_is_repeated, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    gb_phone_both_ways(&p, 40);
    gb_phone_play(&p, kit->now + 100 * MOMENT_SECOND);
    assert_int_equal(p.received, 40);
    assert_int_equal(p.received_up, p.sent_up);
    assert_int_equal(kit->worker->stats.abm_repeated, 0);
    assert_int_equal(kit->worker->stats.abm_established, 1);
    assert_int_equal(p.opened, 1);
    gb_phone_close(&p);
}

static struct kit_options few_buffers(void)
{
    struct kit_options few = gb_phone_options;
    few.abm.buffers = 3;
    return few;
}

TEST(with_three_buffers)
{
    struct kit kit;
    struct gb_phone p;
    const struct kit_options few = few_buffers();
    kit_open(&kit, &few);
    gb_phone_open(&p, &kit, 0);
    kit_flow(&kit, 100000, 800000);
    gb_phone_both_ways(&p, 20);
    for (unsigned i = 0; i < 200 && p.received < 20; i++) {
        gb_phone_play(&p, kit.now + 10 * KIT_MS);
        assert_true(kit.worker->stats.abm_held <= 3);
    }
    assert_int_equal(p.received, 20);
    gb_phone_close(&p);
    kit_close(&kit);
}

/* Another key in the middle: acknowledged mode is established again, and nothing is lost. */
KIT_TEST(ciphered_and_another_key, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 100000);
    kit_flow(kit, 3000, 40000);
    gb_phone_switch_key(&p, 3);
    gb_phone_both_ways(&p, 30);
    gb_phone_play(&p, kit->now + 2500 * KIT_MS);
    assert_true(p.received > 0 && p.received < 30);
    gb_phone_lose_air(&p); /* frames with the former key */
    gb_phone_switch_key(&p, 77);
    gb_phone_play(&p, kit->now + 600 * MOMENT_SECOND);
    assert_int_equal(p.received, 30);
    assert_int_equal(p.received_up, p.sent_up);
    assert_true(kit->worker->stats.abm_established > 1);
    gb_phone_close(&p);
}

/* Bmax and R hold for all frames, repetitions too. */
KIT_TEST(buckets_are_charged, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 300000);
    kit_flow(kit, 3000, 8000);
    for (unsigned i = 0; i < 60; i++)
        gb_phone_down(&p, i, 500);
    int64_t began_ns = kit->now;
    for (unsigned i = 0; i < 4000 && p.received < 60; i++)
        gb_phone_play(&p, kit->now + 100 * KIT_MS);
    assert_int_equal(p.received, 60);
    /* 60 x 510 octets are 30.6 kB; at 1 kB/s, of which 3 kB at once, they take 27.6 s, and repetitions more.
     */
    double repeated = (double)kit->worker->stats.abm_repeated;
    assert_true((double)(kit->now - began_ns) > (27.6 + repeated * 0.5 - 3) * MOMENT_SECOND);
    gb_phone_close(&p);
}

/* Suspended: nothing is sent, and T201 does not run out. */
KIT_TEST(suspended, &gb_phone_options)
{
    struct gb_phone p;
    struct msg msg = {.type = MSG_MS_SUSPEND, .tlli = KIT_TLLI, .is_suspended = true};
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    gb_phone_both_ways(&p, 8);
    gb_phone_play(&p, kit->now + 60 * KIT_MS);
    kit_do(kit, &msg);
    uint64_t frames = kit->worker->stats.abm_frames;
    p.loss_ppm = 1000000 - 1;
    gb_phone_play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_frames, frames);
    assert_int_equal(kit->worker->stats.abm_failed, 0);
    p.loss_ppm = 0;
    msg.is_suspended = false;
    kit_do(kit, &msg);
    gb_phone_play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(p.received, 8);
    gb_phone_close(&p);
}

/* A phone that refuses: N-PDUs wait until they are too old; each new one asks again. */
KIT_TEST(refused, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 999999);
    kit_flow(kit, 100000, 80000);
    gb_phone_down(&p, 0, 100);
    gb_phone_play(&p, kit->now + 100 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_failed, 1);
    assert_int_equal(kit->worker->stats.abm_frames, 1 + 8);
    p.loss_ppm = 0;
    gb_phone_down(&p, 1, 100);
    gb_phone_play(&p, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(p.received, 2);
    gb_phone_close(&p);
}

/* The context ends with N-PDUs on their way. */
KIT_TEST(deleted, &gb_phone_options)
{
    struct gb_phone p;
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0};
    gb_phone_open(&p, kit, 300000);
    kit_flow(kit, 100000, 80000);
    gb_phone_both_ways(&p, 20);
    gb_phone_play(&p, kit->now + 300 * KIT_MS);
    kit_do(kit, &del);
    assert_int_equal(kit->worker->stats.abm_held, 0);
    gb_phone_play(&p, kit->now + 300 * MOMENT_SECOND);
    assert_int_equal(kit->worker->abm.free_count, gb_phone_options.abm.links);
    assert_int_equal(p.link.state, LINK_ADM);
    gb_phone_close(&p);
}

/* FLUSH-LL-ACK says that the former cell deleted its frames. */
KIT_TEST(flushed, &gb_phone_options)
{
    struct gb_phone p;
    struct msg msg = {.type = MSG_MS_FLUSHED, .tlli = KIT_TLLI, .flush = {.octets = 1, .to = GB_BVC_NONE}};
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    gb_phone_both_ways(&p, 8);
    gb_phone_play(&p, kit->now + 120 * KIT_MS);
    gb_phone_lose_air(&p);
    kit_do(kit, &msg);
    gb_phone_play(&p, kit->now + 1900 * KIT_MS); /* less than T201 */
    assert_int_equal(p.received, 8);
    assert_true(kit->worker->stats.abm_repeated > 0);
    gb_phone_close(&p);
}

/* XID raises N201-U above N201-I: segments stay within both. */
TEST(n201_u_above_n201_i)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options short_frames = gb_phone_options;
    struct msg msg = {.type = MSG_MS_N201, .n201_u_octets = 1503};
    short_frames.abm.values.n201_i_octets = 200;
    kit_open(&kit, &short_frames);
    gb_phone_open(&p, &kit, 0);
    kit_flow(&kit, 100000, 80000);
    gb_phone_down(&p, 0, 100);
    gb_phone_play(&p, kit.now + MOMENT_SECOND);
    kit_do(&kit, &msg);
    for (unsigned i = 1; i < 20; i++)
        gb_phone_down(&p, i, 40 + 70 * (i % 5));
    gb_phone_play(&p, kit.now + 100 * MOMENT_SECOND);
    assert_int_equal(p.received, 20);
    gb_phone_close(&p);
    kit_close(&kit);
}

/* N-PDUs of both sides of a limit, which SN-DATA's headers of 3 octets, and of 1 in later segments, decide.
 */
static const struct {
    uint16_t n201_i, octets, frames;
} segments[] = {
    {1503, 1500, 1}, {1503, 1501, 2}, {140, 137, 1}, {140, 138, 2}, {140, 276, 2}, {140, 277, 3},
};

/* As many N-PDUs in a row, which bypass the queue or, at a slow bucket, wait in it, among other lengths. */
static void check_segments(uint16_t n201_i, uint16_t octets, uint16_t frames, bool is_queued)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options of_row = gb_phone_options;
    of_row.abm.values.n201_i_octets = n201_i;
    of_row.n201_u = 1520;
    kit_open(&kit, &of_row);
    gb_phone_open(&p, &kit, 0);
    kit_flow(&kit, is_queued ? 2000 : 100000, is_queued ? 8000 : 80000000);
    gb_phone_down(&p, 0, 40);
    gb_phone_play(&p, kit.now + 10 * MOMENT_SECOND);
    for (unsigned i = 1; i < 9; i++) {
        gb_phone_down(&p, i, i % 2 ? octets : 40);
        if (!is_queued)
            gb_phone_play(&p, kit.now + MOMENT_SECOND);
    }
    gb_phone_play(&p, kit.now + 60 * MOMENT_SECOND);
    assert_int_equal(p.received, 9);
    assert_int_equal(kit.worker->stats.llc_frames, 5u + 4u * frames);
    gb_phone_close(&p);
    kit_close(&kit);
}

TEST(no_segment_is_needless)
{
    for (unsigned i = 0; i < 2 * COUNT(segments); i++)
        check_segments(segments[i / 2].n201_i, segments[i / 2].octets, segments[i / 2].frames, i % 2);
}

/* Buckets are charged what leaves: the segments of an N-PDU whose estimates are right need no correction. */
TEST(segments_are_charged_what_leaves)
{
    struct kit kit;
    struct gb_phone p;
    struct kit_options of_row = gb_phone_options;
    of_row.abm.values.n201_i_octets = of_row.n201_u = 500;
    kit_open(&kit, &of_row);
    gb_phone_open(&p, &kit, 0);
    gb_phone_down(&p, 0, 40);
    gb_phone_play(&p, kit.now + MOMENT_SECOND);
    kit_flow(&kit, 100000, 8000);
    const struct bucket *bucket = &kit.worker->context.mobiles[0].sched.bucket;
    uint64_t before = bucket_level_octets(bucket, kit.now);
    gb_phone_down(&p, 1, 1400);
    assert_int_equal(bucket_level_octets(bucket, kit.now) - before, 1400 + 3 + 1 + 1 + 3 * 7);
    gb_phone_play(&p, kit.now + MOMENT_SECOND);
    assert_int_equal(p.received, 2);
    gb_phone_close(&p);
    kit_close(&kit);
}

/* The context is activated again before the mobile has answered DISC. */
KIT_TEST(joined_while_it_is_released, &gb_phone_options)
{
    struct gb_phone p;
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0}, add = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    add.pdp.is_acknowledged = true;
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    gb_phone_down(&p, 0, 100);
    gb_phone_play(&p, kit->now + MOMENT_SECOND);
    kit_do(kit, &del);
    kit_do(kit, &add);
    link_forget(&p.link, KIT_NSAPI);
    gb_phone_down(&p, 1, 100);
    gb_phone_play(&p, kit->now + 10 * MOMENT_SECOND);
    gb_phone_down(&p, 2, 100);
    gb_phone_play(&p, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(p.received, 3);
    assert_int_equal(kit->worker->abm.free_count, gb_phone_options.abm.links - 1);
    gb_phone_close(&p);
}

/* T200 of a mobile that asked for a long one is not that of the next. */
KIT_TEST(another_t200, &gb_phone_options)
{
    struct gb_phone p;
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 100000, 80000);
    p.kind.values.t200_ds = 4095;
    gb_phone_up(&p, 0, 100);
    gb_phone_play(&p, kit->now + MOMENT_SECOND);
    gb_phone_down(&p, 0, 100);
    kit_settle(kit);
    kit_drain(&kit->gb); /* T201 of 409.5 s runs */
    struct msg del = {.type = MSG_PDP_DEL, .slot = 0}, add = kit_pdp(0, 0, KIT_NSAPI, KIT_TEID);
    add.pdp.is_acknowledged = true;
    kit_do(kit, &del);
    gb_phone_play(&p, kit->now + MOMENT_SECOND);
    kit_do(kit, &add);
    uint64_t frames = kit->worker->stats.abm_frames;
    p.loss_ppm = 999999;
    gb_phone_down(&p, 1, 100);
    gb_phone_play(&p, kit->now + 7 * MOMENT_SECOND);
    assert_int_equal(kit->worker->stats.abm_frames - frames, 1 + 3); /* SABM, each 2 s */
    gb_phone_close(&p);
}

enum { OTHER_BVCI = KIT_BVCI + 3, LOSES_ALL_PPM = 1000000 };

/* All frames on the way arrive from a cell. How often control is told of another cell, and has decided. */
static unsigned land_in(struct gb_phone *p, uint8_t bvci)
{
    struct kit *kit = p->kit;
    struct msg msg;
    unsigned told = 0;
    p->bvci = bvci;
    gb_phone_land(p, true);
    while (kit_take_msg(kit, &msg)) {
        if (msg.type != MSG_MS_HEARD)
            continue;
        told++;
        assert_int_equal(msg.heard.bvci, bvci);
        kit_do(kit, &(struct msg){.type = MSG_MS_DECIDED, .heard_number = msg.heard.number});
    }
    kit->now += 2 * MOMENT_SECOND;
    return told;
}

/* An I frame shows where the mobile is unless its link has it, delivered or stored: it may have been
 * recorded, and neither tells a cell nor keeps the mobile in READY. */
static void send_again(struct kit *kit, bool is_ciphered)
{
    struct gb_phone p;
    struct msg msg;
    const struct ms *ms = kit->worker->context.mobiles;
    const uint64_t *refused = &kit->worker->stats.gb_drops[DROP_MOVE_OLD];
    kit_open_cells(kit);
    gb_phone_open(&p, kit, 0);
    kit_flow(kit, 30000, 400000);
    if (is_ciphered)
        gb_phone_switch_key(&p, 3);
    gb_phone_up(&p, 0, 200);
    gb_phone_play(&p, kit->now + 10 * MOMENT_SECOND);
    gb_phone_up(&p, 1, 200);
    p.loss_ppm = LOSES_ALL_PPM;
    gb_phone_play(&p, kit->now + 10 * KIT_MS);
    p.loss_ppm = 0;
    gb_phone_up(&p, 2, 200);
    gb_phone_up(&p, 3, 200);
    gb_phone_play(&p, kit->now + 10 * KIT_MS);
    while (kit_take_msg(kit, &msg)) {
    }
    assert_int_equal(land_in(&p, OTHER_BVCI), 1);
    uint16_t heard = ms->heard_ticks;
    assert_int_equal(land_in(&p, OTHER_BVCI), 0);
    assert_int_equal(*refused, 2);
    assert_int_equal(ms->heard_ticks, heard);
    gb_phone_lose_air(&p);
    p.bvci = 0;
    gb_phone_play(&p, kit->now + 10 * MOMENT_SECOND);
    assert_int_equal(p.received_up, 4);
    gb_phone_close(&p);
}

KIT_TEST(sent_again_from_elsewhere, &gb_phone_options)
{
    send_again(kit, false);
}

KIT_TEST(ciphered_sent_again_from_elsewhere, &gb_phone_options)
{
    send_again(kit, true);
}

UNIT_MAIN(kit_start, NULL)
