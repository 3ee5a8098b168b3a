/* SPDX-License-Identifier: BSD-3-Clause */
/* DPDK's rte_sched under the same load, for comparison. */
#ifndef BENCH_MICRO_SCHED_BENCH_RTE_H
#define BENCH_MICRO_SCHED_BENCH_RTE_H

#include <stdbool.h>
#include <stdint.h>

struct sched_bench_rte;

bool sched_bench_rte_init(void);

/* A port with `pipes` pipes (a power of two), one best-effort queue of 64 in use each; no rate is ever
   reached. */
struct sched_bench_rte *sched_bench_rte_new(uint32_t pipes);
void sched_bench_rte_free(struct sched_bench_rte *peer);

/* Enqueues 32 packets to random pipes, dequeues up to 32. */
void sched_bench_rte_step(struct sched_bench_rte *peer);

#endif
