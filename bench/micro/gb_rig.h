/* SPDX-License-Identifier: BSD-3-Clause */
/* The control core with its Lua control plane, between rings that the rig holds: one NS-VC and one cell that
 * are up. */
#ifndef BENCH_MICRO_GB_RIG_H
#define BENCH_MICRO_GB_RIG_H

#include <stdint.h>

struct gb_rig;

enum { GB_RIG_BURST = 32 };

/* DPDK runs. Ends the program when something is missing. */
struct gb_rig *gb_rig_new(uint32_t mobiles);
void gb_rig_free(struct gb_rig *rig);

/* A burst of FLOW-CONTROL-MS, each for the next mobile and with other values: decoded, ordered from the
 * worker, acknowledged. Ends the program when an order or an acknowledgement is missing. */
void gb_rig_announce(struct gb_rig *rig);

#endif
