/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/links/neighbour.h"
#include "control/base/neighbour_ip.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* An IPv4 packet behind an Ethernet header. */
struct neighbour_frame_packet {
    const uint8_t *src_mac; /* the frame's */
    const uint8_t *bytes;   /* of the IP header */
    size_t octets;
};

/* The frames of neighbour.h over IPv6 (RFC 4861, RFC 4443): as neighbour.h. */

/* A received ICMPv6 message: of a whole packet without extension headers, with a right checksum. */
struct neighbour_frame6 {
    struct neighbour_ip src, dst;
    uint8_t hop_limit;
    const uint8_t *message;
    size_t octets;
};

#define MIN_OCTETS 60 /* of a frame, without its checksum */
#define TTL        64

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static uint8_t *put_ether(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint16_t type)
{
    struct ether ether = {.type = type};
    memcpy(ether.dst, dst, sizeof(ether.dst));
    memcpy(ether.src, src, sizeof(ether.src));
    memset(frame, 0, MIN_OCTETS);
    return frame + ether_encode(frame, ETHER_OCTETS, &ether);
}

static size_t put_arp(uint8_t *frame, const uint8_t *dst, const struct arp *arp)
{
    arp_encode(put_ether(frame, dst, arp->sender_mac, ETHER_TYPE_ARP), ARP_OCTETS, arp);
    return MIN_OCTETS;
}

/* An ARP Request for `ip` from own_ip at mac, to the broadcast address. */
static size_t neighbour_frame_request(uint8_t *frame, const uint8_t mac[6], uint32_t own_ip, uint32_t ip)
{
    struct arp arp = {.operation = ARP_REQUEST, .sender_ip = own_ip, .target_ip = ip};
    memcpy(arp.sender_mac, mac, sizeof(arp.sender_mac));
    return put_arp(frame, everybody, &arp);
}

/* The ARP Reply to a request for a local address. */
static size_t neighbour_frame_reply(uint8_t *frame, const uint8_t mac[6], const struct arp *request)
{
    struct arp arp = {
        .operation = ARP_REPLY, .sender_ip = request->target_ip, .target_ip = request->sender_ip};
    memcpy(arp.sender_mac, mac, sizeof(arp.sender_mac));
    memcpy(arp.target_mac, request->sender_mac, sizeof(arp.target_mac));
    return put_arp(frame, request->sender_mac, &arp);
}

/* The ICMP Echo Reply to an Echo, sent to the source MAC address of its frame. */
static size_t neighbour_frame_echo(uint8_t *frame, const uint8_t mac[6],
                                   const struct neighbour_frame_packet *packet)
{
    struct ipv4 ip;
    struct icmp_echo echo;
    int header = ipv4_decode(&ip, packet->bytes, packet->octets);

    if (header < 0 || ipv4_is_fragment(&ip) ||
        icmp_echo_decode(&echo, packet->bytes + header, ip.payload_octets) < 0 || echo.type != ICMP_ECHO ||
        ip.payload_octets > NEIGHBOUR_FRAME_OCTETS - ETHER_OCTETS - IPV4_OCTETS)
        return 0;
    struct ipv4 back = {.src = ip.dst,
                        .dst = ip.src,
                        .tos = ip.tos,
                        .ttl = TTL,
                        .proto = ip.proto,
                        .payload_octets = ip.payload_octets};
    echo.type = ICMP_ECHO_REPLY;
    uint8_t *at = put_ether(frame, packet->src_mac, mac, ETHER_TYPE_IPV4);
    at += ipv4_encode(at, IPV4_OCTETS, &back);
    icmp_echo_encode(at, ip.payload_octets, &echo);
    size_t octets = (size_t)ETHER_OCTETS + IPV4_OCTETS + ip.payload_octets;
    return octets < MIN_OCTETS ? MIN_OCTETS : octets;
}

#define TYPE_IPV6     0x86dd
#define HEADER_OCTETS 40
#define PROTO_ICMP6   58
#define HOPS_ON_LINK  255 /* not from beyond a router, which would lower it (RFC 4861 clause 3.1) */
#define HOPS          64
#define ECHO_REQUEST  128
#define ECHO_REPLY    129
#define MESSAGE_MAX   (NEIGHBOUR_FRAME_OCTETS - ETHER_OCTETS - HEADER_OCTETS)

static const struct neighbour_ip all_nodes = {.octets = {0xff, 2, [15] = 1}};

/* The checksum over a message and its pseudo-header (RFC 8200 clause 8.1); 0: the received one is right. */
static uint16_t checksum(const struct neighbour_ip *src, const struct neighbour_ip *dst,
                         const uint8_t *message, size_t octets)
{
    uint8_t all[HEADER_OCTETS + MESSAGE_MAX] = {0};
    memcpy(all, src->octets, 16);
    memcpy(all + 16, dst->octets, 16);
    bytes_put_u32(all + 32, (uint32_t)octets);
    all[39] = PROTO_ICMP6;
    memcpy(all + HEADER_OCTETS, message, octets);
    return ipv4_checksum(all, HEADER_OCTETS + octets);
}

/* Reads a packet of octets behind an Ethernet header. False: it is not such a message. */
static bool neighbour_frame6_read(struct neighbour_frame6 *out, const uint8_t *bytes, size_t octets)
{
    if (octets < HEADER_OCTETS || bytes[0] >> 4 != 6 || bytes[6] != PROTO_ICMP6)
        return false;
    size_t length = bytes_get_u16(bytes + 4);
    if (length < 4 || length > octets - HEADER_OCTETS || length > MESSAGE_MAX)
        return false;
    *out = (struct neighbour_frame6){.src = neighbour_ip_v6(bytes + 8),
                                     .dst = neighbour_ip_v6(bytes + 24),
                                     .hop_limit = bytes[7],
                                     .message = bytes + HEADER_OCTETS,
                                     .octets = length};
    return checksum(&out->src, &out->dst, out->message, length) == 0;
}

/* Writes headers and checksum of a message that is in the frame already, with checksum 0. */
static size_t neighbour_finish(uint8_t *frame, const uint8_t *dst_mac, const uint8_t *src_mac, uint8_t hops,
                               const struct neighbour_frame6 *packet)
{
    struct ether ether = {.type = TYPE_IPV6};
    uint8_t *header = frame + ETHER_OCTETS, *message = header + HEADER_OCTETS;
    memcpy(ether.dst, dst_mac, sizeof(ether.dst));
    memcpy(ether.src, src_mac, sizeof(ether.src));
    ether_encode(frame, ETHER_OCTETS, &ether);
    memset(header, 0, 8);
    header[0] = 0x60;
    bytes_put_u16(header + 4, (uint16_t)packet->octets);
    header[6] = PROTO_ICMP6;
    header[7] = hops;
    memcpy(header + 8, packet->src.octets, 16);
    memcpy(header + 24, packet->dst.octets, 16);
    bytes_put_u16(message + 2, checksum(&packet->src, &packet->dst, message, packet->octets));
    return ETHER_OCTETS + HEADER_OCTETS + packet->octets;
}

static size_t finish_nd(uint8_t *frame, const uint8_t *dst_mac, const struct nd *nd,
                        struct neighbour_frame6 *packet)
{
    packet->octets = (size_t)nd_encode(frame + ETHER_OCTETS + HEADER_OCTETS, ND_MAX_OCTETS, nd);
    return neighbour_finish(frame, dst_mac, nd->mac, HOPS_ON_LINK, packet);
}

/* 33:33 and the last four octets of a group (RFC 2464 clause 7). */
static void put_group_mac(uint8_t mac[6], const struct neighbour_ip *group)
{
    mac[0] = mac[1] = 0x33;
    memcpy(mac + 2, group->octets + 12, 4);
}

/* A Neighbour Solicitation for `ip` from own at mac, to the solicited-node multicast address. */
static size_t neighbour_frame6_solicit(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                       const struct neighbour_ip *ip)
{
    struct nd nd = {.type = ND_SOLICITATION, .has_mac = true};
    struct neighbour_frame6 packet = {.src = *own, .dst = {.octets = {0xff, 2, [11] = 1, 0xff}}};
    uint8_t group[6];
    memcpy(packet.dst.octets + 13, ip->octets + 13, 3);
    put_group_mac(group, &packet.dst);
    memcpy(nd.target, ip->octets, sizeof(nd.target));
    memcpy(nd.mac, mac, sizeof(nd.mac));
    return finish_nd(frame, group, &nd, &packet);
}

/* A Neighbour Advertisement of own: to the solicitor at to_mac, or to all nodes when to is NULL. */
static size_t neighbour_frame6_advertise(uint8_t *frame, const uint8_t mac[6], const struct neighbour_ip *own,
                                         const struct neighbour_ip *to, const uint8_t *to_mac)
{
    struct nd nd = {
        .type = ND_ADVERTISEMENT, .has_mac = true, .is_solicited = to != NULL, .is_override = true};
    struct neighbour_frame6 packet = {.src = *own, .dst = to ? *to : all_nodes};
    uint8_t group[6];
    put_group_mac(group, &all_nodes);
    memcpy(nd.target, own->octets, sizeof(nd.target));
    memcpy(nd.mac, mac, sizeof(nd.mac));
    return finish_nd(frame, to_mac ? to_mac : group, &nd, &packet);
}

/* The reply to an ICMPv6 Echo Request, sent to to_mac; 0: the message is not an Echo Request. */
static size_t neighbour_frame6_echo(uint8_t *frame, const uint8_t mac[6],
                                    const struct neighbour_frame6 *request, const uint8_t *to_mac)
{
    struct neighbour_frame6 packet = {.src = request->dst, .dst = request->src, .octets = request->octets};
    uint8_t *message = frame + ETHER_OCTETS + HEADER_OCTETS;
    if (request->octets < 8 || request->message[0] != ECHO_REQUEST || request->message[1] != 0)
        return 0;
    memcpy(message, request->message, request->octets);
    message[0] = ECHO_REPLY;
    bytes_put_u16(message + 2, 0);
    return neighbour_finish(frame, to_mac, mac, HOPS, &packet);
}

#define QUICK_NS     MOMENT_SECOND /* between the first requests */
#define QUICK_TRIES  3
#define SLOW_NS      (5 * MOMENT_SECOND)
#define KNOWN_FOR_NS (30 * MOMENT_SECOND)
#define PROTO_ICMP   1
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

static void neighbour_ask(struct neighbour *n, const struct neighbour_ip *ip)
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
            neighbour_ask(n, own);
        else
            n->ops.send(n->ops.arg, frame, neighbour_frame6_advertise(frame, n->mac, own, NULL, NULL));
    }
}

static struct neighbour_entry *neighbour_find(struct neighbour *n, const struct neighbour_ip *ip)
{
    for (unsigned i = 0; i < n->entry_count; i++)
        if (neighbour_ip_is_same(&n->entries[i].ip, ip))
            return &n->entries[i];
    return NULL;
}

/* The place of the entry that was heard longest ago, of those that are not wanted; NULL: there is none. */
static struct neighbour_entry *take_heard(struct neighbour *n)
{
    struct neighbour_entry *oldest = NULL;
    for (unsigned i = 0; n->heard_count > 0 && i < n->entry_count; i++) {
        struct neighbour_entry *entry = &n->entries[i];
        if (entry->state == NEIGHBOUR_HEARD && (!oldest || entry->heard_ns < oldest->heard_ns))
            oldest = entry;
    }
    n->heard_count -= oldest != NULL;
    return oldest;
}

/* An entry that was heard is wanted now: its MAC address is in use, and to be verified at once. */
static void take_up(struct neighbour *n, struct neighbour_entry *entry)
{
    if (entry->state != NEIGHBOUR_HEARD)
        return;
    entry->state = NEIGHBOUR_CHECKED;
    n->heard_count--;
}

static struct neighbour_entry *find_or_add(struct neighbour *n, const struct neighbour_ip *ip, int64_t now)
{
    struct neighbour_entry *entry = neighbour_find(n, ip);
    if (entry) {
        take_up(n, entry);
        return entry;
    }
    entry = n->entry_count < NEIGHBOUR_ENTRIES ? &n->entries[n->entry_count++] : take_heard(n);
    if (entry)
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
    neighbour_ask(n, &entry->ip);
}

const struct neighbour_entry *neighbour_want(struct neighbour *n, const struct neighbour_ip *ip, int64_t now)
{
    struct neighbour_entry *entry = find_or_add(n, ip, now);
    if (entry && entry->tries == 0 && (entry->state == NEIGHBOUR_ASKED || entry->state == NEIGHBOUR_CHECKED))
        ask_again(n, entry, now);
    return entry;
}

void neighbour_forget(struct neighbour *n, const struct neighbour_ip *ip)
{
    struct neighbour_entry *entry = neighbour_find(n, ip);
    if (!entry || entry->state == NEIGHBOUR_STATIC)
        return;
    n->heard_count -= entry->state == NEIGHBOUR_HEARD;
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

/* Not a group's, not all zeros. It may be the node's own: some virtual devices of DPDK give their interface
 * in the kernel the port's address. */
static bool is_unicast(const uint8_t mac[6])
{
    static const uint8_t none[6];
    return !(mac[0] & 1) && memcmp(mac, none, sizeof(none)) != 0;
}

/* A forger can send a packet that was not asked for: its MAC address is used, but verified soon. */
static void set_verified(struct neighbour_entry *entry, bool is_answer, bool is_news, int64_t now)
{
    bool is_asked = entry->state != NEIGHBOUR_KNOWN;
    if (is_answer && is_asked)
        entry->next_ns = now + KNOWN_FOR_NS;
    else if (is_news && entry->state != NEIGHBOUR_CHECKED)
        entry->next_ns = moment_min(entry->next_ns, now + QUICK_NS);
    else
        return;
    entry->state = NEIGHBOUR_KNOWN;
}

/* is_answer: by its looks, to a request of the node. */
static void learn(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6], bool is_answer,
                  int64_t now)
{
    struct neighbour_entry *entry = neighbour_find(n, ip);
    if (!entry || entry->state == NEIGHBOUR_STATIC || !is_unicast(mac))
        return;
    bool is_news = entry->state == NEIGHBOUR_ASKED || entry->state == NEIGHBOUR_SILENT || !entry->has_mac ||
                   memcmp(entry->mac, mac, sizeof(entry->mac)) != 0;
    memcpy(entry->mac, mac, sizeof(entry->mac));
    entry->has_mac = true;
    entry->heard_ns = now;
    if (entry->state == NEIGHBOUR_HEARD)
        return;
    set_verified(entry, is_answer, is_news, now);
    if (is_news)
        n->ops.tell(n->ops.arg, entry);
}

/* Makes an entry of a neighbour that asks for a local address; one without an address of its own probes. */
static void learn_asker(struct neighbour *n, const struct neighbour_ip *ip, const uint8_t mac[6], int64_t now)
{
    static const struct neighbour_ip unspecified;
    struct neighbour_ip probe = neighbour_ip_v4(0);
    if (neighbour_ip_is_same(ip, &probe) || neighbour_ip_is_same(ip, &unspecified) || neighbour_find(n, ip))
        return;
    struct neighbour_entry *entry = n->heard_count < NEIGHBOUR_HEARD_MAX && n->entry_count < NEIGHBOUR_ENTRIES
                                        ? &n->entries[n->entry_count++]
                                        : take_heard(n);
    if (!entry)
        return;
    *entry = (struct neighbour_entry){.ip = *ip, .state = NEIGHBOUR_HEARD, .next_ns = MOMENT_NEVER};
    n->heard_count++;
    learn(n, ip, mac, false, now);
}

static void neighbour_answer(struct neighbour *n, uint64_t *count, const uint8_t *frame, size_t octets)
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
    learn(n, &sender, arp.sender_mac, arp.operation == ARP_REPLY && neighbour_is_own(n, &target), now);
    if (arp.operation != ARP_REQUEST || !neighbour_is_own(n, &target) || neighbour_is_own(n, &sender) ||
        !is_unicast(arp.sender_mac))
        return false;
    learn_asker(n, &sender, arp.sender_mac, now);
    neighbour_answer(n, &n->arp_answers, out, neighbour_frame_reply(out, n->mac, &arp));
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
    neighbour_answer(n, &n->echo_answers, out, octets);
    return octets > 0;
}

/* A Neighbour Solicitation for a local address, from a neighbour, or from the unspecified address in
 * Duplicate Address Detection (RFC 4862 clause 5.4.3). */
static bool receive_solicitation(struct neighbour *n, const struct neighbour_frame6 *packet,
                                 const struct nd *nd, const uint8_t *src_mac, int64_t now)
{
    static const struct neighbour_ip unspecified;
    struct neighbour_ip target = neighbour_ip_v6(nd->target);
    uint8_t out[NEIGHBOUR_FRAME_OCTETS];
    bool is_probe = neighbour_ip_is_same(&packet->src, &unspecified);

    if (nd->has_mac && !is_probe)
        learn(n, &packet->src, nd->mac, false, now);
    if (!neighbour_is_own(n, &target) || neighbour_is_own(n, &packet->src) || !is_unicast(src_mac))
        return false;
    if (nd->has_mac && is_unicast(nd->mac))
        learn_asker(n, &packet->src, nd->mac, now);
    neighbour_answer(n, &n->arp_answers, out,
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
            learn(n, &target, nd.mac, nd.is_solicited && neighbour_is_own(n, &packet.dst), now);
        return false;
    }
    if (!neighbour_is_own(n, &packet.dst) || neighbour_is_own(n, &packet.src) || !is_unicast(src_mac))
        return false;
    size_t length = neighbour_frame6_echo(out, n->mac, &packet, src_mac);
    neighbour_answer(n, &n->echo_answers, out, length);
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
        [NEIGHBOUR_SILENT] = "silent", [NEIGHBOUR_STATIC] = "static", [NEIGHBOUR_HEARD] = "heard",
    };
    return names[state];
}
