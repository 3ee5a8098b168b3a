/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <stdio.h>

#define ARGUMENTS 16

static const char usage[] =
    "usage: gbflow compare A B [--figure NAME]... [--json FILE] [--all]\n"
    "\n"
    "Prints for each figure of two results both means, the difference in percent with its 95 % interval, "
    "and\n"
    "whether a t test shows it. Runs with equal seeds are compared in pairs; Holm's correction keeps the "
    "chance\n"
    "of any false finding at 5 %. A and B: a folder or summary.json that gbflow run wrote; a folder of such\n"
    "folders with different seeds; NAME for the folders NAME-seed1, NAME-seed2, ...; or a folder that\n"
    "gbflow reproduce wrote.\n"
    "\n"
    "  --figure NAME  judge only figures of this name; * stands for any characters; repeat for several "
    "names\n"
    "  --json FILE    also write all rows to FILE\n"
    "  --all          also judge the figures of each mobile, and print equal figures\n"
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
