/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/page_times.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

#define NEVER MOMENT_NEVER

/* Times in ns, negative: the age of an unfinished page; 0 ends them. */
struct row {
    int64_t pages[8];
    int64_t p50_ns, p95_ns;
    size_t unfinished;
};

static void play(const struct row *row)
{
    struct page_times times = {0};
    for (size_t i = 0; row->pages[i] != 0; i++)
        page_times_add(&times,
                       (struct page_time){.ns = llabs(row->pages[i]), .is_finished = row->pages[i] > 0});
    const struct page_times_figures found = page_times_figures_of(&times);
    assert_int_equal(found.p50_ns, row->p50_ns);
    assert_int_equal(found.p95_ns, row->p95_ns);
    assert_int_equal(found.unfinished, row->unfinished);
    page_times_free(&times);
}

static const struct row rows[] = {
    {LIST(0), NEVER, NEVER, 0},
    {LIST(20, 10), 10, 20, 0}, /* the nearest rank */
    {LIST(30, 10, 20), 20, 30, 0},
    {LIST(-5, -9), NEVER, NEVER, 2}, /* none finished: an age is no page time */
    {LIST(10, -50), 10, NEVER, 1},   /* the longest is unfinished */
    {LIST(1, -600), 1, NEVER, 1},
    {LIST(-1, 600), 600, 600, 1},       /* it takes longer than 1, so it says nothing of 600 */
    {LIST(10, -15, 20, 40), 20, 40, 1}, /* its share goes to the longer ones */
    {LIST(-10, 10, 30), 30, 30, 1},     /* finished before unfinished at the same age */
    {LIST(10, -20, -30, -40), NEVER, NEVER, 3},
    {LIST(10, 10, -20, -30), 10, NEVER, 2}, /* exactly one half */
};

TEST_EACH(quantiles, play, rows)

TEST(rate)
{
    struct page_times times = {0};
    assert_true(isnan(page_times_rate_bps(&times)));
    page_times_add(&times, (struct page_time){MOMENT_SECOND, 125, false});
    assert_true(isnan(page_times_rate_bps(&times)));
    page_times_add(&times, (struct page_time){2 * MOMENT_SECOND, 250, true});
    page_times_add(&times, (struct page_time){4 * MOMENT_SECOND, 250, true});
    assert_float_equal(page_times_rate_bps(&times), 750, 1e-6);
    page_times_add(&times,
                   (struct page_time){9 * MOMENT_SECOND, 250, false}); /* 1/3, 1/3, and a rest of 1/3 */
    assert_float_equal(page_times_rate_bps(&times), 500, 1e-6);
    page_times_free(&times);
}

UNIT_MAIN(NULL, NULL)
