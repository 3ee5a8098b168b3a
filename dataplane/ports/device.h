/* SPDX-License-Identifier: BSD-3-Clause */
/* A DPDK device by its name: virtual ones are made ("net_af_packet0,iface=eth1"), physical ones are there. */
#ifndef DATAPLANE_PORTS_DEVICE_H
#define DATAPLANE_PORTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rte_mempool;

struct device {
    uint16_t id; /* ethdev port, not yet configured */
    uint8_t mac[6];
};

/* Whether a name is a PCI address, which DPDK has to be told of before it starts. */
bool device_is_pci(const char *name);

/*
 * Makes or finds the device. False: error holds why, a text without an end of line. It ends with the port,
 * see port_close().
 */
bool device_open(struct device *device, const char *name, char *error, size_t cap);

/* Starts it with so many queues each way, whose frames lie in buffers of pool. False: error holds why. */
bool device_start(const struct device *device, uint16_t queues, struct rte_mempool *pool, char *error,
                  size_t cap);

/* Stops it, if it was started, and closes it. */
void device_close(const struct device *device);

/* Has the started port take frames to another MAC address than its own; what it cannot filter it lets all
 * pass. */
void device_set_mac(const struct device *device, const uint8_t mac[6]);

#endif
