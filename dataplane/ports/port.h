/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ethdev port, or one receive and one transmit queue of a port, as a worker uses it. Frames that the port
 * does not accept at once stay in a list of `pending` frames and are sent first next time: a frame that left
 * the scheduler is never dropped for lack of room.
 */
#ifndef DATAPLANE_PORTS_PORT_H
#define DATAPLANE_PORTS_PORT_H

#include "dataplane/ports/gate.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rte_mbuf;
struct rte_mempool;

#define PORT_BURST    64
#define PORT_PENDING  (4 * PORT_BURST)
#define PORT_REFUSALS 1000000 /* some seconds, also of a worker that polls */

/* A guard protects a port's frames. Each function takes a burst of at most PORT_BURST frames, leaves those
 * that pass at its front, frees and counts the others, or keeps them until it has the rest of their packet,
 * and returns the number of the former. */
#define PORT_GUARDED RTE_MBUF_F_RX_SEC_OFFLOAD /* of a frame that a guard has proven; no device does */

struct port_guard {
    void *arg;
    unsigned (*receive)(void *arg, struct rte_mbuf **frames, unsigned count);
    unsigned (*send)(void *arg, struct rte_mbuf **frames, unsigned count);
};

struct port {
    uint16_t id;
    uint16_t queue; /* of receive and transmit */
    uint16_t pending_count, guarded_count, tagged_count;
    uint16_t vlan; /* of all frames; 0: none */
    bool is_shared;
    bool is_scattered; /* frames of several buffers may come */
    bool is_tagged_by_device;
    bool sums_udp;          /* the device writes UDP checksums (port_leave_sum()) */
    atomic_bool is_down;    /* the link is: another thread says so */
    atomic_bool loses;      /* what is sent, as it is down */
    uint64_t mac, mac_mask; /* the first octets of frames to it, and which of them count: none, or six */
    uint64_t lost;     /* frames not sent because the link was down, or that the device refused for long */
    uint32_t refusals; /* of the oldest pending frame, in a row */
    const struct port_guard *guard; /* NULL: none */
    struct gate gate;
    struct rte_mbuf *pending[PORT_PENDING];
};

/* The settings of a port besides its queues, by its device. */
struct port_settings {
    uint16_t vlan;
    bool is_scattered, is_tagged_by_device, sums_udp;
    bool has_mac; /* frames to others than mac are strays (port_is_stray()) */
    uint8_t mac[6];
};

/* Counters of frames that port_sift() frees. */
struct port_sifted {
    uint64_t *too_long, *other_vlan, *other_mac;
};

/* Configures and starts an ethdev port; received frames use buffers of pool. 0, or a negative errno. */
int port_open(struct port *port, uint16_t id, struct rte_mempool *pool);

/* One queue of a port that the caller starts before, and stops after all its queues are closed. */
void port_share(struct port *port, uint16_t id, uint16_t queue, const struct port_settings *settings);

/* Frames to others than this MAC address are strays from now on (port_is_stray()). */
void port_set_mac(struct port *port, const uint8_t mac[6]);

/* Frees frames that were not sent; stops and closes what port_open() started. */
void port_close(struct port *port);

/* Receives up to PORT_BURST frames, which the caller then owns. Returns their number. */
uint16_t port_receive(struct port *port, struct rte_mbuf **frames);

/* Whether received frames must be sifted. */
static inline bool port_must_sift(const struct port *port)
{
    return port->is_scattered || port->vlan || port->guard;
}

/*
 * Removes the VLAN tag of received frames, joins those of several buffers that fit one, and gives them to the
 * guard. Frees and counts the others, frames without the port's tag, and strays that the guard would take.
 * Returns how many of the frames are left.
 */
unsigned port_sift(const struct port *port, struct rte_mbuf **frames, unsigned count,
                   const struct port_sifted *sifted);

/* Whether a frame, of which eight octets can be read, is to the port's MAC address; true if it has none. */
static inline bool port_is_addressed(const struct port *port, const uint8_t *frame)
{
    uint64_t octets;
    memcpy(&octets, frame, sizeof(octets));
    return ((octets ^ port->mac) & port->mac_mask) == 0;
}

/*
 * Whether a received frame is not for this host: to another host's MAC address, or to that of a group around
 * an IP packet to one host's address (RFC 1122 clause 3.3.6).
 */
bool port_is_stray(const struct port *port, const struct rte_mbuf *frame);

/* Whether the port's link is down: what is sent then is lost. */
static inline bool port_is_down(const struct port *port)
{
    return __builtin_expect(atomic_load_explicit(&port->is_down, memory_order_relaxed), 0);
}

/* Tells the port that its link is down, or up again. Any thread may call it. */
static inline void port_set_down(struct port *port, bool is_down)
{
    atomic_store_explicit(&port->loses, is_down, memory_order_relaxed);
    atomic_store_explicit(&port->is_down, is_down, memory_order_relaxed);
}

/* The link is coming up: frames of the control core are sent, users' still wait. */
static inline void port_wake(struct port *port)
{
    atomic_store_explicit(&port->loses, false, memory_order_relaxed);
}

/*
 * Leaves the UDP checksum of a frame over IPv6 to the device: writes the sum of the pseudo-header in its
 * place. ip_offset: of the IPv6 header, which UDP follows. Only if sums_udp is set.
 */
void port_leave_sum(struct rte_mbuf *frame, unsigned ip_offset);

/* The UDP checksum of a received frame, as the device found it. */
enum port_sum { PORT_SUM_UNKNOWN, PORT_SUM_GOOD, PORT_SUM_BAD };
enum port_sum port_udp_sum(const struct rte_mbuf *frame);

/* How many frames port_send() is sure to accept. */
static inline unsigned port_room(const struct port *port)
{
    return PORT_PENDING - port->pending_count;
}

/* Takes ownership of a frame; port_room() must not be 0. port_flush() sends it. */
static inline void port_send(struct port *port, struct rte_mbuf *frame)
{
    port->pending[port->pending_count++] = frame;
}

/* The same of a frame that the guard has passed: it leaves before those that the guard has not seen. */
void port_send_guarded(struct port *port, struct rte_mbuf *frame);

/* Gives pending frames that are new to the guard, as port_flush() does first. */
void port_protect(struct port *port);

/*
 * Sends pending frames; returns how many the port accepted, or lost because its link is down. A frame that
 * the device refuses PORT_REFUSALS times in a row is freed, so that it does not hold up all others for ever.
 */
unsigned port_flush(struct port *port);

/*
 * A port without hardware: an ethdev port made of two rings, whose other ends the program fills and empties.
 * Virtual time and tests use it; to the worker it is an ordinary port.
 */
#define VPORT_SHORT_OCTETS 128 /* an ACK or a SYN of TCP in GTP-U */

struct rte_ring;

struct vport {
    uint16_t id;                 /* ethdev port */
    struct rte_ring *to_worker;  /* frames that the worker will receive */
    struct rte_ring *to_outside; /* frames that the worker sent */
    struct rte_mempool *pool;
    struct rte_mempool *short_pool; /* of frames up to VPORT_SHORT_OCTETS; NULL: `pool` has them, too */
};

/* Creates the port; frames pushed into it are copied to buffers of pool. 0, or a negative errno. */
int vport_new(struct vport *vport, const char *name, struct rte_mempool *pool);

/* Frees the rings and the frames in them. The ethdev port must be closed before. */
void vport_free(struct vport *vport);

/*
 * Puts a frame on the ring to the worker. 0, -EAGAIN: ring full, -ENOBUFS: no buffer, -EMSGSIZE: too long
 * for one.
 */
int vport_push(struct vport *vport, const uint8_t *frame, size_t octets);

/* Takes a frame that the worker sent, NULL when there is none. The caller frees it. */
struct rte_mbuf *vport_pull(struct vport *vport);

#endif
