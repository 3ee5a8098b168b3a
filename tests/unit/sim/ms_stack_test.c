/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's LLC and SNDCP: what it puts together, what it refuses, what it sends. */
#include "sim/ms_stack.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "tests/unit/sim/segment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#define STEPS 6

static uint8_t data[2000];

static struct ms_stack fresh(uint16_t n201_u)
{
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (uint8_t)(i * 7 + i / 256);
    return (struct ms_stack){.sapi = 3, .nsapi = 5, .n201_u = n201_u};
}

/* --- receiving --- */

struct step {
    uint16_t nu, number, index;
    bool more;
    enum segment_fault fault;
    uint16_t octets; /* 0: ten; 1 ends: this step whole */
    uint16_t whole;  /* octets of the N-PDU that is now complete, 0: none */
};

struct row {
    const char *name;
    struct step steps[STEPS];
    unsigned count, npdus, holes, bad;
};

#define GOOD SEGMENT_GOOD

static const struct row rows[] = {
    {"one segment", {{0, 0, 0, false, GOOD, 20, 20}}, 1, 1, 0, 0},
    ROW("three", {{0, 9, 0, true, GOOD, 0, 0}, {1, 9, 1, true, GOOD, 0, 0}, {2, 9, 2, false, GOOD, 5, 25}}, 3,
        1, 0, 0),
    ROW("numbers wrap",
        {{511, 4095, 0, false, GOOD, 0, 10}, {0, 0, 0, true, GOOD, 0, 0}, {1, 0, 1, false, GOOD, 0, 20}}, 3,
        2, 0, 0),
    {"the middle is missing", {{0, 1, 0, true, GOOD, 0, 0}, {2, 1, 2, false, GOOD, 0, 0}}, 2, 0, 1, 0},
    {"the first is missing", {{1, 1, 1, true, GOOD, 0, 0}, {2, 1, 2, false, GOOD, 0, 0}}, 2, 0, 0, 0},
    ROW("the last is missing, another follows", {{0, 1, 0, true, GOOD, 0, 0}, {2, 2, 0, false, GOOD, 12, 12}},
        2, 1, 1, 0),
    {"another N-PDU's segment", {{0, 1, 0, true, GOOD, 0, 0}, {1, 2, 1, false, GOOD, 0, 0}}, 2, 0, 1, 0},
    ROW("first twice",
        {{0, 1, 0, true, GOOD, 0, 0}, {1, 1, 0, true, GOOD, 0, 0}, {2, 1, 1, false, GOOD, 0, 20}}, 3, 1, 1,
        0),
    ROW("bad FCS leaves a hole",
        {{0, 1, 0, true, GOOD, 0, 0}, {1, 1, 1, true, SEGMENT_BAD_FCS, 0, 0}, {2, 1, 2, false, GOOD, 0, 0}},
        3, 0, 1, 1),
    ROW("bad FCS, and again", {{0, 1, 0, false, SEGMENT_BAD_FCS, 0, 0}, {0, 1, 0, false, GOOD, 0, 10}}, 2, 1,
        0, 1),
    ROW("a duplicate does no harm",
        LIST({0, 1, 0, true, GOOD, 0, 0}, {0, 1, 0, true, GOOD, 0, 0}, {1, 1, 1, false, GOOD, 0, 20},
             {1, 1, 1, false, GOOD, 0, 0}),
        4, 1, 0, 2),
    {"other SAPI", {{0, 1, 0, false, SEGMENT_OTHER_SAPI, 0, 0}}, 1, 0, 0, 1},
    {"uplink command", {{0, 1, 0, false, SEGMENT_FROM_MOBILE, 0, 0}}, 1, 0, 0, 1},
    {"ciphered", {{0, 1, 0, false, SEGMENT_CIPHERED, 0, 0}}, 1, 0, 0, 1},
    {"other NSAPI", {{0, 1, 0, false, SEGMENT_OTHER_NSAPI, 0, 0}}, 1, 0, 0, 1},
    {"compressed", {{0, 1, 0, false, SEGMENT_COMPRESSED, 0, 0}}, 1, 0, 0, 1},
    {"cut", {{0, 1, 0, false, SEGMENT_CUT, 0, 0}}, 1, 0, 0, 1},
    {"the longest", {{0, 1, 0, true, GOOD, 1000, 0}, {1, 1, 1, false, GOOD, 503, 1503}}, 2, 1, 0, 0},
    {"too long", {{0, 1, 0, true, GOOD, 1000, 0}, {1, 1, 1, false, GOOD, 504, 0}}, 2, 0, 1, 0},
};

/* Gives the step's frame to the stack; `at` is how much of the N-PDU came before. */
static void receive(struct ms_stack *stack, const struct step *step, size_t at)
{
    uint8_t frame[SEGMENT_FRAME_OCTETS];
    uint16_t number = 0xffff;
    size_t n_pdu_octets = 0;
    struct segment segment = {
        .nu = step->nu,
        .number = step->number,
        .index = (uint8_t)step->index,
        .more = step->more,
        .fault = step->fault,
        .data = data + at,
        .octets = step->octets ? step->octets : 10,
    };
    size_t octets = segment_put(frame, &segment);
    const uint8_t *n_pdu = ms_stack_receive(stack, frame, octets, &n_pdu_octets, &number, 0);
    assert_int_equal(n_pdu != NULL, step->whole > 0);
    if (!n_pdu)
        return;
    assert_int_equal(n_pdu_octets, step->whole);
    assert_int_equal(number, step->number);
    assert_memory_equal(n_pdu, data, n_pdu_octets);
}

TEST(receives)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct ms_stack stack = fresh(1520);
        print_message("%s\n", row->name);
        for (unsigned s = 0; s < row->count; s++) {
            size_t before = 0;
            for (unsigned k = 0; k < row->steps[s].index; k++)
                before += row->steps[0].octets ? row->steps[0].octets : 10;
            receive(&stack, &row->steps[s], before);
        }
        assert_int_equal(stack.llc_frames, row->count);
        assert_int_equal(stack.npdus, row->npdus);
        assert_int_equal(stack.holes, row->holes);
        assert_int_equal(stack.bad_frames, row->bad);
        ms_stack_fini(&stack);
    }
}

/* --- sending --- */

/* Reads what the stack sends with the SGSN's own decoders. */
struct reader {
    uint16_t nu, number;
    unsigned frames;
    size_t octets, longest;
    bool is_over;
};

static void read_frame(void *arg, const uint8_t *frame, size_t octets)
{
    struct reader *r = arg;
    struct llc llc;
    struct sndcp sndcp;
    int header = llc_decode(&llc, frame, octets);

    assert_int_equal(header, LLC_UI_OCTETS);
    assert_true(llc.format == LLC_UI && llc.sapi == 3 && !llc.cr && !llc.e && llc.pm);
    assert_int_equal(llc.nu, r->nu++ % LLC_NU_MODULUS);
    assert_int_equal(llc_fcs(frame, octets - LLC_FCS_OCTETS), llc_fcs_get(frame + octets - LLC_FCS_OCTETS));
    int inner = sndcp_decode(&sndcp, frame + header, llc.info_octets);
    assert_true(inner > 0 && sndcp.nsapi == 5 && !sndcp.comp && !r->is_over);
    assert_int_equal(sndcp.n_pdu_number, r->number);
    assert_int_equal(sndcp.segment, r->frames++);
    size_t share = llc.info_octets - (size_t)inner;
    assert_memory_equal(frame + header + inner, data + r->octets, share);
    r->octets += share;
    r->longest = llc.info_octets > r->longest ? llc.info_octets : r->longest;
    r->is_over = !sndcp.more;
}

static const struct {
    size_t octets;
    uint16_t n201_u;
    unsigned frames; /* 0: refused */
} sends[] = {
    {1, 140, 1},     {136, 140, 1},  {137, 140, 2},   {136 + 137, 140, 2}, {136 + 137 + 1, 140, 3},
    {1503, 140, 11}, {1503, 500, 4}, {1500, 1520, 1}, {1503, 1520, 1},     {1504, 1520, 0},
    {2000, 140, 0},  {1503, 90, 0},
};

TEST(sends_segments)
{
    for (size_t i = 0; i < COUNT(sends); i++) {
        struct ms_stack stack = fresh(sends[i].n201_u);
        struct reader reader = {0};
        print_message("%zu octets by %u\n", sends[i].octets, sends[i].n201_u);
        assert_int_equal(ms_stack_send(&stack, data, sends[i].octets, read_frame, &reader, 0),
                         sends[i].frames > 0);
        assert_int_equal(reader.frames, sends[i].frames);
        assert_int_equal(reader.octets, sends[i].frames ? sends[i].octets : 0);
        assert_true(reader.longest <= sends[i].n201_u);
        assert_int_equal(reader.is_over, sends[i].frames > 0);
    }
}

/* N-PDU numbers count to 4095, N(U) to 511, through what is refused in between. */
TEST(numbers_go_on)
{
    struct ms_stack stack = fresh(500);
    uint16_t nu = 0;
    for (unsigned i = 0; i < 2 * SNDCP_NPDU_MODULUS + 3; i++) {
        struct reader reader = {.nu = nu, .number = (uint16_t)(i % SNDCP_NPDU_MODULUS)};
        assert_true(ms_stack_send(&stack, data, 600, read_frame, &reader, 0));
        assert_false(ms_stack_send(&stack, data, 1504, read_frame, &reader, 0));
        assert_int_equal(reader.frames, 2);
        nu = reader.nu;
    }
}

/* --- ciphered --- */

struct far_end {
    struct ms_stack *stack;
    uint64_t npdus;
    bool is_spoilt; /* one bit of each frame's last octet */
};

/* The key of both, from INPUT 0x98000000 - 40 on: N(U) wraps, and so does INPUT. */
static struct llc_key some_key(void)
{
    struct llc_key key = {.algorithm = 3, .iov_ui = 0xffffffd8 ^ 0x98000000};
    memcpy(key.key, "\1\2\3\4\5\6\7\10\1\2\3\4\5\6\7\10", sizeof(key.key));
    return key;
}

/* Makes a mobile's uplink frame a downlink one, in clear in between: deciphered and ciphered again here. */
static void turn_round(void *arg, const uint8_t *frame, size_t octets)
{
    struct far_end *far = arg;
    struct llc_key key = some_key();
    uint8_t copy[MS_STACK_LLC_OCTETS];
    uint32_t count = llc_entity_count(&far->stack->llc, (uint16_t)((frame[1] & 7) << 6 | frame[2] >> 2));
    struct gea_job job = {key.key, copy + 3, llc_cipher_input(key.iov_ui, 3, count), (uint16_t)(octets - 3),
                          GEA_UPLINK};
    uint16_t number;
    size_t n_pdu_octets;

    assert_true(octets <= sizeof(copy) && frame[2] & 2);
    memcpy(copy, frame, octets);
    gea_cipher_burst(far->stack->gea, &job, 1);
    assert_int_equal(llc_fcs(copy, octets - 3), llc_fcs_get(copy + octets - 3));
    copy[0] |= 0x40;
    llc_fcs_put(copy + octets - 3, llc_fcs(copy, octets - 3));
    job.direction = GEA_DOWNLINK;
    gea_cipher_burst(far->stack->gea, &job, 1);
    copy[octets - 1] ^= far->is_spoilt;
    const uint8_t *n_pdu = ms_stack_receive(far->stack, copy, octets, &n_pdu_octets, &number, 0);
    if (!n_pdu)
        return;
    assert_memory_equal(n_pdu, data, n_pdu_octets);
    far->npdus++;
}

TEST(ciphered)
{
    struct ms_stack sender = fresh(500), receiver = sender;
    struct far_end far = {.stack = &receiver};
    sender.key = receiver.key = some_key();
    sender.gea = receiver.gea = gea_init("portable", NULL);
    for (unsigned i = 0; i < 600; i++)
        assert_true(ms_stack_send(&sender, data, 700, turn_round, &far, 0));
    assert_int_equal(far.npdus, 600);
    assert_int_equal(receiver.bad_frames, 0);
    far.is_spoilt = true;
    assert_true(ms_stack_send(&sender, data, 100, turn_round, &far, 0));
    assert_int_equal(receiver.bad_frames, 1);
    assert_int_equal(far.npdus, 600);
    ms_stack_fini(&receiver);
}

/* In clear for a mobile that ciphers, and longer than any frame. */
TEST(not_ciphered)
{
    struct ms_stack stack = fresh(1520);
    struct step step = {.octets = 10};
    uint8_t frame[MS_STACK_LLC_OCTETS + 1] = {0x43, 0xc0, 0x03};
    size_t n_pdu_octets;
    uint16_t number;

    stack.key = some_key();
    stack.gea = gea_init("portable", NULL);
    receive(&stack, &step, 0);
    assert_int_equal(stack.bad_frames, 1);
    assert_null(ms_stack_receive(&stack, frame, sizeof(frame), &n_pdu_octets, &number, 0));
    assert_int_equal(stack.bad_frames, 2);
    ms_stack_fini(&stack);
}

int main(void)
{
    llc_fcs_init();
    return UNIT_RUN(NULL, NULL);
}
