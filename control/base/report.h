/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts the report program (python/, packed as gbflow-report.pyz, beside gbflow or in ../share/gbflow) with
 * Python. */
#ifndef CONTROL_BASE_REPORT_H
#define CONTROL_BASE_REPORT_H

#include <limits.h>
#include <stdbool.h>

/* The first of these files, paths relative to the folder of this program (NULL ends them), that can be read:
 * its path without "..". False: there is none. */
bool report_find(const char *const *files, char out[PATH_MAX]);

/* The command of this process, before its words are parsed: the report program gets it as GBFLOW_COMMAND, and
 * the commit as GBFLOW_COMMIT, for what it makes. */
void report_command(int argc, char *const *argv);

/* Makes a page: "run" or "analyze" of a folder, "aqm" of a file. A static page, not of "aqm", has SVG in
 * place of charts that one explores. False, with a line on stderr, when it could not. */
bool report_make(const char *kind, const char *path, bool is_static);

/* Calls the report program with these arguments. It ends with this program, and after 20 minutes. False, with
 * a line on stderr, when it failed. */
bool report_call(char *const *arguments, unsigned count);

/* Replaces this process by the report program with these arguments (NULL ends them); returns, with an exit
 * status, only when that fails. */
int report_become(char *const *arguments, unsigned count);

/* As report_become(), for a command that starts this program itself: its arguments, argv[0] replaced by the
 * command's name, and --gbflow with this program's path. */
int report_become_with_program(const char *command, int argc, char **argv);

#endif
