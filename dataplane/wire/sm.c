/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sm.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"

#include "dataplane/wire/l3.h"

#include <stddef.h>
#include <stdint.h>

/* GPRS session management messages (TS 24.008 clauses 9.5 and 10.5.6), both directions. */

/* Elements by their meaning. */
enum sm_ie {
    SM_IE_NSAPI,
    SM_IE_SAPI,
    SM_IE_QOS,
    SM_IE_PDP_ADDRESS,
    SM_IE_APN,
    SM_IE_PCO,
    SM_IE_REQUEST_TYPE,
    SM_IE_RADIO_PRIORITY,
    SM_IE_PFI,
    SM_IE_CAUSE,
    SM_IE_SECOND_CAUSE,
    SM_IE_BACK_OFF,
    SM_IE_LINKED_TI,
    SM_IE_TFT,
    SM_IE_TEARDOWN,
    SM_IE_COUNT,
};

static int64_t base_rate_kbps(unsigned code)
{
    if (code < 0x40)
        return code;
    if (code < 0x80)
        return 64 + (code - 0x40) * 8;
    return code == 0xff ? 0 : 576 + (code - 0x80) * 64;
}

/* Codes above the last defined one have its value. */
static int64_t extended_rate_kbps(int64_t code)
{
    if (code <= 0x4a)
        return 8600 + code * 100;
    if (code <= 0xba)
        return (16 + code - 0x4a) * 1000;
    return (128 + ((code > 0xfa ? 0xfa : code) - 0xba) * 2) * 1000;
}

/* An extension octet counts only behind the highest base rate. */
static int64_t rate_bps(unsigned code, unsigned extension)
{
    if (code == 0)
        return QOS_RATE_UNSET;
    return 1000 * (code == 0xfe && extension ? extended_rate_kbps(extension) : base_rate_kbps(code));
}

static uint16_t sdu_octets(unsigned code)
{
    static const uint16_t high[] = {1502, 1510, 1520};
    if (code <= 150)
        return (uint16_t)(code * 10);
    return code <= 0x99 ? high[code - 0x97] : 0;
}

static uint16_t delay_ms(unsigned code)
{
    if (code < 16)
        return (uint16_t)(code * 10);
    if (code < 32)
        return (uint16_t)(200 + (code - 16) * 50);
    return code < 63 ? (uint16_t)(1000 + (code - 32) * 100) : 0;
}

static void decode_r99(struct qos *out, const uint8_t *bytes, size_t len)
{
    uint8_t more[5] = {0}; /* octets 12 to 16, where present */
    for (size_t i = 0; i < sizeof more && QOS_R99_OCTETS + i < len; i++)
        more[i] = bytes[QOS_R99_OCTETS + i];
    out->traffic_class = bytes[3] >> 5;
    out->delivery_order = bytes[3] >> 3 & 3;
    out->erroneous_sdu = bytes[3] & 7;
    out->max_sdu_octets = sdu_octets(bytes[4]);
    out->transfer_delay_ms = delay_ms(bytes[8] >> 2);
    out->thp = bytes[8] & 3;
    out->signalling = more[0] >> 4 & 1;
    out->max_rate_up_bps = rate_bps(bytes[5], more[3]);
    out->max_rate_down_bps = rate_bps(bytes[6], more[1]);
    out->guaranteed_rate_up_bps = rate_bps(bytes[9], more[4]);
    out->guaranteed_rate_down_bps = rate_bps(bytes[10], more[2]);
}

int qos_decode(struct qos *out, const uint8_t *bytes, size_t len)
{
    if (len < QOS_R97_OCTETS)
        return ERR_TRUNCATED;
    if (len > QOS_R97_OCTETS && len < QOS_R99_OCTETS)
        return ERR_MALFORMED;
    *out = (struct qos){
        .max_rate_up_bps = QOS_RATE_UNSET,
        .max_rate_down_bps = QOS_RATE_UNSET,
        .guaranteed_rate_up_bps = QOS_RATE_UNSET,
        .guaranteed_rate_down_bps = QOS_RATE_UNSET,
        .delay_class = bytes[0] >> 3 & 7,
        .reliability_class = bytes[0] & 7,
        .peak_class = bytes[1] >> 4,
        .precedence = bytes[1] & 7,
        .mean_class = bytes[2] & 31,
    };
    if (len >= QOS_R99_OCTETS)
        decode_r99(out, bytes, len);
    return (int)len;
}

static enum qclass interactive(unsigned priority)
{
    return priority == 1 ? QCLASS_THP1 : priority == 2 ? QCLASS_THP2 : QCLASS_THP3;
}

enum qclass qos_qclass(const struct qos *qos)
{
    switch (qos->traffic_class) {
    case QOS_CONVERSATIONAL:
        return QCLASS_CONVERSATIONAL;
    case QOS_STREAMING:
        return QCLASS_STREAMING;
    case QOS_INTERACTIVE:
        return interactive(qos->thp);
    case QOS_BACKGROUND:
        return QCLASS_BACKGROUND;
    default:
        return qos->delay_class >= 1 && qos->delay_class <= 3 ? interactive(qos->delay_class)
                                                              : QCLASS_BACKGROUND;
    }
}

#define ROW(id, field, form, least, most)                                                                    \
    [SM_IE_##id] = {.name = #field,                                                                          \
                    .at = offsetof(struct sm, field),                                                        \
                    .format = form,                                                                          \
                    .min_octets = least,                                                                     \
                    .max_octets = most}
#define NUMBER(id, field)            ROW(id, field, IE_NUMBER, 1, 1)
#define SPAN(id, field, least, most) ROW(id, field, IE_SPAN, least, most)
#define BITS(id, field, spare)                                                                               \
    [SM_IE_##id] = {.name = #field,                                                                          \
                    .at = offsetof(struct sm, field),                                                        \
                    .format = IE_NUMBER,                                                                     \
                    .spare_bits = spare,                                                                     \
                    .min_octets = 1,                                                                         \
                    .max_octets = 1}
/* clang-format off */
static const struct ie ies[SM_IE_COUNT + 1] = {
    BITS(NSAPI, nsapi, 4),
    BITS(SAPI, sapi, 4),
    SPAN(QOS, qos, 3, 0),
    SPAN(PDP_ADDRESS, pdp_address, 2, 22),
    SPAN(APN, apn, 1, 100),
    SPAN(PCO, pco, 1, 251),
    NUMBER(REQUEST_TYPE, request_type),
    NUMBER(RADIO_PRIORITY, radio_priority),
    BITS(PFI, pfi, 1),
    NUMBER(CAUSE, cause),
    NUMBER(SECOND_CAUSE, second_cause),
    NUMBER(BACK_OFF, back_off),
    SPAN(LINKED_TI, linked_ti, 1, 2),
    SPAN(TFT, tft, 1, 0),
    NUMBER(TEARDOWN, teardown),
};

#define PLACES static const struct l3_place
#define LOW(id) {SM_IE_##id, L3_LOW, 0}
#define SPARE {0, L3_SPARE, 0}
#define V(id) {SM_IE_##id, L3_V, 0}
#define LV(id) {SM_IE_##id, L3_LV, 0}
#define TV(iei, id) {SM_IE_##id, L3_TV, iei}
#define TLV(iei, id) {SM_IE_##id, L3_TLV, iei}
#define TV1(iei, id) {SM_IE_##id, L3_TV1, iei}
#define END {0, L3_END, 0}
PLACES activate_request[] = {V(NSAPI), V(SAPI), LV(QOS), LV(PDP_ADDRESS), TLV(0x28, APN), TLV(0x27, PCO),
    TV1(0xa0, REQUEST_TYPE), END};
PLACES activate_accept[] = {V(SAPI), LV(QOS), LOW(RADIO_PRIORITY), SPARE, TLV(0x2b, PDP_ADDRESS), TLV(0x27, PCO),
    TLV(0x34, PFI), TLV(0x39, SECOND_CAUSE), END};
PLACES reject[] = {V(CAUSE), TLV(0x27, PCO), TLV(0x37, BACK_OFF), END};
PLACES secondary_request[] = {V(NSAPI), V(SAPI), LV(QOS), LV(LINKED_TI), TLV(0x36, TFT), TLV(0x27, PCO), END};
PLACES secondary_accept[] = {V(SAPI), LV(QOS), LOW(RADIO_PRIORITY), SPARE, TLV(0x34, PFI), TLV(0x27, PCO), END};
PLACES request_activation[] = {LV(PDP_ADDRESS), TLV(0x28, APN), TLV(0x27, PCO), END};
PLACES modify_request[] = {LOW(RADIO_PRIORITY), SPARE, V(SAPI), LV(QOS), TLV(0x2b, PDP_ADDRESS), TLV(0x34, PFI),
    TLV(0x27, PCO), TLV(0x36, TFT), END};
PLACES modify_accept_ms[] = {TLV(0x27, PCO), END};
PLACES modify_request_ms[] = {TV(0x32, SAPI), TLV(0x30, QOS), TLV(0x31, TFT), TLV(0x27, PCO), END};
PLACES modify_accept[] = {TLV(0x30, QOS), TV(0x32, SAPI), TV1(0x80, RADIO_PRIORITY), TLV(0x34, PFI), TLV(0x27, PCO),
    END};
PLACES deactivate_request[] = {V(CAUSE), TV1(0x90, TEARDOWN), TLV(0x27, PCO), TLV(0x37, BACK_OFF), END};
PLACES deactivate_accept[] = {TLV(0x27, PCO), END};
PLACES cause_alone[] = {V(CAUSE), END};

enum { U = L3_FROM_MS, D = L3_FROM_SGSN, UD = U | D };
#define MESSAGE(value, text, who, list) {.name = text, .type = value, .senders = who, .places = list}
static const struct l3_row rows[] = {
    MESSAGE(0x41, "activate_request", U, activate_request),
    MESSAGE(0x42, "activate_accept", D, activate_accept),
    MESSAGE(0x43, "activate_reject", D, reject),
    MESSAGE(0x44, "request_activation", D, request_activation),
    MESSAGE(0x45, "request_activation_reject", U, reject),
    MESSAGE(0x46, "deactivate_request", UD, deactivate_request),
    MESSAGE(0x47, "deactivate_accept", UD, deactivate_accept),
    MESSAGE(0x48, "network_modify_request", D, modify_request),
    MESSAGE(0x49, "network_modify_accept", U, modify_accept_ms),
    MESSAGE(0x4a, "modify_request", U, modify_request_ms),
    MESSAGE(0x4b, "modify_accept", D, modify_accept),
    MESSAGE(0x4c, "modify_reject", D, reject),
    MESSAGE(0x4d, "secondary_request", U, secondary_request),
    MESSAGE(0x4e, "secondary_accept", D, secondary_accept),
    MESSAGE(0x4f, "secondary_reject", D, cause_alone),
    MESSAGE(0x55, "sm_status", UD, cause_alone),
};

/* clang-format on */

const struct l3_grammar sm_grammar = {ies, rows, sizeof ies / sizeof ies[0], sizeof rows / sizeof rows[0]};

enum { TIO_BITS = 0x70 };

int sm_decode(struct sm *out, enum l3_sender from, const uint8_t *bytes, size_t len)
{
    *out = (struct sm){0};
    if (len > 0 && (bytes[0] & TIO_BITS) == TIO_BITS) {
        out->head.cause = L3_CAUSE_SEMANTICALLY_INCORRECT;
        return ERR_UNSUPPORTED;
    }
    return l3_decode(&out->head, &sm_grammar, from, bytes, len);
}

int sm_encode(uint8_t *bytes, size_t cap, const struct sm *in)
{
    return l3_encode(bytes, cap, &sm_grammar, &in->head);
}
