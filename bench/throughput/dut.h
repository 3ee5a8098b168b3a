/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device under test of ndr and soak: `gbflow bench dut`, a process with one or more workers, each between
 * two memif ports whose other ends the generator has. dut_process.h starts it; it runs until it is killed or
 * its parent ends. Its options are those of slices.h, --socket (memif) and --page-fd (shared memory).
 */
#ifndef BENCH_THROUGHPUT_DUT_H
#define BENCH_THROUGHPUT_DUT_H

#include "bench/statistics/events.h"
#include "bench/throughput/plan.h"
#include "dataplane/base/teid.h"

#define BENCH_DUT_RING_BITS 10 /* log2 of the frames in a memif ring */
#define BENCH_DUT_RING      (1 << BENCH_DUT_RING_BITS)
#define BENCH_DUT_NAME      160

/* One worker: written by it, read by the generator. */
struct bench_page_worker {
    atomic_int_fast64_t longest_gap_ns, gaps_ns; /* turns longer than gap_ns: the longest, the sum */
    atomic_uint_fast64_t gn_frames, npdu_out, llc_frames, dropped; /* at most 2 ms old */
    atomic_uint_fast64_t mbufs; /* in use, of its pools; at most 50 ms old */
    struct bench_events events;
};

/* Memory that DUT and generator share. */
struct bench_page {
    uint64_t tsc_hz;            /* rate of the clock that both read; written before the DUT starts */
    atomic_int_fast64_t gap_ns; /* written by the generator */
    atomic_bool is_ready;       /* written by the DUT */
    struct bench_page_worker workers[TEID_WORKERS];
};

/* The memif id of a worker's link; which: 0 Gn, 1 Gb. */
#define BENCH_DUT_LINK(worker, which) (2 * (worker) + (which))

/* DPDK's device arguments of one end of link `id`; each call names another device. */
void bench_dut_name(char out[BENCH_DUT_NAME], const char *socket, unsigned id, bool is_server);

/* Runs the mode `dut`. Returns an exit status. */
int bench_dut_run(const struct bench_plan *plan);

#endif
