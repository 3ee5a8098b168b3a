/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet flows (TS 48.018 §8a): a cell with a bucket for them accepts each that the SGSN creates, with the
   quality of service asked for, and announces the bucket in FLOW-CONTROL-PFC (§8.2). Other cells refuse. The
   announcement is sent once per creation; the SGSN's repeated CREATE-BSS-PFC repeats it. The radio does not
   tell packet flows from each other. */
#include "bss/bss_state.h"

enum { FEATURE_PFC = 0x01, FEATURE_PFC_FC = 0x20, CAUSE_PFC_CREATE_FAILURE = 0x0a };

static bool has_flows(const struct bss_cell *cell)
{
    return cell->config.pfc.bucket_octets > 0;
}

uint32_t bss_pfc_features(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->cell_count; i++)
        if (has_flows(&bss->cells[i]))
            return FEATURE_PFC | FEATURE_PFC_FC;
    return 0;
}

void bss_pfc_agree(struct bss *bss, const struct bssgp *pdu)
{
    bool has_peer = pdu_has(&pdu->head, BSSGP_IE_FEATURE_BITMAP) && pdu->feature_bitmap & FEATURE_PFC_FC;
    bss->has_pfc_fc = has_peer && bss_pfc_features(bss);
}

static void announce(struct bss *bss, struct bss_cell *cell, uint32_t tlli, uint32_t pfi)
{
    const struct bss_bucket *bucket = &cell->config.pfc;
    struct bssgp pdu = {.head.type = BSSGP_FLOW_CONTROL_PFC, .tlli = tlli, .tag = ++cell->pfc_tag};
    pdu.pfcs.count = 1;
    pdu.pfcs.flow[0] = (struct pfc_flow){
        .pfi = (uint8_t)pfi, .bucket_octets = bucket->bucket_octets, .rate_bps = bucket->rate_bps};
    if (bss->has_pfc_fc)
        bss_bssgp_send(bss, cell->config.bvci, &pdu);
}

static void create(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu)
{
    struct bssgp answer = {
        .tlli = pdu->tlli, .pfi = pdu->pfi, .abqp = pdu->abqp, .cause = CAUSE_PFC_CREATE_FAILURE};
    answer.head.type = has_flows(cell) ? BSSGP_CREATE_BSS_PFC_ACK : BSSGP_CREATE_BSS_PFC_NACK;
    bss_bssgp_send(bss, cell->config.bvci, &answer);
    if (has_flows(cell))
        announce(bss, cell, pdu->tlli, pdu->pfi);
}

bool bss_pfc_rx(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu)
{
    if (pdu->head.type == BSSGP_CREATE_BSS_PFC) {
        create(bss, cell, pdu);
    } else if (pdu->head.type == BSSGP_DELETE_BSS_PFC) {
        struct bssgp ack = {.head.type = BSSGP_DELETE_BSS_PFC_ACK, .tlli = pdu->tlli, .pfi = pdu->pfi};
        bss_bssgp_send(bss, cell->config.bvci, &ack);
    } else {
        return pdu->head.type == BSSGP_FLOW_CONTROL_PFC_ACK;
    }
    return true;
}
