/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders to send on Gb: LLC-PDUs of control: frames that go before all users' packets, or that control gets
 * back for another cell.
 */
#include "dataplane/worker/gb_tx_frame.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/ms.h"
#include "dataplane/worker/msg.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/worker/fate.h"
#include "dataplane/worker/signalling.h"

#define QOS_SIGNALLING                                                                                       \
    0x20 /* as gb_tx_frame_qos(): not an LLC ACK, signalling, acknowledged, high precedence */

/* Octets of an order's LLC-PDU; 0: the order is invalid. */
static uint16_t order_octets(const struct msg *msg)
{
    bool is_ui = msg->type == MSG_LLC_UI;
    uint32_t octets = rte_pktmbuf_data_len(msg->mbuf) + (is_ui ? LLC_UI_OCTETS : 0);
    if (is_ui && ms_sapi_index(msg->llc.sapi) < 0)
        return 0;
    return octets > LLC_UI_OCTETS + SNDCP_N201_U_MAX_OCTETS ? 0 : (uint16_t)(octets + LLC_FCS_OCTETS);
}

/* Makes the LLC-PDU of an order, with FCS and ciphering. */
static void put_order(const struct worker *w, struct ms *ms, const struct msg *msg, struct gb_tx_out *out)
{
    uint8_t *bytes = rte_pktmbuf_mtod(msg->mbuf, uint8_t *);
    uint16_t octets = rte_pktmbuf_data_len(msg->mbuf);

    if (msg->type == MSG_LLC_FRAME) {
        out->llc = bytes;
        llc_fcs_put(bytes + octets, llc_fcs(bytes, octets));
        return;
    }
    gb_tx_frame_llc(out, ms, msg->llc.sapi, msg->llc.is_ciphered, bytes);
    gb_tx_frame_fcs(out);
    if (out->key) {
        struct gea_job job = gb_tx_frame_job(out);
        gea_cipher_burst(w->gea, &job, 1);
    }
}

/* Headers under the TLLI of an order, which the mobile may not have any more, or under its own. */
static uint8_t *put_bssgp(const struct worker *w, struct ms *ms, const struct msg *msg,
                          const struct gb_tx_out *out, uint8_t qos)
{
    const uint32_t own = ms->tlli;
    const bool tells_old = ms->tells_tlli_old;
    if (msg->type == MSG_LLC_UI && msg->llc.tlli != 0) {
        ms->tlli = msg->llc.tlli;
        ms->tells_tlli_old = false;
    }
    uint8_t *ns = gb_tx_frame_bssgp(w, ms, out, qos, lifetime_pdu_cs(&w->context.lifetime, 0));
    ms->tlli = own;
    ms->tells_tlli_old = tells_old;
    return ns;
}

/* The mobile that an order is to, if its cell can be sent to. */
static struct ms *reach(struct worker *w, uint32_t index, struct gb_tx_out *out)
{
    struct context *c = &w->context;
    struct ms *ms = &c->mobiles[index];
    const struct gb_bvc *bvc = &c->bvcs[ms->bvc];
    int nsvc = bvc->unblocked && bvc->flow_known ? context_nsvc_for(c, bvc, index) : -1;
    out->nsvc = &c->nsvcs[nsvc < 0 ? 0 : nsvc];
    return nsvc < 0 ? NULL : ms;
}

/* Hands the frame of an order to control as the NS PDU for another cell than the mobile's. No bucket counts
 * it: control has few of them (lua/gmm/admission.lua). */
static int send_apart(struct worker *w, uint32_t index, const struct msg *msg, struct gb_tx_out *out)
{
    struct ms *ms = &w->context.mobiles[index];
    if (!pool_make_room(msg->mbuf, gb_tx_frame_room(w, ms)))
        return -1;
    put_order(w, ms, msg, out);
    uint8_t *ns = put_bssgp(w, ms, msg, out, QOS_SIGNALLING);
    ns_unitdata_header_put(ns, msg->llc.from.bvci);
    msg->mbuf->data_off = (uint16_t)(ns - (uint8_t *)msg->mbuf->buf_addr);
    msg->mbuf->data_len = (uint16_t)(out->llc + out->grant->next.llc_octets - ns);
    msg->mbuf->pkt_len = msg->mbuf->data_len;
    struct msg news = {
        .type = MSG_APART, .nse = msg->llc.from.nse, .slot = msg->llc.from.bvci, .mbuf = msg->mbuf};
    return msg_put(w->rings.to_control, &news) ? 0 : -1;
}

/*
 * An LLC-PDU goes before all users' packets; takes the buffer over. -1: no such SAPI, too long, no room
 * around it, its cell cannot be sent to, or too much signalling before it is still in the mobile's or the
 * cell's bucket, which count it, too.
 */
int gb_tx_orders_send(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    uint16_t octets = order_octets(msg);
    const struct sched_grant grant = {.next.llc_octets = octets};
    struct gb_tx_out out = {.grant = &grant, .mbuf = msg->mbuf};
    struct context *c = &w->context;

    if (octets > 0 && msg->type == MSG_LLC_UI && msg->llc.from.bvci != 0) {
        if (send_apart(w, index, msg, &out) == 0)
            return 0;
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    struct ms *ms = reach(w, index, &out);
    if (!ms || octets == 0 || !context_ms_can_signal(c, ms, octets, now) ||
        !pool_make_room(msg->mbuf, gb_tx_frame_room(w, ms))) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    put_order(w, ms, msg, &out);
    uint8_t qos =
        msg->llc.sapi == LLC_SAPI_SMS ? gb_tx_frame_qos(QCLASS_SMS, out.is_protected) : QOS_SIGNALLING;
    gb_tx_frame_transport(&out, put_bssgp(w, ms, msg, &out, qos));
    gb_tx_frame_sum(&out, gb_tx_frame_leaves_sums(w));
    uint32_t ns_octets = rte_pktmbuf_data_len(out.mbuf) - out.nsvc->header_octets;
    if (signalling_send(w, &c->nses[c->bvcs[ms->bvc].nse], out.mbuf, ns_octets, now) < 0)
        return -1;
    context_ms_signal(ms, octets, now);
    w->stats.llc_orders++;
    return 0;
}
