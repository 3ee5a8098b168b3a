/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of GSUP octet for octet as libosmogsm writes them, which OsmoHLR and its clients use: it reads
 * each message and writes it again. */
#include "dataplane/wire/gsup.h"
#include "tests/unit/unit.h"

#include <osmocom/core/msgb.h>
#include <osmocom/gsm/gsup.h>
#include <string.h>

#define HAS(id) (UINT32_C(1) << GSUP_IE_##id)
#define SPAN_OF(n)                                                                                           \
    {                                                                                                        \
        octets, n                                                                                            \
    }

enum { NUMBERS = HAS(CAUSE) | HAS(DOMAIN), TUPLE_ALL = 0x7f, INFO_ALL = 0x1f };

static const uint8_t octets[32] = {0x91, 0x94, 0x71, 0, 0, 1, 0xf2, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t geran[] = {1}, apn[] = {3, 'w', 'e', 'b'}, pdp_type[] = {0xf1, 0x21},
                     address[] = {2, 0x91, 0x94};

#define MESSAGE(type_of, bits, ...)                                                                          \
    {                                                                                                        \
        .type = type_of, .imsi = "262420000000001", .has = bits, __VA_ARGS__                                 \
    }

static const struct {
    const char *name;
    struct gsup message;
} rows[] = {
    {"SEND-AUTH-INFO", MESSAGE(GSUP_AUTH_INFO, HAS(DOMAIN) | HAS(VECTORS), .domain = 1, .vectors = 5)},
    {"SEND-AUTH-INFO after a synch failure",
     MESSAGE(GSUP_AUTH_INFO, HAS(DOMAIN) | HAS(AUTS) | HAS(RAND) | HAS(VECTORS), .domain = 1, .vectors = 5,
             .auts = SPAN_OF(14), .rand = SPAN_OF(16))},
    {"its result", MESSAGE(GSUP_AUTH_INFO + 2, HAS(DOMAIN), .domain = 1, .tuples = 2,
                           .tuple = {{TUPLE_ALL, SPAN_OF(16), SPAN_OF(4), SPAN_OF(8), SPAN_OF(16),
                                      SPAN_OF(16), SPAN_OF(16), SPAN_OF(8)},
                                     {0x7, SPAN_OF(16), SPAN_OF(4), SPAN_OF(8)}})},
    {"UPDATE-LOCATION",
     MESSAGE(GSUP_UPDATE_LOCATION, HAS(DOMAIN) | HAS(RAT_TYPES), .domain = 1, .rat_types = {geran, 1})},
    {"its result", MESSAGE(GSUP_UPDATE_LOCATION + 2, HAS(DOMAIN), .domain = 1)},
    {"its error", MESSAGE(GSUP_UPDATE_LOCATION + 1, NUMBERS, .domain = 1, .cause = 2)},
    {"PURGE", MESSAGE(GSUP_PURGE, HAS(DOMAIN), .domain = 1)},
    {"its result", MESSAGE(GSUP_PURGE + 2, HAS(FREEZE_P_TMSI))},
    {"AUTH-FAILURE", MESSAGE(GSUP_AUTH_FAILURE, HAS(DOMAIN), .domain = 1)},
    {"INSERT-DATA", MESSAGE(GSUP_INSERT_DATA, HAS(MSISDN) | HAS(HLR_NUMBER) | HAS(PDP_COMPLETE) | HAS(DOMAIN),
                            .domain = 1, .msisdn = SPAN_OF(5), .hlr_number = SPAN_OF(5), .pdp_infos = 1,
                            .pdp_info = {{INFO_ALL, 1, {pdp_type, 2}, {apn, 4}, SPAN_OF(4), SPAN_OF(2)}})},
    {"its result to a name",
     MESSAGE(GSUP_INSERT_DATA + 2, HAS(DOMAIN) | HAS(DESTINATION_NAME) | HAS(SOURCE_NAME), .domain = 1,
             .source_name = {apn, 4}, .destination_name = {apn, 2})},
    {"its error to a name", MESSAGE(GSUP_INSERT_DATA + 1, NUMBERS | HAS(DESTINATION_NAME), .domain = 1,
                                    .cause = 96, .destination_name = {apn, 4})},
    {"DELETE-DATA", MESSAGE(GSUP_DELETE_DATA, HAS(CONTEXT_ID) | HAS(DOMAIN), .domain = 1, .context_id = 3)},
    {"CANCEL", MESSAGE(GSUP_CANCEL, HAS(CANCEL_TYPE) | HAS(DOMAIN), .domain = 1, .cancel_type = 1)},
    {"MO-FORWARD-SM",
     MESSAGE(0x24, HAS(SM_RP_MR) | HAS(SM_RP_DA) | HAS(SM_RP_OA) | HAS(SM_RP_UI) | HAS(DOMAIN), .domain = 1,
             .sm_rp_mr = 9, .sm_rp_da = {address, 3}, .sm_rp_oa = {address, 3}, .sm_rp_ui = SPAN_OF(11))},
    {"MT-FORWARD-SM", MESSAGE(GSUP_MT_FORWARD_SM,
                              HAS(SM_RP_MR) | HAS(SM_RP_DA) | HAS(SM_RP_OA) | HAS(SM_RP_UI) | HAS(SM_RP_MMS) |
                                  HAS(SOURCE_NAME),
                              .sm_rp_mr = 9, .sm_rp_da = {address, 3}, .sm_rp_oa = {address, 3},
                              .sm_rp_ui = SPAN_OF(11), .sm_rp_mms = 1, .source_name = {apn, 4})},
    {"its error", MESSAGE(GSUP_MT_FORWARD_SM + 1, HAS(SM_RP_MR) | HAS(SM_RP_CAUSE) | HAS(DESTINATION_NAME),
                          .sm_rp_mr = 9, .sm_rp_cause = 22, .destination_name = {apn, 4})},
    {"READY-FOR-SM", MESSAGE(0x2c, HAS(SM_RP_MR) | HAS(SM_ALERT_REASON) | HAS(DOMAIN), .sm_rp_mr = 9,
                             .sm_alert_reason = 1, .domain = 1)},
    {"CHECK-IMEI", MESSAGE(0x30, HAS(IMEI) | HAS(DOMAIN), .imei = SPAN_OF(8), .domain = 1)},
    {"its result", MESSAGE(0x32, HAS(IMEI_RESULT), .imei_result = 1)},
    {"all elements",
     MESSAGE(GSUP_UPDATE_LOCATION, (UINT32_C(1) << GSUP_IE_COUNT) - 1 - HAS(VECTORS) - HAS(CONTEXT_ID),
             .cause = 2, .cancel_type = 1, .domain = 1, .msisdn = SPAN_OF(5), .hlr_number = SPAN_OF(5),
             .auts = SPAN_OF(14), .rand = SPAN_OF(16), .sm_rp_mr = 9, .sm_rp_da = {address, 3},
             .sm_rp_oa = {address, 3}, .sm_rp_ui = SPAN_OF(11), .sm_rp_mms = 1, .sm_rp_cause = 22,
             .sm_alert_reason = 1, .imei = SPAN_OF(8), .imei_result = 1, .source_name = {apn, 4},
             .destination_name = {apn, 4}, .rat_types = {geran, 1}, .charging = SPAN_OF(2), .tuples = 1,
             .tuple = {{0x7, SPAN_OF(16), SPAN_OF(4), SPAN_OF(8)}}, .pdp_infos = 1,
             .pdp_info = {{INFO_ALL, 1, {pdp_type, 2}, {apn, 4}, SPAN_OF(4), SPAN_OF(2)}})},
};

static void show(char *text, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sprintf(text + 2 * i, "%02x", bytes[i]);
}

TEST(octets_are_theirs)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t ours[GSUP_MAX_OCTETS];
        struct osmo_gsup_message read;
        struct msgb *theirs = msgb_alloc(GSUP_MAX_OCTETS, "gsup");
        int len = gsup_encode(ours, sizeof ours, &rows[i].message);
        if (len < 0 || osmo_gsup_decode(ours, (size_t)len, &read) < 0 || osmo_gsup_encode(theirs, &read) < 0)
            fail_msg("%s: not read or written", rows[i].name);
        if (len != msgb_length(theirs) || memcmp(ours, theirs->data, (size_t)len) != 0) {
            char text[2][2 * GSUP_MAX_OCTETS + 1];
            show(text[0], ours, (size_t)len);
            show(text[1], theirs->data, msgb_length(theirs));
            fail_msg("%s: %s, theirs %s", rows[i].name, text[0], text[1]);
        }
        msgb_free(theirs);
    }
}

UNIT_MAIN(NULL, NULL)
