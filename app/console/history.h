/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of a user's consoles, in $XDG_STATE_HOME/gbflow/console_history or
 * ~/.local/state/gbflow/console_history (mode 0600), if that folder is the user's own. Several consoles may
 * write it at a time. */
#ifndef APP_CONSOLE_HISTORY_H
#define APP_CONSOLE_HISTORY_H

#include <stdbool.h>
#include <stdio.h>

#define HISTORY_LINES 1000

struct line_history {
    char *lines[HISTORY_LINES];
    unsigned first, count;
    char path[4096]; /* "": no file */
};

/* Reads the file, and shortens it to HISTORY_LINES. */
void history_open(struct line_history *h);

/* A line more, also in the file. With a warning on stderr, once, where that cannot be written or is not this
 * user's alone. */
void history_add(struct line_history *h, const char *line);

/* The line of a number from 0, the oldest, to count. */
const char *history_line(const struct line_history *h, unsigned number);

void history_print(const struct line_history *h, FILE *out);

/* Whether a folder is this user's and not writable by all: else a file in it could be anything. */
bool history_is_own_folder(const char *path);

void history_close(struct line_history *h);

#endif
