/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/pdu.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
enum { TLV_SHORT_LENGTH = 0x80 }; /* added to a length of one octet */

enum { SHORT_FORM = 0x80 };

int tlv_length_get(uint16_t *octets, const uint8_t *bytes, size_t len)
{
    if (len < 1)
        return ERR_TRUNCATED;
    if (bytes[0] & SHORT_FORM) {
        *octets = bytes[0] & TLV_SHORT_OCTETS;
        return 1;
    }
    if (len < 2)
        return ERR_TRUNCATED;
    *octets = bytes_get_u16(bytes);
    return 2;
}

int tlv_length_put(uint8_t *bytes, size_t cap, size_t octets)
{
    if (octets > TLV_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < (size_t)tlv_length_octets(octets))
        return ERR_NO_SPACE;
    if (octets <= TLV_SHORT_OCTETS)
        bytes[0] = (uint8_t)(SHORT_FORM | octets);
    else
        bytes_put_u16(bytes, (uint16_t)octets);
    return tlv_length_octets(octets);
}

int tlv_decode(struct tlv *out, const uint8_t *bytes, size_t len)
{
    *out = (struct tlv){0};
    if (len < 1)
        return ERR_TRUNCATED;
    out->iei = bytes[0];
    uint16_t octets;
    int n = tlv_length_get(&octets, bytes + 1, len - 1);
    if (n < 0)
        return n;
    if (octets > len - 1 - (size_t)n)
        return ERR_TRUNCATED;
    out->octets = octets;
    out->value = bytes + 1 + n;
    return 1 + n + octets;
}

int tlv_header_put(uint8_t *bytes, size_t cap, uint8_t iei, size_t octets)
{
    if (cap < 1)
        return ERR_NO_SPACE;
    int n = tlv_length_put(bytes + 1, cap - 1, octets);
    if (n < 0)
        return n;
    bytes[0] = iei;
    return 1 + n;
}

int tlv_encode(uint8_t *bytes, size_t cap, const struct tlv *in)
{
    int n = tlv_header_put(bytes, cap, in->iei, in->octets);
    if (n < 0)
        return n;
    if (cap - (size_t)n < in->octets)
        return ERR_NO_SPACE;
    if (in->octets)
        memcpy(bytes + n, in->value, in->octets);
    return n + in->octets;
}

enum { ADDRESS_IP4 = 1, ADDRESS_IP6 = 2, MAX_UNITS = 0xffff };

/** Octets of value that follow a TV identifier, or ERR_TRUNCATED, ERR_MALFORMED. */
static int ie_tv_octets(const struct ie *ie, const uint8_t *bytes, size_t len)
{
    size_t octets = ie->min_octets;
    if (ie->format == IE_ADDRESS) {
        if (len < 1)
            return ERR_TRUNCATED;
        if (bytes[0] != ADDRESS_IP4 && bytes[0] != ADDRESS_IP6)
            return ERR_MALFORMED;
        octets = bytes[0] == ADDRESS_IP4 ? 5 : 17;
    }
    return octets > len ? ERR_TRUNCATED : (int)octets;
}

static uint32_t number_get(const uint8_t *p, const struct ie *ie)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < ie->min_octets; i++)
        value = value << 8 | (i == 0 ? p[0] & 0xff >> ie->spare_bits : p[i]);
    return value;
}

static int span_decode(struct ie_span *out, const struct ie *ie, const uint8_t *value, size_t octets)
{
    struct mobile_id imsi;
    if (ie->max_octets && octets > ie->max_octets)
        octets = ie->max_octets;
    if (ie->format == IE_IMSI && mobile_id_decode(&imsi, value, octets) < 0)
        return ERR_MALFORMED;
    if (ie->format == IE_ENDPOINTS && octets % ie->min_octets)
        return ERR_MALFORMED;
    if (ie->format == IE_ADDRESS) {
        value++;
        octets--;
    }
    *out = (struct ie_span){value, octets};
    return 0;
}

int ie_decode(void *out, const struct ie *ie, const uint8_t *value, size_t octets)
{
    void *field = (char *)out + ie->at;
    if (octets < ie->min_octets)
        return ERR_TRUNCATED;
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
        *(uint32_t *)field = number_get(value, ie);
        return 0;
    case IE_FLAG:
        *(uint32_t *)field = value[0] & 1;
        return 0;
    case IE_UNITS:
        *(uint64_t *)field = bytes_get_u16(value);
        return 0;
    case IE_AREA:
        return area_decode(field, value, octets, ie->min_octets) < 0 ? ERR_MALFORMED : 0;
    case IE_PFCS:
        return pfc_list_decode(field, value, octets) < 0 ? ERR_MALFORMED : 0;
    default:
        return span_decode(field, ie, value, octets);
    }
}

size_t ie_octets(const struct ie *ie, const void *in)
{
    const void *field = (const char *)in + ie->at;
    switch ((enum ie_format)ie->format) {
    case IE_SPAN:
    case IE_IMSI:
    case IE_ENDPOINTS:
        return ((const struct ie_span *)field)->octets;
    case IE_ADDRESS:
        return 1 + ((const struct ie_span *)field)->octets;
    case IE_PFCS:
        return pfc_list_octets(field);
    default:
        return ie->min_octets;
    }
}

static int number_put(uint8_t *p, const struct ie *ie, uint32_t value)
{
    unsigned octets = ie->min_octets, bits = 8 * octets - ie->spare_bits;
    if (bits < 32 && value >> bits)
        return ERR_RANGE;
    for (unsigned i = octets; i > 0; i--, value >>= 8)
        p[i - 1] = (uint8_t)value;
    return (int)octets;
}

static int units_put(uint8_t *p, uint64_t value, uint64_t unit)
{
    if (value % unit || value / unit > MAX_UNITS)
        return ERR_RANGE;
    bytes_put_u16(p, (uint16_t)(value / unit));
    return 2;
}

static int address_put(uint8_t *p, const struct ie_span *span)
{
    if (span->octets != 4 && span->octets != 16)
        return ERR_RANGE;
    p[0] = span->octets == 4 ? ADDRESS_IP4 : ADDRESS_IP6;
    memcpy(p + 1, span->at, span->octets);
    return (int)span->octets + 1;
}

static int span_put(uint8_t *p, const struct ie *ie, const struct ie_span *span)
{
    struct mobile_id imsi;
    if (span->octets < ie->min_octets || (ie->max_octets && span->octets > ie->max_octets))
        return ERR_RANGE;
    if (ie->format == IE_ENDPOINTS && span->octets % ie->min_octets)
        return ERR_RANGE;
    if (ie->format == IE_IMSI && mobile_id_decode(&imsi, span->at, span->octets) < 0)
        return ERR_RANGE;
    if (span->octets)
        memcpy(p, span->at, span->octets);
    return (int)span->octets;
}

int ie_encode(uint8_t *bytes, size_t cap, const struct ie *ie, const void *in, uint64_t unit)
{
    const void *field = (const char *)in + ie->at;
    if (cap < ie_octets(ie, in))
        return ERR_NO_SPACE;
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
        return number_put(bytes, ie, *(const uint32_t *)field);
    case IE_FLAG:
        bytes[0] = *(const uint32_t *)field ? 1 : 0;
        return 1;
    case IE_UNITS:
        return units_put(bytes, *(const uint64_t *)field, unit);
    case IE_AREA:
        return area_encode(bytes, cap, field, ie->min_octets);
    case IE_PFCS:
        return pfc_list_encode(bytes, cap, field, unit);
    case IE_ADDRESS:
        return address_put(bytes, field);
    default:
        return span_put(bytes, ie, field);
    }
}

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
        return tlv_decode(out, w->at, w->left);
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
        return tlv_header_put(bytes, cap, ie->iei, octets);
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
