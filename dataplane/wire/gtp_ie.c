/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtp_ie.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <string.h>

/* Value octets of the TV elements, by type (TS 29.060 table 37); 0: not one of them. */
static const uint8_t fixed_octets[128] = {
    [1] = 1,  [2] = 8,  [3] = 6,  [4] = 4,  [5] = 4,  [8] = 1,  [9] = 28, [11] = 1, [12] = 3,
    [13] = 1, [14] = 1, [15] = 1, [16] = 4, [17] = 4, [18] = 5, [19] = 1, [20] = 1, [21] = 1,
    [22] = 9, [23] = 1, [24] = 1, [25] = 2, [26] = 2, [27] = 2, [28] = 2, [29] = 1, [127] = 4,
};

static unsigned header_octets_of(uint8_t type)
{
    if (type < 128)
        return 1;
    return type == GTP_IE_EXTENSION_TYPES ? 2 : 3;
}

int gtp_ie_decode(struct gtp_ie *out, const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    unsigned type = bytes[0], header_octets = header_octets_of(bytes[0]), octets;
    if (type < 128) {
        octets = fixed_octets[type];
        if (octets == 0)
            return 0;
    } else {
        if (len < header_octets)
            return ERR_TRUNCATED;
        octets = header_octets == 2 ? bytes[1] : bytes_get_u16(bytes + 1);
    }
    if (len < header_octets + octets)
        return ERR_TRUNCATED;
    *out = (struct gtp_ie){.value = bytes + header_octets, .octets = (uint16_t)octets, .type = (uint8_t)type};
    return (int)(header_octets + octets);
}

int gtp_ie_encode(uint8_t *bytes, size_t cap, const struct gtp_ie *in)
{
    unsigned header_octets = header_octets_of(in->type);
    if (header_octets == 1 && fixed_octets[in->type] == 0)
        return ERR_UNSUPPORTED;
    if ((header_octets == 1 && in->octets != fixed_octets[in->type]) ||
        (header_octets == 2 && in->octets > 255))
        return ERR_RANGE;
    if (cap < header_octets + in->octets)
        return ERR_NO_SPACE;
    bytes[0] = in->type;
    if (header_octets == 2)
        bytes[1] = (uint8_t)in->octets;
    else if (header_octets == 3)
        bytes_put_u16(bytes + 1, in->octets);
    if (in->octets)
        memcpy(bytes + header_octets, in->value, in->octets);
    return (int)(header_octets + in->octets);
}

/* Up to the first 15. Returns the digits; ERR_MALFORMED: another nibble above 9, or too many. */
static int decode_digits(char *digits, size_t chars, const uint8_t *bytes, size_t octets)
{
    size_t count = 0;
    digits[0] = '\0';
    for (size_t i = 0; i < 2 * octets; i++) {
        unsigned nibble = bytes[i / 2] >> 4 * (i % 2) & 15;
        if (nibble == 15)
            break;
        if (nibble > 9 || count == chars - 1)
            return ERR_MALFORMED;
        digits[count++] = (char)('0' + nibble);
        digits[count] = '\0';
    }
    return (int)count;
}

int gtp_ie_imsi_decode(char digits[GTP_IE_IMSI_CHARS], const struct gtp_ie *ie)
{
    int count = decode_digits(digits, GTP_IE_IMSI_CHARS, ie->value, ie->octets);
    return count > 0 && identity_is_imsi((size_t)count) ? 0 : ERR_MALFORMED;
}
