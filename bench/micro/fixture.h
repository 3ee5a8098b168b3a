/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of the programs that measure a worker: DPDK, a worker between two ports made of rings, orders
 * for one NSE with one NS-VC and its cells, frames of Gn, and N-PDUs for all mobiles. Errors end the program.
 */
#ifndef BENCH_MICRO_FIXTURE_H
#define BENCH_MICRO_FIXTURE_H

#include "bench/micro/micro.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <stdint.h>

#define FIXTURE_SGSN_IP 0x0a000001
#define FIXTURE_GGSN_IP 0x0a000002

#define FIXTURE_TUNNEL_OCTETS (GB_HEADER_OCTETS + GTPU_OCTETS)
#define FIXTURE_TLLI          0xc0000000                             /* of the mobile in slot 0 */
#define FIXTURE_NO_LIMIT      BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS /* for fixture_flow() */
#define FIXTURE_BUFFERS       4095 /* for the rings and bursts of a worker */

struct fixture {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    /* with mobiles */
    uint32_t mobiles, next; /* next: the slot of the next N-PDU */
    uint16_t n_pdu_octets;
    int64_t now;
    uint64_t fed; /* N-PDUs */
    uint8_t frame[FIXTURE_TUNNEL_OCTETS + 1500];
};

/* Starts DPDK on a CPU, without huge pages and hardware; once. */
void fixture_start(unsigned core, unsigned memory_mib);

/* One NSE and `cells` cells, with a PDP context for each mobile; the rest as a node has it by default. */
struct worker_config fixture_config(uint32_t cells, uint32_t mobiles);

/* Makes pools, ports and the worker; config: without these. tx_buffers 0: one pool for both. */
void fixture_open(struct fixture *f, struct worker_config *config, unsigned rx_buffers, unsigned tx_buffers);
void fixture_close(struct fixture *f);

/* --- orders --- */

/* Sends an order and steps the worker at `now` until it is answered. Ends the program if it is refused. */
void fixture_order(struct worker *worker, const struct msg *order, int64_t now);

/* An order to add the mobile of this slot, in slot `bvc`, with TLLI 0xc0000000 + slot. */
struct msg fixture_ms(uint32_t slot, uint16_t bvc);

/* An order to add a background PDP context of the mobile of the same slot, NSAPI 5, SAPI 3. */
struct msg fixture_pdp(uint32_t slot, uint32_t teid);

/* Flow control that limits no cell, and each mobile as said. */
struct gb_flow fixture_flow(uint64_t ms_bucket_octets, uint64_t ms_rate_bps);

/* Adds the NSE, its NS-VC and `cells` cells, unblocked and with this flow control. */
void fixture_order_gb(struct worker *worker, uint32_t cells, const struct gb_flow *flow, int64_t now);

/* The same, then f->mobiles with a context each; makes f->frame, of N-PDUs of `octets`. */
void fixture_fill(struct fixture *f, uint32_t cells, const struct gb_flow *flow, uint16_t octets,
                  bool is_acknowledged);

/* --- Gn frames: Ethernet, IPv4, UDP and GTP-U around an IPv4 packet without payload --- */

/* Writes the headers of a G-PDU from FIXTURE_GGSN_IP to FIXTURE_SGSN_IP, with TEID 0, and those of its N-PDU;
 * `frame` has room for FIXTURE_TUNNEL_OCTETS and the N-PDU. */
void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets);

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid);

/* --- N-PDUs for all mobiles in turn --- */

/* Functions of a program for frames; each may be NULL. */
struct fixture_hooks {
    void (*edit)(struct fixture *f, uint8_t *frame, unsigned i);          /* the i-th of a burst for Gn */
    void (*take)(struct fixture *f, const uint8_t *frame, size_t octets); /* that left on Gb */
};

/* A burst of WORKER_BURST N-PDUs into Gn, each for another mobile; a step of the worker, an argument of its
 * address; the frames that left on Gb. */
void fixture_feed(struct fixture *f, const struct fixture_hooks *hooks);
void fixture_step(void *fixture);
void fixture_collect(struct fixture *f, const struct fixture_hooks *hooks);

/* One N-PDU for each mobile, and all frames that the hooks send on Gb. Returns the ns of the steps per N-PDU.
 */
double fixture_pass(struct fixture *f, const struct fixture_hooks *hooks);

#endif
