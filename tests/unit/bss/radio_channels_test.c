/* SPDX-License-Identifier: BSD-3-Clause */
/* PDCHs that calls take and give back: what the air then carries, what begins anew, what is thrown away, and
   who waits for whom. */
#include "bss/radio_air.h"
#include "dataplane/base/moment.h"

#include "dataplane/base/rng.h"
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#define MS KIT_MS_NS

enum { ANNA = 1, BERT = 2, BLOCK_OCTETS = 29 };

static size_t down_count(const struct radio_kit *kit, int what, uint32_t tlli)
{
    return radio_kit_count(kit, RADIO_DOWN, what, tlli);
}

static void set(struct radio_kit *kit, unsigned pdchs)
{
    radio_channels_set(kit->radio, pdchs, kit->now);
}

/* Blocks follow the number of PDCHs, period by period. */
TEST(fewer_and_more)
{
    static const struct radio_config config = {4, RADIO_CS2, .down.slots = 4, .up.slots = 1};
    static const struct {
        unsigned pdchs, periods;
    } rows[] = {{4, 10}, {1, 10}, {3, 5}, {0, 50}, {2, 7}, {4, 3}};
    struct radio_kit kit;
    size_t expected = 0;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 200);
    for (size_t i = 0; i < COUNT(rows); i++) {
        set(&kit, rows[i].pdchs);
        expected += rows[i].pdchs * rows[i].periods;
        radio_kit_run(&kit, kit.now + rows[i].periods * RADIO_BLOCK_NS - 1);
        radio_step(kit.radio, kit.now);
        kit.now++;
        radio_channels_set(kit.radio, rows[i].pdchs, kit.now);
    }
    radio_channels_set(kit.radio, 0, kit.now);
    radio_kit_finish(&kit);
    assert_int_equal(down_count(&kit, RADIO_KIT_DELIVERED, ANNA), expected);
    assert_int_equal(radio_due_ns(kit.radio), INT64_MAX);
    radio_kit_fini(&kit);
}

/* An LLC-PDU that was half sent goes again from its first octet, after a new set-up; one on the air arrives.
 */
TEST(begins_anew)
{
    static const struct radio_config config = {
        1, RADIO_CS2, .down = {.slots = 1, .setup_ns = 200 * MS, .release_ns = 2000 * MS}, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 1); /* 200 to 220 */
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, 10 * 30 - 1, 1);  /* 220 to 420, cut at 300 */
    radio_kit_run(&kit, 300 * MS - 1);
    kit.now++;
    set(&kit, 0);
    radio_kit_put(&kit, RADIO_UP, ANNA, BLOCK_OCTETS, 0);
    radio_kit_run(&kit, 1000 * MS);
    assert_int_equal(kit.count, 1);
    set(&kit, 1);
    radio_kit_run(&kit, 1000 * MS + 200 * MS + 10 * RADIO_BLOCK_NS);
    assert_int_equal(kit.count, 3);
    assert_int_equal(kit.events[1].at_ns, 1020 * MS); /* uplink */
    assert_int_equal(kit.events[2].at_ns, 1400 * MS);
    radio_kit_fini(&kit);
}

TEST(flush)
{
    static const struct radio_config config = {2, RADIO_CS2, .down.slots = 2, .up.slots = 1};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 10);
    radio_kit_fill(&kit, RADIO_DOWN, BERT, 100, 5);
    radio_leave(kit.radio, BERT);
    radio_kit_run(&kit, 3 * RADIO_BLOCK_NS - 1);
    kit.now++;
    set(&kit, 0);
    radio_kit_put(&kit, RADIO_UP, ANNA, 50, 0);
    radio_channels_flush(kit.radio, kit.now);
    radio_kit_run(&kit, kit.now + 1000 * MS);
    assert_int_equal(down_count(&kit, RADIO_KIT_DELIVERED, ANNA), 6);
    assert_int_equal(down_count(&kit, RADIO_DISCARD_PREEMPTED, ANNA), 4);
    assert_int_equal(down_count(&kit, RADIO_DISCARD_PREEMPTED, BERT), 0); /* is in another cell */
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 2);
    set(&kit, 1);
    radio_kit_finish(&kit);
    assert_int_equal(down_count(&kit, RADIO_KIT_DELIVERED, ANNA), 8);
    assert_int_equal(radio_kit_count(&kit, RADIO_UP, RADIO_KIT_DELIVERED, ANNA), 1);
    radio_kit_fini(&kit);
}

/* What a mobile and the SGSN have to send around a pre-emption from 500 to 1000 ms, and when the mobile
   receives its first downlink LLC-PDU after it. */
struct restart_row {
    int64_t wait_ns, keep_ns;
    bool has_tbf;        /* a downlink TBF before the pre-emption */
    int64_t uplink_ns;   /* the mobile gets an LLC-PDU to send; 0: never */
    int64_t downlink_ns; /* another LLC-PDU comes from the SGSN; 0: never */
    int64_t expect_ns;
    enum { BY_TIME, BY_UPLINK, BY_DOWNLINK } expect_by; /* what ends the wait, as the statistics count it */
};

static void put_at(struct radio_kit *kit, enum radio_way way, int64_t at_ns, int64_t from_ns, int64_t to_ns)
{
    if (at_ns <= from_ns || at_ns > to_ns)
        return;
    radio_kit_run(kit, at_ns);
    radio_kit_put(kit, way, ANNA, BLOCK_OCTETS, RADIO_INFINITE_CS);
}

static int64_t first_down_ns(const struct radio_kit *kit, size_t from)
{
    for (size_t k = from; k < kit->count; k++)
        if (kit->events[k].way == RADIO_DOWN)
            return kit->events[k].at_ns;
    return 0;
}

static int64_t play_restart(const struct restart_row *row)
{
    struct radio_config config = {.pdchs = 1, .coding = RADIO_CS2};
    config.down = (struct radio_way_config){
        .slots = 1, .setup_ns = 200 * MS, .setup_beside_ns = 100 * MS, .release_ns = 1000 * MS};
    config.down.restart_wait_ns = row->wait_ns;
    config.up = (struct radio_way_config){.slots = 1, .setup_ns = 100 * MS, .keep_ns = row->keep_ns};
    struct radio_kit kit;
    radio_kit_init(&kit, &config);
    radio_kit_put(&kit, RADIO_UP, ANNA, 10, 0);
    if (row->has_tbf)
        radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 1);
    radio_kit_run(&kit, 500 * MS);
    size_t before = kit.count;
    set(&kit, 0);
    radio_kit_run(&kit, 600 * MS);
    radio_kit_fill(&kit, RADIO_DOWN, ANNA, BLOCK_OCTETS, 1);
    put_at(&kit, RADIO_DOWN, row->downlink_ns, 600 * MS, 1000 * MS - 1);
    put_at(&kit, RADIO_UP, row->uplink_ns, 600 * MS, 1000 * MS - 1);
    radio_kit_run(&kit, 1000 * MS);
    set(&kit, 1);
    put_at(&kit, RADIO_DOWN, row->downlink_ns, 1000 * MS, MOMENT_NEVER);
    put_at(&kit, RADIO_UP, row->uplink_ns, 1000 * MS, MOMENT_NEVER);
    radio_kit_finish(&kit);
    int64_t found_ns = first_down_ns(&kit, before);
    const struct radio_stats *stats = radio_stats_get(kit.radio, RADIO_DOWN);
    assert_int_equal(stats->uplink_restarts, row->expect_by == BY_UPLINK);
    assert_int_equal(stats->downlink_restarts, row->expect_by == BY_DOWNLINK);
    radio_kit_fini(&kit);
    return found_ns;
}

TEST(restart)
{
    static const struct restart_row rows[] = {
        {0, 0, true, 0, 0, 1220 * MS},                                  /* set-up, one block */
        {3000 * MS, 0, true, 0, 0, 4220 * MS},                          /* no request */
        {3000 * MS, 0, true, 900 * MS, 0, 1220 * MS, BY_UPLINK},        /* access 100, set-up beside 100 */
        {3000 * MS, 0, true, 2000 * MS, 0, 2220 * MS, BY_UPLINK},       /* a later request */
        {3000 * MS, 0, true, 5000 * MS, 0, 4220 * MS},                  /* a request after the wait */
        {3000 * MS, 0, false, 0, 0, 1220 * MS},                         /* no TBF was lost */
        {3000 * MS, 100 * MS, true, 900 * MS, 0, 1220 * MS, BY_UPLINK}, /* 100 ms old: is sent */
        {3000 * MS, 99 * MS, true, 900 * MS, 0, 4220 * MS}, /* older than the mobile keeps it: no request */
        {3000 * MS, 99 * MS, true, 2000 * MS, 0, 2120 * MS + 100 * MS,
         BY_UPLINK},                                  /* kept, and sent at once */
        {3000 * MS, 0, true, 0, 900 * MS, 4220 * MS}, /* comes while there is no PDCH: restarts nothing */
        {3000 * MS, 0, true, 0, 2000 * MS, 2220 * MS, BY_DOWNLINK}, /* a new LLC-PDU from the SGSN */
        {3000 * MS, 99 * MS, true, 900 * MS, 2000 * MS, 2220 * MS,
         BY_DOWNLINK},                                 /* after a request that was not made */
        {3000 * MS, 0, true, 0, 5000 * MS, 4220 * MS}, /* after the wait */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (play_restart(&rows[i]) != rows[i].expect_ns)
            fail_msg("row %zu: %ld ms", i, (long)(play_restart(&rows[i]) / MS));
}

/* A mobile gives up what it could not begin to send in time. */
TEST(the_mobiles_own_lifetime)
{
    static const struct {
        int64_t closed_ns;
        unsigned delivered;
    } rows[] = {{9000 * MS, 1}, {10000 * MS, 1}, {10001 * MS, 0}, {15000 * MS, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct radio_config config = {1, RADIO_CS2, .down.slots = 1,
                                      .up = {.slots = 1, .keep_ns = 10000 * MS}};
        struct radio_kit kit;
        radio_kit_init(&kit, &config);
        set(&kit, 0);
        radio_kit_put(&kit, RADIO_UP, ANNA, 10, 0);
        radio_kit_run(&kit, rows[i].closed_ns);
        set(&kit, 1);
        radio_kit_finish(&kit);
        assert_int_equal(radio_kit_count(&kit, RADIO_UP, RADIO_KIT_DELIVERED, ANNA), rows[i].delivered);
        assert_int_equal(radio_kit_count(&kit, RADIO_UP, RADIO_DISCARD_LIFETIME, ANNA),
                         1 - rows[i].delivered);
        radio_kit_fini(&kit);
    }
}

static void act(struct radio_kit *kit, struct rng *rng, unsigned *pdchs)
{
    uint32_t tlli = (uint32_t)rng_below(rng, 4);
    enum radio_way way = (enum radio_way)rng_below(rng, RADIO_WAYS);
    switch (rng_below(rng, 16)) {
    case 0:
        set(kit, *pdchs = (unsigned)rng_below(rng, 4));
        break;
    case 1:
        if (!*pdchs)
            radio_channels_flush(kit->radio, kit->now);
        break;
    case 2:
        radio_leave(kit->radio, tlli);
        break;
    case 3:
        radio_enter(kit->radio, tlli, kit->now);
        break;
    default:
        radio_kit_put(kit, way, tlli, (size_t)rng_between(rng, 4, 150), RADIO_INFINITE_CS);
    }
}

/* PDCHs, frames and mobiles that come and go, with errors: the kit looks at order and conservation, in the
   end all has arrived that was not flushed. */
TEST(at_random)
{
    struct radio_config config = {.pdchs = 3, .coding = RADIO_CS2, .window_blocks = 8, .seed = 1};
    config.down = (struct radio_way_config){.slots = 2, .bler_ppm = 200000, .retransmission_ns = 60 * MS};
    config.down.setup_ns = 50 * MS;
    config.down.restart_wait_ns = 400 * MS;
    config.up = (struct radio_way_config){.slots = 1, .bler_ppm = 100000, .retransmission_ns = 40 * MS};
    config.up.setup_ns = 20 * MS;
    struct radio_kit kit;
    struct rng rng;
    unsigned pdchs = 3;
    radio_kit_init(&kit, &config);
    rng_init(&rng, 3, 0);
    for (unsigned i = 0; i < 20000; i++) {
        act(&kit, &rng, &pdchs);
        radio_kit_run(&kit, kit.now + (int64_t)rng_below(&rng, 60) * MS);
    }
    set(&kit, 3);
    for (uint32_t tlli = 0; tlli < 4; tlli++)
        radio_enter(kit.radio, tlli, kit.now);
    radio_kit_finish(&kit);
    for (int way = 0; way < RADIO_WAYS; way++)
        assert_int_equal(radio_stats_get(kit.radio, way)->queued.frames, 0);
    assert_true(radio_stats_get(kit.radio, RADIO_DOWN)->discarded[RADIO_DISCARD_PREEMPTED].frames > 100);
    radio_kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
