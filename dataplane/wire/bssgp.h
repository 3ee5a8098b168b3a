/* SPDX-License-Identifier: BSD-3-Clause */
/* BSSGP PDUs (TS 48.018 §10, §11): every field of every supported PDU in one struct. The per-packet forms of
 * DL-UNITDATA and UL-UNITDATA are in bssgp_unitdata.h. */
#ifndef DATAPLANE_WIRE_BSSGP_H
#define DATAPLANE_WIRE_BSSGP_H

#include "dataplane/wire/identity.h"
#include "dataplane/wire/pdu.h"
#include "dataplane/wire/ie.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The elements of a DL-UNITDATA that describe its mobile and seldom change (TS 48.018 §10.2.1): encoded
 * once, copied into the header of each of its frames (bssgp_unitdata.h). They are in two runs, as elements
 * of the frame or of the mobile's identity are between them.
 */

enum { BSSGP_ELEMENTS_OCTETS = 190 };

/* All zero: none. */
struct bssgp_elements {
    uint8_t front_octets; /* MS Radio Access Capability, priority, DRX parameters */
    uint8_t back_octets;  /* LSA information, Service UTRAN CCO, SPID; behind the front ones */
    uint8_t bytes[BSSGP_ELEMENTS_OCTETS]; /* as on the wire */
};

static_assert(sizeof(struct bssgp_elements) == 192, "three cache lines");

enum { BSSGP_ELEMENTS_NONE = -1 };

/* Values as on the wire. Spans of no octets and numbers of BSSGP_ELEMENTS_NONE are left out. */
struct bssgp_elements_values {
    struct ie_span ms_ra_capability, drx_parameters, lsa_information;
    int priority; /* Allocation/Retention, TS 48.008 clause 3.2.2.18 */
    int service_utran_cco, spid;
};

/** Octets on the wire. */
static inline unsigned bssgp_elements_octets(const struct bssgp_elements *elements)
{
    return (unsigned)elements->front_octets + elements->back_octets;
}

/**
 * Encodes; a value of more than 127 octets gets a length indicator of two. Returns octets; ERR_RANGE: DRX
 * parameters that are not 2 octets, a capability of less than 5, a number above 255; ERR_NO_SPACE: more than
 * BSSGP_ELEMENTS_OCTETS in all. After an error `out` is empty.
 */
int bssgp_elements_encode(struct bssgp_elements *out, const struct bssgp_elements_values *in);

enum bssgp_type {
    BSSGP_DL_UNITDATA = 0x00,
    BSSGP_UL_UNITDATA = 0x01,
    BSSGP_RA_CAPABILITY = 0x02,
    BSSGP_PAGING_PS = 0x06,
    BSSGP_PAGING_CS = 0x07,
    BSSGP_RA_CAPABILITY_UPDATE = 0x08,
    BSSGP_RA_CAPABILITY_UPDATE_ACK = 0x09,
    BSSGP_RADIO_STATUS = 0x0a,
    BSSGP_SUSPEND = 0x0b,
    BSSGP_SUSPEND_ACK = 0x0c,
    BSSGP_SUSPEND_NACK = 0x0d,
    BSSGP_RESUME = 0x0e,
    BSSGP_RESUME_ACK = 0x0f,
    BSSGP_RESUME_NACK = 0x10,
    BSSGP_BVC_BLOCK = 0x20,
    BSSGP_BVC_BLOCK_ACK = 0x21,
    BSSGP_BVC_RESET = 0x22,
    BSSGP_BVC_RESET_ACK = 0x23,
    BSSGP_BVC_UNBLOCK = 0x24,
    BSSGP_BVC_UNBLOCK_ACK = 0x25,
    BSSGP_FLOW_CONTROL_BVC = 0x26,
    BSSGP_FLOW_CONTROL_BVC_ACK = 0x27,
    BSSGP_FLOW_CONTROL_MS = 0x28,
    BSSGP_FLOW_CONTROL_MS_ACK = 0x29,
    BSSGP_FLUSH_LL = 0x2a,
    BSSGP_FLUSH_LL_ACK = 0x2b,
    BSSGP_LLC_DISCARDED = 0x2c,
    BSSGP_FLOW_CONTROL_PFC = 0x2d,
    BSSGP_FLOW_CONTROL_PFC_ACK = 0x2e,
    BSSGP_SGSN_INVOKE_TRACE = 0x40,
    BSSGP_STATUS = 0x41,
    BSSGP_OVERLOAD = 0x42,
    BSSGP_DOWNLOAD_BSS_PFC = 0x50,
    BSSGP_CREATE_BSS_PFC = 0x51,
    BSSGP_CREATE_BSS_PFC_ACK = 0x52,
    BSSGP_CREATE_BSS_PFC_NACK = 0x53,
    BSSGP_MODIFY_BSS_PFC = 0x54,
    BSSGP_MODIFY_BSS_PFC_ACK = 0x55,
    BSSGP_DELETE_BSS_PFC = 0x56,
    BSSGP_DELETE_BSS_PFC_ACK = 0x57,
    BSSGP_DELETE_BSS_PFC_REQ = 0x58,
};

enum bssgp_cause {
    BSSGP_CAUSE_EQUIPMENT_FAILURE = 0x01,
    BSSGP_CAUSE_UNKNOWN_MS = 0x04,
    BSSGP_CAUSE_BVCI_UNKNOWN = 0x05,
    BSSGP_CAUSE_OM_INTERVENTION = 0x08,
    BSSGP_CAUSE_BVCI_BLOCKED = 0x09,
    BSSGP_CAUSE_INCORRECT_PDU = 0x20,
    BSSGP_CAUSE_MANDATORY_INVALID = 0x21,
    BSSGP_CAUSE_MANDATORY_MISSING = 0x22,
    BSSGP_CAUSE_CONDITIONAL_MISSING = 0x23,
    BSSGP_CAUSE_CONDITIONAL_UNEXPECTED = 0x24,
    BSSGP_CAUSE_CONDITIONAL_INVALID = 0x25,
    BSSGP_CAUSE_INCOMPATIBLE_STATE = 0x26,
    BSSGP_CAUSE_UNSPECIFIED = 0x27,
    BSSGP_CAUSE_INCOMPATIBLE_FEATURES = 0x28,
};

enum bssgp_bvci { BSSGP_BVCI_SIGNALLING = 0, BSSGP_BVCI_PTM = 1, BSSGP_BVCI_FIRST_PTP = 2 };

enum bssgp_sender { BSSGP_FROM_BSS = 1, BSSGP_FROM_SGSN = 2 };

enum { BSSGP_UNIT = 100, BSSGP_MAX_GRANULARITY = 3, BSSGP_INFINITE_CS = 0xffff };

/* Elements by their meaning: one identifier may stand for two. */
enum bssgp_ie {
    BSSGP_IE_ALIGNMENT,
    BSSGP_IE_MS_BUCKET_DEFAULT,
    BSSGP_IE_BSS_AREA,
    BSSGP_IE_RATE,
    BSSGP_IE_BVCI,
    BSSGP_IE_BVC_BUCKET,
    BSSGP_IE_MEASUREMENT,
    BSSGP_IE_CAUSE,
    BSSGP_IE_CELL_ID,
    BSSGP_IE_CHANNEL_NEEDED,
    BSSGP_IE_DRX_PARAMETERS,
    BSSGP_IE_EMLPP,
    BSSGP_IE_FLUSH_ACTION,
    BSSGP_IE_IMSI,
    BSSGP_IE_LLC_PDU,
    BSSGP_IE_LLC_PDU_INITIAL,
    BSSGP_IE_FRAMES_DISCARDED,
    BSSGP_IE_LOCATION_AREA,
    BSSGP_IE_MOBILE_ID,
    BSSGP_IE_MS_BUCKET,
    BSSGP_IE_MS_RA_CAPABILITY,
    BSSGP_IE_OMC_ID,
    BSSGP_IE_PDU_IN_ERROR,
    BSSGP_IE_LIFETIME,
    BSSGP_IE_PRIORITY,
    BSSGP_IE_QOS_PROFILE,
    BSSGP_IE_RADIO_CAUSE,
    BSSGP_IE_RA_CAP_CAUSE,
    BSSGP_IE_ROUTEING_AREA,
    BSSGP_IE_MS_RATE_DEFAULT,
    BSSGP_IE_SUSPEND_REF,
    BSSGP_IE_TAG,
    BSSGP_IE_TLLI,
    BSSGP_IE_TLLI_OLD,
    BSSGP_IE_TMSI,
    BSSGP_IE_TRACE_REFERENCE,
    BSSGP_IE_TRACE_TYPE,
    BSSGP_IE_TRANSACTION_ID,
    BSSGP_IE_TRIGGER_ID,
    BSSGP_IE_OCTETS_AFFECTED,
    BSSGP_IE_LSA_IDS,
    BSSGP_IE_LSA_INFORMATION,
    BSSGP_IE_PFI,
    BSSGP_IE_PFT,
    BSSGP_IE_T10,
    BSSGP_IE_ABQP,
    BSSGP_IE_FEATURE_BITMAP,
    BSSGP_IE_RATIO,
    BSSGP_IE_SERVICE_UTRAN_CCO,
    BSSGP_IE_BVCI_NEW,
    BSSGP_IE_NSEI_NEW,
    BSSGP_IE_PFCS,
    BSSGP_IE_GLOBAL_CN_ID,
    BSSGP_IE_EXTENDED_FEATURE_BITMAP,
    BSSGP_IE_INTER_RAT_HANDOVER,
    BSSGP_IE_GRANULARITY,
    BSSGP_IE_EUTRAN_HANDOVER,
    BSSGP_IE_SPID,
    BSSGP_IE_REDIRECT_ATTEMPT,
    BSSGP_IE_REDIRECTION_INDICATION,
    BSSGP_IE_REDIRECTION_COMPLETED,
    BSSGP_IE_SEND_STATE,
    BSSGP_IE_SCI,
    BSSGP_IE_GGSN_LOCATION,
    BSSGP_IE_SELECTED_PLMN,
    BSSGP_IE_PRIORITY_CLASS,
    BSSGP_IE_EDRX,
    BSSGP_IE_TIME_UNTIL_PAGING,
    BSSGP_IE_COVERAGE_CLASS,
    BSSGP_IE_PAGING_ATTEMPT,
    BSSGP_IE_EXCEPTION_REPORT,
    BSSGP_IE_OLD_RAI,
    BSSGP_IE_ATTACH_INDICATOR,
    BSSGP_IE_RIM_DESTINATION,
    BSSGP_IE_RIM_SOURCE,
    BSSGP_IE_RIM_REQUEST,
    BSSGP_IE_RIM_INFORMATION,
    BSSGP_IE_RIM_APPLICATION_ERROR,
    BSSGP_IE_RIM_ACK,
    BSSGP_IE_RIM_ERROR,
    BSSGP_IE_COUNT,
};

/* head.type is the PDU type; a field is valid if pdu_has(&head, BSSGP_IE_...). Spans point into the decoded
 * octets. */
struct bssgp {
    struct pdu head;
    uint8_t error_cause; /* enum bssgp_cause that TS 48.018 §9 gives to a PDU that did not decode */
    uint32_t tlli, tlli_old, tmsi, bvci, bvci_new, nsei_new, tag, cause, trace_reference;
    uint64_t bucket_octets, rate_bps;       /* of the BVC, or of the mobile, as the PDU says */
    uint64_t ms_bucket_octets, ms_rate_bps; /* defaults for the mobiles of a BVC */
    uint32_t ratio_percent, measurement_cs, granularity, lifetime_cs, flush_action, octets_affected;
    uint32_t trace_type, frames_discarded, pfi, pft, t10, sci, spid, send_state, feature_bitmap, suspend_ref;
    uint32_t extended_feature_bitmap, radio_cause, ra_cap_cause, bss_area, channel_needed, emlpp;
    uint32_t priority, priority_class, service_utran_cco, redirect_attempt, redirection_indication;
    uint32_t redirection_completed, time_until_paging, ggsn_location, attach_indicator, transaction_id;
    struct area cell_id, location_area, routeing_area, old_rai;
    struct ie_span llc_pdu, llc_pdu_initial, qos_profile, imsi, ms_ra_capability, drx_parameters, abqp;
    struct ie_span pdu_in_error, alignment, mobile_id, omc_id, trigger_id, lsa_ids, lsa_information;
    struct ie_span global_cn_id, selected_plmn, edrx, coverage_class, paging_attempt, exception_report;
    struct ie_span inter_rat_handover, eutran_handover, rim_destination, rim_source, rim_container;
    struct pfc_list pfcs;
};

/** The codec's tables, for callers that access fields by name; ies ends with a row without name. */
extern const struct pdu_grammar bssgp_grammar;

/**
 * Tests a PDU's type against its BVC and sender. Returns 0, or the cause of the STATUS: 0x27 for an unknown
 * type or the wrong direction, 0x26 for the wrong kind of BVC (TS 48.018 §5.4.1, §9).
 */
int bssgp_misplaced_cause(uint8_t type, enum bssgp_sender from, uint16_t bvci);

/**
 * Decodes one PDU; sizes and rates are in octets and bit/s. Returns len, or ERR_TRUNCATED,
 * ERR_MALFORMED, ERR_UNSUPPORTED with out->error_cause set (TS 48.018 §9). Conditions that depend on
 * negotiated features are tested by the caller.
 */
int bssgp_decode(struct bssgp *out, const uint8_t *bytes, size_t len);

/**
 * Encodes by in->head.type: mandatory fields always, others when marked by pdu_mark(). The granularity is the
 * smallest that fits, at least in->granularity if that is marked. Returns octets, ERR_NO_SPACE,
 * ERR_UNSUPPORTED, or ERR_RANGE when a value has no place on the wire.
 */
int bssgp_encode(uint8_t *bytes, size_t cap, const struct bssgp *in);

#endif
