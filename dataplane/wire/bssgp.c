/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/ie.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Values of `bvcs` and `rule` in a BSSGP row; private to the codec. */

enum bssgp_table_bvc { BSSGP_TABLE_SIG = 1, BSSGP_TABLE_PTM = 2, BSSGP_TABLE_PTP = 4 };

enum bssgp_table_rule {
    BSSGP_TABLE_NO_RULE,
    BSSGP_TABLE_ONE_AREA,   /* exactly one paging area */
    BSSGP_TABLE_ONE_NAME,   /* exactly one of TLLI, TMSI, IMSI */
    BSSGP_TABLE_TRANSFER,   /* "transferred" names the new BVC */
    BSSGP_TABLE_CAPABILITY, /* "OK" carries the capability */
};

enum {
    IEI_DRX_PARAMETERS = 0x0a,
    IEI_MS_RA_CAPABILITY = 0x13,
    IEI_PRIORITY = 0x17,
    IEI_LSA_INFORMATION = 0x27,
    IEI_SERVICE_UTRAN_CCO = 0x3d,
    IEI_SPID = 0x81,
};
enum { DRX_OCTETS = 2, RA_CAPABILITY_MIN_OCTETS = 5 };

/* Where the next element goes; `status` keeps the first error. */
struct run {
    struct bssgp_elements *out;
    int octets;
    int status;
};

static void bssgp_put(struct run *run, uint8_t iei, const uint8_t *value, size_t octets)
{
    if (run->status < 0 || octets == 0)
        return;
    if (octets > BSSGP_ELEMENTS_OCTETS) {
        run->status = ERR_NO_SPACE;
        return;
    }
    const struct tlv tlv = {.iei = iei, .octets = (uint16_t)octets, .value = value};
    int n = ie_tlv_encode(run->out->bytes + run->octets, (size_t)(BSSGP_ELEMENTS_OCTETS - run->octets), &tlv);
    if (n < 0)
        run->status = n;
    else
        run->octets += n;
}

static void put_span(struct run *run, uint8_t iei, const struct ie_span *span)
{
    bssgp_put(run, iei, span->at, span->octets);
}

static void put_number(struct run *run, uint8_t iei, int value)
{
    const uint8_t octet = (uint8_t)value;
    if (value > UINT8_MAX || value < BSSGP_ELEMENTS_NONE)
        run->status = ERR_RANGE;
    else if (value != BSSGP_ELEMENTS_NONE)
        bssgp_put(run, iei, &octet, 1);
}

static int range_of(const struct bssgp_elements_values *in)
{
    size_t drx = in->drx_parameters.octets, capability = in->ms_ra_capability.octets;
    bool is_good =
        (drx == 0 || drx == DRX_OCTETS) && (capability == 0 || capability >= RA_CAPABILITY_MIN_OCTETS);
    return is_good ? 0 : ERR_RANGE;
}

int bssgp_elements_encode(struct bssgp_elements *out, const struct bssgp_elements_values *in)
{
    struct run run = {.out = out, .status = range_of(in)};
    *out = (struct bssgp_elements){0};
    put_span(&run, IEI_MS_RA_CAPABILITY, &in->ms_ra_capability);
    put_number(&run, IEI_PRIORITY, in->priority);
    put_span(&run, IEI_DRX_PARAMETERS, &in->drx_parameters);
    int front = run.octets;
    put_span(&run, IEI_LSA_INFORMATION, &in->lsa_information);
    put_number(&run, IEI_SERVICE_UTRAN_CCO, in->service_utran_cco);
    put_number(&run, IEI_SPID, in->spid);
    if (run.status < 0) {
        *out = (struct bssgp_elements){0};
        return run.status;
    }
    out->front_octets = (uint8_t)front;
    out->back_octets = (uint8_t)(run.octets - front);
    return run.octets;
}

#define ROW(id, i, text, field, form, least, most)                                                           \
    [BSSGP_IE_##id] = {.name = text,                                                                         \
                       .iei = i,                                                                             \
                       .at = offsetof(struct bssgp, field),                                                  \
                       .format = form,                                                                       \
                       .min_octets = least,                                                                  \
                       .max_octets = most}
#define NUMBER(id, i, field, octets) ROW(id, i, #field, field, IE_NUMBER, octets, octets)
#define BITS(id, i, field, octets, spare)                                                                    \
    [BSSGP_IE_##id] = {.name = #field,                                                                       \
                       .iei = i,                                                                             \
                       .at = offsetof(struct bssgp, field),                                                  \
                       .format = IE_NUMBER,                                                                  \
                       .spare_bits = spare,                                                                  \
                       .min_octets = octets,                                                                 \
                       .max_octets = octets}
#define UNITS(id, i, field)             ROW(id, i, #field, field, IE_UNITS, 2, 2)
#define SPAN(id, i, field, least, most) ROW(id, i, #field, field, IE_SPAN, least, most)
#define AREA(id, i, field, octets)      ROW(id, i, #field, field, IE_AREA, octets, octets)
/* clang-format off */
static const struct ie ies[BSSGP_IE_COUNT + 1] = {
    SPAN(ALIGNMENT, 0x00, alignment, 0, 3),
    UNITS(MS_BUCKET_DEFAULT, 0x01, ms_bucket_octets),
    NUMBER(BSS_AREA, 0x02, bss_area, 1),
    UNITS(RATE, 0x03, rate_bps),
    NUMBER(BVCI, 0x04, bvci, 2),
    NUMBER(BVCI_NEW, 0x04, bvci_new, 2),
    UNITS(BVC_BUCKET, 0x05, bucket_octets),
    NUMBER(MEASUREMENT, 0x06, measurement_cs, 2),
    NUMBER(CAUSE, 0x07, cause, 1),
    AREA(CELL_ID, 0x08, cell_id, AREA_CELL),
    NUMBER(CHANNEL_NEEDED, 0x09, channel_needed, 1),
    SPAN(DRX_PARAMETERS, 0x0a, drx_parameters, 2, 2),
    BITS(EMLPP, 0x0b, emlpp, 1, 5),
    NUMBER(FLUSH_ACTION, 0x0c, flush_action, 1),
    ROW(IMSI, 0x0d, "imsi", imsi, IE_IMSI, 3, 8),
    SPAN(LLC_PDU, 0x0e, llc_pdu, 0, 0),
    SPAN(LLC_PDU_INITIAL, 0x0e, llc_pdu_initial, 0, 0),
    NUMBER(FRAMES_DISCARDED, 0x0f, frames_discarded, 1),
    AREA(LOCATION_AREA, 0x10, location_area, AREA_LOCATION),
    SPAN(MOBILE_ID, 0x11, mobile_id, 1, 8),
    UNITS(MS_BUCKET, 0x12, bucket_octets),
    SPAN(MS_RA_CAPABILITY, 0x13, ms_ra_capability, 5, 0),
    SPAN(OMC_ID, 0x14, omc_id, 2, 22),
    SPAN(PDU_IN_ERROR, 0x15, pdu_in_error, 1, 0),
    NUMBER(LIFETIME, 0x16, lifetime_cs, 2),
    NUMBER(PRIORITY, 0x17, priority, 1),
    SPAN(QOS_PROFILE, 0x18, qos_profile, 3, 3),
    NUMBER(RADIO_CAUSE, 0x19, radio_cause, 1),
    NUMBER(RA_CAP_CAUSE, 0x1a, ra_cap_cause, 1),
    AREA(ROUTEING_AREA, 0x1b, routeing_area, AREA_ROUTEING),
    UNITS(MS_RATE_DEFAULT, 0x1c, ms_rate_bps),
    NUMBER(SUSPEND_REF, 0x1d, suspend_ref, 1),
    NUMBER(TAG, 0x1e, tag, 1),
    NUMBER(TLLI, 0x1f, tlli, 4),
    NUMBER(TLLI_OLD, 0x1f, tlli_old, 4),
    NUMBER(TMSI, 0x20, tmsi, 4),
    NUMBER(TRACE_REFERENCE, 0x21, trace_reference, 2),
    NUMBER(TRACE_TYPE, 0x22, trace_type, 1),
    NUMBER(TRANSACTION_ID, 0x23, transaction_id, 2),
    SPAN(TRIGGER_ID, 0x24, trigger_id, 2, 22),
    NUMBER(OCTETS_AFFECTED, 0x25, octets_affected, 3),
    SPAN(LSA_IDS, 0x26, lsa_ids, 0, 0),
    SPAN(LSA_INFORMATION, 0x27, lsa_information, 0, 0),
    BITS(PFI, 0x28, pfi, 1, 1),
    NUMBER(PFT, 0x29, pft, 1),
    NUMBER(T10, 0x29, t10, 1),
    SPAN(ABQP, 0x3a, abqp, 11, 0),
    NUMBER(FEATURE_BITMAP, 0x3b, feature_bitmap, 1),
    NUMBER(RATIO, 0x3c, ratio_percent, 1),
    NUMBER(SERVICE_UTRAN_CCO, 0x3d, service_utran_cco, 1),
    NUMBER(NSEI_NEW, 0x3e, nsei_new, 2),
    ROW(PFCS, 0x52, "pfcs", pfcs, IE_PFCS, 1, 0),
    SPAN(GLOBAL_CN_ID, 0x53, global_cn_id, 5, 5),
    NUMBER(EXTENDED_FEATURE_BITMAP, 0x69, extended_feature_bitmap, 1),
    SPAN(INTER_RAT_HANDOVER, 0x73, inter_rat_handover, 0, 0),
    BITS(GRANULARITY, 0x7e, granularity, 1, 6),
    SPAN(EUTRAN_HANDOVER, 0x80, eutran_handover, 0, 0),
    NUMBER(SPID, 0x81, spid, 1),
    NUMBER(REDIRECT_ATTEMPT, 0x87, redirect_attempt, 1),
    NUMBER(REDIRECTION_INDICATION, 0x88, redirection_indication, 1),
    NUMBER(REDIRECTION_COMPLETED, 0x89, redirection_completed, 1),
    BITS(SEND_STATE, 0x8a, send_state, 2, 7),
    NUMBER(SCI, 0x8c, sci, 1),
    NUMBER(GGSN_LOCATION, 0x8d, ggsn_location, 1),
    SPAN(SELECTED_PLMN, 0x8e, selected_plmn, 3, 3),
    NUMBER(PRIORITY_CLASS, 0x8f, priority_class, 1),
    SPAN(EDRX, 0x92, edrx, 1, 1),
    NUMBER(TIME_UNTIL_PAGING, 0x93, time_until_paging, 2),
    SPAN(COVERAGE_CLASS, 0x98, coverage_class, 1, 1),
    SPAN(PAGING_ATTEMPT, 0x99, paging_attempt, 1, 1),
    SPAN(EXCEPTION_REPORT, 0x9a, exception_report, 0, 0),
    AREA(OLD_RAI, 0x9b, old_rai, AREA_ROUTEING),
    NUMBER(ATTACH_INDICATOR, 0x9c, attach_indicator, 1),
    SPAN(RIM_DESTINATION, 0x54, rim_destination, 1, 0),
    SPAN(RIM_SOURCE, 0x54, rim_source, 1, 0),
    SPAN(RIM_REQUEST, 0x57, rim_container, 0, 0),
    SPAN(RIM_INFORMATION, 0x58, rim_container, 0, 0),
    SPAN(RIM_APPLICATION_ERROR, 0x59, rim_container, 0, 0),
    SPAN(RIM_ACK, 0x5a, rim_container, 0, 0),
    SPAN(RIM_ERROR, 0x5b, rim_container, 0, 0),
};

#define PLACES static const struct pdu_place
#define F(id) {BSSGP_IE_##id, PDU_FIXED}
#define M(id) {BSSGP_IE_##id, PDU_MANDATORY}
#define C(id) {BSSGP_IE_##id, PDU_CONDITIONAL}
#define O(id) {BSSGP_IE_##id, PDU_OPTIONAL}
#define END {0, PDU_END}
PLACES dl_unitdata[] = {
    F(TLLI), F(QOS_PROFILE), M(LIFETIME), O(MS_RA_CAPABILITY), O(PRIORITY), O(DRX_PARAMETERS), O(IMSI), O(TLLI_OLD),
    O(PFI), O(LSA_INFORMATION), O(SERVICE_UTRAN_CCO), O(SPID), O(REDIRECTION_INDICATION), O(REDIRECTION_COMPLETED),
    O(SEND_STATE), O(SCI), O(GGSN_LOCATION), O(EDRX), O(COVERAGE_CLASS), O(OLD_RAI), O(ATTACH_INDICATOR),
    O(ALIGNMENT), M(LLC_PDU), O(LLC_PDU_INITIAL), END};
PLACES ul_unitdata[] = {F(TLLI), F(QOS_PROFILE), M(CELL_ID), O(PFI), O(LSA_IDS), O(REDIRECT_ATTEMPT), O(IMSI),
    O(SEND_STATE), O(SELECTED_PLMN), O(COVERAGE_CLASS), O(EXCEPTION_REPORT), O(ALIGNMENT), M(LLC_PDU), END};
PLACES ra_capability[] = {M(TLLI), M(MS_RA_CAPABILITY), END};
PLACES paging_ps[] = {M(IMSI), O(DRX_PARAMETERS), C(BVCI), C(LOCATION_AREA), C(ROUTEING_AREA), C(BSS_AREA), O(PFI),
    O(ABQP), M(QOS_PROFILE), O(TMSI), O(EDRX), O(COVERAGE_CLASS), O(CELL_ID), O(MS_RA_CAPABILITY),
    O(PAGING_ATTEMPT), END};
PLACES paging_cs[] = {M(IMSI), M(DRX_PARAMETERS), C(BVCI), C(LOCATION_AREA), C(ROUTEING_AREA), C(BSS_AREA), O(TLLI),
    O(CHANNEL_NEEDED), O(EMLPP), O(TMSI), O(GLOBAL_CN_ID), END};
PLACES paging_ps_reject[] = {M(IMSI), O(TIME_UNTIL_PAGING), END};
PLACES dummy_paging_ps[] = {M(IMSI), O(EDRX), END};
PLACES dummy_paging_ps_response[] = {M(IMSI), M(TIME_UNTIL_PAGING), END};
PLACES registration[] = {M(IMSI), END};
PLACES tlli_tag[] = {M(TLLI), M(TAG), END};
PLACES ra_capability_update_ack[] = {M(TLLI), M(TAG), C(IMSI), M(RA_CAP_CAUSE), C(MS_RA_CAPABILITY), END};
PLACES radio_status[] = {C(TLLI), C(TMSI), C(IMSI), M(RADIO_CAUSE), END};
PLACES suspend[] = {M(TLLI), M(ROUTEING_AREA), END};
PLACES suspend_ack[] = {M(TLLI), M(ROUTEING_AREA), M(SUSPEND_REF), END};
PLACES suspend_nack[] = {M(TLLI), M(ROUTEING_AREA), O(CAUSE), END};
PLACES bvc_block[] = {M(BVCI), M(CAUSE), END};
PLACES bvc_only[] = {M(BVCI), END};
PLACES bvc_reset[] = {M(BVCI), M(CAUSE), C(CELL_ID), O(FEATURE_BITMAP), O(EXTENDED_FEATURE_BITMAP), END};
PLACES bvc_reset_ack[] = {M(BVCI), C(CELL_ID), O(FEATURE_BITMAP), O(EXTENDED_FEATURE_BITMAP), END};
PLACES flow_control_bvc[] = {M(TAG), M(BVC_BUCKET), M(RATE), M(MS_BUCKET_DEFAULT), M(MS_RATE_DEFAULT), C(RATIO),
    O(MEASUREMENT), O(GRANULARITY), END};
PLACES flow_control_bvc_ack[] = {M(TAG), END};
PLACES flow_control_ms[] = {M(TLLI), M(TAG), M(MS_BUCKET), M(RATE), C(RATIO), O(GRANULARITY), END};
PLACES flow_control_pfc[] = {M(TLLI), M(TAG), O(MS_BUCKET), O(RATE), O(RATIO), M(PFCS), O(GRANULARITY), END};
PLACES flush_ll[] = {M(TLLI), M(BVCI), O(BVCI_NEW), O(NSEI_NEW), END};
PLACES flush_ll_ack[] = {M(TLLI), M(FLUSH_ACTION), C(BVCI_NEW), M(OCTETS_AFFECTED), C(NSEI_NEW), END};
PLACES llc_discarded[] = {M(TLLI), M(FRAMES_DISCARDED), M(BVCI), M(OCTETS_AFFECTED), O(PFI), END};
PLACES invoke_trace[] = {M(TRACE_TYPE), M(TRACE_REFERENCE), O(TRIGGER_ID), O(MOBILE_ID), O(OMC_ID),
    O(TRANSACTION_ID), END};
PLACES status[] = {M(CAUSE), C(BVCI), O(PDU_IN_ERROR), END};
PLACES overload[] = {O(PRIORITY_CLASS), END};
PLACES tlli_pfi[] = {M(TLLI), M(PFI), END};
PLACES create_pfc[] = {M(TLLI), O(IMSI), M(PFI), M(PFT), M(ABQP), O(SERVICE_UTRAN_CCO), O(MS_RA_CAPABILITY),
    O(PRIORITY), C(T10), O(INTER_RAT_HANDOVER), O(EUTRAN_HANDOVER), O(SPID), END};
PLACES create_pfc_ack[] = {M(TLLI), M(PFI), M(ABQP), O(CAUSE), END};
PLACES tlli_pfi_cause[] = {M(TLLI), M(PFI), M(CAUSE), END};
PLACES modify_pfc[] = {M(TLLI), M(PFI), M(ABQP), END};
PLACES modify_pfc_ack[] = {M(TLLI), M(PFI), M(PFT), M(ABQP), END};
#define RIM(name, id) PLACES name[] = {M(RIM_DESTINATION), M(RIM_SOURCE), M(id), END}
RIM(rim_information, RIM_INFORMATION);
RIM(rim_request, RIM_REQUEST);
RIM(rim_ack, RIM_ACK);
RIM(rim_error, RIM_ERROR);
RIM(rim_application_error, RIM_APPLICATION_ERROR);
PLACES nothing[] = {END};

enum { U = BSSGP_FROM_BSS, D = BSSGP_FROM_SGSN, UD = U | D };
enum { SIG = BSSGP_TABLE_SIG, PTM = BSSGP_TABLE_PTM, PTP = BSSGP_TABLE_PTP, CELL = SIG | PTP, ANY = SIG | PTM | PTP };

#define PDU(id, text, who, where, list) {.type = id, .name = text, .senders = who, .bvcs = where, .places = list}
#define RULED(id, text, who, where, list, what)                                                                        \
    {.type = id, .name = text, .senders = who, .bvcs = where, .places = list, .rule = BSSGP_TABLE_##what}
static const struct pdu_row rows[] = {
    PDU(BSSGP_DL_UNITDATA, "dl_unitdata", D, PTP, dl_unitdata),
    PDU(BSSGP_UL_UNITDATA, "ul_unitdata", U, PTP, ul_unitdata),
    PDU(BSSGP_RA_CAPABILITY, "ra_capability", D, PTP, ra_capability),
    PDU(0x04, "dl_mbms_unitdata", D, PTM, nothing),
    PDU(0x05, "ul_mbms_unitdata", U, PTM, nothing),
    RULED(BSSGP_PAGING_PS, "paging_ps", D, CELL, paging_ps, ONE_AREA),
    RULED(BSSGP_PAGING_CS, "paging_cs", D, CELL, paging_cs, ONE_AREA),
    PDU(BSSGP_RA_CAPABILITY_UPDATE, "ra_capability_update", U, PTP, tlli_tag),
    RULED(BSSGP_RA_CAPABILITY_UPDATE_ACK, "ra_capability_update_ack", D, PTP, ra_capability_update_ack, CAPABILITY),
    RULED(BSSGP_RADIO_STATUS, "radio_status", U, PTP, radio_status, ONE_NAME),
    PDU(BSSGP_SUSPEND, "suspend", U, SIG, suspend),
    PDU(BSSGP_SUSPEND_ACK, "suspend_ack", D, SIG, suspend_ack),
    PDU(BSSGP_SUSPEND_NACK, "suspend_nack", D, SIG, suspend_nack),
    PDU(BSSGP_RESUME, "resume", U, SIG, suspend_ack),
    PDU(BSSGP_RESUME_ACK, "resume_ack", D, SIG, suspend),
    PDU(BSSGP_RESUME_NACK, "resume_nack", D, SIG, suspend_nack),
    PDU(0x11, "paging_ps_reject", U, CELL, paging_ps_reject),
    PDU(0x12, "dummy_paging_ps", D, CELL, dummy_paging_ps),
    PDU(0x13, "dummy_paging_ps_response", U, CELL, dummy_paging_ps_response),
    PDU(0x14, "ms_registration_enquiry", U, SIG, registration),
    PDU(0x15, "ms_registration_response", D, SIG, registration),
    PDU(BSSGP_BVC_BLOCK, "bvc_block", U, SIG, bvc_block),
    PDU(BSSGP_BVC_BLOCK_ACK, "bvc_block_ack", D, SIG, bvc_only),
    PDU(BSSGP_BVC_RESET, "bvc_reset", UD, SIG, bvc_reset),
    PDU(BSSGP_BVC_RESET_ACK, "bvc_reset_ack", UD, SIG, bvc_reset_ack),
    PDU(BSSGP_BVC_UNBLOCK, "bvc_unblock", U, SIG, bvc_only),
    PDU(BSSGP_BVC_UNBLOCK_ACK, "bvc_unblock_ack", D, SIG, bvc_only),
    PDU(BSSGP_FLOW_CONTROL_BVC, "flow_control_bvc", U, PTP, flow_control_bvc),
    PDU(BSSGP_FLOW_CONTROL_BVC_ACK, "flow_control_bvc_ack", D, PTP, flow_control_bvc_ack),
    PDU(BSSGP_FLOW_CONTROL_MS, "flow_control_ms", U, PTP, flow_control_ms),
    PDU(BSSGP_FLOW_CONTROL_MS_ACK, "flow_control_ms_ack", D, PTP, tlli_tag),
    PDU(BSSGP_FLUSH_LL, "flush_ll", D, SIG, flush_ll),
    RULED(BSSGP_FLUSH_LL_ACK, "flush_ll_ack", U, SIG, flush_ll_ack, TRANSFER),
    PDU(BSSGP_LLC_DISCARDED, "llc_discarded", U, SIG, llc_discarded),
    PDU(BSSGP_FLOW_CONTROL_PFC, "flow_control_pfc", U, PTP, flow_control_pfc),
    PDU(BSSGP_FLOW_CONTROL_PFC_ACK, "flow_control_pfc_ack", D, PTP, tlli_tag),
    PDU(BSSGP_SGSN_INVOKE_TRACE, "sgsn_invoke_trace", D, SIG, invoke_trace),
    PDU(BSSGP_STATUS, "status", UD, ANY, status),
    PDU(BSSGP_OVERLOAD, "overload", D, SIG, overload),
    PDU(BSSGP_DOWNLOAD_BSS_PFC, "download_bss_pfc", U, PTP, tlli_pfi),
    PDU(BSSGP_CREATE_BSS_PFC, "create_bss_pfc", D, PTP, create_pfc),
    PDU(BSSGP_CREATE_BSS_PFC_ACK, "create_bss_pfc_ack", U, PTP, create_pfc_ack),
    PDU(BSSGP_CREATE_BSS_PFC_NACK, "create_bss_pfc_nack", U, PTP, tlli_pfi_cause),
    PDU(BSSGP_MODIFY_BSS_PFC, "modify_bss_pfc", U, PTP, modify_pfc),
    PDU(BSSGP_MODIFY_BSS_PFC_ACK, "modify_bss_pfc_ack", D, PTP, modify_pfc_ack),
    PDU(BSSGP_DELETE_BSS_PFC, "delete_bss_pfc", D, PTP, tlli_pfi),
    PDU(BSSGP_DELETE_BSS_PFC_ACK, "delete_bss_pfc_ack", U, PTP, tlli_pfi),
    PDU(BSSGP_DELETE_BSS_PFC_REQ, "delete_bss_pfc_req", U, PTP, tlli_pfi_cause),
    PDU(0x59, "ps_handover_required", UD, PTP, nothing),
    PDU(0x5a, "ps_handover_required_ack", UD, PTP, nothing),
    PDU(0x5b, "ps_handover_required_nack", UD, PTP, nothing),
    PDU(0x5c, "ps_handover_request", UD, PTP, nothing),
    PDU(0x5d, "ps_handover_request_ack", UD, PTP, nothing),
    PDU(0x5e, "ps_handover_request_nack", UD, PTP, nothing),
    PDU(0x60, "perform_location_request", UD, PTP, nothing),
    PDU(0x61, "perform_location_response", UD, PTP, nothing),
    PDU(0x62, "perform_location_abort", UD, PTP, nothing),
    PDU(0x63, "position_command", UD, PTP, nothing),
    PDU(0x64, "position_response", UD, PTP, nothing),
    PDU(0x70, "ran_information", UD, SIG, rim_information),
    PDU(0x71, "ran_information_request", UD, SIG, rim_request),
    PDU(0x72, "ran_information_ack", UD, SIG, rim_ack),
    PDU(0x73, "ran_information_error", UD, SIG, rim_error),
    PDU(0x74, "ran_information_application_error", UD, SIG, rim_application_error),
    PDU(0x80, "mbms_session_start_req", UD, SIG | PTM, nothing),
    PDU(0x81, "mbms_session_start_resp", UD, SIG | PTM, nothing),
    PDU(0x82, "mbms_session_stop_req", UD, SIG | PTM, nothing),
    PDU(0x83, "mbms_session_stop_resp", UD, SIG | PTM, nothing),
    PDU(0x84, "mbms_session_update_req", UD, SIG | PTM, nothing),
    PDU(0x85, "mbms_session_update_resp", UD, SIG | PTM, nothing),
    PDU(0x91, "ps_handover_complete", UD, PTP, nothing),
    PDU(0x92, "ps_handover_cancel", UD, PTP, nothing),
    PDU(0x93, "ps_handover_complete_ack", UD, PTP, nothing),
};

/* clang-format on */

const struct pdu_grammar bssgp_grammar = {ies, rows, sizeof ies / sizeof ies[0],
                                          sizeof rows / sizeof rows[0]};

int bssgp_misplaced_cause(uint8_t type, enum bssgp_sender from, uint16_t bvci)
{
    static const uint8_t kinds[] = {BSSGP_TABLE_SIG, BSSGP_TABLE_PTM};
    const struct pdu_row *row = pdu_row_get(&bssgp_grammar, type);
    if (!row || !(row->senders & from))
        return BSSGP_CAUSE_UNSPECIFIED;
    uint8_t kind = bvci < BSSGP_BVCI_FIRST_PTP ? kinds[bvci] : BSSGP_TABLE_PTP;
    return row->bvcs & kind ? 0 : BSSGP_CAUSE_INCOMPATIBLE_STATE;
}

static unsigned count_present(const struct pdu *pdu, const uint8_t *list, size_t count)
{
    unsigned present = 0;
    for (size_t i = 0; i < count; i++)
        present += pdu_has(pdu, list[i]);
    return present;
}

static enum pdu_fault one_of(const struct pdu *pdu, const uint8_t *list, size_t count)
{
    unsigned present = count_present(pdu, list, count);
    if (present == 1)
        return PDU_FAULT_NONE;
    return present ? PDU_FAULT_CONDITIONAL_EXTRA : PDU_FAULT_CONDITIONAL_MISSING;
}

/* Conditions that the PDU itself decides. */
static enum pdu_fault broken_rule(const struct bssgp *in)
{
    static const uint8_t areas[] = {BSSGP_IE_BVCI, BSSGP_IE_LOCATION_AREA, BSSGP_IE_ROUTEING_AREA,
                                    BSSGP_IE_BSS_AREA};
    static const uint8_t names[] = {BSSGP_IE_TLLI, BSSGP_IE_TMSI, BSSGP_IE_IMSI};
    bool is_missing = false;
    switch (in->head.row->rule) {
    case BSSGP_TABLE_ONE_AREA:
        return one_of(&in->head, areas, sizeof areas);
    case BSSGP_TABLE_ONE_NAME:
        return one_of(&in->head, names, sizeof names);
    case BSSGP_TABLE_TRANSFER:
        is_missing = in->flush_action == 1 && !pdu_has(&in->head, BSSGP_IE_BVCI_NEW);
        break;
    case BSSGP_TABLE_CAPABILITY:
        is_missing = in->ra_cap_cause == 0 && !pdu_has(&in->head, BSSGP_IE_MS_RA_CAPABILITY);
        break;
    }
    return is_missing ? PDU_FAULT_CONDITIONAL_MISSING : PDU_FAULT_NONE;
}

static uint8_t cause_of(enum pdu_fault fault)
{
    static const uint8_t causes[] = {
        [PDU_FAULT_TYPE] = BSSGP_CAUSE_UNSPECIFIED,
        [PDU_FAULT_MANDATORY_MISSING] = BSSGP_CAUSE_MANDATORY_MISSING,
        [PDU_FAULT_MANDATORY_BAD] = BSSGP_CAUSE_MANDATORY_INVALID,
        [PDU_FAULT_CONDITIONAL_MISSING] = BSSGP_CAUSE_CONDITIONAL_MISSING,
        [PDU_FAULT_CONDITIONAL_EXTRA] = BSSGP_CAUSE_CONDITIONAL_UNEXPECTED,
        [PDU_FAULT_CONDITIONAL_BAD] = BSSGP_CAUSE_CONDITIONAL_INVALID,
    };
    return causes[fault];
}

/* The granularity may follow the values that it scales, hence after the walk (TS 48.018 §11.3.102). */
static void scale(struct bssgp *out)
{
    uint64_t unit = BSSGP_UNIT;
    for (uint32_t g = 0; g < out->granularity; g++)
        unit *= 10;
    out->bucket_octets *= unit;
    out->rate_bps *= unit;
    out->ms_bucket_octets *= unit;
    out->ms_rate_bps *= unit;
    for (unsigned i = 0; i < out->pfcs.count; i++) {
        out->pfcs.flow[i].bucket_octets *= unit;
        out->pfcs.flow[i].rate_bps *= unit;
    }
}

int bssgp_decode(struct bssgp *out, const uint8_t *bytes, size_t len)
{
    *out = (struct bssgp){0};
    int n = pdu_decode(&out->head, &bssgp_grammar, bytes, len);
    if (n >= 0 && (out->head.fault = (uint8_t)broken_rule(out)) != PDU_FAULT_NONE)
        n = ERR_MALFORMED;
    if (n < 0)
        out->error_cause = cause_of(out->head.fault);
    scale(out);
    return n;
}

enum { ENCODE_MAX_UNITS = 0xffff };

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Fields of a PDU that has none of these elements are 0, as the caller's initialiser left them. */
static uint64_t largest_value(const struct bssgp *in)
{
    uint64_t most = larger(in->bucket_octets, in->rate_bps);
    most = larger(most, larger(in->ms_bucket_octets, in->ms_rate_bps));
    for (unsigned i = 0; i < in->pfcs.count && i < PFC_LIST_MAX; i++)
        most = larger(most, larger(in->pfcs.flow[i].bucket_octets, in->pfcs.flow[i].rate_bps));
    return most;
}

int bssgp_encode(uint8_t *bytes, size_t cap, const struct bssgp *in)
{
    struct bssgp sized = *in;
    uint64_t unit = BSSGP_UNIT, most = largest_value(in);
    uint32_t least = pdu_has(&in->head, BSSGP_IE_GRANULARITY) ? in->granularity : 0, g = 0;
    if (least > BSSGP_MAX_GRANULARITY)
        return ERR_RANGE;
    for (; g < least || most / unit > ENCODE_MAX_UNITS; g++, unit *= 10)
        if (g == BSSGP_MAX_GRANULARITY)
            return ERR_RANGE;
    sized.granularity = g;
    if (g)
        pdu_mark(&sized.head, BSSGP_IE_GRANULARITY);
    return pdu_encode(bytes, cap, &bssgp_grammar, &sized.head, unit);
}
