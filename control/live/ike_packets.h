/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of an IKE daemon between its TUN device and the ports: those of IKE alone, in both directions. */
#ifndef CONTROL_LIVE_IKE_PACKETS_H
#define CONTROL_LIVE_IKE_PACKETS_H

#include "dataplane/esp/sa_params.h"

#include <stdbool.h>
#include <stdint.h>

struct live;
struct live_ike;

/* Whether a port answers for the address. */
bool live_ike_is_own(const struct live *live, const struct sa_address *address, bool is_ipv6);

/* Takes frames with IKE from the core from now on. */
void live_ike_packets_serve(struct live *live);

/* Takes packets of the daemon; returns whether there may be more. */
bool live_ike_packets_step(struct live *live, int64_t now);

/* Its device is open again. */
void live_ike_packets_reopened(struct live *live);

/* The time of the next step, while packets wait for a next hop, or the device is gone. */
int64_t live_ike_packets_due(const struct live_ike *ike, int64_t now);

#endif
