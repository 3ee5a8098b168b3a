/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/esp/ike_packets.h"

#include "control/core/core.h"
#include "control/core/core_link.h"
#include "control/esp/ike.h"
#include "control/esp/live.h"
#include "control/links/links.h"
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

bool esp_ike_is_own(const struct esp_live *esp, const struct sa_address *address, bool is_ipv6)
{
    struct neighbour_ip ip = neighbour_ip_of(address->octets, is_ipv6);
    return neighbour_is_own(&esp->host->links->sides[MSG_PORT_GN].neighbours, &ip) ||
           neighbour_is_own(&esp->host->links->sides[MSG_PORT_GB].neighbours, &ip);
}

/* --- to the daemon --- */

void esp_ike_packets_take(struct esp_live *esp, const uint8_t *frame, size_t octets)
{
    struct esp_ike *ike = &esp->ike;
    bool is_whole = ike->is_on && octets > ETHER_OCTETS;
    size_t packet = octets - ETHER_OCTETS;
    if (is_whole && write(ike->xfrm.tun_fd, frame + ETHER_OCTETS, packet) == (ssize_t)packet)
        ike->to_daemon++;
    else
        ike->lost++;
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

static bool send_packet(struct esp_live *esp, const struct esp_ike_packet *packet)
{
    uint8_t frame[ETHER_OCTETS + ESP_IKE_OCTETS];
    struct neighbour *neighbours = &esp->host->links->sides[packet->port].neighbours;
    const struct neighbour_entry *entry = neighbour_want(neighbours, &packet->to, esp->host->node->core.now);
    if (!entry || !entry->has_mac)
        return false;
    memcpy(frame, entry->mac, MAC_OCTETS);
    memcpy(frame + MAC_OCTETS, neighbours->mac, MAC_OCTETS);
    bytes_put_u16(frame + 2 * MAC_OCTETS, packet->bytes[0] >> 4 == 6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    memcpy(frame + ETHER_OCTETS, packet->bytes, packet->octets);
    core_link_send_frame(&esp->host->node->core, 0, packet->port, frame, ETHER_OCTETS + packet->octets);
    esp->ike.from_daemon++;
    return true;
}

/* The port whose address is the packet's source, and the next hop there. */
static bool find_way(struct esp_live *esp, const struct rule_packet *read, struct esp_ike_packet *packet)
{
    struct neighbour_ip source = neighbour_ip_of(read->source, read->is_ipv6),
                        destination = neighbour_ip_of(read->destination, read->is_ipv6);
    for (packet->port = 0; packet->port < MSG_PORTS; packet->port++) {
        const struct links_side *side = &esp->host->links->sides[packet->port];
        if (!neighbour_is_own(&side->neighbours, &source))
            continue;
        packet->to = neighbour_ip_hop(side->config->routes, side->config->route_count, &destination);
        return true;
    }
    return false;
}

static void take_packet(struct esp_live *esp, const struct esp_ike_packet *packet)
{
    struct esp_ike *ike = &esp->ike;
    struct rule_packet read;
    struct esp_ike_packet *kept = &ike->waiting[ike->waiting_count];
    if (!rule_packet_read(&read, packet->bytes, packet->octets) || !is_of_ike(&read, packet->bytes))
        return; /* what a kernel sends on a new device, and the like */
    if (ike->waiting_count == ESP_IKE_WAITING) {
        ike->lost++;
        return;
    }
    *kept = *packet;
    rule_packet_read(&read, kept->bytes, kept->octets);
    if (find_way(esp, &read, kept))
        ike->waiting_count++;
    else
        ike->lost++;
}

static bool has_late(const struct esp_ike *ike)
{
    unsigned i = 0;
    while (i < ESP_IKE_SAS && !ike->sas[i].is_late)
        i++;
    return i < ESP_IKE_SAS;
}

/* Whether workers have all that the kernel had before the packet. */
static bool have_workers_all(const struct esp_live *esp, const struct esp_ike_packet *packet)
{
    const struct esp_ike *ike = &esp->ike;
    return ike->has_ended ||
           (packet->sync <= ike->sync_had && associations_is_settled(&esp->all) && !has_late(ike));
}

/* A kernel whose policies always change would hold the daemon's packets for good. */
static bool is_due(struct esp_live *esp, const struct esp_ike_packet *packet, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    if (have_workers_all(esp, packet))
        return true;
    if (now < packet->held_until_ns)
        return false;
    if (now >= ike->told_ns) {
        core_log(
            &esp->host->node->core, "esp", "warn",
            "a packet of IKE waited 1 s for changes of the kernel, and leaves before workers have them; the "
            "daemon changes associations or policies all the time");
        ike->told_ns = now + TELL_NS;
    }
    return true;
}

static void send_waiting(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    unsigned kept = 0;
    for (unsigned i = 0; i < ike->waiting_count; i++) {
        struct esp_ike_packet *packet = &ike->waiting[i];
        if (is_due(esp, packet, now) && send_packet(esp, packet))
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
static void lose_device(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    char text[LINE_CHARS];
    snprintf(text, sizeof(text),
             "the TUN device %s is gone: packets of IKE are lost; make it again with its addresses and "
             "routes%s",
             esp->host->node->config.esp.ike.interface, ike->has_ended ? ", and restart the node" : "");
    core_log(&esp->host->node->core, "esp", "error", text);
    xfrm_close_device(&ike->xfrm);
    ike->device_ns = now;
}

/* The process has the right to open it. */
static void ask_for_device(struct esp_ike *ike, int64_t now)
{
    static const struct xfrm_message open = {.kind = XFRM_DEVICE};
    if (now < ike->device_ns)
        return;
    xfrm_put(&ike->xfrm, &open);
    ike->device_ns = now + DEVICE_NS;
}

void esp_ike_packets_reopened(struct esp_live *esp)
{
    char text[LINE_CHARS];
    if (esp->ike.xfrm.tun_fd < 0)
        return;
    snprintf(text, sizeof(text), "the TUN device %s is open again",
             esp->host->node->config.esp.ike.interface);
    core_log(&esp->host->node->core, "esp", "info", text);
}

/* --- the step --- */

static bool is_device_lost(ssize_t octets)
{
    return octets < 0 && errno != EAGAIN && errno != EINTR;
}

/* Returns how many packets of the daemon came. */
static unsigned take_packets(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    struct esp_ike_packet packet = {
        .sync = ike->sync_asked + 1, .held_until_ns = now + WAIT_NS, .until_ns = now + 2 * WAIT_NS};
    unsigned count = 0;
    ssize_t octets = 0;
    while (count < PACKETS_MOST &&
           (octets = read(ike->xfrm.tun_fd, packet.bytes, sizeof(packet.bytes))) > 0) {
        packet.octets = (size_t)octets;
        take_packet(esp, &packet);
        count++;
    }
    if (is_device_lost(octets))
        lose_device(esp, now);
    return count;
}

bool esp_ike_packets_step(struct esp_live *esp, int64_t now)
{
    struct esp_ike *ike = &esp->ike;
    unsigned count = ike->xfrm.tun_fd >= 0 ? take_packets(esp, now) : 0;
    if (ike->xfrm.tun_fd < 0)
        ask_for_device(ike, now);
    if (count > 0) {
        const struct xfrm_message sync = {.kind = XFRM_SYNC, .sync = ++ike->sync_asked};
        xfrm_put(&ike->xfrm, &sync);
    }
    send_waiting(esp, now);
    return count == PACKETS_MOST;
}

int64_t esp_ike_packets_due(const struct esp_ike *ike, int64_t now)
{
    int64_t device_ns = ike->xfrm.tun_fd < 0 && !ike->has_ended ? ike->device_ns : MOMENT_NEVER;
    return ike->waiting_count > 0 ? moment_min(device_ns, now + AGAIN_NS) : device_ns;
}
