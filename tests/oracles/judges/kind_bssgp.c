/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ie.h"
#include "dataplane/wire/pdu.h"
#include "tests/oracles/judges/pdu_kind.h"

#include <string.h>

enum {
    UNITDATA_FIXED_OCTETS = 8,
    DL_UNITDATA_ONE_IN = 8,
    EMPTY_LLC_PDU_ONE_IN = 8,
    FALSE_COUNT_ONE_IN = 8,
    IEI_PFCS = 0x52
};

static void keep_one(struct rng *rng, struct pdu *pdu, const uint8_t *ies, size_t count)
{
    size_t kept = rng_below(rng, count);
    for (size_t i = 0; i < count; i++)
        pdu->present[ies[i] / 32] &= ~(UINT32_C(1) << ies[i] % 32);
    pdu_mark(pdu, ies[kept]);
}

/* What PDUs demand of themselves (TS 48.018 §10): a paging area, a name, a new BVC, a capability. */
static void keep_rules(struct rng *rng, struct bssgp *in)
{
    static const uint8_t areas[] = {BSSGP_IE_BVCI, BSSGP_IE_LOCATION_AREA, BSSGP_IE_ROUTEING_AREA,
                                    BSSGP_IE_BSS_AREA};
    static const uint8_t names[] = {BSSGP_IE_TLLI, BSSGP_IE_TMSI};
    if (in->head.type == BSSGP_PAGING_PS || in->head.type == BSSGP_PAGING_CS)
        keep_one(rng, &in->head, areas, sizeof areas);
    else if (in->head.type == BSSGP_RADIO_STATUS)
        keep_one(rng, &in->head, names, sizeof names);
    else if (in->head.type == BSSGP_FLUSH_LL_ACK)
        in->flush_action = pdu_has(&in->head, BSSGP_IE_BVCI_NEW) ? 1 : 0;
    else if (in->head.type == BSSGP_RA_CAPABILITY_UPDATE_ACK)
        in->ra_cap_cause = pdu_has(&in->head, BSSGP_IE_MS_RA_CAPABILITY) ? 0 : 1;
}

/* PDUs of which only the type is known come rarely. */
static const struct pdu_row *random_row(struct rng *rng)
{
    if (kind_once_in(rng, DL_UNITDATA_ONE_IN))
        return pdu_row_get(&bssgp_grammar, BSSGP_DL_UNITDATA);
    for (;;) {
        const struct pdu_row *row = &bssgp_grammar.rows[rng_below(rng, bssgp_grammar.row_count)];
        if (row->places->presence != PDU_END || kind_once_in(rng, 16))
            return row;
    }
}

/* Sizes and rates were drawn in the smallest unit. */
static void enlarge(struct bssgp *in)
{
    in->granularity &= BSSGP_MAX_GRANULARITY;
    for (uint32_t g = 0; g < in->granularity; g++) {
        in->bucket_octets *= 10;
        in->rate_bps *= 10;
        in->ms_bucket_octets *= 10;
        in->ms_rate_bps *= 10;
        for (unsigned i = 0; i < in->pfcs.count; i++) {
            in->pfcs.flow[i].bucket_octets *= 10;
            in->pfcs.flow[i].rate_bps *= 10;
        }
    }
}

static int octet_of(const struct bssgp *in, enum bssgp_ie ie, uint32_t value)
{
    return pdu_has(&in->head, ie) ? (int)value : BSSGP_ELEMENTS_NONE;
}

static int encode_elements(struct bssgp_elements *out, const struct bssgp *in)
{
    const struct bssgp_elements_values values = {
        .ms_ra_capability = in->ms_ra_capability,
        .drx_parameters = in->drx_parameters,
        .lsa_information = in->lsa_information,
        .priority = octet_of(in, BSSGP_IE_PRIORITY, in->priority),
        .service_utran_cco = octet_of(in, BSSGP_IE_SERVICE_UTRAN_CCO, in->service_utran_cco),
        .spid = octet_of(in, BSSGP_IE_SPID, in->spid),
    };
    return bssgp_elements_encode(out, &values);
}

/* A DL-UNITDATA as the worker writes it. */
static int encode_downlink(struct rng *rng, uint8_t *bytes, size_t cap, const struct bssgp *in)
{
    struct bssgp_elements elements;
    struct bssgp_dl dl = {
        .tlli = in->tlli,
        .tlli_old = in->tlli_old,
        .has_tlli_old = pdu_has(&in->head, BSSGP_IE_TLLI_OLD),
        .pfi = in->pfi & 127,
        .has_pfi = pdu_has(&in->head, BSSGP_IE_PFI),
        .is_aligned = kind_once_in(rng, 2),
        .lifetime_cs = (uint16_t)in->lifetime_cs,
        .llc_octets = (uint16_t)in->llc_pdu.octets,
        .imsi_octets = (uint8_t)in->imsi.octets,
        .imsi = in->imsi.at,
        .elements = &elements,
    };
    memcpy(dl.qos_profile, in->qos_profile.at, sizeof dl.qos_profile);
    int header = encode_elements(&elements, in);
    if (header >= 0)
        header = bssgp_dl_unitdata_encode_header(bytes, cap, &dl);
    if (header < 0 || cap - (size_t)header < in->llc_pdu.octets)
        return header < 0 ? header : ERR_NO_SPACE;
    if (in->llc_pdu.octets)
        memcpy(bytes + header, in->llc_pdu.at, in->llc_pdu.octets);
    return header + (int)in->llc_pdu.octets;
}

static size_t make(struct rng *rng, uint8_t *bytes, size_t cap)
{
    static struct pdu_kind_pool pool;
    struct bssgp in;
    int octets;
    do {
        const struct pdu_row *row = random_row(rng);
        in = (struct bssgp){.head.type = row->type};
        pdu_kind_fill(rng, &in.head, &bssgp_grammar, &pool);
        enlarge(&in);
        if (kind_once_in(rng, EMPTY_LLC_PDU_ONE_IN))
            in.llc_pdu.octets = 0;
        keep_rules(rng, &in);
        bool is_workers = row->type == BSSGP_DL_UNITDATA && kind_once_in(rng, 2);
        octets = is_workers ? encode_downlink(rng, bytes, cap, &in) : bssgp_encode(bytes, cap, &in);
    } while (octets < 0);
    return (size_t)octets;
}

static size_t elements_at(const uint8_t *bytes, size_t len)
{
    size_t at = len && bytes[0] <= BSSGP_UL_UNITDATA ? UNITDATA_FIXED_OCTETS : 1;
    return at < len ? at : len;
}

/* A number of flows that is not true comes up too rarely by itself. */
static void settle(struct rng *rng, uint8_t *bytes, size_t len)
{
    struct tlv tlv;
    int n = 0;
    if (len == 0 || bytes[0] != BSSGP_FLOW_CONTROL_PFC || !kind_once_in(rng, FALSE_COUNT_ONE_IN))
        return;
    for (size_t at = 1; at < len && (n = ie_tlv_decode(&tlv, bytes + at, len - at)) > 0; at += (size_t)n)
        if (tlv.iei == IEI_PFCS && tlv.octets)
            bytes[tlv.value - bytes] = (uint8_t)rng_below(rng, PFC_LIST_MAX + 2);
}

static void say(struct saying *out, const uint8_t *bytes, size_t len)
{
    struct bssgp pdu;
    int answer = bssgp_decode(&pdu, bytes, len);
    saying_begin(out, answer);
    saying_number(out, "type", bytes[0]);
    if (answer < 0) {
        saying_number(out, "error_cause", pdu.error_cause);
        return;
    }
    uint64_t unit = BSSGP_UNIT;
    for (uint32_t g = 0; g < pdu.granularity; g++)
        unit *= 10;
    pdu_kind_say(out, &pdu.head, &bssgp_grammar);
    pdu_kind_say_elements(out, &pdu.head, &bssgp_grammar, unit);
}

const struct kind kind_bssgp = {"bssgp", make, elements_at, settle, say};
