/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DPDK's rte_sched under the load that gbflow's scheduler has, on a clock that the caller
 * sets. rte_sched reads the CPU's counter itself, at the start of each dequeue, and keeps its time in the
 * port: that time is replaced before each step.
 */
#ifndef BENCH_THROUGHPUT_RTE_H
#define BENCH_THROUGHPUT_RTE_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_RTE_BURST  32
#define BENCH_RTE_OCTETS 500

struct bench_rte;

/* Packets a second at the rate of one of so many pipes: 1.5 million for all, in whole packets for each. */
uint32_t bench_rte_per_s(uint32_t pipes);

/* A port with `pipes` pipes (a power of two), one best-effort queue of 8 packets in use each, a bucket of one
   second. Without rates a pipe's rate is never reached. NULL with the fault: it cannot be set up, or this
   release of DPDK keeps the time elsewhere. */
#define BENCH_RTE_FAULT_CHARS 128
struct bench_rte *bench_rte_new(uint32_t pipes, bool has_rates, char fault[BENCH_RTE_FAULT_CHARS]);
void bench_rte_free(struct bench_rte *peer);

/* Sets the clock; it is late by the time until the next dequeue. It does not go back. */
void bench_rte_set_clock(struct bench_rte *peer, int64_t now_ns);

/* Enqueues a burst of packets to random pipes, dequeues up to a burst. Returns how many were dequeued. */
unsigned bench_rte_step(struct bench_rte *peer);

/* Enqueues that many packets to each pipe. */
void bench_rte_fill(struct bench_rte *peer, unsigned each);

/* Dequeues up to a burst of packets and enqueues them again. Returns how many. */
unsigned bench_rte_turn(struct bench_rte *peer);

#endif
