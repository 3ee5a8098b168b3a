/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of gbflow: one row each in main.c. */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

#include <stdbool.h>

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* the run failed */
    COMMAND_USAGE = 2,  /* arguments or configuration are wrong */
    COMMAND_HELP = -1,  /* while parsing: help was asked for */
};

/* Says what is wrong with the arguments of a command, and where help is. Returns COMMAND_USAGE. */
int command_wrong(const char *command, const char *message, const char *what);

/*
 * After options were parsed to *status: whether the command goes on. If not, help was printed or a mistake
 * told, and *status is the exit status.
 */
bool command_goes_on(const char *usage, int *status);

/* Each takes its own arguments, its name first, and returns an exit status. */
int command_replay(int argc, char **argv);
int command_check(int argc, char **argv);
int command_run(int argc, char **argv);
int command_reproduce(int argc, char **argv);

#endif
