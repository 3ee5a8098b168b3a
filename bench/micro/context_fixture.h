/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with tables of any size, for benchmarks: mobiles with one PDP context each, in cells of one NSE.
 * Mobiles are made and deleted by messages on the ring, as by the control core. */
#ifndef BENCH_MICRO_CONTEXT_FIXTURE_H
#define BENCH_MICRO_CONTEXT_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define CONTEXT_FIXTURE_BATCH 256 /* mobiles at a time; four orders each */

struct context_fixture;

/* Starts DPDK without huge pages and hardware, with memory_mib MiB; once. Ends the process on an error. */
void context_fixture_start(unsigned memory_mib);

/* Makes a worker without mobiles. Ends the process on an error. */
struct context_fixture *context_fixture_new(uint32_t mobiles, uint16_t cells);
void context_fixture_free(struct context_fixture *fixture);

/* Adds all mobiles, with one context each. */
void context_fixture_fill(struct context_fixture *fixture);

/* Deletes CONTEXT_FIXTURE_BATCH contexts and their mobiles and adds them again, in slots spread over the
 * tables. */
void context_fixture_churn(struct context_fixture *fixture);

/* Queues an N-PDU for each of `busy` mobiles of cell 0. */
void context_fixture_queue(struct context_fixture *fixture, uint32_t busy);
/* Announces the defaults of mobiles in cell 0 (FLOW-CONTROL-BVC); are_others: with values other than before.
 */
void context_fixture_announce(struct context_fixture *fixture, bool are_others);

/* Resident octets of the process. */
uint64_t context_fixture_resident(void);

#endif
