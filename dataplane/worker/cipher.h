/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames to cipher or decipher: collected one by one, then handled together, as the engine is faster so. */
#ifndef DATAPLANE_WORKER_CIPHER_H
#define DATAPLANE_WORKER_CIPHER_H

#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"

#include <stdint.h>

enum { CIPHER_FRAMES = PORT_PENDING };

/* Empty when count is 0; other fields are then undefined. */
struct cipher {
    unsigned count;
    struct gea_job jobs[CIPHER_FRAMES];
};

/* Adds a frame; at most CIPHER_FRAMES in all. */
static inline void cipher_put(struct cipher *c, const struct gea_job *job)
{
    c->jobs[c->count++] = *job;
}

/* Handles the added frames in place. The engine may be NULL when there are none. */
static inline void cipher_run(struct cipher *c, const struct gea_engine *engine)
{
    if (c->count > 0)
        gea_cipher_burst(engine, c->jobs, c->count);
    c->count = 0;
}

#endif
