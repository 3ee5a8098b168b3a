/* SPDX-License-Identifier: BSD-3-Clause */
/* The latest N-PDUs of a worker: stride, overwriting, and the figures of the last second by key. */
#include "control/report/watch.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define MS INT64_C(1000000)

struct lab {
    struct worker worker;
    struct worker *list[1];
    struct gb_bvc bvcs[4];
    struct watch watch;
};

static struct lab *lab_new(void)
{
    struct lab *lab = calloc(1, sizeof(*lab));
    assert_non_null(lab);
    assert_true(recent_new(&lab->worker.recent));
    lab->list[0] = &lab->worker;
    lab->worker.context.bvcs = lab->bvcs;
    lab->worker.context.limits.bvcs = 4;
    for (uint16_t i = 0; i < 4; i++)
        lab->bvcs[i].nse = i / 2;
    return lab;
}

static void lab_free(struct lab *lab)
{
    recent_free(&lab->worker.recent);
    watch_free(&lab->watch);
    free(lab);
}

static void offer(struct lab *lab, struct recent_record record)
{
    if (recent_is_due(&lab->worker.recent))
        recent_put(&lab->worker.recent, &record);
}

/* --- figures by key --- */

static const struct recent_record events[] = {
    ROW(.at_ns = 100 * MS, .ms = 1, .bvc = 0, .octets = 1000, .kind = RECENT_OUT, .qclass = 7,
        .sojourn_ns = 9 * MS), /* too old */
    {.at_ns = 1200 * MS, .ms = 1, .bvc = 0, .octets = 100, .kind = RECENT_IN, .qclass = 7},
    ROW(.at_ns = 1300 * MS, .ms = 1, .bvc = 0, .octets = 100, .kind = RECENT_OUT, .qclass = 7,
        .sojourn_ns = 2 * MS),
    ROW(.at_ns = 1400 * MS, .ms = 1, .bvc = 0, .octets = 200, .kind = RECENT_OUT, .qclass = 7,
        .sojourn_ns = 4 * MS, .is_marked = true),
    ROW(.at_ns = 1500 * MS, .ms = 1, .bvc = 1, .octets = 300, .kind = RECENT_OUT, .qclass = 4,
        .sojourn_ns = 6 * MS),
    ROW(.at_ns = 1600 * MS, .ms = 2, .bvc = 2, .octets = 500, .kind = RECENT_OUT, .qclass = 4,
        .sojourn_ns = 50 * MS),
    ROW(.at_ns = 1700 * MS, .ms = 2, .bvc = 2, .octets = 500, .kind = RECENT_DROP, .qclass = 4,
        .reason = DROP_AQM),
    ROW(.at_ns = 1800 * MS, .ms = 2, .bvc = 2, .octets = 500, .kind = RECENT_DROP, .qclass = 4,
        .reason = DROP_AQM),
    ROW(.at_ns = 1900 * MS, .ms = 2, .bvc = 3, .octets = 500, .kind = RECENT_DROP, .qclass = 7,
        .reason = DROP_LIFETIME),
};

#define ANY WATCH_ANY

static const struct {
    struct watch_key key;
    uint64_t in_bps, out_bps;
    double dropped, marked, p50, p95;
    const char *reasons;
} figures[] = {
    {{ANY, ANY, ANY, ANY}, 800, 8800, 3, 1, 4, 50, "aqm 2, lifetime 1"},
    {{1, ANY, ANY, ANY}, 800, 4800, 0, 1, 4, 6, ""},
    {{2, ANY, ANY, ANY}, 0, 4000, 3, 0, 50, 50, "aqm 2, lifetime 1"},
    {{2, 2, ANY, ANY}, 0, 4000, 2, 0, 50, 50, "aqm 2"},
    {{ANY, 0, ANY, ANY}, 800, 2400, 0, 1, 2, 4, ""},
    {{ANY, ANY, 0, ANY}, 800, 4800, 0, 1, 4, 6, ""},
    {{ANY, ANY, 1, ANY}, 0, 4000, 3, 0, 50, 50, "aqm 2, lifetime 1"},
    {{ANY, ANY, ANY, 4}, 0, 6400, 2, 0, 6, 50, "aqm 2"},
    {{3, ANY, ANY, ANY}, 0, 0, 0, 0, NAN, NAN, ""},
};

TEST(test_figures)
{
    struct lab *lab = lab_new();
    (void)state;
    for (size_t i = 0; i < COUNT(events); i++)
        offer(lab, events[i]);
    assert_true(watch_look(&lab->watch, lab->list, 1, 2000 * MS));
    for (size_t i = 0; i < COUNT(figures); i++) {
        struct watch_figures f = watch_of(&lab->watch, &figures[i].key);
        print_message("row %zu\n", i);
        assert_int_equal(f.in_bps, figures[i].in_bps);
        assert_int_equal(f.out_bps, figures[i].out_bps);
        assert_true(f.dropped_per_s == figures[i].dropped && f.marked_per_s == figures[i].marked);
        assert_true(isnan(figures[i].p50) ? isnan(f.sojourn_p50_ms) : f.sojourn_p50_ms == figures[i].p50);
        assert_true(isnan(figures[i].p95) ? isnan(f.sojourn_p95_ms) : f.sojourn_p95_ms == figures[i].p95);
        assert_string_equal(f.reasons, figures[i].reasons);
    }
    lab_free(lab);
}

TEST(test_a_young_copy_is_used_again)
{
    struct lab *lab = lab_new();
    const struct watch_key all = {ANY, ANY, ANY, ANY};
    (void)state;
    offer(lab, events[1]);
    assert_true(watch_look(&lab->watch, lab->list, 1, 1250 * MS));
    offer(lab, events[2]);
    assert_true(watch_look(&lab->watch, lab->list, 1, 1349 * MS));
    assert_int_equal(watch_of(&lab->watch, &all).out_bps, 0);
    assert_true(watch_look(&lab->watch, lab->list, 1, 1350 * MS));
    assert_int_equal(watch_of(&lab->watch, &all).out_bps, 800);
    lab_free(lab);
}

/* --- rates above the ring --- */

static const struct {
    uint64_t per_s;
    unsigned seconds;
} loads[] = {{1, 10}, {1000, 5}, {4000, 5}, {20000, 5}, {1000000, 4}, {16000000, 3}};

/* Whatever the rate, the last second's rate is right within 3 %, at low rates exactly. */
TEST(test_rate)
{
    const struct watch_key all = {ANY, ANY, ANY, ANY};
    (void)state;
    for (size_t i = 0; i < COUNT(loads); i++) {
        struct lab *lab = lab_new();
        int64_t step_ns = MOMENT_SECOND / (int64_t)loads[i].per_s, now = 0;
        for (uint64_t k = 0; k < loads[i].per_s * loads[i].seconds; k++)
            offer(lab, (struct recent_record){.at_ns = now += step_ns, .kind = RECENT_OUT, .octets = 1});
        assert_true(watch_look(&lab->watch, lab->list, 1, now));
        double found = watch_of(&lab->watch, &all).out_per_s, expected = (double)loads[i].per_s;
        print_message("%.0f events a second: %.0f, stride %u\n", expected, found, lab->worker.recent.stride);
        assert_true(fabs(found - expected) <= (expected > 4000 ? 0.03 * expected : 0));
        lab_free(lab);
    }
}

UNIT_MAIN(NULL, NULL)
