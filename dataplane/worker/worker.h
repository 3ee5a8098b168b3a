/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker: the tables of one lcore that carries users' packets, and its function
 *
 *      deadline = worker_step(worker, now)
 *
 * One bounded pass: messages from control, uplink, downlink receipt, then LLC-PDUs from the scheduler are
 * framed and sent. It reads no clock and makes no system call; lcores, virtual time and benchmarks call the
 * same function.
 */
#ifndef DATAPLANE_WORKER_WORKER_H
#define DATAPLANE_WORKER_WORKER_H

#include "dataplane/base/budget.h"
#include "dataplane/base/recent.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/pacing/pacing.h"
#include "dataplane/ports/port.h"
#include "dataplane/context/context.h"
#include "dataplane/context/marking.h"
#include "dataplane/worker/forward.h"
#include "dataplane/worker/fragments.h"
#include "dataplane/worker/gb_abm.h"
#include "dataplane/worker/gb_compression.h"
#include "dataplane/worker/gb_tx_outbox.h"
#include "dataplane/worker/gn_echo.h"
#include "dataplane/worker/gn_wait.h"
#include "dataplane/worker/guards.h"
#include "dataplane/worker/hops.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/punts.h"
#include "dataplane/worker/xworker.h"
#include "dataplane/worker/reassembly.h"
#include "dataplane/worker/shares.h"
#include "dataplane/worker/signalling.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/stats.h"
#include "dataplane/worker/tunnels.h"

#include <stdbool.h>
#include <stdint.h>

#define WORKER_BURST PORT_BURST
#define WORKER_SENDS 4 /* bursts of LLC-PDUs sent, at most, per received burst */

struct rte_mempool;

struct worker_config {
    const char *name;        /* of its rings and tables, unique in the process, at most 12 characters */
    unsigned number;         /* in TEIDs, below the number of workers */
    struct xworker *xworker; /* rings to other workers; NULL: there are none */
    struct context_limits limits;
    uint32_t remote_mobiles_max; /* mobiles homed here that others serve, at a time */
    struct context_policy policy;
    struct pacing_params pacing;             /* classes 0: off */
    struct link_settings abm;                /* links 0: off */
    struct compression_settings compression; /* entities 0: off */
    uint32_t reassemblies;                   /* uplink N-PDUs in reassembly at a time */
    uint32_t fragments;                      /* outer datagrams in reassembly at a time */
    uint32_t fragment_buffers;               /* which they hold at most; 0: as many as datagrams */
    int64_t fragment_timeout_ns;             /* outer fragments */
    uint16_t gn_port, gb_port;               /* ethdev ports, not yet started */
    uint8_t gn_mac[6], gn_peer_mac[6];
    uint16_t gn_queue, gb_queue; /* of those ports, when they are shared */
    bool are_ports_shared;       /* the caller has started them, and will stop them */
    bool has_paging;             /* control pages mobiles with queued N-PDUs, see standby.h */
    bool punts_unknown_tlli; /* uplink frames of unknown TLLIs are punted, as control may know the mobile at
                                another worker; else dropped */
    bool punts_unlisted;     /* NS-RESET of endpoints without an NS-VC is punted */
    bool has_gtpc;           /* GTP-C is punted to control */
    struct siphash_key gtpc_key; /* random, the same at all workers (gtpc.h) */
    uint32_t salt;               /* random: identifications on Gn begin with it */
    bool has_neighbours; /* ARP, ICMP and ICMPv6 are punted to control, which sends next hops if gn_peer_mac
                            is zero */
    int gb_overhead_octets;  /* which links count for each NS-PDU in addition */
    unsigned gn_mtu_octets;  /* longest IP packet on Gn; 0: 1500 */
    bool keeps_spare;        /* buffers of Gb, while idle: in virtual time each frame has a step of its own */
    bool is_gn_whole;        /* longer packets are dropped; else sent in fragments */
    bool is_any_ggsn;        /* accept a tunnel's packets also from other addresses than its GGSN's */
    bool is_any_destination; /* of uplink packets, see inner.h */
    bool no_uplink_filter;   /* send uplink packets without any test of type and addresses */
    struct guards guards;
    const struct gea_engine *gea; /* static; NULL: ciphering cannot be switched on */
    struct marking gn_marking, gb_marking;
    struct port_settings gn_settings, gb_settings;
    struct rte_mempool *rx_pool; /* for received frames and queued packets */
    struct rte_mempool *tx_pool; /* for frames made here: separate, so that queued packets cannot use it up */
};

/* Read and written by the worker's lcore only, but for rings and as stats.h and tap.h say. */
struct worker {
    struct context context;
    struct lookup lookup;
    struct tunnels tunnels;
    struct xworker *xworker; /* NULL: no other workers */
    unsigned number;
    int64_t step_ns; /* of the step that is under way */
    struct moves moves;
    struct forward forward;
    struct orders orders;
    struct fragments fragments;
    struct gn_echo echo;
    struct reassembly reassembly;
    struct port gn, gb;
    struct guards guards;
    struct gb_tx_outbox outbox;
    struct gb_abm abm;
    struct gb_compression compression;
    struct signalling signalling;
    struct msg_rings rings; /* to_worker: read here; to_control: written here */
    struct rte_ring *trace; /* written here; NULL: off */
    struct tap *tap;        /* control's; NULL: not set yet */
    struct pacing *pacing;  /* NULL: off */
    struct rte_mempool *tx_pool;
    const struct gea_engine *gea; /* as configured */
    struct hops hops;             /* on Gn */
    struct gn_wait wait;
    uint8_t gn_mac[6];
    uint32_t gn_fragment_id, gn_ip_id; /* identifications of IPv6 and IPv4, which no other worker uses */
    uint32_t gn_id_step;
    unsigned gn_mtu_octets;
    int gb_overhead_octets;
    bool keeps_spare, is_gn_whole, is_any_ggsn, is_any_destination, no_uplink_filter, punts_unknown_tlli,
        punts_unlisted, has_neighbours, has_paging, has_gtpc; /* as configured */
    bool marks_gb; /* users' frames on Gb have another DSCP than signalling */
    struct marking gn_marking, gb_marking;
    struct budget echo_budget, error_budget; /* separate, or errors could suppress echo responses */
    struct budget resolution_budgets[MSG_PORTS], icmp_budgets[MSG_PORTS]; /* of frames passed to control */
    struct budget unlisted_budget;
    struct shares shares;
    struct punts_gtpc gtpc;
    struct recent recent;
    struct worker_stats stats;
    struct standby_waits waits;
};

/*
 * Allocates all memory and starts both ports. NULL on a failure; error is then a static text with the
 * reason. The pools stay the caller's.
 */
struct worker *worker_new(const struct worker_config *config, const char **error);

/* Frees the worker with its queued packets. */
void worker_free(struct worker *w);

/*
 * One pass at now, which never decreases. Returns the instant at which the next pass is due without new
 * input: now if this pass moved anything, MOMENT_NEVER if only input needs one. Items from other workers are
 * input, too.
 */
int64_t worker_step(struct worker *w, int64_t now);

#endif
