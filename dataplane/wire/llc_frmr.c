/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/llc_frmr.h"

#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

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
