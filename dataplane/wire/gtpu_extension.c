/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu_extension.h"

#include "dataplane/base/err.h"

#include <string.h>

enum { UNIT_OCTETS = 4, FRAME_OCTETS = 2 };

int gtpu_extension_decode(struct gtpu_extension *out, uint8_t type, const uint8_t *bytes, size_t len)
{
    *out = (struct gtpu_extension){.type = type};
    if (len < 1)
        return ERR_TRUNCATED;
    size_t octets = (size_t)UNIT_OCTETS * bytes[0];
    if (octets == 0)
        return ERR_MALFORMED;
    if (octets > len)
        return ERR_TRUNCATED;
    out->content = bytes + 1;
    out->content_octets = (uint16_t)(octets - FRAME_OCTETS);
    out->next = bytes[octets - 1];
    return (int)octets;
}

int gtpu_extension_encode(uint8_t *bytes, size_t cap, const struct gtpu_extension *in)
{
    size_t octets = (size_t)in->content_octets + FRAME_OCTETS;
    if (in->content_octets == 0 || octets % UNIT_OCTETS || octets > GTPU_EXTENSION_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)(octets / UNIT_OCTETS);
    memcpy(bytes + 1, in->content, in->content_octets);
    bytes[octets - 1] = in->next;
    return (int)octets;
}
