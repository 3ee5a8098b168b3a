/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_abm.h"

#include <string.h>

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

int llc_abm_encode(uint8_t *bytes, size_t cap, const struct llc_abm *in)
{
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
