/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"

#include <stdlib.h>
#include <string.h>

static const int64_t TLLI = 0xc1234567;

#define FIELDS_MAX 7

static const struct {
    unsigned vector;
    const char *name;
    struct {
        const char *name;
        int64_t value;
    } fields[FIELDS_MAX];
} vector_fields[] = {
    {20, "bvc_reset", {{"bvci", 0}, {"cause", 8}, {"cell_id", FIELD_ABSENT}}},
    {21, "bvc_reset", {{"feature_bitmap", 0x23}, {"extended_feature_bitmap", 2}}},
    {22, "bvc_reset", {{"bvci", 1800}, {"cell_id", 1}}},
    {23, "bvc_reset_ack", {{"feature_bitmap", 2}}},
    {24, "bvc_reset_ack", {{"bvci", 1800}}},
    {25, "bvc_block", {{"cause", 1}}},
    {26, "bvc_block_ack", {{"bvci", 1800}}},
    {27, "bvc_unblock", {{"bvci", 1800}}},
    {28, "bvc_unblock_ack", {{"bvci", 1800}}},
    {29, "status", {{"cause", 5}, {"bvci", 1800}}},
    {30, "status", {{"cause", 0x22}, {"pdu_in_error", 4}}},
    {31, "flow_control_bvc",
     LIST({"tag", 5}, {"bucket_octets", 50000}, {"rate_bps", 160000}, {"ms_bucket_octets", 25000},
          {"ms_rate_bps", 80000}, {"ratio_percent", FIELD_ABSENT})},
    {32, "flow_control_bvc",
     LIST({"bucket_octets", 500000}, {"rate_bps", 1600000}, {"ms_bucket_octets", 250000},
          {"ms_rate_bps", 800000}, {"ratio_percent", 50}, {"measurement_cs", 120}, {"granularity", 1})},
    {33, "flow_control_bvc_ack", {{"tag", 5}}},
    {34, "flow_control_ms", {{"tlli", TLLI}, {"tag", 9}, {"bucket_octets", 10000}, {"rate_bps", 40000}}},
    {35, "flow_control_ms", {{"rate_bps", 0}, {"ratio_percent", 100}}},
    {36, "flow_control_ms_ack", {{"tag", 9}}},
    {37, "flow_control_pfc", {{"pfcs", 2}, {"bucket_octets", FIELD_ABSENT}}},
    {38, "flow_control_pfc", {{"pfcs", 1}, {"bucket_octets", 10000}}},
    {39, "flow_control_pfc_ack", {{"tag", 3}}},
    {40, "llc_discarded", {{"frames_discarded", 2}, {"bvci", 1800}, {"octets_affected", 1040}, {"pfi", 9}}},
    {41, "flush_ll", {{"bvci", 1800}, {"bvci_new", 1801}}},
    {42, "flush_ll_ack", {{"flush_action", 0}, {"octets_affected", 3000}, {"bvci_new", FIELD_ABSENT}}},
    {43, "flush_ll_ack", {{"bvci_new", 1801}, {"octets_affected", 512}}},
    {44, "radio_status", {{"radio_cause", 0}, {"tlli", TLLI}}},
    {45, "suspend", {{"routeing_area", 5}}},
    {46, "suspend_ack", {{"suspend_ref", 42}}},
    {47, "suspend_nack", {{"cause", 4}}},
    {48, "resume", {{"suspend_ref", 42}}},
    {49, "resume_ack", {{"routeing_area", 5}}},
    {50, "resume_nack", {{"cause", 4}}},
    {51, "ra_capability_update", {{"tag", 1}}},
    {52, "ra_capability_update_ack", {{"ra_cap_cause", 0}, {"imsi", 8}, {"ms_ra_capability", 25}}},
    {53, "ra_capability", {{"ms_ra_capability", 25}}},
    {54, "paging_ps", {{"imsi", 8}, {"routeing_area", 5}, {"qos_profile", 3}, {"tmsi", TLLI}}},
    {55, "paging_ps", {{"bvci", 1800}, {"drx_parameters", 2}}},
    {56, "sgsn_invoke_trace", {{"trace_type", 1}, {"trace_reference", 7}, {"mobile_id", 8}}},
    {57, "download_bss_pfc", {{"pfi", 9}}},
    {58, "create_bss_pfc", {{"pft", 10}, {"abqp", 11}, {"t10", FIELD_ABSENT}}},
    {59, "create_bss_pfc_ack", {{"abqp", 11}}},
    {60, "create_bss_pfc_nack", {{"cause", 10}}},
    {61, "modify_bss_pfc", {{"abqp", 11}}},
    {62, "modify_bss_pfc_ack", {{"pft", 10}}},
    {63, "delete_bss_pfc", {{"pfi", 9}}},
    {64, "delete_bss_pfc_ack", {{"pfi", 9}}},
    {65, "delete_bss_pfc_req", {{"cause", 11}}},
    {66, "dl_unitdata", {{"tlli", TLLI}, {"lifetime_cs", 600}, {"llc_pdu", 38}}},
    {67, "dl_unitdata",
     LIST({"lifetime_cs", 0xffff}, {"tlli_old", 0xaabbccdd}, {"imsi", 8}, {"pfi", 9}, {"alignment", 2},
          {"llc_pdu", 38})},
    {68, "dl_unitdata", {{"llc_pdu", 198}}},
    {69, "ul_unitdata", {{"cell_id", 1}, {"pfi", 0}, {"llc_pdu", 38}}},
};

TEST(fields_of_the_vectors)
{
    for (size_t i = 0; i < COUNT(vector_fields); i++) {
        struct bssgp pdu;
        const struct vector *v = vectors_get(vector_fields[i].vector);
        assert_int_equal(bssgp_decode(&pdu, v->bytes, v->octets), v->octets);
        assert_string_equal(pdu.head.row->name, vector_fields[i].name);
        for (size_t k = 0; k < FIELDS_MAX && vector_fields[i].fields[k].name; k++)
            assert_int_equal(pdu_field(&bssgp_grammar, &pdu.head, vector_fields[i].fields[k].name),
                             vector_fields[i].fields[k].value);
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
        ROW("060d88292624000000001018830000200482070802810"
            "0",
            ERR_MALFORMED, 0x24),                                                /* two areas */
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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
        ROW("2204820708078108"
            "fe8312345677820000",
            "bvci", 1800), /* unknown elements */
        ROW("22078108"
            "04820708",
            "bvci", 1800), /* another order */
        ROW("2204000207080700010"
            "8",
            "cause", 8),                        /* two-octet lengths */
        {"220484070899aa078108", "bvci", 1800}, /* longer than its value */
        ROW("2c1f84c12345670f810204820708258300041028"
            "80",
            "pfi", FIELD_ABSENT),                                            /* optional and empty */
        {"2c1f84c12345670f81020482070825830004102881", "pfi", FIELD_ABSENT}, /* optional and overrun */
        {"2204820708078108fe05", "bvci", 1800},                              /* unknown and overrun */
        ROW("2204820708"
            "0482000a"
            "078108",
            "bvci", 1800), /* repeated */
        {"2204820708078108088862f224123405000108880000000000000000", "cell_id", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
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
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(bssgp_misplaced_cause(rows[i].type, rows[i].from, rows[i].bvci), rows[i].cause);
}

TEST(every_type_of_the_list_is_known)
{
    static const uint8_t ranges[][2] = {{0x00, 0x02}, {0x04, 0x15}, {0x20, 0x2e}, {0x40, 0x42}, {0x50, 0x5e},
                                        {0x60, 0x64}, {0x70, 0x74}, {0x80, 0x85}, {0x91, 0x93}};
    unsigned known = 0;
    for (size_t r = 0; r < COUNT(ranges); r++)
        for (unsigned type = ranges[r][0]; type <= ranges[r][1]; type++, known++)
            assert_non_null(pdu_row_get(&bssgp_grammar, (uint8_t)type));
    assert_int_equal(known, bssgp_grammar.row_count);
}

/* A mobile's elements in DL-UNITDATA, and alignment octets: headers of the hot path as the tables read them.
 */

static uint8_t some[BSSGP_ELEMENTS_OCTETS + 1];

static struct ie_span span(size_t octets)
{
    for (size_t i = 0; i < sizeof some; i++)
        some[i] = (uint8_t)(7 * i + 1);
    return (struct ie_span){.at = octets ? some : NULL, .octets = octets};
}

static struct bssgp_elements_values none(void)
{
    return (struct bssgp_elements_values){.priority = BSSGP_ELEMENTS_NONE,
                                          .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                          .spid = BSSGP_ELEMENTS_NONE};
}

/* Length indicators of one and two octets, the order of the clause, and what has no place. */
struct row {
    const char *name;
    size_t capability, drx, lsa;
    int priority, cco, spid;
    int status; /* octets, or an error */
    uint8_t front;
    const char *begins; /* with */
    size_t begins_octets;
};

#define BEGINS(string) string, sizeof(string) - 1

static const struct row elements_rows[] = {
    {"nothing", 0, 0, 0, -1, -1, -1, 0, 0, BEGINS("")},
    {"the least capability", 5, 0, 0, -1, -1, -1, 7, 7, BEGINS("\x13\x85\x01\x08")},
    {"a capability of no length", 4, 0, 0, -1, -1, -1, ERR_RANGE, 0, BEGINS("")},
    {"a length of one octet", 127, 0, 0, -1, -1, -1, 129, 129, BEGINS("\x13\xff\x01")},
    {"a length of two octets", 128, 0, 0, -1, -1, -1, 131, 131, BEGINS("\x13\x00\x80\x01")},
    {"the longest", 187, 0, 0, -1, -1, -1, 190, 190, BEGINS("\x13\x00\xbb\x01")},
    {"too long", 188, 0, 0, -1, -1, -1, ERR_NO_SPACE, 0, BEGINS("")},
    {"longer than all", 191, 0, 0, -1, -1, -1, ERR_NO_SPACE, 0, BEGINS("")},
    {"priority", 0, 0, 0, 0x4c, -1, -1, 3, 3, BEGINS("\x17\x81\x4c")},
    {"priority of two octets", 0, 0, 0, 256, -1, -1, ERR_RANGE, 0, BEGINS("")},
    {"priority below none", 0, 0, 0, -2, -1, -1, ERR_RANGE, 0, BEGINS("")},
    {"DRX", 0, 2, 0, -1, -1, -1, 4, 4, BEGINS("\x0a\x82\x01\x08")},
    {"DRX of one octet", 0, 1, 0, -1, -1, -1, ERR_RANGE, 0, BEGINS("")},
    {"DRX of three", 0, 3, 0, -1, -1, -1, ERR_RANGE, 0, BEGINS("")},
    {"LSA", 0, 0, 1, -1, -1, -1, 3, 0, BEGINS("\x27\x81\x01")},
    {"UTRAN cell change order", 0, 0, 0, -1, 0, -1, 3, 0, BEGINS("\x3d\x81\x00")},
    {"SPID", 0, 0, 0, -1, -1, 255, 3, 0, BEGINS("\x81\x81\xff")},
    {"in front", 5, 2, 0, 0, -1, -1, 14, 14,
     BEGINS("\x13\x85\x01\x08\x0f\x16\x1d\x17\x81\x00\x0a\x82\x01\x08")},
    {"behind", 0, 0, 1, -1, 1, 2, 9, 0, BEGINS("\x27\x81\x01\x3d\x81\x01\x81\x81\x02")},
    {"the last has no room", 178, 2, 0, -1, 1, 2, ERR_NO_SPACE, 0, BEGINS("")},
    {"the last has just room", 177, 2, 0, -1, 1, 2, 190, 184, BEGINS("\x13\x00\xb1")},
};

static struct bssgp_elements_values values_of(const struct row *row)
{
    return (struct bssgp_elements_values){.ms_ra_capability = span(row->capability),
                                          .drx_parameters = span(row->drx),
                                          .lsa_information = span(row->lsa),
                                          .priority = row->priority,
                                          .service_utran_cco = row->cco,
                                          .spid = row->spid};
}

TEST(encodings)
{
    for (size_t i = 0; i < COUNT(elements_rows); i++) {
        struct bssgp_elements_values in = values_of(&elements_rows[i]);
        struct bssgp_elements out = {.front_octets = 9, .back_octets = 9};
        int status = bssgp_elements_encode(&out, &in);
        if (status != elements_rows[i].status)
            fail_msg("%s: %d", elements_rows[i].name, status);
        assert_int_equal(bssgp_elements_octets(&out), status < 0 ? 0 : status);
        assert_int_equal(out.front_octets, elements_rows[i].front);
        if (status > 0)
            assert_memory_equal(out.bytes, elements_rows[i].begins, elements_rows[i].begins_octets);
    }
}

/* Row 67 has all that a mobile may have, and alignment octets. */
TEST(header_of_the_vector)
{
    static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0x10};
    const struct vector *v = vectors_get(67);
    struct bssgp want;
    uint8_t bytes[BSSGP_DL_HEADER_MAX_OCTETS];
    struct bssgp_elements elements;
    assert_int_equal(bssgp_decode(&want, v->bytes, v->octets), v->octets);
    struct bssgp_elements_values values = none();
    values.ms_ra_capability = want.ms_ra_capability;
    values.drx_parameters = want.drx_parameters;
    assert_true(bssgp_elements_encode(&elements, &values) > 0);
    struct bssgp_dl in = {.tlli = 0xc1234567,
                          .tlli_old = 0xaabbccdd,
                          .qos_profile = {0x03, 0x20, 0x3a},
                          .pfi = 9,
                          .has_tlli_old = true,
                          .has_pfi = true,
                          .lifetime_cs = 0xffff,
                          .llc_octets = (uint16_t)want.llc_pdu.octets,
                          .imsi_octets = sizeof imsi,
                          .imsi = imsi,
                          .elements = &elements};
    int octets = bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &in);
    size_t alignment = 2 + want.alignment.octets;
    assert_int_equal((size_t)octets + alignment + want.llc_pdu.octets, v->octets);
    assert_memory_equal(bytes, v->bytes, octets - 2);
    assert_memory_equal(bytes + octets - 2, v->bytes + octets - 2 + alignment, 2);
}

/* What the tables read of a header with everything that there is; the same PDU from the tables' encoder. */
static void check(const struct bssgp_dl *in, const struct bssgp_elements_values *values)
{
    static uint8_t bytes[BSSGP_DL_HEADER_MAX_OCTETS + 2000], again[sizeof bytes];
    struct bssgp out;
    int n = bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, in);
    assert_int_equal(n, bssgp_dl_unitdata_header_octets(in));
    assert_in_range(n, 14, BSSGP_DL_HEADER_MAX_OCTETS);
    assert_int_equal(bssgp_dl_unitdata_encode_header(again, (size_t)n - 1, in), ERR_NO_SPACE);
    int octets = n + in->llc_octets;
    assert_int_equal(bssgp_decode(&out, bytes, (size_t)octets), octets);
    assert_ptr_equal(out.llc_pdu.at, bytes + n);
    assert_int_equal(out.ms_ra_capability.octets, values->ms_ra_capability.octets);
    assert_int_equal(out.drx_parameters.octets, values->drx_parameters.octets);
    assert_int_equal(out.lsa_information.octets, values->lsa_information.octets);
    assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "priority"),
                     values->priority < 0 ? FIELD_ABSENT : values->priority);
    assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "service_utran_cco"),
                     values->service_utran_cco < 0 ? FIELD_ABSENT : values->service_utran_cco);
    assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "spid"),
                     values->spid < 0 ? FIELD_ABSENT : values->spid);
    if (in->is_aligned)
        assert_int_equal((n - 1 - ie_tlv_length_octets(in->llc_octets)) % 4, 0);
    assert_int_equal(bssgp_encode(again, sizeof again, &out), octets);
    assert_memory_equal(again, bytes, octets);
}

TEST(all_shapes)
{
    static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0x10};
    static const size_t capabilities[] = {0, 5, 6, 7, 8, 50, 127, 128};
    for (unsigned shape = 0; shape < 8 * 512; shape++) {
        struct bssgp_elements elements;
        struct bssgp_elements_values values = none();
        values.ms_ra_capability = span(capabilities[shape / 512]);
        values.drx_parameters = span(shape & 1 ? 2 : 0);
        values.lsa_information = span(shape & 2 ? 6 : 0);
        values.priority = shape & 4 ? 0x7f : -1;
        values.service_utran_cco = shape & 8 ? 0 : -1;
        values.spid = shape & 8 ? 1 : -1;
        assert_true(bssgp_elements_encode(&elements, &values) >= 0);
        struct bssgp_dl in = {.tlli = 0xfedcba98, .lifetime_cs = 9, .tlli_old = 7, .pfi = 9, .imsi = imsi};
        in.imsi_octets = shape & 16 ? sizeof imsi : 0;
        in.has_tlli_old = shape & 32;
        in.has_pfi = shape & 64;
        in.is_aligned = shape & 128;
        in.llc_octets = shape & 256 ? 128 : 127;
        in.elements = &elements;
        check(&in, &values);
    }
}

/* --- Values of BSSGP that are more than their octets: units, lists, bits, the options of DL-UNITDATA --- */

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
    for (size_t i = 0; i < COUNT(rows); i++) {
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
    for (size_t i = 0; i < COUNT(lengths); i++) {
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
        ROW("00c123456700002016820258"
            "8a82fe0b"
            "0e80",
            "send_state", 11),
        ROW("070d8429262401"
            "0a820000"
            "048200020b81fd",
            "emlpp", 5),
        ROW("281f84c12345671e81091282006403820190"
            "7e81fd",
            "granularity", 1),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
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
