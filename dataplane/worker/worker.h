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
#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"
#include "dataplane/worker/budget.h"
#include "dataplane/worker/tap_burst.h"
#include "dataplane/worker/fragments.h"
#include "dataplane/worker/gb_tx.h"
#include "dataplane/worker/gn_echo.h"
#include "dataplane/worker/hops.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/xworker.h"
#include "dataplane/worker/reassembly.h"
#include "dataplane/worker/signalling.h"
#include "dataplane/worker/stats.h"
#include "dataplane/worker/tunnels.h"

#include <stdbool.h>
#include <stdint.h>

#define WORKER_BURST         PORT_BURST
#define WORKER_SENDS         4 /* bursts of LLC-PDUs, at most, behind what a step receives */
#define WORKER_GN_MTU_OCTETS 1500

struct rte_mempool;

struct worker_config {
    const char *name;        /* of its rings and tables, unique in the process, at most 12 characters */
    unsigned number;         /* in TEIDs, below the number of workers */
    struct xworker *xworker; /* the ways to the others; NULL: it is alone */
    struct context_limits limits;
    uint32_t remote_mobiles_max; /* mobiles of this worker's that others serve, at a time */
    struct context_policy policy;
    uint32_t reassemblies;       /* uplink N-PDUs in pieces at a time */
    uint32_t fragments;          /* outer datagrams in pieces at a time */
    int64_t fragment_timeout_ns; /* outer fragments */
    uint16_t gn_port, gb_port;   /* ethdev ports, not yet started */
    uint8_t gn_mac[6], gn_peer_mac[6];
    uint16_t gn_queue, gb_queue; /* of those ports, when they are shared */
    bool are_ports_shared;       /* somebody else has started them, and will stop them */
    bool has_paging;             /* control pages mobiles that something waits for, see standby.h */
    bool punts_unknown_tlli; /* control may know mobiles that are not here: uplink frames of unknown ones go
                              to it, instead of being dropped */
    bool has_gtpc;           /* GTP-C goes to control */
    bool has_neighbours; /* frames of the links themselves go to control; it tells next hops, if gn_peer_mac
                            is none */
    unsigned gn_mtu_octets;       /* longest IP packet on Gn; 0: 1500 */
    bool is_gn_whole;             /* what does not fit is dropped; else it goes in fragments */
    bool is_any_ggsn;             /* take a tunnel's packets from other addresses than its GGSN's, too */
    bool no_uplink_filter;        /* send on what mobiles send, whatever it is and claims to be */
    const struct gea_engine *gea; /* static; NULL: ciphering cannot be switched on */
    struct rte_mempool *rx_pool;  /* what is received and waits */
    struct rte_mempool *tx_pool;  /* frames made here: a supply of their own, or waiting packets could keep
                                     them from leaving */
};

/* Read and written by the worker's core only, but for rings and what stats.h says. */
struct worker {
    struct context context;
    struct lookup lookup;
    struct tunnels tunnels;
    struct xworker *xworker; /* NULL: alone */
    unsigned number;
    struct moves moves;
    struct orders orders;
    struct fragments fragments;
    struct gn_echo echo;
    struct reassembly reassembly;
    struct port gn, gb;
    struct gb_tx_outbox outbox;
    struct signalling signalling;
    struct msg_rings rings; /* to_worker: read here; to_control: written here */
    struct rte_ring *trace; /* written here; NULL: no events are wanted */
    struct tap *tap;        /* control's; NULL: none yet */
    struct rte_mempool *tx_pool;
    const struct gea_engine *gea; /* as configured */
    struct hops hops;             /* on Gn */
    uint8_t gn_mac[6];
    uint32_t gn_fragment_id;
    uint16_t gn_ip_id;
    unsigned gn_mtu_octets;
    bool is_gn_whole, is_any_ggsn, no_uplink_filter, punts_unknown_tlli, has_neighbours, has_paging,
        has_gtpc;                            /* as configured */
    struct budget echo_budget, error_budget; /* apart, or errors could keep a path from being found alive */
    struct budget neighbour_budget;
    unsigned punts_max;    /* messages to control beyond which no buffer of Gb's goes there */
    int64_t gtpc_whole_ns; /* when the allowance of GTP-C is whole again */
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
 * it. What other workers pass is input, too.
 */
int64_t worker_step(struct worker *w, int64_t now);

#endif
