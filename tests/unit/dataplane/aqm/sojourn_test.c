/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdlib.h>

enum { PACKETS = 1000000 };

static double law(double sojourn_s)
{
    double way = (sojourn_s - 0.25) / 1.75;
    return sojourn_s >= 4 ? 1 : sojourn_s >= 2 ? 0.2 : way <= 0 ? 0 : 0.2 * way * way;
}

/* The square law over the expected sojourn, gaps uniform over 1 .. 1/p. */
TEST(signals_by_the_expected_sojourn)
{
    for (int i = 0; i <= 45; i++) {
        struct kit kit;
        double p = law(i * 0.1), k = p > 0 ? floor(1 / p) : 0, rest = 1 - k * p;
        double mean = p * k * (k + 1) / 2 + rest * (k + 1),
               square = p * k * (k + 1) * (2 * k + 1) / 6 + rest * (k + 1) * (k + 1);
        kit_init(&kit, "sojourn", "", (uint64_t)i + 1);
        struct aqm_view view = kit_view(10000);
        view.sojourn_ns = i * 100 * MS;
        uint64_t signals = kit_signals(&kit, view, PACKETS);
        if (p <= 0 || p >= 1)
            assert_int_equal(signals, p <= 0 ? 0 : PACKETS);
        else
            kit_assert_near((double)signals, PACKETS / mean,
                            sqrt(PACKETS * (square - mean * mean) / pow(mean, 3)));
        assert_int_equal(p < 1 ? aqm_setup_total(kit.setup).marked : aqm_setup_total(kit.setup).dropped,
                         signals);
        kit_fini(&kit);
    }
}

TEST(refuses_what_contradicts_itself)
{
    struct kit kit;
    assert_string_equal(kit_refusal(&kit, "sojourn", "low=1999000001"),
                        "high must be at least 1 ms more than low");
}

UNIT_MAIN(NULL, NULL)
