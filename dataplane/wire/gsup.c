/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gsup.h"

#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/wire/identity.h"

enum { TAG_IMSI = 0x01, HEADER = 2, FILL = 15, IMSI_OCTETS = 8, LONGEST = 255 };

#define ROW(record, text, tag, field, form, least, most)                                                     \
    {                                                                                                        \
        .name = text, .iei = tag, .at = offsetof(struct record, field), .format = form, .min_octets = least, \
        .max_octets = most                                                                                   \
    }
#define NUMBER(id, tag, field)            [GSUP_IE_##id] = ROW(gsup, #field, tag, field, IE_NUMBER, 1, 1)
#define SPAN(id, tag, field, least, most) [GSUP_IE_##id] = ROW(gsup, #field, tag, field, IE_SPAN, least, most)
/* clang-format off */
const struct ie gsup_ies[GSUP_IE_COUNT + 1] = {
    SPAN(MSISDN, 0x08, msisdn, 1, 0),
    SPAN(HLR_NUMBER, 0x09, hlr_number, 1, 0),
    NUMBER(CAUSE, 0x02, cause),
    NUMBER(CANCEL_TYPE, 0x06, cancel_type),
    SPAN(PDP_COMPLETE, 0x04, pdp_complete, 0, 0),
    SPAN(FREEZE_P_TMSI, 0x07, freeze_p_tmsi, 0, 0),
    NUMBER(CONTEXT_ID, 0x10, context_id),
    NUMBER(VECTORS, 0x52, vectors),
    SPAN(AUTS, 0x26, auts, 14, 14),
    SPAN(RAND, 0x20, rand, 16, 16),
    NUMBER(DOMAIN, 0x28, domain),
    SPAN(CHARGING, 0x14, charging, 2, 0),
    NUMBER(SM_RP_MR, 0x40, sm_rp_mr),
    SPAN(SM_RP_DA, 0x41, sm_rp_da, 1, 0),
    SPAN(SM_RP_OA, 0x42, sm_rp_oa, 1, 0),
    SPAN(SM_RP_UI, 0x43, sm_rp_ui, 0, 0),
    NUMBER(SM_RP_MMS, 0x45, sm_rp_mms),
    NUMBER(SM_RP_CAUSE, 0x44, sm_rp_cause),
    NUMBER(SM_ALERT_REASON, 0x46, sm_alert_reason),
    SPAN(IMEI, 0x50, imei, 1, 0),
    NUMBER(IMEI_RESULT, 0x51, imei_result),
    SPAN(SOURCE_NAME, 0x60, source_name, 1, 0),
    SPAN(DESTINATION_NAME, 0x61, destination_name, 1, 0),
    SPAN(RAT_TYPES, 0x2a, rat_types, 1, 0),
};

#define T(tag, field, least, most) ROW(gsup_tuple, #field, tag, field, IE_SPAN, least, most)
const struct ie gsup_tuple_ies[] = {
    T(0x20, rand, 16, 16), T(0x21, sres, 4, 4), T(0x22, kc, 8, 8), T(0x23, ik, 16, 16), T(0x24, ck, 16, 16),
    T(0x25, autn, 16, 16), T(0x27, res, 4, 16), {.name = NULL}};

#define P(tag, field, least, most) ROW(gsup_pdp_info, #field, tag, field, IE_SPAN, least, most)
const struct ie gsup_pdp_ies[] = {
    ROW(gsup_pdp_info, "id", 0x10, id, IE_NUMBER, 1, 1), P(0x11, type, 2, 0), P(0x12, apn, 1, 0), P(0x13, qos, 0, 0),
    P(0x14, charging, 2, 0), {.name = NULL}};

static const struct { uint8_t type; const char *name; } names[] = {
    {0x04, "update_location_request"}, {0x05, "update_location_error"}, {0x06, "update_location_result"},
    {0x08, "auth_info_request"}, {0x09, "auth_info_error"}, {0x0a, "auth_info_result"}, {0x0b, "auth_failure_report"},
    {0x0c, "purge_request"}, {0x0d, "purge_error"}, {0x0e, "purge_result"},
    {0x10, "insert_data_request"}, {0x11, "insert_data_error"}, {0x12, "insert_data_result"},
    {0x14, "delete_data_request"}, {0x15, "delete_data_error"}, {0x16, "delete_data_result"},
    {0x1c, "cancel_request"}, {0x1d, "cancel_error"}, {0x1e, "cancel_result"},
    {0x24, "mo_forward_sm_request"}, {0x25, "mo_forward_sm_error"}, {0x26, "mo_forward_sm_result"},
    {0x28, "mt_forward_sm_request"}, {0x29, "mt_forward_sm_error"}, {0x2a, "mt_forward_sm_result"},
    {0x2c, "ready_for_sm_request"}, {0x2d, "ready_for_sm_error"}, {0x2e, "ready_for_sm_result"},
    {0x30, "check_imei_request"}, {0x31, "check_imei_error"}, {0x32, "check_imei_result"}, {0x4e, "routing_error"},
};
/* clang-format on */

const char *gsup_name(uint8_t type)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].type == type)
            return names[i].name;
    return NULL;
}

int gsup_type_of(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].type;
    return -1;
}

const struct ie *gsup_elements(uint8_t container)
{
    return container == GSUP_TAG_TUPLE      ? gsup_tuple_ies
           : container == GSUP_TAG_PDP_INFO ? gsup_pdp_ies
                                            : gsup_ies;
}

/* --- decoding --- */

struct element {
    uint8_t tag;
    const uint8_t *value;
    size_t octets;
};

/* Splits the first element off; its octets with the header. */
static int split(struct element *out, const uint8_t *bytes, size_t len)
{
    if (len < HEADER || len < HEADER + (size_t)bytes[1])
        return ERR_TRUNCATED;
    *out = (struct element){bytes[0], bytes + HEADER, bytes[1]};
    return HEADER + bytes[1];
}

static void note_skip(struct gsup *out, uint8_t container, uint8_t tag)
{
    if (out->skips < GSUP_SKIPS)
        out->skip[out->skips] = (struct gsup_skip){container, tag};
    out->skips++;
}

/* Stores an element in the record at at, if the list has it; of repeated ones the first that can be read. */
static void store(struct gsup *out, uint8_t container, void *at, uint32_t *has, const struct element *in)
{
    const struct ie *list = gsup_elements(container);
    for (unsigned i = 0; list[i].name; i++) {
        if (list[i].iei != in->tag || *has >> i & 1)
            continue;
        bool is_long = list[i].max_octets && in->octets > list[i].max_octets;
        if (is_long || ie_decode(at, &list[i], in->value, in->octets) < 0)
            note_skip(out, container, in->tag);
        else
            *has |= UINT32_C(1) << i;
    }
}

/* An element that overruns the container ends it. */
static void take_record(struct gsup *out, void *at, uint32_t *has, const struct element *in)
{
    struct element inner;
    for (size_t done = 0; done < in->octets;) {
        int n = split(&inner, in->value + done, in->octets - done);
        if (n < 0)
            return note_skip(out, in->tag, in->value[done]);
        store(out, in->tag, at, has, &inner);
        done += (size_t)n;
    }
}

static bool read_imsi(char *out, size_t room, const struct element *in)
{
    size_t digits = 0;
    if (in->octets < 3 || in->octets > IMSI_OCTETS)
        return false;
    for (size_t i = 0; i < 2 * in->octets; i++) {
        uint8_t digit = i % 2 ? in->value[i / 2] >> 4 : in->value[i / 2] & 15;
        bool is_end = digit == FILL && i == 2 * in->octets - 1;
        if (!is_end && (digit > 9 || digits == room - 1))
            return false;
        if (!is_end)
            out[digits++] = (char)('0' + digit);
    }
    out[digits] = 0;
    return identity_is_imsi(digits);
}

static void take_imsi(struct gsup *out, const struct element *in)
{
    char digits[sizeof out->imsi];
    if (read_imsi(digits, sizeof digits, in))
        memcpy(out->imsi, digits, sizeof digits);
    else
        note_skip(out, 0, in->tag);
}

static void gsup_take(struct gsup *out, const struct element *in)
{
    if (in->tag == TAG_IMSI && !out->imsi[0]) {
        take_imsi(out, in);
    } else if (in->tag == GSUP_TAG_TUPLE && out->tuples < GSUP_TUPLES) {
        struct gsup_tuple *tuple = &out->tuple[out->tuples++];
        take_record(out, tuple, &tuple->has, in);
    } else if (in->tag == GSUP_TAG_PDP_INFO && out->pdp_infos < GSUP_PDP_INFOS) {
        struct gsup_pdp_info *info = &out->pdp_info[out->pdp_infos++];
        take_record(out, info, &info->has, in);
    } else {
        store(out, 0, out, &out->has, in);
    }
}

int gsup_decode(struct gsup *out, const uint8_t *bytes, size_t len)
{
    *out = (struct gsup){0};
    if (len < 1)
        return ERR_TRUNCATED;
    out->type = bytes[0];
    for (size_t done = 1; done < len;) {
        struct element in;
        int n = split(&in, bytes + done, len - done);
        if (n < 0)
            return n;
        gsup_take(out, &in);
        done += (size_t)n;
    }
    return out->imsi[0] ? (int)len : ERR_MALFORMED;
}

/* --- encoding --- */

static int put_element(uint8_t *bytes, size_t cap, const struct ie *ie, const void *in)
{
    size_t octets = ie_octets(ie, in);
    if (octets > LONGEST)
        return ERR_RANGE;
    if (cap < HEADER + octets)
        return ERR_NO_SPACE;
    bytes[0] = ie->iei;
    bytes[1] = (uint8_t)octets;
    int n = ie_encode(bytes + HEADER, cap - HEADER, ie, in, 1);
    return n < 0 ? n : HEADER + n;
}

/* The elements of has, a set of bits, in the order of the list. */
static int put_list(uint8_t *bytes, size_t cap, const struct ie *list, const void *in, uint32_t has)
{
    size_t done = 0;
    for (unsigned i = 0; list[i].name; i++) {
        if (!(has >> i & 1))
            continue;
        int n = put_element(bytes + done, cap - done, &list[i], in);
        if (n < 0)
            return n;
        done += (size_t)n;
    }
    return (int)done;
}

/* A container; the caller puts its tag. */
static int put_record(uint8_t *bytes, size_t cap, const struct ie *list, const void *in, uint32_t has)
{
    if (cap < HEADER)
        return ERR_NO_SPACE;
    int n = put_list(bytes + HEADER, cap - HEADER, list, in, has);
    if (n < 0)
        return n;
    if (n > LONGEST)
        return ERR_RANGE;
    bytes[1] = (uint8_t)n;
    return HEADER + n;
}

static int put_imsi(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    const char *imsi = in->imsi;
    size_t digits = strnlen(imsi, sizeof in->imsi), octets = (digits + 1) / 2;
    if (!identity_is_imsi(digits) || strspn(imsi, "0123456789") != digits)
        return ERR_RANGE;
    if (cap < HEADER + octets)
        return ERR_NO_SPACE;
    bytes[0] = TAG_IMSI;
    bytes[1] = (uint8_t)octets;
    for (size_t i = 0; i < octets; i++) {
        int high = 2 * i + 1 < digits ? imsi[2 * i + 1] - '0' : FILL;
        bytes[HEADER + i] = (uint8_t)(high << 4 | (imsi[2 * i] - '0'));
    }
    return (int)(HEADER + octets);
}

static int put_pdp_infos(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    size_t done = 0;
    for (unsigned i = 0; i < in->pdp_infos; i++) {
        const struct gsup_pdp_info *info = &in->pdp_info[i];
        int n = put_record(bytes + done, cap - done, gsup_pdp_ies, info, info->has);
        if (n < 0)
            return n;
        bytes[done] = GSUP_TAG_PDP_INFO;
        done += (size_t)n;
    }
    return (int)done;
}

static int put_tuples(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    size_t done = 0;
    for (unsigned i = 0; i < in->tuples; i++) {
        const struct gsup_tuple *tuple = &in->tuple[i];
        int n = put_record(bytes + done, cap - done, gsup_tuple_ies, tuple, tuple->has);
        if (n < 0)
            return n;
        bytes[done] = GSUP_TAG_TUPLE;
        done += (size_t)n;
    }
    return (int)done;
}

#define BEFORE_RECORDS ((UINT32_C(1) << GSUP_IE_VECTORS) - 1)

static int put_first(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    return put_list(bytes, cap, gsup_ies, in, in->has & BEFORE_RECORDS);
}

static int put_last(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    return put_list(bytes, cap, gsup_ies, in, in->has & ~BEFORE_RECORDS);
}

int gsup_encode(uint8_t *bytes, size_t cap, const struct gsup *in)
{
    static int (*const parts[])(uint8_t *, size_t, const struct gsup *) = {put_imsi, put_first, put_pdp_infos,
                                                                           put_tuples, put_last};
    if (cap < 1)
        return ERR_NO_SPACE;
    bytes[0] = in->type;
    size_t done = 1;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int n = parts[i](bytes + done, cap - done, in);
        if (n < 0)
            return n;
        done += (size_t)n;
    }
    return (int)done;
}

/* --- IPA --- */

void gsup_ipa_put(uint8_t *at, uint8_t stream, uint16_t octets)
{
    bytes_put_u16(at, octets);
    at[2] = stream;
}

int gsup_ipa_octets(const uint8_t *bytes, size_t len)
{
    if (len < IPA_HEADER_OCTETS)
        return ERR_TRUNCATED;
    size_t octets = IPA_HEADER_OCTETS + (size_t)bytes_get_u16(bytes);
    return octets > len ? ERR_TRUNCATED : (int)octets;
}
