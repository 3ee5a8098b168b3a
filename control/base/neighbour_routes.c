/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/neighbour_routes.h"

struct neighbour_ip neighbour_routes_hop(const struct neighbour_route *routes, unsigned count,
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
