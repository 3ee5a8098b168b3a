/* SPDX-License-Identifier: BSD-3-Clause */
/* The control core with its Lua control plane, between rings that the fixture holds: one NS-VC and one cell,
 * both up. */
#ifndef BENCH_MICRO_GB_FIXTURE_H
#define BENCH_MICRO_GB_FIXTURE_H

#include <stdint.h>

struct gb_fixture;

enum { GB_FIXTURE_BURST = 32 };

/* Needs a running EAL. Ends the program on an error. */
struct gb_fixture *gb_fixture_new(uint32_t mobiles);
void gb_fixture_free(struct gb_fixture *fixture);

/* A burst of FLOW-CONTROL-MS, each for the next mobile and with new values: decoded, ordered at the
 * worker, acknowledged. Ends the program if an order or an acknowledgement is missing. */
void gb_fixture_announce(struct gb_fixture *fixture);

#endif
