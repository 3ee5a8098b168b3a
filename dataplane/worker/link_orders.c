/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/link_orders.h"

#include "dataplane/wire/gtpc.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <string.h>

static int set_nsvc_mac(struct worker *w, const struct msg *msg)
{
    struct gb_nsvc *nsvc = msg->slot < w->context.limits.nsvcs ? &w->context.nsvcs[msg->slot] : NULL;
    if (!nsvc || !nsvc->in_use)
        return -1;
    memcpy(nsvc->params.remote_mac, msg->mac, sizeof(nsvc->params.remote_mac));
    memcpy(nsvc->header, msg->mac, sizeof(msg->mac)); /* the template begins with it */
    nsvc->params.needs_mac = false;
    return 0;
}

static int send_frame(struct worker *w, const struct msg *msg)
{
    struct port *port = msg->port == MSG_PORT_GN ? &w->gn : &w->gb;
    if (msg->port >= MSG_PORTS || port_room(port) == 0) {
        rte_pktmbuf_free(msg->mbuf);
        return -1;
    }
    port_send(port, msg->mbuf);
    return 0;
}

static int send_datagram(struct worker *w, const struct msg *msg, int64_t now)
{
    const struct msg_datagram *datagram = &msg->datagram;
    struct gn_way way = {.src_ip = datagram->ours,
                         .dst_ip = datagram->theirs,
                         .src_port = GTPC_PORT,
                         .dst_port = datagram->port};
    return gn_tx_send(w, msg->mbuf, &way, now) == DROP_NONE ? 0 : -1;
}

int link_orders_apply(struct worker *w, const struct msg *msg, int64_t now)
{
    switch (msg->type) {
    case MSG_NSVC_MAC:
        return set_nsvc_mac(w, msg);
    case MSG_GN_HOP:
        return hops_set(&w->hops, msg->hop.ip, msg->hop.mac);
    case MSG_SEND_FRAME:
        return send_frame(w, msg);
    case MSG_TAP:
        w->tap = msg->tap;
        return 0;
    case MSG_GN_SEND:
        return send_datagram(w, msg, now);
    default:
        return -1;
    }
}
