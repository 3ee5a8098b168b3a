/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders to send what control made, except LLC-PDUs (gb_tx_order.c), and to copy frames. Each takes the
 * buffer over. */
#include "dataplane/wire/gtpc.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/wire/gtpc_port.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

/* Frames an NS PDU and sends it when the NSE's link lets it. -1: no such NS-VC, its next hop is not known, or
 * no room. */
int send_orders_ns_pdu(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct rte_mbuf *mbuf = msg->mbuf;
    struct gb_nsvc *nsvc = index < w->context.limits.nsvcs ? &w->context.nsvcs[index] : NULL;
    uint16_t octets = rte_pktmbuf_data_len(mbuf);
    uint8_t *frame = NULL;

    if (nsvc && nsvc->in_use && !nsvc->params.needs_mac && port_room(&w->gb) > 0)
        frame = (uint8_t *)rte_pktmbuf_prepend(mbuf, nsvc->header_octets);
    if (!frame) {
        rte_pktmbuf_free(mbuf);
        return -1;
    }
    gb_transport_put(nsvc, frame + nsvc->header_octets, octets);
    if (nsvc->is_ipv6)
        gb_transport_sum(frame, rte_pktmbuf_data_len(mbuf));
    return signalling_send(w, &w->context.nses[nsvc->params.nse], mbuf, octets, now);
}

/* The port of an answer is GTP-C's, that of a request its own. */
static uint16_t source_port(const struct worker *w, const struct msg *msg)
{
    int seq = gtpc_request_seq(rte_pktmbuf_mtod(msg->mbuf, const uint8_t *), rte_pktmbuf_data_len(msg->mbuf));
    return seq < 0 ? GTPC_PORT : gtpc_port_of(&w->gtpc.key, msg->datagram.theirs, (uint16_t)seq);
}

/* -1: no next hop, or no room. */
int send_orders_datagram(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_datagram *datagram = &msg->datagram;
    struct gn_way way = {.src_ip = datagram->ours,
                         .dst_ip = datagram->theirs,
                         .src_port = source_port(w, msg),
                         .dst_port = datagram->port,
                         .is_answer = datagram->is_answer};
    return gn_tx_send(w, msg->mbuf, &way, now) == DROP_NONE ? 0 : -1;
}

/* -1: no such port, or no room. */
int send_orders_frame(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct port *port = msg->port == MSG_PORT_GN ? &w->gn : &w->gb;
    if (msg->port >= MSG_PORTS || port_room(port) == 0) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    port_send(port, msg->mbuf);
    return 0;
}

int send_orders_tap(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->tap = msg->tap;
    return 0;
}
