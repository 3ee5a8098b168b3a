/* SPDX-License-Identifier: BSD-3-Clause */
/* An LLC-PDU leaves the radio: delivered or discarded. */
#include <stdlib.h>

#include "bss/radio_state.h"

static struct radio_frame frame_of(const struct radio_pdu *pdu)
{
    return (struct radio_frame){pdu->flow->tlli, pdu->llc_pdu, pdu->octets};
}

void radio_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu)
{
    radio_sum_sub(&radio->airs[way].stats.queued, pdu->octets);
    radio_sum_sub(&pdu->flow->queue.queued, pdu->octets);
}

void radio_deliver(struct radio *radio, enum radio_way way, struct radio_pdu *pdu, int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.delivered, pdu->octets);
    radio->ops.delivered(radio->ops.arg, way, &frame, now);
    free(pdu);
}

void radio_lose(struct radio *radio, enum radio_way way, enum radio_discard reason, struct radio_pdu *pdu,
                int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.discarded[reason], pdu->octets);
    pdu->flow->queue.discarded_frames++;
    radio->ops.lost(radio->ops.arg, way, reason, &frame, now);
    free(pdu);
}
