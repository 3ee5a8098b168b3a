/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/flow.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/queue.h"
#include "dataplane/sched/wait.h"

#define NO_CLASS QCLASS_COUNT

void sched_flow_init(struct sched_flow *flow)
{
    *flow = (struct sched_flow){.more = SCHED_NO_EXTRA, .long_node = LONGEST_NONE, .set = FLOW_SETS_NONE};
    flow->turn.qclass = NO_CLASS;
    flow->turn.pfi = N_PDU_NO_PFI;
}

/* --- the pool --- */

struct sched_extra *sched_flow_new(struct sched *s, struct sched_ms *ms, uint8_t pfi)
{
    uint32_t i = s->extras_free;
    if (i == SCHED_NO_EXTRA)
        return NULL;
    struct sched_extra *extra = &s->extras[i];
    s->extras_free = extra->flow.more;
    sched_flow_init(&extra->flow);
    extra->flow.turn.flags = SCHED_FLOW_EXTRA;
    extra->flow.turn.pfi = pfi;
    extra->flow.more = ms->flow.more;
    ms->flow.more = i;
    extra->ms = ms;
    extra->wake_ns = MOMENT_NEVER;
    extra->has_bucket = false;
    if (s->aqm)
        sched_aqm_forget(s, &extra->flow, 0);
    return extra;
}

/* Returns the extra flow behind `flow` to the pool. */
static void free_after(struct sched *s, struct sched_flow *flow)
{
    uint32_t i = flow->more;
    struct sched_extra *extra = &s->extras[i];
    sched_queue_forget(s, &extra->flow);
    flow->more = extra->flow.more;
    extra->ms = NULL;
    extra->flow.more = s->extras_free;
    s->extras_free = i;
}

void sched_flow_free_extras(struct sched *s, struct sched_ms *ms)
{
    while (ms->flow.more != SCHED_NO_EXTRA)
        free_after(s, &ms->flow);
}

void sched_flow_free_idle(struct sched *s, struct sched_ms *ms)
{
    struct sched_flow *flow = &ms->flow, *next;
    while ((next = sched_flow_more(s, flow))) {
        if (next->queue.pkts == 0 && next->turn.pfi >= SCHED_PFI_ENDED)
            free_after(s, flow);
        else
            flow = next;
    }
}

/* --- the flow of an N-PDU --- */

static struct sched_flow *find_of_class(const struct sched *s, struct sched_ms *ms, unsigned qclass)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        if (flow->turn.pfi == N_PDU_NO_PFI && (flow->turn.qclass == qclass || flow->turn.qclass == NO_CLASS))
            return flow;
    return NULL;
}

static struct sched_flow *adopt(const struct sched *s, struct sched_flow *flow, struct sched_bvc *bvc,
                                uint8_t qclass)
{
    if (flow->turn.qclass == NO_CLASS) {
        flow->turn.qclass = qclass;
        sched_order_forget(s, &bvc->classes[qclass], flow);
    }
    return flow;
}

struct sched_extra *sched_pfc_get(struct sched *s, struct sched_ms *ms, uint8_t pfi)
{
    if (pfi == N_PDU_NO_PFI)
        return NULL;
    for (struct sched_flow *flow = sched_flow_more(s, &ms->flow); flow; flow = sched_flow_more(s, flow))
        if (flow->turn.pfi == pfi)
            return sched_flow_extra(flow);
    return NULL;
}

/* A packet flow keeps the class of its first N-PDU: it has one QoS. */
static struct sched_flow *find_or_make(struct sched *s, struct sched_ms *ms, const struct n_pdu *n_pdu)
{
    struct sched_extra *extra = sched_pfc_get(s, ms, n_pdu->pfi);
    struct sched_flow *flow = extra ? &extra->flow : find_of_class(s, ms, n_pdu->qclass);
    if (flow)
        return flow;
    extra = sched_flow_new(s, ms, N_PDU_NO_PFI);
    if (extra)
        return &extra->flow;
    s->extras_missing++;
    return &ms->flow;
}

struct sched_flow *sched_flow_find(struct sched *s, struct sched_ms *ms, const struct n_pdu *n_pdu)
{
    return adopt(s, find_or_make(s, ms, n_pdu), ms->bvc, n_pdu->qclass);
}

struct sched_flow *sched_flow_for_begun(struct sched *s, struct sched_ms *ms, struct sched_flow *flow,
                                        const struct n_pdu *n_pdu)
{
    if (flow->queue.pkts == 0)
        return flow;
    struct sched_extra *extra = sched_flow_new(s, ms, SCHED_PFI_ENDED);
    if (extra)
        return adopt(s, &extra->flow, ms->bvc, n_pdu->qclass);
    s->extras_missing++;
    return flow;
}

/* --- counting --- */

/* Queues of signalling are not among the longest: they never drop for others. */
void sched_flow_count_long(struct sched *s, struct sched_flow *flow)
{
    if (flow->turn.qclass != QCLASS_SIGNALLING)
        flow->long_node = longest_update(&s->longest, flow->long_node, flow, flow->queue.pkts);
}

void sched_flow_drop(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu, int reason)
{
    sched_flow_count_out(s, flow, (uint32_t)(n_pdu->octets - n_pdu->sent_octets), true);
    n_pdu->drop_reason = (uint8_t)(n_pdu->sent_octets > 0 ? DROP_PARTIAL : reason);
    n_pdu_list_put(&s->dropped, n_pdu);
}

/* --- the flow of a mobile that sends --- */

static bool is_in_service(const struct sched_flow *flow)
{
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    return head && head->sent_octets > 0;
}

/* The flow that has an N-PDU in service on the SAPI of `flow`'s head; may be `flow` itself. NULL: none has.
 * */
static struct sched_flow *in_service_before(struct sched *s, struct sched_ms *ms,
                                            const struct sched_flow *flow)
{
    uint8_t sapi = flow_queue_head(&flow->queue)->sapi;
    for (struct sched_flow *other = &ms->flow; other; other = sched_flow_more(s, other))
        if (is_in_service(other) && flow_queue_head(&other->queue)->sapi == sapi)
            return other;
    return NULL;
}

static bool can_go(const struct sched_flow *flow)
{
    return flow->queue.pkts > 0 && !(flow->turn.flags & SCHED_FLOW_PARKED);
}

/* The flow with the least tag, for a mobile that its bucket limits. */
static struct sched_flow *by_share(struct sched *s, struct sched_ms *ms)
{
    struct sched_flow *best = NULL;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        if (can_go(flow) && (!best || (int32_t)(flow->tag - best->tag) < 0))
            best = flow;
    return best;
}

void sched_flow_begin_share(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    const struct sched_flow *least = NULL;
    for (struct sched_flow *other = &ms->flow; other; other = sched_flow_more(s, other))
        if (other != flow && other->queue.pkts > 0 && (!least || (int32_t)(other->tag - least->tag) < 0))
            least = other;
    /* Its tag is behind the least, or further ahead than one LLC-PDU takes it: both are stale. */
    uint32_t most = (uint32_t)(sched_share_cost(s, flow->turn.qclass, SCHED_LARGEST_PDU) >> 8);
    if (least && flow->tag - least->tag > most)
        flow->tag = least->tag;
}

static bool bucket_is_open(const struct sched *s, struct sched_flow *flow, int64_t now)
{
    if (!(flow->turn.flags & SCHED_FLOW_EXTRA))
        return true;
    const struct sched_extra *extra = sched_flow_extra(flow);
    return !extra->has_bucket ||
           bucket_can_take(&extra->bucket, sched_flow_next(s, extra->ms, flow).llc_octets, now);
}

/* Takes a flow out of turns until the flow in service on its SAPI has finished, or the mobile's window opens.
 */
void sched_flow_hold(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    flow->turn.flags |= SCHED_FLOW_PARKED;
    if (flow->turn.place != TURNS_OUT)
        sched_class_leave(s, ms->bvc, flow);
    sched_wait_look(s, ms);
}

/* Parks a flow until its packet flow's bucket opens. */
static void park(struct sched *s, struct sched_ms *ms, struct sched_flow *flow)
{
    struct sched_extra *extra = sched_flow_extra(flow);
    sched_flow_hold(s, ms, flow);
    int64_t at_ns = bucket_earliest_ns(&extra->bucket, sched_flow_next(s, ms, flow).llc_octets);
    sched_arm(s, &extra->wake_ns, at_ns, extra, SCHED_WAKE_PFC);
}

struct sched_flow *sched_flow_choose_of(struct sched *s, struct sched_flow *flow, int64_t now)
{
    struct sched_ms *ms = sched_flow_ms(flow);
    unsigned held_sapis = 0;
    while (can_go(flow)) {
        struct sched_flow *chosen = ms->flags & SCHED_MS_LIMITED ? by_share(s, ms) : flow;
        struct sched_flow *before = in_service_before(s, ms, chosen);
        if (before && (before->turn.flags & SCHED_FLOW_PARKED)) {
            held_sapis |= 1u << flow_queue_head(&chosen->queue)->sapi;
            if (!sched_queue_pass_over(s, chosen, held_sapis))
                sched_flow_hold(s, ms, chosen);
            continue;
        }
        if (before)
            chosen = before;
        if (ms->flags & SCHED_MS_CLOSED && flow_queue_head(&chosen->queue)->is_acknowledged) {
            sched_flow_hold(s, ms, chosen);
            continue;
        }
        if (bucket_is_open(s, chosen, now))
            return chosen;
        park(s, ms, chosen);
    }
    return NULL;
}
