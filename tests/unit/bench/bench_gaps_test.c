/* SPDX-License-Identifier: BSD-3-Clause */
/* Length and bound of a trial from the gaps of simulated machines; the gaps of a simulated device. */
#include "tests/unit/unit.h"

#include "bench/statistics/gaps.h"
#include "bench/throughput/gap_watch.h"

#include <math.h>
#include <stdint.h>

#define US    INT64_C(1000)
#define MS    INT64_C(1000000)
#define WATCH (3000 * MS)

/* Of each of two CPUs: so many gaps of one length in 3 s, twice. */
struct machine {
    const char *name;
    struct {
        unsigned count;
        int64_t gap_ns;
    } gaps[2];
};

static struct bench_gaps_machine watched(const struct machine *from)
{
    struct bench_gaps_machine m = {0};
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        struct bench_gaps_machine one = {.cpus = 1, .watch_ns = WATCH};
        for (unsigned i = 0; i < COUNT(from->gaps); i++)
            for (unsigned k = 0; k < from->gaps[i].count; k++)
                bench_gaps_put(&one, from->gaps[i].gap_ns);
        bench_gaps_merge(&m, &one);
    }
    return m;
}

TEST(test_the_choice)
{
    static const struct {
        struct machine machine;
        int64_t trial_ns, bound_ns, patience_ns; /* trial 0: not measurable */
    } rows[] = {
        {{"without a gap", {{0}}}, 20 * MS, 100 * US, 5 * MS},
        {{"ticks of 30 us", {{3000, 30 * US}}}, 20 * MS, 100 * US, 5 * MS},
        {{"a long gap each second", {{3, 40 * MS}}}, 20 * MS, 100 * US, 80 * MS},
        {{"85 % of 20 ms void", {{142, 300 * US}}}, 5 * MS, 100 * US, 5 * MS},
        {{"a gap every 4 ms", {{750, 150 * US}}}, 1 * MS, 100 * US, 5 * MS},
        {{"short ones each ms, rarely long ones", {{3000, 150 * US}, {30, 3 * MS}}},
         20 * MS,
         200 * US,
         6 * MS},
        {{"5 % at the bound", {{1500, 100 * US}}}, 1 * MS, 100 * US, 5 * MS},
        {{"5 % of 200 us", {{750, 200 * US}}}, 1 * MS, 100 * US, 5 * MS},
        {{"5 % of 4 ms", {{37, 4 * MS}}}, 20 * MS, 100 * US, 8 * MS},
        {{"half of each CPU is another's", {{375, 4 * MS}}}, 0, 100 * US, 8 * MS},
        {{"very long ones, 40 %", {{12, 100 * MS}}}, 1 * MS, 100 * US, 100 * MS},
        {{"250 us each ms", {{3000, 250 * US}}}, 0, 100 * US, 5 * MS},
        {{"all of it", {{1, 3000 * MS}}}, 0, 100 * US, 100 * MS},
    };
    for (unsigned i = 0; i < COUNT(rows); i++) {
        const struct bench_gaps_machine m = watched(&rows[i].machine);
        const struct bench_gaps_choice choice = bench_gaps_choose(&m, 0, 0);
        print_message("%s: trials of %d us\n", rows[i].machine.name, (int)(choice.trial_ns / US));
        assert_int_equal(choice.is_measurable, rows[i].trial_ns > 0);
        assert_int_equal(choice.trial_ns, rows[i].trial_ns > 0 ? rows[i].trial_ns : 1 * MS);
        assert_int_equal(choice.bound_ns, rows[i].bound_ns);
        assert_int_equal(choice.patience_ns, rows[i].patience_ns);
    }
}

/* A bound inside a class: its gaps may be longer. */
TEST(test_gaps_near_the_bound_count)
{
    const struct machine machine = {"", {{10, 90 * MS}}};
    const struct bench_gaps_machine m = watched(&machine);
    assert_int_equal(bench_gaps_count(&m, 60 * MS), 20);
    assert_true(fabs(bench_gaps_share(&m, 60 * MS) - 0.3) < 1e-9);
    assert_int_equal(bench_gaps_count(&m, 100 * MS), 20);
}

/* Whatever the length of the gaps. */
TEST(test_below_5_percent_each_machine_is_measured)
{
    for (int64_t gap_ns = 10 * US; gap_ns <= 140 * MS; gap_ns += gap_ns / 10) {
        const struct machine machine = {"", {{(unsigned)(WATCH / 20 / gap_ns), gap_ns}}};
        const struct bench_gaps_machine m = watched(&machine);
        assert_true(bench_gaps_choose(&m, 0, 0).is_measurable);
    }
}

TEST(test_what_was_given_is_kept)
{
    const struct machine machine = {"", {{375, 4 * MS}}};
    const struct bench_gaps_machine m = watched(&machine);
    struct bench_gaps_choice choice = bench_gaps_choose(&m, 0, 20 * MS);
    assert_true(choice.is_measurable && choice.trial_ns == 20 * MS && choice.bound_ns == 100 * US);
    choice = bench_gaps_choose(&m, 5000 * MS, 0);
    assert_true(choice.is_measurable && choice.trial_ns == 20 * MS && choice.bound_ns == 5000 * MS);
    const struct machine short_ones = {"", {{3000, 150 * US}, {30, 3 * MS}}};
    const struct bench_gaps_machine often = watched(&short_ones);
    choice = bench_gaps_choose(&often, 0, 20 * MS);
    assert_true(choice.is_measurable && choice.trial_ns == 20 * MS && choice.bound_ns == 200 * US);
    choice = bench_gaps_choose(&m, 70 * US, 7 * MS);
    assert_true(choice.is_measurable && choice.trial_ns == 7 * MS && choice.bound_ns == 70 * US);
    assert_false(bench_gaps_choose(&m, 150 * US, 0).is_measurable);
}

TEST(test_what_the_machine_had)
{
    const struct machine machine = {"", {{300, 100 * US}, {3, 20 * MS}}};
    const struct bench_gaps_machine m = watched(&machine);
    assert_int_equal(m.cpus, 2);
    assert_int_equal(m.longest_ns, 20 * MS);
    assert_int_equal(bench_gaps_count(&m, 100 * US), 606);
    assert_int_equal(bench_gaps_count(&m, 200 * US), 6);
    assert_int_equal(bench_gaps_count(&m, 5000 * MS), 0);
    assert_true(fabs(bench_gaps_share(&m, 100 * US) - 0.03) < 1e-9);
    assert_true(fabs(bench_gaps_share(&m, 200 * US) - 0.02) < 1e-9);
    /* 1 gap in a second, 2 % of the time, of each of two CPUs. */
    const double free_of_them = pow(0.98 * exp(-0.01 / 0.98), 2);
    assert_true(fabs(bench_gaps_void_share(&m, 200 * US, 10 * MS) - (1 - free_of_them)) < 1e-9);
    assert_true(bench_gaps_void_share(&m, 5000 * MS, 10 * MS) == 0);
    const struct machine none = {"", {{1000, 9 * US}}};
    const struct bench_gaps_machine quiet = watched(&none);
    assert_true(bench_gaps_count(&quiet, 1) == 0 && quiet.longest_ns == 0);
}

/* --- its words --- */

/* Of a machine whose trials have 5 ms, its gaps 100 us. */
TEST(test_no_advice_names_what_the_plan_has)
{
    static const struct {
        int64_t given_trial_ns, given_gap_ns;
        const char *say;
    } rows[] = {
        {0, 0, "use idle CPUs, or raise --seconds above 60"},
        {20 * MS, 0,
         "leave out --trial-ms, for this machine trials have 5 ms; use idle CPUs, or raise --seconds above "
         "60"},
        {5 * MS, 0, "use idle CPUs, or raise --seconds above 60"},
        {2 * MS, 100 * US, "use idle CPUs, or raise --seconds above 60"},
        {10 * MS, 1 * US,
         "leave out --set gap_us, for this machine a gap is above 100 us; leave out --trial-ms, for this "
         "machine "
         "trials have 5 ms; use idle CPUs, or raise --seconds above 60"},
        {0, 5000 * MS, "use idle CPUs, or raise --seconds above 60"},
    };
    const struct machine machine = {"", {{142, 300 * US}}};
    const struct bench_gaps_machine m = watched(&machine);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        char text[BENCH_GAP_WATCH_CHARS];
        const struct bench_plan given = {
            .trial_ns = rows[i].given_trial_ns, .gap_ns = rows[i].given_gap_ns, .seconds = 60};
        struct bench_plan plan = given;
        const struct bench_gaps_choice choice = bench_gaps_choose(&m, given.gap_ns, given.trial_ns);
        plan.trial_ns = choice.trial_ns;
        plan.gap_ns = choice.bound_ns;
        bench_gap_watch_advise(text, &m, &plan, &given);
        assert_string_equal(text, rows[i].say);
    }
}

/* A machine on which no trial is short enough offers none. */
TEST(test_no_advice_of_a_trial_where_there_is_none)
{
    char text[BENCH_GAP_WATCH_CHARS];
    const struct machine machine = {"", {{375, 4 * MS}}};
    const struct bench_gaps_machine m = watched(&machine);
    const struct bench_plan plan = {.trial_ns = 20 * MS, .gap_ns = 1 * US, .seconds = 7};
    bench_gap_watch_advise(text, &m, &plan, &plan);
    assert_string_equal(text, "use idle CPUs, or raise --seconds above 7");
}

TEST(test_the_row_of_the_gaps)
{
    char text[BENCH_GAP_WATCH_CHARS];
    const struct machine machine = {"", {{300, 100 * US}, {3, 20 * MS}}};
    const struct bench_gaps_machine m = watched(&machine);
    const struct bench_plan plan = {.trial_ns = 10 * MS, .gap_ns = 200 * US};
    bench_gap_watch_describe(text, &m, &plan);
    assert_string_equal(
        text, "2 CPUs watched for 3 s: n = 6 gaps above 200 us take 2.0 % of the time, the longest 20.0 ms; "
              "6 % of trials of 10 ms are expected void");
}

/* --- of a trial --- */

static struct bench_gaps gaps_of(const struct bench_gaps_silences *s, int64_t took_ns)
{
    struct bench_gaps gaps = {0};
    bench_gaps_add_silences(&gaps, s, took_ns);
    return gaps;
}

/* Frames each `every_ns` until end_ns, but none from gap_ns on for 3 ms. */
static struct bench_gaps device(int64_t every_ns, int64_t end_ns, int64_t gap_ns)
{
    static struct bench_gaps_silences s;
    bench_gaps_silences_begin(&s, 100 * US, 0);
    for (int64_t now = every_ns; now <= end_ns; now += every_ns)
        if (now < gap_ns || now >= gap_ns + 3 * MS)
            bench_gaps_silences_came(&s, now);
    bench_gaps_silences_end(&s, end_ns);
    return gaps_of(&s, end_ns);
}

TEST(test_silences_of_devices_fast_and_slow)
{
    static const int64_t every_ns[] = {2 * US, 50 * US, 500 * US};
    for (unsigned i = 0; i < COUNT(every_ns); i++) {
        assert_int_equal(device(every_ns[i], 20 * MS, 20 * MS).longest_ns, 0);
        assert_in_range(device(every_ns[i], 20 * MS, 4 * MS).sum_ns, 3 * MS, 3500 * US);
        assert_in_range(device(every_ns[i], 20 * MS, 18 * MS).longest_ns, 2 * MS, 2500 * US); /* at its end */
        assert_in_range(device(every_ns[i], 20 * MS, 0).longest_ns, 3 * MS, 3 * MS + every_ns[i]);
    }
    assert_int_equal(device(30 * MS, 20 * MS, 20 * MS).sum_ns, 20 * MS); /* nothing comes */
}

TEST(test_the_generators_own_gap_is_no_silence)
{
    static struct bench_gaps_silences s;
    bench_gaps_silences_begin(&s, 100 * US, 0);
    bench_gaps_silences_came(&s, 10 * US);
    bench_gaps_silences_skip(&s, 20 * US, 5 * MS);
    for (int64_t i = 0; i <= 100; i++)
        bench_gaps_silences_came(&s, 5 * MS + i * 10 * US);
    assert_int_equal(gaps_of(&s, 6 * MS).sum_ns, 0);
    bench_gaps_silences_skip(&s, 9 * MS, 10 * MS); /* the device had been silent before */
    const struct bench_gaps gaps = gaps_of(&s, 10 * MS);
    assert_int_equal(gaps.sum_ns, 3 * MS);
    assert_int_equal(gaps.longest_ns, gaps.sum_ns);
}

TEST(test_more_silences_than_have_room)
{
    static struct bench_gaps_silences s;
    bench_gaps_silences_begin(&s, 100 * US, 0);
    for (int64_t i = 1; i <= 2 * BENCH_GAPS_SILENCES; i++) {
        for (int64_t k = 0; k < 100; k++)
            bench_gaps_silences_came(&s, i * 2 * MS - 1 * MS + k * 10 * US);
    }
    const int64_t took_ns = 2 * MS * 2 * BENCH_GAPS_SILENCES;
    const struct bench_gaps gaps = gaps_of(&s, took_ns);
    assert_int_equal(s.count, BENCH_GAPS_SILENCES);
    assert_in_range(gaps.sum_ns, took_ns / 2, took_ns / 2 + 20 * MS);
}

UNIT_MAIN(NULL, NULL)
