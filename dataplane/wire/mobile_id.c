/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/mobile_id.h"

#include <string.h>

#include "dataplane/base/err.h"

enum { TYPE_IMSI = 1, ODD = 0x08, FILLER = 0xf };

/* Digit i stands in half octet i + 1, low half first; half octet 0 is type and parity. */
static uint8_t half_get(const uint8_t *bytes, size_t half)
{
    return half % 2 ? bytes[half / 2] >> 4 : bytes[half / 2] & 0xf;
}

int mobile_id_decode(struct mobile_id *out, const uint8_t *bytes, size_t len)
{
    *out = (struct mobile_id){0};
    if (len < 1)
        return ERR_TRUNCATED;
    if (len > MOBILE_ID_MAX_OCTETS)
        len = MOBILE_ID_MAX_OCTETS;
    size_t digits = 2 * len - (bytes[0] & ODD ? 1 : 2);
    for (size_t i = 0; i < digits; i++) {
        uint8_t digit = half_get(bytes, i + 1);
        if (digit > 9)
            return ERR_MALFORMED;
        out->digits[i] = (char)('0' + digit);
    }
    return (int)len;
}

int mobile_id_encode(uint8_t *bytes, size_t cap, const struct mobile_id *in)
{
    size_t digits = strnlen(in->digits, sizeof in->digits);
    if (digits < 1 || digits > MOBILE_ID_DIGITS || strspn(in->digits, "0123456789") != digits)
        return ERR_RANGE;
    size_t octets = digits / 2 + 1;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = digits % 2 ? TYPE_IMSI | ODD : TYPE_IMSI;
    for (size_t half = 1; half < 2 * octets; half++) {
        uint8_t digit = half <= digits ? (uint8_t)(in->digits[half - 1] - '0') : FILLER;
        if (half % 2)
            bytes[half / 2] |= (uint8_t)(digit << 4);
        else
            bytes[half / 2] = digit;
    }
    return (int)octets;
}
