/* SPDX-License-Identifier: BSD-3-Clause */
/* Static routes: who a packet is handed to on its link. The longest prefix wins; without any that fits the
 * packet goes to its destination itself. */
#ifndef CONTROL_BASE_NEIGHBOUR_ROUTES_H
#define CONTROL_BASE_NEIGHBOUR_ROUTES_H

#include "control/base/neighbour_ip.h"

#include <stdint.h>

struct neighbour_route {
    struct neighbour_ip to;
    uint8_t bits;            /* of `to`, 0 to 128 */
    bool is_direct;          /* on the link: to the destination itself */
    struct neighbour_ip via; /* else */
};

/* The next hop towards dst. */
struct neighbour_ip neighbour_routes_hop(const struct neighbour_route *routes, unsigned count,
                                         const struct neighbour_ip *dst);

#endif
