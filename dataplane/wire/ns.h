/* SPDX-License-Identifier: BSD-3-Clause */
/* Network Service and IP-SNS PDUs (TS 48.016 §9.2, §9.3, §10). */
#ifndef DATAPLANE_WIRE_NS_H
#define DATAPLANE_WIRE_NS_H

#include "dataplane/base/bytes.h"
#include "dataplane/wire/pdu.h"

enum ns_type {
    NS_UNITDATA = 0x00,
    NS_RESET = 0x02,
    NS_RESET_ACK = 0x03,
    NS_BLOCK = 0x04,
    NS_BLOCK_ACK = 0x05,
    NS_UNBLOCK = 0x06,
    NS_UNBLOCK_ACK = 0x07,
    NS_STATUS = 0x08,
    NS_ALIVE = 0x0a,
    NS_ALIVE_ACK = 0x0b,
    NS_SNS_ACK = 0x0c,
    NS_SNS_ADD = 0x0d,
    NS_SNS_CHANGEWEIGHT = 0x0e,
    NS_SNS_CONFIG = 0x0f,
    NS_SNS_CONFIG_ACK = 0x10,
    NS_SNS_DELETE = 0x11,
    NS_SNS_SIZE = 0x12,
    NS_SNS_SIZE_ACK = 0x13,
};

enum ns_cause {
    NS_CAUSE_OM_INTERVENTION = 0x01,
    NS_CAUSE_EQUIPMENT_FAILURE = 0x02,
    NS_CAUSE_NSVC_BLOCKED = 0x03,
    NS_CAUSE_NSVC_UNKNOWN = 0x04,
    NS_CAUSE_BVCI_UNKNOWN = 0x05,
    NS_CAUSE_INCORRECT_PDU = 0x08,
    NS_CAUSE_INCOMPATIBLE_STATE = 0x0a,
    NS_CAUSE_UNSPECIFIED = 0x0b,
    NS_CAUSE_INVALID_ESSENTIAL_IE = 0x0c,
    NS_CAUSE_MISSING_ESSENTIAL_IE = 0x0d,
};

enum { NS_UNITDATA_HEADER_OCTETS = 4 };

enum ns_ie {
    NS_IE_CAUSE,
    NS_IE_NSVCI,
    NS_IE_PDU,
    NS_IE_BVCI,
    NS_IE_NSEI,
    NS_IE_IP4_LIST,
    NS_IE_IP6_LIST,
    NS_IE_MAX_NSVCS,
    NS_IE_IP4_ENDPOINTS,
    NS_IE_IP6_ENDPOINTS,
    NS_IE_RESET_FLAG,
    NS_IE_ADDRESS,
    NS_IE_END_FLAG,
    NS_IE_TRANSACTION,
    NS_IE_CONTROL_BITS,
    NS_IE_UNITDATA_BVCI,
    NS_IE_SDU,
    NS_IE_COUNT,
};

/* head.type is enum ns_type; a field is valid if pdu_has(&head, NS_IE_...). Spans point into the decoded
 * octets. */
struct ns {
    struct pdu head;
    uint8_t error_cause; /* enum ns_cause for the answer to a PDU that did not decode */
    uint32_t cause, nsvci, nsei, bvci;
    uint32_t control_bits, end_flag, reset_flag, transaction;
    uint32_t max_nsvcs, ip4_endpoints, ip6_endpoints;
    struct ie_span sdu, pdu; /* pdu: the one in error */
    struct ie_span ip4_list, ip6_list, address;
};

/* One element of ip4_list or ip6_list. */
struct ns_endpoint {
    const uint8_t *address; /* 4 or 16 octets */
    uint16_t udp_port;
    uint8_t signalling_weight, data_weight;
};

enum ns_family { NS_IP4, NS_IP6 };

/** The codec's tables, for callers that access fields by name; ies ends with a row without name. */
extern const struct pdu_grammar ns_grammar;

/** Decodes one NS PDU. Returns len, or ERR_TRUNCATED, ERR_MALFORMED, ERR_UNSUPPORTED with out->error_cause
 * set. */
int ns_decode(struct ns *out, const uint8_t *bytes, size_t len);

/** Encodes by in->head.type; optional fields are those marked by pdu_mark(). Returns octets, ERR_NO_SPACE,
   ERR_RANGE or ERR_UNSUPPORTED. */
int ns_encode(uint8_t *bytes, size_t cap, const struct ns *in);

/** Endpoint number i of a list. Returns 0, or ERR_RANGE when there are fewer. */
int ns_endpoint_get(struct ns_endpoint *out, const struct ns *in, enum ns_family family, size_t i);

/** Octets of one list element: address, port, two weights. */
static inline size_t ns_endpoint_octets(enum ns_family family)
{
    return family == NS_IP4 ? 8 : 20;
}

/** Writes one list element. Returns octets, or ERR_NO_SPACE. */
int ns_endpoint_encode(uint8_t *bytes, size_t cap, const struct ns_endpoint *in, enum ns_family family);

/** Writes the header of NS-UNITDATA, control bits 0, in front of an SDU; bytes has room for 4 octets.
 * Returns 4. */
static inline int ns_unitdata_header_put(uint8_t *bytes, uint16_t bvci)
{
    bytes[0] = NS_UNITDATA;
    bytes[1] = 0;
    bytes_put_u16(bytes + 2, bvci);
    return NS_UNITDATA_HEADER_OCTETS;
}

/** Reads the BVCI of an NS-UNITDATA. Returns 4, ERR_TRUNCATED, or ERR_UNSUPPORTED for every other PDU type.
 */
static inline int ns_unitdata_header_get(uint16_t *bvci, const uint8_t *bytes, size_t len)
{
    if (len < 1)
        return ERR_TRUNCATED;
    if (bytes[0] != NS_UNITDATA)
        return ERR_UNSUPPORTED;
    if (len < NS_UNITDATA_HEADER_OCTETS)
        return ERR_TRUNCATED;
    *bvci = bytes_get_u16(bytes + 2);
    return NS_UNITDATA_HEADER_OCTETS;
}

#endif
