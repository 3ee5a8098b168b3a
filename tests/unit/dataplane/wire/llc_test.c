/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/llc_fcs.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

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

static int decode(const uint8_t *bytes, size_t len)
{
    struct llc llc;
    return llc_decode(&llc, bytes, len);
}

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
    assert_int_equal(count, sizeof expects / sizeof expects[0]);
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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

UNIT_MAIN(NULL, NULL)
