/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/identity.h"
#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <string.h>

enum { ODD = 8, FILL = 15, IMSI = 1 };

static bool plmn_decode(struct area *out, const uint8_t *p)
{
    uint8_t mcc[3] = {p[0] & 0xf, p[0] >> 4, p[1] & 0xf};
    uint8_t mnc[3] = {p[2] & 0xf, p[2] >> 4, p[1] >> 4};
    int mnc_digits = mnc[2] == FILL ? 2 : 3;
    for (int i = 0; i < 3; i++) {
        if (mcc[i] > 9 || (i < mnc_digits && mnc[i] > 9))
            return false;
        out->mcc[i] = (char)('0' + mcc[i]);
        out->mnc[i] = i < mnc_digits ? (char)('0' + mnc[i]) : '\0';
    }
    return true;
}

int identity_area_decode(struct area *out, const uint8_t *bytes, size_t len, enum area_octets octets)
{
    *out = (struct area){0};
    if (len < octets)
        return ERR_TRUNCATED;
    if (!plmn_decode(out, bytes))
        return ERR_MALFORMED;
    out->lac = bytes_get_u16(bytes + 3);
    if (octets >= AREA_ROUTEING)
        out->rac = bytes[5];
    if (octets >= AREA_CELL)
        out->ci = bytes_get_u16(bytes + 6);
    return (int)octets;
}

static bool is_digits(const char text[4], size_t least)
{
    size_t digits = strnlen(text, 4);
    return digits >= least && digits <= 3 && strspn(text, "0123456789") == digits;
}

int identity_area_encode(uint8_t *bytes, size_t cap, const struct area *in, enum area_octets octets)
{
    if (cap < octets)
        return ERR_NO_SPACE;
    if (!is_digits(in->mcc, 3) || !is_digits(in->mnc, 2))
        return ERR_RANGE;
    uint8_t mnc3 = in->mnc[2] ? (uint8_t)(in->mnc[2] - '0') : FILL;
    bytes[0] = (uint8_t)((in->mcc[1] - '0') << 4 | (in->mcc[0] - '0'));
    bytes[1] = (uint8_t)(mnc3 << 4 | (in->mcc[2] - '0'));
    bytes[2] = (uint8_t)((in->mnc[1] - '0') << 4 | (in->mnc[0] - '0'));
    bytes_put_u16(bytes + 3, in->lac);
    if (octets >= AREA_ROUTEING)
        bytes[5] = in->rac;
    if (octets >= AREA_CELL)
        bytes_put_u16(bytes + 6, in->ci);
    return (int)octets;
}

/* Digit i stands in half octet i + 1, low half first; half octet 0 is type and parity. */
static uint8_t half_get(const uint8_t *bytes, size_t half)
{
    return half % 2 ? bytes[half / 2] >> 4 : bytes[half / 2] & 15;
}

static bool digits_get(char *out, const uint8_t *bytes, size_t digits)
{
    for (size_t i = 0; i < digits; i++) {
        uint8_t digit = half_get(bytes, i + 1);
        if (digit > 9)
            return false;
        out[i] = (char)('0' + digit);
    }
    return true;
}

static int digits_put(uint8_t *bytes, size_t cap, const char *text, size_t digits)
{
    size_t octets = digits / 2 + 1;
    if (strspn(text, "0123456789") != digits)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((text[0] - '0') << 4 | (digits % 2 ? ODD : 0) | IMSI);
    for (size_t i = 1; i < octets; i++) {
        uint8_t low = (uint8_t)(text[2 * i - 1] - '0');
        uint8_t high = 2 * i < digits ? (uint8_t)(text[2 * i] - '0') : FILL;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return (int)octets;
}

int identity_imsi_decode(struct identity_imsi *out, const uint8_t *bytes, size_t len)
{
    *out = (struct identity_imsi){0};
    if (len < 1)
        return ERR_TRUNCATED;
    if (len > IDENTITY_IMSI_MAX_OCTETS)
        len = IDENTITY_IMSI_MAX_OCTETS;
    size_t digits = 2 * len - (bytes[0] & ODD ? 1 : 2);
    return identity_is_imsi(digits) && digits_get(out->digits, bytes, digits) ? (int)len : ERR_MALFORMED;
}

int identity_imsi_encode(uint8_t *bytes, size_t cap, const struct identity_imsi *in)
{
    size_t digits = strnlen(in->digits, sizeof in->digits);
    if (!identity_is_imsi(digits))
        return ERR_RANGE;
    return digits_put(bytes, cap, in->digits, digits);
}
