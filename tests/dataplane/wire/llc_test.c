/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"

#include "dataplane/base/err.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/dataplane/wire/probe.h"
#include "tests/vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
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

static void vectors_decode_and_encode(void **state)
{
    size_t count;
    const struct vector *rows = vectors_load("llc.txt", &count);
    assert_int_equal(count, sizeof expects / sizeof expects[0]);
    for (size_t i = 0; i < count; i++) {
        struct llc llc;
        uint8_t back[LLC_UI_OCTETS];
        int offset = llc_decode(&llc, rows[i].bytes, rows[i].octets);
        assert_int_equal(offset, llc.header_octets);
        assert_int_equal(llc.header_octets + llc.info_octets + LLC_FCS_OCTETS, rows[i].octets);
        assert_fields(&llc, &expects[i]);
        assert_int_equal(is_fcs_good(&rows[i], &llc), rows[i].number != CIPHERED);
        if (llc.format != LLC_UI)
            continue;
        assert_int_equal(llc_ui_encode(back, sizeof back, &llc), 3);
        assert_memory_equal(back, rows[i].bytes, 3);
        assert_int_equal(llc_ui_encode(back, 2, &llc), ERR_NO_SPACE);
    }
}

static void every_ui_header_round_trips(void **state)
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

static void limits(void **state)
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
static void every_truncation_is_caught(void **state)
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

static void noise_does_no_harm(void **state)
{
    struct vector v = *vectors_get(FIRST);
    probe_noise(decode, 15);
    probe_mutations(decode, v.bytes, v.octets, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_decode_and_encode),
        cmocka_unit_test(every_ui_header_round_trips),
        cmocka_unit_test(limits),
        cmocka_unit_test(every_truncation_is_caught),
        cmocka_unit_test(noise_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
