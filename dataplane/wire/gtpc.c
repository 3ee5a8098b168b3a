/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtpc.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpu.h"

#include "dataplane/base/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PDP_ORGANISATION_IETF = 1 };

/* True for the first element of its kind. */
static bool claim(struct gtpc *out, enum gtpc_has bit)
{
    bool is_first = !(out->has & bit);
    out->has |= bit;
    return is_first;
}

static int take_imsi(struct gtpc *out, const struct gtp_ie *ie)
{
    if (!claim(out, GTPC_HAS_IMSI))
        return 0;
    return gtp_ie_imsi_decode(out->imsi, ie);
}

static void set_address(struct gtpc_address *out, const uint8_t *bytes, uint8_t octets)
{
    out->octets = octets;
    memcpy(out->bytes, bytes, octets);
}

/* The address for control comes before that for user data; then the alternatives of both in the other IP
 * version, of which that for user data is not kept (7.3.2). */
static int take_gsn_address(struct gtpc *out, const struct gtp_ie *ie)
{
    if (ie->octets != 4 && ie->octets != 16)
        return ERR_MALFORMED;
    if (claim(out, GTPC_HAS_CONTROL_ADDRESS))
        set_address(&out->control, ie->value, (uint8_t)ie->octets);
    else if (claim(out, GTPC_HAS_USER_ADDRESS))
        set_address(&out->user, ie->value, (uint8_t)ie->octets);
    else if (claim(out, GTPC_HAS_CONTROL_OTHER))
        set_address(&out->control_other, ie->value, (uint8_t)ie->octets);
    return 0;
}

/* Organisation, type number, then nothing (dynamic) or the addresses (7.7.27). */
static int take_end_user(struct gtpc *out, const struct gtp_ie *ie)
{
    if (ie->octets < 2)
        return ERR_MALFORMED;
    if (!claim(out, GTPC_HAS_END_USER))
        return 0;
    uint8_t type = ie->value[1];
    bool is_ip = (ie->value[0] & 15) == PDP_ORGANISATION_IETF;
    if (!is_ip && type == GTPC_PDP_NON_IP)
        out->pdp_type = type;
    if (!is_ip)
        return 0;
    const uint8_t *address = ie->value + 2;
    unsigned octets = ie->octets - 2u;
    if (type != GTPC_PDP_IPV4 && type != GTPC_PDP_IPV6 && type != GTPC_PDP_IPV4V6)
        return 0;
    out->pdp_type = type;
    if (type != GTPC_PDP_IPV6 && (octets == 4 || (octets == 20 && type == GTPC_PDP_IPV4V6)))
        set_address(&out->user_ipv4, address, 4);
    if (type != GTPC_PDP_IPV4 && (octets == 16 || (octets == 20 && type == GTPC_PDP_IPV4V6)))
        set_address(&out->user_ipv6, address + octets - 16, 16);
    return octets == 0u + out->user_ipv4.octets + out->user_ipv6.octets ? 0 : ERR_MALFORMED;
}

static int take_qos(struct gtpc *out, const struct gtp_ie *ie)
{
    if (ie->octets < 1)
        return ERR_MALFORMED;
    if (!claim(out, GTPC_HAS_QOS))
        return 0;
    out->arp = ie->value[0];
    out->qos = ie->value + 1;
    out->qos_octets = ie->octets - 1;
    return 0;
}

/* In a secondary context's Create Request the second NSAPI is the linked one. */
static int take_nsapi(struct gtpc *out, const struct gtp_ie *ie)
{
    if (claim(out, GTPC_HAS_NSAPI))
        out->nsapi = ie->value[0] & 15;
    else if (claim(out, GTPC_HAS_LINKED_NSAPI))
        out->linked_nsapi = ie->value[0] & 15;
    return 0;
}

static int take_cause(struct gtpc *out, const struct gtp_ie *ie)
{
    if (claim(out, GTPC_HAS_CAUSE))
        out->cause = ie->value[0];
    return 0;
}

static int take_recovery(struct gtpc *out, const struct gtp_ie *ie)
{
    if (claim(out, GTPC_HAS_RECOVERY))
        out->recovery = ie->value[0];
    return 0;
}

static int take_teardown(struct gtpc *out, const struct gtp_ie *ie)
{
    if (claim(out, GTPC_HAS_TEARDOWN))
        out->teardown = ie->value[0] & 1;
    return 0;
}

static int take_teid(struct gtpc *out, const struct gtp_ie *ie)
{
    bool is_data = ie->type == GTP_IE_TEID_DATA;
    if (claim(out, is_data ? GTPC_HAS_TEID_DATA : GTPC_HAS_TEID_CONTROL))
        *(is_data ? &out->teid_data : &out->teid_control) = bytes_get_u32(ie->value);
    return 0;
}

static int (*const takers[256])(struct gtpc *, const struct gtp_ie *) = {
    [GTP_IE_CAUSE] = take_cause,
    [GTP_IE_IMSI] = take_imsi,
    [GTP_IE_RECOVERY] = take_recovery,
    [GTP_IE_TEID_DATA] = take_teid,
    [GTP_IE_TEID_CONTROL] = take_teid,
    [GTP_IE_TEARDOWN] = take_teardown,
    [GTP_IE_NSAPI] = take_nsapi,
    [GTP_IE_END_USER_ADDRESS] = take_end_user,
    [GTP_IE_GSN_ADDRESS] = take_gsn_address,
    [GTP_IE_QOS] = take_qos,
};

static int take_elements(struct gtpc *out, const uint8_t *bytes, size_t len)
{
    struct gtp_ie ie;
    int octets;
    for (; (octets = gtp_ie_decode(&ie, bytes, len)) > 0; bytes += octets, len -= (size_t)octets) {
        int err = takers[ie.type] ? takers[ie.type](out, &ie) : 0;
        if (err < 0)
            return err;
    }
    return octets;
}

/* Mandatory elements of a message type, as bits of gtpc.has; false: type not supported. */
static bool gtpc_needs(uint8_t type, uint32_t *has)
{
    /* By message type, but for those of which nothing is needed; 0: not supported. */
    static const uint32_t mandatory[256] = {
        [GTPC_ECHO_RESPONSE] = GTPC_HAS_RECOVERY,
        [GTPC_CREATE_REQUEST] = GTPC_HAS_TEID_DATA | GTPC_HAS_NSAPI | GTPC_HAS_CONTROL_ADDRESS |
                                GTPC_HAS_USER_ADDRESS | GTPC_HAS_QOS,
        [GTPC_CREATE_RESPONSE] = GTPC_HAS_CAUSE,
        /* Of a GGSN's request no more is mandatory, and only the direction tells whether it is one. */
        [GTPC_UPDATE_REQUEST] = GTPC_HAS_NSAPI,
        [GTPC_UPDATE_RESPONSE] = GTPC_HAS_CAUSE,
        [GTPC_DELETE_REQUEST] = GTPC_HAS_NSAPI,
        [GTPC_DELETE_RESPONSE] = GTPC_HAS_CAUSE,
        [GTPC_INITIATE_REQUEST] = GTPC_HAS_NSAPI,
        [GTPC_INITIATE_RESPONSE] = GTPC_HAS_CAUSE,
        [GTPC_PDU_NOTIFICATION_REQUEST] = GTPC_HAS_IMSI | GTPC_HAS_TEID_CONTROL,
        [GTPC_PDU_NOTIFICATION_RESPONSE] = GTPC_HAS_CAUSE,
    };
    *has = mandatory[type];
    return *has != 0 || type == GTPC_ECHO_REQUEST || type == GTPC_VERSION_NOT_SUPPORTED;
}

int gtpc_decode(struct gtpc *out, const uint8_t *bytes, size_t len)
{
    struct gtpu header;
    int offset = gtpu_header_decode(&header, bytes, len);
    *out = (struct gtpc){.teid = header.teid, .seq = header.seq, .type = header.type};
    if (offset < 0)
        return offset;
    uint32_t needs;
    if (!gtpc_needs(header.type, &needs))
        return ERR_UNSUPPORTED;
    int err = take_elements(out, bytes + offset, header.payload_octets);
    if (err < 0) {
        out->fault = err == ERR_TRUNCATED ? GTPC_CAUSE_INVALID_FORMAT : GTPC_CAUSE_MANDATORY_INCORRECT;
        return err;
    }
    if (~out->has & needs) {
        out->fault = GTPC_CAUSE_MANDATORY_MISSING;
        return ERR_MALFORMED;
    }
    return offset + header.payload_octets;
}

/* The sequence number (6) of a request, or of a response, of version 1 and GTP, not GTP'; -1 for other
 * octets. Requests have even types, but for Echo. */
static int seq_of(const uint8_t *bytes, size_t len, bool is_request)
{
    uint32_t needs;
    if (len < GTPU_OCTETS + 4 || (bytes[0] & 0xf2) != 0x32 ||
        !(gtpc_needs(bytes[1], &needs) || gtpc_is_between_sgsns(bytes[1])))
        return -1;
    bool is_echo = bytes[1] == GTPC_ECHO_REQUEST || bytes[1] == GTPC_ECHO_RESPONSE;
    bool is_even = bytes[1] % 2 == 0;
    return (is_echo ? !is_even : is_even) == is_request ? bytes_get_u16(bytes + GTPU_OCTETS) : -1;
}

int gtpc_request_seq(const uint8_t *bytes, size_t len)
{
    return seq_of(bytes, len, true);
}

static int gtpc_response_seq(const uint8_t *bytes, size_t len)
{
    return seq_of(bytes, len, false);
}

uint16_t gtpc_port_of(const struct siphash_key *key, uint32_t theirs, uint16_t seq)
{
    uint64_t hash = siphash_u64(key, (uint64_t)theirs << 16 | seq);
    return (uint16_t)(GTPC_PORT_FIRST | (hash & (GTPC_PORT_FIRST - 1)));
}

bool gtpc_port_is_right(const struct siphash_key *key, uint32_t theirs, uint16_t port, const uint8_t *bytes,
                        size_t octets)
{
    int seq = port >= GTPC_PORT_FIRST ? gtpc_response_seq(bytes, octets) : -1; /* most need no hash */
    return seq >= 0 && theirs != ADDRESS_NONE && port == gtpc_port_of(key, theirs, (uint16_t)seq);
}
