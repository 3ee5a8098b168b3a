/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sm.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/l3.h"

#include <stddef.h>
#include <stdint.h>

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

enum { TI_BITS = 0x70, TI_SHIFT = 4, EXTENDED = 7, EXT = 0x80, TI_MOST = 127, HEAD_OCTETS = 2 };

int sm_decode(struct sm *out, enum l3_sender from, const uint8_t *bytes, size_t len)
{
    *out = (struct sm){0};
    size_t more = len > 0 && (bytes[0] & TI_BITS) == TI_BITS; /* an octet of extension */
    if (len < HEAD_OCTETS + more)
        return ERR_TRUNCATED;
    uint8_t ti = more ? bytes[1] & TI_MOST : (bytes[0] & TI_BITS) >> TI_SHIFT;
    if (more && (!(bytes[1] & EXT) || ti < EXTENDED))
        return ERR_UNSUPPORTED;
    int n = l3_decode(&out->head, &sm_grammar, from, bytes + more, len - more);
    out->ti = ti;
    out->head.head = bytes[0];
    return n < 0 ? n : n + (int)more;
}

int sm_encode(uint8_t *bytes, size_t cap, const struct sm *in)
{
    size_t more = in->ti >= EXTENDED;
    if (cap < more)
        return ERR_NO_SPACE;
    int n = l3_encode(bytes + more, cap - more, &sm_grammar, &in->head);
    if (n < 0)
        return n;
    bytes[more] = (uint8_t)(EXT | in->ti);
    bytes[0] = (uint8_t)((in->head.head & ~TI_BITS) | (more ? EXTENDED : in->ti) << TI_SHIFT);
    return n + (int)more;
}
