/* SPDX-License-Identifier: BSD-3-Clause */
/* The ports of a live node, two DPDK devices with a queue for each worker: how they are started, what their
 * links do, and when a card is taken out. */
#ifndef CONTROL_LIVE_PORTS_H
#define CONTROL_LIVE_PORTS_H

#include "control/sessions/node.h"
#include "dataplane/ports/device.h"
#include "dataplane/ports/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct links;

struct live_port {
    enum msg_port number;
    const char *side; /* gn or gb */
    const struct live_config_port *config;
    struct device device;
    bool is_open, is_up, was_up, is_told, is_waking;
    uint8_t mac[6];      /* that frames come to */
    bool is_gone;        /* its interface in the kernel */
    bool keeps_mac;      /* the device cannot take the configured MAC address */
    bool is_short;       /* the device takes only shorter packets than the configured MTU */
    bool was_steered;    /* the warning of is_steered() was given */
    bool is_narrow;      /* the kernel's interface takes only shorter packets than the configured MTU */
    unsigned kernel_mtu; /* of that interface; 0: none */
    uint32_t speed_mbps;
    int64_t look_ns; /* when the next look at the link is due */
    uint64_t downs;  /* times that the link went down */
};

struct live_ports {
    struct live_port gn, gb;
    int64_t nudge_ns;              /* when it is due */
    struct gate_refusals refusals; /* of which a line has told */
    char removed[64];              /* its name, written before is_removed */
    atomic_bool is_removed;        /* a card was taken out: DPDK's thread says so */
};

/* Makes the devices of a configuration. False, with a line on stderr: one of them failed. */
bool live_ports_open(struct live_ports *ports, const struct live_config *config);

/* The NUMA node of the devices, Gn's first; SOCKET_ID_ANY: they have none. */
int live_ports_numa_node(const struct live_ports *ports);

/*
 * Starts the devices, with mbufs of the node; writes their MAC addresses to the configuration where it has
 * none. False, with a line on stderr: one of them failed.
 */
bool live_ports_start(struct live_ports *ports, struct node *node);

/* Fills in the ports of each worker: the queues with the worker's number. */
void live_ports_deal(const struct live_ports *ports, unsigned workers, struct node_ports *out);

/* Log lines of what each port got, and of what slows it down. */
void live_ports_tell(const struct live_ports *ports, const struct node *node);

/*
 * Nudges the devices that need it, and looks at the links: while one is down, workers send nothing to it.
 * Returns the next deadline.
 */
int64_t live_ports_step(struct live_ports *ports, struct links *links, int64_t now);

/* Frames that the workers did not get rid of on a port, as struct port says. */
uint64_t live_port_lost(const struct live_port *port, const struct node *node);

/* The link of a port: up, down, starting or gone. */
const char *live_port_link_text(const struct live_port *port);

/* Whether a card was taken out, with a log line. */
bool live_ports_is_removed(struct live_ports *ports, const struct node *node);

/* Whether a driver keeps packet buffers that it does not give back when it is closed. */
bool live_ports_keep_buffers(const struct live_ports *ports);

/* Stops and closes the open devices; no worker may be in a step. */
void live_ports_close(struct live_ports *ports);

#endif
