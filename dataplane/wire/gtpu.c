/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtp_ie.h"

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

enum {
    EXTENSION_UDP_PORT = 0x40,
    EXTENSION_OCTETS = 4,
    ERROR_FIXED_OCTETS = 8, /* of an Error Indication's elements, without the address */
    IPV4_OCTETS = 4,
    IPV6_OCTETS = 16,
};

static bool is_address(size_t octets)
{
    return octets == IPV4_OCTETS || octets == IPV6_OCTETS;
}

/* A message with TEID 0 and a sequence number, and these octets behind its header. */
static int put_message(uint8_t *bytes, size_t cap, struct gtpu header, const uint8_t *payload)
{
    header.flags |= GTPU_S;
    int octets = gtpu_encode(bytes, cap, &header);
    if (octets < 0 || cap - (size_t)octets < header.payload_octets)
        return ERR_NO_SPACE;
    memcpy(bytes + octets, payload, header.payload_octets);
    return octets + header.payload_octets;
}

int gtpu_signal_echo_response_encode(uint8_t *bytes, size_t cap, uint16_t seq)
{
    static const uint8_t recovery[] = {GTP_IE_RECOVERY, 0};
    struct gtpu header = {.type = GTPU_ECHO_RESPONSE, .seq = seq, .payload_octets = sizeof recovery};
    return put_message(bytes, cap, header, recovery);
}

int gtpu_signal_echo_request_encode(uint8_t *bytes, size_t cap, uint16_t seq)
{
    struct gtpu header = {.type = GTPU_ECHO_REQUEST, .seq = seq};
    return put_message(bytes, cap, header, bytes);
}

int gtpu_signal_error_encode(uint8_t *bytes, size_t cap, const struct gtpu_signal_error *in)
{
    uint8_t payload[EXTENSION_OCTETS + ERROR_FIXED_OCTETS + IPV6_OCTETS] = {
        1, 0, 0, 0, GTP_IE_TEID_DATA, 0, 0, 0, 0, GTP_IE_GSN_ADDRESS, 0, in->peer_octets};
    unsigned from = in->udp_port ? 0 : EXTENSION_OCTETS;
    unsigned octets = EXTENSION_OCTETS + ERROR_FIXED_OCTETS + in->peer_octets - from;
    if (!is_address(in->peer_octets))
        return ERR_RANGE;
    bytes_put_u16(payload + 1, in->udp_port);
    bytes_put_u32(payload + 5, in->teid);
    memcpy(payload + EXTENSION_OCTETS + ERROR_FIXED_OCTETS, in->peer, in->peer_octets);
    struct gtpu header = {.type = GTPU_ERROR_INDICATION,
                          .flags = in->udp_port ? GTPU_E : 0,
                          .extension = in->udp_port ? EXTENSION_UDP_PORT : 0,
                          .payload_octets = (uint16_t)octets};
    return put_message(bytes, cap, header, payload + from);
}

int gtpu_signal_extensions_encode(uint8_t *bytes, size_t cap)
{
    static const uint8_t known[] = {GTP_IE_EXTENSION_TYPES, 1, 0xc0};
    struct gtpu header = {.type = GTPU_SUPPORTED_EXTENSIONS, .payload_octets = sizeof known};
    return put_message(bytes, cap, header, known);
}

int gtpu_signal_error_decode(struct gtpu_signal_error *out, const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie, teid = {0}, address = {0};
    size_t offset = 0;
    int octets;
    while ((octets = gtp_ie_decode(&ie, bytes + offset, len - offset)) > 0) {
        if (ie.type == GTP_IE_TEID_DATA && !teid.value)
            teid = ie;
        if (ie.type == GTP_IE_GSN_ADDRESS && !address.value)
            address = ie;
        offset += (size_t)octets;
    }
    if (octets < 0)
        return octets;
    if (!teid.value || !address.value)
        return ERR_MALFORMED;
    if (!is_address(address.octets))
        return ERR_UNSUPPORTED;
    *out = (struct gtpu_signal_error){
        .teid = bytes_get_u32(teid.value), .peer = address.value, .peer_octets = (uint8_t)address.octets};
    return (int)offset;
}
