/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: everything one core needs to carry users' packets, and the one function that does it.
 *
 *     deadline = worker_step(worker, now)
 *
 * One bounded pass: messages from control, uplink, downlink receipt, then what the scheduler lets go is
 * framed and sent. It reads no clock and makes no system call; poll-mode cores, virtual time and benchmarks
 * call the same function.
 */
#ifndef DATAPLANE_WORKER_WORKER_H
#define DATAPLANE_WORKER_WORKER_H

#include "dataplane/context/context.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/budget.h"
#include "dataplane/worker/fragments.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/reassembly.h"
#include "dataplane/worker/stats.h"

#include <stdbool.h>
#include <stdint.h>

#define WORKER_BURST PORT_BURST

struct rte_mempool;

struct worker_config {
    const char *name; /* of its rings and tables, unique in the process, at most 12 characters */
    struct context_limits limits;
    struct lifetime lifetime;
    uint32_t reassemblies;       /* uplink N-PDUs in pieces at a time */
    uint32_t fragments;          /* outer datagrams in pieces at a time */
    int64_t fragment_timeout_ns; /* outer fragments */
    uint16_t gn_port, gb_port;   /* ethdev ports, not yet started */
    uint8_t gn_mac[6], gn_peer_mac[6];
    bool is_any_ggsn;            /* take a tunnel's packets from other addresses than its GGSN's, too */
    struct rte_mempool *rx_pool; /* what is received and waits */
    struct rte_mempool *tx_pool; /* frames made here: a supply of their own, or waiting packets could keep
                                    them from leaving */
};

/* Read and written by the worker's core only, but for rings and what stats.h says. */
struct worker {
    struct context context;
    struct lookup lookup;
    struct fragments fragments;
    struct reassembly reassembly;
    struct port gn, gb;
    struct msg_rings rings; /* to_worker: read here; to_control: written here */
    struct rte_ring *trace; /* written here; NULL: no events are wanted */
    struct rte_mempool *tx_pool;
    uint8_t gn_mac[6], gn_peer_mac[6];
    uint16_t gn_ip_id;
    bool is_any_ggsn;                        /* as configured */
    struct budget echo_budget, error_budget; /* apart, or errors could keep a path from being found alive */
    struct worker_stats stats;
};

/*
 * Takes all memory and starts both ports. NULL when something is missing; error then says what (static
 * string). The pools stay the caller's.
 */
struct worker *worker_new(const struct worker_config *config, const char **error);

/* Frees everything, also the packets that wait. */
void worker_free(struct worker *w);

/*
 * One pass at now (never less than in the call before). Returns the instant at which there will be something
 * to do without new input: now itself when this pass moved anything, MOMENT_NEVER when only input can wake
 * it.
 */
int64_t worker_step(struct worker *w, int64_t now);

#endif
