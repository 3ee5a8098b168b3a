/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts of exchanges (sim/app_script.h) that a scenario reads from tables (CSV) beside it. */
#ifndef APP_RUN_SCRIPT_FILE_H
#define APP_RUN_SCRIPT_FILE_H

#include "sim/app_script.h"

#include <stdbool.h>

struct script_file {
    char *file; /* as the scenario has it */
    struct app_script script;
};

/*
 * Reads f->file, a path below `folder`, which is "" or ends in "/". False: a line on stderr has file, line,
 * value and what it should be.
 */
bool script_file_read(struct script_file *f, const char *folder);

/* Frees what is in it. */
void script_file_fini(struct script_file *f);

#endif
