/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

enum { ADDRESS_PD = 0x80, ADDRESS_CR = 0x40, CONTROL_UI = 0xc0, SAPIS_KNOWN = 0x0bae };

bool llc_is_sapi_known(unsigned sapi)
{
    return sapi < 16 && (SAPIS_KNOWN >> sapi & 1);
}

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

static void decode_u(struct llc *out, uint8_t control)
{
    out->pf = control >> 4 & 1;
    out->command = control & 15;
}

int llc_decode(struct llc *out, const uint8_t *bytes, size_t len)
{
    static const uint8_t header_octets[] = {[LLC_I] = 4, [LLC_S] = 3, [LLC_UI] = LLC_UI_OCTETS, [LLC_U] = 2};
    if (len < 2)
        return ERR_TRUNCATED;
    *out = (struct llc){.format = format_of(bytes[1]), .sapi = bytes[0] & 15, .pm = true};
    if (bytes[0] & ADDRESS_PD || !llc_is_sapi_known(out->sapi))
        return ERR_UNSUPPORTED;
    out->header_octets = header_octets[out->format];
    if (len < (size_t)out->header_octets + LLC_FCS_OCTETS)
        return ERR_TRUNCATED;
    out->cr = bytes[0] & ADDRESS_CR;
    out->info_octets = (uint32_t)(len - out->header_octets - LLC_FCS_OCTETS);
    if (out->format == LLC_UI)
        decode_ui(out, bytes_get_u16(bytes + 1));
    else if (out->format == LLC_U)
        decode_u(out, bytes[1]);
    return out->header_octets;
}

int llc_ui_encode(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (!llc_is_sapi_known(in->sapi) || in->nu >= LLC_NU_MODULUS)
        return ERR_RANGE;
    if (cap < LLC_UI_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->cr ? ADDRESS_CR : 0) | in->sapi);
    bytes[1] = (uint8_t)(CONTROL_UI | in->nu >> 6);
    bytes[2] = (uint8_t)((in->nu & 0x3f) << 2 | in->e << 1 | in->pm);
    return LLC_UI_OCTETS;
}
