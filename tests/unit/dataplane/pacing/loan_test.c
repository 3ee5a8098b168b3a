/* SPDX-License-Identifier: BSD-3-Clause */
/* Loans of mobiles that begin: after which time, how much, and until when. */
#include "dataplane/base/moment.h"
#include "dataplane/pacing/hold.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdint.h>

#define MSS      1000
#define MS_NS    INT64_C(1000000)
#define START_NS MOMENT_SECOND

TEST(begins)
{
    static const struct {
        uint64_t share_bps;
        int64_t wait_ms; /* -1: never an octet before */
        uint32_t octets;
    } rows[] = {
        {32000, 799, 0},  {32000, 800, 6000}, {32000, -1, 6000},       /* 16 kB in 4 s */
        {9600, 1666, 0},  {9600, 1667, 4800}, {8000, 2000, 4000},      /* two packets take longer */
        {7999, 60000, 0}, {0, 60000, 0},      {1000000000, 800, 6000}, /* too little for four packets */
    };
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pacing_loan loan = {0};
        int64_t now = START_NS;
        if (rows[i].wait_ms >= 0) {
            pacing_loan_use(&loan, MSS, now);
            now += rows[i].wait_ms * MS_NS;
        }
        pacing_loan_ask(&loan, rows[i].share_bps, MSS, now);
        if (loan.left_octets != rows[i].octets)
            fail_msg("row %u: %u octets", i, loan.left_octets);
    }
}

/* Further requests of the page begin none; octets use it up. */
TEST(ends)
{
    struct pacing_loan loan = {0};
    pacing_loan_ask(&loan, 32000, MSS, START_NS);
    pacing_loan_use(&loan, 2 * MSS, START_NS + 700 * MS_NS);
    assert_int_equal(loan.left_octets, 4 * MSS);
    pacing_loan_ask(&loan, 32000, MSS, START_NS + 1400 * MS_NS);
    assert_int_equal(loan.left_octets, 4 * MSS);
    pacing_loan_use(&loan, 4 * MSS + 1, START_NS + 1400 * MS_NS);
    assert_int_equal(loan.left_octets, 0);
    pacing_loan_ask(&loan, 32000, MSS, START_NS + 2200 * MS_NS);
    assert_int_equal(loan.left_octets, 6 * MSS);
}

UNIT_MAIN(NULL, NULL)
