/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"

#include <string.h>

enum {
    IEI_ALIGNMENT = 0x00,
    IEI_CELL_ID = 0x08,
    IEI_IMSI = 0x0d,
    IEI_LLC_PDU = 0x0e,
    IEI_LIFETIME = 0x16,
    IEI_TLLI = 0x1f,
    IEI_PFI = 0x28
};
enum { FIXED_OCTETS = 8, IMSI_MAX_OCTETS = 8, ONE_OCTET_LENGTH = 0x80, PFI_MASK = 0x7f };

static uint8_t *fixed_put(uint8_t *p, uint8_t type, uint32_t tlli, const uint8_t qos_profile[3])
{
    p[0] = type;
    bytes_put_u32(p + 1, tlli);
    memcpy(p + 5, qos_profile, 3);
    return p + FIXED_OCTETS;
}

/* Identifier and length of an element of at most 127 octets. */
static uint8_t *header_put(uint8_t *p, uint8_t iei, uint8_t octets)
{
    p[0] = iei;
    p[1] = (uint8_t)(ONE_OCTET_LENGTH | octets);
    return p + 2;
}

static uint8_t *u16_put(uint8_t *p, uint8_t iei, uint16_t value)
{
    p = header_put(p, iei, 2);
    bytes_put_u16(p, value);
    return p + 2;
}

static uint8_t *u32_put(uint8_t *p, uint8_t iei, uint32_t value)
{
    p = header_put(p, iei, 4);
    bytes_put_u32(p, value);
    return p + 4;
}

/* Nearly every IMSI has 15 digits: a copy of known size takes a third of the time. */
static uint8_t *imsi_put(uint8_t *p, const uint8_t *imsi, uint8_t octets)
{
    p = header_put(p, IEI_IMSI, octets);
    if (octets == IMSI_MAX_OCTETS)
        memcpy(p, imsi, IMSI_MAX_OCTETS);
    else
        memcpy(p, imsi, octets);
    return p + octets;
}

static uint8_t *pfi_put(uint8_t *p, uint8_t pfi)
{
    p = header_put(p, IEI_PFI, 1);
    *p = pfi;
    return p + 1;
}

enum { BLOCK_OCTETS = 16 };

/* In blocks, the last of which overlaps the one before: half the time of a call of memcpy(). */
static uint8_t *run_put(uint8_t *p, const uint8_t *run, size_t octets)
{
    size_t at = 0;
    for (; at + BLOCK_OCTETS <= octets; at += BLOCK_OCTETS)
        memcpy(p + at, run + at, BLOCK_OCTETS);
    if (octets >= BLOCK_OCTETS)
        memcpy(p + octets - BLOCK_OCTETS, run + octets - BLOCK_OCTETS, BLOCK_OCTETS);
    else if (octets > 0)
        memcpy(p, run, octets);
    return p + octets;
}

/* At an offset in the PDU. */
static uint8_t *alignment_put(uint8_t *p, ptrdiff_t at)
{
    int octets = bssgp_dl_alignment_octets((int)at);
    if (octets == 0)
        return p;
    uint8_t *filler = header_put(p, IEI_ALIGNMENT, (uint8_t)(octets - 2));
    memset(filler, 0, (size_t)octets - 2);
    return p + octets;
}

/* In front of the LLC-PDU. */
static void llc_header_put(uint8_t *p, uint16_t octets)
{
    if (octets <= TLV_SHORT_OCTETS) {
        header_put(p, IEI_LLC_PDU, (uint8_t)octets);
        return;
    }
    p[0] = IEI_LLC_PDU;
    bytes_put_u16(p + 1, octets);
}

int bssgp_dl_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_dl *in)
{
    int octets = bssgp_dl_unitdata_header_octets(in);
    if (in->imsi_octets > IMSI_MAX_OCTETS || in->llc_octets > TLV_MAX_OCTETS ||
        (in->has_pfi && in->pfi > PFI_MASK))
        return ERR_RANGE;
    if (cap < (size_t)octets)
        return ERR_NO_SPACE;
    uint8_t *p = fixed_put(bytes, BSSGP_DL_UNITDATA, in->tlli, in->qos_profile);
    p = u16_put(p, IEI_LIFETIME, in->lifetime_cs);
    if (in->elements)
        p = run_put(p, in->elements->bytes, in->elements->front_octets);
    if (in->imsi_octets)
        p = imsi_put(p, in->imsi, in->imsi_octets);
    if (in->has_tlli_old)
        p = u32_put(p, IEI_TLLI, in->tlli_old);
    if (in->has_pfi)
        p = pfi_put(p, in->pfi);
    if (in->elements)
        p = run_put(p, in->elements->bytes + in->elements->front_octets, in->elements->back_octets);
    if (in->is_aligned)
        p = alignment_put(p, p - bytes);
    llc_header_put(p, in->llc_octets);
    return octets;
}

int bssgp_ul_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_ul *in)
{
    static const uint8_t qos_profile[3] = {0, 0, 4};
    int octets = FIXED_OCTETS + 2 + AREA_CELL + 1 + ie_tlv_length_octets(in->llc_octets);
    if (in->llc_octets > TLV_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < (size_t)octets)
        return ERR_NO_SPACE;
    uint8_t *p = fixed_put(bytes, BSSGP_UL_UNITDATA, in->tlli, qos_profile);
    p = header_put(p, IEI_CELL_ID, AREA_CELL);
    memcpy(p, in->cell_id, AREA_CELL);
    llc_header_put(p + AREA_CELL, in->llc_octets);
    return octets;
}

/* The first element of its kind counts; an optional element with an error counts as absent. */
static int bssgp_unitdata_take(struct bssgp_ul *out, const struct tlv *tlv, bool *has_llc)
{
    if (tlv->iei == IEI_LLC_PDU && !*has_llc) {
        *has_llc = true;
        out->llc_pdu = tlv->value;
        out->llc_octets = tlv->octets;
    } else if (tlv->iei == IEI_CELL_ID && !out->cell_id) {
        if (tlv->octets < AREA_CELL)
            return ERR_MALFORMED;
        out->cell_id = tlv->value;
    }
    return 0;
}

int bssgp_ul_unitdata_decode(struct bssgp_ul *out, const uint8_t *bytes, size_t len)
{
    *out = (struct bssgp_ul){0};
    if (len < 1)
        return ERR_TRUNCATED;
    if (bytes[0] != BSSGP_UL_UNITDATA)
        return ERR_UNSUPPORTED;
    if (len < FIXED_OCTETS)
        return ERR_TRUNCATED;
    out->tlli = bytes_get_u32(bytes + 1);
    bool has_llc = false;
    struct tlv tlv;
    for (size_t at = FIXED_OCTETS; at < len;) {
        int n = ie_tlv_decode(&tlv, bytes + at, len - at);
        if (n < 0)
            break;
        if (bssgp_unitdata_take(out, &tlv, &has_llc) < 0)
            return ERR_MALFORMED;
        at += (size_t)n;
    }
    return has_llc && out->cell_id ? (int)len : ERR_MALFORMED;
}
