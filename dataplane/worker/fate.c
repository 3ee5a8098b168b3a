/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/fate.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/context/gb.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

struct rte_ring *fate_trace_new(const char *name, unsigned size)
{
    return rte_ring_create_elem(name, sizeof(struct trace_event), size, SOCKET_ID_ANY,
                                RING_F_SP_ENQ | RING_F_SC_DEQ);
}

static bool put_event(struct rte_ring *ring, const struct trace_event *event)
{
    return rte_ring_sp_enqueue_elem(ring, (void *)(uintptr_t)event, sizeof(*event)) == 0;
}

bool fate_trace_take(struct rte_ring *ring, struct trace_event *event)
{
    return rte_ring_sc_dequeue_elem(ring, event, sizeof(*event)) == 0;
}

void fate_trace(struct worker *w, const struct n_pdu *n_pdu, int reason, int64_t now)
{
    struct trace_event event = {
        .at_ns = now,
        .arrival_ns = n_pdu->arrival_ns,
        .pdp = n_pdu->pdp,
        .generation = n_pdu->generation,
        .octets = (uint16_t)pool_octets(n_pdu),
        .reason = (uint8_t)reason,
        .qclass = n_pdu->qclass,
        .is_marked = n_pdu->is_marked,
    };
    if (!put_event(w->trace, &event))
        w->stats.trace_lost++;
}

static void put_record(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu,
                       struct recent_record record)
{
    record.sojourn_ns = record.at_ns - n_pdu->arrival_ns;
    record.ms = (uint32_t)(ms - w->context.mobiles);
    record.bvc = ms->bvc;
    record.octets = (uint16_t)pool_octets(n_pdu);
    record.qclass = n_pdu->qclass;
    record.is_marked = n_pdu->is_marked;
    recent_put(&w->recent, &record);
}

void fate_record(struct worker *w, const struct ms *ms, const struct n_pdu *n_pdu, enum recent_kind kind,
                 int64_t now)
{
    struct gb_counts *counts = context_counts(&w->context, ms->bvc, n_pdu->qclass);
    uint32_t weight = w->recent.stride;
    uint64_t octets = (uint64_t)weight * pool_octets(n_pdu);
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

/* The context of an N-PDU, with a mobile that this worker serves. NULL: it has none, or its context has
 * ended, or another worker serves it; then the N-PDU counts in w->stats alone. */
static struct pdp *own_pdp(const struct worker *w, const struct n_pdu *n_pdu)
{
    if (n_pdu->pdp >= w->context.limits.pdps)
        return NULL;
    struct pdp *pdp = &w->context.pdps[n_pdu->pdp];
    bool is_own =
        pdp->in_use && pdp->generation == n_pdu->generation && w->context.mobiles[pdp->params.ms].in_use;
    return is_own ? pdp : NULL;
}

static void count_drop(struct worker *w, struct pdp *pdp, const struct n_pdu *n_pdu, enum drop reason,
                       int64_t now)
{
    const struct ms *ms = &w->context.mobiles[pdp->params.ms];
    pdp->dropped++;
    if (unlikely(w->context.volumes))
        fate_count_volume(&w->context.volumes[n_pdu->pdp].down, false, pool_octets(n_pdu));
    context_counts(&w->context, ms->bvc, n_pdu->qclass)->drops[reason - DROP_FIRST_NPDU]++;
    if (recent_is_due(&w->recent))
        put_record(w, ms, n_pdu,
                   (struct recent_record){.at_ns = now, .kind = RECENT_DROP, .reason = (uint8_t)reason});
}

/* The tap's data of an N-PDU, as far as its context is here. */
static struct tap_about about_of(const struct worker *w, const struct n_pdu *n_pdu)
{
    struct tap_about about = {.n_pdu = n_pdu};
    const struct pdp *pdp = own_pdp(w, n_pdu);
    if (pdp) {
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

/* Later N-PDUs build on one that is dropped in the middle. In acknowledged mode the link is established again
 * if the node's dictionary has it. */
static void drop_compressed(struct worker *w, uint32_t ms, const struct n_pdu *n_pdu, int64_t now)
{
    gb_compression_lost(w, ms);
    if (n_pdu->is_acknowledged && n_pdu->comp >> 4)
        gb_abm_renew(w, ms, now);
}

/* Counters of the context and its cell; marks for later N-PDUs of its mobile. */
static void drop_own(struct worker *w, struct pdp *pdp, const struct n_pdu *n_pdu, enum drop reason,
                     int64_t now)
{
    count_drop(w, pdp, n_pdu, reason, now);
    if (unlikely(w->pacing) && reason != DROP_DUPLICATE)
        pacing_ms_lost(w->pacing, pdp->params.ms, reason == DROP_AQM && !n_pdu->is_paced);
    if (unlikely(n_pdu->comp))
        drop_compressed(w, pdp->params.ms, n_pdu, now);
}

void fate_drop(struct worker *w, struct n_pdu *n_pdu, enum drop reason, int64_t now)
{
    struct pdp *pdp = own_pdp(w, n_pdu);
    w->stats.gn_drops[reason]++;
    if (pdp)
        drop_own(w, pdp, n_pdu, reason, now);
    if (unlikely(w->trace))
        fate_trace(w, n_pdu, reason, now);
    if (unlikely(tap_is_on(w->tap)))
        capture_dropped(w, n_pdu, reason, now);
    pool_n_pdu_free(n_pdu);
}

void fate_reap(struct worker *w, int64_t now)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&w->context.sched.dropped)))
        fate_drop(w, n_pdu, n_pdu->drop_reason, now);
}
