/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames received from the BSS: UL-UNITDATA becomes LLC-PDUs in batches, everything else goes to control.
 * Exits: DROP_FRAME_TOO_LONG, DROP_OTHER_MAC, DROP_OTHER_VLAN, DROP_XWORKER_FULL, DROP_NS_MALFORMED,
 * DROP_UNKNOWN_NSVC, DROP_PUNT_FULL, DROP_UNKNOWN_TLLI.
 */
#include "dataplane/worker/gb_rx.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_rx_abm.h"
#include "dataplane/worker/gb_rx_llc.h"
#include "dataplane/worker/gb_rx_sndcp.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/tap.h"

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ns.h"

#include <string.h>

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

static enum drop punt_llc(struct worker *w, const struct gb_rx_llc *in)
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
static enum drop punt_unknown(struct worker *w, const struct gb_rx_llc *in)
{
    struct msg msg = {
        .type = MSG_UNKNOWN_TLLI, .nse = in->from.nse, .tlli = in->tlli, .heard = in->from, .mbuf = in->mbuf};
    return w->punts_unknown_tlli ? hand_to_control(w, &msg, in->from.nse) : DROP_UNKNOWN_TLLI;
}

/* The UL-UNITDATA behind the octets of NS in the buffer. */
static int read_unitdata(struct gb_rx_llc *in, struct bssgp_ul *ul)
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

/* An UL-UNITDATA of the mobile that control has found: perhaps in another NSE, by its foreign TLLI there. */
static enum drop receive_returned(struct worker *w, struct gb_rx_batch *batch, const struct gb_rx_llc *came)
{
    struct gb_rx_llc *in = &batch->in[batch->count];
    struct bssgp_ul ul;
    *in = *came;
    return read_unitdata(in, &ul) < 0 ? DROP_NS_MALFORMED : gb_rx_llc_add(w, batch, in, ul.llc_octets);
}

/* A frame with an empty information field only tells the mobile's cell. */
static bool is_users(const struct llc *llc)
{
    return llc->format == LLC_UI && !gb_rx_llc_is_signalling(llc) && llc->info_octets > 0;
}

/* Passes a correct LLC-PDU to control, or its segment to reassembly. DROP_NONE: ownership was taken. */
static enum drop deliver(struct worker *w, struct gb_rx_batch *batch, struct gb_rx_llc *in, int64_t now)
{
    enum drop reason = gb_rx_llc_judge(w, batch, in, now);
    if (reason != DROP_NONE)
        return reason;
    if (unlikely(gb_rx_abm_has(in)))
        return gb_rx_abm_take(w, in, now);
    if (is_users(&in->llc))
        return gb_rx_sndcp_take(w, in, now);
    if (llc_is_xid_answer(&in->llc) && in->ms->awaits_reset)
        gb_abm_reset(w, in->index, now);
    gb_rx_llc_cut(in->mbuf, in->frame, in->llc.header_octets + in->llc.info_octets);
    return punt_llc(w, in);
}

/* Whether the NS PDU in a buffer is an UL-UNITDATA, and the BVCI of its cell. */
static bool is_llc(const struct rte_mbuf *mbuf, uint16_t *bvci)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    int offset = ns_unitdata_header_get(bvci, bytes, rte_pktmbuf_data_len(mbuf));
    return offset >= 0 && rte_pktmbuf_data_len(mbuf) > offset && bytes[offset] == BSSGP_UL_UNITDATA;
}

static void gb_rx_finish(struct worker *w, struct gb_rx_batch *batch, int64_t now)
{
    cipher_run(&batch->cipher, w->gea);
    for (unsigned i = 0; i < batch->count; i++)
        gb_rx_llc_drop(w, batch->in[i].mbuf, deliver(w, batch, &batch->in[i], now), now);
    batch->count = batch->has_guessed = 0;
}

/* Finds the mobile of an UL-UNITDATA in its NSE. A frame of an unknown TLLI does not overtake those before
 * it: a phone that has left may attach again at once. */
static enum drop receive_unitdata(struct worker *w, struct gb_rx_batch *batch, const struct gb_rx_llc *came,
                                  int64_t now)
{
    struct gb_rx_llc *in = &batch->in[batch->count];
    struct bssgp_ul ul;
    *in = *came;
    if (read_unitdata(in, &ul) < 0)
        return DROP_NS_MALFORMED;
    in->index = u64_map_get(&w->lookup.mobiles, lookup_mobile_key(in->from.nse, ul.tlli));
    if (in->index != U64_MAP_NONE)
        return gb_rx_llc_add(w, batch, in, ul.llc_octets);
    const struct gb_rx_llc unknown = *in;
    gb_rx_finish(w, batch, now);
    return punt_unknown(w, &unknown);
}

/* Handles a received frame; an LLC-PDU is added to the batch for gb_rx_finish(). */
static enum drop receive(struct worker *w, struct gb_rx_batch *batch, struct rte_mbuf *mbuf, bool is_steered,
                         int64_t now)
{
    struct gb_rx_llc in = {.mbuf = mbuf};
    uint32_t nsvc = LOOKUP_NONE;
    enum drop reason = gb_transport_unwrap(w, mbuf, &nsvc);
    if (unlikely(reason != DROP_NONE))
        return reason == DROP_UNKNOWN_NSVC && !is_steered ? hand_over(w, mbuf, nsvc) : reason;
    in.from.nse = w->context.nsvcs[nsvc].params.nse;
    if (is_llc(mbuf, &in.from.bvci) && w->context.nsvcs[nsvc].usable)
        return receive_unitdata(w, batch, &in, now);
    gb_rx_finish(w, batch, now); /* signalling does not overtake LLC-PDUs */
    return punt(w, mbuf, nsvc);
}

static void receive_all(struct worker *w, struct rte_mbuf *const *frames, unsigned count, bool is_steered,
                        int64_t now)
{
    struct gb_rx_batch batch;
    batch.count = batch.cipher.count = batch.has_guessed = 0;
    for (unsigned i = 0; i < count; i++)
        gb_rx_llc_drop(w, frames[i], receive(w, &batch, frames[i], is_steered, now), now);
    gb_rx_finish(w, &batch, now);
}

unsigned gb_rx_receive(struct worker *w, int64_t now)
{
    struct rte_mbuf *frames[WORKER_BURST];
    unsigned count = port_receive(&w->gb, frames);
    w->stats.gb_frames += count;
    if (unlikely(port_must_sift(&w->gb)))
        count = port_sift(&w->gb, frames, count,
                          &(const struct port_sifted){&w->stats.gb_drops[DROP_FRAME_TOO_LONG],
                                                      &w->stats.gb_drops[DROP_OTHER_VLAN],
                                                      &w->stats.gb_drops[DROP_OTHER_MAC]});
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
    struct gb_rx_llc in = {.mbuf = msg->mbuf, .index = index, .from.nse = msg->nse};
    struct gb_rx_batch batch;
    batch.count = batch.cipher.count = batch.has_guessed = 0;
    w->stats.gb_returned++;
    enum drop reason =
        is_llc(msg->mbuf, &in.from.bvci) ? receive_returned(w, &batch, &in) : DROP_NS_MALFORMED;
    gb_rx_llc_drop(w, msg->mbuf, reason, now);
    gb_rx_finish(w, &batch, now);
    return 0;
}
