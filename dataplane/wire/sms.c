/* SPDX-License-Identifier: BSD-3-Clause */
/* Short messages: the grammars of CP and RP: elements (TS 24.011 clauses 8.1.4 and 8.2.5) and messages
 * (clauses 7.2 and 7.3).
 */
#include "dataplane/wire/sms.h"

#include "dataplane/base/bytes.h"

enum cp_ie { CP_IE_USER_DATA, CP_IE_CAUSE, CP_IE_COUNT };
enum rp_ie { RP_IE_ORIGINATOR, RP_IE_DESTINATION, RP_IE_USER_DATA, RP_IE_CAUSE, RP_IE_COUNT };

enum { ADDRESS_OCTETS = 11, TPDU_OCTETS = 233, RP_HEAD_OCTETS = 2, RP_TYPE_BITS = 7 };

#define ROW(record, id, field, form, least, most)                                                            \
    [id] = {.name = #field,                                                                                  \
            .at = offsetof(struct record, field),                                                            \
            .format = form,                                                                                  \
            .min_octets = least,                                                                             \
            .max_octets = most}
/* clang-format off */
static const struct ie cp_ies[CP_IE_COUNT + 1] = {
    ROW(cp, CP_IE_USER_DATA, user_data, IE_SPAN, 0, 0),
    ROW(cp, CP_IE_CAUSE, cause, IE_NUMBER, 1, 1),
};
/* A cause's extension bit, and its diagnostic in octets behind it, are left out. */
static const struct ie rp_ies[RP_IE_COUNT + 1] = {
    ROW(rp, RP_IE_ORIGINATOR, originator, IE_SPAN, 0, ADDRESS_OCTETS),
    ROW(rp, RP_IE_DESTINATION, destination, IE_SPAN, 0, ADDRESS_OCTETS),
    ROW(rp, RP_IE_USER_DATA, user_data, IE_SPAN, 0, TPDU_OCTETS),
    [RP_IE_CAUSE] = {.name = "cause", .at = offsetof(struct rp, cause), .format = IE_NUMBER, .spare_bits = 1,
                     .min_octets = 1, .max_octets = 1},
};

#define PLACES static const struct l3_place
#define V(id) {id, L3_V, 0}
#define LV(id) {id, L3_LV, 0}
#define TLV(iei, id) {id, L3_TLV, iei}
#define END {0, L3_END, 0}
PLACES cp_data[] = {LV(CP_IE_USER_DATA), END};
PLACES cp_error[] = {V(CP_IE_CAUSE), END};
PLACES rp_data[] = {LV(RP_IE_ORIGINATOR), LV(RP_IE_DESTINATION), LV(RP_IE_USER_DATA), END};
PLACES rp_ack[] = {TLV(0x41, RP_IE_USER_DATA), END};
PLACES rp_error[] = {LV(RP_IE_CAUSE), TLV(0x41, RP_IE_USER_DATA), END};
PLACES nothing[] = {END};

enum { U = L3_FROM_MS, D = L3_FROM_SGSN, UD = U | D };
#define MESSAGE(value, text, who, list) {.name = text, .type = value, .senders = who, .places = list}
static const struct l3_row cp_rows[] = {
    MESSAGE(0x01, "cp_data", UD, cp_data),
    MESSAGE(0x04, "cp_ack", UD, nothing),
    MESSAGE(0x10, "cp_error", UD, cp_error),
};
static const struct l3_row rp_rows[] = {
    MESSAGE(0, "rp_data", U, rp_data),
    MESSAGE(1, "network_rp_data", D, rp_data),
    MESSAGE(2, "rp_ack", U, rp_ack),
    MESSAGE(3, "network_rp_ack", D, rp_ack),
    MESSAGE(4, "rp_error", U, rp_error),
    MESSAGE(5, "network_rp_error", D, rp_error),
    MESSAGE(6, "rp_smma", U, nothing),
};
/* clang-format on */

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))
const struct l3_grammar cp_grammar = {cp_ies, cp_rows, COUNT_OF(cp_ies), COUNT_OF(cp_rows)},
                        rp_grammar = {rp_ies, rp_rows, COUNT_OF(rp_ies), COUNT_OF(rp_rows)};

int cp_decode(struct cp *out, enum l3_sender from, const uint8_t *bytes, size_t len)
{
    *out = (struct cp){0};
    return l3_decode(&out->head, &cp_grammar, from, bytes, len);
}

int cp_encode(uint8_t *bytes, size_t cap, const struct cp *in)
{
    return l3_encode(bytes, cap, &cp_grammar, &in->head);
}

static int sms_refuse(struct rp *out, enum l3_cause cause, int err)
{
    out->head.cause = (uint8_t)cause;
    return err;
}

int rp_decode(struct rp *out, enum l3_sender from, const uint8_t *bytes, size_t len)
{
    *out = (struct rp){0};
    if (len < RP_HEAD_OCTETS)
        return sms_refuse(out, L3_CAUSE_MANDATORY_INVALID, ERR_TRUNCATED);
    out->head.type = bytes[0] & RP_TYPE_BITS;
    out->head.head = bytes[1];
    out->head.row = l3_row_get(&rp_grammar, out->head.type, from);
    if (!out->head.row)
        return sms_refuse(out, L3_CAUSE_TYPE_UNKNOWN, ERR_UNSUPPORTED);
    int n = l3_elements_decode(&out->head, &rp_grammar, bytes + RP_HEAD_OCTETS, len - RP_HEAD_OCTETS);
    return n < 0 ? n : RP_HEAD_OCTETS + n;
}

int rp_encode(uint8_t *bytes, size_t cap, const struct rp *in)
{
    if (cap < RP_HEAD_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = in->head.row->type;
    bytes[1] = in->head.head;
    int n = l3_elements_encode(bytes + RP_HEAD_OCTETS, cap - RP_HEAD_OCTETS, &rp_grammar, &in->head);
    return n < 0 ? n : RP_HEAD_OCTETS + n;
}
