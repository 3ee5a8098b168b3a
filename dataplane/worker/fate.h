/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of a downlink N-PDU: counted, traced, captured, its buffer freed. */
#ifndef DATAPLANE_WORKER_FATE_H
#define DATAPLANE_WORKER_FATE_H

#include "dataplane/base/drop.h"

#include <stdint.h>

struct n_pdu;
struct rte_mbuf;
struct sched_grant;
struct worker;

/* Counts and frees the N-PDUs that the scheduler dropped. */
void fate_reap(struct worker *w, int64_t now);

/* Counts and frees an N-PDU. */
void fate_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now);

/* Keeps a copy of a segment's frame for whoever captures. */
void fate_capture(struct worker *w, const struct sched_grant *grant, const struct rte_mbuf *frame,
                  int64_t now);

/* One event of w->trace, which there is: an N-PDU that ended with `reason` (DROP_NONE: delivered). */
void fate_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now);

#endif
