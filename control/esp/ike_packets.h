/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of an IKE daemon between its TUN device and the ports: those of IKE alone, in both directions. */
#ifndef CONTROL_ESP_IKE_PACKETS_H
#define CONTROL_ESP_IKE_PACKETS_H

#include "dataplane/esp/sa_params.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct esp_live;
struct esp_ike;

/* Whether a port answers for the address. */
bool esp_ike_is_own(const struct esp_live *esp, const struct sa_address *address, bool is_ipv6);

/* Takes a frame with IKE, which stays the caller's. */
void esp_ike_packets_take(struct esp_live *esp, const uint8_t *frame, size_t octets);

/* Takes packets of the daemon; returns whether there may be more. */
bool esp_ike_packets_step(struct esp_live *esp, int64_t now);

/* Its device is open again. */
void esp_ike_packets_reopened(struct esp_live *esp);

/* The time of the next step, while packets wait for a next hop, or the device is gone. */
int64_t esp_ike_packets_due(const struct esp_ike *ike, int64_t now);

#endif
