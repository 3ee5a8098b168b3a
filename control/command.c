/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/command.h"

#include <stdio.h>

int command_wrong(const char *command, const char *message, const char *what)
{
    fprintf(stderr, "gbflow %s: %s%s\ntry: gbflow %s --help\n", command, message, what, command);
    return COMMAND_USAGE;
}

bool command_goes_on(const char *usage, int *status)
{
    if (*status == COMMAND_HELP) {
        fputs(usage, stdout);
        *status = COMMAND_OK;
        return false;
    }
    return *status == COMMAND_OK;
}
