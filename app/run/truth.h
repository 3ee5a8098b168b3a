/* SPDX-License-Identifier: BSD-3-Clause */
/* gi.truth.json of a run: what became of the packets in gi.pcapng. */
#ifndef APP_RUN_TRUTH_H
#define APP_RUN_TRUTH_H

#include "app/run/run.h"

/* False: out of memory (new), or the file cannot be written (write). */
bool run_truth_new(struct scenario_run *r);
void run_truth_see(const struct run_mobile *mobile, enum truth_place place, const uint8_t *packet,
                   size_t octets, int64_t now);
bool run_truth_write(struct scenario_run *r, const char *path);

#endif
