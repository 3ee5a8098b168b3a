/* SPDX-License-Identifier: BSD-3-Clause */
/* The ends of tunnels of ESP, as a port's link needs them: packets in a tunnel go to the next hop of its far
 * end, and neighbours ask for its near end. */
#ifndef CONTROL_ESP_TUNNELS_H
#define CONTROL_ESP_TUNNELS_H

#include "control/base/neighbour_ip.h"
#include "dataplane/esp/rules.h"

#include <stdbool.h>
#include <stdint.h>

/* UDP packets from one end to the other, of one IP version. */
struct tunnels_way {
    struct neighbour_ip local, remote;
    uint16_t local_port, remote_port;
};

/* The far end of the tunnel of packets that leave so. False: there is none. rules NULL: no ESP. */
bool tunnels_far(const struct rules *rules, const struct tunnels_way *way, struct neighbour_ip *end);

/* The near ends of all tunnels that rules name, some of them several times; returns how many, at most `most`.
 */
unsigned tunnels_near(const struct rules *rules, struct neighbour_ip *ends, unsigned most);

#endif
