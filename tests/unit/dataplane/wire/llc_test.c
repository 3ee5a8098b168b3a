/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"

#include <string.h>

enum { FIRST = 70, LAST = 92, CIPHERED = 72 };

struct expect {
    enum llc_format format;
    uint8_t sapi, command;
    uint16_t nu;
    bool cr, pf, e, pm;
};

static const struct expect expects[] = {
    {LLC_UI, 3, 0, 511, true, false, false, true},    {LLC_UI, 3, 0, 12, true, false, false, false},
    {LLC_UI, 3, 0, 5, true, false, true, true},       {LLC_UI, 3, 0, 20, true, false, false, true},
    {LLC_UI, 3, 0, 21, true, false, false, true},     {LLC_U, 3, LLC_XID, 0, true, true, false, true},
    {LLC_U, 1, LLC_XID, 0, true, true, false, true},  {LLC_U, 3, LLC_SABM, 0, true, true, false, true},
    {LLC_U, 3, LLC_UA, 0, false, true, false, true},  {LLC_U, 3, LLC_DM, 0, false, true, false, true},
    {LLC_U, 3, LLC_DISC, 0, true, true, false, true}, {LLC_U, 1, LLC_NULL, 0, false, false, false, true},
    {LLC_I, 3, 0, 0, true, false, false, true},       {LLC_S, 3, 0, 0, false, false, false, true},
    {LLC_S, 3, 0, 0, false, false, false, true},      {LLC_S, 3, 0, 0, false, false, false, true},
    {LLC_UI, 1, 0, 0, false, false, false, true},     {LLC_UI, 1, 0, 0, true, false, false, true},
    {LLC_UI, 1, 0, 1, false, false, false, true},     {LLC_UI, 1, 0, 1, true, false, false, true},
    {LLC_UI, 1, 0, 2, false, false, false, true},     {LLC_UI, 1, 0, 2, true, false, false, true},
    {LLC_UI, 1, 0, 3, false, false, false, true},
};

PROBED(decode, struct llc, llc_decode)

static void assert_fields(const struct llc *llc, const struct expect *expect)
{
    assert_int_equal(llc->format, expect->format);
    assert_int_equal(llc->sapi, expect->sapi);
    assert_int_equal(llc->command, expect->command);
    assert_int_equal(llc->nu, expect->nu);
    assert_int_equal(llc->cr, expect->cr);
    assert_int_equal(llc->pf, expect->pf);
    assert_int_equal(llc->e, expect->e);
    assert_int_equal(llc->pm, expect->pm);
}

static bool is_fcs_good(const struct vector *v, const struct llc *llc)
{
    size_t covered = llc_fcs_covered_octets(llc->header_octets, llc->info_octets, llc->pm);
    return llc_fcs(v->bytes, covered) == llc_fcs_get(v->bytes + v->octets - LLC_FCS_OCTETS);
}

TEST(vectors_decode_and_encode)
{
    size_t count;
    const struct vector *rows = vectors_load("llc.txt", &count);
    assert_int_equal(count, COUNT(expects));
    for (size_t i = 0; i < count; i++) {
        struct llc llc;
        uint8_t back[LLC_I_OCTETS];
        int offset = llc_decode(&llc, rows[i].bytes, rows[i].octets);
        assert_int_equal(offset, llc.header_octets);
        assert_int_equal(llc.header_octets + llc.info_octets + LLC_FCS_OCTETS, rows[i].octets);
        assert_fields(&llc, &expects[i]);
        assert_int_equal(is_fcs_good(&rows[i], &llc), rows[i].number != CIPHERED);
        assert_int_equal(llc_encode(back, sizeof back, &llc), offset);
        assert_memory_equal(back, rows[i].bytes, offset);
        assert_int_equal(llc_encode(back, (size_t)offset - 1, &llc), ERR_NO_SPACE);
    }
}

TEST(every_ui_header_round_trips)
{
    for (unsigned n = 0; n < 16 * 512 * 8; n++) {
        struct llc in = {
            .sapi = n & 15, .nu = n >> 4 & 511, .cr = n >> 13 & 1, .e = n >> 14 & 1, .pm = n >> 15 & 1};
        uint8_t bytes[6] = {0};
        struct llc out;
        int answer = llc_ui_encode(bytes, sizeof bytes, &in);
        assert_int_equal(answer, llc_is_sapi_known(in.sapi) ? 3 : ERR_RANGE);
        if (answer < 0)
            continue;
        assert_int_equal(llc_decode(&out, bytes, sizeof bytes), 3);
        assert_fields(&out, &(struct expect){LLC_UI, in.sapi, 0, in.nu, in.cr, false, in.e, in.pm});
    }
}

/* One bit of each field at a time, then all: no field reaches into another. */
TEST(headers_of_other_formats_round_trip)
{
    static const struct llc rows[] = {
        {.format = LLC_I, .sapi = 3, .ns = 1},
        {.format = LLC_I, .sapi = 3, .ns = 256},
        {.format = LLC_I, .sapi = 3, .nr = 1},
        {.format = LLC_I, .sapi = 3, .nr = 256},
        {.format = LLC_I, .sapi = 3, .a = true},
        {.format = LLC_I, .sapi = 11, .ns = 511, .nr = 511, .supervisory = LLC_SACK, .a = true, .cr = true},
        {.format = LLC_S, .sapi = 3, .nr = 1},
        {.format = LLC_S, .sapi = 3, .nr = 256},
        {.format = LLC_S, .sapi = 3, .a = true},
        {.format = LLC_S, .sapi = 9, .nr = 511, .supervisory = LLC_SACK, .a = true, .cr = true},
        {.format = LLC_U, .sapi = 1, .command = LLC_FRMR},
        {.format = LLC_U, .sapi = 1, .pf = true},
        {.format = LLC_U, .sapi = 8, .command = 15, .pf = true, .cr = true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[LLC_I_OCTETS + LLC_FCS_OCTETS] = {0};
        struct llc out;
        int octets = llc_encode(bytes, sizeof bytes, &rows[i]);
        assert_int_equal(octets, rows[i].format == LLC_I ? 4 : rows[i].format == LLC_S ? 3 : 2);
        assert_int_equal(llc_decode(&out, bytes, (size_t)octets + LLC_FCS_OCTETS), octets);
        assert_fields(&out, &(struct expect){rows[i].format, rows[i].sapi, rows[i].command, 0, rows[i].cr,
                                             rows[i].pf, false, true});
        assert_int_equal(out.ns, rows[i].ns);
        assert_int_equal(out.nr, rows[i].nr);
        assert_int_equal(out.supervisory, rows[i].supervisory);
        assert_int_equal(out.a, rows[i].a);
    }
}

TEST(numbers_of_the_samples)
{
    static const struct {
        unsigned number, ns, nr, supervisory, a;
    } rows[] = {
        {82, 3, 257, LLC_RR, 1}, {83, 0, 300, LLC_RR, 0}, {84, 0, 6, LLC_ACK, 0}, {85, 0, 6, LLC_RNR, 1}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct vector *v = vectors_get(rows[i].number);
        struct llc llc;
        llc_decode(&llc, v->bytes, v->octets);
        assert_int_equal(llc.ns, rows[i].ns);
        assert_int_equal(llc.nr, rows[i].nr);
        assert_int_equal(llc.supervisory, rows[i].supervisory);
        assert_int_equal(llc.a, rows[i].a);
    }
}

TEST(fields_that_do_not_fit)
{
    static const struct llc rows[] = {
        {.format = LLC_I, .sapi = 4},
        {.format = LLC_I, .sapi = 3, .ns = 512},
        {.format = LLC_I, .sapi = 3, .nr = 512},
        {.format = LLC_I, .sapi = 3, .supervisory = 4},
        {.format = LLC_S, .sapi = 3, .nr = 512},
        {.format = LLC_U, .sapi = 3, .command = 16},
        {.format = LLC_U, .sapi = 0},
        {.format = LLC_UI, .sapi = 3, .nu = 512},
    };
    uint8_t bytes[8];
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(llc_encode(bytes, sizeof bytes, &rows[i]), ERR_RANGE);
}

TEST(limits)
{
    uint8_t bytes[8] = {0x43, 0xc0, 0x01};
    assert_int_equal(llc_ui_encode(bytes, 8, &(struct llc){.sapi = 3, .nu = 511}), 3);
    assert_int_equal(llc_ui_encode(bytes, 8, &(struct llc){.sapi = 3, .nu = 512}), ERR_RANGE);
    assert_int_equal(llc_ui_encode(bytes, 8, &(struct llc){.sapi = 0}), ERR_RANGE);
    assert_int_equal(llc_ui_encode(bytes, 8, &(struct llc){.sapi = 19}), ERR_RANGE);
    static const struct {
        uint8_t address, control;
        size_t len;
        int answer;
    } rows[] = {
        {0x43, 0xc0, 6, 3},
        {0x43, 0xc0, 5, ERR_TRUNCATED},
        {0x43, 0xe0, 5, 2},
        {0x43, 0xe0, 4, ERR_TRUNCATED},
        {0x43, 0x80, 6, 3},
        {0x43, 0x80, 5, ERR_TRUNCATED},
        {0x43, 0x00, 7, 4},
        {0x43, 0x00, 6, ERR_TRUNCATED},
        {0xc3, 0xc0, 6, ERR_UNSUPPORTED},
        {0x40, 0xc0, 6, ERR_UNSUPPORTED},
        {0x44, 0xc0, 6, ERR_UNSUPPORTED},
        {0x4c, 0xc0, 6, ERR_UNSUPPORTED},
        {0x4b, 0xc0, 6, 3},
        {0x73, 0xc0, 6, 3}, /* spare bits */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t frame[8] = {rows[i].address, rows[i].control};
        assert_int_equal(probe_exact(decode, frame, rows[i].len), rows[i].answer);
    }
}

/* What is left decodes as a shorter frame, whose FCS then is wrong; below header and FCS it is refused. */
TEST(every_truncation_is_caught)
{
    for (unsigned number = FIRST; number <= LAST; number++) {
        struct vector v = *vectors_get(number);
        size_t whole = v.octets;
        struct llc llc;
        size_t least = (size_t)decode(v.bytes, whole) + LLC_FCS_OCTETS;
        for (v.octets = 0; v.octets < whole; v.octets++) {
            int answer = probe_exact(decode, v.bytes, v.octets);
            assert_int_equal(answer < 0, v.octets < least);
            if (answer < 0)
                continue;
            llc_decode(&llc, v.bytes, v.octets);
            assert_false(is_fcs_good(&v, &llc));
        }
    }
}

TEST(noise_does_no_harm)
{
    struct vector v = *vectors_get(FIRST);
    probe_noise(decode, 15);
    probe_mutations(decode, v.bytes, v.octets, 16);
}

/* I and S frames: rows that TShark 4.0 and CRC-24 outside of this program agree on, and every length. */

enum { FRAME_MAX_OCTETS = 64 };

struct row {
    uint8_t frame[FRAME_MAX_OCTETS];
    size_t octets;
    int header;
    struct llc_abm in;
};

static const struct row abm_rows[] = {
    /* I, downlink, first of two segments. */
    ROW({0x43, 0x1f, 0xf0, 0x08, 0x55, 0x00, 0xff, 0x45, 0x00, 0x00, 0x1c, 0x00, 0x01,
         0x00, 0x00, 0x40, 0x01, 0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x28, 0xac, 0x6e},
        26, 4, {.is_i = true, .sapi = 3, .cr = true, .ns = 511, .nr = 2, .supervisory = LLC_RR}),
    /* The second, behind the wrap. */
    ROW({0x43, 0x40, 0x00, 0x08, 0x05, 0x0a, 0x0b, 0x00, 0x02, 0x08,
         0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01, 0x3e, 0xf5, 0x02},
        20, 4, {.is_i = true, .sapi = 3, .cr = true, .a = true, .ns = 0, .nr = 2, .supervisory = LLC_RR}),
    /* I with SACK, uplink: 509, 511, 0 and 5 received. */
    ROW({0x03, 0x00, 0x77, 0xf3, 0x01, 0xb0, 0x80, 0x45, 0x00, 0x0c, 0x45, 0x00, 0x00, 0x1c,
         0x00, 0x01, 0x00, 0x00, 0x40, 0x01, 0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x0a, 0x0b,
         0x00, 0x02, 0x08, 0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01, 0x18, 0x78, 0x2e},
        41, 7,
        ROW(.is_i = true, .sapi = 3, .ns = 7, .nr = 508, .supervisory = LLC_SACK, .bitmap_octets = 2,
            .bitmap = {0xb0, 0x80})),
    {{0x43, 0xa0, 0x20, 0xf7, 0x42, 0x3a}, 6, 3, {.sapi = 3, .cr = true, .a = true, .nr = 8}},
    {{0x43, 0x87, 0xf2, 0x7c, 0xe3, 0xb1}, 6, 3, {.sapi = 3, .cr = true, .nr = 508, .supervisory = LLC_RNR}},
    ROW({0x43, 0x87, 0xf3, 0xb0, 0x80, 0xc1, 0xef, 0xc0}, 8, 5,
        {.sapi = 3,
         .cr = true,
         .nr = 508,
         .supervisory = LLC_SACK,
         .bitmap_octets = 2,
         .bitmap = {0xb0, 0x80}}),
    {{0x43, 0x87, 0xf1, 0x5d, 0x01, 0x91}, 6, 3, {.sapi = 3, .cr = true, .nr = 508, .supervisory = LLC_ACK}},
};

static void assert_same(const struct llc_abm *x, const struct llc_abm *y)
{
    assert_int_equal(x->is_i, y->is_i);
    assert_int_equal(x->sapi, y->sapi);
    assert_int_equal(x->cr, y->cr);
    assert_int_equal(x->a, y->a);
    assert_int_equal(x->ns, y->ns);
    assert_int_equal(x->nr, y->nr);
    assert_int_equal(x->supervisory, y->supervisory);
    assert_int_equal(x->bitmap_octets, y->bitmap_octets);
    assert_memory_equal(x->bitmap, y->bitmap, sizeof x->bitmap);
}

TEST(samples_decode_and_encode)
{
    for (size_t i = 0; i < COUNT(abm_rows); i++) {
        const struct row *row = &abm_rows[i];
        struct llc_abm out;
        uint8_t again[LLC_ABM_HEADER_MAX_OCTETS];
        size_t covered = row->octets - LLC_FCS_OCTETS;
        assert_int_equal(llc_fcs(row->frame, covered), llc_fcs_get(row->frame + covered));
        assert_int_equal(llc_abm_decode(&out, row->frame, row->octets), row->header);
        assert_same(&out, &row->in);
        assert_int_equal(llc_abm_octets(&row->in), row->header);
        assert_int_equal(llc_abm_encode(again, sizeof again, &row->in), row->header);
        assert_memory_equal(again, row->frame, row->header);
        assert_int_equal(llc_abm_encode(again, (size_t)row->header - 1, &row->in), ERR_NO_SPACE);
    }
}

TEST(bitmaps_of_every_length)
{
    for (unsigned n = 1; n <= 2 * LLC_ABM_BITMAP_MAX_OCTETS; n++) {
        struct llc_abm in = {.sapi = 11, .nr = 511, .supervisory = LLC_SACK, .is_i = n & 1}, out;
        uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS + LLC_FCS_OCTETS] = {0};
        in.bitmap_octets = (uint8_t)((n + 1) / 2);
        memset(in.bitmap, 0xff, in.bitmap_octets);
        int octets = llc_abm_encode(bytes, sizeof bytes, &in);
        assert_int_equal(octets, (in.is_i ? 5 : 3) + in.bitmap_octets);
        assert_int_equal(llc_abm_decode(&out, bytes, (size_t)octets + LLC_FCS_OCTETS), octets);
        assert_same(&out, &in);
        assert_int_equal(llc_abm_decode(&out, bytes, (size_t)octets + LLC_FCS_OCTETS - 1),
                         in.is_i || in.bitmap_octets == 1 ? ERR_MALFORMED : octets - 1);
    }
}

/* Frames without FCS; three octets are added. */
TEST(frames_that_are_refused)
{
    static const struct {
        uint8_t frame[40];
        size_t octets;
        int error;
    } bad[] = {
        {{0x03, 0x80, 0x00, 0x55}, 4, ERR_MALFORMED},             /* RR with information */
        {{0x03, 0x80, 0x01, 0x55}, 4, ERR_MALFORMED},             /* ACK with information */
        {{0x03, 0x80, 0x02, 0x55}, 4, ERR_MALFORMED},             /* RNR with information */
        {{0x03, 0x80, 0x03}, 3, ERR_MALFORMED},                   /* SACK without bitmap */
        {{0x03, 0x80, 0x03}, 36, ERR_MALFORMED},                  /* of 33 octets */
        {{0x03, 0x00, 0x00, 0x03}, 4, ERR_MALFORMED},             /* I with SACK without K */
        {{0x03, 0x00, 0x00, 0x03, 0x01, 0xff}, 6, ERR_MALFORMED}, /* of two octets, of which one is there */
        {{0x03, 0xc0, 0x01}, 3, ERR_UNSUPPORTED},                 /* UI */
        {{0x03, 0xf7}, 2, ERR_UNSUPPORTED},                       /* SABM */
        {{0x83, 0x80, 0x00}, 3, ERR_UNSUPPORTED},                 /* not LLC */
        {{0x03, 0x00, 0x00}, 3, ERR_TRUNCATED},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct llc_abm out;
        assert_int_equal(llc_abm_decode(&out, bad[i].frame, bad[i].octets + LLC_FCS_OCTETS), bad[i].error);
    }
}

TEST(abm_fields_that_do_not_fit)
{
    static const struct llc_abm bad[] = {
        {.sapi = 4},
        {.sapi = 3, .nr = 512},
        {.sapi = 3, .is_i = true, .ns = 512},
        {.sapi = 3, .supervisory = 4},
        {.sapi = 3, .supervisory = LLC_SACK},
        {.sapi = 3, .supervisory = LLC_RR, .bitmap_octets = 1},
        {.sapi = 3, .supervisory = LLC_SACK, .bitmap_octets = 33},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        uint8_t bytes[LLC_ABM_HEADER_MAX_OCTETS];
        assert_int_equal(llc_abm_encode(bytes, sizeof bytes, &bad[i]), ERR_RANGE);
    }
}

PROBED(frmr_decode, struct llc_frmr, llc_frmr_decode)

/* Each bit field alone, at both of its ends. */
TEST(rows_round_trip)
{
    static const struct {
        struct llc_frmr frmr;
        uint8_t bytes[LLC_FRMR_OCTETS];
    } rows[] = {
        {{.control = {0xf7}, .why = LLC_FRMR_W1_CONTROL}, {0xf7, 0, 0, 0, 0, 0, 0, 0, 0, 0x01}},
        {{.why = LLC_FRMR_W2_INFORMATION | LLC_FRMR_W1_CONTROL}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x03}},
        {{.why = LLC_FRMR_W3_TOO_LONG}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x04}},
        {{.why = LLC_FRMR_W4_SEQUENCE}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0x08}},
        {{.vs = 1}, {0, 0, 0, 0, 0, 0, 0, 0x08, 0, 0}},
        {{.vs = 256}, {0, 0, 0, 0, 0, 0, 0x08, 0, 0, 0}},
        {{.vr = 1}, {0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0}},
        {{.vr = 256}, {0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0}},
        {{.cr = true}, {0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0}},
        {{.control = {1, 2, 3, 4, 5, 6}, .vs = 511, .vr = 511, .cr = true, .why = 15},
         {1, 2, 3, 4, 5, 6, 0x0f, 0xfb, 0xff, 0x0f}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[LLC_FRMR_OCTETS];
        struct llc_frmr out;
        assert_int_equal(llc_frmr_encode(bytes, sizeof bytes, &rows[i].frmr), 10);
        assert_memory_equal(bytes, rows[i].bytes, sizeof bytes);
        assert_int_equal(llc_frmr_decode(&out, bytes, sizeof bytes), 10);
        assert_memory_equal(out.control, rows[i].frmr.control, sizeof out.control);
        assert_int_equal(out.vs, rows[i].frmr.vs);
        assert_int_equal(out.vr, rows[i].frmr.vr);
        assert_int_equal(out.cr, rows[i].frmr.cr);
        assert_int_equal(out.why, rows[i].frmr.why);
    }
}

TEST(frmr_limits)
{
    uint8_t bytes[LLC_FRMR_OCTETS + 2] = {0};
    for (size_t len = 0; len < sizeof bytes; len++)
        assert_int_equal(probe_exact(frmr_decode, bytes, len), len < 10 ? ERR_TRUNCATED : 10);
    assert_int_equal(llc_frmr_encode(bytes, 9, &(struct llc_frmr){0}), ERR_NO_SPACE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.vs = 512}), ERR_RANGE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.vr = 512}), ERR_RANGE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.why = 16}), ERR_RANGE);
}

UNIT_MAIN(NULL, NULL)
