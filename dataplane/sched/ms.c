/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/ms.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/queue.h"
#include "dataplane/sched/wait.h"

#define HELD (SCHED_MS_PARKED | SCHED_MS_FROZEN)

void sched_ms_init(struct sched_ms *ms, struct sched_bvc *bvc, int64_t now)
{
    *ms = (struct sched_ms){.bvc = bvc, .wake_ns = MOMENT_NEVER, .expiry_ns = MOMENT_NEVER};
    bucket_init(&ms->bucket, 0, 0, now);
    sched_flow_init(&ms->flow);
    sched_wait_init(ms, now);
}

/* --- in and out of turns --- */

static bool is_single(const struct sched_ms *ms)
{
    return ms->flow.more == SCHED_NO_EXTRA;
}

static void ms_leave_turns(struct sched *s, struct sched_ms *ms)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        if (flow->turn.place != TURNS_OUT)
            sched_class_leave(s, ms->bvc, flow);
}

/* The mobile's bucket limits it from now on. Tags restart at 0: service received from the cell is no debt
 * here. */
static void ms_limit(struct sched *s, struct sched_ms *ms)
{
    ms->flags |= SCHED_MS_LIMITED;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        flow->tag = 0;
}

void sched_ms_judge(struct sched_ms *ms, uint32_t octets, int64_t now)
{
    const struct bucket *b = &ms->bucket;
    bucket_nbit leak = bucket_leak_nbit(b, now), level = bucket_level_nbit(b);
    bucket_nbit late = (bucket_nbit)SCHED_LATE_OCTETS * BUCKET_NBIT_PER_OCTET;
    bucket_nbit more = level + (bucket_nbit)octets * BUCKET_NBIT_PER_OCTET + late;
    if (leak >= level + late || more <= leak + (bucket_nbit)b->max_octets * BUCKET_NBIT_PER_OCTET)
        ms->flags &= (uint8_t)~SCHED_MS_LIMITED;
}

void sched_ms_park(struct sched *s, struct sched_ms *ms, int64_t open_ns)
{
    ms_leave_turns(s, ms);
    if (!(ms->flags & SCHED_MS_LIMITED))
        ms_limit(s, ms);
    ms->flags |= SCHED_MS_PARKED;
    sched_arm(s, &ms->wake_ns, open_ns, ms, SCHED_WAKE_MS);
    sched_wait_set(s, ms, SCHED_WAIT_MS);
}

/* A single flow's bucket is tested at once, which saves a turn that only parks it; with several flows the
 * bucket is tested at their turn. */
static void admit_flow(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    if (is_single(ms)) {
        uint32_t octets = sched_flow_next(s, ms, flow).llc_octets;
        uint64_t after;
        int64_t open_ns;
        if (!bucket_try_busy(&ms->bucket, octets, now, &after) &&
            (open_ns = bucket_open_ns(&ms->bucket, octets, now)) > now) {
            sched_ms_park(s, ms, open_ns);
            return;
        }
    }
    sched_class_enter(s, ms->bvc, flow);
}

void sched_ms_admit(struct sched *s, struct sched_ms *ms, int64_t now)
{
    ms->flags &= (uint8_t)~SCHED_MS_PARKED;
    for (struct sched_flow *flow = &ms->flow; flow && !(ms->flags & SCHED_MS_FROZEN);
         flow = sched_flow_more(s, flow))
        if (flow->queue.pkts > 0 && flow->turn.place == TURNS_OUT && !(flow->turn.flags & SCHED_FLOW_PARKED))
            admit_flow(s, ms, flow, now);
    sched_wait_look(s, ms);
}

void sched_ms_woken(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now)
{
    if (ms->wake_ns != at_ns)
        return;
    ms->wake_ns = MOMENT_NEVER;
    if (ms->flags & SCHED_MS_PARKED)
        sched_ms_admit(s, ms, now);
}

/* Ends the turn of a mobile whose bucket was filled (Bucket_Full Ratio): its cell may be parked for this
 * mobile's LLC-PDU while others could send. */
static void check_turn(struct sched *s, struct sched_ms *ms, int64_t now)
{
    int64_t open_ns = bucket_open_ns(&ms->bucket, sched_flow_next(s, ms, &ms->flow).llc_octets, now);
    if (open_ns <= now)
        return;
    sched_ms_park(s, ms, open_ns);
    sched_bvc_changed(s, ms->bvc);
}

void sched_ms_changed(struct sched *s, struct sched_ms *ms, int64_t now)
{
    sched_ms_rate_set(ms);
    if (s->aqm)
        sched_aqm_ms_changed(s, ms, now);
    if (!is_single(ms))
        sched_ms_head_changed(s, ms, now);
    else if (ms->flags & SCHED_MS_PARKED)
        sched_ms_admit(s, ms, now);
    else if (ms->flow.turn.place != TURNS_OUT)
        check_turn(s, ms, now);
}

void sched_ms_freeze(struct sched *s, struct sched_ms *ms, uint8_t flags)
{
    ms_leave_turns(s, ms);
    sched_bvc_changed(s, ms->bvc);
    ms->flags |= flags & SCHED_MS_FROZEN;
    sched_wait_look(s, ms);
}

void sched_ms_thaw(struct sched *s, struct sched_ms *ms, uint8_t flags, int64_t now)
{
    bool ages_again = ms->flags & flags & SCHED_MS_SUSPENDED;
    ms->flags &= (uint8_t) ~(flags & SCHED_MS_FROZEN);
    for (struct sched_flow *flow = &ms->flow; flow && ages_again; flow = sched_flow_more(s, flow))
        sched_age_watch(s, ms, flow, now);
    sched_ms_admit(s, ms, now);
}

void sched_ms_spare(struct sched *s, struct sched_ms *ms, int64_t since_ns, int64_t now)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        if (flow->set == FLOW_SETS_NONE)
            flow_queue_spare(&flow->queue, since_ns, now);
        else
            flow_sets_spare(&s->flow_sets, flow->set, since_ns, now);
}

/* --- signalling --- */

static bool is_within_debt(const struct bucket *b, uint32_t octets, int64_t now)
{
    bucket_nbit leak = bucket_leak_nbit(b, now), level = bucket_level_nbit(b);
    uint64_t most_octets = b->max_octets + SCHED_SIGNAL_DEBT_OCTETS;
    bucket_nbit most = (bucket_nbit)most_octets * BUCKET_NBIT_PER_OCTET;
    return (level > leak ? level - leak : 0) + (bucket_nbit)octets * BUCKET_NBIT_PER_OCTET <= most;
}

bool sched_ms_can_signal(const struct sched_ms *ms, uint32_t octets, int64_t now)
{
    return is_within_debt(&ms->bucket, octets, now) && is_within_debt(&ms->bvc->bucket, octets, now);
}

/* A mobile or cell parked for these buckets now wakes too early, tests them again, and is parked again. */
void sched_ms_signal(struct sched_ms *ms, uint32_t octets, int64_t now)
{
    bucket_take(&ms->bucket, octets, now);
    bucket_take(&ms->bvc->bucket, octets, now);
    ms->bvc->sent_octets += octets;
}

/* --- acknowledged mode --- */

void sched_ms_open(struct sched *s, struct sched_ms *ms, int64_t now)
{
    ms->flags &= (uint8_t)~SCHED_MS_CLOSED;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_PARKED;
    sched_ms_admit(s, ms, now);
}

int64_t sched_ms_repeat_ns(const struct sched_ms *ms, uint32_t octets, int64_t now)
{
    const struct sched_link *link = ms->bvc->link;
    int64_t open_ns =
        moment_max(bucket_open_ns(&ms->bucket, octets, now), bucket_open_ns(&ms->bvc->bucket, octets, now));
    if (link->bucket.rate_bps == 0)
        return open_ns;
    return moment_max(open_ns,
                      bucket_open_ns(&link->bucket, sched_link_octets(link, octets + ms->link_octets), now));
}

void sched_ms_repeat(struct sched_ms *ms, uint32_t octets, int64_t now)
{
    struct sched_link *link = ms->bvc->link;
    uint32_t link_octets = sched_link_octets(link, octets + ms->link_octets);
    sched_ms_signal(ms, octets, now);
    if (link->bucket.rate_bps > 0)
        bucket_take(&link->bucket, link_octets, now);
    link->sent_octets += link_octets;
}

void sched_ms_adjust(struct sched_ms *ms, int32_t octets, int64_t now)
{
    if (octets > 0) {
        sched_ms_signal(ms, (uint32_t)octets, now);
    } else if (octets < 0) {
        bucket_discard(&ms->bucket, (uint64_t)-octets, now);
        bucket_discard(&ms->bvc->bucket, (uint64_t)-octets, now);
        ms->bvc->sent_octets -= (uint64_t)-octets;
    }
}

/* --- queued N-PDUs --- */

void sched_ms_filled(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    sched_age_arm(s, ms, flow);
    if (!is_single(ms))
        sched_flow_begin_share(s, ms, flow);
    if (sched_order_has(s, flow->turn.qclass))
        sched_order_sfq_begin(s, ms, flow);
    if (!(ms->flags & HELD) && !(flow->turn.flags & SCHED_FLOW_PARKED))
        admit_flow(s, ms, flow, now);
    sched_wait_look(s, ms);
}

void sched_ms_head_changed(struct sched *s, struct sched_ms *ms, int64_t now)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_PARKED;
        if (flow->turn.place != TURNS_OUT && (flow->queue.pkts == 0 || sched_order_has(s, flow->turn.qclass)))
            sched_class_leave(s, ms->bvc, flow);
    }
    sched_bvc_changed(s, ms->bvc);
    sched_ms_admit(s, ms, now);
}

void sched_ms_expired(struct sched *s, struct sched_ms *ms, int64_t at_ns, int64_t now)
{
    bool changed = false;
    if (ms->expiry_ns != at_ns)
        return;
    ms->expiry_ns = MOMENT_NEVER;
    if (ms->flags & SCHED_MS_SUSPENDED)
        return;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        changed |= sched_age_drop(s, flow, now);
        sched_age_arm(s, ms, flow);
    }
    if (changed)
        sched_ms_head_changed(s, ms, now);
}

bool sched_ms_pay(struct sched *s, int64_t now)
{
    struct sched_flow *flow = longest_get(&s->longest);
    if (!flow)
        return false;
    const struct n_pdu *head = flow_queue_head(&flow->queue);
    sched_flow_drop(s, flow, sched_queue_drop_waiting(s, flow), DROP_BUDGET);
    if (flow_queue_head(&flow->queue) != head)
        sched_ms_head_changed(s, sched_flow_ms(flow), now);
    return true;
}

void sched_ms_remove_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, int64_t now)
{
    bool changed = false;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        struct n_pdu_list removed = {0};
        struct n_pdu *n_pdu;
        changed |= sched_queue_remove_pdp(s, flow, pdp, &removed) > 0;
        while ((n_pdu = n_pdu_list_take(&removed)))
            sched_flow_drop(s, flow, n_pdu, DROP_CONTEXT_DELETED);
    }
    if (changed)
        sched_ms_head_changed(s, ms, now);
}

/* --- removal --- */

/* Takes a mobile out of turns and merges each flow's queues into one. */
static void gather(struct sched *s, struct sched_ms *ms)
{
    ms_leave_turns(s, ms);
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow))
        sched_queue_join(s, flow);
}

static void end_flows(struct sched *s, struct sched_ms *ms)
{
    sched_bvc_changed(s, ms->bvc);
    sched_flow_free_extras(s, ms);
    ms->flags &= (uint8_t) ~(SCHED_MS_PARKED | SCHED_MS_LIMITED);
    ms->flow.turn.flags &= (uint8_t)~SCHED_FLOW_PARKED;
    sched_wait_look(s, ms);
}

void sched_ms_flush(struct sched *s, struct sched_ms *ms, int reason)
{
    gather(s, ms);
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        struct n_pdu *n_pdu;
        while ((n_pdu = flow_queue_drop_head(&flow->queue)))
            sched_flow_drop(s, flow, n_pdu, reason);
    }
    end_flows(s, ms);
}

/* The flow whose head is in service, else the one whose head arrived first. NULL: all are empty. */
static struct sched_flow *ms_oldest(struct sched *s, struct sched_ms *ms)
{
    struct sched_flow *best = NULL;
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        if (flow->queue.pkts == 0)
            continue;
        if (flow->queue.is_begun)
            return flow;
        if (!best || flow_queue_head(&flow->queue)->arrival_ns < flow_queue_head(&best->queue)->arrival_ns)
            best = flow;
    }
    return best;
}

void sched_ms_take_all(struct sched *s, struct sched_ms *ms, struct n_pdu_list *out)
{
    struct sched_flow *flow;
    gather(s, ms);
    while ((flow = ms_oldest(s, ms))) {
        struct n_pdu *n_pdu = flow_queue_drop_head(&flow->queue);
        sched_flow_count_out(s, flow, (uint32_t)(n_pdu->octets - n_pdu->sent_octets), true);
        n_pdu_list_put(out, n_pdu);
    }
    end_flows(s, ms);
}

static bool leaves_before(const struct n_pdu *a, const struct n_pdu *b)
{
    bool is_begun = a->sent_octets > 0;
    return is_begun != (b->sent_octets > 0) ? is_begun : a->arrival_ns <= b->arrival_ns;
}

static struct n_pdu_list merge_lists(struct n_pdu_list a, struct n_pdu_list b)
{
    struct n_pdu_list out = {0};
    while (a.head && b.head)
        n_pdu_list_put(&out, n_pdu_list_take(leaves_before(a.head, b.head) ? &a : &b));
    struct n_pdu_list *rest = a.head ? &a : &b;
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(rest)))
        n_pdu_list_put(&out, n_pdu);
    return out;
}

void sched_ms_take_pdp(struct sched *s, struct sched_ms *ms, uint32_t pdp, struct n_pdu_list *out,
                       int64_t now)
{
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        struct n_pdu_list removed = {0};
        sched_queue_join(s, flow);
        (void)sched_queue_remove_pdp(s, flow, pdp, &removed);
        for (const struct n_pdu *n_pdu = removed.head; n_pdu; n_pdu = n_pdu->next)
            sched_flow_count_out(s, flow, (uint32_t)(n_pdu->octets - n_pdu->sent_octets), true);
        *out = merge_lists(*out, removed);
    }
    sched_ms_head_changed(s, ms, now);
}

/* Moves the count of a flow's N-PDUs to another cell, and to the class buffer of its link. */
static void ms_recount(struct sched_flow *flow, struct sched_bvc *from, struct sched_bvc *to)
{
    unsigned k = flow->turn.qclass;
    if (flow->queue.pkts == 0)
        return;
    from->classes[k].queued.octets -= flow->queue.octets;
    from->classes[k].queued.pkts -= flow->queue.pkts;
    to->classes[k].queued.octets += flow->queue.octets;
    to->classes[k].queued.pkts += flow->queue.pkts;
    if (from->link == to->link)
        return;
    from->link->classes[k].octets -= flow->queue.octets;
    from->link->classes[k].pkts -= flow->queue.pkts;
    to->link->classes[k].octets += flow->queue.octets;
    to->link->classes[k].pkts += flow->queue.pkts;
}

void sched_ms_move(struct sched *s, struct sched_ms *ms, struct sched_bvc *bvc, int64_t now)
{
    struct sched_bvc *from = ms->bvc;

    ms_leave_turns(s, ms);
    sched_bvc_changed(s, from);
    if (s->aqm)
        sched_aqm_moved(s, ms, bvc, now);
    sched_wait_set(s, ms, SCHED_WAIT_NONE); /* by the clocks of this cell */
    ms->bvc = bvc;
    ms->flags &= (uint8_t)~SCHED_MS_LIMITED;
    bucket_reset(&ms->bucket, now);
    if (s->aqm)
        sched_aqm_ms_changed(s, ms, now);
    for (struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        ms_recount(flow, from, bvc);
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_PARKED;
        if (flow->turn.flags & SCHED_FLOW_EXTRA)
            sched_flow_extra(flow)->has_bucket = false;
        if (flow->turn.qclass < QCLASS_COUNT)
            sched_order_forget(s, &bvc->classes[flow->turn.qclass], flow);
    }
    sched_ms_admit(s, ms, now);
}

struct sched_limit sched_ms_backlog(const struct sched *s, const struct sched_ms *ms)
{
    struct sched_limit sum = {0};
    for (const struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        sum.octets += flow->queue.octets;
        sum.pkts += flow->queue.pkts;
    }
    return sum;
}

/* --- age --- */

void sched_age_unordered(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t arrival_ns)
{
    flow->turn.flags |= SCHED_FLOW_UNORDERED;
    if (s->params.max_age_ns != MOMENT_NEVER)
        sched_age_arm_at(s, ms, arrival_ns);
}

bool sched_age_drop(struct sched *s, struct sched_flow *flow, int64_t now)
{
    bool changed = false;
    struct n_pdu *n_pdu;
    while (s->params.max_age_ns != MOMENT_NEVER &&
           (n_pdu = sched_queue_drop_older(s, flow, now - s->params.max_age_ns - 1))) {
        sched_flow_drop(s, flow, n_pdu, DROP_LIFETIME);
        changed = true;
    }
    return changed;
}

void sched_age_watch(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    if (!(ms->flags & SCHED_MS_SUSPENDED)) {
        (void)sched_age_drop(s, flow, now);
        sched_age_arm(s, ms, flow);
    }
    if (flow->queue.pkts == 0)
        flow->turn.flags &= (uint8_t)~SCHED_FLOW_UNORDERED;
}
