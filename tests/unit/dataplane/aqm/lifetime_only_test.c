/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

TEST(drops_what_is_too_old)
{
    static const struct {
        int64_t left_ns;
        enum aqm_verdict expect;
    } rows[] = {{MOMENT_NEVER, AQM_PASS}, {1, AQM_PASS}, {0, AQM_PASS}, {-1, AQM_DROP}};
    struct kit kit;
    kit_init(&kit, "lifetime_only", "", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_view(1000000000);
        view.left_ns = rows[i].left_ns;
        assert_int_equal(kit_come(&kit, &view, 0), AQM_PASS);
        assert_int_equal(kit_leave(&kit, &view, 0), rows[i].expect);
    }
    kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
