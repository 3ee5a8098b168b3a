/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

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

static int encode_i(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (cap < LLC_I_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = llc_address(in);
    bytes_put_u24(bytes + 1,
                  (uint32_t)in->a << 22 | (uint32_t)in->ns << 12 | (uint32_t)in->nr << 2 | in->supervisory);
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
