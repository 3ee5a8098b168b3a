/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of `gbflow bench MODE` and gbflow-fitness: a row each, with the modes that take it, its help line,
 * its range, and the field of the plan that it sets. Parameters are options that are given as --set
 * NAME=VALUE.
 */
#ifndef BENCH_THROUGHPUT_OPTIONS_H
#define BENCH_THROUGHPUT_OPTIONS_H

#include "bench/throughput/plan.h"

#include <stddef.h>
#include <stdio.h>

/* The arguments of a process that a mode starts, made of a plan and one of its points. */

#define BENCH_ARGUMENTS       48
#define BENCH_ARGUMENTS_CHARS 160

/* list[count] is NULL. Arguments beyond BENCH_ARGUMENTS are dropped, longer texts are cut. */
struct bench_arguments {
    char texts[BENCH_ARGUMENTS][BENCH_ARGUMENTS_CHARS];
    char *list[BENCH_ARGUMENTS + 1];
    unsigned count;
};

__attribute__((format(printf, 2, 3))) void bench_arguments_put(struct bench_arguments *a, const char *format,
                                                               ...);

/* "--name value". */
void bench_arguments_pair(struct bench_arguments *a, const char *name, uint64_t value);

/* `gbflow bench MODE` with the options of a point (protocol: slices.h), without --workers and --cores. */
void bench_arguments_point(struct bench_arguments *a, const char *mode, const struct bench_plan *plan,
                           const struct bench_point *point);

/* --workers, and --cores from the plan's CPU number `first` on. */
void bench_arguments_workers(struct bench_arguments *a, const struct bench_plan *plan, unsigned first,
                             unsigned workers);

/* A plan before any option was given, and what has to hold once all were. */

void bench_defaults(struct bench_plan *plan, enum bench_mode mode);

/* Rules that take more than one option, and the number of files. Chooses CPUs and the engine of ciphering.
 * COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_check(struct bench_plan *plan, enum bench_mode mode);

enum bench_option_kind {
    BENCH_OPTION_NUMBER, /* a whole number from min to max, times scale, to a field of the plan */
    BENCH_OPTION_FLAG,   /* sets a field to `value` */
    BENCH_OPTION_TEXT,   /* a field becomes the argument */
    BENCH_OPTION_VALUE,  /* parse() takes the argument, of which there is none if `value` is set */
};

struct bench_option {
    const char *name, *argument, *what;
    const char *range; /* of a number its unit, NULL: none; else the values in words, NULL: any */
    const char *unset; /* the default in words, where show is NULL and it is not a number in range */
    uint32_t modes;    /* bits of enum bench_mode */
    bool is_parameter, value;
    enum bench_option_kind kind;
    size_t at, octets; /* of the field */
    int64_t scale, min, max;
    int (*parse)(void *plan, char *text);                                 /* as command_option's */
    void (*show)(const struct bench_plan *plan, char *out, size_t chars); /* its default, or NULL */
};

/* All rows, in the order of the help. A name that has two rows has other ranges in other modes. */
extern const struct bench_option bench_option_rows[];
extern const unsigned bench_option_count;

static inline bool bench_option_is_of(const struct bench_option *o, enum bench_mode mode)
{
    return o->modes & BENCH_BIT(mode);
}

/* A number's field in the option's unit. */
int64_t bench_option_load(const struct bench_option *o, const struct bench_plan *plan);

/* Parses a mode's options into a plan that has its defaults. `modes`: of the program, whose
 * other modes may own an option, or NULL. COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP. */
int bench_options_parse(struct bench_plan *plan, const struct bench_modes *modes, enum bench_mode mode,
                        int argc, char **argv);

/* Parses the argument of --set. */
int bench_options_set(void *plan, char *text);

/* The help of a mode: usage, options with ranges and defaults, parameters, example. */
void bench_options_help(FILE *out, const struct bench_modes *modes, enum bench_mode mode);

#endif
