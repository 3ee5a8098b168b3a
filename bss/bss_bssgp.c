/* SPDX-License-Identifier: BSD-3-Clause */
/* BSSGP PDUs from the SGSN: dispatch by type and BVCI, and the STATUS for errors (TS 48.018 §9). */
#include "bss/bss_state.h"

/* A STATUS is never answered by a STATUS. */
static void refuse(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *sdu)
{
    bss->stats.malformed++;
    if (sdu->octets && sdu->at[0] != BSSGP_STATUS)
        bss_bssgp_status(bss, cause, bvci, sdu);
}

/* For the SGSN a BVC is unblocked once it is reset (TS 48.018 §8.4): it may create packet flows before the
   BVC-UNBLOCK of this dialect. */
static bool takes(const struct bss_cell *cell, uint8_t type)
{
    return bss_bvc_is_up(cell) || (type == BSSGP_CREATE_BSS_PFC && !cell->is_held);
}

static void rx_ptp(struct bss *bss, uint16_t bvci, const struct bssgp *pdu, const struct ie_span *sdu,
                   int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, bvci);
    bool is_unitdata = pdu->head.type == BSSGP_DL_UNITDATA;
    if (!cell || !takes(cell, pdu->head.type)) {
        bss->stats.undelivered += is_unitdata;
        bss_bssgp_status(bss, cell ? BSSGP_CAUSE_BVCI_BLOCKED : BSSGP_CAUSE_BVCI_UNKNOWN, bvci, sdu);
    } else if (is_unitdata) {
        bss_air_down(cell, pdu, now);
    } else if (pdu->head.type == BSSGP_FLOW_CONTROL_BVC_ACK || pdu->head.type == BSSGP_FLOW_CONTROL_MS_ACK) {
        bss_announce_ack(bss, cell, pdu, now);
    } else if (!bss_pfc_rx(bss, cell, pdu)) {
        bss->stats.unexpected++;
    }
}

void bss_bssgp_rx(struct bss *bss, uint16_t bvci, const struct ie_span *sdu, int64_t now)
{
    struct bssgp pdu;
    int cause = sdu->octets ? bssgp_misplaced_cause(sdu->at[0], BSSGP_FROM_SGSN, bvci) : 0;
    if (cause) {
        refuse(bss, (uint8_t)cause, -1, sdu);
        return;
    }
    if (bssgp_decode(&pdu, sdu->at, sdu->octets) < 0) {
        refuse(bss, pdu.error_cause, -1, sdu);
        return;
    }
    if (pdu.head.type == BSSGP_FLUSH_LL)
        bss_flush_rx(bss, &pdu, sdu, now);
    else if (bss_ms_rx(bss, &pdu))
        return;
    else if (bvci == BSSGP_BVCI_SIGNALLING || pdu.head.type == BSSGP_STATUS)
        bss_bvc_signal(bss, &pdu, now);
    else
        rx_ptp(bss, bvci, &pdu, sdu, now);
}
