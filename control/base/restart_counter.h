/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The restart counter of a node (Recovery; TS 29.060 clause 7.7.11) and its file, which gn.gtpc.restart_file
 * names. A GGSN that receives another value than before deletes its contexts of this SGSN (TS 23.007 clause
 * 12).
 *
 * The file has the number of the present or last run. The word "empty" behind it says that this run has
 * ended, and that no GGSN had a context of it then: the next run has the same number, since there is nothing
 * that a GGSN would have to delete. Each start takes the word away before the node sends anything, and only
 * an orderly end writes it. So a run that was killed, or whose machine went down, counts as one with
 * contexts.
 */
#ifndef CONTROL_BASE_RESTART_COUNTER_H
#define CONTROL_BASE_RESTART_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

struct restart_counter {
    int fd;        /* of the file, -1: none; open while the node runs, which may lose the right to open it */
    uint8_t value; /* of this run */
};

/*
 * The counter of a run that begins: that of the file plus 1, modulo 256, or that of the file if "empty"
 * stands behind it; 0 if the file does not exist or has no number. If path is "", or the file cannot be
 * written (with a line on stderr), the counter is derived from the time: one restart in 256 then has the
 * previous value.
 */
void restart_counter_open(struct restart_counter *counter, const char *path);

/* The run ends; is_empty: no GGSN has a context of it. */
void restart_counter_close(struct restart_counter *counter, bool is_empty);

#endif
