/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixture of the programs that measure a worker: DPDK, a worker between two ports made of rings, orders
 * for one NSE with one NS-VC and its cells, and frames of Gn. Errors end the program. */
#ifndef BENCH_MICRO_FIXTURE_H
#define BENCH_MICRO_FIXTURE_H

#include "dataplane/ports/port.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <stdint.h>

#define FIXTURE_SGSN_IP 0x0a000001
#define FIXTURE_GGSN_IP 0x0a000002

struct fixture {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
};

/* Prints an error and ends the program. */
_Noreturn void fixture_die(const char *what);

/* Ends the program unless it is there. */
static inline void fixture_need(bool is_there, const char *what)
{
    if (!is_there)
        fixture_die(what);
}

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

/* --- Gn frames: Ethernet, IPv4, UDP and GTP-U around an IPv4 packet without payload --- */

#define FIXTURE_TUNNEL_OCTETS (GB_HEADER_OCTETS + GTPU_OCTETS)

/* Writes the headers of a G-PDU from FIXTURE_GGSN_IP to FIXTURE_SGSN_IP, with TEID 0, and those of its N-PDU;
 * `frame` has room for FIXTURE_TUNNEL_OCTETS and the N-PDU. */
void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets);

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid);

#endif
