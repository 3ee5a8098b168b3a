/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtp_mobility.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/cursor.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpu.h"

#include <stdbool.h>
#include <string.h>

enum {
    INTERNATIONAL_NUMBER = 0x91, /* TS 29.002 AddressString: no extension, E.164 */
    PRIORITY_BITS = 7,
    SPARE_PRIORITY = 0xf8,  /* spare bits are 1 (7.7.17) */
    SPARE_VALIDATED = 0xfe, /* 7.7.10 */
};

/* Elements of each message: those that it must have, also if it refuses, those that it may have, and those
 * that an accepting one must have, too. */
static const struct message {
    uint8_t type;
    uint32_t must, may, accepting;
} messages[] = {
    {GTPC_IDENTIFICATION_REQUEST, GTP_MOBILITY_RAI | GTP_MOBILITY_P_TMSI,
     GTP_MOBILITY_SIGNATURE | GTP_MOBILITY_CONTROL | GTP_MOBILITY_HOP_COUNTER, 0},
    {GTPC_IDENTIFICATION_RESPONSE, GTP_MOBILITY_CAUSE, GTP_MOBILITY_TRIPLETS | GTP_MOBILITY_QUINTUPLETS,
     GTP_MOBILITY_IMSI},
    {GTPC_SGSN_CONTEXT_REQUEST, GTP_MOBILITY_RAI | GTP_MOBILITY_TEID_CONTROL | GTP_MOBILITY_CONTROL,
     GTP_MOBILITY_IMSI | GTP_MOBILITY_TLLI | GTP_MOBILITY_P_TMSI | GTP_MOBILITY_SIGNATURE |
         GTP_MOBILITY_MS_VALIDATED | GTP_MOBILITY_CONTROL_OTHER | GTP_MOBILITY_NUMBER |
         GTP_MOBILITY_RAT_TYPE | GTP_MOBILITY_HOP_COUNTER,
     0},
    {GTPC_SGSN_CONTEXT_RESPONSE, GTP_MOBILITY_CAUSE,
     GTP_MOBILITY_PRIORITY_SMS | GTP_MOBILITY_PRIORITIES | GTP_MOBILITY_PFIS | GTP_MOBILITY_CHARGING |
         GTP_MOBILITY_CONTEXT | GTP_MOBILITY_CONTROL | GTP_MOBILITY_PRIORITIZED | GTP_MOBILITY_PRIORITY_LCS,
     GTP_MOBILITY_IMSI | GTP_MOBILITY_TEID_CONTROL | GTP_MOBILITY_MM},
    {GTPC_SGSN_CONTEXT_ACKNOWLEDGE, GTP_MOBILITY_CAUSE,
     GTP_MOBILITY_TUNNELS | GTP_MOBILITY_USERS | GTP_MOBILITY_NUMBER, 0},
    {GTPC_RAN_INFORMATION_RELAY, GTP_MOBILITY_CONTAINER,
     GTP_MOBILITY_RIM_ADDRESS | GTP_MOBILITY_RIM_DISCRIMINATOR, 0},
};

/* NULL: another type. */
static const struct message *message_of(uint8_t type)
{
    for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
        if (messages[i].type == type)
            return &messages[i];
    return NULL;
}

static bool is_accepting(const struct gtp_mobility *message)
{
    return message->has & GTP_MOBILITY_CAUSE && gtpc_is_accepted(message->cause);
}

/* Whether an element is missing that is mandatory under this condition. */
static bool is_incomplete(const struct gtp_mobility *m, const struct message *row)
{
    uint32_t needs = row->must | (is_accepting(m) ? row->accepting : 0);
    if (m->type == GTPC_SGSN_CONTEXT_REQUEST && m->has & GTP_MOBILITY_MS_VALIDATED && m->ms_validated)
        needs |= GTP_MOBILITY_IMSI;
    bool needs_identity = m->type == GTPC_SGSN_CONTEXT_REQUEST;
    bool has_identity = m->has & (GTP_MOBILITY_IMSI | GTP_MOBILITY_TLLI | GTP_MOBILITY_P_TMSI);
    bool lacks_user = m->has & GTP_MOBILITY_TUNNELS && !(m->has & GTP_MOBILITY_USERS);
    return ~m->has & needs || (needs_identity && !has_identity) || lacks_user;
}

/* --- decoding: each value returns 0, or ERR_MALFORMED --- */

static int take_imsi(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    return gtp_ie_imsi_decode(out->imsi, ie);
}

static int take_rai(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    struct area area;
    memcpy(out->rai, ie->value, sizeof out->rai);
    return identity_area_decode(&area, ie->value, ie->octets, AREA_ROUTEING) < 0 ? ERR_MALFORMED : 0;
}

static int take_signature(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    memcpy(out->signature, ie->value, sizeof out->signature);
    return 0;
}

static int take_ms_validated(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    out->ms_validated = ie->value[0] & 1;
    return 0;
}

/* Vectors of the kind of the first one are kept. */
static int take_vector(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    struct cursor in = {.at = ie->value, .left = ie->octets};
    bool is_quintuplet = ie->type == GTP_IE_QUINTUPLET;
    uint32_t other = is_quintuplet ? GTP_MOBILITY_TRIPLETS : GTP_MOBILITY_QUINTUPLETS;
    if (out->has & other)
        out->has &= ~(other ^ (GTP_MOBILITY_TRIPLETS | GTP_MOBILITY_QUINTUPLETS));
    if (out->has & other || out->vectors == GTP_CONTEXT_VECTORS)
        return 0;
    int err = gtp_context_vector_decode(&out->vector[out->vectors++], &in, is_quintuplet);
    return in.is_over ? ERR_MALFORMED : err;
}

static int take_tunnel(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    if (out->tunnels == GTP_MOBILITY_CONTEXTS)
        return 0;
    out->tunnel[out->tunnels++] =
        (struct gtp_mobility_tunnel){.nsapi = ie->value[0] & 15, .teid = bytes_get_u32(ie->value + 1)};
    return 0;
}

static int take_priority(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    if (out->priorities == GTP_MOBILITY_CONTEXTS)
        return 0;
    out->priority[out->priorities++] =
        (struct gtp_mobility_value){.nsapi = ie->value[0] >> 4, .value = ie->value[0] & PRIORITY_BITS};
    return 0;
}

static int take_pfi(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    if (out->pfis == GTP_MOBILITY_CONTEXTS)
        return 0;
    out->pfi[out->pfis++] = (struct gtp_mobility_value){.nsapi = ie->value[0] & 15, .value = ie->value[1]};
    return 0;
}

static int take_mm(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    return gtp_context_mm_decode(&out->mm, ie->value, ie->octets) < 0 ? ERR_MALFORMED : 0;
}

static int take_context(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    struct gtp_context_pdp context;
    if (gtp_context_pdp_decode(&context, ie->value, ie->octets) < 0)
        return ERR_MALFORMED;
    for (unsigned i = 0; i < out->contexts; i++)
        if (out->context[i].nsapi == context.nsapi)
            return 0;
    out->context[out->contexts++] = context;
    return 0;
}

static int take_address(struct gtpc_address *out, const struct gtp_ie *ie)
{
    if (ie->octets != 4 && ie->octets != sizeof out->bytes)
        return ERR_MALFORMED;
    out->octets = (uint8_t)ie->octets;
    memcpy(out->bytes, ie->value, ie->octets);
    return 0;
}

static int take_control(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    return take_address(&out->control, ie);
}

static int take_control_other(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    return take_address(&out->control_other, ie);
}

static int take_user(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    struct gtpc_address surplus;
    bool has_room = out->users < GTP_MOBILITY_CONTEXTS;
    return take_address(has_room ? &out->user[out->users++] : &surplus, ie);
}

static int take_container(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    out->container = (struct ie_span){ie->value, ie->octets};
    return ie->octets > 0 ? 0 : ERR_MALFORMED;
}

static int take_rim_address(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    out->rim_address = (struct ie_span){ie->value, ie->octets};
    return ie->octets > 0 ? 0 : ERR_MALFORMED;
}

static int take_number(struct gtp_mobility *out, const struct gtp_ie *ie)
{
    int digits = ie->octets > 1
                     ? gtp_ie_digits_decode(out->number, sizeof out->number, ie->value + 1, ie->octets - 1u)
                     : 0;
    if (digits <= 0)
        out->has &= ~(uint32_t)GTP_MOBILITY_NUMBER;
    return 0;
}

/* --- encoding: each value returns 0, or ERR_RANGE --- */

static int put_imsi(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    uint8_t bytes[GTP_IE_IMSI_OCTETS];
    int err = gtp_ie_imsi_encode(bytes, in->imsi);
    cursor_put(out, (struct ie_span){bytes, sizeof bytes});
    return err;
}

static int put_rai(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    struct area area;
    cursor_put(out, (struct ie_span){in->rai, sizeof in->rai});
    return identity_area_decode(&area, in->rai, sizeof in->rai, AREA_ROUTEING) < 0 ? ERR_RANGE : 0;
}

static int put_signature(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    cursor_put(out, (struct ie_span){in->signature, sizeof in->signature});
    return 0;
}

static int put_ms_validated(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    cursor_put_u8(out, SPARE_VALIDATED | (in->ms_validated & 1U));
    return 0;
}

static int put_triplet(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    return gtp_context_vector_encode(out, &in->vector[index], false);
}

static int put_quintuplet(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    return gtp_context_vector_encode(out, &in->vector[index], true);
}

static bool is_nsapi(uint8_t nsapi)
{
    return nsapi >= GTP_CONTEXT_NSAPI_FIRST && nsapi <= 15;
}

static int put_tunnel(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    cursor_put_u8(out, in->tunnel[index].nsapi);
    cursor_put_u32(out, in->tunnel[index].teid);
    return is_nsapi(in->tunnel[index].nsapi) ? 0 : ERR_RANGE;
}

static int put_priority(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    const struct gtp_mobility_value *value = &in->priority[index];
    cursor_put_u8(out, (unsigned)value->nsapi << 4 | value->value);
    return is_nsapi(value->nsapi) && value->value <= PRIORITY_BITS ? 0 : ERR_RANGE;
}

static int put_pfi(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    cursor_put_u8(out, in->pfi[index].nsapi);
    cursor_put_u8(out, in->pfi[index].value);
    return is_nsapi(in->pfi[index].nsapi) ? 0 : ERR_RANGE;
}

static int put_mm(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    return gtp_context_mm_encode(out, &in->mm);
}

static int put_context(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    return gtp_context_pdp_encode(out, &in->context[index]);
}

static int put_address(struct cursor_out *out, const struct gtpc_address *address)
{
    if (address->octets != 4 && address->octets != sizeof address->bytes)
        return ERR_RANGE;
    cursor_put(out, (struct ie_span){address->bytes, address->octets});
    return 0;
}

static int put_control(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    return put_address(out, &in->control);
}

static int put_control_other(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    return put_address(out, &in->control_other);
}

static int put_user(struct cursor_out *out, const struct gtp_mobility *in, unsigned index)
{
    return put_address(out, &in->user[index]);
}

static int put_container(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    cursor_put(out, in->container);
    return in->container.octets > 0 && in->container.octets <= UINT16_MAX ? 0 : ERR_RANGE;
}

static int put_rim_address(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    cursor_put(out, in->rim_address);
    return in->rim_address.octets > 0 && in->rim_address.octets <= UINT16_MAX ? 0 : ERR_RANGE;
}

static int put_number(struct cursor_out *out, const struct gtp_mobility *in, unsigned unused_index)
{
    uint8_t bytes[GTPC_NUMBER_CHARS / 2];
    int octets = gtp_ie_digits_encode(bytes, in->number, sizeof in->number);
    if (octets < 0)
        return ERR_RANGE;
    cursor_put_u8(out, INTERNATIONAL_NUMBER);
    cursor_put(out, (struct ie_span){bytes, (size_t)octets});
    return 0;
}

/* --- the elements --- */

/* A number of one, two or four octets, whose spare bits above it are `spare`. */
struct number {
    uint16_t at;
    uint8_t octets, bits, spare;
};

/* In the order in which they are sent (7.7: ascending types). A row has a number or two functions, or neither
 * where the element is empty; count is the member with the number of them, of elements that repeat. */
struct element {
    uint32_t has;
    uint8_t type;
    uint8_t most; /* of them in a message; 0: it does not repeat */
    uint16_t count;
    struct number number;
    int (*take)(struct gtp_mobility *out, const struct gtp_ie *ie);
    int (*put)(struct cursor_out *out, const struct gtp_mobility *in, unsigned index);
};

#define MEMBER(name)  (uint16_t) offsetof(struct gtp_mobility, name)
#define ROW(bit, ie)  .has = GTP_MOBILITY_##bit, .type = GTP_IE_##ie
#define OCTET(name)   .number = {.at = MEMBER(name), .octets = 1, .bits = 0xff}
#define PAIR(name)    .number = {.at = MEMBER(name), .octets = 2}
#define WORD(name)    .number = {.at = MEMBER(name), .octets = 4}
#define VALUE(name)   .take = take_##name, .put = put_##name
#define LIST(name, n) .count = MEMBER(name), .most = n
#define PRIORITY(name)                                                                                       \
    .number = {.at = MEMBER(name), .octets = 1, .bits = PRIORITY_BITS, .spare = SPARE_PRIORITY}

/* clang-format off */
static const struct element elements[] = {
    {ROW(CAUSE, CAUSE), OCTET(cause)},
    {ROW(IMSI, IMSI), VALUE(imsi)},
    {ROW(RAI, RAI), VALUE(rai)},
    {ROW(TLLI, TLLI), WORD(tlli)},
    {ROW(P_TMSI, P_TMSI), WORD(p_tmsi)},
    {ROW(TRIPLETS, TRIPLET), LIST(vectors, GTP_CONTEXT_VECTORS), .take = take_vector, .put = put_triplet},
    {ROW(SIGNATURE, SIGNATURE), VALUE(signature)},
    {ROW(MS_VALIDATED, MS_VALIDATED), VALUE(ms_validated)},
    {ROW(TEID_CONTROL, TEID_CONTROL), WORD(teid_control)},
    {ROW(TUNNELS, TEID_DATA_II), LIST(tunnels, GTP_MOBILITY_CONTEXTS), VALUE(tunnel)},
    {ROW(PRIORITY_SMS, RADIO_PRIORITY_SMS), PRIORITY(priority_sms)},
    {ROW(PRIORITIES, RADIO_PRIORITY), LIST(priorities, GTP_MOBILITY_CONTEXTS), VALUE(priority)},
    {ROW(PFIS, PFI), LIST(pfis, GTP_MOBILITY_CONTEXTS), VALUE(pfi)},
    {ROW(CHARGING, CHARGING), PAIR(charging)},
    {ROW(MM, MM_CONTEXT), VALUE(mm)},
    {ROW(CONTEXT, PDP_CONTEXT), LIST(contexts, GTP_MOBILITY_CONTEXTS), VALUE(context)},
    {ROW(CONTROL, GSN_ADDRESS), VALUE(control)},
    {ROW(CONTROL_OTHER, GSN_ADDRESS), VALUE(control_other)},
    {ROW(USERS, GSN_ADDRESS), LIST(users, GTP_MOBILITY_CONTEXTS), VALUE(user)},
    {ROW(QUINTUPLETS, QUINTUPLET), LIST(vectors, GTP_CONTEXT_VECTORS), .take = take_vector, .put = put_quintuplet},
    {ROW(CONTAINER, CONTAINER), VALUE(container)},
    {ROW(PRIORITIZED, PRIORITIZED)},
    {ROW(NUMBER, SGSN_NUMBER), VALUE(number)},
    {ROW(PRIORITY_LCS, RADIO_PRIORITY_LCS), PRIORITY(priority_lcs)},
    {ROW(RAT_TYPE, RAT_TYPE), OCTET(rat_type)},
    {ROW(RIM_ADDRESS, RIM_ADDRESS), VALUE(rim_address)},
    {ROW(HOP_COUNTER, HOP_COUNTER), OCTET(hop_counter)},
    {ROW(RIM_DISCRIMINATOR, RIM_DISCRIMINATOR), .number = {.at = MEMBER(rim_discriminator), .octets = 1, .bits = 15}},
};
/* clang-format on */

enum { ELEMENTS = sizeof(elements) / sizeof(elements[0]) };

static int take_number_of(struct gtp_mobility *out, const struct number *number, const struct gtp_ie *ie)
{
    char *at = (char *)out + number->at;
    if (ie->octets < number->octets)
        return ERR_MALFORMED;
    if (number->octets == 1)
        *(uint8_t *)at = ie->value[0] & number->bits;
    else if (number->octets == 2)
        memcpy(at, &(uint16_t){bytes_get_u16(ie->value)}, 2);
    else
        memcpy(at, &(uint32_t){bytes_get_u32(ie->value)}, 4);
    return 0;
}

/* The row for an element of that type; NULL: the message does not have it, or has had it. */
static const struct element *row_of(const struct gtp_mobility *out, uint8_t type, uint32_t allowed)
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const struct element *row = &elements[i];
        if (row->type == type && row->has & allowed && (row->most > 0 || !(out->has & row->has)))
            return row;
    }
    return NULL;
}

static int take_elements(struct gtp_mobility *out, const uint8_t *bytes, size_t len, uint32_t allowed)
{
    struct gtp_ie ie;
    int octets;
    for (; (octets = gtp_ie_decode(&ie, bytes, len)) > 0; bytes += octets, len -= (size_t)octets) {
        const struct element *row = row_of(out, ie.type, allowed);
        if (!row)
            continue;
        out->has |= row->has;
        int err = row->number.octets ? take_number_of(out, &row->number, &ie)
                  : row->take        ? row->take(out, &ie)
                                     : 0;
        if (err < 0)
            return err;
    }
    return octets;
}

/* Addresses for user data: one for all, or one for each tunnel. */
static int settle(struct gtp_mobility *out)
{
    if (out->users > 1 && out->users < out->tunnels)
        return ERR_MALFORMED;
    if (out->users > 1)
        out->users = out->tunnels > 0 ? out->tunnels : 1;
    return 0;
}

int gtp_mobility_decode(struct gtp_mobility *out, const uint8_t *bytes, size_t len)
{
    struct gtpu header;
    int offset = gtpu_header_decode(&header, bytes, len);
    *out = (struct gtp_mobility){.teid = header.teid, .seq = header.seq, .type = header.type};
    if (offset < 0)
        return offset;
    const struct message *row = message_of(header.type);
    if (!row)
        return ERR_UNSUPPORTED;
    uint32_t allowed = row->must | row->may | row->accepting;
    int err = take_elements(out, bytes + offset, header.payload_octets, allowed);
    if (err == 0)
        err = settle(out);
    if (err < 0) {
        out->fault = err == ERR_TRUNCATED ? GTPC_CAUSE_INVALID_FORMAT : GTPC_CAUSE_MANDATORY_INCORRECT;
        return err;
    }
    if (is_incomplete(out, row)) {
        out->fault = GTPC_CAUSE_MANDATORY_MISSING;
        return ERR_MALFORMED;
    }
    return offset + header.payload_octets;
}

static int put_number_of(struct cursor_out *out, const struct number *number, const struct gtp_mobility *in)
{
    const char *at = (const char *)in + number->at;
    uint16_t pair;
    uint32_t word;
    if (number->octets == 1) {
        uint8_t octet = *(const uint8_t *)at;
        cursor_put_u8(out, number->spare | (unsigned)octet);
        return octet & ~number->bits ? ERR_RANGE : 0;
    }
    if (number->octets == 2) {
        memcpy(&pair, at, sizeof pair);
        cursor_put_u16(out, pair);
    } else {
        memcpy(&word, at, sizeof word);
        cursor_put_u32(out, word);
    }
    return 0;
}

/* Type, length where the type has one, and value. */
static int put_element(struct cursor_out *out, const struct element *row, const struct gtp_mobility *in,
                       unsigned index)
{
    cursor_put_u8(out, row->type);
    size_t at = out->octets;
    if (row->type >= 128)
        cursor_put_u16(out, 0);
    int err = row->number.octets ? put_number_of(out, &row->number, in)
              : row->put         ? row->put(out, in, index)
                                 : 0;
    if (row->type >= 128)
        cursor_close_u16(out, at);
    return err;
}

static int put_elements(struct cursor_out *out, const struct gtp_mobility *in)
{
    for (unsigned i = 0; i < ELEMENTS; i++) {
        const struct element *row = &elements[i];
        if (!(in->has & row->has))
            continue;
        unsigned count = row->most ? *((const uint8_t *)in + row->count) : 1;
        if (row->most && (count == 0 || count > row->most))
            return ERR_RANGE;
        for (unsigned n = 0; n < count; n++)
            if (put_element(out, row, in, n) < 0)
                return ERR_RANGE;
    }
    return 0;
}

/* Elements contradict each other, or an accepting response has no address. */
static bool contradicts(const struct gtp_mobility *in)
{
    bool has_both = in->has & GTP_MOBILITY_TRIPLETS && in->has & GTP_MOBILITY_QUINTUPLETS;
    bool has_wrong_users = in->has & GTP_MOBILITY_USERS && in->users != 1 && in->users != in->tunnels;
    bool lacks_control =
        in->type == GTPC_SGSN_CONTEXT_RESPONSE && is_accepting(in) && !(in->has & GTP_MOBILITY_CONTROL);
    for (unsigned i = 0; in->has & GTP_MOBILITY_CONTEXT && i < in->contexts; i++)
        for (unsigned n = 0; n < i; n++)
            if (in->context[i].nsapi == in->context[n].nsapi)
                return true;
    return has_both || has_wrong_users || lacks_control;
}

int gtp_mobility_encode(uint8_t *bytes, size_t cap, const struct gtp_mobility *in)
{
    const struct message *row = message_of(in->type);
    if (!row || in->has & ~(row->must | row->may | row->accepting) || is_incomplete(in, row) ||
        contradicts(in))
        return ERR_RANGE;
    struct cursor_out out = {.bytes = bytes, .cap = cap};
    cursor_room(&out, GTPU_LONG_OCTETS);
    int err = put_elements(&out, in);
    if (err < 0)
        return err;
    if (out.is_over)
        return ERR_NO_SPACE;
    struct gtpu header = {.type = in->type,
                          .teid = in->teid,
                          .flags = GTPU_S,
                          .seq = in->seq,
                          .payload_octets = (uint16_t)(out.octets - GTPU_LONG_OCTETS)};
    int head = gtpu_encode(bytes, cap, &header);
    return head < 0 ? head : (int)out.octets;
}
