/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts of packets in memory, and the codecs' stages over them one by one: compiled from C, as the worker
 * is. */
#ifndef BENCH_MICRO_WIRE_FIXTURE_H
#define BENCH_MICRO_WIRE_FIXTURE_H

#include "dataplane/wire/llc_fcs.h"

#include <stdint.h>

#define WIRE_FIXTURE_BURST 32

struct wire_fixture;

/* Packets from Gn with N-PDUs of `octets` octets, 20 to 1520. Stages repeat over the same burst, so that the
 * caches stay hot. NULL: no memory. */
struct wire_fixture *wire_fixture_new(uint16_t octets);
void wire_fixture_free(struct wire_fixture *fixture);

/* Stages, each over the burst; the result depends on every packet. */
uint32_t wire_fixture_read_outer(struct wire_fixture *fixture); /* IPv4 with its checksum, and UDP */
uint32_t wire_fixture_read_gtpu(struct wire_fixture *fixture);
uint32_t wire_fixture_write_headers(struct wire_fixture *fixture); /* SNDCP, LLC, BSSGP, NS */
uint32_t wire_fixture_fcs(struct wire_fixture *fixture, const struct llc_fcs_engine *engine);

/* CRC-24 by one table look-up per octet, for comparison. */
struct llc_fcs_engine wire_fixture_octet_table(void);

#endif
