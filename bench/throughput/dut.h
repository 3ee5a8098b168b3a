/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device under test as a process of its own: workers, each between two memif ports whose other ends a
 * generator has. It runs until it is killed, or its parent is gone; what the generator has to know of it lies
 * in a page that both see.
 */
#ifndef BENCH_THROUGHPUT_DUT_H
#define BENCH_THROUGHPUT_DUT_H

#include "bench/throughput/events.h"
#include "bench/throughput/plan.h"
#include "dataplane/base/teid.h"

#define BENCH_DUT_RING_BITS 10 /* memif rings hold 2^so many frames */
#define BENCH_DUT_RING      (1 << BENCH_DUT_RING_BITS)
#define BENCH_DUT_NAME      160

/* Of one worker: written by it, read by the generator. */
struct bench_page_worker {
    atomic_int_fast64_t longest_gap_ns, gaps_ns; /* of the turns above gap_ns: the longest, their sum */
    atomic_uint_fast64_t gn_frames, npdu_out, llc_frames, dropped; /* not older than a millisecond, or two */
    atomic_uint_fast64_t buffers;                                  /* of its pools, in use; some time ago */
    struct bench_events events;
};

struct bench_page {
    uint64_t tsc_hz;            /* of the clock that both have; written before the device is started */
    atomic_int_fast64_t gap_ns; /* written by the generator */
    atomic_bool is_ready;       /* written by the device */
    struct bench_page_worker workers[TEID_WORKERS];
};

/* The number of a worker's link to the generator; which is 0 for Gn, 1 for Gb. */
#define BENCH_DUT_LINK(worker, which) (2 * (worker) + (which))

/* The name of an end of link `id` as DPDK takes it; each is another device. */
void bench_dut_name(char out[BENCH_DUT_NAME], const char *socket, unsigned id, bool is_server);

/* As plan->socket and plan->page_fd say. Returns an exit status. */
int bench_dut_run(const struct bench_plan *plan);

#endif
