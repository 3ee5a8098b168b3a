/* SPDX-License-Identifier: BSD-3-Clause */
/* The process at the other end of the generator's memif links: a worker of ours, or dpdk-testpmd that hands
 * every frame from one to the other. */
#ifndef BENCH_THROUGHPUT_DUT_PROCESS_H
#define BENCH_THROUGHPUT_DUT_PROCESS_H

#include "bench/throughput/dut.h"
#include "bench/throughput/trial.h"

#include <sys/types.h>

struct bench_dut_process {
    pid_t pid; /* 0: none runs */
    int page_fd, input_fd;
    struct bench_page *page;
    bool is_testpmd; /* dpdk-testpmd */
    uint64_t delay_ns;
    char socket[64];
};

/* `point` is one of the plan's. False, with a line on stderr. */
bool bench_dut_process_start(struct bench_dut_process *dut, const struct bench_plan *plan,
                             const struct bench_point *point, bool is_testpmd);
void bench_dut_process_stop(struct bench_dut_process *dut);

/* Stops it where it is, and lets it go on; all that it knows stays. */
void bench_dut_process_pause(const struct bench_dut_process *dut);
void bench_dut_process_resume(const struct bench_dut_process *dut);

/* Whether its ports are there to be connected to. */
bool bench_dut_process_is_listening(const struct bench_dut_process *dut);

/* Whether it is still there. */
bool bench_dut_process_is_alive(struct bench_dut_process *dut);

/* Since the last call: the gaps that it saw itself, or, of testpmd, how long the kernel let its forwarding
 * thread wait, if that is more than gap_ns. */
struct bench_gaps bench_dut_process_gaps(struct bench_dut_process *dut, int64_t gap_ns);

#endif
