/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP of frames from the BSS (TS 44.065): segments become N-PDUs, which go to their GGSN.
 * Exits: DROP_SNDCP_MALFORMED, DROP_SNDCP_NO_CONTEXT, DROP_SNDCP_MODE.
 */
#include "dataplane/worker/gb_rx_sndcp.h"
#include "dataplane/worker/gn_tx.h"

/* Reads the SNDCP header of a UI frame's information, finds the context, and sets the buffer's data to the
 * segment's. A context whose LLC is in acknowledged mode has SN-DATA alone (TS 44.065 clause 6.9). */
static enum drop unwrap(struct worker *w, const struct ms *ms, struct rte_mbuf *mbuf, struct sndcp *sndcp,
                        uint32_t *pdp)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t len = rte_pktmbuf_data_len(mbuf);
    int header = sndcp_decode(sndcp, bytes, len);

    if (header < 0)
        return DROP_SNDCP_MALFORMED;
    *pdp = ms_pdp(ms, sndcp->nsapi);
    if (*pdp == MS_PDP_NONE)
        return DROP_SNDCP_NO_CONTEXT;
    if (w->context.pdps[*pdp].params.is_acknowledged)
        return DROP_SNDCP_MODE;
    gb_rx_llc_cut(mbuf, bytes + header, len - (size_t)header);
    return DROP_NONE;
}

enum drop gb_rx_sndcp_segment(struct worker *w, uint32_t pdp, const struct sndcp *sndcp,
                              struct rte_mbuf *mbuf, bool is_old, int64_t now)
{
    const struct pdp_params *params = &w->context.pdps[pdp].params;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    struct gn_npdu n_pdu = {&mbuf, 1, sndcp->n_pdu_number, sndcp->comp, is_old};
    struct reassembly_entry *entry = NULL;

    if (sndcp->first && !sndcp->more && octets > 0 && octets <= REASSEMBLY_MAX_NPDU_OCTETS) {
        reassembly_forget(&w->reassembly, &w->stats, pdp);
    } else {
        struct reassembly_source source = {pdp, w->context.mobiles[params->ms].bvc, params->is_acknowledged};
        entry = reassembly_put(&w->reassembly, &w->stats, sndcp, source, mbuf, now);
        if (!entry)
            return DROP_NONE;
        n_pdu = (struct gn_npdu){entry->segments, entry->expected, n_pdu.number, entry->comp, is_old};
        w->stats.ul_held -= entry->expected;
    }
    enum drop reason = gn_tx_user_send(w, params, &n_pdu, now);
    *(reason == DROP_NONE ? &w->stats.ul_segments : &w->stats.gb_drops[reason]) += n_pdu.count;
    if (entry)
        reassembly_end(&w->reassembly, entry);
    else
        rte_pktmbuf_free(mbuf);
    return reason;
}

enum drop gb_rx_sndcp_take(struct worker *w, const struct gb_rx_llc *in, int64_t now)
{
    struct sndcp sndcp;
    uint32_t pdp;

    gb_rx_llc_cut(in->mbuf, in->frame + in->llc.header_octets, in->llc.info_octets);
    enum drop reason = unwrap(w, in->ms, in->mbuf, &sndcp, &pdp);
    if (reason == DROP_NONE)
        gb_rx_sndcp_segment(w, pdp, &sndcp, in->mbuf, false, now);
    return reason;
}
