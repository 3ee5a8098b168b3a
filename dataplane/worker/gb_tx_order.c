/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC-PDUs from control to mobiles. */
#include "dataplane/worker/gb_tx_frame.h"

#define QOS_SIGNALLING                                                                                       \
    0x20 /* as gb_tx_frame_qos(): not an LLC ACK, signalling, acknowledged, high precedence */

/* Octets of an order's LLC-PDU; 0: the order is invalid. */
static uint16_t order_octets(const struct msg *msg)
{
    uint32_t octets = rte_pktmbuf_data_len(msg->mbuf);
    bool is_ui = msg->type == MSG_LLC_UI;
    if (is_ui && ms_sapi_index(msg->llc.sapi) < 0)
        return 0;
    octets += is_ui ? LLC_UI_OCTETS : 0;
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

/*
 * An LLC-PDU goes before all users' packets; takes the buffer over. -1: no such SAPI, too long, no room
 * around it, its cell cannot be sent to, or too much signalling before it is still in the mobile's or the
 * cell's bucket, which count it, too.
 */
int gb_tx_send_order(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    uint16_t octets = order_octets(msg);
    const struct sched_grant grant = {.next.llc_octets = octets};
    struct gb_tx_out out = {.grant = &grant, .mbuf = msg->mbuf};
    struct context *c = &w->context;
    struct ms *ms = reach(w, index, &out);

    if (!ms || octets == 0 || !context_ms_can_signal(c, ms, octets, now) ||
        !pool_make_room(msg->mbuf, gb_tx_frame_room(w, ms))) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    put_order(w, ms, msg, &out);
    gb_tx_frame_transport(&out,
                          gb_tx_frame_bssgp(w, ms, &out, QOS_SIGNALLING, lifetime_pdu_cs(&c->lifetime, 0)));
    gb_tx_frame_sum(&out);
    uint32_t ns_octets = rte_pktmbuf_data_len(out.mbuf) - out.nsvc->header_octets;
    if (signalling_send(w, &c->nses[c->bvcs[ms->bvc].nse], out.mbuf, ns_octets, now) < 0)
        return -1;
    context_ms_signal(ms, octets, now);
    w->stats.llc_orders++;
    return 0;
}
