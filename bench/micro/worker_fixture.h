/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with its ports for benchmarks: one PDP context per mobile, 64 cells, buckets that never limit. */
#ifndef BENCH_MICRO_WORKER_FIXTURE_H
#define BENCH_MICRO_WORKER_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define WORKER_FIXTURE_BURST 64

struct worker_fixture;

/* Starts DPDK without huge pages and hardware; once. Ends the process on an error. */
void worker_fixture_start(void);

/* Makes a worker that lives as long as the process, with TEIDs that are indices or, if is_foreign, are found
 * by the hash. Ends the process on an error. */
struct worker_fixture *worker_fixture_new(uint32_t mobiles, bool is_foreign);

/* Puts a burst of G-PDUs with N-PDUs of `octets` octets (at least 20), each for another mobile, into the Gn
 * port. */
void worker_fixture_feed(struct worker_fixture *fixture, uint16_t octets);
/* One step, 100 ns after the one before. */
void worker_fixture_step(struct worker_fixture *fixture);
/* Finds the contexts of a burst, each of another mobile; returns the sum of their mobiles' indices. */
uint64_t worker_fixture_find(struct worker_fixture *fixture);
/* Takes the frames that left on Gb, or those still in the Gn port; returns how many. */
unsigned worker_fixture_take_sent(struct worker_fixture *fixture);
unsigned worker_fixture_take_fed(struct worker_fixture *fixture);

/*
 * Makes and frees the buffers of a second segment of `octets` for each N-PDU of a burst: a copy of its
 * payload in a buffer, or, is_chained, a buffer for the headers, one that refers to the N-PDU's, and one for
 * the FCS.
 */
void worker_fixture_segments(struct worker_fixture *fixture, uint16_t octets, bool is_chained);

#endif
