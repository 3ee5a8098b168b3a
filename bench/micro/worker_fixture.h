/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with its ports for benchmarks: one PDP context for each mobile, 64 cells, every bucket wide open.
 */
#ifndef BENCH_MICRO_WORKER_FIXTURE_H
#define BENCH_MICRO_WORKER_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define WORKER_FIXTURE_BURST 64

struct worker_fixture;

/* Starts DPDK without huge pages and hardware; once. */
bool worker_fixture_start(void);

/* A worker that lives as long as the process, with TEIDs that are indices or, if is_foreign, go through the
 * hash. Ends the process when something is missing. */
struct worker_fixture *worker_fixture_new(uint32_t mobiles, bool is_foreign);

/* A burst of G-PDUs with N-PDUs of so many octets (20 or more), each for another mobile, waits at the Gn
 * port. */
void worker_fixture_feed(struct worker_fixture *fixture, uint16_t octets);
/* One pass, 100 ns after the one before. */
void worker_fixture_step(struct worker_fixture *fixture);
/* Finds the contexts of a burst, each for another mobile; the sum of their mobiles' indices. */
uint64_t worker_fixture_find(struct worker_fixture *fixture);
/* Takes the frames away that left on Gb, or those that still wait at Gn; how many. */
unsigned worker_fixture_take_sent(struct worker_fixture *fixture);
unsigned worker_fixture_take_fed(struct worker_fixture *fixture);

#endif
