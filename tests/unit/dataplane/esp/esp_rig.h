/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ends of ESP, and packets between them. */
#ifndef TESTS_UNIT_DATAPLANE_ESP_ESP_RIG_H
#define TESTS_UNIT_DATAPLANE_ESP_ESP_RIG_H

#include "dataplane/base/drop.h"
#include "dataplane/esp/esp.h"
#include "dataplane/esp/sa.h"

#include <stdbool.h>
#include <stdint.h>

#define ESP_RIG_BUFFERS 2047
#define ESP_RIG_OPS     511
#define ESP_RIG_DEVICES SA_DEVICES
#define ESP_RIG_SPI     0x1001
#define ESP_RIG_WINDOW  128

struct esp_rig_case {
    enum sa_suite suite;
    bool is_tunnel, is_ipv6, is_inner_ipv6, has_esn, has_encap;
    uint8_t dscp; /* of a tunnel; 0: that of the packet inside */
    uint64_t first_sequence;
};

/* One direction between two ends. */
struct esp_rig {
    struct sa *out, *in;
    struct rules *near, *far;
    struct esp sender, receiver;
    uint64_t drops[DROP_COUNT], unsent[DROP_COUNT];
};

extern struct rte_mempool *esp_rig_buffers, *esp_rig_ops;
extern struct sa_device esp_rig_devices[ESP_RIG_DEVICES]; /* name NULL: it is not here */

/* Starts DPDK with the devices. 0, or -1. */
int esp_rig_start(void **state);

/* Whether a device here has the suite. Without it says so, and fails on CI. */
bool esp_rig_has(enum sa_suite suite);

/* The device whose turn it is, else the first one that is here and has the suite. */
const struct sa_device *esp_rig_device(enum sa_suite suite);

/* Runs tests once for each device that has AES-GCM: its turn. Returns how many failed. */
int esp_rig_run(int (*group)(void));

void esp_rig_new(struct esp_rig *rig, const struct esp_rig_case *c, const struct sa_device *device);

/* All buffers and operations must have come back. */
void esp_rig_free(struct esp_rig *rig);

/* UDP in IP with `octets` of random payload and this TOS, in an Ethernet frame. */
struct rte_mbuf *esp_rig_packet(bool is_ipv6, unsigned octets, uint8_t tos);

struct rte_mbuf *esp_rig_copy(struct rte_mbuf *frame);
bool esp_rig_is_same(struct rte_mbuf *a, struct rte_mbuf *b);

#endif
