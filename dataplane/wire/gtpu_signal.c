/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpu_signal.h"

#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpu.h"

#include <stdbool.h>
#include <string.h>

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
