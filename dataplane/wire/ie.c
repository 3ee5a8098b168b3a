/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ie.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"

#include <string.h>

/* --- the TLV form --- */

enum { SHORT_FORM = 0x80 }; /* added to a length of one octet */

int ie_tlv_length_get(uint16_t *octets, const uint8_t *bytes, size_t len)
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

int ie_tlv_length_put(uint8_t *bytes, size_t cap, size_t octets)
{
    if (octets > TLV_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < (size_t)ie_tlv_length_octets(octets))
        return ERR_NO_SPACE;
    if (octets <= TLV_SHORT_OCTETS)
        bytes[0] = (uint8_t)(SHORT_FORM | octets);
    else
        bytes_put_u16(bytes, (uint16_t)octets);
    return ie_tlv_length_octets(octets);
}

int ie_tlv_decode(struct tlv *out, const uint8_t *bytes, size_t len)
{
    *out = (struct tlv){0};
    if (len < 1)
        return ERR_TRUNCATED;
    out->iei = bytes[0];
    uint16_t octets;
    int n = ie_tlv_length_get(&octets, bytes + 1, len - 1);
    if (n < 0)
        return n;
    if (octets > len - 1 - (size_t)n)
        return ERR_TRUNCATED;
    out->octets = octets;
    out->value = bytes + 1 + n;
    return 1 + n + octets;
}

int ie_tlv_header_put(uint8_t *bytes, size_t cap, uint8_t iei, size_t octets)
{
    if (cap < 1)
        return ERR_NO_SPACE;
    int n = ie_tlv_length_put(bytes + 1, cap - 1, octets);
    if (n < 0)
        return n;
    bytes[0] = iei;
    return 1 + n;
}

int ie_tlv_encode(uint8_t *bytes, size_t cap, const struct tlv *in)
{
    int n = ie_tlv_header_put(bytes, cap, in->iei, in->octets);
    if (n < 0)
        return n;
    if (cap - (size_t)n < in->octets)
        return ERR_NO_SPACE;
    if (in->octets)
        memcpy(bytes + n, in->value, in->octets);
    return n + in->octets;
}

/* --- values --- */

enum { ADDRESS_IP4 = 1, ADDRESS_IP6 = 2, MAX_UNITS = 0xffff };

int ie_tv_octets(const struct ie *ie, const uint8_t *bytes, size_t len)
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
    struct identity_imsi imsi;
    if (ie->max_octets && octets > ie->max_octets)
        octets = ie->max_octets;
    if (ie->format == IE_IMSI && identity_imsi_decode(&imsi, value, octets) < 0)
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

enum { PLAIN_OCTETS = 5, RATIO_OCTETS = 6, PFI_MASK = 0x7f };

/* Reads the value part; sizes and rates are the numbers on the wire, not multiplied by the unit. The length
 * tells whether B_PFC is there. */
static int pfc_list_decode(struct pfc_list *out, const uint8_t *bytes, size_t len)
{
    *out = (struct pfc_list){0};
    if (len < 1)
        return ERR_TRUNCATED;
    size_t count = bytes[0], each = count ? (len - 1) / count : 0;
    if (count > PFC_LIST_MAX)
        return ERR_MALFORMED;
    if (count && each < PLAIN_OCTETS)
        return ERR_TRUNCATED;
    if (count && (each > RATIO_OCTETS || each * count != len - 1))
        return ERR_MALFORMED;
    out->count = (unsigned)count;
    out->has_ratio = each == RATIO_OCTETS;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = bytes + 1 + i * each;
        out->flow[i].pfi = p[0] & PFI_MASK;
        out->flow[i].bucket_octets = bytes_get_u16(p + 1);
        out->flow[i].rate_bps = bytes_get_u16(p + 3);
        out->flow[i].ratio_percent = out->has_ratio ? p[5] : 0;
    }
    return (int)len;
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
        return identity_area_decode(field, value, octets, ie->min_octets) < 0 ? ERR_MALFORMED : 0;
    case IE_PFCS:
        return pfc_list_decode(field, value, octets) < 0 ? ERR_MALFORMED : 0;
    default:
        return span_decode(field, ie, value, octets);
    }
}

static size_t pfc_list_octets(const struct pfc_list *list)
{
    return 1 + list->count * (list->has_ratio ? 6u : 5u);
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
    struct identity_imsi imsi;
    if (span->octets < ie->min_octets || (ie->max_octets && span->octets > ie->max_octets))
        return ERR_RANGE;
    if (ie->format == IE_ENDPOINTS && span->octets % ie->min_octets)
        return ERR_RANGE;
    if (ie->format == IE_IMSI && identity_imsi_decode(&imsi, span->at, span->octets) < 0)
        return ERR_RANGE;
    if (span->octets)
        memcpy(p, span->at, span->octets);
    return (int)span->octets;
}

/* Sizes and rates divided by `unit`; ERR_RANGE: remainder, more than 16 bits, more than 11 flows. */
static int pfc_list_encode(uint8_t *bytes, size_t cap, const struct pfc_list *in, uint64_t unit)
{
    if (in->count > PFC_LIST_MAX)
        return ERR_RANGE;
    if (cap < pfc_list_octets(in))
        return ERR_NO_SPACE;
    uint8_t *p = bytes;
    *p++ = (uint8_t)in->count;
    for (unsigned i = 0; i < in->count; i++) {
        const struct pfc_flow *f = &in->flow[i];
        if (f->pfi > PFI_MASK || units_put(p + 1, f->bucket_octets, unit) < 0 ||
            units_put(p + 3, f->rate_bps, unit) < 0)
            return ERR_RANGE;
        p[0] = f->pfi;
        p += PLAIN_OCTETS;
        if (in->has_ratio)
            *p++ = f->ratio_percent;
    }
    return (int)(p - bytes);
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
        return identity_area_encode(bytes, cap, field, ie->min_octets);
    case IE_PFCS:
        return pfc_list_encode(bytes, cap, field, unit);
    case IE_ADDRESS:
        return address_put(bytes, field);
    default:
        return span_put(bytes, ie, field);
    }
}
