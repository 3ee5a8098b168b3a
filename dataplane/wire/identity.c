/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

enum { TYPE_BITS = 7, ODD = 8, FILL = 15, TMSI_OCTETS = 5, TMSI_HEAD = 0xf4, IMSI_LEAST = 6, IMSI_MOST = 15 };

static bool is_length_right(uint8_t type, size_t digits)
{
    switch (type) {
    case IDENTITY_IMSI:
        return digits >= IMSI_LEAST && digits <= IMSI_MOST;
    case IDENTITY_IMEI:
        return digits == 15;
    default:
        return type == IDENTITY_IMEISV && digits == 16;
    }
}

static uint8_t nibble(const uint8_t *bytes, size_t i)
{
    return i % 2 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15;
}

static int decode_digits(struct identity *out, const uint8_t *bytes, size_t len)
{
    bool is_odd = bytes[0] & ODD;
    size_t digits = 2 * len - 1 - !is_odd;
    if (!is_length_right(out->type, digits) || (!is_odd && nibble(bytes, 2 * len - 1) != FILL))
        return ERR_MALFORMED;
    for (size_t i = 0; i < digits; i++) {
        uint8_t digit = nibble(bytes, i + 1);
        if (digit > 9)
            return ERR_MALFORMED;
        out->digits[i] = (char)('0' + digit);
    }
    out->digits[digits] = '\0';
    return (int)len;
}

int identity_decode(struct identity *out, const uint8_t *bytes, size_t len)
{
    *out = (struct identity){0};
    if (len < 1)
        return ERR_TRUNCATED;
    out->type = bytes[0] & TYPE_BITS;
    if (out->type == IDENTITY_NONE)
        return (int)len;
    if (out->type != IDENTITY_TMSI)
        return len > IDENTITY_MAX_OCTETS ? ERR_MALFORMED : decode_digits(out, bytes, len);
    if (len != TMSI_OCTETS)
        return ERR_MALFORMED;
    out->tmsi = bytes_get_u32(bytes + 1);
    return (int)len;
}

static int encode_digits(uint8_t *bytes, size_t cap, const struct identity *in)
{
    size_t digits = strnlen(in->digits, sizeof in->digits), octets = digits / 2 + 1;
    if (!is_length_right(in->type, digits) || strspn(in->digits, "0123456789") != digits)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->digits[0] - '0') << 4 | (digits % 2 ? ODD : 0) | in->type);
    for (size_t i = 1; i < octets; i++) {
        uint8_t low = (uint8_t)(in->digits[2 * i - 1] - '0');
        uint8_t high = 2 * i < digits ? (uint8_t)(in->digits[2 * i] - '0') : FILL;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return (int)octets;
}

int identity_encode(uint8_t *bytes, size_t cap, const struct identity *in)
{
    size_t octets = in->type == IDENTITY_TMSI ? TMSI_OCTETS : 1;
    if (in->type != IDENTITY_TMSI && in->type != IDENTITY_NONE)
        return encode_digits(bytes, cap, in);
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = in->type == IDENTITY_TMSI ? TMSI_HEAD : IDENTITY_NONE;
    if (octets == TMSI_OCTETS)
        bytes_put_u32(bytes + 1, in->tmsi);
    return (int)octets;
}
