/* SPDX-License-Identifier: BSD-3-Clause */
/* GPRS mobility management messages (TS 24.008 clauses 9.4 and 10.5.5): those of A/Gb mode, both directions.
 */
#ifndef DATAPLANE_WIRE_GMM_H
#define DATAPLANE_WIRE_GMM_H

#include "dataplane/wire/identity.h"
#include "dataplane/wire/l3.h"

/* Elements by their meaning. */
enum gmm_ie {
    GMM_IE_MS_NETWORK_CAPABILITY,
    GMM_IE_ATTACH_TYPE,
    GMM_IE_ATTACH_RESULT,
    GMM_IE_CKSN,
    GMM_IE_DRX,
    GMM_IE_IDENTITY,
    GMM_IE_OLD_RAI,
    GMM_IE_RAI,
    GMM_IE_RA_CAPABILITY,
    GMM_IE_SIGNATURE,
    GMM_IE_READY_TIMER,
    GMM_IE_TMSI_STATUS,
    GMM_IE_CAUSE,
    GMM_IE_FORCE_TO_STANDBY,
    GMM_IE_UPDATE_TIMER,
    GMM_IE_PRIORITY_SMS,
    GMM_IE_PRIORITY_TOM8,
    GMM_IE_P_TMSI,
    GMM_IE_T3302,
    GMM_IE_T3346,
    GMM_IE_CELL_NOTIFICATION,
    GMM_IE_FEATURES,
    GMM_IE_DETACH_TYPE,
    GMM_IE_UPDATE_TYPE,
    GMM_IE_UPDATE_RESULT,
    GMM_IE_PDP_STATUS,
    GMM_IE_RECEIVED_N_PDUS,
    GMM_IE_ALGORITHM,
    GMM_IE_IMEISV_REQUEST,
    GMM_IE_REFERENCE,
    GMM_IE_RAND,
    GMM_IE_AUTN,
    GMM_IE_SRES,
    GMM_IE_IMEISV,
    GMM_IE_RES_EXTENSION,
    GMM_IE_AUTS,
    GMM_IE_IDENTITY_TYPE,
    GMM_IE_FULL_NAME,
    GMM_IE_SHORT_NAME,
    GMM_IE_TIME_ZONE,
    GMM_IE_TIME,
    GMM_IE_DAYLIGHT_SAVING,
    GMM_IE_COUNT,
};

/* A field is valid if l3_has(&head, GMM_IE_...). Spans point into the decoded octets. */
struct gmm {
    struct l3 head;
    uint32_t attach_type, attach_result, cksn, ready_timer, tmsi_status, cause, force_to_standby,
        update_timer;
    uint32_t priority_sms, priority_tom8, t3302, t3346, cell_notification, features, detach_type, update_type;
    uint32_t update_result, algorithm, imeisv_request, reference, identity_type, time_zone, daylight_saving;
    struct area rai;
    struct ie_span ms_network_capability, drx, identity, old_rai, ra_capability, signature, p_tmsi,
        pdp_status;
    struct ie_span received_n_pdus, rand, autn, sres, imeisv, res_extension, auts, full_name, short_name,
        time;
};

/** The codec's tables, for callers that access fields by name. */
extern const struct l3_grammar gmm_grammar;

/** Decodes one message, from its protocol discriminator on; as l3_decode(). */
int gmm_decode(struct gmm *out, enum l3_sender from, const uint8_t *bytes, size_t len);

/** Encodes by in->head.row; as l3_encode(). */
int gmm_encode(uint8_t *bytes, size_t cap, const struct gmm *in);

#endif
