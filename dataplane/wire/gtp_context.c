/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/gtp_context.h"

#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/identity.h"
#include "dataplane/wire/qos.h"

#include <string.h>

enum {
    RAND_OCTETS = 16,
    SRES_OCTETS = 4,
    KC_OCTETS = 8,
    KEY_OCTETS = 16, /* CK, IK */
    XRES_LEAST = 4,
    XRES_MOST = 16,
    AUTN_OCTETS = 16,
    DRX_OCTETS = 2,
    IDENTITY_TAG = 0x23, /* of GMM, in the container */
    IMEI_DIGITS = 15,
    IMEISV_DIGITS = 16,
    CKSN_BITS = 7,
    SPARE_CKSN = 0xf8, /* spare bits are 1 */
    CIPHER_NONE = 7,   /* in mode 2 the cipher's bits are 1 */

    EXTENDED = 0x80,
    VPLMN_ALLOWED = 0x40,
    INACTIVE = 0x20,
    REORDERING = 0x10,
    ORGANISATION_ETSI = 0xf0,
    ORGANISATION_IETF = 0xf1,
    IPV4_OCTETS = 4,
    IPV6_OCTETS = 16,
};

/* --- vectors --- */

int gtp_context_vector_decode(struct gtp_context_vector *out, struct cursor *in, bool is_quintuplet)
{
    *out = (struct gtp_context_vector){.rand = cursor_get(in, RAND_OCTETS)};
    if (!is_quintuplet) {
        out->sres = cursor_get(in, SRES_OCTETS);
        out->kc = cursor_get(in, KC_OCTETS);
        return 0;
    }
    out->xres = cursor_get_lv(in);
    out->ck = cursor_get(in, KEY_OCTETS);
    out->ik = cursor_get(in, KEY_OCTETS);
    out->autn = cursor_get_lv(in);
    bool is_right =
        out->xres.octets >= XRES_LEAST && out->xres.octets <= XRES_MOST && out->autn.octets == AUTN_OCTETS;
    return is_right ? 0 : ERR_MALFORMED;
}

int gtp_context_vector_encode(struct cursor_out *out, const struct gtp_context_vector *in, bool is_quintuplet)
{
    if (in->rand.octets != RAND_OCTETS)
        return ERR_RANGE;
    cursor_put(out, in->rand);
    if (!is_quintuplet) {
        cursor_put(out, in->sres);
        cursor_put(out, in->kc);
        return in->sres.octets == SRES_OCTETS && in->kc.octets == KC_OCTETS ? 0 : ERR_RANGE;
    }
    if (in->xres.octets < XRES_LEAST || in->xres.octets > XRES_MOST || in->autn.octets != AUTN_OCTETS)
        return ERR_RANGE;
    cursor_put_lv(out, in->xres);
    cursor_put(out, in->ck);
    cursor_put(out, in->ik);
    cursor_put_lv(out, in->autn);
    return in->ck.octets == KEY_OCTETS && in->ik.octets == KEY_OCTETS ? 0 : ERR_RANGE;
}

/* --- MM context --- */

static bool has_kc(uint8_t mode)
{
    return mode == GTP_CONTEXT_GSM || mode == GTP_CONTEXT_GSM_QUINTUPLETS;
}

/* Quintuplets have the octets of all of them in front, also of none. */
static int take_vectors(struct gtp_context_mm *out, struct cursor *in)
{
    bool has_quintuplets = out->mode != GTP_CONTEXT_GSM;
    struct cursor vectors = *in;
    if (has_quintuplets) {
        struct ie_span all = cursor_get(in, cursor_get_u16(in));
        vectors = (struct cursor){.at = all.at, .left = all.octets};
    }
    for (unsigned i = 0; i < out->vectors; i++)
        if (gtp_context_vector_decode(&out->vector[i], &vectors, has_quintuplets) < 0)
            return ERR_MALFORMED;
    if (vectors.is_over || (has_quintuplets && vectors.left > 0))
        return ERR_MALFORMED;
    if (!has_quintuplets)
        *in = vectors;
    return 0;
}

/* Elements of GMM, of which the identity is kept. */
static void take_container(struct gtp_context_mm *out, struct ie_span container)
{
    struct cursor in = {.at = container.at, .left = container.octets};
    while (in.left > 0) {
        uint8_t tag = cursor_get_u8(&in);
        struct ie_span value = cursor_get_lv(&in);
        struct identity identity;
        if (in.is_over || tag != IDENTITY_TAG || identity_decode(&identity, value.at, value.octets) < 0)
            continue;
        if (identity.type == IDENTITY_IMEISV || identity.type == IDENTITY_IMEI)
            memcpy(out->imeisv, identity.digits, sizeof(out->imeisv));
    }
}

int gtp_context_mm_decode(struct gtp_context_mm *out, const uint8_t *bytes, size_t len)
{
    struct cursor in = {.at = bytes, .left = len};
    *out = (struct gtp_context_mm){.cksn = cursor_get_u8(&in) & CKSN_BITS};
    uint8_t head = cursor_get_u8(&in);
    out->mode = head >> 6;
    out->vectors = head >> 3 & 7;
    out->cipher = out->mode == GTP_CONTEXT_UMTS ? 0 : head & 7;
    if (out->vectors > GTP_CONTEXT_VECTORS)
        return ERR_MALFORMED;
    if (has_kc(out->mode)) {
        out->kc = cursor_get(&in, KC_OCTETS);
    } else {
        out->ck = cursor_get(&in, KEY_OCTETS);
        out->ik = cursor_get(&in, KEY_OCTETS);
    }
    if (take_vectors(out, &in) < 0)
        return ERR_MALFORMED;
    out->drx = cursor_get(&in, DRX_OCTETS);
    out->capability = cursor_get_lv(&in);
    if (in.left > 0)
        take_container(out, cursor_get(&in, cursor_get_u16(&in)));
    if (in.left > 0)
        out->access = cursor_get_lv(&in);
    return in.is_over ? ERR_MALFORMED : (int)len;
}

static int put_container(struct cursor_out *out, const char *imeisv)
{
    struct identity identity = {0};
    uint8_t value[IDENTITY_MAX_OCTETS];
    size_t digits = strnlen(imeisv, GTPC_IMEI_CHARS), at = out->octets;
    cursor_put_u16(out, 0);
    if (digits == 0)
        return 0;
    if (digits != IMEI_DIGITS && digits != IMEISV_DIGITS)
        return ERR_RANGE;
    identity.type = digits == IMEISV_DIGITS ? IDENTITY_IMEISV : IDENTITY_IMEI;
    memcpy(identity.digits, imeisv, digits);
    int octets = identity_encode(value, sizeof value, &identity);
    if (octets < 0)
        return ERR_RANGE;
    cursor_put_u8(out, IDENTITY_TAG);
    cursor_put_lv(out, (struct ie_span){value, (size_t)octets});
    cursor_close_u16(out, at);
    return 0;
}

static int put_vectors(struct cursor_out *out, const struct gtp_context_mm *in)
{
    bool has_quintuplets = in->mode != GTP_CONTEXT_GSM;
    size_t at = out->octets;
    if (has_quintuplets)
        cursor_put_u16(out, 0);
    for (unsigned i = 0; i < in->vectors; i++)
        if (gtp_context_vector_encode(out, &in->vector[i], has_quintuplets) < 0)
            return ERR_RANGE;
    if (has_quintuplets)
        cursor_close_u16(out, at);
    return 0;
}

static bool can_be_mm(const struct gtp_context_mm *in)
{
    bool has_keys = has_kc(in->mode) ? in->kc.octets == KC_OCTETS
                                     : in->ck.octets == KEY_OCTETS && in->ik.octets == KEY_OCTETS;
    return in->mode <= GTP_CONTEXT_GSM_QUINTUPLETS && in->cksn <= CKSN_BITS && in->cipher <= 7 && has_keys &&
           in->vectors <= GTP_CONTEXT_VECTORS && in->drx.octets == DRX_OCTETS && in->capability.octets > 0 &&
           in->capability.octets <= UINT8_MAX && in->access.octets <= GTP_CONTEXT_ACCESS_MAX_OCTETS;
}

int gtp_context_mm_encode(struct cursor_out *out, const struct gtp_context_mm *in)
{
    if (!can_be_mm(in))
        return ERR_RANGE;
    unsigned cipher = in->mode == GTP_CONTEXT_UMTS ? CIPHER_NONE : in->cipher;
    cursor_put_u8(out, SPARE_CKSN | in->cksn);
    cursor_put_u8(out, (unsigned)in->mode << 6 | (unsigned)in->vectors << 3 | cipher);
    if (has_kc(in->mode)) {
        cursor_put(out, in->kc);
    } else {
        cursor_put(out, in->ck);
        cursor_put(out, in->ik);
    }
    if (put_vectors(out, in) < 0)
        return ERR_RANGE;
    cursor_put(out, in->drx);
    cursor_put_lv(out, in->capability);
    if (put_container(out, in->imeisv) < 0)
        return ERR_RANGE;
    cursor_put_lv(out, in->access);
    return 0;
}

/* --- PDP context --- */

static void take_qos(struct gtp_context_qos *out, struct cursor *in)
{
    struct ie_span all = cursor_get_lv(in);
    if (all.octets == 0)
        return;
    out->arp = all.at[0];
    out->value = (struct ie_span){all.at + 1, all.octets - 1};
}

static void set_address(struct gtpc_address *out, const uint8_t *bytes, uint8_t octets)
{
    out->octets = octets;
    memcpy(out->bytes, bytes, octets);
}

/* Nothing, an address, or both of them. */
static int take_mobile(struct gtp_context_pdp *out, uint8_t type, struct ie_span address)
{
    bool has_ipv4 = type != GTPC_PDP_IPV6 && (address.octets == IPV4_OCTETS || address.octets == 20);
    bool has_ipv6 = type != GTPC_PDP_IPV4 && (address.octets == IPV6_OCTETS || address.octets == 20);
    if (address.octets == 0)
        return 0;
    if (address.octets == 20 ? type != GTPC_PDP_IPV4V6 : !has_ipv4 && !has_ipv6)
        return ERR_MALFORMED;
    if (has_ipv4)
        set_address(&out->ipv4, address.at, IPV4_OCTETS);
    if (has_ipv6)
        set_address(&out->ipv6, address.at + address.octets - IPV6_OCTETS, IPV6_OCTETS);
    return 0;
}

static bool is_ip(uint8_t type)
{
    return type == GTPC_PDP_IPV4 || type == GTPC_PDP_IPV6 || type == GTPC_PDP_IPV4V6;
}

static int take_type(struct gtp_context_pdp *out, struct cursor *in)
{
    bool is_ietf = (cursor_get_u8(in) & 15) == (ORGANISATION_IETF & 15);
    uint8_t type = cursor_get_u8(in);
    struct ie_span address = cursor_get_lv(in);
    if (is_ietf ? !is_ip(type) : type != GTPC_PDP_NON_IP)
        return 0;
    out->pdp_type = type;
    return is_ietf ? take_mobile(out, type, address) : 0;
}

/* The address in the other version, whose type number has no organisation. */
static int take_extended(struct gtp_context_pdp *out, struct cursor *in)
{
    uint8_t type = cursor_get_u8(in);
    struct ie_span address = cursor_get_lv(in);
    if (!is_ip(type) || !is_ip(out->pdp_type))
        return 0;
    if (type != out->pdp_type)
        out->pdp_type = GTPC_PDP_IPV4V6;
    return take_mobile(out, type, address);
}

static int take_ggsn(struct gtpc_address *out, struct cursor *in)
{
    struct ie_span address = cursor_get_lv(in);
    if (address.octets != 0 && address.octets != IPV4_OCTETS && address.octets != IPV6_OCTETS)
        return ERR_MALFORMED;
    if (address.octets > 0)
        set_address(out, address.at, (uint8_t)address.octets);
    return 0;
}

static void take_numbers(struct gtp_context_pdp *out, struct cursor *in)
{
    out->sequence_down = cursor_get_u16(in);
    out->sequence_up = cursor_get_u16(in);
    out->send_n_pdu = cursor_get_u8(in);
    out->receive_n_pdu = cursor_get_u8(in);
    out->teid_control = cursor_get_u32(in);
    out->teid_data = cursor_get_u32(in);
    out->context_id = cursor_get_u8(in);
}

int gtp_context_pdp_decode(struct gtp_context_pdp *out, const uint8_t *bytes, size_t len)
{
    struct cursor in = {.at = bytes, .left = len};
    uint8_t head = cursor_get_u8(&in);
    *out = (struct gtp_context_pdp){.is_active = !(head & INACTIVE),
                                    .reordering = head & REORDERING,
                                    .vplmn_allowed = head & VPLMN_ALLOWED,
                                    .nsapi = head & 15};
    out->sapi = cursor_get_u8(&in) & 15;
    take_qos(&out->subscribed, &in);
    take_qos(&out->requested, &in);
    take_qos(&out->negotiated, &in);
    take_numbers(out, &in);
    if (out->nsapi < GTP_CONTEXT_NSAPI_FIRST || take_type(out, &in) < 0 ||
        take_ggsn(&out->control, &in) < 0 || take_ggsn(&out->user, &in) < 0)
        return ERR_MALFORMED;
    struct ie_span apn = cursor_get_lv(&in);
    if (gtp_ie_apn_decode(out->apn, sizeof out->apn, apn.at, apn.octets) < 0)
        return ERR_MALFORMED;
    out->ti = cursor_get_u8(&in) & 15;
    out->ti_extension = cursor_get_u8(&in);
    if (head & EXTENDED && take_extended(out, &in) < 0)
        return ERR_MALFORMED;
    return in.is_over ? ERR_MALFORMED : (int)len;
}

static void put_qos(struct cursor_out *out, const struct gtp_context_qos *in)
{
    cursor_put_u8(out, (unsigned)in->value.octets + 1);
    cursor_put_u8(out, in->arp);
    cursor_put(out, in->value);
}

static struct ie_span span_of(const struct gtpc_address *address)
{
    return (struct ie_span){address->bytes, address->octets};
}

/* Type IPv4v6 is two types, the second one at the end. */
static void put_type(struct cursor_out *out, const struct gtp_context_pdp *in)
{
    bool is_ipv6 = in->pdp_type == GTPC_PDP_IPV6;
    cursor_put_u8(out, in->pdp_type == GTPC_PDP_NON_IP ? ORGANISATION_ETSI : ORGANISATION_IETF);
    cursor_put_u8(out, in->pdp_type == GTPC_PDP_IPV4V6 ? GTPC_PDP_IPV4 : in->pdp_type);
    cursor_put_lv(out, span_of(is_ipv6 ? &in->ipv6 : &in->ipv4));
}

static void put_numbers(struct cursor_out *out, const struct gtp_context_pdp *in)
{
    cursor_put_u16(out, in->sequence_down);
    cursor_put_u16(out, in->sequence_up);
    cursor_put_u8(out, in->send_n_pdu);
    cursor_put_u8(out, in->receive_n_pdu);
    cursor_put_u32(out, in->teid_control);
    cursor_put_u32(out, in->teid_data);
    cursor_put_u8(out, in->context_id);
}

static bool can_be_qos(const struct gtp_context_qos *in)
{
    struct qos qos;
    return in->value.octets < UINT8_MAX && qos_decode(&qos, in->value.at, in->value.octets) >= 0;
}

static bool can_be_types(const struct gtp_context_pdp *in)
{
    bool is_4 = in->pdp_type == GTPC_PDP_IPV4 || in->pdp_type == GTPC_PDP_IPV4V6;
    bool is_6 = in->pdp_type == GTPC_PDP_IPV6 || in->pdp_type == GTPC_PDP_IPV4V6;
    bool is_4_right = in->ipv4.octets == 0 || (is_4 && in->ipv4.octets == IPV4_OCTETS);
    bool is_6_right = in->ipv6.octets == 0 || (is_6 && in->ipv6.octets == IPV6_OCTETS);
    return (is_4 || is_6 || in->pdp_type == GTPC_PDP_NON_IP) && is_4_right && is_6_right;
}

static bool is_ggsn(const struct gtpc_address *address)
{
    return address->octets == IPV4_OCTETS || address->octets == IPV6_OCTETS;
}

static bool can_be_pdp(const struct gtp_context_pdp *in)
{
    bool is_user_sapi = in->sapi == 3 || in->sapi == 5 || in->sapi == 9 || in->sapi == 11;
    return in->nsapi >= GTP_CONTEXT_NSAPI_FIRST && in->nsapi <= 15 && is_user_sapi &&
           can_be_qos(&in->subscribed) && can_be_qos(&in->requested) && can_be_qos(&in->negotiated) &&
           can_be_types(in) && is_ggsn(&in->control) && is_ggsn(&in->user) && in->ti <= 15;
}

int gtp_context_pdp_encode(struct cursor_out *out, const struct gtp_context_pdp *in)
{
    uint8_t apn[GTPC_APN_CHARS];
    int apn_octets = in->apn[0] ? gtp_ie_apn_encode(apn, in->apn, sizeof in->apn) : 0;
    if (apn_octets < 0 || !can_be_pdp(in))
        return ERR_RANGE;
    bool is_extended = in->pdp_type == GTPC_PDP_IPV4V6;
    cursor_put_u8(out, (is_extended ? EXTENDED : 0U) | (in->vplmn_allowed ? VPLMN_ALLOWED : 0U) |
                           (in->is_active ? 0U : INACTIVE) | (in->reordering ? REORDERING : 0U) | in->nsapi);
    cursor_put_u8(out, in->sapi);
    put_qos(out, &in->subscribed);
    put_qos(out, &in->requested);
    put_qos(out, &in->negotiated);
    put_numbers(out, in);
    put_type(out, in);
    cursor_put_lv(out, span_of(&in->control));
    cursor_put_lv(out, span_of(&in->user));
    cursor_put_lv(out, (struct ie_span){apn, (size_t)apn_octets});
    cursor_put_u8(out, in->ti);
    cursor_put_u8(out, in->ti_extension);
    if (is_extended) {
        cursor_put_u8(out, GTPC_PDP_IPV6);
        cursor_put_lv(out, span_of(&in->ipv6));
    }
    return 0;
}
