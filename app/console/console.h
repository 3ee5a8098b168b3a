/* SPDX-License-Identifier: BSD-3-Clause */
/* The console at a running process: each line is a command of the program, called in a process of its own. */
#ifndef APP_CONSOLE_CONSOLE_H
#define APP_CONSOLE_CONSOLE_H

#include "app/console/history.h"
#include "app/console/line.h"
#include "app/console/syntax.h"
#include "control/base/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CONSOLE_NAME_CHARS 32
#define CONSOLE_COMMANDS   48

struct console {
    char prefix[CONSOLE_NAME_CHARS]; /* of the process */
    void (*look)(struct console *c); /* sets may_act to what the process says now, if it answers soon */
    bool may_act, is_interactive, keeps_going, is_over;
    struct line_history history;
    void *editor;                              /* of libedit, at a terminal */
    struct syntax *syntaxes[CONSOLE_COMMANDS]; /* by row of the program's table; NULL: not read yet */
};

/* Carries out a line; returns its exit status, COMMAND_OK of an empty one. is_over after `exit`. */
int console_carry_out(struct console *c, const char *text, size_t octets);

/* Lines from a terminal, or from stdin as a script; returns the console's exit status. */
int console_edit(struct console *c);
int console_play(struct console *c);

/* The commands of a console: its own, and those of the program that are for a running process. */
void console_list_commands(struct syntax_choices *choices);

/* The words of a command; NULL: the console has no such command, or no memory. */
const struct syntax *console_syntax(struct console *c, const char *command);

/* Puts the command that a word begins in its place. False, with a message: it begins several. */
bool console_expand_command(char **word, char error[SYNTAX_ERROR_CHARS]);

/* Text that a command of the program prints on stdout, cut to a second and a MiB; to be freed, NULL: no
 * memory. */
char *console_said(char *const *words, unsigned count);

/* Names of objects that begin so, for a placeholder or an option; to be freed, a line each. table: of
 * --columns, NULL: none. is_all: set to false if there may be others. */
char *console_values(const char *placeholder, const char *table, const char *begin, bool *is_all);

#endif
