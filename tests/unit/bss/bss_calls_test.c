/* SPDX-License-Identifier: BSD-3-Clause */
/* What the SGSN sees of circuit-switched calls, and of a queue that has grown: announced rates,
   LLC-DISCARDED. The player does not write rates; those are looked at in the octets. */
#include "bss/bss.h"
#include "bss/bss_ms.h"

#include <string.h>

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/bss/bss_player.h"
#include "tests/unit/unit.h"

#define MS_NS INT64_C(1000000)

enum { BVCI = 1800, PDCHS = 2 };

static const struct radio_config radio = {
    .pdchs = PDCHS, .coding = RADIO_CS2, .down = {.slots = 2, .release_ns = 2000 * MS_NS}, .up.slots = 1};
static const uint16_t nsvcis[] = {101};

static struct bss_cell_config cell_with(const struct bss_calls_config *calls, uint64_t stop_octets)
{
    return (struct bss_cell_config){
        .bvci = BVCI,
        .cell_id = {"262", "42", 0x1234, 5, 1},
        .bvc = {50000, 24000},
        .ms_default = {25000, 24000},
        .radio = &radio,
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
    bss_player_run(&config, rows, sizeof rows / sizeof rows[0]);
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
    bss_player_run(&config, later, sizeof later / sizeof later[0]);
    calls.flush_ns = 3001 * MS_NS;
    bss_player_run(&config, in_time, sizeof in_time / sizeof in_time[0]);
    calls.flush_ns = INT64_MAX;
    bss_player_run(&config, in_time, sizeof in_time / sizeof in_time[0]);
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
    bss_player_run(&config, rows, sizeof rows / sizeof rows[0]);
}

struct announced {
    uint64_t rates_bps[8], buckets_octets[8];
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
    assert_in_range(a->count, 0, 7);
    a->rates_bps[a->count] = pdu.rate_bps;
    a->buckets_octets[a->count++] = pdu.bucket_octets;
}

static void on_deliver(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                       int64_t now)
{
}

/* The announced rate is in proportion to the PDCHs that are left. */
TEST(rates)
{
    struct bss_calls_config calls = at_once;
    struct announced announced = {.count = 0};
    struct bss_ops ops = {.arg = &announced, .send = on_send, .deliver = on_deliver};
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

UNIT_MAIN(NULL, NULL)
