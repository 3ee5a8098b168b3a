/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

/* target = max(5 ms, 1.5 x 1500 octets at the rate), interval longer by as much. */
TEST(times_follow_the_rate)
{
    static const struct {
        uint64_t rate_bps;
        double target_s, interval_s;
    } rows[] = {{0, 0.005, 0.1},           {20000, 0.9, 0.995},   {0, 0.9, 0.995},
                {80000, 0.225, 0.32},      {3600000, 0.005, 0.1}, {3500000, 0.005142857, 0.100142857},
                {10000000000, 0.005, 0.1}, {1, 18000, 18000.095}};
    struct kit kit;
    kit_init(&kit, "fq_codel", "", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_aged(0);
        view.rate_bps = rows[i].rate_bps;
        kit_leave(&kit, &view, 1);
        assert_true(fabs(kit_reading(&kit, "target_s") - rows[i].target_s) < 2e-9);
        assert_true(fabs(kit_reading(&kit, "interval_s") - rows[i].interval_s) < 2e-9);
    }
    kit_fini(&kit);
}

/* At 80 kbit/s nothing below 225 ms is signalled; above, the times are those of the grown interval. */
TEST(signals_by_the_grown_times)
{
    struct kit kit;
    double due_s = 0.32;
    int signals = 0;
    kit_init(&kit, "fq_codel", "", 1);
    for (int64_t now = 1000; now < 20000 * MS; now += 10000) {
        struct aqm_view view = kit_aged(now < 10000 * MS ? 225 * MS - 1 : 225 * MS);
        view.rate_bps = 80000;
        if (kit_leave(&kit, &view, now) == AQM_PASS)
            continue;
        assert_true(now >= 10000 * MS);
        assert_true(fabs((double)(now - 10000 * MS) / 1e9 - due_s) < 12e-6);
        due_s += 0.32 / sqrt(++signals);
    }
    assert_in_range(signals, 200, 300);
    kit_fini(&kit);
}

TEST(marks_unless_told_otherwise)
{
    for (int ecn = 0; ecn < 2; ecn++) {
        struct kit kit;
        kit_init(&kit, "fq_codel", ecn ? "" : "ecn=0", 1);
        for (int64_t now = MS; now < 1000 * MS; now += MS) {
            struct aqm_view view = kit_aged(50 * MS);
            kit_leave(&kit, &view, now);
        }
        struct aqm_counts total = aqm_setup_total(kit.setup);
        assert_true(ecn ? total.marked > 0 && total.dropped == 0 : total.dropped > 0 && total.marked == 0);
        kit_fini(&kit);
    }
}

/* RFC 8290: not with one MTU waiting. */
TEST(leaves_one_mtu_alone)
{
    static const struct {
        const char *set;
        uint64_t octets;
        bool expect;
    } rows[] = {{"", 1500, false}, {"", 1501, true}, {"mtu=3000", 3000, false}, {"mtu=3000", 3001, true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct kit kit;
        kit_init(&kit, "fq_codel", rows[i].set, 1);
        for (int64_t now = MS; now < 1000 * MS; now += MS) {
            struct aqm_view view = kit_aged(50 * MS);
            view.backlog_octets = rows[i].octets;
            kit_leave(&kit, &view, now);
        }
        assert_int_equal(aqm_setup_total(kit.setup).marked > 0, rows[i].expect);
        kit_fini(&kit);
    }
}

UNIT_MAIN(NULL, NULL)
