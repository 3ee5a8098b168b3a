/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"
#include "dataplane/base/bytes.h"

#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <string.h>

static int decode(const uint8_t *bytes, size_t len)
{
    struct llc_frmr frmr;
    return llc_frmr_decode(&frmr, bytes, len);
}

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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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

TEST(limits)
{
    uint8_t bytes[LLC_FRMR_OCTETS + 2] = {0};
    for (size_t len = 0; len < sizeof bytes; len++)
        assert_int_equal(probe_exact(decode, bytes, len), len < 10 ? ERR_TRUNCATED : 10);
    assert_int_equal(llc_frmr_encode(bytes, 9, &(struct llc_frmr){0}), ERR_NO_SPACE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.vs = 512}), ERR_RANGE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.vr = 512}), ERR_RANGE);
    assert_int_equal(llc_frmr_encode(bytes, 10, &(struct llc_frmr){.why = 16}), ERR_RANGE);
}

UNIT_MAIN(NULL, NULL)
