/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a run's results come from: provenance.json beside them, with all that `gbflow rerun` needs to play
 * the run again: program, command line, seed, changes, the scenario's text, and the files of its AQM schemes.
 * It is a file of its own because results are byte-equal for equal seeds, on each machine and from each
 * folder.
 */
#ifndef APP_RUN_PROVENANCE_H
#define APP_RUN_PROVENANCE_H

#include "app/run/run.h"

/* False, with a line on stderr: the file could not be written. */
bool run_provenance_write(const struct run *r, const char *path);

#endif
