/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar of GMM: elements (TS 24.008 clause 10.5.5) and messages (clause 9.4). */
#include "dataplane/wire/gmm.h"

#define ROW(id, field, form, least, most)                                                                    \
    [GMM_IE_##id] = {.name = #field,                                                                         \
                     .at = offsetof(struct gmm, field),                                                      \
                     .format = form,                                                                         \
                     .min_octets = least,                                                                    \
                     .max_octets = most}
#define NUMBER(id, field)            ROW(id, field, IE_NUMBER, 1, 1)
#define SPAN(id, field, least, most) ROW(id, field, IE_SPAN, least, most)
/* clang-format off */
static const struct ie ies[GMM_IE_COUNT + 1] = {
    SPAN(MS_NETWORK_CAPABILITY, ms_network_capability, 1, 8),
    NUMBER(ATTACH_TYPE, attach_type),
    NUMBER(ATTACH_RESULT, attach_result),
    NUMBER(CKSN, cksn),
    SPAN(DRX, drx, 2, 2),
    SPAN(IDENTITY, identity, 1, 9),
    SPAN(OLD_RAI, old_rai, 6, 6),
    ROW(RAI, rai, IE_AREA, AREA_ROUTEING, AREA_ROUTEING),
    SPAN(RA_CAPABILITY, ra_capability, 1, 51),
    SPAN(SIGNATURE, signature, 3, 3),
    NUMBER(READY_TIMER, ready_timer),
    NUMBER(TMSI_STATUS, tmsi_status),
    NUMBER(CAUSE, cause),
    NUMBER(FORCE_TO_STANDBY, force_to_standby),
    NUMBER(UPDATE_TIMER, update_timer),
    NUMBER(PRIORITY_SMS, priority_sms),
    NUMBER(PRIORITY_TOM8, priority_tom8),
    SPAN(P_TMSI, p_tmsi, 5, 5),
    NUMBER(T3302, t3302),
    NUMBER(T3346, t3346),
    NUMBER(CELL_NOTIFICATION, cell_notification),
    NUMBER(FEATURES, features),
    NUMBER(DETACH_TYPE, detach_type),
    NUMBER(UPDATE_TYPE, update_type),
    NUMBER(UPDATE_RESULT, update_result),
    SPAN(PDP_STATUS, pdp_status, 2, 2),
    SPAN(RECEIVED_N_PDUS, received_n_pdus, 2, 15),
    NUMBER(ALGORITHM, algorithm),
    NUMBER(IMEISV_REQUEST, imeisv_request),
    NUMBER(REFERENCE, reference),
    SPAN(RAND, rand, 16, 16),
    SPAN(AUTN, autn, 16, 16),
    SPAN(SRES, sres, 4, 4),
    SPAN(IMEISV, imeisv, 1, 9),
    SPAN(RES_EXTENSION, res_extension, 1, 12),
    SPAN(AUTS, auts, 14, 14),
    NUMBER(IDENTITY_TYPE, identity_type),
    SPAN(FULL_NAME, full_name, 1, 0),
    SPAN(SHORT_NAME, short_name, 1, 0),
    NUMBER(TIME_ZONE, time_zone),
    SPAN(TIME, time, 7, 7),
    NUMBER(DAYLIGHT_SAVING, daylight_saving),
};

#define PLACES static const struct l3_place
#define LOW(id) {GMM_IE_##id, L3_LOW, 0}
#define HIGH(id) {GMM_IE_##id, L3_HIGH, 0}
#define SPARE {0, L3_SPARE, 0}
#define V(id) {GMM_IE_##id, L3_V, 0}
#define LV(id) {GMM_IE_##id, L3_LV, 0}
#define TV(iei, id) {GMM_IE_##id, L3_TV, iei}
#define TLV(iei, id) {GMM_IE_##id, L3_TLV, iei}
#define TV1(iei, id) {GMM_IE_##id, L3_TV1, iei}
#define T(iei, id) {GMM_IE_##id, L3_T, iei}
#define END {0, L3_END, 0}
PLACES attach_request[] = {LV(MS_NETWORK_CAPABILITY), LOW(ATTACH_TYPE), HIGH(CKSN), V(DRX), LV(IDENTITY), V(OLD_RAI),
    LV(RA_CAPABILITY), TV(0x19, SIGNATURE), TV(0x17, READY_TIMER), TV1(0x90, TMSI_STATUS), END};
PLACES attach_accept[] = {LOW(ATTACH_RESULT), HIGH(FORCE_TO_STANDBY), V(UPDATE_TIMER), LOW(PRIORITY_SMS),
    HIGH(PRIORITY_TOM8), V(RAI), TV(0x19, SIGNATURE), TV(0x17, READY_TIMER), TLV(0x18, P_TMSI), TLV(0x23, IDENTITY),
    TV(0x25, CAUSE), TLV(0x2a, T3302), T(0x8c, CELL_NOTIFICATION), TV1(0xb0, FEATURES), END};
PLACES reject[] = {V(CAUSE), TLV(0x2a, T3302), TLV(0x3a, T3346), END};
PLACES detach_request_ms[] = {LOW(DETACH_TYPE), SPARE, TLV(0x18, P_TMSI), TLV(0x19, SIGNATURE), END};
PLACES detach_request[] = {LOW(DETACH_TYPE), HIGH(FORCE_TO_STANDBY), TV(0x25, CAUSE), END};
PLACES detach_accept[] = {LOW(FORCE_TO_STANDBY), SPARE, END};
PLACES rau_request[] = {LOW(UPDATE_TYPE), HIGH(CKSN), V(OLD_RAI), LV(RA_CAPABILITY), TV(0x19, SIGNATURE),
    TV(0x17, READY_TIMER), TV(0x27, DRX), TV1(0x90, TMSI_STATUS), TLV(0x18, P_TMSI),
    TLV(0x31, MS_NETWORK_CAPABILITY), TLV(0x32, PDP_STATUS), END};
PLACES rau_accept[] = {LOW(FORCE_TO_STANDBY), HIGH(UPDATE_RESULT), V(UPDATE_TIMER), V(RAI), TV(0x19, SIGNATURE),
    TLV(0x18, P_TMSI), TLV(0x23, IDENTITY), TLV(0x26, RECEIVED_N_PDUS), TV(0x17, READY_TIMER), TV(0x25, CAUSE),
    TLV(0x2a, T3302), T(0x8c, CELL_NOTIFICATION), TLV(0x32, PDP_STATUS), TV1(0xb0, FEATURES), END};
PLACES rau_complete[] = {TLV(0x26, RECEIVED_N_PDUS), END};
PLACES rau_reject[] = {V(CAUSE), LOW(FORCE_TO_STANDBY), SPARE, TLV(0x2a, T3302), TLV(0x3a, T3346), END};
PLACES reallocation_command[] = {LV(IDENTITY), V(RAI), LOW(FORCE_TO_STANDBY), SPARE, TV(0x19, SIGNATURE), END};
PLACES auth_request[] = {LOW(ALGORITHM), HIGH(IMEISV_REQUEST), LOW(FORCE_TO_STANDBY), HIGH(REFERENCE),
    TV(0x21, RAND), TV1(0x80, CKSN), TLV(0x28, AUTN), END};
PLACES auth_response[] = {LOW(REFERENCE), SPARE, TV(0x22, SRES), TLV(0x23, IMEISV), TLV(0x29, RES_EXTENSION), END};
PLACES auth_failure[] = {V(CAUSE), TLV(0x30, AUTS), END};
PLACES identity_request[] = {LOW(IDENTITY_TYPE), HIGH(FORCE_TO_STANDBY), END};
PLACES identity_response[] = {LV(IDENTITY), END};
PLACES status[] = {V(CAUSE), END};
PLACES information[] = {TLV(0x43, FULL_NAME), TLV(0x45, SHORT_NAME), TV(0x46, TIME_ZONE), TV(0x47, TIME),
    TLV(0x49, DAYLIGHT_SAVING), END};
PLACES nothing[] = {END};

enum { U = L3_FROM_MS, D = L3_FROM_SGSN, UD = U | D };
#define MESSAGE(value, text, who, list) {.name = text, .type = value, .senders = who, .places = list}
static const struct l3_row rows[] = {
    MESSAGE(0x01, "attach_request", U, attach_request),
    MESSAGE(0x02, "attach_accept", D, attach_accept),
    MESSAGE(0x03, "attach_complete", U, nothing),
    MESSAGE(0x04, "attach_reject", D, reject),
    MESSAGE(0x05, "detach_request", U, detach_request_ms),
    MESSAGE(0x05, "network_detach_request", D, detach_request),
    MESSAGE(0x06, "ms_detach_accept", U, nothing),
    MESSAGE(0x06, "detach_accept", D, detach_accept),
    MESSAGE(0x08, "rau_request", U, rau_request),
    MESSAGE(0x09, "rau_accept", D, rau_accept),
    MESSAGE(0x0a, "rau_complete", U, rau_complete),
    MESSAGE(0x0b, "rau_reject", D, rau_reject),
    MESSAGE(0x10, "p_tmsi_reallocation_command", D, reallocation_command),
    MESSAGE(0x11, "p_tmsi_reallocation_complete", U, nothing),
    MESSAGE(0x12, "auth_request", D, auth_request),
    MESSAGE(0x13, "auth_response", U, auth_response),
    MESSAGE(0x14, "auth_reject", D, nothing),
    MESSAGE(0x15, "identity_request", D, identity_request),
    MESSAGE(0x16, "identity_response", U, identity_response),
    MESSAGE(0x1c, "auth_failure", U, auth_failure),
    MESSAGE(0x20, "gmm_status", UD, status),
    MESSAGE(0x21, "gmm_information", D, information),
};
/* clang-format on */

const struct l3_grammar gmm_grammar = {ies, rows, sizeof ies / sizeof ies[0], sizeof rows / sizeof rows[0]};

int gmm_decode(struct gmm *out, enum l3_sender from, const uint8_t *bytes, size_t len)
{
    *out = (struct gmm){0};
    return l3_decode(&out->head, &gmm_grammar, from, bytes, len);
}

int gmm_encode(uint8_t *bytes, size_t cap, const struct gmm *in)
{
    return l3_encode(bytes, cap, &gmm_grammar, &in->head);
}
