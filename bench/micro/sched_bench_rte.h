/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's rte_sched under the same load, for comparison. Its rates hold in real time, which it reads itself: a
 * load is a share of the sum of its pipes' rates, and bursts are paced.
 */
#ifndef BENCH_MICRO_SCHED_BENCH_RTE_H
#define BENCH_MICRO_SCHED_BENCH_RTE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHED_BENCH_RTE_BURST 32
#define SCHED_BENCH_RTE_OFFERED                                                                              \
    UINT64_C(1500000) /* packets a second, paced: about a third of what a CPU does */

struct sched_bench_rte;

/* Starts DPDK with huge pages if enough are free, and prints which pages rte_sched has. */
bool sched_bench_rte_init(void);

/* A port with `pipes` pipes (a power of two), one best-effort queue in use each. load_percent 0: no rate is
   ever reached, queues of 64; else the share of the pipes' rates that paced bursts offer, buckets of one
   second, queues of 8. */
struct sched_bench_rte *sched_bench_rte_new(uint32_t pipes, unsigned load_percent);
void sched_bench_rte_free(struct sched_bench_rte *peer);

/* Waits until the next burst is due. */
void sched_bench_rte_wait(struct sched_bench_rte *peer);

/* Enqueues a burst of packets to random pipes, dequeues up to a burst. Returns how many were dequeued. */
unsigned sched_bench_rte_step(struct sched_bench_rte *peer);

/* Enqueues that many packets to each pipe. */
void sched_bench_rte_fill(struct sched_bench_rte *peer, unsigned each);

/* Dequeues up to a burst of packets and enqueues them again. Returns how many. */
unsigned sched_bench_rte_turn(struct sched_bench_rte *peer);

#endif
