/* SPDX-License-Identifier: BSD-3-Clause */
/* A cell with a radio, seen from Gb: what waits, what comes out when, and what the SGSN is told of the dead.
 */
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include "bss/bss.h"
#include "bss/bss_ms.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ns.h"

#include <string.h>

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
static const struct bss_config air_config = {101, nsvcis, 1, cells, 1, NULL};

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
    bss_player_run(&air_config, rows, COUNT(rows));
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
    bss_player_run(&air_config, rows, COUNT(rows));
}

/* To another SGSN: what waits either way is dropped, downlink LLC-PDUs are told, nobody else's are. */
TEST(gone_and_back)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*29^100", "in~c1:29"},
        {1000, "dl_unitdata@1800~c1*30^100", "in~c1:30"},
        {1000, "dl_unitdata@1800~c2*31^100", "in~c2:31"},
        {1010, "put 1800~c1*29", ""},
        {1010, "put 1800~c1*29", ""},
        {1020, "gone 1800~c1*2", "lost~c1:29!3 lost~c1:30!3"},
        {1020, "gone 1800~c1*0", ""},
        {1220, NULL, ""}, /* c2: two blocks */
        {1240, NULL, "deliver@1800~c2:31"},
        {1500, "back 1800~c1", ""},
        {1500, "dl_unitdata@1800~c1*29^100", "in~c1:29"},
        {1720, NULL, "deliver@1800~c1:29"},
    };
    bss_player_run(&air_config, rows, COUNT(rows));
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
    bss_player_run(&air_config, rows, COUNT(rows));
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
    for (size_t i = 0; i < COUNT(answers); i++)
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
    struct bss *bss = bss_new(&air_config, &ops);
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

/* What the SGSN sees of circuit-switched calls, and of a queue that has grown: announced rates,
   LLC-DISCARDED. The player does not write rates; those are looked at in the octets. */

enum { PDCHS = 2, ANNOUNCED = 64 };

static const struct radio_config calls_radio = {
    .pdchs = PDCHS, .coding = RADIO_CS2, .down = {.slots = 2, .release_ns = 2000 * MS_NS}, .up.slots = 1};

static struct bss_cell_config cell_with(const struct bss_calls_config *calls, uint64_t stop_octets)
{
    return (struct bss_cell_config){
        .bvci = BVCI,
        .cell_id = {"262", "42", 0x1234, 5, 1},
        .bvc = {50000, 24000},
        .ms_default = {25000, 24000},
        .radio = &calls_radio,
        .policy = {.stop_octets = stop_octets, .go_octets = stop_octets / 2},
        .calls = calls,
    };
}

static struct bss_config config_of(const struct bss_cell_config *cell)
{
    return (struct bss_config){101, nsvcis, 1, cell, 1, NULL};
}

static const struct bss_calls_config at_once = {.calls = ROW(.channels = PDCHS, .first_ns = 5000 * MS_NS,
                                                             .every_ns = 10000 * MS_NS,
                                                             .hold_ns = 3000 * MS_NS, .taken = PDCHS)};

TEST(flushed_at_once)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {4980, "dl_unitdata@1800~c1*299^65535", "in~c1:299"},
        {4980, "dl_unitdata@1800~c1*100^65535", "in~c1:100"},
        {5000, NULL, "flow_control_bvc@1800#2 lost~c1:299!4 lost~c1:100!4 llc_discarded/1800~c1=2:399"},
        {5000, "flow_control_bvc_ack@1800#2", ""},
        {6000, "dl_unitdata@1800~c1*50^65535", "in~c1:50"}, /* was under way */
        {8000, NULL, "flow_control_bvc@1800#3"},
        {8000, "flow_control_bvc_ack@1800#3", ""},
        {8020, NULL, "deliver@1800~c1:50"},
        {15000, NULL, "flow_control_bvc@1800#4"},
        {15000, "flow_control_bvc_ack@1800#4", ""},
    };
    struct bss_cell_config cell = cell_with(&at_once, 0);
    struct bss_config config = config_of(&cell);
    bss_player_run(&config, rows, COUNT(rows));
}

TEST(flushed_later_or_not)
{
    static const struct bss_play_row later[] = {
        BSS_PLAYER_BRING_UP,
        {4980, "dl_unitdata@1800~c1*99^65535", "in~c1:99"},
        {5000, NULL, "flow_control_bvc@1800#2"},
        {5000, "flow_control_bvc_ack@1800#2", ""},
        {7500, NULL, "lost~c1:99!4 llc_discarded/1800~c1=1:99"},
        {8000, NULL, "flow_control_bvc@1800#3"},
        {8000, "flow_control_bvc_ack@1800#3", ""},
    };
    static const struct bss_play_row in_time[] = {
        BSS_PLAYER_BRING_UP,
        {4980, "dl_unitdata@1800~c1*99^65535", "in~c1:99"},
        {5000, NULL, "flow_control_bvc@1800#2"},
        {5000, "flow_control_bvc_ack@1800#2", ""},
        {8000, NULL, "flow_control_bvc@1800#3"},
        {8000, "flow_control_bvc_ack@1800#3", ""},
        {8040, NULL, "deliver@1800~c1:99"},
        {15000, NULL, "flow_control_bvc@1800#4"}, /* what waits then is not there any more */
        {15000, "flow_control_bvc_ack@1800#4", ""},
    };
    struct bss_calls_config calls = at_once;
    struct bss_cell_config cell = cell_with(&calls, 0);
    struct bss_config config = config_of(&cell);
    calls.flush_ns = 2500 * MS_NS;
    bss_player_run(&config, later, COUNT(later));
    calls.flush_ns = 3001 * MS_NS;
    bss_player_run(&config, in_time, COUNT(in_time));
    calls.flush_ns = INT64_MAX;
    bss_player_run(&config, in_time, COUNT(in_time));
}

/* 0 is announced from 300 octets on, the own rate again from 150 down. */
TEST(by_thresholds)
{
    static const struct bss_play_row rows[] = {
        BSS_PLAYER_BRING_UP,
        {1000, "dl_unitdata@1800~c1*200^65535", "in~c1:200"},
        {1000, "dl_unitdata@1800~c1*99^65535", "in~c1:99"},
        {1000, "dl_unitdata@1800~c1*10^65535", "in~c1:10 flow_control_bvc@1800#2"},
        {1000, "flow_control_bvc_ack@1800#2", ""},
        {1001, "dl_unitdata@1800~c1*10^65535", "in~c1:10"},
        {1080, NULL, "deliver@1800~c1:200 flow_control_bvc@1800#3"},
        {1080, "flow_control_bvc_ack@1800#3", ""},
        {1120, NULL, "deliver@1800~c1:99 deliver@1800~c1:10 deliver@1800~c1:10"},
    };
    struct bss_cell_config cell = cell_with(NULL, 300);
    struct bss_config config = config_of(&cell);
    bss_player_run(&config, rows, COUNT(rows));
}

struct announced {
    uint64_t rates_bps[ANNOUNCED], buckets_octets[ANNOUNCED], ms_bps[ANNOUNCED];
    unsigned count;
};

static void note_announced(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct announced *a = arg;
    struct ns ns;
    struct bssgp pdu;
    assert_true(ns_decode(&ns, ns_pdu, octets) > 0);
    if (ns.head.type != NS_UNITDATA)
        return;
    assert_true(bssgp_decode(&pdu, ns.sdu.at, ns.sdu.octets) > 0);
    if (pdu.head.type != BSSGP_FLOW_CONTROL_BVC)
        return;
    assert_in_range(a->count, 0, ANNOUNCED - 1);
    a->ms_bps[a->count] = pdu.ms_rate_bps;
    a->rates_bps[a->count] = pdu.rate_bps;
    a->buckets_octets[a->count++] = pdu.bucket_octets;
}

static void ignore_delivered(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                             int64_t now)
{
}

/* The announced rate is in proportion to the PDCHs that are left. */
TEST(rates)
{
    struct bss_calls_config calls = at_once;
    struct announced announced = {.count = 0};
    struct bss_ops ops = {.arg = &announced, .send = note_announced, .deliver = ignore_delivered};
    struct bss_cell_config cell = cell_with(&calls, 0);
    struct bss_config config = config_of(&cell);
    for (unsigned taken = 1; taken <= PDCHS; taken++) {
        int64_t now = 0;
        announced.count = 0;
        calls.calls.taken = taken;
        struct bss *bss = bss_new(&config, &ops);
        bss_player_come_up(bss);
        for (int64_t due_ns; (due_ns = bss_step(bss, now)) <= 4900 * MS_NS;)
            now = due_ns > now ? due_ns : now;
        announced.count = 0; /* without the repetitions of the first */
        for (int64_t due_ns; (due_ns = bss_step(bss, now)) <= 5500 * MS_NS;)
            now = due_ns > now ? due_ns : now;
        assert_int_equal(announced.count, 1);
        assert_int_equal(announced.rates_bps[0], 24000 / PDCHS * (PDCHS - taken));
        assert_int_equal(announced.buckets_octets[0], 50000);
        struct bss_calls_stats stats = bss_calls_stats_get(bss, BVCI, 5500 * MS_NS);
        assert_int_equal(stats.preemptions, taken == PDCHS);
        assert_int_equal(stats.preempted_ns, taken == PDCHS ? 500 * MS_NS : 0);
        bss_free(bss);
    }
}

/* Announcements by OsmoPCU's formula: after an idle second the configured rate, after one with bad blocks
 * less. */

enum { MOST_BPS = 24000, BLOCKS_S = 50 * PDCHS, LLC_OCTETS = 600 };

static const struct radio_config measured_radio = {
    .pdchs = PDCHS,
    .coding = RADIO_CS2,
    .seed = 1,
    .down = {.slots = PDCHS, .bler_ppm = 500000, .retransmission_ns = 40 * MS_NS, .release_ns = 2000 * MS_NS},
    .up.slots = 1};

/* A whole LLC-PDU, in a DL-UNITDATA without lifetime. */
static void put(struct bss *bss, int64_t now)
{
    static const uint8_t head[] = LIST(0, 0, 0x07, 0x08, 0, 0xc0, 0, 0, 1, 0, 0, 0, 0x16, 0x82, 0xff, 0xff,
                                       0x0e, LLC_OCTETS >> 8, LLC_OCTETS & 0xff);
    uint8_t pdu[sizeof head + LLC_OCTETS] = {0};
    memcpy(pdu, head, sizeof head);
    bss_rx(bss, 0, pdu, sizeof pdu, now);
}

static void run(struct bss *bss, int64_t *now, int64_t until_ns)
{
    for (int64_t due_ns; (due_ns = bss_step(bss, *now)) <= until_ns;)
        *now = due_ns > *now ? due_ns : *now;
    *now = until_ns;
}

/* What `bad` blocks in `seconds` leave, give or take what the units and thousandths cut off. */
static void assert_rate(const struct announced *a, uint64_t bad, unsigned seconds)
{
    uint64_t bps = MOST_BPS - MOST_BPS * bad / (BLOCKS_S * seconds), last = a->count - 1;
    assert_in_range(a->rates_bps[last], bps - 150, bps + 150);
    assert_in_range(a->buckets_octets[last], a->rates_bps[last] / 8 * 10 - 200,
                    a->rates_bps[last] / 8 * 10 + 200);
    assert_int_equal(a->ms_bps[last], MOST_BPS / 2);
}

TEST(formula)
{
    struct announced announced = {.count = 0};
    struct bss_ops ops = {.arg = &announced, .send = note_announced, .deliver = ignore_delivered};
    struct bss_cell_config cell = {
        .bvci = BVCI,
        .cell_id = {"262", "42", 0x1234, 5, 1},
        .bvc = {30000, MOST_BPS},
        .ms_default = {15000, MOST_BPS / 2},
        .announce_every_ns = MOMENT_SECOND,
        .radio = &measured_radio,
        .policy = {.measured_ns = 10 * MOMENT_SECOND},
    };
    struct bss_config config = {101, nsvcis, 1, &cell, 1, NULL};
    struct bss *bss = bss_new(&config, &ops);
    const struct radio_stats *stats = NULL;
    int64_t now = 0;

    bss_player_come_up(bss);
    run(bss, &now, 3500 * MS_NS);
    stats = radio_stats_get(bss_radio_get(bss, BVCI), RADIO_DOWN);
    assert_int_equal(announced.count, 4);
    assert_rate(&announced, 0, 1);
    /* Three idle seconds and one with a little traffic count together, for nothing was reported before. */
    put(bss, now);
    run(bss, &now, 4500 * MS_NS);
    uint64_t first = stats->bad_blocks;
    assert_in_range(first, 5, 40);
    assert_rate(&announced, first, 4);
    /* A full second by itself. */
    for (unsigned i = 0; i < 5; i++)
        put(bss, now);
    run(bss, &now, 4999 * MS_NS);
    uint64_t before = stats->bad_blocks;
    run(bss, &now, 5999 * MS_NS);
    uint64_t bad = stats->bad_blocks - before;
    assert_in_range(bad, 30, 70);
    run(bss, &now, 6500 * MS_NS);
    assert_rate(&announced, bad, 1);
    bss_free(bss);
}

UNIT_MAIN(NULL, NULL)
