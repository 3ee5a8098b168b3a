/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/gone.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

#define TLLI 0x78000001u

static const struct msg_gone told = {
    .tlli = TLLI, .is_kept = true, .numbers = {.down = {3, 0, 0, 9}, .up = {510, 0, 0, 20}}};

/* Two T3310 (TS 24.008 table 11.3), and the places of 1024 phones. */
TEST(bounds)
{
    assert_int_equal(GONE_KEPT_NS, 30 * INT64_C(1000000000));
    assert_int_equal(GONE_PHONES, 1024);
}

/* The phone is gone at 0, and its worker says this. */
static struct gone gone_with(const struct msg_gone *llc)
{
    struct gone g = {0};
    gone_add(&g, TLLI, 0);
    gone_note(&g, llc);
    return g;
}

/* A phone in clear continues, also behind a few frames that were lost; all else begins again. */
TEST(goes_on)
{
    static const struct {
        struct gone_frame frame;
        int64_t now;
        bool is_kept, is_resumed;
    } rows[] = {
        {{TLLI, 1, 510}, GONE_KEPT_NS - 1, true, true},
        {{TLLI, 1, 510}, GONE_KEPT_NS, true, false},
        {{TLLI, 1, 510}, 0, false, false},
        {{TLLI + 1, 1, 510}, 0, true, false},
        {{TLLI, 1, 509}, 0, true, false},
        {{TLLI, 1, 0}, 0, true, true},
        {{TLLI, 1, 61}, 0, true, true},
        {{TLLI, 1, 62}, 0, true, false},
        {{TLLI, 7, 20}, 0, true, true},
        {{TLLI, 7, 510}, 0, true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct msg_gone llc = told;
        uint16_t down[MS_SAPIS] = {0};
        llc.is_kept = rows[i].is_kept;
        struct gone g = gone_with(&llc);
        if (gone_resume(&g, &rows[i].frame, down, rows[i].now) != rows[i].is_resumed)
            fail_msg("row %zu: not %d", i, rows[i].is_resumed);
        assert_true(down[0] == (rows[i].is_resumed ? 3 : 0) && down[3] == (rows[i].is_resumed ? 9 : 0));
        assert_int_equal(g.resumed, rows[i].is_resumed);
        assert_false(gone_resume(&g, &rows[i].frame, down, rows[i].now)); /* once */
    }
}

/* Numbers of who was not entered, or has entered again since, are not taken. */
TEST(answers_are_to_ends)
{
    const struct gone_frame frame = {TLLI, 1, 510};
    uint16_t down[MS_SAPIS];
    struct gone g = {0};
    gone_note(&g, &told);
    assert_false(gone_resume(&g, &frame, down, 0));
    g = gone_with(&told);
    gone_add(&g, TLLI, 1);
    assert_false(gone_resume(&g, &frame, down, 1));
    assert_int_equal(g.displaced, 0);
    struct msg_gone second = told;
    second.numbers.up[0] = 100;
    g = gone_with(&told);
    gone_note(&g, &second); /* of its end before */
    assert_true(gone_resume(&g, &frame, down, 0));
}

/* The number of phones from TLLI on that are entered before one that has the place of the first. */
static uint32_t until_displaced(struct gone *g, int64_t now)
{
    for (uint32_t i = 1; i <= 2 * GONE_PHONES; i++) {
        struct gone before = *g;
        gone_add(g, TLLI + i, now);
        if (g->displaced > before.displaced)
            return i;
        *g = before;
    }
    return 0;
}

/* Who comes into the place of a phone whose time is over displaces no phone. */
TEST(displaced)
{
    struct gone g = gone_with(&told);
    uint32_t other = until_displaced(&g, GONE_KEPT_NS - 1);
    assert_int_not_equal(other, 0);
    g = gone_with(&told);
    gone_add(&g, TLLI + other, GONE_KEPT_NS);
    assert_int_equal(g.displaced, 0);
    gone_add(&g, TLLI, GONE_KEPT_NS);
    assert_int_equal(g.displaced, 1);
}

/* Memory is bounded: of more phones than there are places the latest stay, and the others are counted. */
TEST(places)
{
    struct gone g = {0};
    uint16_t down[MS_SAPIS];
    for (uint32_t i = 0; i < 2 * GONE_PHONES; i++) {
        struct msg_gone llc = told;
        llc.tlli = TLLI + i;
        gone_add(&g, llc.tlli, i);
        gone_note(&g, &llc);
    }
    for (uint32_t i = 0; i < 2 * GONE_PHONES; i++)
        (void)gone_resume(&g, &(struct gone_frame){TLLI + i, 1, 510}, down, GONE_PHONES);
    assert_in_range(g.resumed, GONE_PHONES / 2, GONE_PHONES);
    assert_int_equal(g.resumed + g.displaced, 2 * GONE_PHONES);
    gone_add(&g, TLLI, 0);
    gone_add(&g, TLLI + 1, 0);
    assert_int_equal(g.resumed + g.displaced, 2 * GONE_PHONES);
}

/* Neither is a start old to a phone that has reset, nor 0 to one that has had an attach since; and none is
 * within a window of the two before it. */
TEST(starts)
{
    struct gone g = {.starts = UINT32_MAX - 500};
    struct llc_entity before = {0};
    unsigned last[2] = {0};
    for (unsigned i = 0; i < 1000; i++) {
        unsigned start = gone_start(&g);
        assert_in_range(start, 2 * LLC_ENTITY_WINDOW, LLC_ENTITY_NU_MODULUS - 4 * LLC_ENTITY_WINDOW - 1);
        assert_int_equal(llc_entity_count(&before, (uint16_t)start), start);
        for (unsigned k = 0; k < 2; k++)
            assert_true(abs((int)(start - last[k])) > LLC_ENTITY_WINDOW);
        last[i % 2] = start;
    }
}

UNIT_MAIN(NULL, NULL)
