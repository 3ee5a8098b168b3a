/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a burst is to be ciphered or deciphered: collected frame by frame, then done side by side. */
#ifndef DATAPLANE_WORKER_CIPHER_H
#define DATAPLANE_WORKER_CIPHER_H

#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"

#include <stdint.h>

/* Count 0 is empty; the rest may be anything then. */
struct cipher {
    unsigned count;
    struct gea_job jobs[PORT_BURST];
};

/* Adds a frame; there are never more than PORT_BURST. */
static inline void cipher_put(struct cipher *c, const struct gea_job *job)
{
    c->jobs[c->count++] = *job;
}

/* Does what was added, in place. The engine may be NULL when nothing was. */
static inline void cipher_run(struct cipher *c, const struct gea_engine *engine)
{
    if (c->count > 0)
        gea_cipher_burst(engine, c->jobs, c->count);
    c->count = 0;
}

#endif
