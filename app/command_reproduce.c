/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <stdio.h>

static const char usage[] =
    "usage: gbflow reproduce [P1|P2|P3|P4|P5|own|all] [--seeds N] [--jobs N] [--out DIR] [--scenarios DIR]\n"
    "                        [--sensitivity] [--spread HOW] [--executor NAME] [--profile DIR] [--environment "
    "DIR]\n"
    "\n"
    "Runs the scenarios of published results, or of gbflow's own study (own, not part of all), and checks\n"
    "each figure against its band. Writes into DIR:\n"
    "reproduction.json with each figure, measured and published, and report.html with the papers' figures\n"
    "redrawn. Runs that an earlier call finished in DIR are kept.\n"
    "\n"
    "  --seeds N        seeds per variant; a band is checked on the median over seeds (5)\n"
    "  --jobs N         runs at the same time (the number of processors)\n"
    "  --out DIR        folder for the results (out/reproduce)\n"
    "  --scenarios DIR  folder of the scenario files (config/scenarios, else the installed ones)\n"
    "  --sensitivity    run P1 and P2 also with each assumption varied over its range, one at a time\n"
    "  --spread HOW     what starts the runs: snakemake (installed from PyPI into the environment, once), "
    "local\n"
    "                   (this program), or auto (snakemake, else local) (auto)\n"
    "  --executor NAME  Snakemake's executor plugin, to run on other machines\n"
    "  --profile DIR    Snakemake's profile\n"
    "  --environment DIR  folder of the Python environment with Snakemake (environment below --out)\n"
    "  --svg            draw the plots of report.html as SVG, for papers, without a script\n"
    "\n"
    "Exit status: 0 no figure is missed (docs/run.md: verdicts), 1 one is or a run failed, 2 wrong "
    "arguments.\n";

int command_reproduce(int argc, char **argv)
{
    if (command_asks_help(argc, argv)) {
        fputs(usage, stdout);
        return COMMAND_OK;
    }
    return report_become_with_program("reproduce", argc, argv);
}
