/* SPDX-License-Identifier: BSD-3-Clause */
/* Announcements by OsmoPCU's formula: after an idle second the configured rate, after one with bad blocks
 * less. */
#include "bss/bss.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#include <string.h>

#define MS_NS INT64_C(1000000)

enum { BVCI = 1800, PDCHS = 2, MOST_BPS = 24000, BLOCKS_S = 50 * PDCHS, LLC_OCTETS = 600, ANNOUNCED = 64 };

static const struct radio_config radio = {
    .pdchs = PDCHS,
    .coding = RADIO_CS2,
    .seed = 1,
    .down = {.slots = PDCHS, .bler_ppm = 500000, .retransmission_ns = 40 * MS_NS, .release_ns = 2000 * MS_NS},
    .up.slots = 1};
static const uint16_t nsvcis[] = {101};

struct announced {
    uint64_t rates_bps[ANNOUNCED], buckets_octets[ANNOUNCED], ms_bps[ANNOUNCED];
    unsigned count;
};

static void on_send(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
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

static void on_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                       int64_t now)
{
}

/* A whole LLC-PDU, in a DL-UNITDATA without lifetime. */
static void put(struct bss *bss, int64_t now)
{
    static const uint8_t head[] = {0,
                                   0,
                                   0x07,
                                   0x08,
                                   0,
                                   0xc0,
                                   0,
                                   0,
                                   1,
                                   0,
                                   0,
                                   0,
                                   0x16,
                                   0x82,
                                   0xff,
                                   0xff,
                                   0x0e,
                                   LLC_OCTETS >> 8,
                                   LLC_OCTETS & 0xff};
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
    struct bss_ops ops = {.arg = &announced, .send = on_send, .deliver = on_deliver};
    struct bss_cell_config cell = {
        .bvci = BVCI,
        .cell_id = {"262", "42", 0x1234, 5, 1},
        .bvc = {30000, MOST_BPS},
        .ms_default = {15000, MOST_BPS / 2},
        .announce_every_ns = MOMENT_SECOND,
        .radio = &radio,
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
