/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with its ports for benchmarks: one PDP context for each mobile, 64 cells, every bucket wide open.
 */
#ifndef BENCH_MICRO_WORKER_RIG_H
#define BENCH_MICRO_WORKER_RIG_H

#include <stdbool.h>
#include <stdint.h>

#define WORKER_RIG_BURST 64

struct worker_rig;

/* Starts DPDK without huge pages and hardware; once. */
bool worker_rig_start(void);

/* A worker that lives as long as the process, with TEIDs that are indices or, if is_foreign, go through the
 * hash. Ends the process when something is missing. */
struct worker_rig *worker_rig_new(uint32_t mobiles, bool is_foreign);

/* A burst of G-PDUs with N-PDUs of so many octets (20 or more), each for another mobile, waits at the Gn
 * port. */
void worker_rig_feed(struct worker_rig *rig, uint16_t octets);
/* One pass, 100 ns after the one before. */
void worker_rig_step(struct worker_rig *rig);
/* Finds the contexts of a burst, each for another mobile; the sum of their mobiles' indices. */
uint64_t worker_rig_find(struct worker_rig *rig);
/* Takes the frames away that left on Gb, or those that still wait at Gn; how many. */
unsigned worker_rig_take_sent(struct worker_rig *rig);
unsigned worker_rig_take_fed(struct worker_rig *rig);

#endif
