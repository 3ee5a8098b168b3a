/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The reader: a process that tries a new configuration before the node reads it: what it takes too long or
 * too much memory for, or dies of, cannot harm the node. It is made before DPDK and the node's threads; for
 * each text it makes a child with limits (processor time, address space, time on the clock).
 */
#ifndef CONTROL_CONFIG_READER_H
#define CONTROL_CONFIG_READER_H

#include <stdbool.h>
#include <sys/types.h>

struct reader {
    pid_t process; /* 0: none */
    int fd;        /* the socket to it */
    char *text;    /* shared memory */
};

/* Starts the process. `user`: whom it becomes, NULL: the present one. False, with a line on stderr. */
bool reader_start(struct reader *reader, const char *user);

/*
 * Whether a text can be read; waits for the answer, so it is not for the control thread. False, with lines on
 * stderr: it has errors, or its reading exceeded a limit or died. path: the name in these lines.
 */
bool reader_try(struct reader *reader, const char *path, const char *text);

/* Ends the process; a reader_try() in another thread returns false. */
void reader_stop(struct reader *reader);

#endif
