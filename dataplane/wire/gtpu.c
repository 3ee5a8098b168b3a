/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu.h"

#include "dataplane/wire/gtpu_extension.h"

#include <stdbool.h>
#include <string.h>

enum { EXTENSION_PDCP_NUMBER = 0xc0, EXTENSION_REQUIRED = 0x80 };

static bool is_ignorable(uint8_t extension)
{
    return !(extension & EXTENSION_REQUIRED) || extension == EXTENSION_PDCP_NUMBER;
}

/* Walks the chain that octet 12 starts, inside [12, end). Returns the offset behind it. */
static int skip_extensions(struct gtpu *out, const uint8_t *bytes, unsigned end)
{
    unsigned offset = GTPU_LONG_OCTETS;
    struct gtpu_extension header = {.next = bytes[offset - 1]};
    while (header.next) {
        uint8_t type = header.next;
        int octets = gtpu_extension_decode(&header, type, bytes + offset, end - offset);
        if (octets < 0)
            return ERR_MALFORMED;
        if (!is_ignorable(type)) {
            out->extension = type;
            return ERR_UNSUPPORTED;
        }
        offset += (unsigned)octets;
    }
    return (int)offset;
}

static int decode_options(struct gtpu *out, const uint8_t *bytes, unsigned end)
{
    if (!(out->flags & (GTPU_E | GTPU_S | GTPU_PN)))
        return GTPU_OCTETS;
    if (end < GTPU_LONG_OCTETS)
        return ERR_MALFORMED;
    if (out->flags & GTPU_S)
        out->seq = bytes_get_u16(bytes + 8);
    if (out->flags & GTPU_PN)
        out->n_pdu_number = bytes[10];
    return out->flags & GTPU_E ? skip_extensions(out, bytes, end) : GTPU_LONG_OCTETS;
}

int gtpu_header_decode(struct gtpu *out, const uint8_t *bytes, size_t len)
{
    memset(out, 0, sizeof *out);
    if (len < GTPU_OCTETS)
        return ERR_TRUNCATED;
    out->flags = bytes[0];
    out->type = bytes[1];
    out->teid = bytes_get_u32(bytes + 4);
    if ((bytes[0] & 0xf0) != GTPU_VERSION_1)
        return ERR_UNSUPPORTED;
    unsigned end = GTPU_OCTETS + bytes_get_u16(bytes + 2);
    if (end > len)
        return ERR_TRUNCATED;
    int offset = decode_options(out, bytes, end);
    if (offset < 0)
        return offset;
    out->payload_offset = (uint32_t)offset;
    out->payload_octets = (uint16_t)(end - out->payload_offset);
    return offset;
}

static bool is_user_plane(uint8_t type)
{
    return type == GTPU_ECHO_REQUEST || type == GTPU_ECHO_RESPONSE || type == GTPU_ERROR_INDICATION ||
           type == GTPU_SUPPORTED_EXTENSIONS || type >= GTPU_TUNNEL_STATUS;
}

int gtpu_decode_slowly(struct gtpu *out, const uint8_t *bytes, size_t len)
{
    int offset = gtpu_header_decode(out, bytes, len);
    if (offset < 0)
        return offset;
    if (!is_user_plane(out->type))
        return ERR_UNSUPPORTED;
    return out->type == GTPU_G_PDU && out->payload_octets == 0 ? ERR_MALFORMED : offset;
}

int gtpu_encode(uint8_t *bytes, size_t cap, const struct gtpu *in)
{
    uint8_t flags = in->flags & (GTPU_E | GTPU_S | GTPU_PN);
    size_t octets = flags ? GTPU_LONG_OCTETS : GTPU_OCTETS;
    size_t length = octets - GTPU_OCTETS + in->payload_octets;
    if (length > 65535)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = GTPU_VERSION_1 | flags;
    bytes[1] = in->type;
    bytes_put_u16(bytes + 2, (uint16_t)length);
    bytes_put_u32(bytes + 4, in->teid);
    if (!flags)
        return GTPU_OCTETS;
    bytes_put_u16(bytes + 8, flags & GTPU_S ? in->seq : 0);
    bytes[10] = flags & GTPU_PN ? in->n_pdu_number : 0;
    bytes[11] = flags & GTPU_E ? in->extension : 0;
    return GTPU_LONG_OCTETS;
}
