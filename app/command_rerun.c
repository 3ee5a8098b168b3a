/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <stdio.h>

static const char usage[] =
    "usage: gbflow rerun DIR [--out DIR]\n"
    "\n"
    "Plays a run again from DIR/provenance.json, which gbflow run wrote: the scenario's text of that time, "
    "its\n"
    "seed and its --set. Prints for each result file whether it has the same octets as before.\n"
    "\n"
    "  --out DIR  keep the new results there (default: they are removed)\n"
    "\n"
    "Exit status: 0 all results are equal, 1 one differs or the run failed, 2 wrong arguments.\n";

int command_rerun(int argc, char **argv)
{
    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    return report_become_with_program("rerun", argc, argv);
}
