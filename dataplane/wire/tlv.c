/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/tlv.h"

#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

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
