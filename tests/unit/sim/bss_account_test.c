/* SPDX-License-Identifier: BSD-3-Clause */
/* The BSS's books: every way in which an N-PDU ends, and numbers that come again. */
#include "sim/bss_account.h"
#include "sim/gb_wire.h"

#include "tests/unit/sim/segment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

enum what { END, DOWN, DISCARD, DELIVERED };

struct step {
    enum what what;
    uint16_t number, index;
    bool more;
    enum bss_account_end end; /* of a discard */
};

struct row {
    const char *name;
    struct step steps[8];
    uint64_t in, out, queued, dropped[BSS_ACCOUNT_ENDS];
};

#define LIFETIME BSS_ACCOUNT_LIFETIME
#define FULL     BSS_ACCOUNT_FULL
#define OTHER    BSS_ACCOUNT_OTHER

static const struct row rows[] = {
    {"waits", {{DOWN, 3, 0, false, 0}}, 1, 0, 1, {0}},
    {"arrives", {{DOWN, 3, 0, false, 0}, {DELIVERED, 3, 0, false, 0}}, 1, 1, 0, {0}},
    ROW("arrives in two segments",
        {{DOWN, 3, 0, true, 0}, {DOWN, 3, 1, false, 0}, {DELIVERED, 3, 0, false, 0}}, 1, 1, 0, {0}),
    {"too old", {{DOWN, 3, 0, false, 0}, {DISCARD, 3, 0, false, LIFETIME}}, 1, 0, 0, {1, 0, 0, 0}},
    {"no room", {{DOWN, 3, 0, false, 0}, {DISCARD, 3, 0, false, FULL}}, 1, 0, 0, {0, 1, 0, 0}},
    {"otherwise", {{DOWN, 3, 0, false, 0}, {DISCARD, 3, 0, false, OTHER}}, 1, 0, 0, {0, 0, 1, 0}},
    ROW("each segment dies, one N-PDU",
        LIST({DOWN, 3, 0, true, 0}, {DOWN, 3, 1, true, 0}, {DOWN, 3, 2, false, 0},
             {DISCARD, 3, 0, true, LIFETIME}, {DISCARD, 3, 1, true, LIFETIME}, {DISCARD, 3, 2, false, FULL}),
        1, 0, 0, {1, 0, 0, 0}),
    ROW("a later segment dies",
        {{DOWN, 3, 0, true, 0}, {DOWN, 3, 1, false, 0}, {DISCARD, 3, 1, false, LIFETIME}}, 1, 0, 0,
        {1, 0, 0, 0}),
    {"given up midway", {{DOWN, 3, 0, true, 0}, {DOWN, 4, 0, false, 0}}, 2, 0, 1, {0, 0, 0, 1}},
    ROW("dead, then given up midway",
        {{DOWN, 3, 0, true, 0}, {DISCARD, 3, 0, true, FULL}, {DOWN, 4, 0, false, 0}}, 2, 0, 1, {0, 1, 0, 0}),
    {"of nobody", {{DISCARD, 3, 0, false, FULL}, {DELIVERED, 4, 0, false, 0}}, 0, 0, 0, {0}},
    ROW("the number again after death",
        LIST({DOWN, 3, 0, false, 0}, {DISCARD, 3, 0, false, FULL}, {DOWN, 3, 0, false, 0},
             {DELIVERED, 3, 0, false, 0}),
        2, 1, 0, {0, 1, 0, 0}),
    ROW("the number again after death, and again dead",
        LIST({DOWN, 3, 0, false, 0}, {DISCARD, 3, 0, false, FULL}, {DOWN, 3, 0, true, 0},
             {DOWN, 3, 1, false, 0}, {DISCARD, 3, 1, false, LIFETIME}),
        2, 0, 0, {1, 1, 0, 0}),
    ROW("the younger of a number dead, and given up",
        LIST({DOWN, 3, 0, false, 0}, {DOWN, 3, 0, true, 0}, {DISCARD, 3, 0, true, FULL},
             {DOWN, 4, 0, false, 0}, {DELIVERED, 3, 0, false, 0}),
        3, 1, 1, {0, 1, 0, 0}),
    ROW("of three of a number the first dies, and a part of the last",
        LIST({DOWN, 3, 0, false, 0}, {DOWN, 3, 0, false, 0}, {DOWN, 3, 0, true, 0}, {DOWN, 3, 1, false, 0},
             {DISCARD, 3, 0, false, LIFETIME}, {DELIVERED, 3, 0, false, 0}, {DISCARD, 3, 1, false, LIFETIME}),
        3, 1, 0, {2, 0, 0, 0}),
    ROW("the number beside a dead one lives",
        LIST({DOWN, 3, 0, true, 0}, {DISCARD, 3, 0, true, FULL}, {DOWN, 4, 0, true, 0},
             {DOWN, 4, 1, false, 0}, {DISCARD, 4, 1, false, LIFETIME}),
        2, 0, 0, {1, 1, 0, 0}),
    ROW("the number beside a live one stays dead",
        LIST({DOWN, 3, 0, false, 0}, {DOWN, 3, 0, true, 0}, {DISCARD, 3, 0, true, FULL},
             {DOWN, 4, 0, false, 0}, {DISCARD, 3, 1, false, LIFETIME}, {DELIVERED, 3, 0, false, 0}),
        3, 1, 1, {0, 1, 0, 0}),
    ROW("two of a number under way",
        LIST({DOWN, 3, 0, false, 0}, {DOWN, 3, 0, false, 0}, {DELIVERED, 3, 0, false, 0},
             {DELIVERED, 3, 0, false, 0}),
        2, 2, 0, {0}),
    ROW("two of a number die, segment by segment",
        LIST({DOWN, 3, 0, true, 0}, {DOWN, 3, 1, false, 0}, {DOWN, 3, 0, false, 0},
             {DISCARD, 3, 0, true, LIFETIME}, {DISCARD, 3, 1, false, LIFETIME}, {DISCARD, 3, 0, false, FULL}),
        2, 0, 0, {1, 1, 0, 0}),
};

static void do_step(struct bss_account *a, const struct step *step)
{
    static const uint8_t data[10];
    uint8_t frame[SEGMENT_FRAME_OCTETS];
    struct segment segment = {.number = step->number,
                              .index = (uint8_t)step->index,
                              .more = step->more,
                              .data = data,
                              .octets = sizeof(data)};
    size_t octets = segment_put(frame, &segment);
    if (step->what == DOWN)
        bss_account_down(a, frame, octets);
    else if (step->what == DISCARD)
        bss_account_discard(a, frame, octets, step->end);
    else
        bss_account_delivered(a, step->number);
}

static void assert_balance(const struct bss_account *a)
{
    uint64_t gone = a->out + bss_account_queued(a);
    for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
        gone += a->dropped[end];
    assert_int_equal(a->in, gone);
}

TEST(keeps_books)
{
    struct bss_account a = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        print_message("%s\n", rows[i].name);
        for (const struct step *step = rows[i].steps; step->what != END; step++) {
            do_step(&a, step);
            assert_balance(&a);
        }
        assert_int_equal(a.in, rows[i].in);
        assert_int_equal(a.out, rows[i].out);
        assert_int_equal(bss_account_queued(&a), rows[i].queued);
        assert_memory_equal(a.dropped, rows[i].dropped, sizeof(a.dropped));
        bss_account_fini(&a);
    }
}

/* I frames count one by one, each repetition again; what is no I frame is no matter of theirs. */
TEST(frames_of_acknowledged_mode)
{
    static const uint8_t i_frame[] = {0x43, 0x00, 0x00, 0x00, 1, 2, 3, 4, 5},
                         s_frame[] = {0x43, 0x80, 0, 1, 2, 3};
    static const uint8_t ui_frame[] = {0x43, 0xc0, 0x01, 0x65, 0, 0, 1, 1, 2, 3};
    struct bss_account a = {0};
    for (unsigned i = 0; i < 3; i++)
        bss_account_down(&a, i_frame, sizeof(i_frame));
    bss_account_down(&a, s_frame, sizeof(s_frame));
    bss_account_frame_delivered(&a, i_frame, sizeof(i_frame));
    bss_account_frame_delivered(&a, s_frame, sizeof(s_frame));
    bss_account_discard(&a, i_frame, sizeof(i_frame), BSS_ACCOUNT_RLC);
    assert_balance(&a);
    bss_account_down(&a, ui_frame, sizeof(ui_frame));
    bss_account_frame_delivered(&a, ui_frame, sizeof(ui_frame));
    assert_balance(&a);
    assert_int_equal(a.in, 4);
    assert_int_equal(a.out, 1);
    assert_int_equal(a.dropped[BSS_ACCOUNT_RLC], 1);
    assert_int_equal(bss_account_queued(&a), 2);
    bss_account_fini(&a);
}

/* Twice round all numbers with five under way; each third dies. */
TEST(numbers_wrap)
{
    struct bss_account a = {0};
    for (unsigned i = 0; i < 2 * 4096 + 5; i++) {
        do_step(&a, &(struct step){.what = DOWN, .number = (uint16_t)(i % 4096)});
        if (i < 5)
            continue;
        bool dies = i % 3 == 0;
        do_step(&a, &(struct step){.what = dies ? DISCARD : DELIVERED, .number = (uint16_t)((i - 5) % 4096)});
        assert_int_equal(bss_account_queued(&a), 5);
    }
    assert_int_equal(a.in, 2 * 4096 + 5);
    assert_int_equal(a.dropped[LIFETIME], 2731);
    assert_balance(&a);
    bss_account_fini(&a);
}

/* Frames without users' packets are no N-PDUs. */
TEST(others_do_not_count)
{
    struct bss_account a = {0};
    /* GMM; SAPI 3 and nothing; not LLC; an XID frame whose information could be a segment. */
    static const uint8_t frames[][12] = {
        {0x41, 0xc0, 0x01}, {0x43, 0xc0}, {0xc3, 0xc0, 0x01}, {0x43, 0xeb, 0x65, 0, 0, 3, 0, 0, 0, 0, 0, 0}};
    for (size_t i = 0; i < COUNT(frames); i++)
        for (size_t octets = 0; octets <= sizeof(frames[i]); octets++) {
            bss_account_down(&a, frames[i], octets);
            bss_account_discard(&a, frames[i], octets, OTHER);
        }
    assert_int_equal(a.in + a.dropped[OTHER] + bss_account_queued(&a), 0);
    bss_account_fini(&a);
}

UNIT_MAIN(NULL, NULL)
