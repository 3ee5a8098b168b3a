/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/nd.h"

#include <string.h>

#define OPTION_UNIT    8
#define SOURCE_MAC     1
#define TARGET_MAC     2
#define FLAG_SOLICITED 0x40
#define FLAG_OVERRIDE  0x20

static uint8_t mac_option(uint8_t type)
{
    return type == ND_SOLICITATION ? SOURCE_MAC : TARGET_MAC;
}

static int read_options(struct nd *out, const uint8_t *bytes, size_t len)
{
    for (size_t at = ND_OCTETS; at < len;) {
        size_t octets = len - at < 2 ? 0 : (size_t)bytes[at + 1] * OPTION_UNIT;
        if (octets == 0 || octets > len - at)
            return ERR_MALFORMED;
        if (bytes[at] == mac_option(out->type) && octets == OPTION_UNIT) {
            out->has_mac = true;
            memcpy(out->mac, bytes + at + 2, sizeof(out->mac));
        }
        at += octets;
    }
    return (int)len;
}

int nd_decode(struct nd *out, const uint8_t *bytes, size_t len)
{
    if (len < ND_OCTETS)
        return ERR_TRUNCATED;
    if (bytes[0] != ND_SOLICITATION && bytes[0] != ND_ADVERTISEMENT)
        return ERR_UNSUPPORTED;
    if (bytes[1] != 0 || bytes[8] == 0xff)
        return ERR_MALFORMED;
    bool is_answer = bytes[0] == ND_ADVERTISEMENT;
    *out = (struct nd){.type = bytes[0],
                       .is_solicited = is_answer && (bytes[4] & FLAG_SOLICITED),
                       .is_override = is_answer && (bytes[4] & FLAG_OVERRIDE)};
    memcpy(out->target, bytes + 8, sizeof(out->target));
    return read_options(out, bytes, len);
}

int nd_encode(uint8_t *bytes, size_t cap, const struct nd *in)
{
    size_t octets = in->has_mac ? ND_MAX_OCTETS : ND_OCTETS;
    if (cap < octets)
        return ERR_NO_SPACE;
    memset(bytes, 0, octets);
    bytes[0] = in->type;
    if (in->type == ND_ADVERTISEMENT)
        bytes[4] = (uint8_t)((in->is_solicited ? FLAG_SOLICITED : 0) | (in->is_override ? FLAG_OVERRIDE : 0));
    memcpy(bytes + 8, in->target, sizeof(in->target));
    if (in->has_mac) {
        bytes[ND_OCTETS] = mac_option(in->type);
        bytes[ND_OCTETS + 1] = 1;
        memcpy(bytes + ND_OCTETS + 2, in->mac, sizeof(in->mac));
    }
    return (int)octets;
}
