/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/n_pdu.h"
#include "tests/unit/unit.h"

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
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
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

UNIT_MAIN(NULL, NULL)
