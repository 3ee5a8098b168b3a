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

#define DEVICE_DESCRIPTORS    1024 /* of a queue, each with a buffer of the pool */
#define DEVICE_QUEUES         16   /* at most: of the workers */
#define DEVICE_OFFLOADS_CHARS 96

struct rte_eth_dev_info;
struct rte_mempool;

/* How received frames come to the queues. */
enum device_spread {
    DEVICE_SPREAD_ONE,       /* there is one queue */
    DEVICE_SPREAD_DRIVER,    /* as the driver or the peer deals them: it has no RSS */
    DEVICE_SPREAD_HOSTS,     /* RSS over the outer addresses: the driver does not read UDP */
    DEVICE_SPREAD_ADDRESSES, /* RSS over the outer addresses and ports */
    DEVICE_SPREAD_TEID,      /* rte_flow: RSS over the TEID of GTP-U, the rest as ADDRESSES */
    DEVICE_SPREAD_OWN, /* rte_flow: to the queue of the worker that the TEID names, the rest as ADDRESSES */
};

/* The wishes of a node for a port. */
struct device_wishes {
    uint16_t queues;     /* of each direction: one for each worker */
    uint16_t mtu_octets; /* longest IP packet to send */
    uint16_t vlan;       /* VLAN identifier of all frames; 0: no tag */
    bool is_promiscuous;
    bool has_offloads; /* those of the driver that save time; else none */
    unsigned
        teid_shift; /* G-PDUs come in, whose TEIDs name a worker in the bits from this one on; 0: none do */
};

/*
 * The wishes that a port gets, by what its driver can. Checksums are UDP's over IPv6, which cover a whole
 * frame; that of an IPv4 header takes less time in software than the test of a flag saves
 * (docs/benchmark-setup.md).
 */
struct device_plan {
    uint64_t rss_types, rx_offloads, tx_offloads; /* RTE_ETH_* */
    uint16_t mtu_octets;                          /* longer than usual; 0: the driver's default */
    uint16_t reta_entries;
    bool is_scattered; /* frames may be longer than a packet buffer */
};

struct device {
    uint16_t id;              /* ethdev port, not yet configured */
    const char *name;         /* as opened */
    unsigned interface_index; /* of the kernel's interface that it is on; 0: none */
    uint8_t mac[6];
    int rx_signal; /* see device_nudge(); 0: none */
    uint16_t queues, vlan;
    struct device_plan plan;
    enum device_spread spread;
};

/*
 * Creates or finds the device; the name must outlive it. False: error holds the reason, a text without a
 * newline. device_close() closes it.
 */
bool device_open(struct device *device, const char *name, char *error, size_t cap);

/* The plan of a port with this info and packet buffers of buffer_octets behind their headroom. False: it has
 * too few queues. */
bool device_plan_make(struct device_plan *plan, const struct rte_eth_dev_info *info,
                      const struct device_wishes *wishes, uint16_t buffer_octets);

/*
 * Starts the device as asked; received frames use buffers of pool. False: error holds the reason.
 */
bool device_start(struct device *device, const struct device_wishes *wishes, struct rte_mempool *pool,
                  char *error, size_t cap);

/*
 * Rules of a started port (rte_flow, steer.c). A card that cannot read GTP refuses them: false, and the port
 * has none. They end with the port. The first brings each G-PDU whose TEID names a worker in the bits from
 * teid_shift on to the queue with the worker's number; the second spreads G-PDUs by a hash over the TEID.
 */
bool device_steer_to_workers(uint16_t port_id, uint16_t queues, unsigned teid_shift);
bool device_steer_by_hash(uint16_t port_id, uint16_t queues);

/* The spread in words, for log lines and tables. */
const char *device_spread_text(enum device_spread spread);

/* Writes the offloads in use, such as "udp-checksum-rx vlan-strip", cut to DEVICE_OFFLOADS_CHARS; "none". */
void device_offloads_text(const struct device_plan *plan, char out[DEVICE_OFFLOADS_CHARS]);

/* The driver's name, a static text; "" if the device is gone. */
const char *device_driver(const struct device *device);

/* The MTU of the kernel's interface that the device is on; 0: it is on none. */
unsigned device_interface_mtu(const struct device *device);

/* GONE: the kernel's interface, which the device was on, is no longer there. */
enum device_link { DEVICE_LINK_DOWN, DEVICE_LINK_UP, DEVICE_LINK_GONE };

/* The state of the started device's link, and its speed; 0: not known. */
enum device_link device_look(const struct device *device, uint32_t *speed_mbps);

/* The NUMA node of the device; -1: it has none. */
int device_numa_node(const struct device *device);

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
 * Lets the started port receive frames to another MAC address. False: the device keeps its own; it receives
 * the frames only if its peer sends it all frames, or if it is promiscuous.
 */
bool device_set_mac(const struct device *device, const uint8_t mac[6]);

#endif
