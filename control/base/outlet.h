/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output that never blocks its writer: octets go to a ring, and a thread of the outlet writes them to a file
 * descriptor. A full ring loses whole writes and counts them; so does everything after an error, such as a
 * pipe without a reader.
 *
 *     head .. head + used of ring: octets not yet written
 */
#ifndef CONTROL_BASE_OUTLET_H
#define CONTROL_BASE_OUTLET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct outlet;

/* Starts a thread that writes to fd, with a ring of some octets. NULL, and errno: it cannot start. The caller
 * keeps fd open until outlet_close(). */
struct outlet *outlet_open(int fd, size_t ring_octets);

/* A stream whose writes go to the ring, which the caller closes before the outlet; NULL: no memory. */
FILE *outlet_stream(struct outlet *outlet);

/* Octets that the ring has room for. */
size_t outlet_room(struct outlet *outlet);

/* Writes lost. */
uint64_t outlet_lost(struct outlet *outlet);

/* errno of the write that failed; 0: none did. */
int outlet_error(struct outlet *outlet);

enum outlet_end {
    OUTLET_ENDING,     /* the thread still writes */
    OUTLET_WRITTEN,    /* everything is written, and the outlet freed */
    OUTLET_INCOMPLETE, /* freed, but wait_ms were over before, or a write failed */
    OUTLET_HANGS, /* the thread hangs in the kernel: outlet and fd stay, nothing is to be done with either */
};

/* Ends the thread after it has written the ring, or after wait_ms at most. Does not wait: to be called again
 * while it returns OUTLET_ENDING. waited_ms: since the first call. */
enum outlet_end outlet_end(struct outlet *outlet, int64_t waited_ms, int wait_ms);

/* The same, and waits for the end. True: OUTLET_WRITTEN. */
bool outlet_close(struct outlet *outlet, int wait_ms);

/* While control runs, stderr is a stream that never blocks, for the log as well as
 * for messages of DPDK and of a reload. */

struct outlet_stderr {
    struct outlet *outlet; /* NULL: stderr is the process's own */
    FILE *own;             /* stderr of the process */
};

/* False: no thread, a message is on stderr. */
bool outlet_stderr_begin(struct outlet_stderr *output);

/* Lines that this thread writes to stderr go to a stream of the caller's instead, until `to` is NULL. */
void outlet_stderr_divert(FILE *to);

/* Lines lost since outlet_stderr_begin() because the reader of stderr is slow or has gone. */
uint64_t outlet_stderr_lost(const struct outlet_stderr *output);

/* Restores stderr after all lines are written, or after a second. */
void outlet_stderr_end(struct outlet_stderr *output);

#endif
