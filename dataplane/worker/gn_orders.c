/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about addresses, next hops and tunnels of other workers on Gn. */
#include "dataplane/worker/worker.h"

int gn_orders_address(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_address *address = &msg->address;
    if (address->is_there)
        return lookup_address_add(&w->lookup.gn, address->ip);
    if (!lookup_is_ours(&w->lookup, address->ip))
        return -1;
    lookup_address_del(&w->lookup.gn, address->ip);
    return 0;
}

int gn_orders_ipv6(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return addresses_put(&w->lookup.ipv6, msg->ipv6.place, msg->ipv6.octets);
}

int gn_orders_hop(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (!msg->hop.is_gone)
        return hops_set(&w->hops, msg->hop.ip, msg->hop.mac);
    hops_del(&w->hops, msg->hop.ip);
    return 0;
}

int gn_orders_tunnel_at(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_tunnel *tunnel = &msg->tunnel;
    struct table_key key = lookup_tunnel_key(tunnel->sgsn_ip, tunnel->teid);
    uint32_t at = TUNNELS_AT + tunnel->worker;
    if (tunnel->worker >= w->tunnels.workers || tunnel->worker == w->number)
        return -1;
    if (tunnel->is_there)
        return tunnels_add(&w->tunnels, &key, at);
    if (table_get(w->tunnels.foreign, &key) != at)
        return -1;
    tunnels_del(&w->tunnels, &key, at);
    return 0;
}
