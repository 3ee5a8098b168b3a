/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define ARGUMENTS 48

static const char usage[] =
    "usage: gbflow reproduce [P1|P3|P4|P5|all] [--seeds N] [--jobs N] [--out DIR] [--scenarios DIR]\n"
    "                        [--sensitivity] [--spread HOW] [--executor NAME] [--profile DIR] [--environment "
    "DIR]\n"
    "\n"
    "Runs the scenarios of published results and checks every figure against its band. Writes into DIR "
    "(out/reproduce):\n"
    "reproduction.json with each figure, measured and published, and report.html with the papers' figures "
    "redrawn.\n"
    "A run that was finished before is not run again.\n"
    "\n"
    "  --seeds N        runs of each kind, bands are checked on the median (5)\n"
    "  --jobs N         runs at a time (as many as there are processors)\n"
    "  --out DIR        where to write\n"
    "  --scenarios DIR  where the scenario files lie (config/scenarios, else the installed ones)\n"
    "  --sensitivity    P1 also with each thing that is assumed varied over its range, one at a time\n"
    "  --spread HOW     who spreads the runs over processors: snakemake, which is installed from PyPI into "
    "the\n"
    "                   environment once; local, this program; auto, the second where there is no first "
    "(auto)\n"
    "  --executor NAME  Snakemake's executor plugin, to run elsewhere\n"
    "  --profile DIR    Snakemake's profile\n"
    "  --environment DIR  where Snakemake is, or is put (OUT/environment)\n"
    "\n"
    "Exit status: 0 every band is met, 1 one is missed or a run failed, 2 wrong arguments.\n";

int command_reproduce(int argc, char **argv)
{
    static char self[PATH_MAX], command[] = "reproduce", option[] = "--gbflow";
    char *arguments[ARGUMENTS] = {command};
    unsigned count = 1;

    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    ssize_t octets = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (octets < 0 || argc > ARGUMENTS - 4) {
        fputs("gbflow reproduce: too many arguments\n", stderr);
        return COMMAND_USAGE;
    }
    self[octets] = 0;
    for (int i = 1; i < argc; i++)
        arguments[count++] = argv[i];
    arguments[count++] = option;
    arguments[count++] = self;
    return report_become(arguments, count);
}
