/* SPDX-License-Identifier: BSD-3-Clause */
/* While control runs, stderr is a stream that never blocks (control/base/outlet.h), for the log as well as
 * for messages of DPDK and of a reload. */
#ifndef CONTROL_BASE_OUTPUT_H
#define CONTROL_BASE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct outlet;

struct output {
    struct outlet *outlet; /* NULL: stderr is the process's own */
    FILE *own;             /* stderr of the process */
};

/* False: no thread, a message is on stderr. */
bool output_begin(struct output *output);

/* Lines lost since output_begin() because the reader of stderr is slow or has gone. */
uint64_t output_lost(const struct output *output);

/* Restores stderr after all lines are written, or after a second. */
void output_end(struct output *output);

#endif
