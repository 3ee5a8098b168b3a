/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts of a mobile that one SGSN gives to another, as values of GTPv1-C elements: its MM context with
 * keys and authentication vectors (TS 29.060 clause 7.7.28), and each of its PDP contexts (7.7.29). Spans
 * point into the decoded octets; they are the caller's when encoding.
 */
#ifndef DATAPLANE_WIRE_GTP_CONTEXT_H
#define DATAPLANE_WIRE_GTP_CONTEXT_H

#include "dataplane/wire/cursor.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/ie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GTP_CONTEXT_VECTORS = 5,
    GTP_CONTEXT_NSAPI_FIRST = 5, /* of 15 */
    GTP_CONTEXT_ACCESS_MAX_OCTETS = 255,
};

/* A triplet of GSM: rand, sres, kc; or a quintuplet of UMTS: rand, xres, ck, ik, autn (TS 33.102). */
struct gtp_context_vector {
    struct ie_span rand, sres, kc;
    struct ie_span xres; /* 4 to 16 octets */
    struct ie_span ck, ik, autn;
};

/* Which keys are in use, and what the vectors are. */
enum gtp_context_mode {
    GTP_CONTEXT_UMTS_CIPHER = 0,     /* CK and IK with quintuplets; the cipher of GPRS in use */
    GTP_CONTEXT_GSM = 1,             /* Kc with triplets */
    GTP_CONTEXT_UMTS = 2,            /* CK and IK with quintuplets */
    GTP_CONTEXT_GSM_QUINTUPLETS = 3, /* Kc with quintuplets */
};

struct gtp_context_mm {
    uint8_t mode;   /* enum gtp_context_mode */
    uint8_t cksn;   /* or KSI; 7: no key */
    uint8_t cipher; /* 0: none, 1 to 7: GEA/1 to GEA/7; 0 in mode 2 */
    uint8_t vectors;
    struct gtp_context_vector vector[GTP_CONTEXT_VECTORS];
    struct ie_span kc;            /* modes 1 and 3 */
    struct ie_span ck, ik;        /* modes 0 and 2 */
    struct ie_span drx;           /* two octets, of the mobile's DRX parameter */
    struct ie_span capability;    /* MS network capability */
    char imeisv[GTPC_IMEI_CHARS]; /* 16 digits, or 15 of an IMEI; empty: none */
    struct ie_span access;        /* access restriction data; empty: none */
};

struct gtp_context_qos {
    struct ie_span value; /* for qos_decode() */
    uint8_t arp;          /* allocation/retention priority */
};

struct gtp_context_pdp {
    bool is_active;
    bool reordering;    /* of GTP's sequence numbers is required */
    bool vplmn_allowed; /* an address of the visited network */
    uint8_t nsapi;
    uint8_t sapi; /* of LLC */
    struct gtp_context_qos subscribed, requested, negotiated;
    uint16_t sequence_down;            /* of GTP: of the next T-PDU towards the mobile */
    uint16_t sequence_up;              /* of the next T-PDU towards the GGSN */
    uint8_t send_n_pdu;                /* of SNDCP, acknowledged: the next N-PDU towards the mobile */
    uint8_t receive_n_pdu;             /* the next N-PDU that is expected of the mobile */
    uint32_t teid_control, teid_data;  /* the GGSN's */
    uint8_t context_id;                /* of the HLR's record; 0: not known */
    uint8_t pdp_type;                  /* of gtpc.h; 0: another one */
    struct gtpc_address ipv4, ipv6;    /* the mobile's; no octets: dynamic */
    struct gtpc_address control, user; /* the GGSN's */
    char apn[GTPC_APN_CHARS];
    uint8_t ti; /* transaction identifier as the SGSN sends it, bit 4 the flag (TS 24.007 11.2.3.1.3) */
    uint8_t ti_extension; /* its second octet; 0: none */
};

/* Reads one vector. A value that overruns the octets sets in->is_over. Returns 0; ERR_MALFORMED: XRES or AUTN
 * of impossible length. */
int gtp_context_vector_decode(struct gtp_context_vector *out, struct cursor *in, bool is_quintuplet);

/* Returns 0; ERR_RANGE: a part has not its length. */
int gtp_context_vector_encode(struct cursor_out *out, const struct gtp_context_vector *in,
                              bool is_quintuplet);

/*
 * Reads the value of an MM Context. Container and access restriction data may be absent at its end, and
 * octets behind them are ignored; an identity in the container that cannot be read is skipped.
 * Returns len; ERR_MALFORMED: more than five vectors, or a part that contradicts its length.
 */
int gtp_context_mm_decode(struct gtp_context_mm *out, const uint8_t *bytes, size_t len);

/* Writes the value, with container and access restriction data, whose lengths may be 0. Returns 0;
 * ERR_RANGE. */
int gtp_context_mm_encode(struct cursor_out *out, const struct gtp_context_mm *in);

/*
 * Reads the value of a PDP Context. Addresses and APN may be empty, and octets behind the last part are
 * ignored. Returns len; ERR_MALFORMED: a reserved NSAPI, a part of impossible length or value, an overrun.
 */
int gtp_context_pdp_decode(struct gtp_context_pdp *out, const uint8_t *bytes, size_t len);

/*
 * Writes the value; the IPv6 address of type IPv4v6 is the extended one. Returns 0; ERR_RANGE: a reserved
 * NSAPI, an LLC SAPI of other than users' data, a QoS that is absent or of impossible length, a PDP type
 * that contradicts the addresses, no GGSN addresses, an APN without a form.
 */
int gtp_context_pdp_encode(struct cursor_out *out, const struct gtp_context_pdp *in);

#endif
