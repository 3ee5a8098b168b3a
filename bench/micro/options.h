/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of a benchmark, each with a number behind it. */
#ifndef BENCH_MICRO_OPTIONS_H
#define BENCH_MICRO_OPTIONS_H

#include <stdbool.h>

struct options_number {
    const char *name;
    unsigned *to, least, most, multiple; /* the number is a multiple of the last one */
};

/* False, with a line on stderr: one of them is not known, or its number is out of range. */
bool options_read(const char *program, const struct options_number *options, unsigned count, int argc,
                  char **argv);

#endif
