/* SPDX-License-Identifier: BSD-3-Clause */
/* Static routes: the next hop of a packet on its link. The longest matching prefix wins; without a match the
 * next hop is the destination. */
#ifndef CONTROL_BASE_NEIGHBOUR_ROUTES_H
#define CONTROL_BASE_NEIGHBOUR_ROUTES_H

#include "control/base/neighbour_ip.h"

#include <stdint.h>

struct neighbour_route {
    struct neighbour_ip to;
    uint8_t bits;            /* of `to`, 0 to 128 */
    bool is_direct;          /* the next hop is the destination */
    struct neighbour_ip via; /* the next hop otherwise */
};

/* The next hop towards dst. */
struct neighbour_ip neighbour_routes_hop(const struct neighbour_route *routes, unsigned count,
                                         const struct neighbour_ip *dst);

#endif
