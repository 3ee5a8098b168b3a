/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static void drops_what_is_too_old(void **state)
{
    static const struct {
        int64_t left_ns;
        enum aqm_verdict expect;
    } rows[] = {{MOMENT_NEVER, AQM_PASS}, {1, AQM_PASS}, {0, AQM_PASS}, {-1, AQM_DROP}};
    struct kit kit;
    kit_init(&kit, "lifetime_only", "", 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct aqm_view view = kit_view(1000000000);
        view.left_ns = rows[i].left_ns;
        assert_int_equal(kit_come(&kit, &view, 0), AQM_PASS);
        assert_int_equal(kit_leave(&kit, &view, 0), rows[i].expect);
    }
    kit_fini(&kit);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(drops_what_is_too_old)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
