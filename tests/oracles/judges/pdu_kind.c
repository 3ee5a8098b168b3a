/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/oracles/judges/pdu_kind.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/identity.h"

#include <stdio.h>
#include <string.h>

enum {
    UNIT = 100,
    MOST_UNITS = 65535,
    ENDPOINTS_MOST = 4,
    LONG_ONE_IN = 8,
    LONG_OCTETS = 300,
    SHORT_OCTETS = 24
};

static uint8_t *pool_take(struct pdu_kind_pool *pool, size_t octets)
{
    uint8_t *at = pool->octets + pool->used;
    pool->used += octets;
    return at;
}

/* Numbers like to be small or at an edge. */
static uint32_t random_number(struct rng *rng, unsigned octets)
{
    uint32_t most = octets >= 4 ? UINT32_MAX : (UINT32_C(1) << 8 * octets) - 1;
    switch (rng_below(rng, 4)) {
    case 0:
        return (uint32_t)rng_below(rng, 8);
    case 1:
        return most - (uint32_t)rng_below(rng, 2);
    default:
        return (uint32_t)rng_u64(rng) & most;
    }
}

static void random_digits(struct rng *rng, char *text, size_t least, size_t most)
{
    size_t digits = rng_between(rng, least, most);
    for (size_t i = 0; i < digits; i++)
        text[i] = (char)('0' + rng_below(rng, 10));
    text[digits] = '\0';
}

static struct area random_area(struct rng *rng, unsigned octets)
{
    struct area area = {.lac = (uint16_t)rng_below(rng, 65536)};
    random_digits(rng, area.mcc, 3, 3);
    random_digits(rng, area.mnc, 2, 3);
    area.rac = octets >= AREA_ROUTEING ? (uint8_t)rng_below(rng, 256) : 0;
    area.ci = octets >= AREA_CELL ? (uint16_t)rng_below(rng, 65536) : 0;
    return area;
}

static struct pfc_list random_flows(struct rng *rng)
{
    struct pfc_list list = {.count = (unsigned)rng_below(rng, PFC_LIST_MAX + 1),
                            .has_ratio = kind_once_in(rng, 2)};
    for (unsigned i = 0; i < list.count; i++)
        list.flow[i] = (struct pfc_flow){
            .pfi = (uint8_t)rng_below(rng, 128),
            .ratio_percent = (uint8_t)rng_below(rng, 101),
            .bucket_octets = UNIT * rng_below(rng, MOST_UNITS + 1),
            .rate_bps = UNIT * rng_below(rng, MOST_UNITS + 1),
        };
    return list;
}

static size_t random_length(struct rng *rng, const struct ie *ie)
{
    size_t most = kind_once_in(rng, LONG_ONE_IN) ? LONG_OCTETS : SHORT_OCTETS;
    if (ie->max_octets && ie->max_octets < most)
        most = ie->max_octets;
    return rng_between(rng, ie->min_octets, most < ie->min_octets ? ie->min_octets : most);
}

static struct ie_span random_span(struct rng *rng, const struct ie *ie, struct pdu_kind_pool *pool)
{
    size_t octets = random_length(rng, ie);
    struct identity_imsi imsi;
    if (ie->format == IE_ENDPOINTS)
        octets = ie->min_octets * rng_between(rng, 1, ENDPOINTS_MOST);
    else if (ie->format == IE_ADDRESS)
        octets = kind_once_in(rng, 2) ? 4 : 16;
    else if (ie->format == IE_IMSI) {
        random_digits(rng, imsi.digits, IDENTITY_IMSI_LEAST_DIGITS, IDENTITY_IMSI_DIGITS);
        uint8_t *at = pool_take(pool, IDENTITY_IMSI_MAX_OCTETS);
        return (struct ie_span){at, (size_t)identity_imsi_encode(at, IDENTITY_IMSI_MAX_OCTETS, &imsi)};
    }
    uint8_t *at = pool_take(pool, octets);
    kind_fill(rng, at, octets);
    return (struct ie_span){at, octets};
}

static void fill_field(struct rng *rng, void *field, const struct ie *ie, struct pdu_kind_pool *pool)
{
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
        *(uint32_t *)field = random_number(rng, ie->min_octets);
        break;
    case IE_FLAG:
        *(uint32_t *)field = (uint32_t)rng_below(rng, 2);
        break;
    case IE_UNITS:
        *(uint64_t *)field = UNIT * (uint64_t)random_number(rng, 2);
        break;
    case IE_AREA:
        *(struct area *)field = random_area(rng, ie->min_octets);
        break;
    case IE_PFCS:
        *(struct pfc_list *)field = random_flows(rng);
        break;
    default:
        *(struct ie_span *)field = random_span(rng, ie, pool);
    }
}

void pdu_kind_fill(struct rng *rng, struct pdu *out, const struct pdu_grammar *grammar,
                   struct pdu_kind_pool *pool)
{
    const struct pdu_row *row = pdu_row_get(grammar, out->type);
    pool->used = 0;
    for (const struct pdu_place *p = row->places; p->presence != PDU_END; p++) {
        if (p->presence > PDU_MANDATORY && !kind_once_in(rng, 3))
            continue;
        const struct ie *ie = &grammar->ies[p->ie];
        fill_field(rng, (char *)out + ie->at, ie, pool);
        pdu_mark(out, p->ie);
    }
}

static void say_area(struct saying *out, const struct ie *ie, const struct area *area)
{
    char text[40];
    int chars = snprintf(text, sizeof text, "%s-%s-%u", area->mcc, area->mnc, area->lac);
    if (ie->min_octets >= AREA_ROUTEING)
        chars += snprintf(text + chars, sizeof text - (size_t)chars, "-%u", area->rac);
    if (ie->min_octets >= AREA_CELL)
        snprintf(text + chars, sizeof text - (size_t)chars, "-%u", area->ci);
    saying_text(out, ie->name, text);
}

static void say_flows(struct saying *out, const struct ie *ie, const struct pfc_list *list)
{
    saying_list(out, ie->name);
    for (unsigned i = 0; i < list->count; i++) {
        saying_item(out, list->flow[i].pfi);
        saying_item(out, list->flow[i].bucket_octets);
        saying_item(out, list->flow[i].rate_bps);
        if (list->has_ratio)
            saying_item(out, list->flow[i].ratio_percent);
    }
}

static void say_endpoints(struct saying *out, const struct ie *ie, const struct ie_span *span)
{
    saying_list(out, ie->name);
    for (size_t at = 0; at < span->octets; at += ie->min_octets) {
        const uint8_t *tail = span->at + at + ie->min_octets - 4;
        saying_octets_item(out, span->at + at, ie->min_octets - 4u);
        saying_item(out, bytes_get_u16(tail));
        saying_item(out, tail[2]);
        saying_item(out, tail[3]);
    }
}

static void say_imsi(struct saying *out, const struct ie *ie, const struct ie_span *span)
{
    struct identity_imsi imsi;
    identity_imsi_decode(&imsi, span->at, span->octets);
    saying_text(out, ie->name, imsi.digits);
}

static void say_field(struct saying *out, const struct ie *ie, const void *field)
{
    switch ((enum ie_format)ie->format) {
    case IE_NUMBER:
    case IE_FLAG:
        saying_number(out, ie->name, *(const uint32_t *)field);
        break;
    case IE_UNITS:
        saying_number(out, ie->name, *(const uint64_t *)field);
        break;
    case IE_AREA:
        say_area(out, ie, field);
        break;
    case IE_PFCS:
        say_flows(out, ie, field);
        break;
    case IE_ENDPOINTS:
        say_endpoints(out, ie, field);
        break;
    case IE_IMSI:
        say_imsi(out, ie, field);
        break;
    default:
        saying_octets(out, ie->name, ((const struct ie_span *)field)->at,
                      ((const struct ie_span *)field)->octets);
    }
}

void pdu_kind_say(struct saying *out, const struct pdu *pdu, const struct pdu_grammar *grammar)
{
    for (unsigned i = 0; grammar->ies[i].name; i++)
        if (pdu_has(pdu, i))
            say_field(out, &grammar->ies[i], (const char *)pdu + grammar->ies[i].at);
}

/* Values as they would be sent, and identifiers of places left free. */
void pdu_kind_say_elements(struct saying *out, const struct pdu *pdu, const struct pdu_grammar *grammar,
                           uint64_t unit)
{
    uint8_t element[KIND_MAX_OCTETS];
    saying_list(out, "elements");
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++) {
        if (p->presence == PDU_FIXED || !pdu_has(pdu, p->ie))
            continue;
        element[0] = grammar->ies[p->ie].iei;
        int octets = ie_encode(element + 1, sizeof element - 1, &grammar->ies[p->ie], pdu, unit);
        saying_octets_item(out, element, 1 + (size_t)octets);
    }
    saying_list(out, "absent");
    for (const struct pdu_place *p = pdu->row->places; p->presence != PDU_END; p++)
        if (p->presence != PDU_FIXED && !pdu_has(pdu, p->ie))
            saying_octets_item(out, &grammar->ies[p->ie].iei, 1);
}
