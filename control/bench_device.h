/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device under test as a process of its own: workers, each between two memif ports whose other ends a
 * generator has. It runs until it is killed, or its parent is gone; what the generator has to know of it lies
 * in a page that both see.
 */
#ifndef CONTROL_BENCH_DEVICE_H
#define CONTROL_BENCH_DEVICE_H

#include "control/bench_plan.h"

#include <stdatomic.h>

#define BENCH_DEVICE_RING_BITS 10 /* memif rings hold 2^so many frames */
#define BENCH_DEVICE_NAME      160

/* Written by the device, read by the generator. */
struct bench_page {
    atomic_bool is_ready;
    atomic_uint_fast64_t gaps; /* turns above plan.gap_ns */
    atomic_uint_fast64_t dropped;
};

/* The number of a worker's link to the generator; which is 0 for Gn, 1 for Gb. */
#define BENCH_DEVICE_LINK(worker, which) (2 * (worker) + (which))

/* The name of an end of link `id` as DPDK takes it; each is another device. */
void bench_device_name(char out[BENCH_DEVICE_NAME], const char *socket, unsigned id, bool is_server);

/* As plan->socket and plan->page_fd say. Returns an exit status. */
int bench_device_run(const struct bench_plan *plan);

#endif
