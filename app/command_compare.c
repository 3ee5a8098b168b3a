/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <stdio.h>

#define ARGUMENTS 16

static const char usage[] =
    "usage: gbflow compare A B [--json FILE] [--all]\n"
    "\n"
    "Two results side by side: per figure both medians, the difference in percent, and whether it is beyond "
    "the\n"
    "spread over the seeds. A and B are each what gbflow run left (its folder or summary.json), a folder of "
    "such\n"
    "folders with different seeds, NAME for the folders NAME-seed1, NAME-seed2, ..., or what gbflow "
    "reproduce "
    "left.\n"
    "\n"
    "  --json FILE  write every row there\n"
    "  --all        print equal figures, and those of each mobile, too\n"
    "\n"
    "Exit status: 0 compared, 1 the results cannot be read or are of different shape, 2 wrong arguments.\n";

int command_compare(int argc, char **argv)
{
    static char command[] = "compare";
    char *arguments[ARGUMENTS] = {command};

    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    if (argc > ARGUMENTS) {
        fputs("gbflow compare: too many arguments\n", stderr);
        return COMMAND_USAGE;
    }
    for (int i = 1; i < argc; i++)
        arguments[i] = argv[i];
    return report_become(arguments, (unsigned)argc);
}
