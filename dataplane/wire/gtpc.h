/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTPv1-C messages about PDP contexts and paths (TS 29.060 7.2 and 7.3.1 to 7.3.6), read by a listener that
 * learns sessions, and ports and sequence numbers, which workers test. Control's codec is
 * lua/wire/gtp_sessions.lua. Causes and states are not tested.
 */
#ifndef DATAPLANE_WIRE_GTPC_H
#define DATAPLANE_WIRE_GTPC_H

#include "dataplane/base/u64_map.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Source ports of GTP-C requests. A response goes to the port that its request came from (TS 29.060 clause
 * 10.1.1), so a port that cannot be guessed proves, with the sequence number, that the sender of a response
 * has seen the request. The port is a keyed hash of the GGSN's address and the sequence number: each worker
 * can test a response without a table of the requests that are pending. Whether one is pending is control's
 * to know.
 *
 * A sender that does not see the requests finds port and number of one pending request with a probability of
 * 2^-31 for each datagram.
 */

#define GTPC_PORT_FIRST 0x8000 /* of 32768 */

/* theirs: the GGSN's address (base/address.h). */
uint16_t gtpc_port_of(const struct siphash_key *key, uint32_t theirs, uint16_t seq);

/* Whether these octets from an address, received at a port, are a response to a request from this port. */
bool gtpc_port_is_right(const struct siphash_key *key, uint32_t theirs, uint16_t port, const uint8_t *bytes,
                        size_t octets);

enum {
    GTPC_PORT = 2123,

    GTPC_ECHO_REQUEST = 1,
    GTPC_ECHO_RESPONSE = 2,
    GTPC_VERSION_NOT_SUPPORTED = 3,
    GTPC_CREATE_REQUEST = 16,
    GTPC_CREATE_RESPONSE = 17,
    GTPC_UPDATE_REQUEST = 18,
    GTPC_UPDATE_RESPONSE = 19,
    GTPC_DELETE_REQUEST = 20,
    GTPC_DELETE_RESPONSE = 21,
    GTPC_INITIATE_REQUEST = 22,
    GTPC_INITIATE_RESPONSE = 23,
    GTPC_PDU_NOTIFICATION_REQUEST = 27,
    GTPC_PDU_NOTIFICATION_RESPONSE = 28,
    GTPC_IDENTIFICATION_REQUEST = 48,
    GTPC_IDENTIFICATION_RESPONSE = 49,
    GTPC_SGSN_CONTEXT_REQUEST = 50,
    GTPC_SGSN_CONTEXT_RESPONSE = 51,
    GTPC_SGSN_CONTEXT_ACKNOWLEDGE = 52,
    GTPC_RAN_INFORMATION_RELAY = 70,

    GTPC_CAUSE_ACCEPTED = 128,
    GTPC_CAUSE_FIRST_REFUSAL = 192,
    GTPC_CAUSE_INVALID_FORMAT = 193,
    GTPC_CAUSE_MANDATORY_INCORRECT = 201,
    GTPC_CAUSE_MANDATORY_MISSING = 202,

    GTPC_PDP_NON_IP = 0x02, /* of ETSI; the others are of the IETF */
    GTPC_PDP_IPV4 = 0x21,
    GTPC_PDP_IPV6 = 0x57,
    GTPC_PDP_IPV4V6 = 0x8d,
};

/* Bits of gtpc.has: which fields the message carried. */
enum gtpc_has {
    GTPC_HAS_CAUSE = 1 << 0,
    GTPC_HAS_IMSI = 1 << 1,
    GTPC_HAS_TEID_DATA = 1 << 2,
    GTPC_HAS_TEID_CONTROL = 1 << 3,
    GTPC_HAS_TEARDOWN = 1 << 4,
    GTPC_HAS_NSAPI = 1 << 5,
    GTPC_HAS_LINKED_NSAPI = 1 << 6,
    GTPC_HAS_END_USER = 1 << 7, /* the element; its addresses may be absent (dynamic) */
    GTPC_HAS_CONTROL_ADDRESS = 1 << 8,
    GTPC_HAS_USER_ADDRESS = 1 << 9,
    GTPC_HAS_QOS = 1 << 10,
    GTPC_HAS_RECOVERY = 1 << 11,
    GTPC_HAS_CONTROL_OTHER = 1 << 12, /* after both addresses above */
};

/* An IP address as on the wire: octets is 4, 16, or 0 for none. */
struct gtpc_address {
    uint8_t octets;
    uint8_t bytes[16];
};

struct gtpc {
    uint32_t has;
    uint32_t teid; /* of the header: the receiver's, 0 in the first Create Request */
    uint32_t teid_data;
    uint32_t teid_control;
    uint16_t seq; /* the response repeats the request's */
    uint8_t type;
    uint8_t fault; /* not 0 with an error in the elements: the cause that answers such a request (11.1) */
    uint8_t cause;
    uint8_t nsapi;
    uint8_t linked_nsapi;
    uint8_t teardown;                  /* 1: deletes all contexts of that PDP address */
    uint8_t arp;                       /* allocation/retention priority, the QoS element's first octet */
    uint16_t qos_octets;               /* without the ARP octet */
    const uint8_t *qos;                /* for qos_decode(); points into the decoded octets */
    char imsi[16];                     /* digits, terminated */
    struct gtpc_address control;       /* the sender's GSN address for signalling: the first such element */
    struct gtpc_address user;          /* the sender's GSN address for user traffic: the second one */
    struct gtpc_address control_other; /* alternative to `control` in the other IP version: the third one */
    struct gtpc_address user_ipv4;     /* end user address */
    struct gtpc_address user_ipv6;
    uint8_t pdp_type; /* of the end user address: one of those above, 0: another one */
    uint8_t recovery; /* the sender's restart counter */
};

/* Whether a response's cause accepts the request (TS 29.060 clause 7.7.1): 128 to 191, of which 129 and 130
 * give the mobile another IP version than it asked for. */
static inline bool gtpc_is_accepted(uint8_t cause)
{
    return cause >= GTPC_CAUSE_ACCEPTED && cause < GTPC_CAUSE_FIRST_REFUSAL;
}

/* Whether messages of that type are those of lua/wire/gtp_mobility.lua. */
static inline bool gtpc_is_between_sgsns(uint8_t type)
{
    return (type >= GTPC_IDENTIFICATION_REQUEST && type <= GTPC_SGSN_CONTEXT_ACKNOWLEDGE) ||
           type == GTPC_RAN_INFORMATION_RELAY;
}

/*
 * Reads one message (a UDP payload from or to port 2123). Returns its octets. Unknown elements are skipped,
 * of repeated ones the first counts; reading stops at an unknown TV type. Errors of gtpu_header_decode(), and
 * ERR_TRUNCATED: an element overruns the message; ERR_MALFORMED: a value of impossible length or digits, or a
 * mandatory element missing (with fault); ERR_UNSUPPORTED: another message type. Type, teid and seq are set
 * by both.
 */
int gtpc_decode(struct gtpc *out, const uint8_t *bytes, size_t len);

/*
 * The sequence number of a request or of a response of those types, of which only the header is read; -1: it
 * is neither, or has no sequence number.
 */
int gtpc_request_seq(const uint8_t *bytes, size_t len);

#endif
