/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile's elements in DL-UNITDATA, and alignment octets: headers of the hot path as the tables read them.
 */
#include "dataplane/wire/bssgp.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp_unitdata.h"

#include <string.h>

#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/unit.h"

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

static const struct row rows[] = {
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
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bssgp_elements_values in = values_of(&rows[i]);
        struct bssgp_elements out = {.front_octets = 9, .back_octets = 9};
        int status = bssgp_elements_encode(&out, &in);
        if (status != rows[i].status)
            fail_msg("%s: %d", rows[i].name, status);
        assert_int_equal(bssgp_elements_octets(&out), status < 0 ? 0 : status);
        assert_int_equal(out.front_octets, rows[i].front);
        if (status > 0)
            assert_memory_equal(out.bytes, rows[i].begins, rows[i].begins_octets);
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
        assert_int_equal((n - 1 - tlv_length_octets(in->llc_octets)) % 4, 0);
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

UNIT_MAIN(NULL, NULL)
