/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/flow_queue.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#define MS       INT64_C(1000000)
#define CS       INT64_C(10000000)
#define S        INT64_C(1000000000)
#define NEVER    MOMENT_NEVER
#define INFINITE LIFETIME_INFINITE_CS

static const struct {
    struct lifetime lifetime; /* mode, sgsn_max, bss_min, bss_max */
    int64_t max_age_ns;
} ages[] = {
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 15 * S},        {{LIFETIME_SPLIT, 15 * S, 2 * S, NEVER}, 13 * S},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 13 * S},    {{LIFETIME_SPLIT, 15 * S, 15 * S, 20 * S}, 0},
    {{LIFETIME_SPLIT, 15 * S, 15 * S - 1, 20 * S}, 1},   {{LIFETIME_SPLIT, NEVER, 2 * S, 5 * S}, NEVER},
    {{LIFETIME_SPLIT, NEVER, 0, NEVER}, NEVER},          {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 15 * S},
    {{LIFETIME_SGSN_ONLY, NEVER, 2 * S, 5 * S}, NEVER},  {{LIFETIME_SGSN_ONLY, 0, 0, NEVER}, 0},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 15 * S}, {{LIFETIME_PER_NODE, NEVER, 2 * S, 5 * S}, NEVER},
};

TEST(greatest_age)
{
    for (size_t i = 0; i < COUNT(ages); i++)
        if (lifetime_max_age_ns(&ages[i].lifetime) != ages[i].max_age_ns)
            fail_msg("row %zu: %lld", i, (long long)lifetime_max_age_ns(&ages[i].lifetime));
}

static const struct {
    struct lifetime lifetime;
    int64_t age_ns;
    uint16_t pdu_cs;
} rows[] = {
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 0, 1500},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 1, 1499},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, CS, 1499},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, CS + 1, 1498},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 14995 * MS, 0},
    {{LIFETIME_SPLIT, 15 * S, 0, NEVER}, 15 * S, 0},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, NEVER}, 13 * S, 200},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 0, 500},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 10 * S, 500},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 10 * S + 1, 499},
    {{LIFETIME_SPLIT, 15 * S, 2 * S, 5 * S}, 13 * S, 200},
    {{LIFETIME_SPLIT, NEVER, 2 * S, 5 * S}, 1000 * S, 500},
    {{LIFETIME_SPLIT, NEVER, 0, NEVER}, 1000 * S, INFINITE},
    {{LIFETIME_SPLIT, 65534 * CS, 0, NEVER}, 0, 65534},
    {{LIFETIME_SPLIT, 65535 * CS, 0, NEVER}, 0, 65534}, /* finite, so never the code for infinite */
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 0, 65534},
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 2 * CS, 65534},
    {{LIFETIME_SPLIT, 65536 * CS, 0, NEVER}, 3 * CS, 65533},
    {{LIFETIME_SPLIT, NEVER - 1, 0, NEVER}, 0, 65534},
    {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 0, INFINITE},
    {{LIFETIME_SGSN_ONLY, 15 * S, 2 * S, 5 * S}, 15 * S, INFINITE},
    {{LIFETIME_SGSN_ONLY, NEVER, 0, NEVER}, 0, INFINITE},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 0, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S}, 15 * S, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 5 * S + CS - 1}, 0, 500},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, NEVER}, 15 * S, INFINITE},
    {{LIFETIME_PER_NODE, 15 * S, 2 * S, 1000 * S}, 0, 65534},
    {{LIFETIME_PER_NODE, NEVER, 0, 5 * S}, 1000 * S, 500},
};

TEST(what_the_bss_is_told)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        if (lifetime_pdu_cs(&rows[i].lifetime, rows[i].age_ns) != rows[i].pdu_cs)
            fail_msg("row %zu: %u", i, lifetime_pdu_cs(&rows[i].lifetime, rows[i].age_ns));
}

/* Whatever leaves under split has bss_min left; when sgsn_max has no room for that, nothing may leave. */
TEST(nothing_leaves_with_less_than_bss_min)
{
    static const struct lifetime split[] = {
        {LIFETIME_SPLIT, 15 * S, 2 * S, NEVER},
        {LIFETIME_SPLIT, 2 * S, 2 * S, NEVER},
        {LIFETIME_SPLIT, 1 * S, 2 * S, NEVER},
    };
    for (size_t i = 0; i < COUNT(split); i++) {
        int64_t age_ns = lifetime_max_age_ns(&split[i]);
        if (age_ns >= 0 && split[i].sgsn_max_ns - age_ns < split[i].bss_min_ns)
            fail_msg("row %zu: may leave at age %lld with too little left", i, (long long)age_ns);
    }
}

UNIT_MAIN(NULL, NULL)
