/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ie.h"

#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"
#include "dataplane/wire/area.h"
#include "dataplane/wire/mobile_id.h"
#include "dataplane/wire/pfc_list.h"

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
