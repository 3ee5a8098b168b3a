/* SPDX-License-Identifier: BSD-3-Clause */
/* The subcommands of gbflow: one row each in main.c. */
#ifndef CONTROL_BASE_COMMAND_H
#define CONTROL_BASE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

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

/* An option of a command. One of text, number, flag and parse says what it does: keeps its argument, keeps it
 * as a whole number from min to max, sets a flag to `value`, or calls parse with the parser's `to` and the
 * argument (NULL without one), which returns COMMAND_OK or COMMAND_USAGE. */
struct command_option {
    const char *name;
    const char **text;
    int64_t *number, min, max;
    bool *flag;
    bool value;
    int (*parse)(void *to, char *argument);
    enum { COMMAND_ARGUMENT, COMMAND_NO_ARGUMENT, COMMAND_MAYBE_ARGUMENT } takes;
};

enum { COMMAND_OPTIONS = 48 };

struct command_parser {
    const char *command;
    const struct command_option *options; /* COMMAND_OPTIONS at most; --help comes by itself */
    unsigned count;
    void *to;
};

/* Takes the options; optind is at what is left. COMMAND_OK, COMMAND_USAGE after a message, or COMMAND_HELP.
 */
int command_parse(const struct command_parser *parser, int argc, char **argv);

/* The whole number of an option. COMMAND_OK, or COMMAND_USAGE after a message. */
int command_number(const char *command, const struct command_option *o, const char *text);

/* Each takes its own arguments, its name first, and returns an exit status. */
int command_replay(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_emulate(int argc, char **argv);
int command_show(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_check(int argc, char **argv);
int command_fields(int argc, char **argv);
int command_run(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_aqm(int argc, char **argv);
int command_analyze(int argc, char **argv);

#endif
