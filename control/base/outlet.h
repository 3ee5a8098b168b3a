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

/* Ends the thread after it has written the ring, or after wait_ms at most. False: it had not written
 * everything, or a write failed. The outlet is freed; if its thread hangs in the kernel, it stays. */
bool outlet_close(struct outlet *outlet, int wait_ms);

#endif
