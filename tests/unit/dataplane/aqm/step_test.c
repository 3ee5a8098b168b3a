/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

/* The step is where it is said to be, at once both ways, whatever came before. */
TEST(all_or_none)
{
    static const struct {
        uint64_t backlog_octets;
        enum aqm_verdict expect;
    } rows[] = {{0, AQM_PASS},       {7999, AQM_PASS}, {8000, AQM_MARK},
                {1000000, AQM_MARK}, {7999, AQM_PASS}, {8000, AQM_MARK}};
    struct kit kit;
    kit_init(&kit, "step", "threshold=8000", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_view(rows[i].backlog_octets);
        assert_int_equal(kit_come(&kit, &view, (int64_t)i * MS), rows[i].expect);
        assert_int_equal(kit_leave(&kit, &view, (int64_t)i * MS), AQM_PASS);
        assert_true(kit.setup->ops->chance(kit.setup->law, (int64_t)rows[i].backlog_octets) ==
                    (rows[i].expect == AQM_MARK));
    }
    kit_fini(&kit);
}

/* Without ECN, or in front of a packet that cannot be marked, the signal is a drop. */
TEST(drops_where_it_cannot_mark)
{
    struct kit kit;
    struct aqm_view view = kit_view(8000);
    kit_init(&kit, "step", "threshold=8000 ecn=0", 1);
    assert_int_equal(kit_come(&kit, &view, 0), AQM_DROP);
    kit_fini(&kit);
    kit_init(&kit, "step", "threshold=8000", 1);
    view.ecn = AQM_ECN_NOT;
    assert_int_equal(kit_come(&kit, &view, 0), AQM_DROP);
    kit_fini(&kit);
}

TEST(wants_a_threshold)
{
    struct kit kit;
    assert_string_not_equal(kit_refusal(&kit, "step", "threshold=0"), "");
    assert_string_equal(kit_refusal(&kit, "step", "threshold=1"), "");
}

UNIT_MAIN(NULL, NULL)
