/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of BSSGP that are more than their octets: units, lists, bits, the options of DL-UNITDATA. */
#include "dataplane/wire/bssgp.h"
#include "dataplane/base/bytes.h"

#include <string.h>

#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

TEST(granularities)
{
    static const struct {
        uint64_t bucket_octets, rate_bps;
        int64_t asked; /* granularity the caller marks, -1 none */
        int64_t sent;  /* granularity on the wire, -1 none, below that an error */
    } rows[] = {
        {6553500, 6553500, -1, -1},
        {0, 0, -1, -1},
        {0, 0, 0, 0},
        {6554000, 100000, -1, 1},
        {500000, 1600000, 1, 1},
        {65535000, 65535000, -1, 1},
        {655350000, 0, -1, 2},
        {UINT64_C(6553500000), UINT64_C(6553500000), -1, 3},
        {UINT64_C(6553600000), 0, -1, ERR_RANGE},
        {6553600, 0, -1, ERR_RANGE}, /* too large for 100, no multiple of 1000 */
        {150, 0, -1, ERR_RANGE},
        {0, 99, -1, ERR_RANGE},
        {0, 0, 4, ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bssgp in = {.head.type = BSSGP_FLOW_CONTROL_MS, .bucket_octets = rows[i].bucket_octets}, out;
        uint8_t bytes[64];
        in.rate_bps = rows[i].rate_bps;
        in.granularity = (uint32_t)rows[i].asked;
        if (rows[i].asked >= 0)
            pdu_mark(&in.head, BSSGP_IE_GRANULARITY);
        int n = bssgp_encode(bytes, sizeof bytes, &in);
        if (rows[i].sent < -1) {
            assert_int_equal(n, rows[i].sent);
            continue;
        }
        assert_int_equal(bssgp_decode(&out, bytes, (size_t)n), n);
        assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "granularity"), rows[i].sent);
        assert_int_equal(out.bucket_octets, rows[i].bucket_octets);
        assert_int_equal(out.rate_bps, rows[i].rate_bps);
    }
}

/* With what a configuration can switch on, in the order of the clause, the LLC-PDU's length in both forms. */
TEST(downlink_with_every_option)
{
    static const uint8_t head[] = {
        0x00, 0xc1, 0x23, 0x45, 0x67, 0x03, 0x20, 0x3a, 0x16, 0x82, 0xff, 0xff, 0x13, 0x85, 0x18, 0xb3, 0x43,
        0x2b, 0x25, 0x17, 0x81, 0x26, 0x0a, 0x82, 0x08, 0x20, 0x0d, 0x88, 0x29, 0x26, 0x24, 0x00, 0x00, 0x00,
        0x00, 0x10, 0x1f, 0x84, 0xaa, 0xbb, 0xcc, 0xdd, 0x28, 0x81, 0x09, 0x00, 0x82, 0x00, 0x00, 0x0e};
    static const uint8_t optional[] = {
        BSSGP_IE_MS_RA_CAPABILITY, BSSGP_IE_PRIORITY, BSSGP_IE_DRX_PARAMETERS, BSSGP_IE_IMSI,
        BSSGP_IE_TLLI_OLD,         BSSGP_IE_PFI,      BSSGP_IE_ALIGNMENT};
    static const uint8_t llc_pdu[200] = {0x43, 0xc0};
    static const size_t lengths[] = {0, 1, 127, 128, 200};
    struct bssgp in = {
        .head.type = BSSGP_DL_UNITDATA,
        .tlli = 0xc1234567,
        .tlli_old = 0xaabbccdd,
        .lifetime_cs = BSSGP_INFINITE_CS,
        .priority = 0x26,
        .pfi = 9,
        .qos_profile = {head + 5, 3},
        .ms_ra_capability = {head + 14, 5},
        .drx_parameters = {head + 24, 2},
        .imsi = {head + 28, 8},
        .alignment = {head + 47, 2},
    };
    for (size_t i = 0; i < sizeof optional; i++)
        pdu_mark(&in.head, optional[i]);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct bssgp out;
        uint8_t bytes[300];
        in.llc_pdu = (struct ie_span){llc_pdu, lengths[i]};
        int n = bssgp_encode(bytes, sizeof bytes, &in);
        assert_int_equal(n, sizeof head + (lengths[i] < 128 ? 1 : 2) + lengths[i]);
        assert_memory_equal(bytes, head, sizeof head);
        assert_int_equal(bytes[sizeof head], lengths[i] < 128 ? 0x80 | lengths[i] : 0);
        assert_int_equal(bssgp_decode(&out, bytes, (size_t)n), n);
        assert_int_equal(out.priority, 0x26);
        assert_int_equal(out.llc_pdu.octets, lengths[i]);
        for (size_t o = 0; o < sizeof optional; o++)
            assert_true(pdu_has(&out.head, optional[o]));
    }
}

/* Bits on top that do not belong to a value are not read, and cannot be written (TS 48.018 11.3). */
TEST(spare_bits)
{
    static const struct {
        const char *hex, *field;
        int64_t value;
    } rows[] = {
        {"561f84c123456728818a", "pfi", 10},
        {"00c123456700002016820258"
         "8a82fe0b"
         "0e80",
         "send_state", 11},
        {"070d83292624"
         "0a820000"
         "048200020b81fd",
         "emlpp", 5},
        {"281f84c12345671e81091282006403820190"
         "7e81fd",
         "granularity", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bssgp pdu;
        uint8_t bytes[64];
        size_t len = pdu_from_hex(rows[i].hex, bytes);
        assert_int_equal(bssgp_decode(&pdu, bytes, len), len);
        assert_int_equal(pdu_field(&bssgp_grammar, &pdu.head, rows[i].field), rows[i].value);
    }
    struct bssgp in = {.head.type = BSSGP_DELETE_BSS_PFC, .pfi = 128};
    uint8_t bytes[16];
    assert_int_equal(bssgp_encode(bytes, sizeof bytes, &in), ERR_RANGE);
    in.pfi = 127;
    assert_int_equal(bssgp_encode(bytes, sizeof bytes, &in), 10);
}

TEST(packet_flows)
{
    const struct vector *v = vectors_get(37);
    struct bssgp pdu;
    bssgp_decode(&pdu, v->bytes, v->octets);
    assert_false(pdu.pfcs.has_ratio);
    assert_int_equal(pdu.pfcs.flow[0].bucket_octets, 5000);
    assert_int_equal(pdu.pfcs.flow[0].rate_bps, 20000);
    assert_int_equal(pdu.pfcs.flow[1].pfi, 10);
    v = vectors_get(38);
    bssgp_decode(&pdu, v->bytes, v->octets);
    assert_true(pdu.pfcs.has_ratio);
    assert_int_equal(pdu.pfcs.flow[0].ratio_percent, 25);
}

/* Eleven is the most, with a ratio and without. */
TEST(most_packet_flows)
{
    for (uint8_t each = 5; each <= 6; each++)
        for (uint8_t count = 11; count <= 12; count++) {
            uint8_t bytes[96] = {0x2d, 0x1f, 0x84, 0xc1, 0x23, 0x45, 0x67, 0x1e, 0x81, 3, 0x52};
            struct bssgp pdu;
            size_t octets = 1 + (size_t)each * count;
            bytes[11] = (uint8_t)(0x80 | octets);
            bytes[12] = count;
            int n = bssgp_decode(&pdu, bytes, 12 + octets);
            assert_int_equal(n, count == 11 ? (int)(12 + octets) : ERR_MALFORMED);
            assert_int_equal(pdu.pfcs.count, count == 11 ? 11 : 0);
        }
}

UNIT_MAIN(NULL, NULL)
