/* SPDX-License-Identifier: BSD-3-Clause */
/* The states of instances, and the data of views that the scheduler does not keep itself. */
#include "dataplane/sched/sched_aqm_parts.h"

#include "dataplane/base/prefetch.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* begun_for: 1 + the class whose scheme initialised the state, 0: not initialised. */
struct slot {
    alignas(16) uint8_t begun_for;
    alignas(16) uint8_t state[];
};

/* --- memory --- */

static bool new_setups(struct sched *s, struct sched_aqm *a)
{
    char message[128];
    size_t most = 0;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        const struct sched_aqm_params *params = &s->params.aqm[k];
        if (!params->choice.ops)
            continue;
        a->setups[k] = aqm_setup_new(&params->choice, message, sizeof(message));
        if (!a->setups[k])
            return false;
        a->scopes[k] = params->scope;
        s->aqm_setups[k] = a->setups[k];
        s->aqm_classes |= (uint8_t)(1U << k);
        if (params->choice.ops->state_octets > most)
            most = params->choice.ops->state_octets;
    }
    a->slot_octets = sizeof(struct slot) + (most + 15) / 16 * 16;
    return true;
}

static bool new_slots(struct sched_aqm *a, unsigned scope, size_t count)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (a->setups[k] && a->scopes[k] == scope && !a->slots[scope])
            a->slots[scope] = calloc(count + 1, a->slot_octets);
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (a->setups[k] && a->scopes[k] == scope && !a->slots[scope])
            return false;
    return true;
}

static bool new_backlogs(struct sched_aqm *a, uint32_t bvcs)
{
    if (!a->slots[SCHED_AQM_CLASS_OF_BVC])
        return true;
    a->bvc_backlogs = calloc((size_t)bvcs * QCLASS_COUNT + 1, sizeof(*a->bvc_backlogs));
    return a->bvc_backlogs != NULL;
}

static struct sched_aqm_still *new_stills(uint32_t count)
{
    struct sched_aqm_still *stills = calloc((size_t)count + 1, sizeof(*stills));
    for (uint32_t i = 0; stills && i < count; i++)
        stills[i].since_ns = MOMENT_NEVER;
    return stills;
}

static bool fill(struct sched *s, struct sched_aqm *a, const struct sched_counts *counts)
{
    size_t queues = (size_t)s->flow_sets.count * s->flow_sets.queues;
    a->mobiles = counts->mobiles;
    a->singles = counts->mobiles + counts->extras;
    a->fresh = calloc(1, a->slot_octets);
    a->ms_stills = new_stills(counts->mobiles);
    a->bvc_stills = new_stills(counts->bvcs);
    return a->fresh && a->ms_stills && a->bvc_stills &&
           new_slots(a, SCHED_AQM_CLASS_OF_NSE, (size_t)counts->links * QCLASS_COUNT) &&
           new_slots(a, SCHED_AQM_CLASS_OF_BVC, (size_t)counts->bvcs * QCLASS_COUNT) &&
           new_slots(a, SCHED_AQM_MS, a->singles) && new_slots(a, SCHED_AQM_FLOW, a->singles + queues) &&
           new_backlogs(a, counts->bvcs);
}

static bool wants_any(const struct sched_params *params)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        if (params->aqm[k].choice.ops)
            return true;
    return false;
}

bool sched_aqm_new(struct sched *s, const struct sched_counts *counts)
{
    if (!wants_any(&s->params))
        return true;
    s->aqm = calloc(1, sizeof(*s->aqm));
    return s->aqm && new_setups(s, s->aqm) && fill(s, s->aqm, counts);
}

void sched_aqm_free(struct sched *s)
{
    struct sched_aqm *a = s->aqm;
    if (!a)
        return;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        aqm_setup_free(a->setups[k]);
    for (unsigned i = 0; i < SCHED_AQM_SCOPES; i++)
        free(a->slots[i]);
    free(a->fresh);
    free(a->bvc_backlogs);
    free(a->ms_stills);
    free(a->bvc_stills);
    free(a);
    s->aqm = NULL;
    memset(s->aqm_setups, 0, sizeof(s->aqm_setups));
}

/* Newton: each step doubles the number of correct bits; an odd number is its own inverse to three bits. */
static struct sched_aqm_step step_of(size_t octets)
{
    struct sched_aqm_step step = {.shift = (unsigned)__builtin_ctzll(octets)};
    uint64_t odd = (uint64_t)octets >> step.shift;
    step.inverse = odd;
    for (unsigned bits = 3; bits < 64; bits *= 2)
        step.inverse *= 2 - odd * step.inverse;
    return step;
}

void sched_aqm_place(struct sched *s, const struct sched_aqm_owners *owners)
{
    if (!s->aqm)
        return;
    s->aqm->owners = *owners;
    s->aqm->ms_step = step_of(owners->ms_octets);
    s->aqm->bvc_step = step_of(owners->bvc_octets);
    s->aqm->link_step = step_of(owners->link_octets);
}

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
    if (!sched_aqm_has(s, k) || ms->flow.turn.flags & SCHED_FLOW_AQM_IDLE || a->scopes[k] < SCHED_AQM_MS)
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

void *sched_aqm_state(struct sched *s, struct sched_flow *flow, unsigned queue, int64_t now)
{
    struct slot *slot = slot_of(s, flow, queue);
    unsigned k = flow->turn.qclass;
    if (slot->begun_for != k + 1 || queue == SCHED_AQM_NEW_QUEUE) {
        aqm_setup_start(s->aqm->setups[k], slot->state, now);
        slot->begun_for = (uint8_t)(k + 1);
    }
    return slot->state;
}

/* --- queues by 5-tuple --- */

unsigned sched_aqm_queue_for(const struct sched *s, const struct sched_flow *flow, const struct n_pdu *n_pdu)
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

unsigned sched_aqm_queue_at(const struct sched *s, const struct sched_flow *flow)
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

struct sched_limit *sched_aqm_bvc_backlog(const struct sched *s, const struct sched_bvc *bvc, unsigned qclass)
{
    return &s->aqm->bvc_backlogs[bvc_index(s->aqm, bvc) * QCLASS_COUNT + qclass];
}

static void count(struct sched_limit *backlog, int64_t octets, int32_t pkts)
{
    backlog->octets += (uint64_t)octets;
    backlog->pkts += (uint32_t)pkts;
}

void sched_aqm_count(struct sched *s, struct sched_flow *flow, int64_t octets, int32_t pkts)
{
    if (s->aqm->bvc_backlogs)
        count(sched_aqm_bvc_backlog(s, sched_flow_ms(flow)->bvc, flow->turn.qclass), octets, pkts);
}

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

int64_t sched_aqm_still_ns(const struct sched *s, const struct sched_ms *ms, int64_t now)
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

void sched_aqm_moved(struct sched *s, struct sched_ms *ms, struct sched_bvc *to, int64_t now)
{
    struct sched_aqm *a = s->aqm;
    struct sched_aqm_still *still = &a->ms_stills[ms_index(a, ms)];
    int64_t ahead_ns = running_ns(a, to, now) - running_ns(a, ms->bvc, now);
    still->total_ns += ahead_ns;
    still->since_ns += still->since_ns == MOMENT_NEVER ? 0 : ahead_ns;
    for (struct sched_flow *flow = &ms->flow; a->bvc_backlogs && flow; flow = sched_flow_more(s, flow)) {
        unsigned k = flow->turn.qclass;
        if (k >= QCLASS_COUNT)
            continue;
        count(sched_aqm_bvc_backlog(s, ms->bvc, k), -(int64_t)flow->queue.octets, -(int32_t)flow->queue.pkts);
        count(sched_aqm_bvc_backlog(s, to, k), flow->queue.octets, flow->queue.pkts);
    }
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
