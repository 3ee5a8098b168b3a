/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/n_pdu.h"
#include "tests/unit/unit.h"

static const struct {
    const char *name;
    int qclass;
} rows[] = {
    {"signalling", QCLASS_SIGNALLING},
    {"sms", QCLASS_SMS},
    {"conversational", QCLASS_CONVERSATIONAL},
    {"streaming", QCLASS_STREAMING},
    {"thp1", QCLASS_THP1},
    {"thp2", QCLASS_THP2},
    {"thp3", QCLASS_THP3},
    {"background", QCLASS_BACKGROUND},
};

#define ROWS (sizeof rows / sizeof rows[0])

TEST(names_both_ways)
{
    assert_int_equal(ROWS, QCLASS_COUNT);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(rows[i].qclass, i); /* order of precedence */
        assert_string_equal(qclass_name((enum qclass)rows[i].qclass), rows[i].name);
        assert_int_equal(qclass_from_name(rows[i].name), rows[i].qclass);
    }
}

TEST(what_is_none_of_them)
{
    static const char *const strangers[] = {"",     "?",          "thp",  "thp4",
                                            "THP1", "streaming ", " sms", "backgroun"};
    static const int outside[] = {QCLASS_COUNT, 255, -1, INT32_MIN};
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        assert_int_equal(qclass_from_name(strangers[i]), -1);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        assert_string_equal(qclass_name((enum qclass)outside[i]), "?");
}

UNIT_MAIN(NULL, NULL)
