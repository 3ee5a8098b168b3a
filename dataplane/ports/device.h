/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A DPDK device by its name: virtual devices are created ("net_af_packet0,iface=eth1"), physical ones are
 * found.
 */
#ifndef DATAPLANE_PORTS_DEVICE_H
#define DATAPLANE_PORTS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVICE_DESCRIPTORS 1024 /* of a queue, each with a buffer of the pool */

struct rte_mempool;

struct device {
    uint16_t id; /* ethdev port, not yet configured */
    uint8_t mac[6];
    int rx_signal; /* see device_nudge(); 0: none */
};

/* Whether a name is a PCI address, which EAL must be given at its start. */
bool device_is_pci(const char *name);

/* Copies the kernel's network interface that the name has as an argument ("iface="), cut to cap. False: none.
 */
bool device_interface(const char *name, char *out, size_t cap);

/*
 * Creates or finds the device. False: error holds the reason, a text without a newline. device_close()
 * closes it.
 */
bool device_open(struct device *device, const char *name, char *error, size_t cap);

/*
 * Starts the device with `queues` receive and transmit queues, whose frames use buffers of pool. False:
 * error holds the reason.
 */
bool device_start(struct device *device, uint16_t queues, struct rte_mempool *pool, char *error, size_t cap);

/*
 * Lets a net_tap device look for received frames. Its driver reads the kernel's queue only after a signal,
 * which the kernel sends for a frame that it adds to the queue: once the queue is full, as after a lack of
 * buffers, no signal comes any more, and the device would receive nothing for ever. Other devices need no
 * nudge.
 */
void device_nudge(const struct device *device);

/* Stops the device, if it was started, and closes it. */
void device_close(const struct device *device);

/*
 * Lets the started port receive frames to another MAC address; promiscuous where the device cannot filter
 * it.
 */
void device_set_mac(const struct device *device, const uint8_t mac[6]);

#endif
