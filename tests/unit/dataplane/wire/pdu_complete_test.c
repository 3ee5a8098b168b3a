/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is everything there that the clauses list? Each PDU of NS and BSSGP with each of its elements: in our
 * tables, in both forms of length, alone and all together, missing, and too short.
 */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/unit/dataplane/wire/pdu_sheet.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MISSING, TOO_SHORT, CONDITIONAL, FAULTS };

struct codec {
    const struct pdu_sheet *sheet;
    const struct pdu_grammar *grammar;
    uint8_t causes[FAULTS];
};

static const struct codec codecs[] = {
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
        for (const char *const *line = codecs[c].sheet->rows; *line; line++) {
            struct pdu_sheet_row row = pdu_sheet_row_of(*line);
            check(&codecs[c], &row);
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
        while (codecs[c].sheet->rows[count])
            count++;
        assert_int_equal(codecs[c].grammar->row_count, count);
    }
}

/* Every element of a list belongs to some PDU of the sheet. */
TEST(no_element_is_idle)
{
    for (unsigned c = 0; c < CODECS; c++)
        for (size_t e = 0; e < codecs[c].sheet->least_count; e++) {
            bool is_used = false;
            for (const char *const *line = codecs[c].sheet->rows; *line; line++) {
                struct pdu_sheet_row row = pdu_sheet_row_of(*line);
                for (unsigned i = 0; i < row.count; i++)
                    is_used |=
                        row.places[i].presence != 'V' && row.places[i].iei == codecs[c].sheet->least[e].iei;
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

TEST(every_pdu_with_every_element)
{
    walk_rows(check_everything);
}

/* One place in another form, all else as it was. */
static struct outcome with_form(const struct codec *codec, const struct pdu_sheet_row *row, unsigned place,
                                enum pdu_sheet_form form)
{
    enum pdu_sheet_form forms[PDU_SHEET_MAX_PLACES];
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

TEST(lengths_of_two_octets)
{
    walk_rows(check_long_form);
}

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

TEST(missing_elements)
{
    walk_rows(check_missing);
}

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

TEST(short_elements)
{
    walk_rows(check_too_short);
}

UNIT_MAIN(NULL, NULL)
