/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's tables as large as one likes, for benchmarks: mobiles with one PDP context each, in cells of one
 * NSE. What is made and deleted goes through the ring of messages, as from the control core. */
#ifndef BENCH_MICRO_CONTEXT_FIXTURE_H
#define BENCH_MICRO_CONTEXT_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_FIXTURE_BATCH 256 /* mobiles at a time; four orders each */

struct context_fixture;

/* Starts DPDK without huge pages and hardware, with room for so many MiB; once. */
bool context_fixture_start(const char *memory_mib);

/* A worker that knows no mobile as yet. Ends the process when something is missing. */
struct context_fixture *context_fixture_new(uint32_t mobiles, uint16_t cells);
void context_fixture_free(struct context_fixture *fixture);

/* Makes all its mobiles, with one context each. */
void context_fixture_fill(struct context_fixture *fixture);

/* Deletes CONTEXT_FIXTURE_BATCH contexts and their mobiles and makes them again, in slots all over the
 * tables. */
void context_fixture_churn(struct context_fixture *fixture);

/* An LLC-PDU's worth waits for `busy` mobiles of cell 0. */
void context_fixture_queue(struct context_fixture *fixture, uint32_t busy);
/* FLOW-CONTROL-BVC for cell 0, with other defaults for mobiles than before or the same. */
void context_fixture_announce(struct context_fixture *fixture, bool are_others);

/* Octets of the process that lie in memory. */
uint64_t context_fixture_resident(void);

#endif
