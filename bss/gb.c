/* SPDX-License-Identifier: BSD-3-Clause */
/* PDUs that a BSS sends on Gb. */
#include "bss/model.h"

#include "dataplane/wire/bssgp_unitdata.h"

#include <assert.h>
#include <string.h>

static const struct bss_nsvc *usable_nsvc(const struct bss *bss)
{
    for (unsigned i = 0; i < bss->nsvc_count; i++)
        if (bss->nsvcs[i].is_usable)
            return &bss->nsvcs[i];
    return NULL;
}

static void bss_send(struct bss *bss, const struct bss_nsvc *vc, size_t octets)
{
    bss->has_acted = true;
    bss->stats.tx_pdus++;
    bss->ops.send(bss->ops.arg, vc->index, bss->tx, octets);
}

void bss_gb_send_ns(struct bss *bss, const struct bss_nsvc *vc, const struct ns *ns)
{
    int octets = ns_encode(bss->tx, sizeof bss->tx, ns);
    assert(octets > 0);
    bss_send(bss, vc, (size_t)octets);
}

void bss_gb_send(struct bss *bss, uint16_t bvci, const struct bssgp *pdu)
{
    const struct bss_nsvc *vc = usable_nsvc(bss);
    if (!vc) {
        bss->stats.unsent++;
        return;
    }
    int header = ns_unitdata_header_put(bss->tx, bvci);
    int octets = bssgp_encode(bss->tx + header, sizeof bss->tx - (size_t)header, pdu);
    assert(octets > 0);
    bss_send(bss, vc, (size_t)header + (size_t)octets);
}

bool bss_gb_unitdata(struct bss *bss, const struct bss_cell *cell, const struct radio_frame *frame)
{
    const struct bss_nsvc *vc = usable_nsvc(bss);
    size_t room = sizeof bss->tx - NS_UNITDATA_HEADER_OCTETS - BSSGP_UL_HEADER_MAX_OCTETS;
    if (!vc || !cell || !bss_cell_is_up(cell) || frame->octets > room) {
        bss->stats.unsent++;
        return false;
    }
    /* QoS profile: OsmoPCU's, radio priority unknown. */
    struct bssgp_ul ul = {.tlli = frame->tlli, .cell_id = cell->cell_id};
    ul.llc_octets = (uint16_t)frame->octets;
    int at = ns_unitdata_header_put(bss->tx, cell->config.bvci);
    at += bssgp_ul_unitdata_encode_header(bss->tx + at, sizeof bss->tx - (size_t)at, &ul);
    memcpy(bss->tx + at, frame->llc_pdu, frame->octets);
    bss_send(bss, vc, (size_t)at + frame->octets);
    return true;
}

void bss_gb_status(struct bss *bss, uint8_t cause, int bvci, const struct ie_span *in_error)
{
    struct bssgp status = {.head.type = BSSGP_STATUS, .cause = cause};
    if (bvci >= 0) {
        status.bvci = (uint32_t)bvci;
        pdu_mark(&status.head, BSSGP_IE_BVCI);
    }
    if (in_error && in_error->octets) {
        status.pdu_in_error = *in_error;
        if (in_error->octets > BSS_MAX_PDU_IN_ERROR_OCTETS)
            status.pdu_in_error.octets = BSS_MAX_PDU_IN_ERROR_OCTETS;
        pdu_mark(&status.head, BSSGP_IE_PDU_IN_ERROR);
    }
    bss_gb_send(bss, BSSGP_BVCI_SIGNALLING, &status);
}
