/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/aqm.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/drop.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/queue.h"

#include <stdalign.h>
#include <string.h>

#define SCHED_AQM_NEW_QUEUE FLOW_SETS_NO_QUEUE /* of a 5-tuple that has none yet */

/* begun_for: the scheme that initialised the state (sched_aqm.ids), 0: not initialised. */
struct slot {
    alignas(16) uint32_t begun_for;
    alignas(16) uint8_t state[];
};

static_assert(sizeof(struct slot) == SCHED_AQM_SLOT_OCTETS, "aqm_change.c allocates them");

/* --- index of an instance --- */

static size_t index_of(const void *one, const void *first, const struct sched_aqm_step *step)
{
    uint64_t octets = (uint64_t)((const char *)one - (const char *)first);
    return (size_t)((octets >> step->shift) * step->inverse);
}

static size_t link_index(const struct sched_aqm *a, const struct sched_link *link)
{
    return index_of(link, a->owners.links, &a->link_step);
}

static size_t bvc_index(const struct sched_aqm *a, const struct sched_bvc *bvc)
{
    return index_of(bvc, a->owners.bvcs, &a->bvc_step);
}

static size_t ms_index(const struct sched_aqm *a, const struct sched_ms *ms)
{
    return index_of(ms, a->owners.mobiles, &a->ms_step);
}

static size_t single_index(const struct sched *s, struct sched_flow *flow)
{
    if (flow->turn.flags & SCHED_FLOW_EXTRA)
        return s->aqm->mobiles + (size_t)(sched_flow_extra(flow) - s->extras);
    return ms_index(s->aqm, sched_flow_ms(flow));
}

static struct slot *slot_at(const struct sched_aqm *a, unsigned scope, size_t index)
{
    return (struct slot *)(void *)(a->slots[scope] + index * a->slot_octets);
}

void sched_aqm_prefetch(const struct sched *s, const struct sched_ms *ms)
{
    const struct sched_aqm *a = s->aqm;
    unsigned k = ms->flow.turn.qclass;
    if (!sched_aqm_has(s, k) || sched_aqm_was_idle(s, ms) || a->scopes[k] < SCHED_AQM_MS)
        return;
    const char *slot = (const char *)slot_at(a, a->scopes[k], ms_index(a, ms));
    prefetch_line_write(slot);
    prefetch_line_write(slot + a->slot_octets - 1);
}

static struct slot *queue_slot(const struct sched *s, const struct sched_flow *flow, unsigned queue)
{
    return slot_at(s->aqm, SCHED_AQM_FLOW,
                   s->aqm->singles + flow_sets_index(&s->flow_sets, flow->set, queue));
}

static struct slot *slot_of(const struct sched *s, struct sched_flow *flow, unsigned queue)
{
    const struct sched_aqm *a = s->aqm;
    const struct sched_bvc *bvc = sched_flow_ms(flow)->bvc;
    unsigned k = flow->turn.qclass, scope = a->scopes[k];
    switch (scope) {
    case SCHED_AQM_CLASS_OF_NSE:
        return slot_at(a, scope, link_index(a, bvc->link) * QCLASS_COUNT + k);
    case SCHED_AQM_CLASS_OF_BVC:
        return slot_at(a, scope, bvc_index(a, bvc) * QCLASS_COUNT + k);
    case SCHED_AQM_FLOW:
        if (queue == SCHED_AQM_NEW_QUEUE)
            return (struct slot *)(void *)a->fresh;
        if (flow->set != FLOW_SETS_NONE)
            return queue_slot(s, flow, queue);
        break;
    default:
        break;
    }
    return slot_at(a, scope, single_index(s, flow));
}

/* The state of the instance for an N-PDU of a flow's queue. */
static void *sched_aqm_state(struct sched *s, struct sched_flow *flow, unsigned queue, int64_t now)
{
    struct slot *slot = slot_of(s, flow, queue);
    unsigned k = flow->turn.qclass;
    if (slot->begun_for != s->aqm->ids[k] || queue == SCHED_AQM_NEW_QUEUE) {
        aqm_setup_start(s->aqm->setups[k], slot->state, now);
        slot->begun_for = s->aqm->ids[k];
    }
    return slot->state;
}

/* --- queues by 5-tuple --- */

/* The queue of the flow's set, if it has one, that an N-PDU would join; and the one that is next. */
static unsigned sched_aqm_queue_for(const struct sched *s, const struct sched_flow *flow,
                                    const struct n_pdu *n_pdu)
{
    const struct flow_sets *fs = &s->flow_sets;
    if (s->aqm->scopes[flow->turn.qclass] != SCHED_AQM_FLOW || fs->queues == 0)
        return 0;
    unsigned number = flow_sets_number_of(fs, n_pdu);
    if (flow->set != FLOW_SETS_NONE)
        return flow_sets_get(fs, flow->set)->where[number];
    bool shares = flow->turn.flags & SCHED_FLOW_MIXED && flow->queue.pkts > 1;
    if (flow->queue.pkts == 0 || shares || flow_sets_number_of(fs, flow->queue.list.last) == number)
        return 0;
    return SCHED_AQM_NEW_QUEUE;
}

static unsigned sched_aqm_queue_at(const struct sched *s, const struct sched_flow *flow)
{
    return flow->set == FLOW_SETS_NONE ? 0 : flow_sets_get(&s->flow_sets, flow->set)->at;
}

/* The state of the single queue moves with its N-PDUs into the set. */
static void split(const struct sched *s, struct sched_flow *flow, const struct flow_set *set, unsigned own)
{
    struct slot *single = slot_at(s->aqm, SCHED_AQM_FLOW, single_index(s, flow));
    for (uint64_t left = set->used; left; left &= left - 1) {
        unsigned queue = (unsigned)__builtin_ctzll(left);
        if (queue != own)
            memcpy(queue_slot(s, flow, queue), single, s->aqm->slot_octets);
    }
    single->begun_for = 0;
}

void sched_aqm_queued(struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu, uint32_t set)
{
    struct slot *fresh = (struct slot *)(void *)s->aqm->fresh;
    unsigned k = flow->turn.qclass;
    if (!s->aqm->setups[k] || s->aqm->scopes[k] != SCHED_AQM_FLOW || flow->set == FLOW_SETS_NONE)
        return;
    const struct flow_set *in = flow_sets_get(&s->flow_sets, flow->set);
    unsigned own = in->where[flow_sets_number_of(&s->flow_sets, n_pdu)];
    if (set == FLOW_SETS_NONE)
        split(s, flow, in, own);
    if (fresh->begun_for == 0)
        return;
    memcpy(queue_slot(s, flow, own), fresh, s->aqm->slot_octets);
    fresh->begun_for = 0;
}

/* --- counting --- */

static int64_t clock_of(const struct sched_aqm_still *still, int64_t now)
{
    return still->total_ns + (still->since_ns < now ? now - still->since_ns : 0);
}

static void note(struct sched_aqm_still *still, bool is_still, int64_t now)
{
    if (is_still == (still->since_ns != MOMENT_NEVER))
        return;
    still->total_ns = clock_of(still, now);
    still->since_ns = is_still ? now : MOMENT_NEVER;
}

/* A clock that stands still while R of the cell is 0. A mobile's own R counts on this clock, so that a time
 * in which both are 0 counts once. */
static int64_t running_ns(const struct sched_aqm *a, const struct sched_bvc *bvc, int64_t now)
{
    return now - clock_of(&a->bvc_stills[bvc_index(a, bvc)], now);
}

/* Time for which R of a mobile or its cell has been 0 since the start; only differences are meaningful. */
static int64_t sched_aqm_still_ns(const struct sched *s, const struct sched_ms *ms, int64_t now)
{
    int64_t running = running_ns(s->aqm, ms->bvc, now);
    return clock_of(&s->aqm->ms_stills[ms_index(s->aqm, ms)], running) + now - running;
}

void sched_aqm_ms_changed(struct sched *s, const struct sched_ms *ms, int64_t now)
{
    note(&s->aqm->ms_stills[ms_index(s->aqm, ms)], ms->bucket.rate_bps == 0,
         running_ns(s->aqm, ms->bvc, now));
}

void sched_aqm_bvc_changed(struct sched *s, const struct sched_bvc *bvc)
{
    note(&s->aqm->bvc_stills[bvc_index(s->aqm, bvc)], bvc->bucket.rate_bps == 0, bvc->bucket.t_ns);
}

void sched_aqm_moved(struct sched *s, const struct sched_ms *ms, const struct sched_bvc *to, int64_t now)
{
    const struct sched_aqm *a = s->aqm;
    struct sched_aqm_still *still = &a->ms_stills[ms_index(a, ms)];
    int64_t ahead_ns = running_ns(a, to, now) - running_ns(a, ms->bvc, now);
    still->total_ns += ahead_ns;
    still->since_ns += still->since_ns == MOMENT_NEVER ? 0 : ahead_ns;
}

void sched_aqm_forget(struct sched *s, struct sched_flow *flow, int64_t now)
{
    size_t single = single_index(s, flow);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
    for (unsigned scope = SCHED_AQM_MS; scope <= SCHED_AQM_FLOW; scope++)
        if (s->aqm->slots[scope])
            slot_at(s->aqm, scope, single)->begun_for = 0;
    if (flow->turn.flags & SCHED_FLOW_EXTRA)
        return;
    s->aqm->ms_stills[ms_index(s->aqm, sched_flow_ms(flow))].since_ns = MOMENT_NEVER;
    sched_aqm_ms_changed(s, sched_flow_ms(flow), now);
}

static void forget_classes(const struct sched_aqm *a, unsigned scope, size_t index)
{
    for (unsigned k = 0; k < QCLASS_COUNT && a->slots[scope]; k++)
        slot_at(a, scope, index * QCLASS_COUNT + k)->begun_for = 0;
}

void sched_aqm_forget_bvc(struct sched *s, const struct sched_bvc *bvc)
{
    size_t index = bvc_index(s->aqm, bvc);
    s->aqm->bvc_stills[index] = (struct sched_aqm_still){.since_ns = MOMENT_NEVER};
    forget_classes(s->aqm, SCHED_AQM_CLASS_OF_BVC, index);
}

void sched_aqm_forget_link(struct sched *s, const struct sched_link *link)
{
    forget_classes(s->aqm, SCHED_AQM_CLASS_OF_NSE, link_index(s->aqm, link));
}

static const uint8_t *scheme_of(const struct sched_flow *flow, const struct sched *s)
{
    return &s->aqm->scopes[flow->turn.qclass];
}

const struct aqm_setup *sched_aqm_setup(const struct sched *s, unsigned qclass)
{
    return s->aqm ? s->aqm->setups[qclass] : NULL;
}

/* --- the view --- */

static uint64_t class_share(const struct sched *s, uint64_t rate_bps, unsigned active, unsigned qclass)
{
    uint32_t own = s->params.weights[qclass], sum = own;
    for (unsigned left = active & ~(1U << qclass); left; left &= left - 1)
        sum += s->params.weights[__builtin_ctz(left)];
    return sum > own ? rate_bps * own / sum : rate_bps;
}

static uint64_t cell_share(const struct sched *s, const struct sched_bvc *bvc, unsigned qclass)
{
    return class_share(s, bvc->bucket.rate_bps, bvc->active, qclass);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t ms_rate_bps(const struct sched *s, const struct sched_ms *ms, struct sched_flow *flow)
{
    unsigned k = flow->turn.qclass;
    uint32_t others = ms->bvc->classes[k].turns.count - (flow->turn.place != TURNS_OUT);
    uint64_t rate_bps = least(ms->bucket.rate_bps, cell_share(s, ms->bvc, k) / (others + 1));
    if (flow->turn.flags & SCHED_FLOW_EXTRA && sched_flow_extra(flow)->has_bucket)
        rate_bps = least(rate_bps, sched_flow_extra(flow)->bucket.rate_bps);
    return rate_bps;
}

/* Not inlined, so that schemes without a rate do not pay for its registers. */
static __attribute__((noinline)) uint64_t rate_of(const struct sched *s, const struct sched_ms *ms,
                                                  struct sched_flow *flow)
{
    unsigned k = flow->turn.qclass;
    const struct sched_link *link = ms->bvc->link;
    switch (*scheme_of(flow, s)) {
    case SCHED_AQM_CLASS_OF_NSE:
        if (link->bucket.rate_bps > 0)
            return class_share(s, link->bucket.rate_bps, link->active, k);
        return cell_share(s, ms->bvc, k);
    case SCHED_AQM_CLASS_OF_BVC:
        return cell_share(s, ms->bvc, k);
    default:
        return ms_rate_bps(s, ms, flow);
    }
}

static struct sched_limit backlog_of(const struct sched *s, struct sched_flow *flow, unsigned queue)
{
    const struct sched_bvc *bvc = sched_flow_ms(flow)->bvc;
    const struct sched_link_class *lc = &bvc->link->classes[flow->turn.qclass];
    const struct flow_queue *q = &flow->queue;
    switch (*scheme_of(flow, s)) {
    case SCHED_AQM_CLASS_OF_NSE:
        return (struct sched_limit){lc->octets, lc->pkts};
    case SCHED_AQM_CLASS_OF_BVC:
        return bvc->classes[flow->turn.qclass].queued;
    case SCHED_AQM_FLOW:
        if (queue == SCHED_AQM_NEW_QUEUE)
            return (struct sched_limit){0, 0};
        if (flow->set != FLOW_SETS_NONE)
            q = &flow_sets_queue(&s->flow_sets, flow_sets_get(&s->flow_sets, flow->set), queue)->queue;
        break;
    default:
        break;
    }
    return (struct sched_limit){q->octets, q->pkts};
}

/* parked_ns: since its arrival. */
static void look(const struct sched *s, struct sched_flow *flow, const struct n_pdu *n_pdu, int64_t parked_ns,
                 struct aqm_view *view, int64_t now)
{
    int64_t max_age_ns = s->params.max_age_ns;

    if (!(s->aqm->setups[flow->turn.qclass]->ops->flags & AQM_RATELESS))
        view->rate_bps = rate_of(s, sched_flow_ms(flow), flow);
    view->age_ns = now - n_pdu->arrival_ns;
    view->parked_ns = parked_ns < 0 ? 0 : moment_min(parked_ns, view->age_ns);
    view->left_ns = max_age_ns == MOMENT_NEVER ? MOMENT_NEVER : max_age_ns - view->age_ns;
    view->octets = n_pdu->octets;
    view->tag = n_pdu->aqm_tag;
    view->qclass = flow->turn.qclass;
    view->ecn = (uint8_t)ecn_of(n_pdu);
}

/* --- enqueue --- */

static void aqm_mark(struct n_pdu *n_pdu)
{
    n_pdu->is_marked = ecn_set_ce(n_pdu->data, n_pdu->octets);
}

/* Input of the scheme for an arriving N-PDU. */
struct coming {
    struct aqm_view view;
    void *state;
};

static enum aqm_verdict ask_coming(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu,
                                   struct coming *coming, int64_t now)
{
    struct aqm_setup *setup = s->aqm->setups[flow->turn.qclass];
    struct aqm_view *view = &coming->view;
    unsigned queue = sched_aqm_queue_for(s, flow, n_pdu);
    struct sched_limit backlog = backlog_of(s, flow, queue);
    *view = (struct aqm_view){.backlog_octets = backlog.octets, .backlog_pkts = backlog.pkts};
    look(s, flow, n_pdu, 0, view, now);
    if (view->rate_bps > 0)
        view->sojourn_ns = aqm_fixed_serial_ns(backlog.octets + n_pdu->octets, view->rate_bps);
    coming->state = sched_aqm_state(s, flow, queue, now);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
    enum aqm_verdict verdict = aqm_setup_ask(setup, AQM_AT_ENQUEUE, coming->state, view, now);
    n_pdu->aqm_tag = view->tag;
    if (verdict == AQM_MARK)
        aqm_mark(n_pdu);
    return verdict;
}

static void start_clock(struct sched *s, const struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    sched_aqm_ms_changed(s, ms, now);
    n_pdu->aqm_parked_ns = sched_aqm_still_ns(s, ms, now);
}

void sched_aqm_start_clock(struct sched *s, const struct sched_ms *ms, const struct sched_flow *flow,
                           struct n_pdu *n_pdu, int64_t now)
{
    if (s->aqm->setups[flow->turn.qclass])
        start_clock(s, ms, n_pdu, now);
}

int sched_aqm_on_enqueue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, struct n_pdu *n_pdu,
                         int64_t now)
{
    struct coming coming;
    if (!s->aqm->setups[flow->turn.qclass])
        return DROP_NONE;
    start_clock(s, ms, n_pdu, now);
    if (n_pdu->sent_octets > 0 || n_pdu->is_paced)
        return DROP_NONE;
    return ask_coming(s, flow, n_pdu, &coming, now) == AQM_DROP ? DROP_AQM : DROP_NONE;
}

/* --- dequeue --- */

static void aqm_drop_head(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    sched_flow_drop(s, flow, sched_queue_drop_head(s, flow), DROP_AQM);
    if (flow->turn.flags & SCHED_FLOW_UNORDERED)
        sched_age_watch(s, ms, flow, now);
    sched_ms_head_changed(s, ms, now);
}

bool sched_aqm_on_dequeue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    struct aqm_setup *setup = s->aqm->setups[flow->turn.qclass];
    struct n_pdu *head = flow_queue_head(&flow->queue);
    if (!setup || flow->queue.is_begun || !setup->ops->dequeue || head->is_paced ||
        head->arrival_ns < s->aqm->since_ns[flow->turn.qclass])
        return true;
    unsigned queue = sched_aqm_queue_at(s, flow);
    struct sched_limit backlog = backlog_of(s, flow, queue);
    struct aqm_view view = {.backlog_octets = backlog.octets - head->octets,
                            .backlog_pkts = backlog.pkts - 1};
    look(s, flow, head, sched_aqm_still_ns(s, ms, now) - head->aqm_parked_ns, &view, now);
    void *state = sched_aqm_state(s, flow, queue, now);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
    enum aqm_verdict verdict = aqm_setup_ask(setup, AQM_AT_DEQUEUE, state, &view, now);
    if (verdict == AQM_MARK)
        aqm_mark(head);
    if (verdict == AQM_DROP)
        aqm_drop_head(s, ms, flow, now);
    return verdict != AQM_DROP;
}

/* --- bypass --- */

/* Both hooks. Between them only the first verdict changes anything. The N-PDU is not queued, so its parked
 * time is not read; the next queued N-PDU stores it on arrival. */
static enum aqm_verdict ask_both(struct sched *s, struct sched_flow *flow, struct n_pdu *n_pdu,
                                 struct coming *coming, int64_t now)
{
    struct aqm_setup *setup = s->aqm->setups[flow->turn.qclass];
    enum aqm_verdict verdict = ask_coming(s, flow, n_pdu, coming, now);
    if (verdict == AQM_DROP || !setup->ops->dequeue)
        return verdict;
    if (verdict == AQM_MARK)
        coming->view.ecn = (uint8_t)ecn_of(n_pdu);
    coming->view.sojourn_ns = 0;
    coming->view.random = 0;
    verdict = aqm_setup_ask(setup, AQM_AT_DEQUEUE, coming->state, &coming->view, now);
    if (verdict == AQM_MARK)
        aqm_mark(n_pdu);
    return verdict;
}

static bool is_idle(const struct sched *s, struct sched_ms *ms, const struct aqm_setup *setup,
                    const void *state)
{
    return setup->ops->is_idle && *scheme_of(&ms->flow, s) >= SCHED_AQM_MS &&
           sched_aqm_has_rate_of_ms(ms, setup) && setup->ops->is_idle(setup->law, state);
}

int sched_aqm_on_bypass(struct sched *s, struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    struct coming coming;

    if (ask_both(s, &ms->flow, n_pdu, &coming, now) == AQM_DROP)
        return DROP_AQM;
    if (is_idle(s, ms, s->aqm->setups[ms->flow.turn.qclass], coming.state))
        ms->flow.turn.flags |= (uint8_t)(s->aqm_epoch << SCHED_FLOW_AQM_IDLE_SHIFT);
    return DROP_NONE;
}
