/* SPDX-License-Identifier: BSD-3-Clause */
/* Gn frames of the benchmarks' fixtures: Ethernet, IPv4, UDP and GTP-U around an IPv4 packet without payload.
 */
#ifndef BENCH_MICRO_FIXTURE_FRAME_H
#define BENCH_MICRO_FIXTURE_FRAME_H

#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/worker.h"

#include <stdint.h>

#define FIXTURE_FRAME_TUNNEL_OCTETS (GB_HEADER_OCTETS + GTPU_OCTETS)

/* Writes the headers of a G-PDU from FIXTURE_ORDERS_GGSN_IP to FIXTURE_ORDERS_SGSN_IP, with TEID 0, and those
 * of its N-PDU; `frame` has room for FIXTURE_FRAME_TUNNEL_OCTETS and the N-PDU. */
void fixture_frame_make(uint8_t *frame, uint16_t n_pdu_octets);

void fixture_frame_set_teid(uint8_t *frame, uint32_t teid);

#endif
