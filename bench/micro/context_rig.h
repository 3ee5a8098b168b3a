/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's tables as large as one likes, for benchmarks: mobiles with one PDP context each, in cells of one
 * NSE. What is made and deleted goes through the ring of messages, as from the control core. */
#ifndef BENCH_MICRO_CONTEXT_RIG_H
#define BENCH_MICRO_CONTEXT_RIG_H

#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_RIG_BATCH 256 /* mobiles at a time; four orders each */

struct context_rig;

/* Starts DPDK without huge pages and hardware, with room for so many MiB; once. */
bool context_rig_start(const char *memory_mib);

/* A worker that knows no mobile as yet. Ends the process when something is missing. */
struct context_rig *context_rig_new(uint32_t mobiles, uint16_t cells);
void context_rig_free(struct context_rig *rig);

/* Makes all its mobiles, with one context each. */
void context_rig_fill(struct context_rig *rig);

/* Deletes CONTEXT_RIG_BATCH contexts and their mobiles and makes them again, in slots all over the tables. */
void context_rig_churn(struct context_rig *rig);

/* An LLC-PDU's worth waits for `busy` mobiles of cell 0. */
void context_rig_queue(struct context_rig *rig, uint32_t busy);
/* FLOW-CONTROL-BVC for cell 0, with other defaults for mobiles than before or the same. */
void context_rig_announce(struct context_rig *rig, bool are_others);

/* Octets of the process that lie in memory. */
uint64_t context_rig_resident(void);

#endif
