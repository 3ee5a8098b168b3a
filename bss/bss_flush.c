/* SPDX-License-Identifier: BSD-3-Clause */
/* Cell change of a mobile (bss_leave(), bss_move()), and FLUSH-LL (TS 48.018 §8.1) for the LLC-PDUs in its
   old cell: moved to the new cell if the SGSN names one of this BSS that is up, else discarded. */
#include "bss/bss_state.h"

/* The cells of one flush or cell change. */
struct carry {
    struct bss_cell *from, *to; /* to NULL: the LLC-PDUs are discarded */
    int64_t now;
};

static void carry_down(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs)
{
    const struct carry *carry = arg;
    const struct bss_ops *ops = &carry->from->bss->ops;
    if (carry->to)
        bss_air_put(carry->to, frame, lifetime_cs, carry->now);
    else if (ops->on_discard)
        ops->on_discard(ops->arg, carry->from->config.bvci, RADIO_DISCARD_FLUSHED, frame, carry->now);
}

/* The new cell that FLUSH-LL names, if it belongs to this BSS and is up; else NULL. */
static struct bss_cell *target_of(const struct bss *bss, const struct bssgp *pdu)
{
    bool is_ours = !pdu_has(&pdu->head, BSSGP_IE_NSEI_NEW) || pdu->nsei_new == bss->nsei;
    struct bss_cell *cell =
        pdu_has(&pdu->head, BSSGP_IE_BVCI_NEW) && is_ours ? bss_cell_get(bss, (uint16_t)pdu->bvci_new) : NULL;
    return cell && bss_bvc_is_up(cell) ? cell : NULL;
}

/* Takes out all downlink LLC-PDUs of a mobile. A mobile that is still in the cell stays in it. */
static uint64_t empty(struct carry *carry, uint32_t tlli)
{
    struct radio *radio = carry->from->radio;
    if (!radio)
        return 0;
    bool is_here = !radio_is_away(radio, tlli);
    radio_leave(radio, tlli);
    uint64_t octets = radio_take(radio, RADIO_DOWN, tlli, carry_down, carry, carry->now);
    if (is_here)
        radio_enter(radio, tlli, carry->now);
    return octets;
}

void bss_flush_rx(struct bss *bss, const struct bssgp *pdu, const struct ie_span *sdu, int64_t now)
{
    struct carry carry = {bss_cell_get(bss, (uint16_t)pdu->bvci), target_of(bss, pdu), now};
    struct bssgp ack = {.head.type = BSSGP_FLUSH_LL_ACK, .tlli = pdu->tlli};
    if (!carry.from) {
        bss_bssgp_status(bss, BSSGP_CAUSE_BVCI_UNKNOWN, (int)pdu->bvci, sdu);
        return;
    }
    ack.octets_affected = (uint32_t)empty(&carry, pdu->tlli);
    if (carry.to) {
        ack.flush_action = BSS_FLUSH_TRANSFERRED;
        ack.bvci_new = pdu->bvci_new;
        pdu_mark(&ack.head, BSSGP_IE_BVCI_NEW);
    }
    bss_bssgp_send(bss, BSSGP_BVCI_SIGNALLING, &ack);
}

static void carry_up(void *arg, const struct radio_frame *frame, uint16_t lifetime_cs)
{
    const struct carry *carry = arg;
    bss_ul_put(carry->to->bss, carry->to->config.bvci, frame->tlli, frame->llc_pdu, frame->octets,
               carry->now);
}

void bss_leave(struct bss *bss, uint32_t tlli, uint16_t from)
{
    struct bss_cell *cell = bss_cell_get(bss, from);
    if (cell->radio)
        radio_leave(cell->radio, tlli);
}

void bss_return(struct bss *bss, uint32_t tlli, uint16_t to, int64_t now)
{
    struct bss_cell *cell = bss_cell_get(bss, to);
    if (cell->radio)
        radio_enter(cell->radio, tlli, now);
    bss_air_wake(cell);
}

void bss_move(struct bss *bss, uint32_t tlli, uint16_t from, uint16_t to, int64_t now)
{
    bss_hand_over(bss, tlli, from, bss, to, now);
}

void bss_hand_over(struct bss *bss, uint32_t tlli, uint16_t from, struct bss *to_bss, uint16_t to,
                   int64_t now)
{
    struct carry carry = {bss_cell_get(bss, from), bss_cell_get(to_bss, to), now};
    if (carry.from->radio)
        radio_leave(carry.from->radio, tlli);
    if (carry.to->radio)
        radio_enter(carry.to->radio, tlli, now);
    if (carry.from->radio)
        radio_take(carry.from->radio, RADIO_UP, tlli, carry_up, &carry, now);
    bss_air_wake(carry.to);
}
