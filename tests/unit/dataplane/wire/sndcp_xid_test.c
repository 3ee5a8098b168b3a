/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp_xid.h"

#include "dataplane/base/bytes.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include <string.h>

enum { MOST_OCTETS = 80 };

PROBED(decode, struct sndcp_xid, sndcp_xid_decode)

#define OCTETS(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define VERSION_0   0x00, 0x01, 0x00

/* Fields that encode as they were read, and their first and last entity. */
static const struct row {
    const char *what;
    const uint8_t *bytes;
    size_t octets;
    unsigned count;
    struct sndcp_xid_entity first, last; /* without parameters, but for their octets */
} rows[] = {
    {"V.42bis and RFC 1144 proposed",
     OCTETS(VERSION_0, 0x01, 0x0a, 0x81, 0x00, 0x07, 0x10, 0x00, 0x20, 0x03, 0x08, 0x00, 0x14, 0x02, 0x07,
            0x80, 0x00, 0x04, 0x12, 0x00, 0x20, 0x0f),
     2,
     {.kind = SNDCP_XID_DATA,
      .number = 1,
      .is_proposal = true,
      .value_count = 1,
      .values = {1},
      .nsapis = 0x20,
      .parameter_octets = 4},
     {.kind = SNDCP_XID_HEADER,
      .is_proposal = true,
      .value_count = 2,
      .values = {1, 2},
      .nsapis = 0x20,
      .parameter_octets = 1}},
    {"accepted, with less",
     OCTETS(VERSION_0, 0x01, 0x08, 0x01, 0x06, 0x00, 0x20, 0x02, 0x02, 0x00, 0x14, 0x02, 0x05, 0x00, 0x03,
            0x00, 0x20, 0x07),
     2,
     {.kind = SNDCP_XID_DATA, .number = 1, .nsapis = 0x20, .parameter_octets = 4},
     {.kind = SNDCP_XID_HEADER, .nsapis = 0x20, .parameter_octets = 1}},
    {"both refused",
     OCTETS(VERSION_0, 0x01, 0x08, 0x01, 0x06, 0x00, 0x00, 0x03, 0x08, 0x00, 0x14, 0x02, 0x05, 0x00, 0x03,
            0x00, 0x00, 0x0f),
     2,
     {.kind = SNDCP_XID_DATA, .number = 1, .parameter_octets = 4},
     {.kind = SNDCP_XID_HEADER, .parameter_octets = 1}},
    {"an entity ends",
     OCTETS(VERSION_0, 0x02, 0x04, 0x00, 0x02, 0x00, 0x00),
     1,
     {.kind = SNDCP_XID_HEADER},
     {.kind = SNDCP_XID_HEADER}},
    {"a real phone's: ROHC on all NSAPIs, RFC 1144",
     OCTETS(VERSION_0, 0x02, 0x31, 0x82, 0x02, 0x27, 0x89, 0xff, 0xe0, 0x00, 0x0f, 0x00, 0xa8, 0x00, 0x00,
            0x00, 0x01, 0x01, 0x01, 0x00, 0x02, 0x01, 0x02, 0x00, 0x03, 0x01, 0x03, 0x00, 0x04, 0x01, 0x04,
            0x00, 0x05, 0x01, 0x05, 0x00, 0x06, 0x00, 0x07, 0x01, 0x07, 0x00, 0x08, 0x01, 0x08, 0x80, 0x00,
            0x04, 0x12, 0x00, 0x40, 0x07),
     2,
     {.kind = SNDCP_XID_HEADER,
      .number = 2,
      .is_proposal = true,
      .algorithm = 2,
      .value_count = 2,
      .values = {8, 9},
      .nsapis = 0xffe0,
      .parameter_octets = 36},
     {.kind = SNDCP_XID_HEADER,
      .is_proposal = true,
      .value_count = 2,
      .values = {1, 2},
      .nsapis = 0x40,
      .parameter_octets = 1}},
    {"RFC 2507: five values",
     OCTETS(0x02, 0x0f, 0x83, 0x01, 0x0c, 0x12, 0x34, 0x50, 0x00, 0x20, 0x01, 0x00, 0x05, 0x10, 0xff, 0x0f,
            0xff),
     1,
     {.kind = SNDCP_XID_HEADER,
      .number = 3,
      .is_proposal = true,
      .algorithm = 1,
      .value_count = 5,
      .values = {1, 2, 3, 4, 5},
      .nsapis = 0x20,
      .parameter_octets = 7},
     {.kind = SNDCP_XID_HEADER,
      .number = 3,
      .is_proposal = true,
      .algorithm = 1,
      .value_count = 5,
      .values = {1, 2, 3, 4, 5},
      .nsapis = 0x20,
      .parameter_octets = 7}},
    {"V.44, and an unknown algorithm: NSAPIs are not known",
     OCTETS(0x01, 0x0c, 0x81, 0x01, 0x04, 0x12, 0x00, 0x20, 0x80, 0x9f, 0x1f, 0x02, 0x77, 0x88),
     2,
     {.kind = SNDCP_XID_DATA,
      .number = 1,
      .is_proposal = true,
      .algorithm = 1,
      .value_count = 2,
      .values = {1, 2},
      .nsapis = 0x20,
      .parameter_octets = 1},
     {.kind = SNDCP_XID_DATA, .number = 31, .is_proposal = true, .algorithm = 31, .parameter_octets = 2}},
};

static void assert_entity(const struct sndcp_xid_entity *is, const struct sndcp_xid_entity *wanted)
{
    assert_int_equal(is->kind, wanted->kind);
    assert_int_equal(is->number, wanted->number);
    assert_int_equal(is->is_proposal, wanted->is_proposal);
    assert_int_equal(is->algorithm, wanted->algorithm);
    assert_int_equal(is->nsapis, wanted->nsapis);
    assert_int_equal(is->value_count, wanted->value_count);
    assert_memory_equal(is->values, wanted->values, sizeof is->values);
    assert_int_equal(is->parameter_octets, wanted->parameter_octets);
}

TEST(rows_decode_and_encode)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *row = &rows[i];
        struct sndcp_xid xid;
        uint8_t back[MOST_OCTETS];
        print_message("%s\n", row->what);
        assert_int_equal(probe_exact(decode, row->bytes, row->octets), (int)row->octets);
        sndcp_xid_decode(&xid, row->bytes, row->octets);
        assert_int_equal(xid.has_version, row->bytes[0] == SNDCP_XID_VERSION);
        assert_int_equal(xid.count, row->count);
        assert_entity(&xid.entities[0], &row->first);
        assert_entity(&xid.entities[xid.count - 1], &row->last);
        assert_int_equal(sndcp_xid_encode(back, sizeof back, &xid), (int)row->octets);
        assert_memory_equal(back, row->bytes, row->octets);
        for (size_t cap = 0; cap < row->octets; cap++)
            assert_int_equal(sndcp_xid_encode(back, cap, &xid), ERR_NO_SPACE);
    }
}

/* Cut anywhere but between parameters, it says so, and has the entities that are whole. */
TEST(every_truncation)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t cut = 0; cut < rows[i].octets; cut++) {
            struct sndcp_xid xid;
            int answer = probe_exact(decode, rows[i].bytes, cut);
            sndcp_xid_decode(&xid, rows[i].bytes, cut);
            assert_true(answer == (int)cut || answer == ERR_TRUNCATED);
            assert_true(xid.count < rows[i].count || (xid.count == rows[i].count && answer == ERR_TRUNCATED));
        }
}

/* Whole fields that do not encode to what was read, and broken ones. */
static const struct {
    const uint8_t *bytes;
    size_t octets;
    int answer;
    unsigned count;
    bool has_version;
} odd[] = {
    {OCTETS(0x00, 0x01, 0xf0), 3, 0, true},                          /* spare bits of the version */
    {OCTETS(0x00, 0x02, 0x00, 0x00), 4, 0, false},                   /* a version of two octets */
    {OCTETS(0x07, 0x01, 0x41, VERSION_0), 6, 0, true},               /* another parameter */
    {OCTETS(0x01, 0x00, 0x02, 0x00), 4, 0, false},                   /* no entity */
    {OCTETS(0x02, 0x04, 0x60, 0x02, 0x00, 0x20), 6, 1, false},       /* spare bits of an entity */
    {OCTETS(0x02, 0x03, 0x00, 0x01, 0x00), ERR_TRUNCATED, 0, false}, /* half of the NSAPIs */
    {OCTETS(0x01, 0x05, 0x80, 0x00, 0x02, 0x10, 0x00), ERR_TRUNCATED, 0, false},
    {OCTETS(0x01, 0x04, 0x80, 0x09, 0x01, 0x10), ERR_TRUNCATED, 0, false}, /* less than any NSAPIs */
    {OCTETS(0x02, 0x04, 0x03, 0x03, 0x00, 0x20), ERR_TRUNCATED, 0, false}, /* longer than its parameter */
    {OCTETS(0x02, 0x07, 0x03, 0x02, 0x00, 0x20), ERR_TRUNCATED, 0, false}, /* longer than the field */
    {OCTETS(0x02, 0x06, 0x03, 0x02, 0x00, 0x20, 0x04, 0x01), ERR_TRUNCATED, 1, false},
};

TEST(odd_fields)
{
    for (size_t i = 0; i < COUNT(odd); i++) {
        struct sndcp_xid xid;
        print_message("odd %zu\n", i);
        assert_int_equal(probe_exact(decode, odd[i].bytes, odd[i].octets), odd[i].answer);
        sndcp_xid_decode(&xid, odd[i].bytes, odd[i].octets);
        assert_int_equal(xid.count, odd[i].count);
        assert_int_equal(xid.has_version, odd[i].has_version);
        assert_int_equal(xid.version, 0);
    }
}

/* As many of the shortest entities as fit; one octet more is no field of XID. */
TEST(most_entities)
{
    uint8_t bytes[SNDCP_XID_MAX_OCTETS + 1] = {SNDCP_XID_HEADER, 4 * SNDCP_XID_MAX_ENTITIES},
                                         back[SNDCP_XID_MAX_OCTETS];
    struct sndcp_xid xid;
    size_t octets = 2 + 4 * SNDCP_XID_MAX_ENTITIES;
    for (unsigned i = 0; i < SNDCP_XID_MAX_ENTITIES; i++)
        memcpy(bytes + 2 + 4 * (size_t)i, (uint8_t[]){i % SNDCP_XID_NUMBERS, 2, 0, 0x20}, 4);
    assert_int_equal(probe_exact(decode, bytes, octets), (int)octets);
    sndcp_xid_decode(&xid, bytes, octets);
    assert_int_equal(xid.count, SNDCP_XID_MAX_ENTITIES);
    assert_int_equal(sndcp_xid_encode(back, sizeof back, &xid), (int)octets);
    xid.has_version = true;
    assert_int_equal(sndcp_xid_encode(back, sizeof back, &xid), ERR_NO_SPACE);
    assert_int_equal(sndcp_xid_decode(&xid, bytes, sizeof bytes), ERR_RANGE);
    assert_int_equal(xid.count, 0);
}

TEST(what_does_not_fit_is_not_written)
{
    static const struct sndcp_xid_entity bad[] = {
        {.kind = SNDCP_XID_VERSION},
        {.kind = SNDCP_XID_HEADER, .number = 32},
        {.kind = SNDCP_XID_HEADER, .is_proposal = true, .algorithm = 32},
        {.kind = SNDCP_XID_HEADER, .is_proposal = true, .value_count = 1, .values = {1}},
        {.kind = SNDCP_XID_HEADER, .is_proposal = true, .value_count = 2, .values = {1, 16}},
        {.kind = SNDCP_XID_HEADER, .value_count = 2, .values = {1, 2}},
        {.kind = SNDCP_XID_DATA, .is_proposal = true, .algorithm = 9},
        {.kind = SNDCP_XID_DATA, .parameter_octets = 254},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct sndcp_xid xid = {.count = 1, .entities = {bad[i]}};
        uint8_t bytes[SNDCP_XID_MAX_OCTETS];
        assert_int_equal(sndcp_xid_encode(bytes, sizeof bytes, &xid), ERR_RANGE);
    }
    uint8_t bytes[3];
    assert_int_equal(sndcp_xid_encode(bytes, 3, &(struct sndcp_xid){.has_version = true, .version = 16}),
                     ERR_RANGE);
}

static const struct {
    unsigned kind, algorithm;
    const uint8_t *bytes;
    size_t octets;
    struct sndcp_xid_parameters parameters;
} of[] = {
    {SNDCP_XID_HEADER, SNDCP_XID_RFC1144, OCTETS(0x0f), {1, {15}}},
    {SNDCP_XID_HEADER,
     SNDCP_XID_RFC2507,
     OCTETS(0x01, 0x00, 0x05, 0xa8, 0x0f, 0x00, 0x0f),
     {5, {256, 5, 168, 15, 15}}},
    {SNDCP_XID_HEADER,
     SNDCP_XID_ROHC,
     OCTETS(0x00, 0x0f, 0x00, 0xa8, 0x00, 0x00, 0x01, 0x01),
     {4, {15, 168, 0, 257}}},
    {SNDCP_XID_DATA, SNDCP_XID_V42BIS, OCTETS(0x03, 0x08, 0x00, 0x14), {3, {3, 2048, 20}}},
    {SNDCP_XID_DATA,
     SNDCP_XID_V44,
     OCTETS(0xc0, 0x03, 0x02, 0x00, 0x02, 0x00, 0x06, 0x00, 0x06, 0x00),
     {6, {192, 3, 512, 512, 1536, 1536}}},
    {SNDCP_XID_DATA, SNDCP_XID_V42BIS, OCTETS(0x02), {1, {2}}},
};

TEST(parameters)
{
    for (size_t i = 0; i < COUNT(of); i++) {
        struct sndcp_xid_parameters out;
        uint8_t longer[16] = {0}, back[16];
        memcpy(longer, of[i].bytes, of[i].octets);
        assert_int_equal(
            sndcp_xid_parameters_decode(&out, of[i].kind, of[i].algorithm, of[i].bytes, of[i].octets),
            (int)of[i].octets);
        assert_memory_equal(&out, &of[i].parameters, sizeof out);
        assert_int_equal(sndcp_xid_parameters_encode(back, sizeof back, of[i].kind, of[i].algorithm, &out),
                         (int)of[i].octets);
        assert_memory_equal(back, of[i].bytes, of[i].octets);
        assert_int_equal(
            sndcp_xid_parameters_encode(back, of[i].octets - 1, of[i].kind, of[i].algorithm, &out),
            ERR_NO_SPACE);
    }
}

TEST(parameters_that_are_cut_short_or_out_of_range)
{
    static const uint8_t v42bis[] = {0x03, 0x08, 0x00, 0x14, 0xff};
    struct sndcp_xid_parameters out;
    uint8_t back[2 * SNDCP_XID_MAX_PARAMETERS];
    assert_int_equal(sndcp_xid_parameters_decode(&out, SNDCP_XID_DATA, SNDCP_XID_V42BIS, v42bis, 2), 1);
    assert_int_equal(out.count, 1);
    assert_int_equal(sndcp_xid_parameters_decode(&out, SNDCP_XID_DATA, SNDCP_XID_V42BIS, v42bis, 5), 4);
    assert_int_equal(out.count, 3);
    assert_int_equal(sndcp_xid_parameters_decode(&out, SNDCP_XID_DATA, 2, v42bis, 5), ERR_UNSUPPORTED);
    assert_int_equal(sndcp_xid_parameters_encode(back, sizeof back, SNDCP_XID_HEADER, 3, &out),
                     ERR_UNSUPPORTED);
    out = (struct sndcp_xid_parameters){3, {3, 511, 20}};
    assert_int_equal(sndcp_xid_parameters_encode(back, sizeof back, SNDCP_XID_DATA, 0, &out), ERR_RANGE);
    out = (struct sndcp_xid_parameters){3, {3, 512, 251}};
    assert_int_equal(sndcp_xid_parameters_encode(back, sizeof back, SNDCP_XID_DATA, 0, &out), ERR_RANGE);
    out = (struct sndcp_xid_parameters){2, {15, 0}};
    assert_int_equal(sndcp_xid_parameters_encode(back, sizeof back, SNDCP_XID_HEADER, 0, &out), ERR_RANGE);
    const struct sndcp_xid_algorithm *row = sndcp_xid_algorithm_get(SNDCP_XID_DATA, SNDCP_XID_V42BIS);
    assert_string_equal(row->name, "v42bis");
    assert_int_equal(row->ranges[1].initial, 2048);
    assert_null(sndcp_xid_algorithm_get(SNDCP_XID_VERSION, 0));
}

TEST(noise_and_mutations)
{
    probe_noise(decode, 44065);
    for (size_t i = 0; i < COUNT(rows); i++)
        probe_mutations(decode, rows[i].bytes, rows[i].octets, i + 1);
}

UNIT_MAIN(NULL, NULL)
