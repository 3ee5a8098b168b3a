/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/neighbour_ip.h"

#include <arpa/inet.h>

unsigned neighbour_ip_common_bits(const struct neighbour_ip *a, const struct neighbour_ip *b)
{
    for (unsigned i = 0; i < sizeof(a->octets); i++) {
        unsigned differing = a->octets[i] ^ b->octets[i];
        if (differing != 0)
            return 8 * i + (unsigned)__builtin_clz(differing) - 24;
    }
    return 128;
}

const char *neighbour_ip_print(const struct neighbour_ip *ip, char *text)
{
    bool is_v4 = neighbour_ip_is_v4(ip);
    const char *end =
        inet_ntop(is_v4 ? AF_INET : AF_INET6, ip->octets + (is_v4 ? 12 : 0), text, NEIGHBOUR_IP_CHARS);
    return end ? text : "?";
}

struct neighbour_ip neighbour_ip_hop(const struct neighbour_route *routes, unsigned count,
                                     const struct neighbour_ip *dst)
{
    const struct neighbour_route *best = NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct neighbour_route *route = &routes[i];
        if (neighbour_ip_common_bits(&route->to, dst) >= route->bits && (!best || route->bits > best->bits))
            best = route;
    }
    return best && !best->is_direct ? best->via : *dst;
}
