/* SPDX-License-Identifier: BSD-3-Clause */
/* Procedures of TBFs and access on the radio: when an LLC-PDU arrives, and what blocks it costs. */
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#include "bss/radio.h"
#include "bss/radio_air.h"
#include "dataplane/base/rng.h"

#include <stdlib.h>

#define MS        KIT_MS_NS
#define ENDLESS   RADIO_INFINITE_CS
#define TWO_PHASE .is_two_phase = true, .round_trip_ns = 120 * MS, .t3168_ns = 1000 * MS

enum { ANNA = 1, BERT = 2, BLOCK = 29 };

static const struct radio_stats *stats(const struct radio_kit *kit, enum radio_way way)
{
    return radio_stats_get(kit->radio, way);
}

static int64_t arrival_ms(const struct radio_kit *kit, size_t i)
{
    assert_true(i < kit->count);
    return kit->events[i].at_ns / MS;
}

struct pair {
    enum radio_way way;
    int64_t release_ms;
    struct radio_tbf_config tbf;
    int64_t second_at_ms, arrives_ms;
    unsigned setups, polls, control;
};

/* Two LLC-PDUs of a block, the first at 0: when does the second arrive, and what was sent besides? */
static void play_pair(const struct pair *row)
{
    struct radio_way_config way = {.slots = 1, .setup_ns = 200 * MS, .setup_beside_ns = 60 * MS};
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1};
    struct radio_kit kit;
    way.release_ns = row->release_ms * MS;
    way.tbf = row->tbf;
    *(row->way == RADIO_DOWN ? &config.down : &config.up) = way;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, row->way, ANNA, BLOCK, 1);
    radio_kit_run(&kit, row->second_at_ms * MS);
    radio_kit_fill(&kit, row->way, ANNA, BLOCK, 1);
    radio_kit_run(&kit, 60000 * MS);
    assert_int_equal(arrival_ms(&kit, 1), row->arrives_ms);
    assert_int_equal(stats(&kit, row->way)->setups, row->setups);
    assert_int_equal(stats(&kit, row->way)->idle_polls, row->polls);
    assert_int_equal(stats(&kit, row->way)->control_blocks, row->control);
    radio_kit_fini(&kit);
}

/* The first is sent at 200 and arrives at 220. */
static const struct pair pairs[] = {
    /* T3192: from 220 to 720 the next assignment is short. */
    {RADIO_DOWN, 0, {.listen_ns = 500 * MS}, 400, 480, 2, 0, 0},
    {RADIO_DOWN, 0, {.listen_ns = 500 * MS}, 719, 800, 2, 0, 0},
    {RADIO_DOWN, 0, {.listen_ns = 500 * MS}, 720, 940, 2, 0, 0},
    {RADIO_DOWN, 0, {.listen_ns = 0}, 400, 620, 2, 0, 0},
    /* T3190: the TBF at rest ends 5 s after its last block; not if polls keep it. */
    {RADIO_DOWN, 10000, {.lost_ns = 5000 * MS}, 5200, 5220, 1, 0, 0},
    {RADIO_DOWN, 10000, {.lost_ns = 5000 * MS}, 5220, 5440, 2, 0, 0},
    {RADIO_DOWN, 10000, {.lost_ns = 0}, 5220, 5240, 1, 0, 0},
    {RADIO_DOWN, 10000, {.lost_ns = 5000 * MS, .poll_ns = 2000 * MS}, 9000, 9020, 1, 8, 8},
    {RADIO_DOWN, 10000, {.lost_ns = 5000 * MS, .poll_ns = 5000 * MS}, 9000, 9220, 2, 0, 0},
    /* Polls of a downlink TBF: data does not wait for them, and they end with the TBF. */
    {RADIO_DOWN, 1000, {.poll_ns = 300 * MS}, 1200, 1220, 1, 6, 6},
    {RADIO_DOWN, 1000, {.poll_ns = 300 * MS}, 1220, 1440, 2, 6, 6},
    /* Extended uplink TBF, polled at 320, 420, ...: data waits for the next poll, which then costs nothing.
     */
    {RADIO_UP, 500, {.poll_ns = 100 * MS}, 300, 340, 1, 4, 4},
    {RADIO_UP, 500, {.poll_ns = 100 * MS}, 321, 440, 1, 5, 5},
    {RADIO_UP, 500, {.poll_ns = 100 * MS}, 719, 740, 1, 8, 8},
    {RADIO_UP, 500, {.poll_ns = 100 * MS}, 720, 940, 2, 8, 8},
    {RADIO_UP, 500, {.poll_ns = 0}, 321, 360, 1, 0, 0},
};

TEST_EACH(second_of_two, play_pair, pairs)

static struct radio_config acked(unsigned every)
{
    return (struct radio_config){.pdchs = 1,
                                 .coding = RADIO_CS2,
                                 .window_blocks = 64,
                                 .seed = 5,
                                 .down = {.slots = 1, .release_ns = 60000 * MS, .tbf.ack_every = every},
                                 .up.slots = 1};
}

/* One block at a time: each bad one costs 80 ms, to the end of its answer, and each block an answer. */
TEST(learns_by_answers)
{
    struct radio_config config = acked(20);
    struct radio_kit kit;
    int64_t sum_ns = 0;
    config.down.bler_ppm = 400000;
    radio_kit_init(&kit, &config);
    for (size_t i = 0; i < 500; i++) {
        int64_t put_ns = (int64_t)i * 4000 * MS;
        radio_kit_run(&kit, put_ns);
        radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 1);
        radio_kit_run(&kit, put_ns + 4000 * MS);
        assert_int_equal(kit.count, i + 1);
        sum_ns += kit.events[i].at_ns - put_ns;
    }
    assert_in_range(stats(&kit, RADIO_DOWN)->bad_blocks, 200, 500);
    assert_int_equal(sum_ns, (500 * 20 + (int64_t)stats(&kit, RADIO_DOWN)->bad_blocks * 80) * MS);
    assert_int_equal(stats(&kit, RADIO_DOWN)->asked_acks, stats(&kit, RADIO_DOWN)->blocks);
    assert_int_equal(stats(&kit, RADIO_UP)->control_blocks, stats(&kit, RADIO_DOWN)->blocks);
    /* Put, arrival, answer and its end; nothing is due while it waits. */
    assert_true(kit.steps <= 4 * stats(&kit, RADIO_DOWN)->blocks - stats(&kit, RADIO_DOWN)->bad_blocks);
    radio_kit_fini(&kit);
}

/* Every n-th block of a long queue asks, and its last one. */
TEST(asks_every_n)
{
    static const struct {
        unsigned every, blocks, asked;
    } rows[] = {{1, 100, 100}, {10, 100, 10}, {10, 101, 11}, {30, 100, 4}, {50, 100, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = acked(rows[i].every);
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, rows[i].blocks);
        radio_kit_finish(&kit);
        assert_int_equal(stats(&kit, RADIO_DOWN)->asked_acks, rows[i].asked);
        assert_int_equal(stats(&kit, RADIO_UP)->blocks, rows[i].asked);
        assert_int_equal(arrival_ms(&kit, rows[i].blocks - 1), 20 * rows[i].blocks);
        radio_kit_fini(&kit);
    }
}

/* A window of four blocks: its last one asks at 60, the BSS knows at 140, and the next four go. */
TEST(stalls_on_the_window)
{
    struct radio_config config = acked(30);
    struct radio_kit kit;
    config.window_blocks = 4;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 40);
    radio_kit_finish(&kit);
    assert_int_equal(arrival_ms(&kit, 3), 80);
    assert_int_equal(arrival_ms(&kit, 4), 140 + 20);
    assert_int_equal(arrival_ms(&kit, 39), 9 * 140 + 80);
    radio_kit_fini(&kit);
}

/* A bad answer is asked for again, and costs a downlink block; in the end all arrives. */
TEST(answers_get_lost)
{
    struct radio_config config = acked(5);
    struct radio_kit kit;
    config.down.bler_ppm = 200000;
    config.up.bler_ppm = 500000;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 1000);
    radio_kit_finish(&kit);
    const struct radio_stats *down = stats(&kit, RADIO_DOWN);
    assert_int_equal(down->delivered.frames, 1000);
    assert_in_range(down->lost_acks, 150, 1000);
    assert_int_equal(down->control_blocks, down->lost_acks);
    assert_int_equal(stats(&kit, RADIO_UP)->blocks, down->lost_acks + down->asked_acks);
    radio_kit_fini(&kit);
}

static int64_t sent_ns[4096]; /* by block: its last bad transmission */
static unsigned repetitions;

static void note_block(void *unused_arg, enum radio_way unused_way, const struct radio_block *block,
                       int64_t now)
{
    if (block->frame)
        return;
    assert_true(block->number < COUNT(sent_ns));
    repetitions += sent_ns[block->number] != 0;
    if (sent_ns[block->number])
        assert_int_equal(now - sent_ns[block->number], 80 * MS);
    sent_ns[block->number] = block->is_bad ? now : 0;
}

static void note_frame(void *unused_arg, enum radio_way unused_way, const struct radio_frame *unused_frame,
                       int64_t unused_now)
{
}

static void fail_frame(void *unused_arg, enum radio_way unused_way, enum radio_discard unused_reason,
                       const struct radio_frame *unused_frame, int64_t unused_now)
{
    fail();
}

/* All blocks ask, and repetitions come first: each goes again 80 ms after it went, never by an answer to an
   earlier one. */
TEST(learns_of_no_later_block)
{
    struct radio_config config = acked(1);
    struct radio_ops ops = {.delivered = note_frame, .lost = fail_frame, .block = note_block};
    uint8_t llc_pdu[BLOCK] = {0};
    config.down.bler_ppm = 300000;
    struct radio *radio = radio_new(&config, &ops);
    for (unsigned i = 0; i < 2000; i++)
        radio_down(radio, ANNA, llc_pdu, BLOCK, ENDLESS, 20 * MS); /* instant 0 says nothing in sent_ns */
    radio_step(radio, 1000000 * MS);
    assert_in_range(repetitions, 700, 1000);
    assert_int_equal(radio_stats_get(radio, RADIO_DOWN)->delivered.frames, 2000);
    radio_free(radio);
}

/* What is left expires before its turn: a block without data asks for those that went. */
TEST(asks_without_data)
{
    struct radio_config config = acked(30);
    struct radio_kit kit;
    config.down.bler_ppm = 800000;
    radio_kit_init(&kit, &config);
    for (unsigned i = 0; i < 100; i++) {
        radio_kit_run(&kit, i * 100000 * MS);
        radio_kit_put(&kit, RADIO_DOWN, ANNA, BLOCK, ENDLESS);
        radio_kit_put(&kit, RADIO_DOWN, ANNA, BLOCK, 1); /* not sent after 10 ms */
        radio_kit_run(&kit, (i + 1) * 100000 * MS);
        assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, ANNA), i + 1);
    }
    assert_int_equal(stats(&kit, RADIO_DOWN)->control_blocks, 100);
    radio_kit_fini(&kit);
}

/* Calls take the PDCH while the window is full, an answer is under way and a block is owed: all of it ends.
 */
TEST(calls_end_procedures)
{
    struct access_config access = {.opportunities = 51, .t_slots = 14, .start_ns = 81 * MS, TWO_PHASE};
    struct radio_config config = acked(30);
    struct radio_kit kit;
    config.window_blocks = 4;
    config.access = &access;
    config.down.release_ns = 0;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_UP, BERT, BLOCK, 1);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 40);
    radio_kit_run(&kit, 90 * MS); /* the request's block would be that of 100, the answer that of 120 */
    radio_channels_set(kit.radio, 0, kit.now);
    radio_kit_run(&kit, 190 * MS);
    radio_channels_set(kit.radio, 1, kit.now);
    radio_kit_run(&kit, 270 * MS);
    assert_int_equal(stats(&kit, RADIO_UP)->control_blocks, 0);
    assert_int_equal(arrival_ms(&kit, 3), 80);
    assert_int_equal(arrival_ms(&kit, 4), 220);
    radio_kit_finish(&kit);
    assert_int_equal(radio_kit_count(&kit, RADIO_DOWN, RADIO_KIT_DELIVERED, ANNA), 40);
    assert_int_equal(radio_kit_count(&kit, RADIO_UP, RADIO_KIT_DELIVERED, BERT), 1);
    radio_kit_fini(&kit);
}

/* A TBF that gets no turn for 5 s is lost: its LLC-PDU begins again in a new one. */
TEST(starves)
{
    struct radio_config config = {1, RADIO_CS2, .down = {.slots = 1, .setup_ns = 100 * MS}, .up.slots = 1};
    struct radio_kit kit;
    for (unsigned is_on = 0; is_on < 2; is_on++) {
        config.down.tbf.lost_ns = is_on * 5000 * MS;
        radio_kit_init(&kit, &config);
        radio_level(kit.radio, BERT, 7);
        radio_kit_fill(&kit, RADIO_DOWN, BERT, 10 * 30 - 1, 1); /* from 100 on; 5 blocks until 200 */
        radio_kit_run(&kit, 100 * MS);
        radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 300); /* from 200 to 6200 */
        radio_kit_finish(&kit);
        assert_int_equal(stats(&kit, RADIO_DOWN)->lost_tbfs, is_on);
        assert_int_equal(arrival_ms(&kit, 300), is_on ? 6300 + 200 : 6200 + 100);
        radio_kit_fini(&kit);
    }
}

/* Random lifetimes, errors, levels, calls and moves: nothing gets stuck. */
TEST(nothing_stays)
{
    struct radio_config config = acked(7);
    struct radio_kit kit;
    struct rng rng;
    rng_init(&rng, 3, 0);
    config.pdchs = 3;
    config.window_blocks = 16;
    config.down.bler_ppm = config.up.bler_ppm = 300000;
    config.down.tbf.poll_ns = 70 * MS;
    config.down.tbf.lost_ns = 1000 * MS;
    config.up.release_ns = 700 * MS;
    config.up.tbf.poll_ns = 30 * MS;
    radio_kit_init(&kit, &config);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t tlli = 1 + (uint32_t)rng_below(&rng, 5);
        radio_kit_put(&kit, rng_below(&rng, 2) ? RADIO_DOWN : RADIO_UP, tlli, 10 + rng_below(&rng, 200),
                      (uint16_t)rng_below(&rng, 100));
        if (rng_below(&rng, 500) == 0)
            radio_leave(kit.radio, tlli);
        if (rng_below(&rng, 50) == 0)
            for (tlli = 1; tlli <= 5; tlli++)
                radio_enter(kit.radio, tlli, kit.now);
        radio_kit_run(&kit, kit.now + (int64_t)rng_below(&rng, 300) * MS);
    }
    for (uint32_t tlli = 1; tlli <= 5; tlli++)
        radio_enter(kit.radio, tlli, kit.now);
    radio_kit_finish(&kit);
    assert_int_equal(stats(&kit, RADIO_DOWN)->queued.frames, 0);
    assert_int_equal(stats(&kit, RADIO_UP)->queued.frames, 0);
    assert_in_range(stats(&kit, RADIO_DOWN)->discarded[RADIO_DISCARD_LIFETIME].frames, 100, 20000);
    radio_kit_fini(&kit);
}

/* --- access --- */

struct alone {
    struct access_config access;
    unsigned octets;
    int64_t arrives_ms;
    unsigned up_control, down_control;
};

/* One LLC-PDU at 0 of a mobile alone, on a channel without contention. */
static void play_alone(const struct alone *row)
{
    struct access_config access = row->access;
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1, .access = &access};
    struct radio_kit kit;
    access.opportunities = 51;
    access.t_slots = 14;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_UP, ANNA, row->octets, 1);
    radio_kit_run(&kit, 20000 * MS);
    assert_int_equal(arrival_ms(&kit, 0), row->arrives_ms);
    assert_int_equal(stats(&kit, RADIO_UP)->control_blocks, row->up_control);
    assert_int_equal(stats(&kit, RADIO_DOWN)->control_blocks, row->down_control);
    assert_int_equal(access_stats_get(radio_access_get(kit.radio))->outcomes[ACCESS_MOBILES].granted, 1);
    radio_kit_fini(&kit);
}

static const struct alone alones[] = {
    {{0}, BLOCK, 20, 0, 0},
    {{.response_ns = 20 * MS}, BLOCK, 40, 0, 0},
    {{.response_ns = 20 * MS, .agch.service_ns = 60 * MS}, BLOCK, 100, 0, 0},
    {{.start_ns = 40 * MS}, BLOCK, 60, 0, 0},
    /* The TLLI takes four of a block's 30 octets until the contention is resolved. */
    {{.resolution_ns = 100 * MS}, 25, 20, 0, 0},
    {{.resolution_ns = 100 * MS}, 26, 40, 0, 0},
    {{.resolution_ns = 100 * MS}, 5 * 26 + 30 - 1, 120, 0, 0},
    {{.resolution_ns = 100 * MS}, 5 * 26 + 30, 140, 0, 0},
    {{.response_ns = 20 * MS, .start_ns = 40 * MS, TWO_PHASE}, BLOCK, 240, 1, 1},
    {{.resolution_ns = 100 * MS, TWO_PHASE}, BLOCK, 140, 1, 1},
};

TEST_EACH(alone, play_alone, alones)

/* Beside a downlink TBF the request needs no random access. */
TEST(beside_downlink)
{
    struct access_config access = {.opportunities = 51, .t_slots = 14, .start_ns = 500 * MS};
    struct radio_config config = {1, RADIO_CS2, .down = {.slots = 1, .release_ns = 1000 * MS},
                                  .up = {.slots = 1}, .access = &access};
    struct radio_kit kit;
    config.up.setup_beside_ns = 100 * MS;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK, 1);
    radio_kit_run(&kit, 200 * MS);
    radio_kit_fill(&kit, RADIO_UP, ANNA, BLOCK, 1);
    radio_kit_run(&kit, 2000 * MS);
    radio_kit_fill(&kit, RADIO_UP, ANNA, BLOCK, 1);
    radio_kit_finish(&kit);
    assert_int_equal(arrival_ms(&kit, 1), 320);
    assert_int_equal(arrival_ms(&kit, 2), 2520);
    assert_int_equal(access_stats_get(radio_access_get(kit.radio))->outcomes[ACCESS_MOBILES].begun, 1);
    radio_kit_fini(&kit);
}

/* A mobile that leaves gives up its access; in the cell again it begins another one. */
TEST(leaves_in_access)
{
    struct access_config access = {.opportunities = 51, .t_slots = 14, .response_ns = 100 * MS};
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up.slots = 1, .access = &access};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_UP, ANNA, BLOCK, 1);
    radio_kit_run(&kit, 50 * MS);
    radio_leave(kit.radio, ANNA);
    radio_kit_fill(&kit, RADIO_UP, BERT, BLOCK, 1); /* in the place of her request; its answer comes at 150 */
    radio_kit_run(&kit, 1000 * MS);
    assert_int_equal(kit.count, 1);
    assert_int_equal(arrival_ms(&kit, 0), 180);
    radio_enter(kit.radio, ANNA, kit.now);
    radio_kit_finish(&kit);
    assert_int_equal(arrival_ms(&kit, 1), 1120);
    assert_int_equal(access_stats_get(radio_access_get(kit.radio))->counts.wasted, 1);
    radio_kit_fini(&kit);
}

/* Blocks of two-phase access with errors: T3168 ends, and the fourth time the access has failed. */
TEST(two_phases_in_vain)
{
    struct access_config access = {.opportunities = 51, .t_slots = 14, .retry_ns = 100 * MS, TWO_PHASE};
    struct radio_config config = {1, RADIO_CS2, .down.slots = 1, .up = {.slots = 1}, .access = &access};
    struct radio_kit kit;
    config.up.bler_ppm = 700000;
    radio_kit_init(&kit, &config);
    for (unsigned i = 0; i < 300; i++) {
        radio_kit_fill(&kit, RADIO_UP, ANNA, BLOCK, 1);
        radio_kit_run(&kit, kit.now + 100000 * MS);
    }
    const struct access_stats *of = access_stats_get(radio_access_get(kit.radio));
    const struct access_outcome *mobiles = &of->outcomes[ACCESS_MOBILES];
    assert_int_equal(mobiles->granted, 300);
    assert_int_equal(mobiles->begun, mobiles->granted + mobiles->failed);
    assert_in_range(mobiles->failed, 50, 150);     /* 0.7^4 of those begun: 95 */
    assert_in_range(of->counts.expired, 600, 800); /* 0.7 / 0.3 for each granted: 700 */
    assert_true(mobiles->delays.sum_ns > 1e9 * (double)of->counts.expired);
    radio_kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
