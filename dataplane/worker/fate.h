/* SPDX-License-Identifier: BSD-3-Clause */
/* The fate of an N-PDU: the end of a downlink N-PDU, delivered or dropped: counted, traced, captured, its
 * buffer freed. */
#ifndef DATAPLANE_WORKER_FATE_H
#define DATAPLANE_WORKER_FATE_H

#include "dataplane/base/drop.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_branch_prediction.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ring;

/* Counts and frees the N-PDUs that the scheduler dropped. */
void fate_reap(struct worker *w, int64_t now);

/* Counts and frees an N-PDU; traces and captures it, if that is on. */
void fate_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now);

/* Copies a segment's frame to the tap. */
void fate_capture(struct worker *w, const struct sched_grant *grant, const struct rte_mbuf *frame,
                  int64_t now);

/*
 * The fate of each downlink N-PDU, one event by value, for replay, scenarios and tests. Without a ring the
 * worker writes none.
 */

struct trace_event {
    int64_t at_ns;
    int64_t arrival_ns;
    uint32_t pdp; /* index of the PDP context, UINT32_MAX when there was none */
    uint32_t generation;
    uint16_t octets;
    uint8_t reason; /* enum drop; DROP_NONE: delivered to NS */
    uint8_t qclass;
    uint32_t is_marked; /* 1: gbflow set CE */
};

static_assert(sizeof(struct trace_event) % 4 == 0, "rings carry multiples of four octets");

#define TRACE_NO_PDP UINT32_MAX

/* A ring of `size` slots (a power of two), which holds size - 1 events; NULL: out of memory. The caller
 * frees it by rte_ring_free(). */
struct rte_ring *fate_trace_new(const char *name, unsigned size);

/* The oldest event; false: the ring is empty. */
bool fate_trace_take(struct rte_ring *ring, struct trace_event *event);

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

/* Adds an N-PDU to the volumes of its context (context.h), if they are counted. */
static inline void fate_count_volume(struct context_volume *volume, bool has_passed, uint32_t octets)
{
    if (has_passed) {
        volume->npdus++;
        volume->octets += octets;
    } else {
        volume->dropped_npdus++;
        volume->dropped_octets += octets;
    }
}

/* An N-PDU arrives for a mobile of this worker. */
static inline void fate_in(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    if (unlikely(recent_is_due(&w->recent)))
        fate_record(w, ms, n_pdu, RECENT_IN, now);
}

/* Its last segment leaves. */
static inline void fate_out(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, int64_t now)
{
    if (unlikely(w->context.volumes))
        fate_count_volume(&w->context.volumes[n_pdu->pdp].down, true, pool_octets(n_pdu));
    if (unlikely(recent_is_due(&w->recent)))
        fate_record(w, ms, n_pdu, RECENT_OUT, now);
}

#endif
