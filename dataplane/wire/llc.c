/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"
#include "dataplane/base/bytes.h"

#include <string.h>

enum { ADDRESS_PD = 0x80, CONTROL_U = 0xe0, CONTROL_S = 0x80 };

static enum llc_format format_of(uint8_t control)
{
    if (!(control & 0x80))
        return LLC_I;
    if (!(control & 0x40))
        return LLC_S;
    return control & 0x20 ? LLC_U : LLC_UI;
}

static void decode_ui(struct llc *out, uint16_t control)
{
    out->nu = control >> 2 & 0x1ff;
    out->e = control >> 1 & 1;
    out->pm = control & 1;
}

/* N(R) and the S bits end both formats. */
static void decode_acknowledgement(struct llc *out, const uint8_t *control)
{
    const uint8_t *last = control + (out->format == LLC_I ? 1 : 0);
    out->nr = bytes_get_u16(last) >> 2 & 0x1ff;
    out->supervisory = last[1] & 3;
    out->a = control[0] >> (out->format == LLC_I ? 6 : 5) & 1;
    if (out->format == LLC_I)
        out->ns = bytes_get_u16(control) >> 4 & 0x1ff;
}

static void decode_u(struct llc *out, uint8_t control)
{
    out->pf = control >> 4 & 1;
    out->command = control & 15;
}

int llc_decode(struct llc *out, const uint8_t *bytes, size_t len)
{
    static const uint8_t header_octets[] = {
        [LLC_I] = LLC_I_OCTETS, [LLC_S] = LLC_S_OCTETS, [LLC_UI] = LLC_UI_OCTETS, [LLC_U] = LLC_U_OCTETS};
    if (len < 2)
        return ERR_TRUNCATED;
    *out = (struct llc){.format = format_of(bytes[1]), .sapi = bytes[0] & 15, .pm = true};
    if (bytes[0] & ADDRESS_PD || !llc_is_sapi_known(out->sapi))
        return ERR_UNSUPPORTED;
    out->header_octets = header_octets[out->format];
    if (len < (size_t)out->header_octets + LLC_FCS_OCTETS)
        return ERR_TRUNCATED;
    out->cr = bytes[0] & LLC_ADDRESS_CR;
    out->info_octets = (uint32_t)(len - out->header_octets - LLC_FCS_OCTETS);
    if (out->format == LLC_UI)
        decode_ui(out, bytes_get_u16(bytes + 1));
    else if (out->format == LLC_U)
        decode_u(out, bytes[1]);
    else
        decode_acknowledgement(out, bytes + 1);
    return out->header_octets;
}

static int encode_u(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (in->command > 15)
        return ERR_RANGE;
    if (cap < LLC_U_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = llc_address(in);
    bytes[1] = (uint8_t)(CONTROL_U | in->pf << 4 | in->command);
    return LLC_U_OCTETS;
}

static void put_i(uint8_t *bytes, bool has_a, uint16_t ns, uint16_t nr, uint8_t supervisory)
{
    bytes_put_u24(bytes + 1, (uint32_t)has_a << 22 | (uint32_t)ns << 12 | (uint32_t)nr << 2 | supervisory);
}

static int encode_i(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (cap < LLC_I_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = llc_address(in);
    put_i(bytes, in->a, in->ns, in->nr, in->supervisory);
    return LLC_I_OCTETS;
}

static int encode_s(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (cap < LLC_S_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = llc_address(in);
    bytes_put_u16(bytes + 1, (uint16_t)(CONTROL_S << 8 | in->a << 13 | in->nr << 2 | in->supervisory));
    return LLC_S_OCTETS;
}

int llc_encode(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (in->format == LLC_UI)
        return llc_ui_encode(bytes, cap, in);
    if (!llc_is_sapi_known(in->sapi))
        return ERR_RANGE;
    if (in->format == LLC_U)
        return encode_u(bytes, cap, in);
    if (in->ns >= LLC_NU_MODULUS || in->nr >= LLC_NU_MODULUS || in->supervisory > LLC_SACK)
        return ERR_RANGE;
    return in->format == LLC_I ? encode_i(bytes, cap, in) : encode_s(bytes, cap, in);
}

enum { K_MASK = 0x1f };

/* Octets between header and bitmap, and those of the bitmap, which ends before the FCS. Some implementations
 * skip K octets of the bitmap instead of K + 1; TShark and libosmo-gprs take K + 1. */
static int read_bitmap(struct llc_abm *out, const uint8_t *at, size_t octets)
{
    size_t skip = out->is_i ? 1 : 0;
    if (octets <= skip)
        return ERR_MALFORMED;
    size_t count = out->is_i ? (size_t)(at[0] & K_MASK) + 1 : octets;
    if (count > LLC_ABM_BITMAP_MAX_OCTETS || skip + count > octets)
        return ERR_MALFORMED;
    memcpy(out->bitmap, at + skip, count);
    out->bitmap_octets = (uint8_t)count;
    return (int)(skip + count);
}

int llc_abm_decode(struct llc_abm *out, const uint8_t *bytes, size_t len)
{
    struct llc llc;
    int header = llc_decode(&llc, bytes, len);
    if (header < 0)
        return header;
    if (llc.format != LLC_I && llc.format != LLC_S)
        return ERR_UNSUPPORTED;
    *out = (struct llc_abm){
        .ns = llc.ns,
        .nr = llc.nr,
        .sapi = llc.sapi,
        .supervisory = llc.supervisory,
        .is_i = llc.format == LLC_I,
        .a = llc.a,
        .cr = llc.cr,
    };
    int bitmap = 0;
    if (llc.supervisory == LLC_SACK)
        bitmap = read_bitmap(out, bytes + header, llc.info_octets);
    if (bitmap < 0)
        return bitmap;
    if (!out->is_i && (uint32_t)bitmap != llc.info_octets)
        return ERR_MALFORMED;
    return header + bitmap;
}

static int check(const struct llc_abm *in)
{
    bool has_bitmap = in->bitmap_octets > 0;
    if (has_bitmap != (in->supervisory == LLC_SACK) || in->bitmap_octets > LLC_ABM_BITMAP_MAX_OCTETS)
        return ERR_RANGE;
    return 0;
}

/* An I frame without a bitmap, as nearly all are. */
static bool is_plain_i(const struct llc_abm *in, size_t cap)
{
    return in->is_i && in->bitmap_octets == 0 && in->supervisory < LLC_SACK && cap >= LLC_I_OCTETS &&
           llc_is_sapi_known(in->sapi) && in->ns < LLC_NU_MODULUS && in->nr < LLC_NU_MODULUS;
}

int llc_abm_encode(uint8_t *bytes, size_t cap, const struct llc_abm *in)
{
    if (is_plain_i(in, cap)) {
        bytes[0] = (uint8_t)((in->cr ? LLC_ADDRESS_CR : 0) | in->sapi);
        put_i(bytes, in->a, in->ns, in->nr, in->supervisory);
        return LLC_I_OCTETS;
    }
    const struct llc llc = {
        .format = in->is_i ? LLC_I : LLC_S,
        .sapi = in->sapi,
        .ns = in->ns,
        .nr = in->nr,
        .supervisory = in->supervisory,
        .a = in->a,
        .cr = in->cr,
    };
    if (check(in) < 0)
        return ERR_RANGE;
    int header = llc_encode(bytes, cap, &llc);
    if (header < 0)
        return header;
    if (llc_abm_octets(in) > cap)
        return ERR_NO_SPACE;
    if (in->is_i && in->bitmap_octets)
        bytes[header++] = (uint8_t)(in->bitmap_octets - 1);
    memcpy(bytes + header, in->bitmap, in->bitmap_octets);
    return header + in->bitmap_octets;
}

enum { NUMBER_MASK = 0x1ff, WHY_MASK = 15 };

int llc_frmr_decode(struct llc_frmr *out, const uint8_t *bytes, size_t len)
{
    if (len < LLC_FRMR_OCTETS)
        return ERR_TRUNCATED;
    uint32_t word = bytes_get_u32(bytes + LLC_FRMR_CONTROL_OCTETS);
    *out = (struct llc_frmr){
        .vs = word >> 19 & NUMBER_MASK,
        .vr = word >> 9 & NUMBER_MASK,
        .cr = word >> 8 & 1,
        .why = word & WHY_MASK,
    };
    memcpy(out->control, bytes, LLC_FRMR_CONTROL_OCTETS);
    return LLC_FRMR_OCTETS;
}

int llc_frmr_encode(uint8_t *bytes, size_t cap, const struct llc_frmr *in)
{
    if (in->vs > NUMBER_MASK || in->vr > NUMBER_MASK || in->why > WHY_MASK)
        return ERR_RANGE;
    if (cap < LLC_FRMR_OCTETS)
        return ERR_NO_SPACE;
    memcpy(bytes, in->control, LLC_FRMR_CONTROL_OCTETS);
    bytes_put_u32(bytes + LLC_FRMR_CONTROL_OCTETS,
                  (uint32_t)in->vs << 19 | (uint32_t)in->vr << 9 | (uint32_t)in->cr << 8 | in->why);
    return LLC_FRMR_OCTETS;
}
