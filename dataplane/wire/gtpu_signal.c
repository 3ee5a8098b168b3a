/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu_signal.h"

#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpu.h"

#include <string.h>

/* A message with TEID 0 and a sequence number, and these elements. */
static int put_message(uint8_t *bytes, size_t cap, struct gtpu header, const uint8_t *elements)
{
    header.flags = GTPU_S;
    int octets = gtpu_encode(bytes, cap, &header);
    if (octets < 0 || cap - (size_t)octets < header.payload_octets)
        return ERR_NO_SPACE;
    memcpy(bytes + octets, elements, header.payload_octets);
    return octets + header.payload_octets;
}

int gtpu_signal_echo_response_encode(uint8_t *bytes, size_t cap, uint16_t seq)
{
    static const uint8_t recovery[] = {GTP_IE_RECOVERY, 0};
    struct gtpu header = {.type = GTPU_ECHO_RESPONSE, .seq = seq, .payload_octets = sizeof recovery};
    return put_message(bytes, cap, header, recovery);
}

int gtpu_signal_error_encode(uint8_t *bytes, size_t cap, const struct gtpu_signal_error *in)
{
    uint8_t elements[12] = {GTP_IE_TEID_DATA, 0, 0, 0, 0, GTP_IE_GSN_ADDRESS, 0, 4};
    bytes_put_u32(elements + 1, in->teid);
    bytes_put_u32(elements + 8, in->peer_address);
    struct gtpu header = {.type = GTPU_ERROR_INDICATION, .payload_octets = sizeof elements};
    return put_message(bytes, cap, header, elements);
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
    if (address.octets != 4)
        return ERR_UNSUPPORTED;
    *out = (struct gtpu_signal_error){bytes_get_u32(teid.value), bytes_get_u32(address.value)};
    return (int)offset;
}
