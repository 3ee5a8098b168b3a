/* SPDX-License-Identifier: BSD-3-Clause */
/* GSUP, the protocol between an SGSN and OsmoHLR, and IPA, which carries it over TCP (manual of OsmoHLR,
 * chapters "Generic Subscriber Update Protocol" and "IPA"). */
#ifndef DATAPLANE_WIRE_GSUP_H
#define DATAPLANE_WIRE_GSUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/ie.h"

/* The lower two bits: 0 request, 1 error, 2 result. */
enum gsup_type {
    GSUP_UPDATE_LOCATION = 0x04,
    GSUP_AUTH_INFO = 0x08,
    GSUP_AUTH_FAILURE = 0x0b,
    GSUP_PURGE = 0x0c,
    GSUP_INSERT_DATA = 0x10,
    GSUP_DELETE_DATA = 0x14,
    GSUP_CANCEL = 0x1c,
    GSUP_MT_FORWARD_SM = 0x28,
    GSUP_ROUTING_ERROR = 0x4e,
};

enum { GSUP_TUPLES = 5, GSUP_PDP_INFOS = 10, GSUP_SKIPS = 8, GSUP_MAX_OCTETS = 2048, GSUP_TYPE_MAX = 0x7f };

/* Elements that hold elements. */
enum { GSUP_TAG_TUPLE = 0x03, GSUP_TAG_PDP_INFO = 0x05 };

/* One authentication vector: RAND, SRES and Kc; of UMTS, IK, CK, AUTN and RES, too. */
struct gsup_tuple {
    uint32_t has; /* bit per element of gsup_tuple_ies */
    struct ie_span rand, sres, kc, ik, ck, autn, res;
};

struct gsup_pdp_info {
    uint32_t has; /* bit per element of gsup_pdp_ies */
    uint32_t id;
    struct ie_span type, apn, qos, charging;
};

/* In the order in which a message has them. */
enum gsup_ie {
    GSUP_IE_MSISDN,
    GSUP_IE_HLR_NUMBER,
    GSUP_IE_CAUSE,
    GSUP_IE_CANCEL_TYPE,
    GSUP_IE_PDP_COMPLETE,
    GSUP_IE_FREEZE_P_TMSI,
    GSUP_IE_CONTEXT_ID,
    GSUP_IE_VECTORS, /* behind PDP infos and tuples */
    GSUP_IE_AUTS,
    GSUP_IE_RAND,
    GSUP_IE_DOMAIN,
    GSUP_IE_CHARGING,
    GSUP_IE_SM_RP_MR,
    GSUP_IE_SM_RP_DA,
    GSUP_IE_SM_RP_OA,
    GSUP_IE_SM_RP_UI,
    GSUP_IE_SM_RP_MMS,
    GSUP_IE_SM_RP_CAUSE,
    GSUP_IE_SM_ALERT_REASON,
    GSUP_IE_IMEI,
    GSUP_IE_IMEI_RESULT,
    GSUP_IE_SOURCE_NAME,
    GSUP_IE_DESTINATION_NAME,
    GSUP_IE_RAT_TYPES,
    GSUP_IE_COUNT,
};

/* An element whose value has no length of its kind; container 0: of the message itself. */
struct gsup_skip {
    uint8_t container, tag;
};

/* Spans point into the decoded octets. */
struct gsup {
    uint32_t has; /* bit per enum gsup_ie */
    uint8_t type;
    char imsi[16];
    uint32_t cause, cancel_type, context_id, domain, vectors;
    struct ie_span pdp_complete, msisdn, hlr_number, rat_types, auts, rand, freeze_p_tmsi, source_name;
    struct ie_span destination_name, charging;
    uint32_t sm_rp_mr, sm_rp_cause, sm_rp_mms, sm_alert_reason, imei_result;
    struct ie_span sm_rp_ui, imei;
    struct ie_span sm_rp_da, sm_rp_oa; /* 1 IMSI, 2 MSISDN, 3 service centre, 0xff none; then its value */
    unsigned tuples, pdp_infos;
    struct gsup_tuple tuple[GSUP_TUPLES];
    struct gsup_pdp_info pdp_info[GSUP_PDP_INFOS];
    unsigned skips; /* all of them; skip[] has the first GSUP_SKIPS */
    struct gsup_skip skip[GSUP_SKIPS];
};

/** Elements by tag, in the order in which they are written; each list ends with a row without name. */
extern const struct ie gsup_ies[], gsup_tuple_ies[], gsup_pdp_ies[];

/** The name of a message type, such as "auth_info_result"; NULL: unknown. */
const char *gsup_name(uint8_t type);

/** The type of a name, or -1. */
int gsup_type_of(const char *name);

/** The elements of a container, or with 0 of a message. */
const struct ie *gsup_elements(uint8_t container);

/**
 * Decodes a message, from its type on. Unknown elements are skipped, and with a note in out->skip known ones
 * of impossible length; of repeated ones the first that can be read counts; tuples and PDP infos beyond the
 * arrays are skipped. The IMSI may stand anywhere. Returns len; ERR_TRUNCATED: an element overruns the
 * message, and out has
 * the elements before it; ERR_MALFORMED: no IMSI.
 */
int gsup_decode(struct gsup *out, const uint8_t *bytes, size_t len);

/** Encodes by type and marks, in the order of enum gsup_ie, which is that of OsmoHLR and its clients. Returns
 * octets, ERR_NO_SPACE or ERR_RANGE. */
int gsup_encode(uint8_t *bytes, size_t cap, const struct gsup *in);

enum { IPA_HEADER_OCTETS = 3, IPA_CCM = 0xfe, IPA_OSMO = 0xee, IPA_OSMO_GSUP = 5 };

/** Header of a message of `octets` octets on a stream (enum above); at has room for 3 octets. */
void gsup_ipa_put(uint8_t *at, uint8_t stream, uint16_t octets);

/** The first message of a byte stream: its octets with the header, or ERR_TRUNCATED, so far. */
int gsup_ipa_octets(const uint8_t *bytes, size_t len);

#endif
