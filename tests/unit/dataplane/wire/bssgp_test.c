/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp.h"
#include "dataplane/base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

static const int64_t TLLI = 0xc1234567;

static const struct {
    unsigned vector;
    const char *name, *field;
    int64_t value;
} vector_fields[] = {
    {20, "bvc_reset", "bvci", 0},
    {20, "bvc_reset", "cause", 8},
    {20, "bvc_reset", "cell_id", FIELD_ABSENT},
    {21, "bvc_reset", "feature_bitmap", 0x23},
    {21, "bvc_reset", "extended_feature_bitmap", 2},
    {22, "bvc_reset", "bvci", 1800},
    {22, "bvc_reset", "cell_id", 1},
    {23, "bvc_reset_ack", "feature_bitmap", 2},
    {24, "bvc_reset_ack", "bvci", 1800},
    {25, "bvc_block", "cause", 1},
    {26, "bvc_block_ack", "bvci", 1800},
    {27, "bvc_unblock", "bvci", 1800},
    {28, "bvc_unblock_ack", "bvci", 1800},
    {29, "status", "cause", 5},
    {29, "status", "bvci", 1800},
    {30, "status", "cause", 0x22},
    {30, "status", "pdu_in_error", 4},
    {31, "flow_control_bvc", "tag", 5},
    {31, "flow_control_bvc", "bucket_octets", 50000},
    {31, "flow_control_bvc", "rate_bps", 160000},
    {31, "flow_control_bvc", "ms_bucket_octets", 25000},
    {31, "flow_control_bvc", "ms_rate_bps", 80000},
    {31, "flow_control_bvc", "ratio_percent", FIELD_ABSENT},
    {32, "flow_control_bvc", "bucket_octets", 500000},
    {32, "flow_control_bvc", "rate_bps", 1600000},
    {32, "flow_control_bvc", "ms_bucket_octets", 250000},
    {32, "flow_control_bvc", "ms_rate_bps", 800000},
    {32, "flow_control_bvc", "ratio_percent", 50},
    {32, "flow_control_bvc", "measurement_cs", 120},
    {32, "flow_control_bvc", "granularity", 1},
    {33, "flow_control_bvc_ack", "tag", 5},
    {34, "flow_control_ms", "tlli", TLLI},
    {34, "flow_control_ms", "tag", 9},
    {34, "flow_control_ms", "bucket_octets", 10000},
    {34, "flow_control_ms", "rate_bps", 40000},
    {35, "flow_control_ms", "rate_bps", 0},
    {35, "flow_control_ms", "ratio_percent", 100},
    {36, "flow_control_ms_ack", "tag", 9},
    {37, "flow_control_pfc", "pfcs", 2},
    {37, "flow_control_pfc", "bucket_octets", FIELD_ABSENT},
    {38, "flow_control_pfc", "pfcs", 1},
    {38, "flow_control_pfc", "bucket_octets", 10000},
    {39, "flow_control_pfc_ack", "tag", 3},
    {40, "llc_discarded", "frames_discarded", 2},
    {40, "llc_discarded", "bvci", 1800},
    {40, "llc_discarded", "octets_affected", 1040},
    {40, "llc_discarded", "pfi", 9},
    {41, "flush_ll", "bvci", 1800},
    {41, "flush_ll", "bvci_new", 1801},
    {42, "flush_ll_ack", "flush_action", 0},
    {42, "flush_ll_ack", "octets_affected", 3000},
    {42, "flush_ll_ack", "bvci_new", FIELD_ABSENT},
    {43, "flush_ll_ack", "bvci_new", 1801},
    {43, "flush_ll_ack", "octets_affected", 512},
    {44, "radio_status", "radio_cause", 0},
    {44, "radio_status", "tlli", TLLI},
    {45, "suspend", "routeing_area", 5},
    {46, "suspend_ack", "suspend_ref", 42},
    {47, "suspend_nack", "cause", 4},
    {48, "resume", "suspend_ref", 42},
    {49, "resume_ack", "routeing_area", 5},
    {50, "resume_nack", "cause", 4},
    {51, "ra_capability_update", "tag", 1},
    {52, "ra_capability_update_ack", "ra_cap_cause", 0},
    {52, "ra_capability_update_ack", "imsi", 8},
    {52, "ra_capability_update_ack", "ms_ra_capability", 25},
    {53, "ra_capability", "ms_ra_capability", 25},
    {54, "paging_ps", "imsi", 8},
    {54, "paging_ps", "routeing_area", 5},
    {54, "paging_ps", "qos_profile", 3},
    {54, "paging_ps", "tmsi", TLLI},
    {55, "paging_ps", "bvci", 1800},
    {55, "paging_ps", "drx_parameters", 2},
    {56, "sgsn_invoke_trace", "trace_type", 1},
    {56, "sgsn_invoke_trace", "trace_reference", 7},
    {56, "sgsn_invoke_trace", "mobile_id", 8},
    {57, "download_bss_pfc", "pfi", 9},
    {58, "create_bss_pfc", "pft", 10},
    {58, "create_bss_pfc", "abqp", 11},
    {58, "create_bss_pfc", "t10", FIELD_ABSENT},
    {59, "create_bss_pfc_ack", "abqp", 11},
    {60, "create_bss_pfc_nack", "cause", 10},
    {61, "modify_bss_pfc", "abqp", 11},
    {62, "modify_bss_pfc_ack", "pft", 10},
    {63, "delete_bss_pfc", "pfi", 9},
    {64, "delete_bss_pfc_ack", "pfi", 9},
    {65, "delete_bss_pfc_req", "cause", 11},
    {66, "dl_unitdata", "tlli", TLLI},
    {66, "dl_unitdata", "lifetime_cs", 600},
    {66, "dl_unitdata", "llc_pdu", 38},
    {67, "dl_unitdata", "lifetime_cs", 0xffff},
    {67, "dl_unitdata", "tlli_old", 0xaabbccdd},
    {67, "dl_unitdata", "imsi", 8},
    {67, "dl_unitdata", "pfi", 9},
    {67, "dl_unitdata", "alignment", 2},
    {67, "dl_unitdata", "llc_pdu", 38},
    {68, "dl_unitdata", "llc_pdu", 198},
    {69, "ul_unitdata", "cell_id", 1},
    {69, "ul_unitdata", "pfi", 0},
    {69, "ul_unitdata", "llc_pdu", 38},
};

TEST(fields_of_the_vectors)
{
    for (size_t i = 0; i < sizeof vector_fields / sizeof vector_fields[0]; i++) {
        struct bssgp pdu;
        const struct vector *v = vectors_get(vector_fields[i].vector);
        assert_int_equal(bssgp_decode(&pdu, v->bytes, v->octets), v->octets);
        assert_string_equal(pdu.head.row->name, vector_fields[i].name);
        assert_int_equal(pdu_field(&bssgp_grammar, &pdu.head, vector_fields[i].field),
                         vector_fields[i].value);
    }
}

TEST(vectors_come_back)
{
    size_t count;
    const struct vector *v = vectors_load("bssgp.txt", &count);
    for (size_t i = 0; i < count; i++) {
        struct bssgp pdu;
        uint8_t bytes[VECTORS_MAX_OCTETS];
        assert_int_equal(bssgp_decode(&pdu, v[i].bytes, v[i].octets), v[i].octets);
        assert_int_equal(bssgp_encode(bytes, sizeof bytes, &pdu), v[i].octets);
        assert_memory_equal(bytes, v[i].bytes, v[i].octets);
        for (size_t cap = 0; cap < v[i].octets; cap++)
            assert_int_equal(bssgp_encode(bytes, cap, &pdu), ERR_NO_SPACE);
    }
}

TEST(errors_and_their_causes)
{
    static const struct {
        const char *hex;
        int err;
        uint8_t cause;
    } rows[] = {
        {"", ERR_TRUNCATED, 0x27},
        {"03", ERR_UNSUPPORTED, 0x27},
        {"ff", ERR_UNSUPPORTED, 0x27},
        {"281e8109", ERR_MALFORMED, 0x22},                                 /* no TLLI */
        {"281f84c12345671e810912820064", ERR_MALFORMED, 0x22},             /* no rate */
        {"281f83c123451e81091282006403820190", ERR_MALFORMED, 0x21},       /* TLLI of three octets */
        {"281f84c12345671e8109128200640382", ERR_TRUNCATED, 0x21},         /* mandatory element overruns */
        {"281f84c12345671e81091282006403", ERR_TRUNCATED, 0x21},           /* identifier alone */
        {"281f84c12345671e810912820064038201903c80", ERR_MALFORMED, 0x25}, /* ratio without value */
        {"00c12345670000", ERR_TRUNCATED, 0x21},
        {"00c123456700002016820258", ERR_MALFORMED, 0x22},         /* no LLC-PDU */
        {"00c12345670000200e80", ERR_MALFORMED, 0x22},             /* no lifetime */
        {"00c1234567000020168202580e85aa", ERR_TRUNCATED, 0x21},   /* LLC-PDU overruns */
        {"0a198100", ERR_MALFORMED, 0x23},                         /* nobody named */
        {"0a1f84c12345672084c1234567198100", ERR_MALFORMED, 0x24}, /* named twice */
        {"060d882926240000000010188300002004820708", 0, 0},        /* one area */
        {"060d88292624000000001018830000200482070802810"
         "0",
         ERR_MALFORMED, 0x24},                                                   /* two areas */
        {"060d88292624000000001018830000201b8562f2241234", ERR_MALFORMED, 0x25}, /* short area */
        {"060d8829262400000000101883000020", ERR_MALFORMED, 0x23},               /* no area */
        {"060d8829a6240000000010188300002004820708", ERR_MALFORMED, 0x21},       /* IMSI with a letter */
        {"2b1f84c12345670c81012583000200", ERR_MALFORMED, 0x23},                 /* transferred: where? */
        {"091f84c12345671e81011a8100", ERR_MALFORMED, 0x23},                     /* OK: capability? */
        {"091f84c12345671e81011a8101", 0, 0},
        {"2d1f84c12345671e810352850109003200", ERR_MALFORMED, 0x21}, /* flow of five octets cut */
        {"2d1f84c12345671e810352810c", ERR_MALFORMED, 0x21},         /* twelve flows, none there */
        {"2d1f84c12345671e8103528c020109003200c80a0014006400", ERR_MALFORMED, 0x21}, /* two, and an octet */
        {"2d1f84c12345671e8103528100", 0, 0},                                        /* no flow */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bssgp pdu;
        uint8_t bytes[64];
        size_t len = pdu_from_hex(rows[i].hex, bytes);
        int n = bssgp_decode(&pdu, bytes, len);
        assert_int_equal(n, rows[i].err ? rows[i].err : (int)len);
        assert_int_equal(pdu.error_cause, rows[i].cause);
    }
}

TEST(what_may_be_ignored_is)
{
    static const struct {
        const char *hex, *field;
        int64_t value;
    } rows[] = {
        {"2204820708078108"
         "fe8312345677820000",
         "bvci", 1800}, /* unknown elements */
        {"22078108"
         "04820708",
         "bvci", 1800}, /* another order */
        {"2204000207080700010"
         "8",
         "cause", 8},                           /* two-octet lengths */
        {"220484070899aa078108", "bvci", 1800}, /* longer than its value */
        {"2c1f84c12345670f810204820708258300041028"
         "80",
         "pfi", FIELD_ABSENT},                                               /* optional and empty */
        {"2c1f84c12345670f81020482070825830004102881", "pfi", FIELD_ABSENT}, /* optional and overrun */
        {"2204820708078108fe05", "bvci", 1800},                              /* unknown and overrun */
        {"2204820708"
         "0482000a"
         "078108",
         "bvci", 1800}, /* repeated */
        {"2204820708078108088862f224123405000108880000000000000000", "cell_id", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bssgp pdu;
        uint8_t bytes[64];
        size_t len = pdu_from_hex(rows[i].hex, bytes);
        assert_int_equal(bssgp_decode(&pdu, bytes, len), len);
        assert_int_equal(pdu_field(&bssgp_grammar, &pdu.head, rows[i].field), rows[i].value);
    }
}

TEST(direction_and_kind_of_bvc)
{
    static const struct {
        uint8_t type;
        enum bssgp_sender from;
        uint16_t bvci;
        int cause;
    } rows[] = {
        {BSSGP_DL_UNITDATA, BSSGP_FROM_SGSN, 2, 0},
        {BSSGP_DL_UNITDATA, BSSGP_FROM_BSS, 2, 0x27},
        {BSSGP_DL_UNITDATA, BSSGP_FROM_SGSN, 0, 0x26},
        {BSSGP_UL_UNITDATA, BSSGP_FROM_BSS, 65535, 0},
        {BSSGP_UL_UNITDATA, BSSGP_FROM_BSS, 1, 0x26},
        {BSSGP_BVC_RESET, BSSGP_FROM_BSS, 0, 0},
        {BSSGP_BVC_RESET, BSSGP_FROM_SGSN, 0, 0},
        {BSSGP_BVC_RESET, BSSGP_FROM_BSS, 1800, 0x26},
        {BSSGP_BVC_BLOCK, BSSGP_FROM_SGSN, 0, 0x27},
        {BSSGP_MODIFY_BSS_PFC, BSSGP_FROM_BSS, 2, 0},
        {BSSGP_MODIFY_BSS_PFC, BSSGP_FROM_SGSN, 2, 0x27},
        {BSSGP_MODIFY_BSS_PFC_ACK, BSSGP_FROM_SGSN, 2, 0},
        {BSSGP_FLOW_CONTROL_BVC, BSSGP_FROM_BSS, 0, 0x26},
        {BSSGP_PAGING_PS, BSSGP_FROM_SGSN, 0, 0},
        {BSSGP_PAGING_PS, BSSGP_FROM_SGSN, 7, 0},
        {BSSGP_STATUS, BSSGP_FROM_BSS, 1, 0},
        {0x03, BSSGP_FROM_BSS, 0, 0x27},
        {0x04, BSSGP_FROM_SGSN, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(bssgp_misplaced_cause(rows[i].type, rows[i].from, rows[i].bvci), rows[i].cause);
}

TEST(every_type_of_the_list_is_known)
{
    static const uint8_t ranges[][2] = {{0x00, 0x02}, {0x04, 0x15}, {0x20, 0x2e}, {0x40, 0x42}, {0x50, 0x5e},
                                        {0x60, 0x64}, {0x70, 0x74}, {0x80, 0x85}, {0x91, 0x93}};
    unsigned known = 0;
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
        for (unsigned type = ranges[r][0]; type <= ranges[r][1]; type++, known++)
            assert_non_null(pdu_row_get(&bssgp_grammar, (uint8_t)type));
    assert_int_equal(known, bssgp_grammar.row_count);
}

UNIT_MAIN(NULL, NULL)
