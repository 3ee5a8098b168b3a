/* SPDX-License-Identifier: BSD-3-Clause */
/* Packet flows (PFC) of a mobile: their buckets, and the flows that they have. */
#include "dataplane/sched/sched.h"

#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/queue.h"

int sched_pfc_add(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now)
{
    if (pfi == N_PDU_NO_PFI || sched_pfc_get(s, ms, pfi))
        return -1;
    sched_flow_free_idle(s, ms);
    struct sched_extra *extra = sched_flow_new(s, ms, pfi);
    if (!extra)
        return -1;
    bucket_init(&extra->bucket, 0, 0, now);
    return 0;
}

/* Tests parked flows of the mobile again, also those held by a flow in service. */
static void unpark(struct sched *s, struct sched_ms *ms, int64_t now)
{
    struct sched_flow *flow = &ms->flow;
    do {
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_PARKED;
        flow = sched_flow_more(s, flow);
    } while (flow);
    if (!(ms->flags & SCHED_MS_PARKED))
        sched_ms_admit(s, ms, now);
}

void sched_pfc_woken(struct sched *s, struct sched_extra *extra, int64_t at_ns, int64_t now)
{
    if (extra->wake_ns != at_ns)
        return;
    extra->wake_ns = MOMENT_NEVER;
    if (extra->ms && extra->flow.turn.flags & SCHED_FLOW_PARKED)
        unpark(s, extra->ms, now);
}

void sched_pfc_changed(struct sched *s, struct sched_extra *pfc, int64_t now)
{
    pfc->has_bucket = true;
    if (pfc->flow.turn.flags & SCHED_FLOW_PARKED)
        unpark(s, pfc->ms, now);
}

/* The flow of the same class that takes the N-PDUs of a deleted packet flow; the packet flow itself if none
 * does. */
static struct sched_flow *heir_of(struct sched *s, struct sched_ms *ms, struct sched_flow *of)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        if (flow != of && flow->turn.pfi == N_PDU_NO_PFI && flow->turn.qclass == of->turn.qclass)
            return flow;
    return of;
}

static void take_waiting(struct sched *s, struct sched_flow *flow, struct n_pdu_list *out)
{
    struct n_pdu *n_pdu;
    sched_queue_join(s, flow);
    while ((n_pdu = flow_queue_drop_waiting(&flow->queue))) {
        sched_flow_count_out(s, flow, n_pdu->octets, true);
        n_pdu_list_put(out, n_pdu);
    }
}

/* Merges both in order of arrival; an N-PDU in service keeps its place. */
static void merge(struct sched *s, struct sched_flow *into, struct sched_flow *from)
{
    struct n_pdu_list a = {0}, b = {0};
    if (into->queue.is_begun)
        into->turn.flags |= SCHED_FLOW_UNORDERED;
    take_waiting(s, into, &a);
    take_waiting(s, from, &b);
    while (a.head || b.head) {
        bool first = a.head && (!b.head || a.head->arrival_ns <= b.head->arrival_ns);
        struct n_pdu *n_pdu = n_pdu_list_take(first ? &a : &b);
        sched_queue_put(s, into, n_pdu);
        sched_flow_count_in(s, into, n_pdu);
    }
}

/* Queued N-PDUs do not belong to the packet flow any more, not even if one with its PFI is created again: the
 * BSS would count them there, and the new flow's bucket does not. */
static void unname(struct sched_flow *flow)
{
    for (struct n_pdu *n_pdu = flow_queue_head(&flow->queue); n_pdu; n_pdu = n_pdu->next)
        n_pdu->pfi = N_PDU_NO_PFI;
}

void sched_pfc_del(struct sched *s, struct sched_ms *ms, uint8_t pfi, int64_t now)
{
    struct sched_extra *pfc = sched_pfc_get(s, ms, pfi);
    if (!pfc)
        return;
    struct sched_flow *heir = heir_of(s, ms, &pfc->flow);
    pfc->has_bucket = false;
    sched_queue_join(s, &pfc->flow);
    unname(&pfc->flow);
    pfc->flow.turn.pfi = heir == &pfc->flow ? N_PDU_NO_PFI : SCHED_PFI_ENDED;
    if (heir != &pfc->flow)
        merge(s, heir, &pfc->flow);
    sched_ms_head_changed(s, ms, now);
    sched_flow_free_idle(s, ms);
}
