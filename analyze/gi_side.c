/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_side.h"

#include "dataplane/base/bytes.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

static struct gi_address mask_of(unsigned bits)
{
    return (struct gi_address){
        .high = bits == 0 ? 0 : UINT64_MAX << (bits < 64 ? 64 - bits : 0),
        .low = bits <= 64 ? 0 : UINT64_MAX << (128 - bits),
    };
}

static bool is_in(struct gi_address a, const struct gi_prefix *p)
{
    return (a.high & p->mask.high) == p->address.high && (a.low & p->mask.low) == p->address.low;
}

/* Reads an address. Returns the prefix bits of its kind within 128; -1: not an address. */
static int read_address(const char *text, struct gi_address *out)
{
    uint8_t octets[16];
    if (inet_pton(AF_INET, text, octets) == 1) {
        *out = gi_packet_ipv4(bytes_get_u32(octets));
        return 96;
    }
    if (inet_pton(AF_INET6, text, octets) != 1)
        return -1;
    *out = gi_packet_ipv6(octets);
    return 0;
}

bool gi_side_add(struct gi_prefixes *told, const char *text)
{
    char copy[64];
    struct gi_address address;
    if (strlen(text) >= sizeof(copy) || told->count == GI_SIDE_PREFIXES)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    char *slash = strchr(copy, '/'), *end = copy;
    if (slash)
        *slash = 0;
    int before = read_address(copy, &address);
    long bits = slash ? strtol(slash + 1, &end, 10) : 128 - before;
    if (before < 0 || (slash && (*end || end == slash + 1)) || bits < 0 || bits > 128 - before)
        return false;
    struct gi_address mask = mask_of((unsigned)before + (unsigned)bits);
    address.high &= mask.high;
    address.low &= mask.low;
    told->list[told->count++] = (struct gi_prefix){address, mask};
    return true;
}

static bool is_told(const struct gi_prefixes *told, struct gi_address a)
{
    for (unsigned i = 0; i < told->count; i++) {
        if (is_in(a, &told->list[i]))
            return true;
    }
    return false;
}

static bool is_private(struct gi_address a)
{
    uint32_t ip = (uint32_t)a.low;
    if (!gi_packet_is_ipv4(a))
        return a.high >> 57 == 0xfc >> 1;
    return ip >> 24 == 10 || ip >> 20 == 0xac1 || ip >> 16 == 0xc0a8 || ip >> 22 == 0x64400000 >> 22;
}

/* The mobile's side if exactly one of the two may be the mobile. */
static enum gi_side one_of(bool src, bool dst)
{
    return src == dst ? GI_SIDE_UNKNOWN : src ? GI_SIDE_UPLINK : GI_SIDE_DOWNLINK;
}

static enum gi_side side_of_syn(const struct gi_packet *p)
{
    if (!p->is_tcp || !(p->flags & GI_PACKET_SYN))
        return GI_SIDE_UNKNOWN;
    return p->flags & GI_PACKET_ACK ? GI_SIDE_DOWNLINK : GI_SIDE_UPLINK;
}

enum gi_side gi_side_of(const struct gi_prefixes *told, const struct gi_users *users,
                        const struct gi_packet *p)
{
    if (told->count)
        return one_of(is_told(told, p->src), is_told(told, p->dst));
    enum gi_side side =
        one_of(gi_users_find(users, p->src) != GI_USERS_NONE, gi_users_find(users, p->dst) != GI_USERS_NONE);
    if (side == GI_SIDE_UNKNOWN)
        side = one_of(is_private(p->src), is_private(p->dst));
    return side == GI_SIDE_UNKNOWN ? side_of_syn(p) : side;
}
