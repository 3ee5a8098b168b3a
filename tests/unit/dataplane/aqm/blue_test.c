/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/rng.h"
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS = 1000000, LIMIT = 30000 };

#define FREEZE (1000 * MS)

/* What happens, and the chance behind it in steps of 0.2 %: up is 10 of them, down 1. */
enum event { COMES, GOES };
static const struct {
    int64_t at_ms;
    enum event event;
    uint64_t backlog_octets;
    int steps;
} rows[] = {
    {5000, COMES, 0, 0},         /* never below 0 */
    {5000, COMES, LIMIT - 1, 0}, /* not full */
    {5900, COMES, LIMIT, 0},     /* the first freeze time counts from the last change */
    {6000, COMES, LIMIT, 10},    {6999, COMES, LIMIT, 10},  {7000, COMES, 2 * LIMIT, 20},
    {7500, GOES, LIMIT, 20},     {9000, GOES, 1, 20}, /* something waits */
    {9000, GOES, 0, 19},                              /* idle */
    {9500, COMES, 0, 19},                             /* for half a freeze time */
    {9600, GOES, 0, 19},                              /* and again, too soon after the last change */
    {12599, COMES, 0, 17},                            /* since 9.6 s: two whole ones */
    {12700, COMES, 500, 17},     {13400, GOES, 0, 17},      {13599, GOES, 0, 16},
    {14598, COMES, LIMIT, 16},   {14599, COMES, LIMIT, 26}, {14600, GOES, 0, 26},
    {99000, COMES, 0, 0}, /* 83 freeze times from 15.599 s on */
};

TEST_IN(steps_at_events, struct kit, kit, kit_init(kit, "blue", "", 1), kit_fini(kit))
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_view(rows[i].backlog_octets);
        int64_t now = rows[i].at_ms * MS;
        if (rows[i].event == COMES)
            kit_come(kit, &view, now);
        else
            assert_int_equal(kit_leave(kit, &view, now), AQM_PASS);
        if (fabs(kit_reading(kit, "chance") - 0.002 * rows[i].steps) > 1e-12)
            fail_msg("row %zu: chance %f", i, kit_reading(kit, "chance"));
    }
}

/* The chance is that of each packet by itself; at 1 all are signalled, and it stays there. */
TEST(signals_with_the_chance)
{
    static const int fulls[] = {0, 1, 5, 20, 49, 50, 60};
    for (size_t i = 0; i < COUNT(fulls); i++) {
        struct kit kit;
        double p = fmin(0.02 * fulls[i], 1);
        kit_init(&kit, "blue", "", i + 1);
        for (int k = 0; k < fulls[i]; k++) {
            struct aqm_view full = kit_view(LIMIT);
            kit_come(&kit, &full, k * FREEZE);
        }
        uint64_t before = aqm_setup_total(kit.setup).dropped;
        uint64_t signals = kit_signals(&kit, kit_view(LIMIT / 2), PACKETS);
        kit_assert_near((double)signals, PACKETS * p, sqrt(PACKETS * p * (1 - p)));
        assert_int_equal(aqm_setup_total(kit.setup).dropped - before, signals); /* ECN is off */
        kit_fini(&kit);
    }
}

/* Against sources that need p = 0.1: where more comes than goes it rises, else it falls, and so it is found.
 */
TEST(finds_the_chance_that_is_needed)
{
    struct kit kit;
    struct rng rng;
    double sum = 0, waiting = 0;
    kit_init(&kit, "blue", "up=5000 down=5000 ecn=1", 1);
    rng_init(&rng, 1, 0);
    for (int i = 0; i < 400000; i++) { /* 5 ms each: 1 % more or less of the load per 1 % of chance */
        double load = 1 + 2 * (0.1 - kit_reading(&kit, "chance"));
        struct aqm_view view = kit_view((uint64_t)waiting);
        int64_t now = i * 5 * MS;
        if (rng_chance_ppm(&rng, (uint32_t)(load * 500000))) {
            kit_come(&kit, &view, now);
            waiting += 500;
        }
        if (waiting > 0 && rng_chance_ppm(&rng, 500000)) {
            waiting -= 500;
            view = kit_view((uint64_t)waiting);
            kit_leave(&kit, &view, now);
        }
        sum += i >= 200000 ? kit_reading(&kit, "chance") : 0;
    }
    assert_true(fabs(sum / 200000 - 0.1) < 0.02);
    kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
