/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/links/links.h"
#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/links/neighbour.h"

#include "control/sessions/node.h"
#include "control/links/destinations.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- ends of tunnels --- */

static bool far_end(const struct links_side *side, const struct links_way *way, struct neighbour_ip *end)
{
    const struct links_tunnels *tunnels = &side->links->tunnels;
    return tunnels->far_end && neighbour_ip_is_v4(&way->local) == neighbour_ip_is_v4(&way->remote) &&
           tunnels->far_end(tunnels->arg, side->port, way, end);
}

/* --- next hops for workers --- */

/* An address of either IP version, base/address.h, as a neighbour's. */
static struct neighbour_ip neighbour_of(const struct links *links, uint32_t ip)
{
    const struct address_book *book = &links->node->core.addresses;
    return address_is_ipv6(ip) ? neighbour_ip_v6(book->list[address_place(ip)]) : neighbour_ip_v4(ip);
}

static struct neighbour_ip hop_towards(const struct links_side *side, const struct neighbour_ip *dst)
{
    return neighbour_ip_hop(side->config->routes, side->config->route_count, dst);
}

/* On Gn. A destination has one next hop: if only some packets leave by a tunnel, that of the tunnel. */
static struct neighbour_ip hop_to(const struct links_side *side, uint32_t ip)
{
    static const uint16_t ports[] = {GTPU_PORT, GTPC_PORT};
    const struct neighbour *n = &side->neighbours;
    struct neighbour_ip dst = neighbour_of(side->links, ip), end;
    for (unsigned k = 0; k < sizeof(ports) / sizeof(ports[0]); k++)
        for (unsigned i = 0; i < n->address_count; i++) {
            const struct links_way way = {n->addresses[i], dst, ports[k], ports[k]};
            if (far_end(side, &way, &end))
                return hop_towards(side, &end);
        }
    return hop_towards(side, &dst);
}

static struct neighbour_ip hop_of_nsvc(const struct links_side *side, const struct node_config_nsvc *nsvc)
{
    const struct links_way way = {neighbour_of(side->links, nsvc->own_address),
                                  neighbour_of(side->links, nsvc->address), nsvc->own_port, nsvc->udp_port};
    struct neighbour_ip end;
    return hop_towards(side, far_end(side, &way, &end) ? &end : &way.remote);
}

/* Whether the next hop of an NS-VC must be resolved. */
static bool is_sought(const struct node_config_nsvc *nsvc)
{
    return !nsvc->is_absent && !nsvc->has_mac;
}

static void tell_nsvcs(struct links_side *side, const struct neighbour_entry *entry)
{
    struct core *core = &side->links->node->core;
    const struct node_config *config = core->config;
    for (uint32_t i = 0; i < config->nsvc_count; i++) {
        if (!is_sought(&config->nsvcs[i]))
            continue;
        struct neighbour_ip hop = hop_of_nsvc(side, &config->nsvcs[i]);
        if (!neighbour_ip_is_same(&hop, &entry->ip))
            continue;
        struct msg msg = {.type = MSG_NSVC_MAC, .slot = i};
        memcpy(msg.mac, entry->mac, sizeof(msg.mac));
        core_order(core, &msg);
    }
}

static void tell_destination(struct links *links, uint32_t ip, const uint8_t mac[6])
{
    struct msg msg = {.type = MSG_GN_HOP, .hop = {.ip = ip}};
    memcpy(msg.hop.mac, mac, sizeof(msg.hop.mac));
    core_order(&links->node->core, &msg);
}

static void tell_destinations(struct links_side *side, const struct neighbour_entry *entry)
{
    struct destinations *d = &side->links->destinations;
    for (uint32_t i = 0; i < d->count; i++)
        if (neighbour_ip_is_same(&d->list[i].hop, &entry->ip)) {
            d->list[i].has_mac = true;
            tell_destination(side->links, d->list[i].ip, entry->mac);
        }
}

static void on_news(void *arg, const struct neighbour_entry *entry)
{
    struct links_side *side = arg;
    if (!entry->has_mac || entry->state == NEIGHBOUR_SILENT)
        return;
    if (side->port == MSG_PORT_GB)
        tell_nsvcs(side, entry);
    else
        tell_destinations(side, entry);
}

static void send_frame(void *arg, const uint8_t *frame, size_t octets)
{
    struct links_side *side = arg;
    core_link_send_frame(&side->links->node->core, side->sender, side->port, frame, octets);
}

void links_announce(struct links *links, enum msg_port port)
{
    struct links_side *side = &links->sides[port];
    for (side->sender = 0; side->sender < links->node->worker_count; side->sender++)
        neighbour_announce(&side->neighbours);
    side->sender = 0;
}

/* --- addresses to resolve --- */

static bool is_hop_used(const struct destinations *d, const struct neighbour_ip *hop)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (neighbour_ip_is_same(&d->list[i].hop, hop))
            return true;
    return false;
}

/* Workers forget the destination; the neighbour is requested no longer if it is no other's next hop. */
static void forget(struct links *links, struct destination *destination)
{
    struct neighbour_ip hop = destination->hop;
    struct msg msg = {.type = MSG_GN_HOP, .hop = {.ip = destination->ip, .is_gone = true}};
    if (destination->has_mac)
        core_order(&links->node->core, &msg);
    destinations_del(&links->destinations, destination);
    if (!is_hop_used(&links->destinations, &hop))
        neighbour_forget(&links->sides[MSG_PORT_GN].neighbours, &hop);
}

/* Resolves the next hop of an address on Gn, as long as it is in use. */
static void links_want(struct links *links, uint32_t ip, enum destination_kind kind)
{
    struct links_side *side = &links->sides[MSG_PORT_GN];
    struct destinations *d = &links->destinations;
    struct neighbour_ip octets = neighbour_of(links, ip);
    if (destinations_use(d, ip, kind, links->now) || !destinations_may_add(d, &octets, kind, links->now))
        return;
    struct destination *displaced = destinations_displaced(d, kind);
    if (displaced)
        forget(links, displaced);
    struct destination *added = destinations_add(d, &(struct destination){.ip = ip,
                                                                          .kind = kind,
                                                                          .began_at_ns = links->now,
                                                                          .used_at_ns = links->now,
                                                                          .hop = hop_to(side, ip)});
    if (!added)
        return;
    const struct neighbour_entry *entry = neighbour_want(&side->neighbours, &added->hop, links->now);
    added->has_mac = entry && entry->has_mac;
    if (added->has_mac)
        tell_destination(links, ip, entry->mac);
}

/* Returns the next deadline. */
static int64_t age(struct links *links, int64_t now)
{
    struct destinations *d = &links->destinations;
    if (links->age_ns > now)
        return d->count ? links->age_ns : MOMENT_NEVER;
    links->age_ns = now + MOMENT_SECOND;
    for (uint32_t i = d->count; i-- > 0;)
        if (destinations_is_old(&d->list[i], now))
            forget(links, &d->list[i]);
    return d->count ? links->age_ns : MOMENT_NEVER;
}

static void want_nsvc(struct links *links, uint32_t index)
{
    struct links_side *side = &links->sides[MSG_PORT_GB];
    const struct node_config_nsvc *nsvc = &links->node->config.nsvcs[index];
    if (!is_sought(nsvc))
        return;
    struct neighbour_ip hop = hop_of_nsvc(side, nsvc);
    const struct neighbour_entry *entry = neighbour_want(&side->neighbours, &hop, links->now);
    if (entry && entry->has_mac)
        on_news(side, entry);
}

void links_want_nsvcs(struct links *links)
{
    for (uint32_t i = 0; i < links->node->config.nsvc_count; i++)
        want_nsvc(links, i);
}

static void add_own_ip(struct links *links, enum msg_port port, const struct neighbour_ip *own)
{
    if (!neighbour_add_own(&links->sides[port].neighbours, own))
        fprintf(stderr,
                "gbflow: too many local addresses on a link: at most %d; the others are not answered for\n",
                NEIGHBOUR_ADDRESSES);
}

static void add_own(struct links *links, enum msg_port port, uint32_t ip)
{
    struct neighbour_ip own = neighbour_of(links, ip);
    add_own_ip(links, port, &own);
}

/* --- tunnels --- */

/* Answers for their near ends. Returns whether one is new. */
static bool add_ends(struct links *links, enum msg_port port)
{
    struct links_side *side = &links->sides[port];
    const struct links_tunnels *tunnels = &links->tunnels;
    struct neighbour_ip ends[NEIGHBOUR_ADDRESSES];
    unsigned count =
        tunnels->near_ends ? tunnels->near_ends(tunnels->arg, port, ends, NEIGHBOUR_ADDRESSES) : 0;
    unsigned before = side->neighbours.address_count;
    for (unsigned i = 0; i < count; i++)
        add_own_ip(links, port, &ends[i]);
    return side->neighbours.address_count > before;
}

/* Workers keep the MAC address of the former hop until the new one is known. */
static void change_hop(struct links *links, struct destination *destination)
{
    struct links_side *side = &links->sides[MSG_PORT_GN];
    struct neighbour_ip former = destination->hop, hop = hop_to(side, destination->ip);
    if (neighbour_ip_is_same(&former, &hop))
        return;
    destination->hop = hop;
    if (!is_hop_used(&links->destinations, &former))
        neighbour_forget(&side->neighbours, &former);
    const struct neighbour_entry *entry = neighbour_want(&side->neighbours, &hop, links->now);
    if (entry && entry->has_mac)
        on_news(side, entry);
}

void links_follow(struct links *links, int64_t now)
{
    links->now = now;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        if (add_ends(links, port))
            neighbour_announce(&links->sides[port].neighbours);
    for (uint32_t i = 0; i < links->destinations.count; i++)
        change_hop(links, &links->destinations.list[i]);
    links_want_nsvcs(links);
}

/* --- callbacks of the core --- */

static void on_frame(void *arg, unsigned port, const uint8_t *frame, size_t octets)
{
    struct links *links = arg;
    neighbour_receive(&links->sides[port].neighbours, frame, octets, links->node->core.now);
}

static void on_hop_wanted(void *arg, const struct msg_hop *hop)
{
    struct links *links = arg;
    links->now = links->node->core.now;
    links_want(links, hop->ip, hop->is_answer ? DESTINATION_ANSWER : DESTINATION_USED);
}

/* The NS-VC's local address may be new on this link. */
static void on_nsvc(void *arg, uint32_t index)
{
    struct links *links = arg;
    links->now = links->node->core.now;
    add_own(links, MSG_PORT_GB, links->node->config.nsvcs[index].own_address);
    want_nsvc(links, index);
}

/* --- set-up --- */

static void init_side(struct links *links, enum msg_port port, const struct live_config_port *config,
                      const uint8_t mac[6])
{
    struct links_side *side = &links->sides[port];
    *side = (struct links_side){.links = links, .port = port, .config = config};
    struct neighbour_ops ops = {.arg = side, .send = send_frame, .tell = on_news};
    neighbour_init(&side->neighbours, mac, &ops);
    for (uint32_t i = 0; i < config->neighbour_count; i++)
        neighbour_set(&side->neighbours, &config->neighbours[i].ip, config->neighbours[i].mac);
}

static void add_addresses(struct links *links)
{
    const struct node_config *config = &links->node->config;
    add_own(links, MSG_PORT_GB, config->gb.address);
    for (uint32_t i = 0; i < config->live.address_count; i++)
        add_own(links, MSG_PORT_GN, config->live.addresses[i]);
}

void links_add_context(struct links *links, const struct node_config *config,
                       const struct node_config_context *context)
{
    struct core *core = &links->node->core;
    add_own(links, MSG_PORT_GN, core_address_of(core, config, context->sgsn_address));
    if (!links->node->config.live.has_gn_peer_mac)
        links_want(links, core_address_of(core, config, context->ggsn_address), DESTINATION_CONFIGURED);
}

void links_add_own(struct links *links, uint32_t ip)
{
    add_own(links, MSG_PORT_GN, ip);
    neighbour_announce(&links->sides[MSG_PORT_GN].neighbours);
}

void links_init(struct links *links, struct node *node, const struct links_tunnels *tunnels, int64_t now)
{
    const struct node_config *config = &node->config;
    *links = (struct links){.node = node, .tunnels = *tunnels, .now = now};
    destinations_init(&links->destinations);
    init_side(links, MSG_PORT_GN, &config->live.gn, config->gn.mac);
    init_side(links, MSG_PORT_GB, &config->live.gb, config->gb.mac);
    add_addresses(links);
    for (unsigned port = 0; port < MSG_PORTS; port++)
        add_ends(links, port);
    node->core.neighbours = (struct core_neighbours){
        .arg = links, .on_frame = on_frame, .on_hop_wanted = on_hop_wanted, .on_nsvc = on_nsvc};
    for (uint32_t i = 0; i < config->context_count; i++)
        links_add_context(links, config, &config->contexts[i]);
    for (unsigned port = 0; port < MSG_PORTS; port++)
        neighbour_announce(&links->sides[port].neighbours);
    links_want_nsvcs(links);
}

int64_t links_step(struct links *links, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    links->now = now;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        next_ns = moment_min(next_ns, neighbour_step(&links->sides[port].neighbours, now));
    return moment_min(next_ns, age(links, now));
}
