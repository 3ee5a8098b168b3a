/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The device under test of ndr and soak: `gbflow bench dut`, a process with one or more workers, each between
 * two memif ports whose other ends the generator has. It runs until it is killed or
 * its parent ends. Its options are those of slices.h, --socket (memif) and --page-fd (shared memory).
 */
#ifndef BENCH_THROUGHPUT_DUT_H
#define BENCH_THROUGHPUT_DUT_H

#include "bench/statistics/loss_log.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/process_log.h"
#include "dataplane/base/teid.h"

#include <sys/types.h>

#define BENCH_DUT_RING_BITS 10 /* log2 of the frames in a memif ring */
#define BENCH_DUT_RING      (1 << BENCH_DUT_RING_BITS)
#define BENCH_DUT_NAME      160

/* One worker: written by it, read by the generator. */
struct bench_page_worker {
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

/* The process at the other end of the generator's memif links: gbflow's workers (dut.h), or dpdk-testpmd,
 * which forwards each frame from Gn to Gb. */

struct bench_dut_process {
    pid_t pid; /* 0: not running */
    int page_fd, input_fd;
    struct bench_process_log log; /* what testpmd prints */
    struct bench_page *page;
    bool is_testpmd; /* dpdk-testpmd */
    char socket[64];
};

/* Starts it for a point of the plan. False, with a line on stderr. */
bool bench_dut_process_start(struct bench_dut_process *dut, const struct bench_plan *plan,
                             const struct bench_point *point, bool is_testpmd);
void bench_dut_process_stop(struct bench_dut_process *dut);

/* Stops and continues it (SIGSTOP, SIGCONT). */
void bench_dut_process_pause(const struct bench_dut_process *dut);
void bench_dut_process_resume(const struct bench_dut_process *dut);

/* Whether the generator can connect to its memif sockets. */
bool bench_dut_process_is_listening(const struct bench_dut_process *dut);

/* Whether it has not ended. Once it has: a line on stderr with its status, and with the cause and the log of
 * testpmd. */
bool bench_dut_process_is_alive(struct bench_dut_process *dut);

/* Whether a folder of PATH has dpdk-testpmd, a program that may be run. */
bool bench_dut_process_has_testpmd(void);

#endif
