/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/area.h"

#include <stdbool.h>
#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

enum { NO_DIGIT = 0xf };

static bool plmn_decode(struct area *out, const uint8_t *p)
{
    uint8_t mcc[3] = {p[0] & 0xf, p[0] >> 4, p[1] & 0xf};
    uint8_t mnc[3] = {p[2] & 0xf, p[2] >> 4, p[1] >> 4};
    int mnc_digits = mnc[2] == NO_DIGIT ? 2 : 3;
    for (int i = 0; i < 3; i++) {
        if (mcc[i] > 9 || (i < mnc_digits && mnc[i] > 9))
            return false;
        out->mcc[i] = (char)('0' + mcc[i]);
        out->mnc[i] = i < mnc_digits ? (char)('0' + mnc[i]) : '\0';
    }
    return true;
}

int area_decode(struct area *out, const uint8_t *bytes, size_t len, enum area_octets octets)
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

int area_encode(uint8_t *bytes, size_t cap, const struct area *in, enum area_octets octets)
{
    if (cap < octets)
        return ERR_NO_SPACE;
    if (!is_digits(in->mcc, 3) || !is_digits(in->mnc, 2))
        return ERR_RANGE;
    uint8_t mnc3 = in->mnc[2] ? (uint8_t)(in->mnc[2] - '0') : NO_DIGIT;
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
