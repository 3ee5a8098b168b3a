/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell with a radio, seen from Gb: what waits, what comes out when, and what the SGSN is told of the dead.
 */
#include "bss/bss.h"

#include <string.h>

#include "dataplane/base/rng.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#define MS_NS INT64_C(1000000)

enum { BVCI = 1800, MOBILES = 3, MAX_TOLD_FRAMES = 255 };

static const struct radio_config radio = {
    .pdchs = 1,
    .coding = RADIO_CS2,
    .down = {.slots = 1, .setup_ns = 200 * MS_NS, .release_ns = 2000 * MS_NS, .mobile_limit_octets = 3000},
    .up = {.slots = 1, .setup_ns = 100 * MS_NS},
};
static const uint16_t nsvcis[] = {101};
static const struct bss_cell_config cells[] = {ROW(.bvci = BVCI, .cell_id = {"262", "42", 0x1234, 5, 1},
                                                   .bvc = {50000, 160000}, .ms_default = {25000, 80000},
                                                   .radio = &radio)};
static const struct bss_config config = {101, nsvcis, 1, cells, 1, NULL};

TEST(from_gb_to_the_mobile_and_back)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^100", "in~c1:29"},
        {1220, NULL, "deliver@1800~c1:29"},
        {1300, "put 1800~c1*29", ""},
        {1420, NULL, "ul_unitdata@1800~c1"},
        {1500, "uplink 1800", "ul_unitdata@1800~c1"}, /* past the radio */
        {2000, "dl_unitdata@1800~c1*299^100", "in~c1:299"},
        {2000, "dl_unitdata@1800~c2*29^21", "in~c2:29"},
        {2200, NULL, "deliver@1800~c1:299"},
        {2220, NULL, "deliver@1800~c2:29"},
    };
    bss_player_run(&config, rows, sizeof rows / sizeof rows[0]);
}

TEST(what_dies_is_told)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^100", "in~c1:29"},
        {1220, NULL, "deliver@1800~c1:29"},
        {2000, "dl_unitdata@1800~c1*299^100", "in~c1:299"},
        {2000, "dl_unitdata@1800~c1*100^19", "in~c1:100"},
        {2000, "dl_unitdata@1800~c1*101^19", "in~c1:101"},
        {2200, NULL, "deliver@1800~c1:299 lost~c1:100!0 lost~c1:101!0 llc_discarded/1800~c1=2:201"},
        {2215, "dl_unitdata@1800~c1*1990^100", "in~c1:1990"}, /* 67 blocks from 2220 */
        {2220, "dl_unitdata@1800~c1*1011^100", "in~c1:1011 lost~c1:1011!1"},
        {2250, "dl_unitdata@1800~c1*1012^100", "in~c1:1012 lost~c1:1012!1"},
        {2260, "dl_unitdata@1800~c2*3001^100", "in~c2:3001 lost~c2:3001!1 llc_discarded/1800~c2=1:3001"},
        {2300, NULL, "llc_discarded/1800~c1=2:2023"}, /* 100 ms after the first */
        {2399, "dl_unitdata@1800~c1*1013^100", "in~c1:1013 lost~c1:1013!1"},
        {2400, NULL, "llc_discarded/1800~c1=1:1013"},
        {2500, "dl_unitdata@1800~c1*1014^100", "in~c1:1014 lost~c1:1014!1 llc_discarded/1800~c1=1:1014"},
        {3560, NULL, "deliver@1800~c1:1990"},
    };
    bss_player_run(&config, rows, sizeof rows / sizeof rows[0]);
}

/* The radio goes on while the cell is blocked towards the SGSN. */
TEST(a_blocked_cell_keeps_its_radio)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*1990^100", "in~c1:1990"}, /* from 1200 */
        {1000, "dl_unitdata@1800~c1*29^1", "in~c1:29"},
        {1100, "hold 1800", "bvc_block/1800"},
        {1101, "bvc_block_ack/1800", ""},
        {1102, "dl_unitdata@1800~c1*29", "status/1800!9"},
        {1300, "put 1800~c1*29", ""}, /* arrives in vain */
        {2520, NULL, "lost~c1:29!0"}, /* not told */
        {2540, NULL, "deliver@1800~c1:1990"},
        {3000, "release 1800", "bvc_unblock/1800"},
        {3000, "bvc_unblock_ack/1800", "flow_control_bvc@1800#2"},
        {3000, "flow_control_bvc_ack@1800#2", ""},
        {3400, "dl_unitdata@1800~c1*29", "in~c1:29"},
        {3420, NULL, "deliver@1800~c1:29"},
    };
    bss_player_run(&config, rows, sizeof rows / sizeof rows[0]);
}

/* What a run under load has seen on both sides. */
struct tally {
    int64_t now, told_ns[MOBILES];
    struct radio_sum in, out, lost, told;
    uint64_t by_reason[RADIO_DISCARDS];
};

static void add(struct radio_sum *sum, uint64_t frames, uint64_t octets)
{
    sum->frames += frames;
    sum->octets += octets;
}

static void on_send(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct tally *tally = arg;
    struct ns ns;
    struct bssgp pdu;
    assert_true(ns_decode(&ns, ns_pdu, octets) > 0);
    if (ns.head.type != NS_UNITDATA || ns.bvci != BSSGP_BVCI_SIGNALLING)
        return;
    assert_true(bssgp_decode(&pdu, ns.sdu.at, ns.sdu.octets) > 0);
    if (pdu.head.type != BSSGP_LLC_DISCARDED)
        return;
    assert_in_range(pdu.tlli, 0, MOBILES - 1);
    assert_int_equal(pdu.bvci, BVCI);
    assert_in_range(pdu.frames_discarded, 1, MAX_TOLD_FRAMES);
    assert_true(pdu.frames_discarded == MAX_TOLD_FRAMES ||
                tally->now - tally->told_ns[pdu.tlli] >= BSS_DISCARDED_EVERY_NS);
    tally->told_ns[pdu.tlli] = tally->now;
    add(&tally->told, pdu.frames_discarded, pdu.octets_affected);
}

static void on_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                       int64_t now)
{
    add(&((struct tally *)arg)->out, 1, octets);
}

static void on_down(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                    int64_t now)
{
    add(&((struct tally *)arg)->in, 1, octets);
}

static void on_discard(void *arg, uint16_t bvci, enum radio_discard reason, const struct radio_frame *frame,
                       int64_t now)
{
    struct tally *tally = arg;
    assert_int_equal(now, tally->now);
    add(&tally->lost, 1, frame->octets);
    tally->by_reason[reason]++;
}

/* What was delivered may move others at the same instant, so the step asks to be called again. */
static int64_t step_once(struct bss *bss, const struct tally *tally)
{
    uint64_t before = tally->out.frames;
    int64_t due_ns = bss_step(bss, tally->now);
    if (tally->out.frames > before)
        assert_int_equal(due_ns, tally->now);
    return due_ns;
}

static void step(struct bss *bss, struct tally *tally, int64_t until_ns)
{
    for (int64_t due_ns; (due_ns = step_once(bss, tally)) <= until_ns;)
        tally->now = due_ns;
    tally->now = until_ns;
}

static void come_up(struct bss *bss, struct tally *tally)
{
    static const struct {
        const char *bytes;
        size_t octets;
    } answers[] = {
        {"\x03\x01\x82\x00\x65\x04\x82\x00\x65", 9},
        {"\x0b", 1},
        {"\x07", 1},
        {"\x00\x00\x00\x00\x23\x04\x82\x00\x00", 9},
        {"\x00\x00\x00\x00\x23\x04\x82\x07\x08", 9},
        {"\x00\x00\x00\x00\x25\x04\x82\x07\x08", 9},
        {"\x00\x00\x07\x08\x27\x1e\x81\x01", 8},
    };
    step(bss, tally, 0);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        bss_rx(bss, 0, (const uint8_t *)answers[i].bytes, answers[i].octets, 0);
    assert_true(bss_is_up(bss, BVCI));
}

static void down(struct bss *bss, const struct tally *tally, const struct bssgp_dl *dl)
{
    uint8_t bytes[2048] = {0};
    int at = ns_unitdata_header_put(bytes, BVCI);
    at += bssgp_dl_unitdata_encode_header(bytes + at, sizeof bytes - (size_t)at, dl);
    assert_in_range((size_t)at + dl->llc_octets, 1, sizeof bytes);
    bss_rx(bss, 0, bytes, (size_t)at + dl->llc_octets, tally->now);
}

static void check(const struct bss *bss, const struct tally *tally)
{
    const struct radio_stats *stats = radio_stats_get(bss_radio_get(bss, BVCI), RADIO_DOWN);
    uint64_t queued_octets = 0;
    for (uint32_t tlli = 0; tlli < MOBILES; tlli++)
        queued_octets += bss_queue_octets(bss, BVCI, tlli);
    assert_int_equal(tally->in.frames, tally->out.frames + tally->lost.frames + stats->queued.frames);
    assert_int_equal(tally->in.octets, tally->out.octets + tally->lost.octets + queued_octets);
    assert_int_equal(stats->queued.octets, queued_octets);
    assert_int_equal(stats->delivered.frames, tally->out.frames);
    assert_int_equal(bss_stats_get(bss)->delivered, tally->out.frames);
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        assert_int_equal(stats->discarded[reason].frames, tally->by_reason[reason]);
}

/* Far too much for the cell, once in bursts of hundreds at one instant: every dead LLC-PDU is told of once.
 */
TEST(all_that_dies_is_told_once)
{
    struct tally tally = {
        .told_ns = {-BSS_DISCARDED_EVERY_NS, -BSS_DISCARDED_EVERY_NS, -BSS_DISCARDED_EVERY_NS}};
    struct bss_ops ops = {&tally, on_send, on_deliver, on_down, on_discard};
    struct bss *bss = bss_new(&config, &ops);
    struct rng rng;
    rng_init(&rng, 1, 0);
    come_up(bss, &tally);
    for (unsigned i = 0; i < 6000; i++) {
        struct bssgp_dl dl = {.tlli = (uint32_t)rng_below(&rng, MOBILES)};
        dl.lifetime_cs = (uint16_t)rng_between(&rng, 10, 500);
        dl.llc_octets = (uint16_t)rng_between(&rng, 10, 500);
        down(bss, &tally, &dl);
        if (i % 2000 >= 1500)
            step(bss, &tally, tally.now + (int64_t)rng_below(&rng, 30) * MS_NS);
    }
    check(bss, &tally);
    step(bss, &tally, tally.now + 60000 * MS_NS);
    check(bss, &tally);
    assert_int_equal(tally.told.frames, tally.lost.frames);
    assert_int_equal(tally.told.octets, tally.lost.octets);
    assert_int_equal(bss_stats_get(bss)->told_discarded, tally.lost.frames);
    assert_true(tally.by_reason[RADIO_DISCARD_LIFETIME] > 10 &&
                tally.by_reason[RADIO_DISCARD_MOBILE_FULL] > 1000);
    assert_int_equal(bss_queue_octets(bss, BVCI, 0), 0);
    assert_null(bss_radio_get(bss, BVCI + 1));
    assert_int_equal(bss_queue_octets(bss, BVCI + 1, 0), 0);
    bss_free(bss);
}

UNIT_MAIN(NULL, NULL)
