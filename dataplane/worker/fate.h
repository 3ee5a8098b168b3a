/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a downlink N-PDU, delivered or dropped: counted, traced, captured, its buffer freed. */
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

/* Counts and frees an N-PDU; traces and captures it, if that is on. */
void fate_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now);

/* Copies a segment's frame to the tap. */
void fate_capture(struct worker *w, const struct sched_grant *grant, const struct rte_mbuf *frame,
                  int64_t now);

/* Writes one event to w->trace, which must not be NULL: an N-PDU ended with `reason` (DROP_NONE: delivered).
 * */
void fate_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now);

#endif
