/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTPv1-C messages between SGSNs (TS 29.060 clauses 7.5.1 to 7.5.5): a mobile's identity and contexts of the
 * SGSN where it was, and RAN Information Relay (7.5.14.1), which takes PDUs of RIM to another SGSN or an MME.
 * Causes and states are not tested.
 */
#ifndef DATAPLANE_WIRE_GTP_MOBILITY_H
#define DATAPLANE_WIRE_GTP_MOBILITY_H

#include "dataplane/wire/gtp_context.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/ie.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GTP_MOBILITY_CONTEXTS = 11, /* NSAPIs 5 to 15 */
    GTP_MOBILITY_SIGNATURE_OCTETS = 3,
    GTP_MOBILITY_MAX_OCTETS = 12288, /* of what gtp_mobility_encode() writes, but for a longer container */
};

/* Bits of gtp_mobility.has: which elements the message carries. */
enum gtp_mobility_has {
    GTP_MOBILITY_CAUSE = 1 << 0,
    GTP_MOBILITY_IMSI = 1 << 1,
    GTP_MOBILITY_RAI = 1 << 2,
    GTP_MOBILITY_TLLI = 1 << 3,
    GTP_MOBILITY_P_TMSI = 1 << 4,
    GTP_MOBILITY_TRIPLETS = 1 << 5, /* of vector[] */
    GTP_MOBILITY_SIGNATURE = 1 << 6,
    GTP_MOBILITY_MS_VALIDATED = 1 << 7,
    GTP_MOBILITY_TEID_CONTROL = 1 << 8,
    GTP_MOBILITY_TUNNELS = 1 << 9,
    GTP_MOBILITY_PRIORITY_SMS = 1 << 10,
    GTP_MOBILITY_PRIORITIES = 1 << 11,
    GTP_MOBILITY_PFIS = 1 << 12,
    GTP_MOBILITY_CHARGING = 1 << 13,
    GTP_MOBILITY_MM = 1 << 14,
    GTP_MOBILITY_CONTEXT = 1 << 15, /* one or more of context[] */
    GTP_MOBILITY_CONTROL = 1 << 16,
    GTP_MOBILITY_CONTROL_OTHER = 1 << 17,
    GTP_MOBILITY_USERS = 1 << 18,
    GTP_MOBILITY_QUINTUPLETS = 1 << 19, /* of vector[] */
    GTP_MOBILITY_CONTAINER = 1 << 20,
    GTP_MOBILITY_PRIORITIZED = 1 << 21, /* context[] is in the order of priority */
    GTP_MOBILITY_NUMBER = 1 << 22,
    GTP_MOBILITY_PRIORITY_LCS = 1 << 23,
    GTP_MOBILITY_RAT_TYPE = 1 << 24,
    GTP_MOBILITY_RIM_ADDRESS = 1 << 25,
    GTP_MOBILITY_HOP_COUNTER = 1 << 26,
    GTP_MOBILITY_RIM_DISCRIMINATOR = 1 << 27,
};

struct gtp_mobility_tunnel {
    uint32_t teid;
    uint8_t nsapi;
};

/* A radio priority, or a packet flow identifier, of a context. */
struct gtp_mobility_value {
    uint8_t nsapi, value;
};

/* Spans point into the decoded octets; they are the caller's when encoding. */
struct gtp_mobility {
    uint32_t has;
    uint32_t teid; /* of the header: the receiver's, 0 in requests */
    uint32_t tlli, p_tmsi;
    uint32_t teid_control;
    uint16_t seq;
    uint16_t charging; /* charging characteristics (TS 32.298) */
    uint8_t type;
    uint8_t fault; /* not 0 with an error in the elements: the cause that answers such a request (11.1) */
    uint8_t cause;
    uint8_t ms_validated;               /* 1: the new SGSN has authenticated the mobile */
    uint8_t priority_sms, priority_lcs; /* radio priorities */
    uint8_t rat_type;                   /* 2: GERAN, 6: E-UTRAN */
    uint8_t hop_counter;
    uint8_t
        rim_discriminator; /* of the RIM routing address: 0 a cell, 1 an RNC, 2 an eNB (TS 48.018 11.3.70) */
    uint8_t rai[AREA_ROUTEING];
    uint8_t signature[GTP_MOBILITY_SIGNATURE_OCTETS]; /* of the P-TMSI */
    char imsi[GTPC_NUMBER_CHARS];
    char number[GTPC_NUMBER_CHARS]; /* of the SGSN */
    struct gtpc_address control;    /* the sender's address for signalling */
    struct gtpc_address control_other;
    struct ie_span container, rim_address;
    uint8_t vectors, contexts, tunnels, users, priorities, pfis;
    struct gtp_context_vector vector[GTP_CONTEXT_VECTORS];
    struct gtp_context_mm mm;
    struct gtp_context_pdp context[GTP_MOBILITY_CONTEXTS];
    struct gtp_mobility_tunnel tunnel[GTP_MOBILITY_CONTEXTS];
    struct gtpc_address user[GTP_MOBILITY_CONTEXTS]; /* one for all tunnels, or one for each in their order */
    struct gtp_mobility_value priority[GTP_MOBILITY_CONTEXTS], pfi[GTP_MOBILITY_CONTEXTS];
};

/*
 * Reads one message (a UDP payload) of a type of gtpc_is_between_sgsns(). Returns its octets. Elements that
 * the message does not have are skipped; of repeated ones the first counts, of vectors, tunnels and values
 * the first of as many as there is room for, of PDP contexts the first of each NSAPI; reading stops at an
 * unknown TV type. An SGSN number of other than digits is skipped. Errors are those of gtpc_decode(); a
 * refusal needs no element but its cause, a request from a validated mobile needs the IMSI, and one for
 * contexts an identity.
 */
int gtp_mobility_decode(struct gtp_mobility *out, const uint8_t *bytes, size_t len);

/*
 * Writes one message with the elements that `has` names, in the order of their types. The sequence number is
 * always present. Returns octets; ERR_NO_SPACE; ERR_RANGE: an element is missing that the message must have,
 * or is there that it does not have, or a value has no place on the wire.
 */
int gtp_mobility_encode(uint8_t *bytes, size_t cap, const struct gtp_mobility *in);

#endif
