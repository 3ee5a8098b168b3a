/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/links.h"
#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_link.h"
#include "control/live/neighbour.h"

#include "control/sessions/node.h"
#include "control/live/destinations.h"
#include "dataplane/base/moment.h"
#include "dataplane/esp/fit.h"
#include "dataplane/esp/sa.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- ends of ESP's tunnels --- */

/* UDP packets from one end to the other, of one IP version. */
struct way {
    struct neighbour_ip local, remote;
    uint16_t local_port, remote_port;
};

/* The far end of the tunnel of packets that leave so. False: there is none. rules NULL: no ESP. */
static bool far_end(const struct rules *rules, const struct way *way, struct neighbour_ip *end)
{
    bool is_ipv6 = !neighbour_ip_is_v4(&way->remote);
    unsigned offset = is_ipv6 ? 0 : 12; /* of an IPv4 address */
    const struct rule_ends ends = {.source = way->local.octets + offset,
                                   .destination = way->remote.octets + offset,
                                   .source_port = way->local_port,
                                   .destination_port = way->remote_port};
    const struct rule_packet packet = rule_packet_of_udp(&ends, is_ipv6);
    if (!rules || neighbour_ip_is_v4(&way->local) == is_ipv6)
        return false;
    const struct sa_params *params = fit_protector(rules, &packet);
    if (!params || !params->is_tunnel)
        return false;
    *end = neighbour_ip_of(params->destination.octets, params->is_ipv6);
    return true;
}

/* Whether a rule for packets that come names associations of a group. */
static bool is_named(const struct rules *rules, uint32_t group)
{
    for (unsigned i = 0; i < rules->in_count; i++)
        if (rules->in[i].action == RULE_PROTECT && rules->in[i].group == group)
            return true;
    return false;
}

/* The near ends of all tunnels that rules name, some of them several times; returns how many, at most `most`.
 */
static unsigned near_ends(const struct rules *rules, struct neighbour_ip *ends, unsigned most)
{
    unsigned count = 0;
    for (unsigned i = 0; rules && i < rules->out_count && count < most; i++) {
        const struct rule *rule = &rules->out[i];
        if (rule->action == RULE_PROTECT && rule->sa && rule->sa->params.is_tunnel)
            ends[count++] = neighbour_ip_of(rule->sa->params.source.octets, rule->sa->params.is_ipv6);
    }
    for (unsigned i = 0; rules && i < rules->sa_count && count < most; i++) {
        const struct sa_params *params = &rules->sas[i].sa->params;
        if (params->is_tunnel && is_named(rules, rules->sas[i].group))
            ends[count++] = neighbour_ip_of(params->destination.octets, params->is_ipv6);
    }
    return count;
}

/* --- next hops for workers --- */

/* An address of either IP version, base/address.h, as a neighbour's. */
static struct neighbour_ip neighbour_of(const struct live_links *links, uint32_t ip)
{
    const struct address_book *book = &links->node->core.addresses;
    return address_is_ipv6(ip) ? neighbour_ip_v6(book->list[address_place(ip)]) : neighbour_ip_v4(ip);
}

static struct neighbour_ip hop_towards(const struct live_links_side *side, const struct neighbour_ip *dst)
{
    return neighbour_ip_hop(side->config->routes, side->config->route_count, dst);
}

/* The rules of a port now; NULL: it has no ESP. */
static const struct rules *rules_of(const struct live_links_side *side)
{
    return side->links->esp->sides[side->port == MSG_PORT_GN ? ESP_CONFIG_GN : ESP_CONFIG_GB].now;
}

/* On Gn. A destination has one next hop: if ESP protects only some packets by a tunnel, that of the tunnel.
 */
static struct neighbour_ip hop_to(const struct live_links_side *side, uint32_t ip)
{
    static const uint16_t ports[] = {GTPU_PORT, GTPC_PORT};
    const struct neighbour *n = &side->neighbours;
    struct neighbour_ip dst = neighbour_of(side->links, ip), end;
    for (unsigned k = 0; k < sizeof(ports) / sizeof(ports[0]); k++)
        for (unsigned i = 0; rules_of(side) && i < n->address_count; i++) {
            const struct way way = {n->addresses[i], dst, ports[k], ports[k]};
            if (far_end(rules_of(side), &way, &end))
                return hop_towards(side, &end);
        }
    return hop_towards(side, &dst);
}

static struct neighbour_ip hop_of_nsvc(const struct live_links_side *side,
                                       const struct node_config_nsvc *nsvc)
{
    const struct way way = {neighbour_of(side->links, nsvc->own_address),
                            neighbour_of(side->links, nsvc->address), nsvc->own_port, nsvc->udp_port};
    struct neighbour_ip end;
    return hop_towards(side, far_end(rules_of(side), &way, &end) ? &end : &way.remote);
}

/* Whether the next hop of an NS-VC must be resolved. */
static bool is_sought(const struct node_config_nsvc *nsvc)
{
    return !nsvc->is_absent && !nsvc->has_mac;
}

static void tell_nsvcs(struct live_links_side *side, const struct neighbour_entry *entry)
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

static void tell_destination(struct live_links *links, uint32_t ip, const uint8_t mac[6])
{
    struct msg msg = {.type = MSG_GN_HOP, .hop = {.ip = ip}};
    memcpy(msg.hop.mac, mac, sizeof(msg.hop.mac));
    core_order(&links->node->core, &msg);
    core_gtpc_reachable(&links->node->core, ip);
}

static void tell_destinations(struct live_links_side *side, const struct neighbour_entry *entry)
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
    struct live_links_side *side = arg;
    if (!entry->has_mac || entry->state == NEIGHBOUR_SILENT)
        return;
    if (side->port == MSG_PORT_GB)
        tell_nsvcs(side, entry);
    else
        tell_destinations(side, entry);
}

static void send_frame(void *arg, const uint8_t *frame, size_t octets)
{
    struct live_links_side *side = arg;
    core_link_send_frame(&side->links->node->core, side->sender, side->port, frame, octets);
}

void live_links_announce(struct live_links *links, enum msg_port port)
{
    struct live_links_side *side = &links->sides[port];
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
static void forget(struct live_links *links, struct destination *destination)
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
static void live_links_want(struct live_links *links, uint32_t ip, enum destination_kind kind)
{
    struct live_links_side *side = &links->sides[MSG_PORT_GN];
    struct destinations *d = &links->destinations;
    struct neighbour_ip octets = neighbour_of(links, ip);
    if (destinations_use(d, ip, kind, links->now) || !destinations_may_add(d, &octets, kind, links->now))
        return;
    struct destination *displaced = destinations_displaced(d, kind);
    if (displaced)
        forget(links, displaced);
    struct destination *added = destinations_add(
        d,
        &(struct destination){
            .ip = ip, .kind = kind, .began_ns = links->now, .used_ns = links->now, .hop = hop_to(side, ip)});
    if (!added)
        return;
    const struct neighbour_entry *entry = neighbour_want(&side->neighbours, &added->hop, links->now);
    added->has_mac = entry && entry->has_mac;
    if (added->has_mac)
        tell_destination(links, ip, entry->mac);
}

/* Returns the next deadline. */
static int64_t age(struct live_links *links, int64_t now)
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

static void want_nsvc(struct live_links *links, uint32_t index)
{
    struct live_links_side *side = &links->sides[MSG_PORT_GB];
    const struct node_config_nsvc *nsvc = &links->node->config.nsvcs[index];
    if (!is_sought(nsvc))
        return;
    struct neighbour_ip hop = hop_of_nsvc(side, nsvc);
    const struct neighbour_entry *entry = neighbour_want(&side->neighbours, &hop, links->now);
    if (entry && entry->has_mac)
        on_news(side, entry);
}

void live_links_want_nsvcs(struct live_links *links)
{
    for (uint32_t i = 0; i < links->node->config.nsvc_count; i++)
        want_nsvc(links, i);
}

static void add_own_ip(struct live_links *links, enum msg_port port, const struct neighbour_ip *own)
{
    if (!neighbour_add_own(&links->sides[port].neighbours, own))
        fprintf(stderr,
                "gbflow: too many local addresses on a link: at most %d; the others are not answered for\n",
                NEIGHBOUR_ADDRESSES);
}

static void add_own(struct live_links *links, enum msg_port port, uint32_t ip)
{
    struct neighbour_ip own = neighbour_of(links, ip);
    add_own_ip(links, port, &own);
}

/* --- tunnels of ESP --- */

/* Policies of IKE are rules of both ports: their tunnels end where the configuration has the address. */
static bool is_of_other_port(const struct live_links *links, enum msg_port port,
                             const struct neighbour_ip *end)
{
    enum msg_port other = port == MSG_PORT_GN ? MSG_PORT_GB : MSG_PORT_GN;
    return links->node->config.esp.ike.is_on && neighbour_is_own(&links->sides[other].neighbours, end);
}

/* Answers for their near ends. Returns whether one is new. */
static bool add_ends(struct live_links *links, enum msg_port port)
{
    struct live_links_side *side = &links->sides[port];
    struct neighbour_ip ends[NEIGHBOUR_ADDRESSES];
    unsigned count = near_ends(rules_of(side), ends, NEIGHBOUR_ADDRESSES);
    unsigned before = side->neighbours.address_count;
    for (unsigned i = 0; i < count; i++)
        if (!is_of_other_port(links, port, &ends[i]))
            add_own_ip(links, port, &ends[i]);
    return side->neighbours.address_count > before;
}

/* Workers keep the MAC address of the former hop until the new one is known. */
static void change_hop(struct live_links *links, struct destination *destination)
{
    struct live_links_side *side = &links->sides[MSG_PORT_GN];
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

void live_links_follow(struct live_links *links, int64_t now)
{
    links->now = now;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        if (add_ends(links, port))
            neighbour_announce(&links->sides[port].neighbours);
    for (uint32_t i = 0; i < links->destinations.count; i++)
        change_hop(links, &links->destinations.list[i]);
    live_links_want_nsvcs(links);
}

/* --- callbacks of the core --- */

static void on_frame(void *arg, unsigned port, const uint8_t *frame, size_t octets)
{
    struct live_links *links = arg;
    neighbour_receive(&links->sides[port].neighbours, frame, octets, links->node->core.now);
}

static void on_hop_wanted(void *arg, const struct msg_hop *hop)
{
    struct live_links *links = arg;
    links->now = links->node->core.now;
    live_links_want(links, hop->ip, hop->is_answer ? DESTINATION_ANSWER : DESTINATION_USED);
}

/* The NS-VC's local address may be new on this link. */
static void on_nsvc(void *arg, uint32_t index)
{
    struct live_links *links = arg;
    links->now = links->node->core.now;
    add_own(links, MSG_PORT_GB, links->node->config.nsvcs[index].own_address);
    want_nsvc(links, index);
}

/* --- set-up --- */

static void init_side(struct live_links *links, enum msg_port port, const struct live_config_port *config,
                      const uint8_t mac[6])
{
    struct live_links_side *side = &links->sides[port];
    *side = (struct live_links_side){.links = links, .port = port, .config = config};
    struct neighbour_ops ops = {.arg = side, .send = send_frame, .tell = on_news};
    neighbour_init(&side->neighbours, mac, &ops);
    for (uint32_t i = 0; i < config->neighbour_count; i++)
        neighbour_set(&side->neighbours, &config->neighbours[i].ip, config->neighbours[i].mac);
}

static void add_addresses(struct live_links *links)
{
    const struct node_config *config = &links->node->config;
    add_own(links, MSG_PORT_GB, config->gb.address);
    for (uint32_t i = 0; i < config->live.address_count; i++)
        add_own(links, MSG_PORT_GN, config->live.addresses[i]);
}

void live_links_add_context(struct live_links *links, const struct node_config *config,
                            const struct node_config_context *context)
{
    struct core *core = &links->node->core;
    add_own(links, MSG_PORT_GN, core_address_of(core, config, context->sgsn_address));
    if (!links->node->config.live.has_gn_peer_mac)
        live_links_want(links, core_address_of(core, config, context->ggsn_address), DESTINATION_CONFIGURED);
}

void live_links_add_own(struct live_links *links, uint32_t ip)
{
    add_own(links, MSG_PORT_GN, ip);
    neighbour_announce(&links->sides[MSG_PORT_GN].neighbours);
}

void live_links_init(struct live_links *links, struct node *node, const struct associations *esp, int64_t now)
{
    const struct node_config *config = &node->config;
    *links = (struct live_links){.node = node, .esp = esp, .now = now};
    destinations_init(&links->destinations);
    init_side(links, MSG_PORT_GN, &config->live.gn, config->gn.mac);
    init_side(links, MSG_PORT_GB, &config->live.gb, config->gb.mac);
    add_addresses(links);
    for (unsigned port = 0; port < MSG_PORTS; port++)
        add_ends(links, port);
    node->core.neighbours = (struct core_neighbours){
        .arg = links, .on_frame = on_frame, .on_hop_wanted = on_hop_wanted, .on_nsvc = on_nsvc};
    for (uint32_t i = 0; i < config->context_count; i++)
        live_links_add_context(links, config, &config->contexts[i]);
    for (unsigned port = 0; port < MSG_PORTS; port++)
        neighbour_announce(&links->sides[port].neighbours);
    live_links_want_nsvcs(links);
}

int64_t live_links_step(struct live_links *links, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    links->now = now;
    for (unsigned port = 0; port < MSG_PORTS; port++)
        next_ns = moment_min(next_ns, neighbour_step(&links->sides[port].neighbours, now));
    return moment_min(next_ns, age(links, now));
}
