/* SPDX-License-Identifier: BSD-3-Clause */
/* Cut and random octets through the decoders of NS and BSSGP, each in memory of its own length. */
#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/dataplane/wire/pdu_sheet.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/ie.h"
#include "dataplane/wire/pdu.h"

#include <stdlib.h>
#include <string.h>

/* Octets of the PDU encoded again, or the decoder's error. */
typedef int round_trip(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len);

static int ns_again(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len)
{
    struct ns ns;
    int n = ns_decode(&ns, bytes, len);
    if (n >= 0)
        return ns_encode(again, cap, &ns);
    assert_int_not_equal(ns.error_cause, 0);
    return n;
}

static int bssgp_again(uint8_t *again, size_t cap, const uint8_t *bytes, size_t len)
{
    struct bssgp pdu;
    struct bssgp_ul ul;
    bssgp_ul_unitdata_decode(&ul, bytes, len);
    int n = bssgp_decode(&pdu, bytes, len);
    if (n >= 0)
        return bssgp_encode(again, cap, &pdu);
    assert_int_not_equal(pdu.error_cause, 0);
    return n;
}

static const struct {
    const char *file;
    round_trip *again;
    unsigned types;
} codecs[] = {{"ns.txt", ns_again, 0x16}, {"bssgp.txt", bssgp_again, 0x94}};

/* A cut PDU is refused, or it is what it would be without its last elements. */
static void cut_everywhere(round_trip *again, const struct vector *v)
{
    for (size_t cut = 0; cut < v->octets; cut++) {
        uint8_t bytes[VECTORS_MAX_OCTETS], *exact = pdu_exact_copy(v->bytes, cut);
        int n = again(bytes, sizeof bytes, exact, cut);
        if (n >= 0) {
            assert_in_range(n, 1, cut);
            assert_memory_equal(bytes, v->bytes, n);
        }
        free(exact);
    }
}

TEST(truncations)
{
    for (size_t c = 0; c < COUNT(codecs); c++) {
        size_t count;
        const struct vector *v = vectors_load(codecs[c].file, &count);
        for (size_t i = 0; i < count; i++)
            cut_everywhere(codecs[c].again, &v[i]);
    }
}

TEST(random_octets)
{
    for (size_t c = 0; c < COUNT(codecs); c++) {
        uint32_t seed = 48016;
        unsigned decoded = 0;
        for (unsigned i = 0; i < 100000; i++) {
            uint8_t bytes[96], again[160];
            size_t len = pdu_random_octets(&seed, bytes, sizeof bytes, codecs[c].types);
            uint8_t *exact = pdu_exact_copy(bytes, len);
            int n = codecs[c].again(again, sizeof again, exact, len);
            free(exact);
            assert_true(n <= (int)len);
            decoded += n >= 0;
        }
        assert_in_range(decoded, 1000, 99999);
    }
}

/*
 * Is everything there that the clauses list? Each PDU of NS and BSSGP with each of its elements: in our
 * tables, in both forms of length, alone and all together, missing, and too short.
 */

enum { MISSING, TOO_SHORT, CONDITIONAL, FAULTS };

struct codec {
    const struct pdu_sheet *sheet;
    const struct pdu_grammar *grammar;
    uint8_t causes[FAULTS];
};

static const struct codec complete_codecs[] = {
    {&pdu_sheet_ns, &ns_grammar, {0x0d, 0x0c, 0x0c}},
    {&pdu_sheet_bssgp, &bssgp_grammar, {0x22, 0x21, 0x25}},
};

enum { CODECS = 2 };

/* What a decode said, whichever codec it was; again: the PDU encoded once more, if it decoded. */
struct outcome {
    int answer, octets;
    uint8_t cause, again[PDU_SHEET_MAX_OCTETS];
    struct pdu head;
};

static struct outcome decode(const struct codec *codec, const uint8_t *bytes, size_t len)
{
    struct outcome out = {0};
    struct ns ns;
    struct bssgp bssgp;
    uint8_t *exact = pdu_exact_copy(bytes, len);
    if (codec->sheet->is_ns) {
        out.answer = ns_decode(&ns, exact, len);
        out.cause = ns.error_cause;
        out.head = ns.head;
        out.octets = out.answer < 0 ? 0 : ns_encode(out.again, sizeof out.again, &ns);
    } else {
        out.answer = bssgp_decode(&bssgp, exact, len);
        out.cause = bssgp.error_cause;
        out.head = bssgp.head;
        out.octets = out.answer < 0 ? 0 : bssgp_encode(out.again, sizeof out.again, &bssgp);
    }
    free(exact);
    return out;
}

static unsigned count_present(const struct pdu *pdu)
{
    unsigned count = 0;
    for (unsigned i = 0; i < PDU_PRESENT_WORDS; i++)
        count += (unsigned)__builtin_popcount(pdu->present[i]);
    return count;
}

/* Elements of which exactly one may be there; the others of them are left out. */
static bool is_alternative(const struct codec *codec, const struct pdu_sheet_row *row, unsigned place)
{
    bool has_alternatives =
        row->type == BSSGP_PAGING_PS || row->type == BSSGP_PAGING_CS || row->type == BSSGP_RADIO_STATUS;
    return !codec->sheet->is_ns && has_alternatives && row->places[place].presence == 'C';
}

/* All places in one form, but for alternatives: of these the one numbered `which`. Returns whether there is
 * one. */
static bool fill(const struct codec *codec, const struct pdu_sheet_row *row, unsigned which,
                 enum pdu_sheet_form forms[PDU_SHEET_MAX_PLACES])
{
    unsigned alternatives = 0;
    for (unsigned i = 0; i < row->count; i++) {
        forms[i] = PDU_SHEET_SHORT;
        if (is_alternative(codec, row, i))
            forms[i] = alternatives++ == which ? PDU_SHEET_SHORT : PDU_SHEET_LEFT_OUT;
    }
    return which < (alternatives ? alternatives : 1);
}

typedef void check_row(const struct codec *codec, const struct pdu_sheet_row *row);

static void walk_rows(check_row *check)
{
    for (unsigned c = 0; c < CODECS; c++)
        for (const char *const *line = complete_codecs[c].sheet->rows; *line; line++) {
            struct pdu_sheet_row row = pdu_sheet_row_of(*line);
            check(&complete_codecs[c], &row);
        }
}

static void check_table(const struct codec *codec, const struct pdu_sheet_row *row)
{
    static const char presences[] = {
        [PDU_FIXED] = 'V', [PDU_MANDATORY] = 'M', [PDU_CONDITIONAL] = 'C', [PDU_OPTIONAL] = 'O'};
    const struct pdu_row *ours = pdu_row_get(codec->grammar, row->type);
    assert_non_null(ours);
    for (unsigned i = 0; i < row->count; i++) {
        const struct ie *ie = &codec->grammar->ies[ours->places[i].ie];
        assert_int_equal(presences[ours->places[i].presence], row->places[i].presence);
        if (row->places[i].presence == 'V') {
            assert_int_equal(ie->min_octets, row->places[i].iei);
            continue;
        }
        assert_int_equal(ie->iei, row->places[i].iei);
        assert_int_equal(ie->min_octets, pdu_sheet_least_of(codec->sheet, ie->iei));
    }
    assert_int_equal(ours->places[row->count].presence, PDU_END);
}

TEST(tables_are_those_of_the_clauses)
{
    walk_rows(check_table);
    for (unsigned c = 0; c < CODECS; c++) {
        size_t count = 0;
        while (complete_codecs[c].sheet->rows[count])
            count++;
        assert_int_equal(complete_codecs[c].grammar->row_count, count);
    }
}

/* Every element of a list belongs to some PDU of the sheet. */
TEST(no_element_is_idle)
{
    for (unsigned c = 0; c < CODECS; c++)
        for (size_t e = 0; e < complete_codecs[c].sheet->least_count; e++) {
            bool is_used = false;
            for (const char *const *line = complete_codecs[c].sheet->rows; *line; line++) {
                struct pdu_sheet_row row = pdu_sheet_row_of(*line);
                for (unsigned i = 0; i < row.count; i++)
                    is_used |= row.places[i].presence != 'V' &&
                               row.places[i].iei == complete_codecs[c].sheet->least[e].iei;
            }
            assert_true(is_used);
        }
}

static void check_everything(const struct codec *codec, const struct pdu_sheet_row *row)
{
    enum pdu_sheet_form forms[PDU_SHEET_MAX_PLACES];
    for (unsigned which = 0; fill(codec, row, which, forms); which++) {
        uint8_t bytes[PDU_SHEET_MAX_OCTETS];
        unsigned places = 0;
        for (unsigned i = 0; i < row->count; i++)
            places += row->places[i].presence == 'V' || forms[i] != PDU_SHEET_LEFT_OUT;
        size_t len = pdu_sheet_build(codec->sheet, row, forms, bytes);
        struct outcome out = decode(codec, bytes, len);
        assert_int_equal(out.answer, len);
        assert_int_equal(count_present(&out.head), places);
        assert_int_equal(out.octets, len);
        assert_memory_equal(out.again, bytes, len);
    }
}

TEST_CALL(every_pdu_with_every_element, walk_rows(check_everything))

/* One place in another form, all else as it was. */
static struct outcome with_form(const struct codec *codec, const struct pdu_sheet_row *row, unsigned place,
                                enum pdu_sheet_form form)
{
    enum pdu_sheet_form forms[PDU_SHEET_MAX_PLACES] = {0};
    uint8_t bytes[PDU_SHEET_MAX_OCTETS];
    unsigned which = 0;
    while (fill(codec, row, which, forms) && forms[place] == PDU_SHEET_LEFT_OUT)
        which++;
    forms[place] = form;
    return decode(codec, bytes, pdu_sheet_build(codec->sheet, row, forms, bytes));
}

static void check_long_form(const struct codec *codec, const struct pdu_sheet_row *row)
{
    for (unsigned i = 0; i < row->count; i++) {
        if (row->places[i].presence == 'V')
            continue;
        struct outcome plain = with_form(codec, row, i, PDU_SHEET_SHORT);
        struct outcome longer = with_form(codec, row, i, PDU_SHEET_LONG);
        assert_true(longer.answer >= plain.answer);
        assert_int_equal(longer.octets, plain.octets);
        assert_memory_equal(longer.again, plain.again, plain.octets);
    }
}

TEST_CALL(lengths_of_two_octets, walk_rows(check_long_form))

static unsigned times_wanted(const struct pdu_sheet_row *row, uint8_t iei)
{
    unsigned count = 0;
    for (unsigned i = 0; i < row->count; i++)
        count += row->places[i].presence != 'V' && row->places[i].iei == iei;
    return count;
}

/* Without a mandatory element a PDU is refused; without another it is what it was, less that one. */
static void check_missing(const struct codec *codec, const struct pdu_sheet_row *row)
{
    for (unsigned i = 0; i < row->count; i++) {
        /* A place left free is filled by a later element of the same identifier. */
        if (row->places[i].presence == 'V' || times_wanted(row, row->places[i].iei) > 1)
            continue;
        struct outcome out = with_form(codec, row, i, PDU_SHEET_LEFT_OUT);
        if (row->places[i].presence == 'M') {
            assert_int_equal(out.answer, ERR_MALFORMED);
            assert_int_equal(out.cause, codec->causes[MISSING]);
        } else if (is_alternative(codec, row, i)) {
            assert_int_equal(out.answer, ERR_MALFORMED);
            assert_int_equal(out.cause, BSSGP_CAUSE_CONDITIONAL_MISSING);
        } else if (out.answer < 0) {
            /* "Transferred" and "OK" call for what was left out. */
            assert_int_equal(out.cause, BSSGP_CAUSE_CONDITIONAL_MISSING);
            assert_true(row->type == BSSGP_FLUSH_LL_ACK || row->type == BSSGP_RA_CAPABILITY_UPDATE_ACK);
        }
    }
}

TEST_CALL(missing_elements, walk_rows(check_missing))

/* Too short: mandatory and conditional ones make the PDU invalid, optional ones count as absent (clause 9).
 */
static void check_too_short(const struct codec *codec, const struct pdu_sheet_row *row)
{
    for (unsigned i = 0; i < row->count; i++) {
        char presence = row->places[i].presence;
        uint8_t iei = row->places[i].iei;
        bool has_length = !codec->sheet->is_ns || iei < 0x07;
        if (presence == 'V' || pdu_sheet_least_of(codec->sheet, iei) == 0 || !has_length ||
            times_wanted(row, iei) > 1)
            continue;
        struct outcome out = with_form(codec, row, i, PDU_SHEET_TOO_SHORT);
        if (presence == 'O') {
            struct outcome without = with_form(codec, row, i, PDU_SHEET_LEFT_OUT);
            assert_true(out.answer > 0);
            assert_int_equal(out.octets, without.octets);
            assert_memory_equal(out.again, without.again, without.octets);
            continue;
        }
        assert_int_equal(out.answer, ERR_MALFORMED);
        assert_int_equal(out.cause, codec->causes[presence == 'M' ? TOO_SHORT : CONDITIONAL]);
    }
}

TEST_CALL(short_elements, walk_rows(check_too_short))

TEST(lengths_in_both_forms)
{
    static const struct {
        uint8_t bytes[2];
        size_t len;
        int consumed;
        uint16_t octets;
    } rows[] = {
        {{0x80}, 1, 1, 0},           {{0x82}, 1, 1, 2},
        {{0xff, 0x12}, 2, 1, 127},   {{0x00, 0x00}, 2, 2, 0},
        {{0x00, 0x05}, 2, 2, 5},     {{0x00, 0xc5}, 2, 2, 197},
        {{0x7f, 0xff}, 2, 2, 32767}, {{0x00}, 1, ERR_TRUNCATED, 0},
        {{0}, 0, ERR_TRUNCATED, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint16_t octets = 0;
        assert_int_equal(ie_tlv_length_get(&octets, rows[i].bytes, rows[i].len), rows[i].consumed);
        assert_int_equal(octets, rows[i].octets);
    }
}

TEST(the_shortest_form_is_sent)
{
    static const struct {
        size_t octets, cap;
        int written;
        uint8_t bytes[2];
    } rows[] = {
        {0, 2, 1, {0x80}},           {127, 1, 1, {0xff}},        {128, 2, 2, {0x00, 0x80}},
        {32767, 2, 2, {0x7f, 0xff}}, {32768, 2, ERR_RANGE, {0}}, {128, 1, ERR_NO_SPACE, {0}},
        {0, 0, ERR_NO_SPACE, {0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[2] = {0};
        assert_int_equal(ie_tlv_length_put(bytes, rows[i].cap, rows[i].octets), rows[i].written);
        assert_memory_equal(bytes, rows[i].bytes, 2);
    }
}

TEST(elements_come_back)
{
    static const size_t lengths[] = {0, 1, 127, 128, 129, 1600};
    static uint8_t value[1600], bytes[1610];
    memset(value, 0x5a, sizeof value);
    for (size_t i = 0; i < COUNT(lengths); i++) {
        struct tlv in = {.iei = 0x0e, .octets = (uint16_t)lengths[i], .value = value}, out;
        int n = ie_tlv_encode(bytes, sizeof bytes, &in);
        assert_int_equal(n, 1 + ie_tlv_length_octets(lengths[i]) + (int)lengths[i]);
        assert_int_equal(ie_tlv_decode(&out, bytes, (size_t)n), n);
        assert_int_equal(out.iei, 0x0e);
        assert_int_equal(out.octets, lengths[i]);
        assert_memory_equal(out.value, value, lengths[i]);
        for (int cut = 0; cut < n; cut++)
            assert_int_equal(ie_tlv_decode(&out, bytes, (size_t)cut), ERR_TRUNCATED);
        for (int cap = 0; cap < n; cap++)
            assert_int_equal(ie_tlv_encode(bytes, (size_t)cap, &in), ERR_NO_SPACE);
    }
}

UNIT_MAIN(NULL, NULL)
