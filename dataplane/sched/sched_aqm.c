/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_aqm.h"

#include "dataplane/aqm/aqm_fixed.h"
#include "dataplane/aqm/ecn.h"
#include "dataplane/base/drop.h"
#include "dataplane/sched/sched_age.h"
#include "dataplane/sched/sched_aqm_parts.h"
#include "dataplane/sched/sched_queue.h"

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
        return *sched_aqm_bvc_backlog(s, bvc, flow->turn.qclass);
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
    view->ecn = (uint8_t)ecn_get(n_pdu->data, n_pdu->octets);
}

/* --- enqueue --- */

static void mark(struct n_pdu *n_pdu)
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
        mark(n_pdu);
    return verdict;
}

static void start_clock(struct sched *s, const struct sched_ms *ms, struct n_pdu *n_pdu, int64_t now)
{
    sched_aqm_ms_changed(s, ms, now);
    n_pdu->aqm_parked_ns = sched_aqm_still_ns(s, ms, now);
}

int sched_aqm_on_enqueue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, struct n_pdu *n_pdu,
                         int64_t now)
{
    struct coming coming;
    if (!s->aqm->setups[flow->turn.qclass])
        return DROP_NONE;
    start_clock(s, ms, n_pdu, now);
    if (n_pdu->sent_octets > 0)
        return DROP_NONE;
    return ask_coming(s, flow, n_pdu, &coming, now) == AQM_DROP ? DROP_AQM : DROP_NONE;
}

/* --- dequeue --- */

static void drop_head(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    sched_flow_drop(s, flow, sched_queue_drop_head(s, flow), DROP_AQM);
    if (flow->turn.flags & SCHED_FLOW_UNORDERED)
        sched_age_watch(s, ms, flow, now);
    sched_ms_head_changed(s, ms, now);
}

bool sched_aqm_on_dequeue(struct sched *s, struct sched_ms *ms, struct sched_flow *flow, int64_t now)
{
    struct aqm_setup *setup = s->aqm->setups[flow->turn.qclass];
    if (!setup || flow->queue.is_begun || !setup->ops->dequeue)
        return true;
    struct n_pdu *head = flow_queue_head(&flow->queue);
    unsigned queue = sched_aqm_queue_at(s, flow);
    struct sched_limit backlog = backlog_of(s, flow, queue);
    struct aqm_view view = {.backlog_octets = backlog.octets - head->octets,
                            .backlog_pkts = backlog.pkts - 1};
    look(s, flow, head, sched_aqm_still_ns(s, ms, now) - head->aqm_parked_ns, &view, now);
    void *state = sched_aqm_state(s, flow, queue, now);
    flow->turn.flags &= (uint8_t)~SCHED_FLOW_AQM_IDLE;
    enum aqm_verdict verdict = aqm_setup_ask(setup, AQM_AT_DEQUEUE, state, &view, now);
    if (verdict == AQM_MARK)
        mark(head);
    if (verdict == AQM_DROP)
        drop_head(s, ms, flow, now);
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
        coming->view.ecn = (uint8_t)ecn_get(n_pdu->data, n_pdu->octets);
    coming->view.sojourn_ns = 0;
    coming->view.random = 0;
    verdict = aqm_setup_ask(setup, AQM_AT_DEQUEUE, coming->state, &coming->view, now);
    if (verdict == AQM_MARK)
        mark(n_pdu);
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
        ms->flow.turn.flags |= SCHED_FLOW_AQM_IDLE;
    return DROP_NONE;
}
