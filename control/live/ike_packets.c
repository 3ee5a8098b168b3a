/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/ike_packets.h"

#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/live/ike.h"
#include "control/live/live.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PACKETS_MOST 32                   /* of the daemon, in a step */
#define WAIT_NS      MOMENT_SECOND        /* for workers; for the next hop */
#define TELL_NS      (60 * MOMENT_SECOND) /* between two lines of the log about packets that waited too long */
#define AGAIN_NS     (MOMENT_SECOND / 1000)
#define DEVICE_NS    MOMENT_SECOND /* between two tries to open the device */
#define LINE_CHARS   192

enum { PORT_IKE = 500, PORT_NAT = 4500, MAC_OCTETS = 6 };

bool live_ike_is_own(const struct live *live, const struct sa_address *address, bool is_ipv6)
{
    struct neighbour_ip ip = neighbour_ip_of(address->octets, is_ipv6);
    return neighbour_is_own(&live->links.sides[MSG_PORT_GN].neighbours, &ip) ||
           neighbour_is_own(&live->links.sides[MSG_PORT_GB].neighbours, &ip);
}

/* --- to the daemon --- */

static void on_ike(void *arg, unsigned unused_port, const uint8_t *frame, size_t octets)
{
    struct live *live = live_of_links(arg);
    struct live_ike *ike = &live->ike;
    bool is_whole = ike->is_on && octets > ETHER_OCTETS;
    size_t packet = octets - ETHER_OCTETS;
    if (is_whole && write(ike->xfrm.tun_fd, frame + ETHER_OCTETS, packet) == (ssize_t)packet)
        ike->to_daemon++;
    else
        ike->lost++;
}

void live_ike_packets_serve(struct live *live)
{
    if (live->ike.is_on)
        live->node.core.neighbours.on_ike = on_ike;
}

/* --- from the daemon --- */

/* Whether a packet is UDP from a port of IKE, and not ESP in UDP: that is the node's. */
static bool is_of_ike(const struct rule_packet *packet, const uint8_t *bytes)
{
    unsigned offset = packet->header_octets + UDP_OCTETS;
    if (packet->protocol != IPV4_PROTO_UDP || !packet->has_ports || packet->octets < offset)
        return false;
    if (packet->source_port == PORT_IKE)
        return true;
    return packet->source_port == PORT_NAT &&
           (packet->octets < offset + 4 || bytes_get_u32(bytes + offset) == 0);
}

static bool send_packet(struct live *live, const struct live_ike_packet *packet)
{
    uint8_t frame[ETHER_OCTETS + LIVE_IKE_OCTETS];
    struct neighbour *neighbours = &live->links.sides[packet->port].neighbours;
    const struct neighbour_entry *entry = neighbour_want(neighbours, &packet->to, live->node.core.now);
    if (!entry || !entry->has_mac)
        return false;
    memcpy(frame, entry->mac, MAC_OCTETS);
    memcpy(frame + MAC_OCTETS, neighbours->mac, MAC_OCTETS);
    bytes_put_u16(frame + 2 * MAC_OCTETS, packet->bytes[0] >> 4 == 6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    memcpy(frame + ETHER_OCTETS, packet->bytes, packet->octets);
    core_link_send_frame(&live->node.core, 0, packet->port, frame, ETHER_OCTETS + packet->octets);
    live->ike.from_daemon++;
    return true;
}

/* The port whose address is the packet's source, and the next hop there. */
static bool find_way(struct live *live, const struct rule_packet *read, struct live_ike_packet *packet)
{
    struct neighbour_ip source = neighbour_ip_of(read->source, read->is_ipv6),
                        destination = neighbour_ip_of(read->destination, read->is_ipv6);
    for (packet->port = 0; packet->port < MSG_PORTS; packet->port++) {
        const struct live_links_side *side = &live->links.sides[packet->port];
        if (!neighbour_is_own(&side->neighbours, &source))
            continue;
        packet->to = neighbour_ip_hop(side->config->routes, side->config->route_count, &destination);
        return true;
    }
    return false;
}

static void take_packet(struct live *live, const struct live_ike_packet *packet)
{
    struct live_ike *ike = &live->ike;
    struct rule_packet read;
    struct live_ike_packet *kept = &ike->waiting[ike->waiting_count];
    if (!rule_packet_read(&read, packet->bytes, packet->octets) || !is_of_ike(&read, packet->bytes))
        return; /* what a kernel sends on a new device, and the like */
    if (ike->waiting_count == LIVE_IKE_WAITING) {
        ike->lost++;
        return;
    }
    *kept = *packet;
    rule_packet_read(&read, kept->bytes, kept->octets);
    if (find_way(live, &read, kept))
        ike->waiting_count++;
    else
        ike->lost++;
}

static bool has_late(const struct live_ike *ike)
{
    unsigned i = 0;
    while (i < LIVE_IKE_SAS && !ike->sas[i].is_late)
        i++;
    return i < LIVE_IKE_SAS;
}

/* Whether workers have all that the kernel had before the packet. */
static bool have_workers_all(const struct live *live, const struct live_ike_packet *packet)
{
    const struct live_ike *ike = &live->ike;
    return ike->has_ended ||
           (packet->sync <= ike->sync_had && associations_is_settled(&live->esp.all) && !has_late(ike));
}

/* A kernel whose policies always change would hold the daemon's packets for good. */
static bool is_due(struct live *live, const struct live_ike_packet *packet, int64_t now)
{
    struct live_ike *ike = &live->ike;
    if (have_workers_all(live, packet))
        return true;
    if (now < packet->held_until_ns)
        return false;
    if (now >= ike->told_ns) {
        core_log(
            &live->node.core, "esp", "warn",
            "a packet of IKE waited 1 s for changes of the kernel, and leaves before workers have them; the "
            "daemon changes associations or policies all the time");
        ike->told_ns = now + TELL_NS;
    }
    return true;
}

static void send_waiting(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    unsigned kept = 0;
    for (unsigned i = 0; i < ike->waiting_count; i++) {
        struct live_ike_packet *packet = &ike->waiting[i];
        if (is_due(live, packet, now) && send_packet(live, packet))
            continue;
        if (now > packet->until_ns)
            ike->lost++;
        else if (kept++ != i)
            ike->waiting[kept - 1] = *packet;
    }
    ike->waiting_count = kept;
}

/* --- the device --- */

/* Of a device that was deleted, the descriptor is dead for good. */
static void lose_device(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    char text[LINE_CHARS];
    snprintf(text, sizeof(text),
             "the TUN device %s is gone: packets of IKE are lost; make it again with its addresses and "
             "routes%s",
             live->node.config.esp.ike.interface, ike->has_ended ? ", and restart the node" : "");
    core_log(&live->node.core, "esp", "error", text);
    xfrm_close_device(&ike->xfrm);
    ike->device_ns = now;
}

/* The process has the right to open it. */
static void ask_for_device(struct live_ike *ike, int64_t now)
{
    static const struct xfrm_message open = {.kind = XFRM_DEVICE};
    if (now < ike->device_ns)
        return;
    xfrm_put(&ike->xfrm, &open);
    ike->device_ns = now + DEVICE_NS;
}

void live_ike_packets_reopened(struct live *live)
{
    char text[LINE_CHARS];
    if (live->ike.xfrm.tun_fd < 0)
        return;
    snprintf(text, sizeof(text), "the TUN device %s is open again", live->node.config.esp.ike.interface);
    core_log(&live->node.core, "esp", "info", text);
}

/* --- the step --- */

static bool is_device_lost(ssize_t octets)
{
    return octets < 0 && errno != EAGAIN && errno != EINTR;
}

/* Returns how many packets of the daemon came. */
static unsigned take_packets(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    struct live_ike_packet packet = {
        .sync = ike->sync_asked + 1, .held_until_ns = now + WAIT_NS, .until_ns = now + 2 * WAIT_NS};
    unsigned count = 0;
    ssize_t octets = 0;
    while (count < PACKETS_MOST &&
           (octets = read(ike->xfrm.tun_fd, packet.bytes, sizeof(packet.bytes))) > 0) {
        packet.octets = (size_t)octets;
        take_packet(live, &packet);
        count++;
    }
    if (is_device_lost(octets))
        lose_device(live, now);
    return count;
}

bool live_ike_packets_step(struct live *live, int64_t now)
{
    struct live_ike *ike = &live->ike;
    unsigned count = ike->xfrm.tun_fd >= 0 ? take_packets(live, now) : 0;
    if (ike->xfrm.tun_fd < 0)
        ask_for_device(ike, now);
    if (count > 0) {
        const struct xfrm_message sync = {.kind = XFRM_SYNC, .sync = ++ike->sync_asked};
        xfrm_put(&ike->xfrm, &sync);
    }
    send_waiting(live, now);
    return count == PACKETS_MOST;
}

int64_t live_ike_packets_due(const struct live_ike *ike, int64_t now)
{
    int64_t device_ns = ike->xfrm.tun_fd < 0 && !ike->has_ended ? ike->device_ns : MOMENT_NEVER;
    return ike->waiting_count > 0 ? moment_min(device_ns, now + AGAIN_NS) : device_ns;
}
