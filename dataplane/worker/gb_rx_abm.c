/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * I, S and U frames from the BSS: a link in acknowledged mode (TS 44.064 clause 8.5) and its SN-DATA segments
 * (TS 44.065 clause 6.9).
 * Exits: DROP_LLC_MALFORMED, DROP_LLC_ABM, DROP_SNDCP_MALFORMED, DROP_SNDCP_NO_CONTEXT,
 * DROP_SNDCP_MODE, DROP_SNDCP_INCOMPLETE, DROP_LLC_LINK.
 */
#include "dataplane/worker/gb_rx_abm.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_compression.h"
#include "dataplane/worker/gb_rx_sndcp.h"

enum drop gb_rx_abm_prepare(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, size_t octets)
{
    in->link = gb_abm_find(w, in->index, in->llc.sapi);
    if (!in->link || in->llc.format == LLC_U)
        return DROP_NONE;
    int offset = llc_abm_decode(&in->abm, in->frame, octets);
    if (offset < 0)
        in->abm.sapi = 0; /* it is refused, if its FCS is right */
    else
        gb_abm_prefetch_confirmed(in->link, in->abm.nr);
    if (in->llc.format != LLC_I || offset < 0 || !in->ms->is_ciphered)
        return DROP_NONE;
    const struct link *link = &in->link->link;
    in->count = abm_count(&link->abm, in->abm.ns);
    if (octets - (size_t)offset > GEA_MAX_OCTETS)
        return DROP_LLC_MALFORMED;
    struct gea_job job = {.key = in->ms->cipher.now.key,
                          .data = in->frame + offset,
                          .input = link->iov_i + in->count,
                          .octets = (uint16_t)(octets - (size_t)offset),
                          .direction = GEA_UPLINK};
    cipher_put(&batch->cipher, &job);
    return DROP_NONE;
}

/* An SN-DATA segment, in sequence, as gb_rx_sndcp_segment(). An N-PDU that was not restored renews the link.
 */
static enum drop accept_sn_data(struct worker *w, struct gb_abm_link *l, struct rte_mbuf *mbuf, int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t len = rte_pktmbuf_data_len(mbuf);
    struct sn_data in;
    int header = sn_data_decode(&in, bytes, len);
    if (header < 0)
        return DROP_SNDCP_MALFORMED;
    uint32_t pdp = ms_pdp(&w->context.mobiles[l->ms], in.nsapi);
    if (pdp == MS_PDP_NONE)
        return DROP_SNDCP_NO_CONTEXT;
    if (!w->context.pdps[pdp].params.is_acknowledged)
        return DROP_SNDCP_MODE;
    enum sn_fate fate = link_segment_take(&l->link, &in);
    if (fate == SN_AGAIN)
        return DROP_LLC_ABM;
    const struct sn_receive *receive = &l->link.in[in.nsapi - LINK_NSAPI_MIN];
    if (fate == SN_ERROR || receive->segment >= SNDCP_MAX_SEGMENTS)
        return DROP_SNDCP_INCOMPLETE;
    uint8_t number = (uint8_t)(receive->number - (fate == SN_WHOLE || fate == SN_END));
    struct sndcp segment = {.nsapi = in.nsapi,
                            .n_pdu_number = number,
                            .segment = receive->segment,
                            .comp = in.comp,
                            .first = in.first,
                            .more = in.more};
    gb_rx_llc_cut(mbuf, bytes + header, len - (size_t)header);
    if (in.first)
        reassembly_forget(&w->reassembly, &w->stats, pdp);
    enum drop reason = gb_rx_sndcp_segment(w, pdp, &segment, mbuf, sn_fate_is_old(fate), now);
    if (unlikely(gb_compression_has_failed(reason)))
        link_renew(&l->link, now);
    return DROP_NONE;
}

static void deliver_abm(struct worker *w, struct gb_abm_link *l, int64_t now)
{
    struct rte_mbuf *mbuf;
    while ((mbuf = link_deliver_take(&l->link))) {
        w->stats.ul_held--;
        w->abm.stored--;
        gb_rx_llc_drop(w, mbuf, accept_sn_data(w, l, mbuf, now), now);
    }
}

/* Whether the link of an I frame may take it. Frames of the burst before it may have ended the link, or moved
 * the window: a frame that was deciphered as one of before the window is not in it. */
static bool may_take(const struct worker *w, const struct gb_rx_llc *in)
{
    const struct abm *abm = &in->link->link.abm;
    if (in->link->ms != in->index || in->ms->stops & MS_HELD) /* held: its numbers were told */
        return false;
    if (in->abm.sapi == 0)
        return true;
    if (in->ms->is_ciphered && in->count != abm_count(abm, in->abm.ns))
        return false;
    return in->abm.ns == abm->vr % LLC_NU_MODULUS || gb_abm_may_store(&w->abm);
}

bool gb_rx_abm_is_new(const struct worker *w, const struct gb_rx_llc *in)
{
    return in->abm.sapi != 0 && may_take(w, in) && link_is_new(&in->link->link, in->abm.ns);
}

enum drop gb_rx_abm_take(struct worker *w, const struct gb_rx_llc *in, int64_t now)
{
    struct gb_abm_link *l = in->link;
    size_t octets = in->llc.header_octets + in->llc.info_octets;
    if (l->ms != in->index || (in->llc.format == LLC_I && !may_take(w, in)))
        return DROP_LLC_ABM;
    w->stats.ul_abm_frames++;
    if (in->llc.format == LLC_U) {
        link_receive_u(&l->link, &in->llc, in->frame + in->llc.header_octets, now);
        punts_drop(w, MSG_PORT_GB, in->mbuf, DROP_LLC_LINK, now);
    } else if (in->abm.sapi == 0) {
        link_refuse(&l->link, in->frame, octets, LLC_FRMR_W1_CONTROL | LLC_FRMR_W2_INFORMATION, now);
        gb_abm_touch(w, l, now);
        return DROP_LLC_MALFORMED;
    } else {
        unsigned header = llc_abm_octets(&in->abm);
        gb_rx_llc_cut(in->mbuf, in->frame + header, octets - header);
        struct abm_taken taken = link_receive(&l->link, &in->abm, in->mbuf, (uint32_t)(octets - header), now);
        bool has_none = taken.fate == ABM_FATE_S || taken.fate == ABM_FATE_EMPTY;
        w->stats.ul_abm_again += taken.fate == ABM_FATE_DUPLICATE;
        w->stats.ul_held += taken.is_kept;
        w->abm.stored += taken.is_kept;
        if (!taken.is_kept)
            punts_drop(w, MSG_PORT_GB, in->mbuf, has_none ? DROP_LLC_LINK : DROP_LLC_ABM, now);
        deliver_abm(w, l, now);
    }
    if (l->link.is_done)
        gb_abm_done(w, l, now);
    else
        gb_abm_touch(w, l, now);
    return DROP_NONE;
}
