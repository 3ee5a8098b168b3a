/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An IP host in virtual time: TCP connections and listeners, UDP ports, ICMP echo. It answers pings, and
 * sends RST to TCP segments without a connection. It sends and receives whole IPv4 packets; their
 * identification increments by one per destination. The time of a host never goes back.
 */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/tcp.h"
#include "sim/timers.h"

struct host;

struct host_config {
    uint32_t address; /* host order */
    /* Sends a packet. bytes are valid during the call, which must not call back into this host. */
    void (*emit)(void *arg, const uint8_t *bytes, size_t octets, int64_t now);
    void *arg;
    uint64_t seed;            /* of initial sequence numbers */
    uint32_t max_connections; /* TIME-WAIT included; beyond a limit: refused and counted */
    uint32_t max_listeners;   /* TCP and UDP and echo together */
    uint32_t max_timers;      /* applications' timers (struct host_timer) */
    uint32_t max_peers;       /* destinations with their own identification counter */
    struct timers *agenda;    /* of many hosts, outlives this one; NULL: none */
    uint32_t rank;            /* on the agenda: of hosts due at one instant the lower one is stepped first */
};

struct host_stats {
    uint64_t packets_sent, packets_received, octets_sent, octets_received;
    uint64_t not_ours, malformed, checksum, resets_sent, unreachable;
    uint64_t connections_full, peers_full; /* peers_full: packets to destinations beyond max_peers */
};

/* Copies the configuration. NULL: no memory. */
struct host *host_new(const struct host_config *config);
void host_free(struct host *h);

/* Handles a packet that arrived. Malformed packets and packets to other addresses are counted and dropped. */
void host_rx(struct host *h, const uint8_t *bytes, size_t octets, int64_t now);

/* Runs the timers that are due; returns the next deadline, MOMENT_NEVER without one. */
int64_t host_step(struct host *h, int64_t now);

/*
 * Steps the hosts of an agenda that have due timers; returns the agenda's next deadline, MOMENT_NEVER without
 * one. A host without a due timer costs nothing.
 */
int64_t host_step_agenda(struct timers *agenda, int64_t now);

uint32_t host_address(const struct host *h);
const struct host_stats *host_stats(const struct host *h);

struct host_remote {
    uint32_t address;
    uint16_t port;
    const struct tcp_params *params;     /* must outlive the connection */
    const struct tcp_observer *observer; /* may be NULL */
};

/*
 * Opens a connection from the next free port (49152 and up); the SYN is sent before this returns. The host
 * owns the connection, which is valid until its on_closed(). NULL: no room, or bad parameters.
 */
struct tcp *host_connect(struct host *h, const struct host_remote *remote, const struct tcp_events *events,
                         int64_t now);

/*
 * A TCP listener. accept() may set events and observer of the new connection, which has not answered yet; it
 * returns false to refuse it with RST.
 */
struct host_listener {
    uint16_t port;
    uint32_t remote;                 /* only from this address; 0: from any without a listener of its own */
    const struct tcp_params *params; /* must outlive the listener and its connections */
    void *arg;
    bool (*accept)(void *arg, struct tcp *t, int64_t now);
    bool is_deaf; /* it does not answer SYNs */
};
bool host_listen(struct host *h, const struct host_listener *listener); /* false: taken, or no room */
void host_unlisten(struct host *h, uint16_t port, uint32_t remote);

/* Receives datagrams to a UDP port from a remote address, 0: from any, or echo replies to an identifier;
   `packet` is valid during the call. */
typedef void host_receive(void *arg, const struct ip_packet *packet, int64_t now);
bool host_bind_udp(struct host *h, uint32_t remote, uint16_t port, host_receive *receive,
                   void *arg); /* false: taken, or no room */
void host_unbind_udp(struct host *h, uint32_t remote, uint16_t port);
bool host_bind_echo(struct host *h, uint16_t id, host_receive *receive, void *arg); /* likewise */

/*
 * Sends a packet that ip_packet_encode() can write; fills in src and identification. False: it cannot be
 * encoded.
 */
bool host_send(struct host *h, const struct ip_packet *packet, int64_t now);

/* A timer of an application on this host; fire() may set it again. */
struct host_timer {
    struct timer timer; /* first */
    void (*fire)(void *arg, int64_t now);
    void *arg;
};
/* Sets or moves it. False: no room (max_timers). */
bool host_timer_set(struct host *h, struct host_timer *timer, int64_t at_ns);
void host_timer_cancel(struct host *h, struct host_timer *timer);

#endif
