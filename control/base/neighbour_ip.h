/* SPDX-License-Identifier: BSD-3-Clause */
/* An IP address of either version as 16 octets: IPv4 ones are mapped, ::ffff:a.b.c.d (RFC 4291
 * clause 2.5.5.2). */
#ifndef CONTROL_BASE_NEIGHBOUR_IP_H
#define CONTROL_BASE_NEIGHBOUR_IP_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NEIGHBOUR_IP_CHARS 46 /* of its text, with the end */

struct neighbour_ip {
    uint8_t octets[16];
};

static inline struct neighbour_ip neighbour_ip_v4(uint32_t address)
{
    struct neighbour_ip ip = {.octets = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
    bytes_put_u32(ip.octets + 12, address);
    return ip;
}

static inline struct neighbour_ip neighbour_ip_v6(const uint8_t octets[16])
{
    struct neighbour_ip ip;
    memcpy(ip.octets, octets, sizeof(ip.octets));
    return ip;
}

/* Of an IPv4 address the first four octets count. */
static inline struct neighbour_ip neighbour_ip_of(const uint8_t octets[16], bool is_ipv6)
{
    return is_ipv6 ? neighbour_ip_v6(octets) : neighbour_ip_v4(bytes_get_u32(octets));
}

static inline bool neighbour_ip_is_v4(const struct neighbour_ip *ip)
{
    static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return memcmp(ip->octets, mapped, sizeof(mapped)) == 0;
}

/* The IPv4 address; ip must be a mapped one. */
static inline uint32_t neighbour_ip_to_v4(const struct neighbour_ip *ip)
{
    return bytes_get_u32(ip->octets + 12);
}

static inline bool neighbour_ip_is_same(const struct neighbour_ip *a, const struct neighbour_ip *b)
{
    return memcmp(a->octets, b->octets, sizeof(a->octets)) == 0;
}

/* How many leading bits are equal: 0 to 128. */
unsigned neighbour_ip_common_bits(const struct neighbour_ip *a, const struct neighbour_ip *b);

/* Its text, into NEIGHBOUR_IP_CHARS; returns text. */
const char *neighbour_ip_print(const struct neighbour_ip *ip, char *text);

/* Static routes: the next hop of a packet on its link. The longest matching prefix wins; without a match the
 * next hop is the destination. */

struct neighbour_route {
    struct neighbour_ip to;
    uint8_t bits;            /* of `to`, 0 to 128 */
    bool is_direct;          /* the next hop is the destination */
    struct neighbour_ip via; /* the next hop otherwise */
};

/* The next hop towards dst. */
struct neighbour_ip neighbour_ip_hop(const struct neighbour_route *routes, unsigned count,
                                     const struct neighbour_ip *dst);

#endif
