/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/pdu.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* State of a decode. */
struct walk {
    struct pdu *out;
    const struct pdu_grammar *grammar;
    const uint8_t *at;
    size_t left;
};

const struct pdu_row *pdu_row_get(const struct pdu_grammar *grammar, uint8_t type)
{
    for (size_t i = 0; i < grammar->row_count; i++)
        if (grammar->rows[i].type == type)
            return &grammar->rows[i];
    return NULL;
}

const struct pdu_row *pdu_row_by_name(const struct pdu_grammar *grammar, const char *name)
{
    for (size_t i = 0; i < grammar->row_count; i++)
        if (strcmp(grammar->rows[i].name, name) == 0)
            return &grammar->rows[i];
    return NULL;
}

static int pdu_fail(struct pdu *out, enum pdu_fault fault, int err)
{
    out->fault = (uint8_t)fault;
    return err;
}

static void skip(struct walk *w, size_t octets)
{
    w->at += octets;
    w->left -= octets;
}

static int take_fixed(struct walk *w, unsigned index)
{
    const struct ie *ie = &w->grammar->ies[index];
    size_t octets = ie->format == IE_SPAN && !ie->max_octets ? w->left : ie->min_octets;
    if (octets > w->left || octets < ie->min_octets)
        return pdu_fail(w->out, PDU_FAULT_MANDATORY_BAD, ERR_TRUNCATED);
    if (ie_decode(w->out, ie, w->at, octets) < 0)
        return pdu_fail(w->out, PDU_FAULT_MANDATORY_BAD, ERR_MALFORMED);
    pdu_mark(w->out, index);
    skip(w, octets);
    return 0;
}

/* The first free place for this identifier; NULL: the PDU has none. */
static const struct pdu_place *place_of(const struct walk *w, uint8_t iei)
{
    const struct pdu_place *p;
    for (p = w->out->row->places; p->presence != PDU_END; p++)
        if (p->presence != PDU_FIXED && w->grammar->ies[p->ie].iei == iei && !pdu_has(w->out, p->ie))
            return p;
    return NULL;
}

static int bad(struct pdu *out, const struct pdu_place *place, int err)
{
    if (place->presence == PDU_MANDATORY)
        return pdu_fail(out, PDU_FAULT_MANDATORY_BAD, err);
    if (place->presence == PDU_CONDITIONAL)
        return pdu_fail(out, PDU_FAULT_CONDITIONAL_BAD, err);
    return 0;
}

/* Splits off one element; ie is NULL when its identifier is unknown, then it is decoded as a TLV. */
static int split(struct tlv *out, const struct ie *ie, const struct walk *w)
{
    if (!ie || !ie->is_tv)
        return ie_tlv_decode(out, w->at, w->left);
    int octets = ie_tv_octets(ie, w->at + 1, w->left - 1);
    *out = (struct tlv){.iei = w->at[0], .octets = octets < 0 ? 0 : (uint16_t)octets, .value = w->at + 1};
    return octets < 0 ? octets : octets + 1;
}

/* The format is looked up in the whole grammar: a TV that its PDU does not have must still be skipped as
 * one. */
static const struct ie *shape_of(const struct walk *w, const struct pdu_place *place)
{
    if (place)
        return &w->grammar->ies[place->ie];
    for (const struct ie *ie = w->grammar->ies; ie->name; ie++)
        if (ie->is_tv && ie->iei == w->at[0])
            return ie;
    return NULL;
}

static int take_element(struct walk *w)
{
    struct tlv tlv;
    const struct pdu_place *place = place_of(w, w->at[0]);
    int octets = split(&tlv, shape_of(w, place), w);
    if (octets < 0) {
        w->left = 0; /* overrun: no element follows */
        return place ? bad(w->out, place, octets) : 0;
    }
    skip(w, (size_t)octets);
    if (!place)
        return 0;
    int err = ie_decode(w->out, &w->grammar->ies[place->ie], tlv.value, tlv.octets);
    if (err < 0)
        return bad(w->out, place, ERR_MALFORMED);
    pdu_mark(w->out, place->ie);
    return 0;
}

/* Fields without identifier, and elements between them, which are identified by their order alone. */
static int take_ordered(struct walk *w)
{
    const struct pdu_place *last = NULL, *p;
    for (p = w->out->row->places; p->presence != PDU_END; p++)
        if (p->presence == PDU_FIXED)
            last = p;
    for (p = w->out->row->places; last && p <= last; p++) {
        if (p->presence != PDU_FIXED && (w->left < 1 || w->at[0] != w->grammar->ies[p->ie].iei))
            return pdu_fail(w->out, PDU_FAULT_MANDATORY_MISSING, ERR_MALFORMED);
        int err = p->presence == PDU_FIXED ? take_fixed(w, p->ie) : take_element(w);
        if (err < 0)
            return err;
    }
    return 0;
}

static int check_mandatory(struct pdu *out)
{
    for (const struct pdu_place *p = out->row->places; p->presence != PDU_END; p++)
        if (p->presence == PDU_MANDATORY && !pdu_has(out, p->ie))
            return pdu_fail(out, PDU_FAULT_MANDATORY_MISSING, ERR_MALFORMED);
    return 0;
}

int pdu_decode(struct pdu *out, const struct pdu_grammar *grammar, const uint8_t *bytes, size_t len)
{
    if (len < 1)
        return pdu_fail(out, PDU_FAULT_TYPE, ERR_TRUNCATED);
    out->type = bytes[0];
    out->row = pdu_row_get(grammar, bytes[0]);
    if (!out->row)
        return pdu_fail(out, PDU_FAULT_TYPE, ERR_UNSUPPORTED);
    struct walk w = {.out = out, .grammar = grammar, .at = bytes + 1, .left = len - 1};
    int err = take_ordered(&w);
    while (err == 0 && w.left > 0)
        err = take_element(&w);
    if (err == 0)
        err = check_mandatory(out);
    return err < 0 ? err : (int)len;
}

static int header_put(uint8_t *bytes, size_t cap, const struct ie *ie, size_t octets)
{
    if (!ie->is_tv)
        return ie_tlv_header_put(bytes, cap, ie->iei, octets);
    if (cap < 1)
        return ERR_NO_SPACE;
    bytes[0] = ie->iei;
    return 1;
}

int pdu_encode(uint8_t *bytes, size_t cap, const struct pdu_grammar *grammar, const struct pdu *in,
               uint64_t unit)
{
    const struct pdu_row *row = pdu_row_get(grammar, in->type);
    if (!row)
        return ERR_UNSUPPORTED;
    if (cap < 1)
        return ERR_NO_SPACE;
    bytes[0] = in->type;
    size_t done = 1;
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++) {
        const struct ie *ie = &grammar->ies[p->ie];
        if (p->presence > PDU_MANDATORY && !pdu_has(in, p->ie))
            continue;
        int n = 0;
        if (p->presence != PDU_FIXED && (n = header_put(bytes + done, cap - done, ie, ie_octets(ie, in))) < 0)
            return n;
        done += (size_t)n;
        if ((n = ie_encode(bytes + done, cap - done, ie, in, unit)) < 0)
            return n;
        done += (size_t)n;
    }
    return (int)done;
}
