/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/pdu_check.h"

#include "tests/fuzz/fuzz.h"

#include <string.h>

static uint8_t room[2][UINT16_MAX + 1];

static bool is_span(const struct ie *ie)
{
    return ie->format == IE_SPAN || ie->format == IE_IMSI || ie->format == IE_ENDPOINTS ||
           ie->format == IE_ADDRESS;
}

static const struct pdu_place *place_of(const struct pdu_row *row, unsigned ie)
{
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++)
        if (p->ie == ie)
            return p;
    return NULL;
}

void pdu_check_fields(const struct pdu *pdu, const struct pdu_grammar *grammar, const uint8_t *bytes,
                      size_t len)
{
    FUZZ_CHECK(pdu->row && pdu->type == bytes[0] && pdu->fault == PDU_FAULT_NONE);
    for (unsigned i = 0; grammar->ies[i].name; i++) {
        const struct ie *ie = &grammar->ies[i];
        const struct pdu_place *place = place_of(pdu->row, i);
        if (!pdu_has(pdu, i)) {
            FUZZ_CHECK(!place || place->presence >= PDU_CONDITIONAL);
            continue;
        }
        FUZZ_CHECK(place);
        if (!is_span(ie))
            continue;
        const struct ie_span *span = (const void *)((const char *)pdu + ie->at);
        size_t octets = span->octets + (ie->format == IE_ADDRESS);
        FUZZ_CHECK(fuzz_is_inside(span->at, span->octets, bytes + 1, len - 1));
        FUZZ_CHECK(octets >= ie->min_octets && (!ie->max_octets || octets <= ie->max_octets));
        FUZZ_CHECK(ie->format != IE_ENDPOINTS || (ie->min_octets && octets % ie->min_octets == 0));
    }
}

void pdu_check_equal(const struct pdu *a, const struct pdu *b, const struct pdu_grammar *grammar)
{
    FUZZ_CHECK(a->type == b->type && memcmp(a->present, b->present, sizeof a->present) == 0);
    for (unsigned i = 0; grammar->ies[i].name; i++) {
        if (!pdu_has(a, i))
            continue;
        int octets = ie_encode(room[0], sizeof room[0], &grammar->ies[i], a, 1);
        FUZZ_CHECK(ie_encode(room[1], sizeof room[1], &grammar->ies[i], b, 1) == octets);
        FUZZ_CHECK(octets < 0 || memcmp(room[0], room[1], (size_t)octets) == 0);
    }
}
