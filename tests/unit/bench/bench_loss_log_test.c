/* SPDX-License-Identifier: BSD-3-Clause */
/* The gap that explains a loss; the faults of a soak. */
#include "bench/throughput/generator.h"
#include "bench/statistics/loss_log.h"
#include "bench/throughput/soak.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define US          INT64_C(1000)
#define ROOM_OCTETS (256 * 1024) /* a quarter of the growth that a soak allows */

static struct bench_loss_log empty_log(void)
{
    return (struct bench_loss_log){.slack_ns = 50 * US, .after_ns = 2000 * US};
}

static void put_backlog(struct bench_loss_log *l, int64_t begin_us, int64_t end_us)
{
    bench_loss_log_put(l, BENCH_LOSS_LOG_WORKER,
                       &(struct bench_event){.kind = BENCH_EVENT_BACKLOG,
                                             .begin_ns = begin_us * US,
                                             .end_ns = end_us * US,
                                             .turn_ns = 40 * US});
}

static void put_gap(struct bench_loss_log *l, enum bench_loss_log_side side, int64_t begin_us, int64_t end_us)
{
    bench_loss_log_put(
        l, side,
        &(struct bench_event){.kind = BENCH_EVENT_GAP, .begin_ns = begin_us * US, .end_ns = end_us * US});
}

static void put_loss(struct bench_loss_log *l, int64_t at_us, uint64_t count)
{
    bench_loss_log_put(
        l, BENCH_LOSS_LOG_GENERATOR,
        &(struct bench_event){
            .kind = BENCH_EVENT_LOSS, .begin_ns = at_us * US, .end_ns = at_us * US, .count = count});
}

/* One gap of the worker from 10 000 to 10 300 us, with a backlog until 10 900. */
TEST(test_one_gap)
{
    static const struct {
        int64_t at_us;
        bool is_inside;
    } rows[] = {{9900, false}, {9979, false}, {9981, true},  {10000, true},
                {10300, true}, {10900, true}, {10901, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_loss_log l = empty_log();
        put_loss(&l, rows[i].at_us, 7);
        put_gap(&l, BENCH_LOSS_LOG_WORKER, 10000, 10300);
        put_backlog(&l, 10300, 10900);
        struct bench_loss_log_sum sum = bench_loss_log_sum(&l);
        assert_int_equal(sum.lost, 7);
        assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_WORKER], rows[i].is_inside ? 7 : 0);
        assert_int_equal(sum.lost_outside, rows[i].is_inside ? 0 : 7);
        assert_int_equal(sum.outside_count, rows[i].is_inside ? 0 : 1);
        assert_int_equal(sum.outside[0].begin_ns, rows[i].is_inside ? 0 : rows[i].at_us * US);
        assert_int_equal(sum.longest_ns[BENCH_LOSS_LOG_WORKER], 300 * US);
        assert_int_equal(sum.longest_after_ns, 600 * US);
        assert_int_equal(sum.covered_ns, 900 * US);
        bench_loss_log_fini(&l);
    }
}

/* A backlog extends gaps that end in it, or up to slack_ns before it; a backlog without gap explains no loss.
 */
TEST(test_backlogs)
{
    struct bench_loss_log l = empty_log();
    put_backlog(&l, 5049, 6000); /* extends the gap until 5000 */
    put_backlog(&l, 350, 1200);  /* extends both gaps before 1000 */
    put_backlog(&l, 8051, 9000); /* begins too late for the gap until 8000 */
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 500, 600);
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 0, 300);
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 4900, 5000);
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 7900, 8000);
    put_loss(&l, 1199, 1);
    put_loss(&l, 1201, 2);
    put_loss(&l, 5999, 4);
    put_loss(&l, 6001, 8);
    put_loss(&l, 8500, 16);
    put_loss(&l, 8600, 32);
    struct bench_loss_log_sum sum = bench_loss_log_sum(&l);
    assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_WORKER], 5);
    assert_int_equal(sum.lost_outside, 58);
    assert_int_equal(sum.outside_count, 3);
    assert_int_equal(sum.outside[1].begin_ns, 6001 * US);
    assert_int_equal(sum.outside[1].lost, 8);
    assert_int_equal(sum.outside[1].backlog.begin_ns, 0);
    assert_int_equal(sum.outside[2].lost, 48);
    assert_int_equal(sum.outside[2].backlog.begin_ns, 8051 * US);
    assert_int_equal(sum.outside[2].backlog.turn_ns, 40 * US);
    assert_int_equal(sum.longest_after_ns, 1000 * US);
    assert_int_equal(sum.covered_ns, (1200 + 1100 + 100) * US);
    bench_loss_log_fini(&l);
}

/* A backlog that does not end extends each gap in it by after_ns. */
TEST(test_endless_backlog)
{
    struct bench_loss_log l = empty_log();
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 1000, 1100);
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 9000, 9100);
    put_backlog(&l, 1100, 20000);
    put_loss(&l, 3099, 1);
    put_loss(&l, 3101, 2);
    put_loss(&l, 11099, 4);
    put_loss(&l, 11101, 8);
    struct bench_loss_log_sum sum = bench_loss_log_sum(&l);
    assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_WORKER], 5);
    assert_int_equal(sum.lost_outside, 10);
    assert_int_equal(sum.longest_after_ns, 2000 * US);
    assert_int_equal(sum.covered_ns, 2 * 2100 * US);
    bench_loss_log_fini(&l);
}

TEST(test_sides)
{
    struct bench_loss_log l = empty_log();
    put_gap(&l, BENCH_LOSS_LOG_GENERATOR, 1000, 1100); /* until 1200 */
    put_gap(&l, BENCH_LOSS_LOG_WORKER, 1250, 1300);    /* until 1500 */
    put_backlog(&l, 1120, 1200);
    put_backlog(&l, 1300, 1500);
    put_loss(&l, 1150, 1);
    put_loss(&l, 1250, 2);
    put_loss(&l, 1400, 4);
    struct bench_loss_log_sum sum = bench_loss_log_sum(&l);
    assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_GENERATOR], 1);
    assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_WORKER], 6);
    assert_int_equal(sum.gaps[BENCH_LOSS_LOG_GENERATOR] + sum.gaps[BENCH_LOSS_LOG_WORKER], 2);
    assert_int_equal(sum.covered_ns, 450 * US);
    bench_loss_log_fini(&l);
}

TEST(test_many_events)
{
    enum { COUNT = 5000 };
    struct bench_loss_log l = {.slack_ns = 0};
    for (int64_t i = COUNT; i-- > 0;) {
        put_gap(&l, BENCH_LOSS_LOG_WORKER, i * 1000, i * 1000 + 100);
        put_loss(&l, i * 1000 + 50, 1);
        put_loss(&l, i * 1000 + 500, 1);
    }
    struct bench_loss_log_sum sum = bench_loss_log_sum(&l);
    assert_int_equal(sum.lost_in[BENCH_LOSS_LOG_WORKER], COUNT);
    assert_int_equal(sum.lost_outside, COUNT);
    assert_int_equal(sum.outside_count, BENCH_LOSS_LOG_OUTSIDE);
    assert_int_equal(sum.covered_ns, COUNT * 100 * US);
    bench_loss_log_fini(&l);
}

TEST(test_nothing)
{
    struct bench_loss_log l = empty_log();
    struct bench_loss_log_sum sum = bench_loss_log_sum(&l), none = {0};
    assert_memory_equal(&sum, &none, sizeof(sum));
    bench_loss_log_fini(&l);
}

/* The ring keeps the order, and counts events without room. */
TEST(test_events_ring)
{
    static struct bench_events events;
    struct bench_event event = {0};
    for (uint64_t i = 0; i < BENCH_EVENTS + 3; i++)
        bench_events_put(&events, &(struct bench_event){.count = i});
    assert_int_equal(events.missed, 3);
    for (uint64_t i = 0; i < BENCH_EVENTS; i++) {
        assert_true(bench_events_take(&events, &event));
        assert_int_equal(event.count, i);
    }
    assert_false(bench_events_take(&events, &event));
    bench_events_put(&events, &(struct bench_event){.count = 9});
    assert_true(bench_events_take(&events, &event) && event.count == 9);
}

/* A gap is a turn longer than 96 frames take to arrive, or than the given time. */
TEST(test_what_a_gap_is)
{
    assert_int_equal(bench_soak_gap_ns(100 * US, 5e5), 100 * US);
    assert_int_equal(bench_soak_gap_ns(100 * US, 2e6), 48 * US);
}

/* Of a trial of 1 s. */
static bool is_void(uint64_t received, int64_t gaps_ns)
{
    const struct bench_gaps gaps = {.longest_ns = gaps_ns / 2, .sum_ns = gaps_ns};
    const struct bench_trial trial = {.expected = 1000, .received = received, .took_ns = MOMENT_SECOND};
    return bench_trial_is_void(&trial, &gaps);
}

/* Gaps of 1 % of the time explain a loss of 2 % + 1 %. */
TEST(test_what_voids_a_trial)
{
    const int64_t hundredth_ns = MOMENT_SECOND / 100;
    assert_false(is_void(1000, 0));
    assert_false(is_void(999, 0));
    assert_true(is_void(1000, hundredth_ns));
    assert_true(is_void(999, hundredth_ns));
    assert_true(is_void(971, hundredth_ns));
    assert_false(is_void(969, hundredth_ns));
    assert_true(is_void(969, 2 * hundredth_ns));
    assert_true(is_void(0, MOMENT_SECOND / 2));
}

/* Of 2000 N-PDUs of two LLC frames: 112 may be under way when the load ends. Of 20000, 256. */
TEST(test_a_backlog_counts_as_lost)
{
    static const struct {
        uint64_t npdus, in_time, received; /* in_time, received: frames that are missing */
        double loss;
    } rows[] = {
        {2000, 0, 0, 0},       {2000, 224, 0, 0},  {2000, 264, 0, 0.01},  {2000, 40, 40, 0.01},
        {2000, 304, 40, 0.02}, {20000, 512, 0, 0}, {20000, 912, 0, 0.01},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        const uint64_t frames = 2 * rows[i].npdus;
        const struct bench_trial trial = {.offered = rows[i].npdus,
                                          .expected = frames,
                                          .in_time = frames - rows[i].in_time,
                                          .received = frames - rows[i].received};
        assert_true(fabs(bench_trial_lasting_loss(&trial) - rows[i].loss) < 1e-9);
    }
    assert_true(bench_trial_lasting_loss(&(struct bench_trial){.offered = 0}) == 0);
}

static struct bench_soak sound_soak(void)
{
    return (struct bench_soak){.offered = 1000,
                               .unsent = 10,
                               .received = 990,
                               .dropped = 5,
                               .sent = 985,
                               .llc_frames = 1500,
                               .frames = 1500,
                               .sum = {.lost = 15, .lost_in = {15, 0}},
                               .before = {.worker_mbufs = 3},
                               .after = {.worker_mbufs = 3}};
}

/* Each field that is off is named with its values. */
TEST(test_faults)
{
    struct {
        struct bench_soak soak;
        const char *text;
    } rows[] = {
        {sound_soak(), ""},
        {sound_soak(), "loss log incomplete: 1 gaps, backlogs or losses had no room"},
        {sound_soak(), "loss outside of gaps: 1 N-PDUs"},
        {sound_soak(), "loss log: 14 N-PDUs, but 15 without room or dropped"},
        {sound_soak(), "Gn: 990 N-PDUs sent by the generator, 989 received by the worker; "
                       "N-PDU leak: 989 received, 985 sent, 5 dropped"},
        {sound_soak(), "N-PDU leak: 990 received, 984 sent, 5 dropped"},
        {sound_soak(), "Gb: 1500 LLC frames sent by the worker, 1499 received by the generator"},
        {sound_soak(), "Gb: 1 LLC frames with a wrong FCS, 2 with N(U) out of order"},
        {sound_soak(), "mbuf leak: 3 in use before, 4 after, by the worker; "
                       "memory leak: RSS of the worker grew by 2.0 MiB"},
        {sound_soak(), "mbuf leak: 0 in use before, 1 after, by the generator"},
        {sound_soak(), "gaps cover 51 % of the time, more than half: losses in them prove nothing"},
        {sound_soak(), ""},
    };
    rows[1].soak.missed_events = 1;
    rows[2].soak.sum.lost_outside = 1;
    rows[3].soak.sum.lost = 14;
    rows[4].soak.received = 989;
    rows[5].soak.sent = 984;
    rows[6].soak.frames = 1499;
    rows[7].soak.wrong_fcs = 1;
    rows[7].soak.reordered = 2;
    rows[8].soak.after.worker_mbufs = 4;
    rows[8].soak.after.worker_octets = 2 << 20;
    rows[9].soak.after.generator_mbufs = 1;
    rows[10].soak.took_ns = rows[11].soak.took_ns = 100;
    rows[10].soak.sum.covered_ns = 51;
    rows[11].soak.sum.covered_ns = 50;
    rows[11].soak.warm.worker_octets = 1 << 20;
    rows[11].soak.after.worker_octets = 2 << 20;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(bench_soak_check(&rows[i].soak).text, rows[i].text);
}

/* Text beyond the limit is cut. */
TEST(test_many_faults)
{
    struct bench_fault fault = {""};
    bench_fault_add(&fault, "first: %d", 1);
    bench_fault_add(&fault, "second: %d", 2);
    assert_string_equal(fault.text, "first: 1; second: 2");
    for (unsigned i = 0; i < 2 * BENCH_FAULT_CHARS; i++)
        bench_fault_add(&fault, "%u", i);
    assert_int_equal(strlen(fault.text), BENCH_FAULT_CHARS - 1);
}

static size_t resident_octets(void)
{
    unsigned long size, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &resident), 2);
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

/* Adds events as a soak does, in turn to all lists. */
static void fill(struct bench_loss_log *l, int64_t events)
{
    for (int64_t i = 0; i < events; i++) {
        put_gap(l, BENCH_LOSS_LOG_WORKER, i, i + 1);
        put_gap(l, BENCH_LOSS_LOG_GENERATOR, i, i + 1);
        put_backlog(l, i, i + 1);
        put_loss(l, i, 1);
    }
    assert_int_equal(l->losses.list[events - 1].begin_ns, (events - 1) * US);
}

/* A soak subtracts the loss log from the RSS: bench_loss_log_octets() is all of its memory. */
TEST(test_memory)
{
    static const int64_t events[] = {40000, 3000, 70000, 130000};
    size_t before = resident_octets();
    for (size_t i = 0; i < COUNT(events); i++) {
        struct bench_loss_log l = {0};
        fill(&l, events[i]);
        assert_true(bench_loss_log_octets(&l) >= 4 * (size_t)events[i] * sizeof(struct bench_event));
        assert_in_range(resident_octets(), before, before + bench_loss_log_octets(&l) + ROOM_OCTETS);
        bench_loss_log_fini(&l);
        assert_int_equal(bench_loss_log_octets(&l), 0);
        assert_in_range(resident_octets(), 0, before + ROOM_OCTETS);
    }
}

UNIT_MAIN(NULL, NULL)
