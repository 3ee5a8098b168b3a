/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp_unitdata.h"

#include <string.h>

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/tlv.h"

enum {
    IEI_CELL_ID = 0x08,
    IEI_IMSI = 0x0d,
    IEI_LLC_PDU = 0x0e,
    IEI_LIFETIME = 0x16,
    IEI_TLLI = 0x1f,
    IEI_PFI = 0x28
};
enum { FIXED_OCTETS = 8, ONE_OCTET_LENGTH = 0x80 };

static uint8_t *fixed_put(uint8_t *p, uint8_t type, uint32_t tlli, const uint8_t qos_profile[3])
{
    p[0] = type;
    bytes_put_u32(p + 1, tlli);
    memcpy(p + 5, qos_profile, 3);
    return p + FIXED_OCTETS;
}

static uint8_t *element_put(uint8_t *p, uint8_t iei, const uint8_t *value, uint8_t octets)
{
    p[0] = iei;
    p[1] = (uint8_t)(ONE_OCTET_LENGTH | octets);
    memcpy(p + 2, value, octets);
    return p + 2 + octets;
}

static int llc_header_octets(uint16_t llc_octets)
{
    return 1 + tlv_length_octets(llc_octets);
}

int bssgp_dl_unitdata_header_octets(const struct bssgp_dl *in)
{
    return FIXED_OCTETS + 4 + (in->imsi_octets ? 2 + in->imsi_octets : 0) + (in->has_tlli_old ? 6 : 0) +
           (in->has_pfi ? 3 : 0) + llc_header_octets(in->llc_octets);
}

int bssgp_dl_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_dl *in)
{
    uint8_t word[4];
    int octets = bssgp_dl_unitdata_header_octets(in);
    if (in->imsi_octets > 8 || in->llc_octets > TLV_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < (size_t)octets)
        return ERR_NO_SPACE;
    uint8_t *p = fixed_put(bytes, BSSGP_DL_UNITDATA, in->tlli, in->qos_profile);
    bytes_put_u16(word, in->lifetime_cs);
    p = element_put(p, IEI_LIFETIME, word, 2);
    if (in->imsi_octets)
        p = element_put(p, IEI_IMSI, in->imsi, in->imsi_octets);
    bytes_put_u32(word, in->tlli_old);
    if (in->has_tlli_old)
        p = element_put(p, IEI_TLLI, word, 4);
    if (in->has_pfi)
        p = element_put(p, IEI_PFI, &in->pfi, 1);
    tlv_header_put(p, 3, IEI_LLC_PDU, in->llc_octets);
    return octets;
}

int bssgp_ul_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_ul *in)
{
    int octets = FIXED_OCTETS + 2 + AREA_CELL + (in->has_pfi ? 3 : 0) + llc_header_octets(in->llc_octets);
    if (in->llc_octets > TLV_MAX_OCTETS)
        return ERR_RANGE;
    if (cap < (size_t)octets)
        return ERR_NO_SPACE;
    uint8_t *p = fixed_put(bytes, BSSGP_UL_UNITDATA, in->tlli, in->qos_profile);
    p = element_put(p, IEI_CELL_ID, in->cell_id, AREA_CELL);
    if (in->has_pfi)
        p = element_put(p, IEI_PFI, &in->pfi, 1);
    tlv_header_put(p, 3, IEI_LLC_PDU, in->llc_octets);
    return octets;
}

/* The first of its kind counts; an optional element with an error counts as absent. */
static int take(struct bssgp_ul *out, const struct tlv *tlv, bool *has_llc)
{
    if (tlv->iei == IEI_LLC_PDU && !*has_llc) {
        *has_llc = true;
        out->llc_pdu = tlv->value;
        out->llc_octets = tlv->octets;
    } else if (tlv->iei == IEI_CELL_ID && !out->cell_id) {
        if (tlv->octets < AREA_CELL)
            return ERR_MALFORMED;
        out->cell_id = tlv->value;
    } else if (tlv->iei == IEI_PFI && !out->has_pfi && tlv->octets >= 1) {
        out->has_pfi = true;
        out->pfi = tlv->value[0];
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
    memcpy(out->qos_profile, bytes + 5, 3);
    bool has_llc = false;
    struct tlv tlv;
    for (size_t at = FIXED_OCTETS; at < len;) {
        int n = tlv_decode(&tlv, bytes + at, len - at);
        if (n < 0)
            break;
        if (take(out, &tlv, &has_llc) < 0)
            return ERR_MALFORMED;
        at += (size_t)n;
    }
    return has_llc && out->cell_id ? (int)len : ERR_MALFORMED;
}
