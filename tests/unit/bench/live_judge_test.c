/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_judge.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <string.h>

/* Durations below and beyond 32 bits of nanoseconds, which are 4.3 s. */
TEST(quantiles)
{
    static const struct {
        int64_t ns[3];
        double p50_us, max_us;
    } rows[] = {
        {{1000, 2500, 4000}, 2.5, 4},
        {{4294967295, 1000, 4294967296}, 4294967.295, 4294967.296},
        {{20000000000, 5000000000, 1000}, 5000000, 20000000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        static struct live_judge judge;
        const int64_t begin_ns = LIVE_JUDGE_WARM * (int64_t)LIVE_JUDGE_WINDOW_NS;
        memset(&judge, 0, sizeof(judge));
        assert_true(live_judge_new(&judge, 3));
        live_judge_begin(&judge, 0);
        for (size_t j = 0; j < 3; j++)
            live_judge_add(&judge, 0, begin_ns, begin_ns + rows[i].ns[j]);
        struct live_judge_result result = live_judge_result(&judge, 0, true);
        assert_int_equal(result.count, 3);
        assert_true(result.p50_us == rows[i].p50_us);
        assert_true(result.max_us == rows[i].max_us);
        live_judge_free(&judge);
    }
}

UNIT_MAIN(NULL, NULL)
