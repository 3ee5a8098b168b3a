/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/command.h"

#include "control/base/report.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "usage: gbflow lab up [--mobiles NAMES] [--name LAB]\n"
    "       gbflow lab status|down [--name LAB]\n"
    "       gbflow lab shell [--name LAB] NAME [COMMAND...]\n"
    "\n"
    "A lab on this machine (docs/lab.md): osmo-ggsn, gbflow serve and gbflow emulate in network namespaces,\n"
    "with configurations that fit each other. Each mobile is a host: its packets go over the emulated "
    "radio,\n"
    "Gb, the node and GTP-U to a web server at 203.0.113.1. Needs root and osmo-ggsn.\n"
    "\n";
static const char tail[] =
    "\n"
    "  --mobiles NAMES  names of the mobiles, separated by commas (anna,bert)\n"
    "  --name LAB       name of the lab, for several beside each other (gbflow-lab)\n"
    "\n"
    "Configurations, logs and reports are in /run/LAB.\n"
    "Exit status: 0 success, 1 the lab did not come up, or a program of it has ended, 2 wrong arguments.\n";

int command_lab(int argc, char **argv)
{
    static const struct command_mode modes[] = {
        {"up", "make the namespaces, start the programs, say what to type next"},
        {"status", "print which programs run, and the mobiles"},
        {"shell", "a shell, or one command, of a mobile, or of the side ggsn, node or bss"},
        {"down", "end the programs, delete the namespaces"},
    };
    const struct command_modes m = {.command = "lab",
                                    .noun = "PART",
                                    .head = head,
                                    .tail = tail,
                                    .modes = modes,
                                    .count = sizeof(modes) / sizeof(modes[0])};
    unsigned mode;
    int status;

    if (argc > 1 && strcmp(argv[1], "shell") != 0 && command_asks_help(argc, argv)) {
        printf("%s", head);
        for (unsigned i = 0; i < m.count; i++)
            printf("  %-8s %s\n", modes[i].name, modes[i].what);
        printf("%s", tail);
        return COMMAND_OK;
    }
    if (!command_find_mode(&m, argc, argv, &mode, &status))
        return status;
    return report_become_with_program("lab", argc, argv);
}
