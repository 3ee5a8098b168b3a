/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"

#define PUT  'p'
#define TAKE 't'

/* Puts and takes in every pattern that empties and refills a list; what comes out is counted up from 0. */
static const char *const scripts[] = {
    "t", "ptt", "pttpt", "pppttt", "ppptttppptttt", "pptpptpptttttt", "ptptptptptptpt",
};

static void walk(const char *script)
{
    struct n_pdu n_pdus[16] = {0};
    struct n_pdu_list list = {0};
    size_t in = 0, out = 0;
    for (; *script; script++) {
        if (*script == PUT) {
            n_pdus[in].next = &n_pdus[15]; /* a link of an earlier life */
            n_pdu_list_put(&list, &n_pdus[in++]);
        } else if (in == out) {
            assert_null(n_pdu_list_take(&list));
        } else {
            assert_ptr_equal(n_pdu_list_take(&list), &n_pdus[out++]);
        }
    }
}

TEST(first_in_first_out)
{
    for (size_t i = 0; i < COUNT(scripts); i++)
        walk(scripts[i]);
}

TEST(the_last_one_has_no_next)
{
    struct n_pdu a = {.next = &a}, b = {.next = &a};
    struct n_pdu_list list = {0};
    n_pdu_list_put(&list, &a);
    assert_null(a.next);
    n_pdu_list_put(&list, &b);
    assert_ptr_equal(a.next, &b);
    assert_null(b.next);
    assert_ptr_equal(list.head, &a);
    assert_ptr_equal(list.last, &b);
}

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

#define ROWS (COUNT(rows))

TEST(names_both_ways)
{
    assert_int_equal(ROWS, QCLASS_COUNT);
    for (size_t i = 0; i < ROWS; i++) {
        assert_int_equal(rows[i].qclass, i); /* order of precedence */
        assert_string_equal(n_pdu_qclass_name((enum qclass)rows[i].qclass), rows[i].name);
        assert_int_equal(n_pdu_qclass_from_name(rows[i].name), rows[i].qclass);
    }
}

TEST(what_is_none_of_them)
{
    static const char *const strangers[] = {"",     "?",          "thp",  "thp4",
                                            "THP1", "streaming ", " sms", "backgroun"};
    static const int outside[] = {QCLASS_COUNT, 255, -1, INT32_MIN};
    for (size_t i = 0; i < COUNT(strangers); i++)
        assert_int_equal(n_pdu_qclass_from_name(strangers[i]), -1);
    for (size_t i = 0; i < COUNT(outside); i++)
        assert_string_equal(n_pdu_qclass_name((enum qclass)outside[i]), "?");
}

UNIT_MAIN(NULL, NULL)
