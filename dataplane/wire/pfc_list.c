/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/pfc_list.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

enum { PLAIN_OCTETS = 5, RATIO_OCTETS = 6, PFI_MASK = 0x7f, MAX_UNITS = 0xffff };

int pfc_list_decode(struct pfc_list *out, const uint8_t *bytes, size_t len)
{
    *out = (struct pfc_list){0};
    if (len < 1)
        return ERR_TRUNCATED;
    size_t count = bytes[0], each = count ? (len - 1) / count : 0;
    if (count > PFC_LIST_MAX)
        return ERR_MALFORMED;
    if (count && each < PLAIN_OCTETS)
        return ERR_TRUNCATED;
    if (count && (each > RATIO_OCTETS || each * count != len - 1))
        return ERR_MALFORMED;
    out->count = (unsigned)count;
    out->has_ratio = each == RATIO_OCTETS;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *p = bytes + 1 + i * each;
        out->flow[i].pfi = p[0] & PFI_MASK;
        out->flow[i].bucket_octets = bytes_get_u16(p + 1);
        out->flow[i].rate_bps = bytes_get_u16(p + 3);
        out->flow[i].ratio_percent = out->has_ratio ? p[5] : 0;
    }
    return (int)len;
}

static bool is_units(uint64_t value, uint64_t unit)
{
    return value % unit == 0 && value / unit <= MAX_UNITS;
}

int pfc_list_encode(uint8_t *bytes, size_t cap, const struct pfc_list *in, uint64_t unit)
{
    if (in->count > PFC_LIST_MAX)
        return ERR_RANGE;
    if (cap < pfc_list_octets(in))
        return ERR_NO_SPACE;
    uint8_t *p = bytes;
    *p++ = (uint8_t)in->count;
    for (unsigned i = 0; i < in->count; i++) {
        const struct pfc_flow *f = &in->flow[i];
        if (f->pfi > PFI_MASK || !is_units(f->bucket_octets, unit) || !is_units(f->rate_bps, unit))
            return ERR_RANGE;
        *p++ = f->pfi;
        bytes_put_u16(p, (uint16_t)(f->bucket_octets / unit));
        bytes_put_u16(p + 2, (uint16_t)(f->rate_bps / unit));
        p += 4;
        if (in->has_ratio)
            *p++ = f->ratio_percent;
    }
    return (int)(p - bytes);
}
