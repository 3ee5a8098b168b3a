/* SPDX-License-Identifier: BSD-3-Clause */
/* A command: the subcommands of gbflow (a row each in main.c), their modes, options and help. */
#ifndef CONTROL_BASE_COMMAND_H
#define CONTROL_BASE_COMMAND_H

#include "control/base/words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum command_status {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1,  /* the run failed */
    COMMAND_USAGE = 2,   /* arguments or configuration are wrong */
    COMMAND_MISSING = 3, /* a program that the run needs is not installed */
    COMMAND_HELP = -1,   /* while parsing: --help or -h was given */
};

/* The program's name in messages, "gbflow" unless set; static text. */
void command_set_program(const char *name);

/* Prints a line on stderr: the command, then the message. */
__attribute__((format(printf, 2, 3))) void command_error(const char *command, const char *format, ...);

/* Prints words of the caller's on stderr as messages have them: ? for control characters, long ones cut. */
void command_print(const char *text);

/* The same for a mistake in the arguments, with a second line that says where the help is. Returns
 * COMMAND_USAGE. */
__attribute__((format(printf, 2, 3))) int command_refuse(const char *command, const char *format, ...);
int command_wrong(const char *command, const char *message, const char *what);

/* The same for a word that is not in a list, with the word of it that was probably meant (words.h). before:
 * text before the word, "--columns: " say, or "". */
int command_unknown(const char *command, const char *before, const char *noun, const char *word,
                    const struct words *words);

/* Whether a file of that name exists, - being standard input; if not, after a message. */
bool command_has_file(const char *command, const char *path);

/*
 * To be called after options were parsed to *status. True: the command can run. False: its help or a message
 * has been printed, and *status is the exit status.
 */
bool command_accepted(const char *usage, int *status);

/* Whether --help or -h is among the arguments, for a command that parses no options. */
bool command_asks_help(int argc, char **argv);

/* --- help: lines of 80 columns at most --- */

/* Prints words from column `at` on, further lines indented. */
void command_put_words(FILE *out, const char *text, int at, int indent);

/* A row of a list: a name, and what it stands for. */
void command_put_row(FILE *out, const char *name, const char *what);

/* --- the table of the program --- */

struct command_row {
    const char *name, *what;
    int (*run)(int argc, char **argv);
    bool is_for_node; /* it connects to a running process, by --prefix */
};

struct command_table {
    const struct command_row *rows;
    unsigned count;
    /* Calls the command of a row, argv[0] being its name; returns the exit status of the program. */
    int (*call)(const struct command_row *row, int argc, char **argv);
};

/* The table of this program, which stays valid. Before: one without rows. */
void command_set_table(const struct command_table *table);
const struct command_table *command_table(void);

/* --- modes: gbflow COMMAND MODE --- */

struct command_mode {
    const char *name, *what; /* a line of the command's help */
};

struct command_modes {
    const char *command, *noun; /* command: "" where the program has none; noun: "MODE" */
    const char *head, *tail;    /* of the command's help, before and after the list of modes */
    const struct command_mode *modes;
    unsigned count; /* 32 at most */
};

enum { COMMAND_NAMES_CHARS = 256 };

/* Head, modes and tail. */
void command_print_modes(const struct command_modes *m);

/* The names of the modes of these bits, each between quotes, separated by commas. */
void command_put_modes(char out[COMMAND_NAMES_CHARS], const struct command_modes *m, uint32_t bits,
                       const char *quote);

/* The mode that argv[1] names. False: *status is the exit status, after help or a message. */
bool command_find_mode(const struct command_modes *m, int argc, char **argv, unsigned *mode, int *status);

/* --- options --- */

/* An option of a command. One of text, number, flag and parse says what it does: keeps its argument, keeps it
 * as a whole number from min to max, sets a flag to `value`, or calls parse with the parser's `to` and the
 * argument (NULL without one), or take, which also gets the option; both return COMMAND_OK or COMMAND_USAGE.
 */
struct command_option {
    const char *name;
    const char **text;
    int64_t *number, min, max;
    bool *flag;
    bool value;
    int (*parse)(void *to, char *argument);
    int (*take)(void *to, const struct command_option *option, char *argument);
    enum { COMMAND_ARGUMENT, COMMAND_NO_ARGUMENT, COMMAND_MAYBE_ARGUMENT } takes;
    uint32_t modes; /* a bit for each mode that takes it; 0: all do */
};

enum { COMMAND_OPTIONS = 48 };

struct command_parser {
    const char *command;
    const struct command_option *options; /* COMMAND_OPTIONS at most; --help and -h come by themselves */
    unsigned count;
    void *to;
    const struct command_modes *modes; /* NULL: the command has none */
    unsigned mode;
};

/* Parses options; optind is then the first other argument. COMMAND_OK, COMMAND_HELP, or COMMAND_USAGE after
 * a message; an option of other modes is refused with their names. */
int command_parse(const struct command_parser *parser, int argc, char **argv);

/* The whole number of an option. COMMAND_OK, or COMMAND_USAGE after a message. */
int command_number(const char *command, const struct command_option *o, const char *text);

/* The process that the commands are at, which then take no --prefix and no --config. NULL, as before: their
 * options choose it. Static text. */
void command_set_process(const char *name);
const char *command_process(void);

/* --- the commands: each takes its own arguments, its name first, and returns an exit status --- */

int command_replay(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_emulate(int argc, char **argv);
int command_show(int argc, char **argv);
int command_top(int argc, char **argv);
int command_capture(int argc, char **argv);
int command_log(int argc, char **argv);
int command_reload(int argc, char **argv);
int command_restart_control(int argc, char **argv);
int command_page(int argc, char **argv);
int command_detach(int argc, char **argv);
int command_deactivate(int argc, char **argv);
int command_forget(int argc, char **argv);
int command_offload(int argc, char **argv);
int command_drain(int argc, char **argv);
int command_nsvc(int argc, char **argv);
int command_bvc(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_check(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_console(int argc, char **argv);
int command_fields(int argc, char **argv);
int command_import_osmo(int argc, char **argv);
int command_run(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_rerun(int argc, char **argv);
int command_lab(int argc, char **argv);
int command_sweep(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_figure(int argc, char **argv);
int command_aqm(int argc, char **argv);
int command_analyze(int argc, char **argv);

/* The program's version, of which scripts/version.sh is the only source: "0.2.0+7", static string: for
 * --version, the first line of --help, and the field `version` of a JSON document. */
const char *command_version(void);

/* The commit that the program was built of, with "-dirty" for a changed tree; "" where it was built of no
 * repository. Static string. */
const char *command_commit(void);

#endif
