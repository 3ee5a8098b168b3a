/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of whole frames in buffers. */
#ifndef DATAPLANE_WORKER_TAP_BURST_H
#define DATAPLANE_WORKER_TAP_BURST_H

#include "dataplane/worker/tap.h"

struct rte_mbuf;

/* As tap_put_gb(), for `count` frames. */
void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now);

#endif
