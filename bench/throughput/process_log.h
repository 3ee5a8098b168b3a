/* SPDX-License-Identifier: BSD-3-Clause */
/* The output of a process that a mode starts: a file, and how the process ended. */
#ifndef BENCH_THROUGHPUT_PROCESS_LOG_H
#define BENCH_THROUGHPUT_PROCESS_LOG_H

#include <limits.h>
#include <stdbool.h>

#define BENCH_PROCESS_LOG_CHARS 512

struct bench_process_log {
    int fd; /* for the process; -1: none */
    char path[PATH_MAX];
    bool is_kept;                        /* deleted at the end unless it is */
    char ended[BENCH_PROCESS_LOG_CHARS]; /* "ended with status 1: CAUSE; its output is in PATH"; empty: it
                                            runs */
};

/* Makes the file: NAME.log in the folder `out`, which keeps it, or a temporary one, if out is NULL. False,
 * with a line on stderr. */
bool bench_process_log_open(struct bench_process_log *log, const char *out, const char *name);

/* Closes the file, and deletes it unless it is kept. */
void bench_process_log_close(struct bench_process_log *log);

/* After the process has ended, with waitpid()'s status: fills in `ended`, and keeps the file. The cause is
 * the first line that tells of a failure, and what DPDK gives as "Cause:"; else the last line. */
void bench_process_log_end(struct bench_process_log *log, int status);

#endif
