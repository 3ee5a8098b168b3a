/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a downlink N-PDU, delivered or dropped: counted, traced, captured, its buffer freed. */
#ifndef DATAPLANE_WORKER_FATE_H
#define DATAPLANE_WORKER_FATE_H

#include "dataplane/base/drop.h"
#include "dataplane/worker/worker.h"

#include <rte_branch_prediction.h>
#include <stdint.h>

struct rte_mbuf;

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

/*
 * A sample of the N-PDUs of mobiles: records of the latest ones (budget.h), and counters by cell, class and
 * context (struct gb_counts, struct pdp). Arrivals and departures add the weight of a record to the counters;
 * up to RECENT_RECORDS / 2 events a second the weight is 1 and the counters are exact. Drops are counted
 * each. Counters that each N-PDU changed cost 12 % of a worker's time with 1000 cells and 100 000 mobiles.
 */

/* Writes a record of this kind. Not inlined: one N-PDU of many. */
void fate_record(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, enum recent_kind kind,
                 int64_t now);

/* An N-PDU arrives for a mobile of this worker. */
static inline void fate_in(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    if (unlikely(recent_is_due(&w->recent)))
        fate_record(w, ms, n_pdu, RECENT_IN, now);
}

/* Its last segment leaves. */
static inline void fate_out(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    if (unlikely(recent_is_due(&w->recent)))
        fate_record(w, ms, n_pdu, RECENT_OUT, now);
}

#endif
