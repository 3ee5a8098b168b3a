/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/neighbour.h"

#include "control/live/neighbour_frame6.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#define QUICK_NS     MOMENT_SECOND /* between the first requests */
#define QUICK_TRIES  3
#define SLOW_NS      (5 * MOMENT_SECOND)
#define KNOWN_FOR_NS (30 * MOMENT_SECOND)
#define PROTO_ICMP   1
#define TYPE_IPV6    0x86dd
#define ND_HOP_LIMIT 255

void neighbour_init(struct neighbour *n, const uint8_t mac[6], const struct neighbour_ops *ops)
{
    *n = (struct neighbour){.ops = *ops};
    memcpy(n->mac, mac, sizeof(n->mac));
}

/* --- local addresses --- */

bool neighbour_is_own(const struct neighbour *n, const struct neighbour_ip *ip)
{
    for (unsigned i = 0; i < n->address_count; i++)
        if (neighbour_ip_is_same(&n->addresses[i], ip))
            return true;
    return false;
}

bool neighbour_add_own(struct neighbour *n, const struct neighbour_ip *ip)
{
    if (neighbour_is_own(n, ip))
        return true;
    if (n->address_count == NEIGHBOUR_ADDRESSES)
        return false;
    n->addresses[n->address_count++] = *ip;
    return true;
}

/* The local address of the same IP version that has the longest common prefix with ip; NULL: none. */
static const struct neighbour_ip *nearest_own(const struct neighbour *n, const struct neighbour_ip *ip)
{
    const struct neighbour_ip *best = NULL;
    for (unsigned i = 0; i < n->address_count; i++) {
        const struct neighbour_ip *own = &n->addresses[i];
        if (neighbour_ip_is_v4(own) != neighbour_ip_is_v4(ip))
            continue;
        if (!best || neighbour_ip_common_bits(own, ip) > neighbour_ip_common_bits(best, ip))
            best = own;
    }
    return best;
}

/* --- requests --- */

static void ask(struct neighbour *n, const struct neighbour_ip *ip)
{
    uint8_t frame[NEIGHBOUR_FRAME_OCTETS];
    const struct neighbour_ip *own = nearest_own(n, ip);
    size_t octets;
    if (!own)
        return;
    if (!neighbour_ip_is_v4(ip))
        octets = neighbour_frame6_solicit(frame, n->mac, own, ip);
    else
        octets = neighbour_frame_request(frame, n->mac, neighbour_ip_to_v4(own), neighbour_ip_to_v4(ip));
    n->ops.send(n->ops.arg, frame, octets);
}

void neighbour_announce(struct neighbour *n)
{
    uint8_t frame[NEIGHBOUR_FRAME_OCTETS];
    for (unsigned i = 0; i < n->address_count; i++) {
        const struct neighbour_ip *own = &n->addresses[i];
        if (neighbour_ip_is_v4(own))
            ask(n, own);
        else
            n->ops.send(n->ops.arg, frame, neighbour_frame6_advertise(frame, n->mac, own, NULL, NULL));
    }
}

static struct neighbour_entry *find(struct neighbour *n, const struct neighbour_ip *ip)
{
    for (unsigned i = 0; i < n->entry_count; i++)
        if (neighbour_ip_is_same(&n->entries[i].ip, ip))
            return &n->entries[i];
    return NULL;
}

static struct neighbour_entry *find_or_add(struct neighbour *n, const struct neighbour_ip *ip, int64_t now)
{
    struct neighbour_entry *entry = find(n, ip);
    if (entry || n->entry_count == NEIGHBOUR_ENTRIES)
        return entry;
    entry = &n->entries[n->entry_count++];
    *entry = (struct neighbour_entry){.ip = *ip, .next_ns = now};
    return entry;
}

bool neighbour_set(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6])
{
    struct neighbour_entry *entry = find_or_add(n, ip, 0);
    if (!entry)
        return false;
    entry->state = NEIGHBOUR_STATIC;
    entry->has_mac = true;
    entry->next_ns = MOMENT_NEVER;
    memcpy(entry->mac, mac, sizeof(entry->mac));
    n->ops.tell(n->ops.arg, entry);
    return true;
}

static void set_state(struct neighbour *n, struct neighbour_entry *entry, enum neighbour_state state)
{
    if (entry->state == state)
        return;
    entry->state = state;
    n->ops.tell(n->ops.arg, entry);
}

static void ask_again(struct neighbour *n, struct neighbour_entry *entry, int64_t now)
{
    if (entry->state == NEIGHBOUR_KNOWN) {
        entry->tries = 0;
        entry->state = NEIGHBOUR_CHECKED;
    }
    if (entry->tries == QUICK_TRIES)
        set_state(n, entry, NEIGHBOUR_SILENT);
    else
        entry->tries++;
    entry->next_ns = now + (entry->state == NEIGHBOUR_SILENT ? SLOW_NS : QUICK_NS);
    ask(n, &entry->ip);
}

const struct neighbour_entry *neighbour_want(struct neighbour *n, const struct neighbour_ip *ip, int64_t now)
{
    struct neighbour_entry *entry = find_or_add(n, ip, now);
    if (entry && entry->state == NEIGHBOUR_ASKED && entry->tries == 0)
        ask_again(n, entry, now);
    return entry;
}

void neighbour_forget(struct neighbour *n, const struct neighbour_ip *ip)
{
    struct neighbour_entry *entry = find(n, ip);
    if (entry && entry->state != NEIGHBOUR_STATIC)
        *entry = n->entries[--n->entry_count];
}

int64_t neighbour_step(struct neighbour *n, int64_t now)
{
    int64_t next_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < n->entry_count; i++) {
        if (n->entries[i].next_ns <= now)
            ask_again(n, &n->entries[i], now);
        next_ns = moment_min(next_ns, n->entries[i].next_ns);
    }
    return next_ns;
}

/* --- reception --- */

static bool is_unicast(const uint8_t mac[6])
{
    static const uint8_t none[6];
    return !(mac[0] & 1) && memcmp(mac, none, sizeof(none)) != 0;
}

static void learn(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6], int64_t now)
{
    struct neighbour_entry *entry = find(n, ip);
    if (!entry || entry->state == NEIGHBOUR_STATIC || !is_unicast(mac))
        return;
    bool is_news = entry->state == NEIGHBOUR_ASKED || entry->state == NEIGHBOUR_SILENT || !entry->has_mac ||
                   memcmp(entry->mac, mac, sizeof(entry->mac)) != 0;
    memcpy(entry->mac, mac, sizeof(entry->mac));
    entry->has_mac = true;
    entry->state = NEIGHBOUR_KNOWN;
    entry->next_ns = now + KNOWN_FOR_NS;
    if (is_news)
        n->ops.tell(n->ops.arg, entry);
}

static void answer(struct neighbour *n, uint64_t *count, const uint8_t *frame, size_t octets)
{
    if (octets == 0)
        return;
    *count += 1;
    n->ops.send(n->ops.arg, frame, octets);
}

static bool receive_arp(struct neighbour *n, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct arp arp;
    uint8_t out[NEIGHBOUR_FRAME_OCTETS];

    if (arp_decode(&arp, bytes, octets) < 0)
        return false;
    struct neighbour_ip sender = neighbour_ip_v4(arp.sender_ip), target = neighbour_ip_v4(arp.target_ip);
    learn(n, &sender, arp.sender_mac, now);
    if (arp.operation != ARP_REQUEST || !neighbour_is_own(n, &target) || neighbour_is_own(n, &sender) ||
        !is_unicast(arp.sender_mac))
        return false;
    answer(n, &n->arp_answers, out, neighbour_frame_reply(out, n->mac, &arp));
    return true;
}

static bool receive_ip(struct neighbour *n, const struct neighbour_frame_packet *packet)
{
    struct ipv4 ip;
    uint8_t out[NEIGHBOUR_FRAME_OCTETS];
    int header = ipv4_decode(&ip, packet->bytes, packet->octets);

    if (header < 0 || ip.proto != PROTO_ICMP || !ipv4_is_checksum_good(packet->bytes, (size_t)header))
        return false;
    struct neighbour_ip dst = neighbour_ip_v4(ip.dst), src = neighbour_ip_v4(ip.src);
    if (!neighbour_is_own(n, &dst) || neighbour_is_own(n, &src) || !is_unicast(packet->src_mac))
        return false;
    size_t octets = neighbour_frame_echo(out, n->mac, packet);
    answer(n, &n->echo_answers, out, octets);
    return octets > 0;
}

/* A Neighbour Solicitation for a local address, from a neighbour, or from the unspecified address in
 * Duplicate Address Detection (RFC 4862 clause 5.4.3). */
static bool receive_solicitation(struct neighbour *n, const struct neighbour_frame6 *packet,
                                 const struct nd *nd, const uint8_t *src_mac, int64_t now)
{
    static const struct neighbour_ip nobody;
    struct neighbour_ip target = neighbour_ip_v6(nd->target);
    uint8_t out[NEIGHBOUR_FRAME_OCTETS];
    bool is_probe = neighbour_ip_is_same(&packet->src, &nobody);

    if (nd->has_mac && !is_probe)
        learn(n, &packet->src, nd->mac, now);
    if (!neighbour_is_own(n, &target) || neighbour_is_own(n, &packet->src) || !is_unicast(src_mac))
        return false;
    answer(n, &n->arp_answers, out,
           neighbour_frame6_advertise(out, n->mac, &target, is_probe ? NULL : &packet->src,
                                      is_probe ? NULL : src_mac));
    return true;
}

/* An IPv4 address in the form of IPv6 is on no link (RFC 4291 clause 2.5.5.2), and an entry of IPv4 here. */
static bool has_mapped(const struct neighbour_frame6 *packet)
{
    return neighbour_ip_is_v4(&packet->src) || neighbour_ip_is_v4(&packet->dst);
}

static bool receive_ip6(struct neighbour *n, const uint8_t *bytes, size_t octets, const uint8_t *src_mac,
                        int64_t now)
{
    struct neighbour_frame6 packet;
    struct nd nd;
    uint8_t out[NEIGHBOUR_FRAME_OCTETS];

    if (!neighbour_frame6_read(&packet, bytes, octets) || has_mapped(&packet))
        return false;
    if (packet.hop_limit == ND_HOP_LIMIT && nd_decode(&nd, packet.message, packet.octets) >= 0) {
        struct neighbour_ip target = neighbour_ip_v6(nd.target);
        if (neighbour_ip_is_v4(&target))
            return false;
        if (nd.type == ND_SOLICITATION)
            return receive_solicitation(n, &packet, &nd, src_mac, now);
        if (nd.has_mac)
            learn(n, &target, nd.mac, now);
        return false;
    }
    if (!neighbour_is_own(n, &packet.dst) || neighbour_is_own(n, &packet.src) || !is_unicast(src_mac))
        return false;
    size_t length = neighbour_frame6_echo(out, n->mac, &packet, src_mac);
    answer(n, &n->echo_answers, out, length);
    return length > 0;
}

void neighbour_receive(struct neighbour *n, const uint8_t *frame, size_t octets, int64_t now)
{
    struct ether ether;
    bool is_taken = false;
    int offset = ether_decode(&ether, frame, octets);

    if (offset >= 0 && ether.type == ETHER_TYPE_ARP)
        is_taken = receive_arp(n, frame + offset, octets - (size_t)offset, now);
    else if (offset >= 0 && ether.type == ETHER_TYPE_IPV4)
        is_taken = receive_ip(n, &(struct neighbour_frame_packet){
                                     .src_mac = ether.src,
                                     .bytes = frame + offset,
                                     .octets = octets - (size_t)offset,
                                 });
    else if (offset >= 0 && ether.type == TYPE_IPV6)
        is_taken = receive_ip6(n, frame + offset, octets - (size_t)offset, ether.src, now);
    n->ignored += !is_taken;
}

const char *neighbour_state_name(enum neighbour_state state)
{
    static const char *const names[] = {
        [NEIGHBOUR_ASKED] = "asked",   [NEIGHBOUR_KNOWN] = "known",   [NEIGHBOUR_CHECKED] = "checked",
        [NEIGHBOUR_SILENT] = "silent", [NEIGHBOUR_STATIC] = "static",
    };
    return names[state];
}
