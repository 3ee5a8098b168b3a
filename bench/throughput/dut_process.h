/* SPDX-License-Identifier: BSD-3-Clause */
/* The process at the other end of the generator's memif links: gbflow's workers (dut.h), or dpdk-testpmd,
 * which forwards each frame from Gn to Gb. */
#ifndef BENCH_THROUGHPUT_DUT_PROCESS_H
#define BENCH_THROUGHPUT_DUT_PROCESS_H

#include "bench/throughput/dut.h"
#include "bench/throughput/trial.h"

#include <sys/types.h>

struct bench_dut_process {
    pid_t pid; /* 0: not running */
    int page_fd, input_fd;
    struct bench_page *page;
    bool is_testpmd; /* dpdk-testpmd */
    uint64_t delay_ns;
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

/* Whether it has not ended. */
bool bench_dut_process_is_alive(struct bench_dut_process *dut);

/* Gaps since the last call: those that the workers recorded; of testpmd the time that its threads waited for
 * a CPU (schedstat), if it is above gap_ns. */
struct bench_gaps bench_dut_process_gaps(struct bench_dut_process *dut, int64_t gap_ns);

/* Whether a folder of PATH has dpdk-testpmd, a program that may be run. */
bool bench_dut_process_has_testpmd(void);

#endif
