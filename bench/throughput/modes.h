/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The modes of a program (`gbflow bench`, gbflow-fitness), their options, and the way from arguments to the
 * run: find the mode, parse its options into a plan, check the plan, run. Parameters are options that are
 * given as --set NAME=VALUE.
 */
#ifndef BENCH_THROUGHPUT_MODES_H
#define BENCH_THROUGHPUT_MODES_H

#include "bench/throughput/plan.h"
#include "control/base/command.h"

/* A mode: the parts of its help that are not options, and its function. */
struct bench_mode_row {
    const char *command; /* in messages, "bench ndr" */
    const char *usage;   /* "gbflow bench ndr [OPTION]..." */
    const char *about, *example;
    const char *results;                       /* where they are described */
    const char *status;                        /* what the exit status means */
    int (*run)(const struct bench_plan *plan); /* returns an exit status */
};

struct bench_modes {
    struct command_modes list;
    const struct bench_mode_row *rows; /* as many as in the list */
    enum bench_mode first;             /* of the list */
};

/* A command line: argv[1] is the mode's name. Returns an exit status. */
int bench_mode_main(const struct bench_modes *modes, int argc, char **argv);

/* The same where argv[0] is the mode's name; it is not in the list, and has no help but `about`. */
int bench_mode_hidden(const struct bench_mode_row *row, enum bench_mode mode, int argc, char **argv);

/* The modes that have no header of their own. */

/* Measures the plan's point. Returns an exit status. */
int bench_generate_run(const struct bench_plan *plan);

/* Each load of each point. Returns an exit status. */
int bench_schedulers_run(const struct bench_plan *plan);

/* Each point of a plan. Returns an exit status. */
int bench_stages_run(const struct bench_plan *plan);

#endif
