/* SPDX-License-Identifier: BSD-3-Clause */
/* Exchanges of a mobile with a server, by number: when each request was sent, and how long its answer took.
 * An answer counts once, however late. Memory grows with the requests. */
#ifndef SIM_EXCHANGES_H
#define SIM_EXCHANGES_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct exchanges {
    int64_t *began_ns;
    int64_t *took_ns; /* from the request to its answer; -1: there is none */
    uint32_t count, room;
};

void exchanges_free(struct exchanges *x);

/* A request is sent: number x->count. False: no memory. */
bool exchanges_begin(struct exchanges *x, int64_t now);

/* Its answer has come. Returns the time that it took; -1: it had one, or no request has this number. */
int64_t exchanges_end(struct exchanges *x, uint32_t number, int64_t now);

#endif
