/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/aqm/kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

TEST(drops_what_does_not_fit)
{
    static const struct {
        uint64_t octets;
        uint32_t pkts, size;
        enum aqm_verdict expect;
    } rows[] = {{0, 0, 10000, AQM_PASS},  {0, 0, 10001, AQM_DROP},   {9500, 1, 500, AQM_PASS},
                {9501, 1, 500, AQM_DROP}, {9500, 19, 500, AQM_PASS}, {9500, 20, 500, AQM_DROP},
                {0, 20, 1, AQM_DROP}};
    struct kit kit;
    kit_init(&kit, "tail_drop", "limit_octets=10000 limit_packets=20", 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct aqm_view view = kit_view(rows[i].octets);
        view.backlog_pkts = rows[i].pkts;
        view.octets = rows[i].size;
        assert_int_equal(kit_come(&kit, &view, 0), rows[i].expect);
        assert_int_equal(kit_leave(&kit, &view, 0), AQM_PASS);
    }
    kit_fini(&kit);
}

UNIT_MAIN(NULL, NULL)
