/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other side of a worker: what its cells and mobiles may be sent (TS 48.018 clause 8.2), and what was
 * seen on its ports. Octets of a bucket leave at its rate; an LLC-PDU fits if it finds the bucket empty or
 * does not overfill it.
 */
#ifndef TESTS_FUZZ_WORKER_MODEL_H
#define TESTS_FUZZ_WORKER_MODEL_H

#include "tests/unit/dataplane/worker/kit.h"

enum { WORKER_MODEL_CELLS = 2, WORKER_MODEL_MOBILES = 3 };

/* A new sequence, without announced buckets. */
void worker_model_begin(void);

/* Notes an order that the worker has carried out. */
void worker_model_note(const struct msg *order, int64_t now);

/* A mobile was added in the first cell. */
void worker_model_add(unsigned mobile, int64_t now);

/* Takes all that the worker has sent until now, and checks it. */
void worker_model_take(struct kit *kit);

/* What was seen on the ports is what the worker counts. */
void worker_model_end(const struct kit *kit);

#endif
