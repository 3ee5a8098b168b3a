/* SPDX-License-Identifier: BSD-3-Clause */
/* The console of `gbflow bench` and gbflow-fitness: messages on stderr, which are errors with the command's
 * name and progress; and the operator's Ctrl-C. */
#ifndef BENCH_THROUGHPUT_CONSOLE_H
#define BENCH_THROUGHPUT_CONSOLE_H

#include "control/base/command.h"

#include <stdbool.h>
#include <stdio.h>

/* Sets the command's name for messages, "bench ndr"; static text. */
void bench_console_begin(const char *command);

/* "bench" until another one is set. */
const char *bench_console_command(void);

/* Prints "gbflow bench MODE: MESSAGE". */
#define bench_error(...) command_error(bench_console_command(), __VA_ARGS__)

/* The same for a mistake in the arguments, and where the help is. Returns COMMAND_USAGE. */
#define bench_refuse(...) command_refuse(bench_console_command(), __VA_ARGS__)

/* On a terminal overwrites the line of progress, without it until bench_progress_end(). Else, as through a
 * pipe, a line: the first one, the first one after bench_progress_end(), and then one every ten seconds. */
__attribute__((format(printf, 1, 2))) void bench_progress(const char *format, ...);
void bench_progress_end(void);

/* From now on the first SIGINT or SIGTERM ends trials under way, and all later ones at once, so that the
 * report is written; the second one ends the process. */
void bench_console_catch(void);
bool bench_console_is_interrupted(void);

/* "interrupted"; NULL: it was not. */
const char *bench_console_stopped(void);

/* The faults of a run's result, each with its values: "mbuf leak: 512 in use before, 530 after". */

#define BENCH_FAULT_CHARS 384

struct bench_fault {
    char text[BENCH_FAULT_CHARS]; /* empty: no fault */
};

/* Adds one behind "; ". Text beyond BENCH_FAULT_CHARS is cut. */
__attribute__((format(printf, 2, 3))) void bench_fault_add(struct bench_fault *f, const char *format, ...);

static inline bool bench_fault_is_set(const struct bench_fault *f)
{
    return f->text[0] != 0;
}

#endif
