/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of the benchmarks' fixtures to a worker: one NSE with one NS-VC, and its cells. */
#ifndef BENCH_MICRO_FIXTURE_ORDERS_H
#define BENCH_MICRO_FIXTURE_ORDERS_H

#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <stdint.h>

struct worker;

#define FIXTURE_ORDERS_SGSN_IP 0x0a000001
#define FIXTURE_ORDERS_GGSN_IP 0x0a000002

/* Prints an error and ends the program. */
_Noreturn void fixture_orders_die(const char *what);

/* Sends an order and steps the worker at `now` until it is answered. Ends the program if it is refused. */
void fixture_orders_send(struct worker *worker, const struct msg *order, int64_t now);

/* An order to add the mobile of this slot, in slot `bvc`, with TLLI 0xc0000000 + slot. */
struct msg fixture_orders_ms(uint32_t slot, uint16_t bvc);

/* An order to add a background PDP context of the mobile of the same slot, NSAPI 5, SAPI 3. */
struct msg fixture_orders_pdp(uint32_t slot, uint32_t teid);

/* Adds the NSE, its NS-VC and `cells` cells, unblocked and with this flow control. */
void fixture_orders_gb(struct worker *worker, uint32_t cells, const struct gb_flow *flow, int64_t now);

/* Gn frames of the benchmarks' fixtures: Ethernet, IPv4, UDP and GTP-U around an IPv4 packet without payload.
 */

#define FIXTURE_FRAME_TUNNEL_OCTETS (GB_HEADER_OCTETS + GTPU_OCTETS)

/* Writes the headers of a G-PDU from FIXTURE_ORDERS_GGSN_IP to FIXTURE_ORDERS_SGSN_IP, with TEID 0, and those
 * of its N-PDU; `frame` has room for FIXTURE_FRAME_TUNNEL_OCTETS and the N-PDU. */
void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets);

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid);

#endif
