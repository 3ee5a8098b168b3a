/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's offer of compression: its octets, its repetitions, and answers of the SGSN. */
#include "sim/ms_offer.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "sim/ms_compression.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { SAPI = 3, NSAPI = 5, FRAME_OCTETS = 128, N200 = 3, ITEM = 4 };

#define T200_NS (5 * MOMENT_SECOND)

static const struct compression_settings both = {
    .entities = 1, .slots = 16, .codewords = 2048, .string_octets = 20, .directions = 3};

struct phone {
    struct ms_stack stack;
    unsigned frames;
    size_t octets;
    uint8_t frame[FRAME_OCTETS];
};

static void notes(void *arg, const uint8_t *llc_pdu, size_t octets)
{
    struct phone *p = arg;
    assert_true(octets <= sizeof(p->frame));
    memcpy(p->frame, llc_pdu, octets);
    p->octets = octets;
    p->frames++;
}

static void begin(struct phone *p, const struct compression_settings *settings)
{
    *p = (struct phone){.stack = {.sapi = SAPI, .nsapi = NSAPI, .n201_u = 500}};
    ms_offer_begin(&p->stack, settings, 0);
}

static void end(struct phone *p)
{
    ms_stack_fini(&p->stack);
}

static void step(struct phone *p, int64_t now)
{
    ms_stack_step(&p->stack, notes, p, now);
}

/* XID of the SGSN with SNDCP's block. */
static void answer(struct phone *p, bool is_command, const uint8_t *block, size_t octets)
{
    uint8_t frame[FRAME_OCTETS] = {is_command ? 0x43 : 0x03, 0xfb, (uint8_t)(0xac | octets >> 6),
                                   (uint8_t)(octets << 2)};
    size_t n_pdu_octets, at = ITEM + octets;
    uint16_t number;
    memcpy(frame + ITEM, block, octets);
    llc_fcs_put(frame + at, llc_fcs(frame, at));
    assert_null(
        ms_stack_receive(&p->stack, frame, at + LLC_FCS_OCTETS, &n_pdu_octets, &number, MOMENT_SECOND));
}

#define ANSWER(p, ...)                                                                                       \
    answer(p, false, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

/* Version; V.42bis entity 1, DCOMP 1, P0 3, P1 2048, P2 20; RFC 1144 entity 0, PCOMP 1 and 2, 16 slots. */
TEST_IN(octets_of_the_offer, struct phone, p, begin(p, &both), end(p))
{
    static const uint8_t expected[] = {0x03, 0xfb, 0xac, 0x60, 0,    1, 0,    1,   0x0a, 0x81,
                                       0,    7,    0x10, 0,    0x20, 3, 8,    0,   0x14, 2,
                                       7,    0x80, 0,    4,    0x12, 0, 0x20, 0x0f};
    assert_int_equal(ms_stack_due_ns(&p->stack), 0);
    step(p, 0);
    assert_int_equal(p->octets, sizeof(expected) + LLC_FCS_OCTETS);
    assert_memory_equal(p->frame, expected, sizeof(expected));
    assert_int_equal(llc_fcs(p->frame, sizeof(expected)), llc_fcs_get(p->frame + sizeof(expected)));
}

TEST_IN(repeated_and_given_up, struct phone, p, begin(p, &both), end(p))
{
    for (int64_t due_ns; (due_ns = ms_stack_due_ns(&p->stack)) != MOMENT_NEVER;) {
        assert_int_equal(due_ns, p->frames * T200_NS);
        step(p, due_ns - 1);
        step(p, due_ns);
    }
    assert_int_equal(p->frames, 1 + N200);
    assert_int_equal(p->stack.offer.asked, 1 + N200);
    assert_int_equal(p->stack.offer.unanswered, 1);
    ms_stack_reset(&p->stack, 99 * T200_NS);
    assert_int_equal(ms_stack_due_ns(&p->stack), 99 * T200_NS);
}

/* While the radio has not sent it, it is not repeated. */
TEST_IN(pauses, struct phone, p, begin(p, &both), end(p))
{
    step(p, 0);
    ms_stack_pause(&p->stack, T200_NS - 1);
    assert_int_equal(ms_stack_due_ns(&p->stack), T200_NS);
    ms_stack_pause(&p->stack, T200_NS);
    step(p, T200_NS);
    assert_int_equal(p->frames, 1);
    assert_int_equal(ms_stack_due_ns(&p->stack), 2 * T200_NS);
}

static void check(const struct phone *p, unsigned accepted, unsigned refused)
{
    assert_int_equal(p->stack.offer.accepted, accepted);
    assert_int_equal(p->stack.offer.refused, refused);
    assert_int_equal(p->stack.offer.unanswered + p->stack.bad_frames, 0);
    assert_int_equal(ms_stack_due_ns(&p->stack), MOMENT_NEVER);
}

TEST_IN(both_are_accepted_and_reduced, struct phone, p, begin(p, &both), end(p))
{
    step(p, 0);
    ANSWER(p, 0, 1, 0, 1, 8, 1, 6, 0, 0x20, 2, 2, 0, 0x14, 2, 5, 0, 3, 0, 0x20, 7);
    check(p, 2, 0);
    ms_offer_end(&p->stack);
    ms_stack_reset(&p->stack, T200_NS);
    assert_int_equal(ms_stack_due_ns(&p->stack), MOMENT_NEVER);
}

TEST_IN(without_nsapis_it_is_refused, struct phone, p, begin(p, &both), end(p))
{
    step(p, 0);
    ANSWER(p, 0, 1, 0, 1, 8, 1, 6, 0, 0, 3, 8, 0, 0x14, 2, 5, 0, 3, 0, 0, 0x0f);
    check(p, 0, 2);
}

/* Parameters that are left out are as offered; more slots than offered are refused. */
TEST_IN(one_of_two, struct phone, p, begin(p, &both), end(p))
{
    step(p, 0);
    ANSWER(p, 0, 1, 0, 1, 4, 1, 2, 0, 0x20, 2, 5, 0, 3, 0, 0x20, 16);
    check(p, 1, 1);
    ANSWER(p, 0, 1, 0); /* to a repetition */
    check(p, 1, 1);
}

TEST_IN(unanswered_in_the_answer, struct phone, p, begin(p, &both), end(p))
{
    step(p, 0);
    ANSWER(p, 0, 1, 0);
    check(p, 0, 2);
}

/* A command of the SGSN, and an answer before the offer, are none. */
TEST_IN(no_answer, struct phone, p, begin(p, &both), end(p))
{
    static const uint8_t block[] = {0, 1, 0};
    ANSWER(p, 0, 1, 0);
    assert_int_equal(p->stack.bad_frames, 1);
    step(p, 0);
    answer(p, true, block, sizeof(block));
    assert_int_equal(p->stack.bad_frames, 2);
    assert_int_equal(p->stack.offer.refused, 0);
}

/* --- proposals of the SGSN --- */

static void check_answer(struct phone *p, const uint8_t *block, size_t octets, const uint8_t *expected,
                         size_t expected_octets)
{
    uint8_t out[MS_OFFER_ANSWER_OCTETS];
    assert_int_equal(ms_offer_answer(&p->stack, block, octets, out), expected_octets);
    assert_memory_equal(out, expected, expected_octets);
}

#define BLOCK(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* RFC 1144 with 32 slots for two NSAPIs: 16 slots for its own; then the entity ends; ROHC is refused. */
TEST_IN(proposals, struct phone, p, begin(p, &both), end(p))
{
    check_answer(p, BLOCK(0, 1, 0, 2, 7, 0x82, 0, 4, 0x34, 0, 0x60, 31),
                 BLOCK(0, 1, 0, 2, 5, 2, 3, 0, 0x20, 15));
    check_answer(p, BLOCK(2, 4, 2, 2, 0, 0), BLOCK(2, 4, 2, 2, 0, 0));
    check_answer(p, BLOCK(2, 10, 0x83, 2, 7, 0x12, 0, 0x20, 0, 15, 0, 168), BLOCK(2, 4, 3, 2, 0, 0));
    check_answer(p, BLOCK(1, 10, 0x81, 0, 7, 0x10, 0, 0x20, 1, 2, 0, 6),
                 BLOCK(1, 8, 1, 6, 0, 0x20, 1, 2, 0, 6));
    assert_int_equal(ms_offer_answer(&p->stack, p->frame, 0, (uint8_t[MS_OFFER_ANSWER_OCTETS]){0}), 0);
}

int main(void)
{
    llc_fcs_init();
    return UNIT_RUN(NULL, NULL);
}
