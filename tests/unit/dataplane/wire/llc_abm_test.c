/* SPDX-License-Identifier: BSD-3-Clause */
/* I and S frames: rows that TShark 4.0 and CRC-24 outside of this program agree on, and every length. */
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { FRAME_MAX_OCTETS = 64 };

struct row {
    uint8_t frame[FRAME_MAX_OCTETS];
    size_t octets;
    int header;
    struct llc_abm in;
};

static const struct row rows[] = {
    /* I, downlink, first of two segments. */
    {{0x43, 0x1f, 0xf0, 0x08, 0x55, 0x00, 0xff, 0x45, 0x00, 0x00, 0x1c, 0x00, 0x01,
      0x00, 0x00, 0x40, 0x01, 0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x28, 0xac, 0x6e},
     26,
     4,
     {.is_i = true, .sapi = 3, .cr = true, .ns = 511, .nr = 2, .supervisory = LLC_RR}},
    /* The second, behind the wrap. */
    {{0x43, 0x40, 0x00, 0x08, 0x05, 0x0a, 0x0b, 0x00, 0x02, 0x08,
      0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01, 0x3e, 0xf5, 0x02},
     20,
     4,
     {.is_i = true, .sapi = 3, .cr = true, .a = true, .ns = 0, .nr = 2, .supervisory = LLC_RR}},
    /* I with SACK, uplink: 509, 511, 0 and 5 received. */
    {{0x03, 0x00, 0x77, 0xf3, 0x01, 0xb0, 0x80, 0x45, 0x00, 0x0c, 0x45, 0x00, 0x00, 0x1c,
      0x00, 0x01, 0x00, 0x00, 0x40, 0x01, 0xae, 0xd2, 0xc0, 0x00, 0x02, 0x01, 0x0a, 0x0b,
      0x00, 0x02, 0x08, 0x00, 0xf7, 0xfe, 0x00, 0x00, 0x00, 0x01, 0x18, 0x78, 0x2e},
     41,
     7,
     {.is_i = true,
      .sapi = 3,
      .ns = 7,
      .nr = 508,
      .supervisory = LLC_SACK,
      .bitmap_octets = 2,
      .bitmap = {0xb0, 0x80}}},
    {{0x43, 0xa0, 0x20, 0xf7, 0x42, 0x3a}, 6, 3, {.sapi = 3, .cr = true, .a = true, .nr = 8}},
    {{0x43, 0x87, 0xf2, 0x7c, 0xe3, 0xb1}, 6, 3, {.sapi = 3, .cr = true, .nr = 508, .supervisory = LLC_RNR}},
    {{0x43, 0x87, 0xf3, 0xb0, 0x80, 0xc1, 0xef, 0xc0},
     8,
     5,
     {.sapi = 3, .cr = true, .nr = 508, .supervisory = LLC_SACK, .bitmap_octets = 2, .bitmap = {0xb0, 0x80}}},
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
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
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

TEST(fields_that_do_not_fit)
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

UNIT_MAIN(NULL, NULL)
