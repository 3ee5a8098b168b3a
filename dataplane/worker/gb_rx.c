/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gb_rx.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gb_tx_outbox.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/drop.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/ns.h"

#include <rte_ring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* An LLC-PDU between its frame and SNDCP. */
struct incoming {
    struct rte_mbuf *mbuf;
    struct ms *ms;
    struct llc_entity *entity; /* of a UI frame */
    struct gb_abm_link *link;  /* of an I, S or U frame; NULL: none */
    struct llc_abm abm;        /* of an I or S frame with a link */
    uint8_t *frame;            /* its first octet */
    struct llc llc;
    uint32_t index;        /* of the mobile */
    uint32_t tlli;         /* in its UL-UNITDATA */
    struct msg_heard from; /* the cell that it came from */
    bool is_elsewhere;     /* that is not the mobile's cell */
    bool is_unprotected;   /* a UI frame of GMM in clear, though ciphering is on */
    bool is_newest;        /* a UI frame whose N(U) is the highest received */
    bool is_restarted;     /* struct msg_llc */
    uint32_t count;        /* with which it was deciphered, see llc.h */
};

/* The LLC-PDUs of one burst, and the jobs of the ciphered ones. */
struct batch {
    unsigned count;
    bool has_guessed;
    struct incoming in[WORKER_BURST];
    struct cipher cipher;
};

#define GUESS_STEP  0x9e3779b1u /* golden ratio: any run of guesses is spread evenly */
#define GUESS_SHIFT 29          /* over 1 to 8 wraps */

static_assert((int)SNDCP_N201_U_MAX_OCTETS + (int)LLC_FCS_OCTETS <= (int)GEA_MAX_OCTETS, "fits a job");

/* Whether a UI frame is ciphered as the mobile's ciphering requires. GMM may send some messages in clear (TS
 * 24.008 clause 4.7.1.2); its layer decides and is told whether the frame was ciphered. */
static bool is_ciphering_right(const struct incoming *in, const struct llc_key *key)
{
    bool is_on = key->algorithm != 0;
    return in->llc.e == is_on || (is_on && in->llc.sapi == LLC_SAPI_GMM);
}

/* The job that deciphers a frame as the count-th of its entity; done twice, it restores the frame. */
static struct gea_job job_of(const struct incoming *in, const struct llc_key *key, uint32_t count)
{
    return (struct gea_job){
        .key = key->key,
        .data = in->frame + in->llc.header_octets,
        .input = llc_cipher_input(key->iov_ui, in->llc.sapi, count),
        .octets = (uint16_t)(in->llc.info_octets + LLC_FCS_OCTETS),
        .direction = GEA_UPLINK,
    };
}

/* Finds the link of an I, S or U frame, reads its header, and adds the job of a ciphered I frame. */
static enum drop gb_rx_abm_prepare(struct worker *w, struct batch *batch, struct incoming *in, size_t octets)
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
    if (octets - (size_t)offset > GEA_MAX_OCTETS)
        return DROP_LLC_MALFORMED;
    struct gea_job job = {.key = in->ms->cipher.now.key,
                          .data = in->frame + offset,
                          .input = link->iov_i + abm_count(&link->abm, in->abm.ns),
                          .octets = (uint16_t)(octets - (size_t)offset),
                          .direction = GEA_UPLINK};
    cipher_put(&batch->cipher, &job);
    return DROP_NONE;
}

/* Adds the job of a ciphered UI frame. */
static enum drop gb_rx_llc_prepare(struct batch *batch, struct incoming *in)
{
    int index = ms_sapi_index(in->llc.sapi);
    if (index < 0)
        return DROP_LLC_UNSUPPORTED;
    if (in->llc.info_octets > SNDCP_N201_U_MAX_OCTETS)
        return DROP_LLC_MALFORMED;
    in->entity = &in->ms->llc[index];
    uint32_t count = in->count = llc_entity_count(in->entity, in->llc.nu);
    const struct llc_key *key = llc_cipher_received(&in->ms->cipher, (unsigned)index, &count);
    if (!is_ciphering_right(in, key))
        return DROP_LLC_CIPHERING;
    in->is_unprotected = key->algorithm != 0 && !in->llc.e;
    if (in->llc.e) {
        struct gea_job job = job_of(in, key, count);
        cipher_put(&batch->cipher, &job);
    }
    return DROP_NONE;
}

static bool is_fcs_right(const struct incoming *in)
{
    return llc_fcs_is_right(in->frame, in->llc.header_octets, in->llc.info_octets, in->llc.pm);
}

/* While 480 frames or more are lost, N(U) may wrap unseen, and TS 44.064 annex A counts only wraps that are
 * seen. So one frame of each batch with a wrong FCS is deciphered again as of 1 to 8 wraps later, spread
 * evenly over the guesses. If its FCS is then right, the frames before it were lost. A frame from elsewhere
 * gets no second guess. */
static bool is_of_later_wrap(struct worker *w, struct batch *batch, struct incoming *in)
{
    uint32_t count = in->count, wraps = 1 + ((uint32_t)w->stats.ul_oc_tries * GUESS_STEP >> GUESS_SHIFT);
    const struct llc_cipher *cipher = &in->ms->cipher;
    const struct llc_key *key = llc_cipher_received(cipher, (unsigned)(in->entity - in->ms->llc), &count);
    if (batch->has_guessed || in->is_elsewhere || key != &cipher->now)
        return false;
    batch->has_guessed = true;
    w->stats.ul_oc_tries++;
    struct gea_job back = job_of(in, key, count);
    in->count = count + wraps * LLC_NU_MODULUS;
    struct gea_job again = job_of(in, key, in->count);
    gea_cipher_burst(w->gea, &back, 1);
    gea_cipher_burst(w->gea, &again, 1);
    if (!is_fcs_right(in))
        return false;
    w->stats.ul_oc_recovered++;
    llc_entity_leap(in->entity, in->count);
    return true;
}

/* The N(U) of a UI frame. Numbers that nothing protects do not advance V(UR): one made-up frame would put the
 * overflow counter out of step. A message of GMM in clear goes to its layer in any case: a mobile whose LLC
 * has begun again asks for its routeing area with N(U) = 0. */
static enum drop judge_number(struct incoming *in)
{
    uint32_t count = llc_entity_count(in->entity, in->llc.nu);
    in->is_restarted = in->llc.sapi == LLC_SAPI_GMM && !in->llc.e && llc_entity_is_astray(in->entity, count);
    if (in->is_restarted)
        llc_entity_leave_last(in->entity);
    if (in->is_unprotected)
        return DROP_NONE;
    if ((in->llc.e && count != in->count) || !llc_entity_accept(in->entity, count))
        return in->is_restarted ? DROP_NONE : DROP_LLC_OLD;
    in->is_newest = in->entity->vur == count + 1;
    return DROP_NONE;
}

/* Tests an LLC-PDU after deciphering, and whether its N(U) is new. Earlier frames of the batch may have
 * advanced the entity, so the count of the N(U) is computed again. */
static enum drop gb_rx_llc_judge(struct worker *w, struct batch *batch, struct incoming *in)
{
    if (!is_fcs_right(in) && !(in->llc.e && is_of_later_wrap(w, batch, in)))
        return in->llc.e ? DROP_LLC_DECIPHER : DROP_LLC_FCS;
    return in->llc.format == LLC_UI ? judge_number(in) : DROP_NONE;
}

/*
 * Whether an LLC-PDU that was found right shows where the mobile is: if the mobile is ciphered, only a
 * ciphered UI frame does; and a UI frame only with the highest N(U) received, since an earlier one may have
 * been recorded or delayed. Without ciphering the FCS is all there is.
 */
static bool gb_rx_llc_is_proof(const struct incoming *in)
{
    bool is_on = llc_cipher_is_on(&in->ms->cipher);
    if (in->link && in->llc.format == LLC_I)
        return true; /* it was deciphered if ciphering is on */
    return in->llc.format == LLC_UI ? in->is_newest && (in->llc.e || !is_on) : !is_on;
}

/* The reason to count for a frame that was dropped for `reason`: another one if it came from elsewhere. */
static enum drop gb_rx_llc_reason(const struct incoming *in, enum drop reason)
{
    if (!in->is_elsewhere)
        return reason;
    switch (reason) {
    case DROP_LLC_FCS:
    case DROP_LLC_DECIPHER:
        return DROP_MOVE_FCS;
    case DROP_LLC_CIPHERING:
        return DROP_MOVE_UNCIPHERED;
    case DROP_LLC_OLD:
        return DROP_MOVE_OLD;
    default:
        return reason;
    }
}

/* Sets the buffer's data to octets at bytes. */
static void cut(struct rte_mbuf *mbuf, const uint8_t *bytes, size_t octets)
{
    mbuf->data_off = (uint16_t)(bytes - (const uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)octets;
    mbuf->pkt_len = mbuf->data_len;
}

static void drop_frame(struct worker *w, struct rte_mbuf *mbuf, enum drop reason, int64_t now)
{
    if (reason != DROP_NONE)
        punts_drop(w, MSG_PORT_GB, mbuf, reason, now);
}

/* Passes a buffer to control, in the share of the NSE that it came from. */
static enum drop hand_to_control(struct worker *w, struct msg *msg, uint16_t nse)
{
    if (!shares_put(&w->rings, msg, SHARE_NSES + nse))
        return DROP_PUNT_FULL;
    w->stats.punted++;
    return DROP_NONE;
}

static enum drop punt(struct worker *w, struct rte_mbuf *mbuf, uint32_t nsvc)
{
    struct msg msg = {.type = MSG_PUNT, .slot = nsvc, .mbuf = mbuf};
    return hand_to_control(w, &msg, w->context.nsvcs[nsvc].params.nse);
}

static enum drop punt_llc(struct worker *w, const struct incoming *in)
{
    struct msg msg = {.type = MSG_PUNT_LLC,
                      .slot = in->index,
                      .llc = {.from = in->from,
                              .tlli = in->tlli,
                              .sapi = in->llc.sapi,
                              .is_ciphered = in->llc.e,
                              .is_restarted = in->is_restarted},
                      .mbuf = in->mbuf};
    return hand_to_control(w, &msg, in->from.nse);
}

/* Steers a frame of another worker's NS-VC, unchanged; drops one of no NS-VC. */
static enum drop hand_over(struct worker *w, struct rte_mbuf *mbuf, uint32_t nsvc)
{
    if (nsvc == LOOKUP_NONE)
        return DROP_UNKNOWN_NSVC;
    if (!xworker_put(w->xworker, w->number, nsvc - LOOKUP_AT, XWORKER_GB_FRAME, mbuf))
        return DROP_XWORKER_FULL;
    w->stats.gb_steered_out++;
    return DROP_NONE;
}

/* An LLC-PDU of an unknown TLLI: control may know the mobile at another worker. */
static enum drop punt_unknown(struct worker *w, const struct incoming *in)
{
    struct msg msg = {
        .type = MSG_UNKNOWN_TLLI, .nse = in->from.nse, .tlli = in->tlli, .heard = in->from, .mbuf = in->mbuf};
    return w->punts_unknown_tlli ? hand_to_control(w, &msg, in->from.nse) : DROP_UNKNOWN_TLLI;
}

/* --- LLC --- */

/* Reads the LLC header of a frame of a known mobile and adds the frame to the batch. */
static enum drop receive_llc(struct worker *w, struct batch *batch, struct incoming *in,
                             const struct bssgp_ul *ul)
{
    in->ms = &w->context.mobiles[in->index];
    in->is_elsewhere = !context_ms_is_in(&w->context, in->index, in->from.nse, in->from.bvci);
    w->stats.ul_llc_frames++;
    if (llc_decode(&in->llc, in->frame, ul->llc_octets) < 0)
        return DROP_LLC_MALFORMED;
    enum drop reason = in->llc.format == LLC_UI ? gb_rx_llc_prepare(batch, in)
                                                : gb_rx_abm_prepare(w, batch, in, ul->llc_octets);
    batch->count += reason == DROP_NONE;
    return gb_rx_llc_reason(in, reason);
}

/* The UL-UNITDATA behind the octets of NS in the buffer. */
static int read_unitdata(struct incoming *in, struct bssgp_ul *ul)
{
    uint8_t *bytes = rte_pktmbuf_mtod_offset(in->mbuf, uint8_t *, NS_UNITDATA_HEADER_OCTETS);
    size_t octets = rte_pktmbuf_data_len(in->mbuf) - NS_UNITDATA_HEADER_OCTETS;
    int rc = bssgp_ul_unitdata_decode(ul, bytes, octets);
    if (rc < 0)
        return rc;
    in->tlli = ul->tlli;
    memcpy(in->from.cell_id, ul->cell_id, AREA_CELL);
    in->frame = bytes + (ul->llc_pdu - bytes);
    return 0;
}

/* Finds the mobile of an UL-UNITDATA in its NSE. */
static enum drop receive_unitdata(struct worker *w, struct batch *batch, const struct incoming *came)
{
    struct incoming *in = &batch->in[batch->count];
    struct bssgp_ul ul;
    *in = *came;
    if (read_unitdata(in, &ul) < 0)
        return DROP_NS_MALFORMED;
    in->index = u64_map_get(&w->lookup.mobiles, lookup_mobile_key(in->from.nse, ul.tlli));
    return in->index == U64_MAP_NONE ? punt_unknown(w, in) : receive_llc(w, batch, in, &ul);
}

/* The same, of the mobile that control has found: perhaps in another NSE, by its foreign TLLI there. */
static enum drop receive_returned(struct worker *w, struct batch *batch, const struct incoming *came)
{
    struct incoming *in = &batch->in[batch->count];
    struct bssgp_ul ul;
    *in = *came;
    return read_unitdata(in, &ul) < 0 ? DROP_NS_MALFORMED : receive_llc(w, batch, in, &ul);
}

static bool is_signalling(const struct llc *llc)
{
    return llc->format == LLC_UI && (llc->sapi == LLC_SAPI_GMM || llc->sapi == LLC_SAPI_SMS);
}

/* A frame with an empty information field only tells the mobile's cell. */
static bool is_users(const struct llc *llc)
{
    return llc->format == LLC_UI && !is_signalling(llc) && llc->info_octets > 0;
}

/* --- SNDCP --- */

/* Reads the SNDCP header of a UI frame's information, finds the context, and sets the buffer's data to the
 * segment's. A context whose LLC is in acknowledged mode has SN-DATA alone (TS 44.065 clause 6.9). */
static enum drop unwrap_sndcp(struct worker *w, const struct ms *ms, struct rte_mbuf *mbuf,
                              struct sndcp *sndcp, uint32_t *pdp)
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
    cut(mbuf, bytes + header, len - (size_t)header);
    return DROP_NONE;
}

/* Handles a segment, which is the buffer's data: sends the N-PDU if it is complete. Takes ownership. Returns
 * why the N-PDU was dropped, which is counted. */
static enum drop accept_segment(struct worker *w, uint32_t pdp, const struct sndcp *sndcp,
                                struct rte_mbuf *mbuf, bool is_old, int64_t now)
{
    const struct pdp_params *params = &w->context.pdps[pdp].params;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    struct gn_npdu n_pdu = {&mbuf, 1, sndcp->n_pdu_number, sndcp_comp(sndcp), is_old};
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

/* --- acknowledged mode --- */

/* An SN-DATA segment, in sequence, as accept_segment(). An N-PDU that was not restored renews the link. */
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
                            .dcomp = in.dcomp,
                            .pcomp = in.pcomp,
                            .first = in.first,
                            .more = in.more};
    cut(mbuf, bytes + header, len - (size_t)header);
    if (in.first)
        reassembly_forget(&w->reassembly, &w->stats, pdp);
    enum drop reason = accept_segment(w, pdp, &segment, mbuf, sn_fate_is_old(fate), now);
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
        drop_frame(w, mbuf, accept_sn_data(w, l, mbuf, now), now);
    }
}

/* Whether a frame is for a link in acknowledged mode, not for control. */
static bool is_for_link(const struct incoming *in)
{
    return in->link && (in->llc.format != LLC_U || llc_is_of_link(in->llc.command));
}

/* Takes an I, S or U frame whose FCS is right. DROP_NONE: ownership was taken. */
static enum drop take_abm(struct worker *w, const struct incoming *in, int64_t now)
{
    struct gb_abm_link *l = in->link;
    size_t octets = in->llc.header_octets + in->llc.info_octets;
    if (l->ms != in->index) /* an earlier frame of the burst ended it */
        return DROP_LLC_ABM;
    bool is_i = in->llc.format == LLC_I;
    bool is_ahead = is_i && in->abm.sapi != 0 && in->abm.ns != l->link.abm.vr % LLC_NU_MODULUS;
    if ((is_ahead && !gb_abm_may_store(&w->abm)) || (is_i && in->ms->is_held)) /* its numbers were told */
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
        cut(in->mbuf, in->frame + header, octets - header);
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

/* Whether a frame comes from a routeing area that the mobile has not been accepted in (TS 23.060
 * clause 6.9.1.2). */
static bool is_other_area(const struct worker *w, const struct incoming *in)
{
    return in->is_elsewhere && in->ms->stays_in_area &&
           memcmp(w->context.bvcs[in->ms->bvc].area, in->from.cell_id, AREA_ROUTEING) != 0;
}

/* A correct LLC-PDU shows the mobile's cell. From elsewhere without proof, only UI frames are accepted, in
 * which layer 3 may prove more. Control moves a mobile to another routeing area. */
static enum drop hear(struct worker *w, const struct incoming *in, int64_t now)
{
    if (is_other_area(w, in))
        return is_signalling(&in->llc) ? DROP_NONE : DROP_OTHER_AREA;
    if (!in->is_elsewhere || gb_rx_llc_is_proof(in))
        standby_heard(w, in->index, in->tlli, in->from, now);
    else if (in->llc.format != LLC_UI)
        return DROP_MOVE_UNCIPHERED;
    return DROP_NONE;
}

/* Passes a correct LLC-PDU to control, or its segment to reassembly. DROP_NONE: ownership was taken. */
static enum drop deliver(struct worker *w, struct batch *batch, struct incoming *in, int64_t now)
{
    struct sndcp sndcp;
    uint32_t pdp;

    enum drop reason = gb_rx_llc_reason(in, gb_rx_llc_judge(w, batch, in));
    if (reason == DROP_NONE)
        reason = hear(w, in, now);
    if (reason != DROP_NONE)
        return reason;
    if (unlikely(is_for_link(in)))
        return take_abm(w, in, now);
    if (!is_users(&in->llc)) {
        if (llc_is_xid_answer(&in->llc) && in->ms->awaits_reset)
            gb_abm_reset(w, in->index, now);
        cut(in->mbuf, in->frame, in->llc.header_octets + in->llc.info_octets);
        return punt_llc(w, in);
    }
    cut(in->mbuf, in->frame + in->llc.header_octets, in->llc.info_octets);
    reason = unwrap_sndcp(w, in->ms, in->mbuf, &sndcp, &pdp);
    if (reason == DROP_NONE)
        accept_segment(w, pdp, &sndcp, in->mbuf, false, now);
    return reason;
}

/* Whether the NS PDU in a buffer is an UL-UNITDATA, and the BVCI of its cell. */
static bool is_llc(const struct rte_mbuf *mbuf, uint16_t *bvci)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    int offset = ns_unitdata_header_get(bvci, bytes, rte_pktmbuf_data_len(mbuf));
    return offset >= 0 && rte_pktmbuf_data_len(mbuf) > offset && bytes[offset] == BSSGP_UL_UNITDATA;
}

static void gb_rx_finish(struct worker *w, struct batch *batch, int64_t now)
{
    cipher_run(&batch->cipher, w->gea);
    for (unsigned i = 0; i < batch->count; i++)
        drop_frame(w, batch->in[i].mbuf, deliver(w, batch, &batch->in[i], now), now);
    batch->count = batch->has_guessed = 0;
}

/* Handles a received frame; an LLC-PDU is added to the batch for gb_rx_finish(). */
static enum drop receive(struct worker *w, struct batch *batch, struct rte_mbuf *mbuf, bool is_steered,
                         int64_t now)
{
    struct incoming in = {.mbuf = mbuf};
    uint32_t nsvc = LOOKUP_NONE;
    enum drop reason = gb_transport_unwrap(w, mbuf, &nsvc);
    if (unlikely(reason != DROP_NONE))
        return reason == DROP_UNKNOWN_NSVC && !is_steered ? hand_over(w, mbuf, nsvc) : reason;
    in.from.nse = w->context.nsvcs[nsvc].params.nse;
    if (is_llc(mbuf, &in.from.bvci) && w->context.nsvcs[nsvc].usable)
        return receive_unitdata(w, batch, &in);
    gb_rx_finish(w, batch, now); /* signalling does not overtake LLC-PDUs */
    return punt(w, mbuf, nsvc);
}

static void receive_all(struct worker *w, struct rte_mbuf *const *frames, unsigned count, bool is_steered,
                        int64_t now)
{
    struct batch batch;
    batch.count = batch.cipher.count = batch.has_guessed = 0;
    for (unsigned i = 0; i < count; i++)
        drop_frame(w, frames[i], receive(w, &batch, frames[i], is_steered, now), now);
    gb_rx_finish(w, &batch, now);
}

unsigned gb_rx_receive(struct worker *w, int64_t now)
{
    struct rte_mbuf *frames[WORKER_BURST];
    unsigned count = port_receive(&w->gb, frames);
    w->stats.gb_frames += count;
    if (unlikely(port_must_sift(&w->gb)))
        count = port_sift(&w->gb, frames, count, &w->stats.gb_drops[DROP_FRAME_TOO_LONG],
                          &w->stats.gb_drops[DROP_OTHER_VLAN]);
    tap_burst_put(w->tap, frames, count, TAP_UP, now);
    receive_all(w, frames, count, false, now);
    return count;
}

void gb_rx_take_steered(struct worker *w, struct rte_mbuf *const *frames, unsigned count, int64_t now)
{
    w->stats.gb_steered_in += count;
    if (count > 0)
        receive_all(w, frames, count, true, now);
}

/* A frame that control has had, because its mobile was not known in the NSE where it came in. */
int gb_rx_return(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct incoming in = {.mbuf = msg->mbuf, .index = index, .from.nse = msg->nse};
    struct batch batch;
    batch.count = batch.cipher.count = batch.has_guessed = 0;
    w->stats.gb_returned++;
    enum drop reason =
        is_llc(msg->mbuf, &in.from.bvci) ? receive_returned(w, &batch, &in) : DROP_NS_MALFORMED;
    drop_frame(w, msg->mbuf, reason, now);
    gb_rx_finish(w, &batch, now);
    return 0;
}
