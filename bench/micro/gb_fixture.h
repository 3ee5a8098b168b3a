/* SPDX-License-Identifier: BSD-3-Clause */
/* The control core with its Lua control plane, between rings that the fixture holds: one NS-VC and one cell
 * that are up. */
#ifndef BENCH_MICRO_GB_FIXTURE_H
#define BENCH_MICRO_GB_FIXTURE_H

#include <stdint.h>

struct gb_fixture;

enum { GB_FIXTURE_BURST = 32 };

/* DPDK runs. Ends the program when something is missing. */
struct gb_fixture *gb_fixture_new(uint32_t mobiles);
void gb_fixture_free(struct gb_fixture *fixture);

/* A burst of FLOW-CONTROL-MS, each for the next mobile and with other values: decoded, ordered from the
 * worker, acknowledged. Ends the program when an order or an acknowledgement is missing. */
void gb_fixture_announce(struct gb_fixture *fixture);

#endif
