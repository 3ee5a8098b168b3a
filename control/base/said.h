/* SPDX-License-Identifier: BSD-3-Clause */
/* Said: the lines that a part of the program writes to stderr, kept in a file without a name, for those that
 * may leave them out or write them in another form. */
#ifndef CONTROL_BASE_SAID_H
#define CONTROL_BASE_SAID_H

#include <stdbool.h>
#include <stdio.h>

struct said {
    FILE *file; /* NULL: what is said is not kept */
    int stream; /* stderr's */
};

/* From now on lines are kept. Without room for a file they go to stderr as ever, and nothing is kept. */
void said_begin(struct said *said);

/* From now on lines go to stderr again. */
void said_end(struct said *said);

/* The next kept line without its end, in memory that the next call and said_free() take back; NULL: no more.
 */
const char *said_line(struct said *said);

void said_free(struct said *said);

#endif
