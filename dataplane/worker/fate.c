/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/fate.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/context/gb.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <string.h>

static bool is_wanted(const struct tap_filter *filter, const struct tap_about *about)
{
    return (filter->tlli == 0 || filter->tlli == about->tlli) &&
           (filter->bvci == 0 || filter->bvci == about->bvci);
}

/* The next free record; NULL, and counted: the tap is full. */
static struct tap_record *next_record(struct tap *tap)
{
    unsigned head = atomic_load_explicit(&tap->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&tap->tail, memory_order_acquire);
    if (head - tail < TAP_RECORDS)
        return &tap->records[head % TAP_RECORDS];
    atomic_fetch_add_explicit(&tap->lost, 1, memory_order_relaxed);
    return NULL;
}

void tap_put(struct tap *tap, const uint8_t *octets, size_t count, const struct tap_about *about, int64_t now)
{
    struct tap_record *record = tap_is_on(tap) && is_wanted(&tap->filter, about) ? next_record(tap) : NULL;
    if (!record)
        return;
    record->at_ns = now;
    record->sojourn_ns = about->n_pdu ? now - about->n_pdu->arrival_ns : 0;
    record->qclass = about->n_pdu ? about->n_pdu->qclass : 0;
    record->tlli = about->tlli;
    record->bvci = about->bvci;
    record->kind = (uint8_t)about->kind;
    record->nsapi = about->nsapi;
    record->segment = about->segment;
    record->is_last = about->is_last;
    record->reason = about->reason;
    record->frame_octets = (uint16_t)count;
    record->kept_octets = (uint16_t)(count < TAP_OCTETS ? count : TAP_OCTETS);
    memcpy(record->octets, octets, record->kept_octets);
    atomic_fetch_add_explicit(&tap->head, 1, memory_order_release);
}

void tap_put_gb(struct tap *tap, const uint8_t *frame, size_t count, enum tap_kind kind, int64_t now)
{
    struct tap_about about = {.kind = kind};
    if (!tap_is_on(tap))
        return;
    size_t headers = gb_transport_octets(frame, count);
    if (count > headers) {
        const uint8_t *ns = frame + headers;
        size_t octets = count - headers;
        int offset = ns_unitdata_header_get(&about.bvci, ns, octets);
        bool is_users = offset >= 0 && octets >= (size_t)offset + 5 &&
                        (ns[offset] == BSSGP_UL_UNITDATA || ns[offset] == BSSGP_DL_UNITDATA);
        about.tlli = is_users ? bytes_get_u32(ns + offset + 1) : 0;
    }
    tap_put(tap, frame, count, &about, now);
}

/* --- the reader --- */

void tap_start(struct tap *tap, const struct tap_filter *filter)
{
    tap->filter = *filter;
    atomic_store(&tap->tail, atomic_load(&tap->head));
    atomic_store_explicit(&tap->is_on, true, memory_order_release);
}

void tap_stop(struct tap *tap)
{
    atomic_store(&tap->is_on, false);
}

const struct tap_record *tap_get(struct tap *tap)
{
    unsigned tail = atomic_load_explicit(&tap->tail, memory_order_relaxed);
    if (tail == atomic_load_explicit(&tap->head, memory_order_acquire))
        return NULL;
    return &tap->records[tail % TAP_RECORDS];
}

void tap_done(struct tap *tap)
{
    atomic_fetch_add_explicit(&tap->tail, 1, memory_order_release);
}

struct rte_ring *trace_new(const char *name, unsigned size)
{
    return rte_ring_create_elem(name, sizeof(struct trace_event), size, SOCKET_ID_ANY,
                                RING_F_SP_ENQ | RING_F_SC_DEQ);
}

bool trace_put(struct rte_ring *ring, const struct trace_event *event)
{
    return rte_ring_sp_enqueue_elem(ring, (void *)(uintptr_t)event, sizeof(*event)) == 0;
}

bool trace_take(struct rte_ring *ring, struct trace_event *event)
{
    return rte_ring_sc_dequeue_elem(ring, event, sizeof(*event)) == 0;
}

void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now)
{
    if (likely(!tap_is_on(tap)))
        return;
    for (unsigned i = 0; i < count; i++)
        tap_put_gb(tap, rte_pktmbuf_mtod(frames[i], const uint8_t *), rte_pktmbuf_data_len(frames[i]), kind,
                   now);
}

void fate_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now)
{
    struct trace_event event = {
        .at_ns = now,
        .arrival_ns = n_pdu->arrival_ns,
        .pdp = n_pdu->pdp,
        .generation = n_pdu->generation,
        .octets = n_pdu->octets,
        .reason = (uint8_t)reason,
        .qclass = n_pdu->qclass,
        .is_marked = n_pdu->is_marked,
    };
    if (!trace_put(w->trace, &event))
        w->stats.trace_lost++;
}

static void put_record(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu,
                       struct recent_record record)
{
    record.sojourn_ns = record.at_ns - n_pdu->arrival_ns;
    record.ms = (uint32_t)(ms - w->context.mobiles);
    record.bvc = ms->bvc;
    record.octets = n_pdu->octets;
    record.qclass = n_pdu->qclass;
    record.is_marked = n_pdu->is_marked;
    recent_put(&w->recent, &record);
}

void fate_record(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, enum recent_kind kind,
                 int64_t now)
{
    struct gb_counts *counts = context_counts(&w->context, ms->bvc, n_pdu->qclass);
    uint32_t weight = w->recent.stride;
    uint64_t octets = (uint64_t)weight * n_pdu->octets;
    put_record(w, ms, n_pdu, (struct recent_record){.at_ns = now, .kind = (uint8_t)kind});
    if (kind == RECENT_IN) {
        counts->in += weight;
        counts->in_octets += octets;
        return;
    }
    counts->out += weight;
    counts->out_octets += octets;
    counts->marked += n_pdu->is_marked ? weight : 0;
    w->context.pdps[n_pdu->pdp].sent += weight;
}

/* An N-PDU without a context of this worker, or of a mobile that another one serves, is in w->stats only. */
static void count_drop(struct worker *w, const struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    if (reason <= DROP_STALE_TEID || n_pdu->pdp >= w->context.limits.pdps)
        return;
    struct pdp *pdp = &w->context.pdps[n_pdu->pdp];
    if (!pdp->in_use || pdp->generation != n_pdu->generation)
        return;
    const struct ms *ms = &w->context.mobiles[pdp->params.ms];
    if (!ms->in_use)
        return;
    pdp->dropped++;
    context_counts(&w->context, ms->bvc, n_pdu->qclass)->drops[reason - DROP_FIRST_NPDU]++;
    if (recent_is_due(&w->recent))
        put_record(w, ms, n_pdu,
                   (struct recent_record){.at_ns = now, .kind = RECENT_DROP, .reason = (uint8_t)reason});
}

/* The tap's data of an N-PDU, as far as its context still exists. */
static struct tap_about about_of(const struct worker *w, const struct n_pdu *n_pdu)
{
    struct tap_about about = {.n_pdu = n_pdu};
    const struct pdp *pdp = n_pdu->pdp < w->context.limits.pdps ? &w->context.pdps[n_pdu->pdp] : NULL;
    if (pdp && pdp->in_use && pdp->generation == n_pdu->generation) {
        const struct ms *ms = &w->context.mobiles[pdp->params.ms];
        about.tlli = ms->tlli;
        about.bvci = w->context.bvcs[ms->bvc].bvci;
        about.nsapi = pdp->params.nsapi;
    }
    return about;
}

static void capture_dropped(struct worker *w, const struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    struct tap_about about = about_of(w, n_pdu);
    about.kind = TAP_DROPPED;
    about.reason = (uint8_t)reason;
    tap_put(w->tap, n_pdu->data, n_pdu->octets, &about, now);
}

void fate_capture(struct worker *w, const struct sched_grant *grant, const struct rte_mbuf *frame,
                  int64_t now)
{
    struct tap_about about = about_of(w, grant->n_pdu);
    about.kind = TAP_DOWN;
    about.segment = grant->segment;
    about.is_last = grant->next.last;
    tap_put(w->tap, rte_pktmbuf_mtod(frame, const uint8_t *), rte_pktmbuf_data_len(frame), &about, now);
}

void fate_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    w->stats.gn_drops[reason]++;
    count_drop(w, n_pdu, reason, now);
    if (unlikely(w->trace))
        fate_trace(w, n_pdu, reason, now);
    if (unlikely(tap_is_on(w->tap)))
        capture_dropped(w, n_pdu, reason, now);
    rte_pktmbuf_free(pool_mbuf(n_pdu));
}

void fate_reap(struct worker *w, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&w->context.sched.dropped)))
        fate_drop(w, n_pdu, n_pdu->drop_reason, now);
}
