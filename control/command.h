/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of gbflow: one row each in main.c. */
#ifndef CONTROL_COMMAND_H
#define CONTROL_COMMAND_H

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* the run failed */
    COMMAND_USAGE = 2,  /* arguments or configuration are wrong */
};

/* Each takes its own arguments, its name first, and returns an exit status. */
int command_replay(int argc, char **argv);
int command_check(int argc, char **argv);
int command_run(int argc, char **argv);
int command_reproduce(int argc, char **argv);

#endif
