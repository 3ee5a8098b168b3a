/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched.h"

#include "dataplane/base/drop.h"
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_parts.h"
#include "dataplane/sched/sched_queue.h"

#include <assert.h>
#include <stdlib.h>

static_assert(sizeof(struct sched_flow) == 64, "one cache line");
static_assert(sizeof(struct sched_ms) == 128, "two");

void sched_params_default(struct sched_params *params)
{
    static const uint16_t weights[QCLASS_COUNT] = SCHED_DEFAULT_WEIGHTS;

    *params = (struct sched_params){
        .ms_limit_pkts = FLOW_QUEUE_MAX_PKTS,
        .budget_pkts = UINT32_MAX / 2,
        .reserve_pkts = SCHED_DEFAULT_RESERVE,
        .max_age_ns = MOMENT_NEVER,
        .flow_quantum_octets = SCHED_LARGEST_PDU,
    };
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        params->weights[k] = weights[k];
        params->class_limits[k] = (struct sched_limit){.octets = UINT64_MAX, .pkts = UINT32_MAX};
    }
}

static bool new_extras(struct sched *s, uint32_t count)
{
    s->extras = calloc(count > 0 ? count : 1, sizeof(*s->extras));
    s->extras_free = SCHED_NO_EXTRA;
    for (uint32_t i = count; s->extras && i-- > 0;) {
        s->extras[i].flow.more = s->extras_free;
        s->extras[i].wake_ns = MOMENT_NEVER;
        s->extras_free = i;
    }
    return s->extras != NULL;
}

bool sched_new(struct sched *s, const struct sched_counts *counts, const struct sched_params *params)
{
    uint32_t waiting = 2 * counts->mobiles + counts->extras + counts->bvcs + counts->links;
    /* Only as many queues are long as the budget has packets for. */
    uint32_t most = params->budget_pkts + params->reserve_pkts;
    if (most < counts->pkts)
        most = counts->pkts;

    *s = (struct sched){.params = *params, .most_pkts = most};
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        sched_share_set(s, k, params->weights[k]);
    uint32_t flows = counts->mobiles + counts->extras;
    if (most / LONGEST_MIN_PKTS > flows)
        most = flows * LONGEST_MIN_PKTS;
    const struct flow_sets_params sets = {counts->flow_sets, params->flow_quantum_octets,
                                          params->flow_queues};
    /* Each may be there twice: as it is now and as it was before. */
    if (wheel_new(&s->wheel, 2 * waiting) && longest_new(&s->longest, most) &&
        new_extras(s, counts->extras) && flow_sets_new(&s->flow_sets, &sets) && sched_aqm_new(s, counts))
        return true;
    sched_free(s);
    return false;
}

void sched_free(struct sched *s)
{
    sched_aqm_free(s);
    wheel_free(&s->wheel);
    longest_free(&s->longest);
    flow_sets_free(&s->flow_sets);
    free(s->extras);
    *s = (struct sched){0};
}

/* --- waiting --- */

static void *owner_of(const struct wheel_entry *entry)
{
    return (void *)((uintptr_t)entry->who & ~(uintptr_t)SCHED_WAKE_MASK);
}

static enum sched_wake kind_of(const struct wheel_entry *entry)
{
    return (enum sched_wake)((uintptr_t)entry->who & SCHED_WAKE_MASK);
}

/* Where the owner of an entry keeps the instant for which it waits. */
static int64_t *armed_of(const struct wheel_entry *entry)
{
    void *owner = owner_of(entry);
    switch (kind_of(entry)) {
    case SCHED_WAKE_MS:
        return &((struct sched_ms *)owner)->wake_ns;
    case SCHED_WAKE_EXPIRY:
        return &((struct sched_ms *)owner)->expiry_ns;
    case SCHED_WAKE_PFC:
        return &((struct sched_extra *)owner)->wake_ns;
    case SCHED_WAKE_BVC:
        return &((struct sched_bvc *)owner)->wake_ns;
    default:
        return &((struct sched_link *)owner)->wake_ns;
    }
}

/* Of two entries for the same instant the second is stale, too: the first one leaves a mark. */
static bool is_stale(const struct wheel_entry *entry, void *arg)
{
    int64_t *armed_ns = armed_of(entry);
    (void)arg;
    if (*armed_ns != entry->at_ns)
        return true;
    *armed_ns = ~entry->at_ns;
    return false;
}

static bool unmark(const struct wheel_entry *entry, void *arg)
{
    (void)arg;
    *armed_of(entry) = entry->at_ns;
    return false;
}

void sched_arm(struct sched *s, int64_t *armed_ns, int64_t at_ns, void *who, enum sched_wake kind)
{
    void *tagged = (void *)((uintptr_t)who | kind);
    if (*armed_ns == at_ns)
        return;
    *armed_ns = at_ns;
    if (at_ns == MOMENT_NEVER || wheel_set(&s->wheel, at_ns, tagged))
        return;
    wheel_purge(&s->wheel, is_stale, NULL);
    wheel_purge(&s->wheel, unmark, NULL);
    bool is_set = wheel_set(&s->wheel, at_ns, tagged);
    assert(is_set);
    (void)is_set;
}

static void wake(struct sched *s, const struct wheel_entry *entry, int64_t now)
{
    void *owner = owner_of(entry);
    switch (kind_of(entry)) {
    case SCHED_WAKE_MS:
        sched_ms_woken(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_EXPIRY:
        sched_ms_expired(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_PFC:
        sched_flow_woken(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_BVC:
        sched_bvc_woken(s, owner, entry->at_ns);
        break;
    case SCHED_WAKE_LINK:
        sched_link_woken(s, owner, entry->at_ns);
        break;
    case SCHED_WAKE_MASK:
        break;
    }
}

static void prefetch_ms(const void *who)
{
    const char *owner = (const char *)((uintptr_t)who & ~(uintptr_t)SCHED_WAKE_MASK);
    __builtin_prefetch(owner, 1);
    __builtin_prefetch(owner + offsetof(struct sched_ms, flow), 1);
}

/* On a busy scheduler those who come after them will be needed soon. */
static void prefetch_next(const struct sched *s)
{
    const void *who;
    for (uint32_t i = 0; i < SCHED_DUE && (who = wheel_peek(&s->wheel, i)); i++)
        prefetch_ms(who);
}

static void prefetch_sets(const struct sched *s)
{
    for (uint32_t i = 0; i < s->due_count; i++) {
        const struct sched_ms *ms = owner_of(&s->due[i]);
        if (kind_of(&s->due[i]) == SCHED_WAKE_MS && ms->flow.set != FLOW_SETS_NONE)
            flow_sets_prefetch(&s->flow_sets, ms->flow.set);
    }
}

/*
 * Entries that are due come off the wheel in bursts, so that what they speak of is fetched side by side:
 * first the mobile, then what it points to.
 */
static void fetch_due(struct sched *s, int64_t now)
{
    s->due_at = s->due_count = 0;
    while (s->due_count < SCHED_DUE && wheel_take(&s->wheel, &s->due[s->due_count], now))
        prefetch_ms(s->due[s->due_count++].who);
    if (s->due_count >= SCHED_BUSY)
        prefetch_next(s);
    for (uint32_t i = 0; i < s->due_count && s->due_count > 1; i++) {
        const struct sched_ms *ms = owner_of(&s->due[i]);
        if (kind_of(&s->due[i]) != SCHED_WAKE_MS)
            continue;
        __builtin_prefetch(ms->bvc, 1);
        __builtin_prefetch(flow_queue_head(&ms->flow.queue), 1);
    }
    if (s->flow_sets.queues > 0)
        prefetch_sets(s);
}

static const struct wheel_entry *take_due(struct sched *s, int64_t now)
{
    if (s->due_at == s->due_count) {
        if (wheel_next_ns(&s->wheel) > now)
            return NULL;
        fetch_due(s, now);
        if (s->due_count == 0)
            return NULL;
    }
    return &s->due[s->due_at++];
}

void sched_advance(struct sched *s, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now)))
        wake(s, entry, now);
}

/* Wakes what is due, until one of those may send at once because nobody else has anything to. */
static bool wake_due(struct sched *s, struct sched_grant *grant, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now))) {
        struct sched_ms *ms = owner_of(entry);
        if (!s->links && kind_of(entry) == SCHED_WAKE_MS && ms->wake_ns == entry->at_ns &&
            ms->flags & SCHED_MS_PARKED && sched_bypass_woken(s, ms, grant, now))
            return true;
        wake(s, entry, now);
    }
    return false;
}

int64_t sched_next_ns(const struct sched *s)
{
    return s->links || s->due_at < s->due_count ? INT64_MIN : wheel_next_ns(&s->wheel);
}

/* --- LLC-PDUs out --- */

/* A flow about to send, and whose turn it was. */
struct sender {
    struct sched_class *c;
    struct sched_flow *turn, *flow;
    struct sched_ms *ms;
};

/* The flow of a class that keeps its turn while its cell waits; NULL: none. */
static struct sched_flow *holder_of(struct sched_class *c)
{
    struct sched_flow *holder = sched_class_bvc(c)->holder;
    return holder && holder->turn.qclass == c->qclass ? holder : NULL;
}

/* The sender whose turn it is in a class; those before it whose buckets are closed are parked. */
static bool find_sender(struct sched *s, struct sender *out, struct llc_next *next, int64_t now)
{
    struct turn *turn;
    while ((turn = turns_head(&out->c->turns))) {
        out->turn = holder_of(out->c);
        if (!out->turn)
            out->turn = sched_class_flow(turn);
        out->ms = sched_flow_ms(out->turn);
        out->flow = sched_flow_choose(s, out->turn, now);
        if (!out->flow)
            continue;
        *next = sched_flow_next(s, out->ms, out->flow);
        int64_t open_ns = bucket_open_ns(&out->ms->bucket, next->llc_octets, now);
        if (open_ns <= now)
            return true;
        sched_ms_park(s, out->ms, open_ns);
    }
    return false;
}

/* The turn moves on; an empty flow leaves, and a mobile whose bucket is closed now does, too. */
static void settle(struct sched *s, const struct sender *by, uint32_t octets, int64_t now)
{
    struct sched_ms *ms = by->ms;
    turns_charge(&by->c->turns, &by->turn->turn, octets);
    if (by->flow->turn.flags & SCHED_FLOW_UNORDERED && !by->flow->queue.is_begun)
        sched_ms_watch(s, ms, by->flow, now);
    if (by->flow->queue.pkts == 0) {
        if (by->flow->turn.place != TURNS_OUT)
            sched_class_leave(s, ms->bvc, by->flow);
        if (ms->flow.more == SCHED_NO_EXTRA || sched_ms_backlog(s, ms).pkts == 0)
            ms->flags &= (uint8_t)~SCHED_MS_LIMITED;
    } else if (ms->flow.more == SCHED_NO_EXTRA) {
        int64_t open_ns = bucket_open_ns(&ms->bucket, sched_flow_next(s, ms, by->flow).llc_octets, now);
        if (open_ns > now)
            sched_ms_park(s, ms, open_ns);
    }
}

static void send(struct sched *s, struct sched_link *link, const struct sender *by, struct sched_grant *grant,
                 int64_t now)
{
    struct sched_ms *ms = by->ms;
    struct sched_bvc *bvc = ms->bvc;
    const struct n_pdu *head = flow_queue_head(&by->flow->queue);
    uint32_t octets = grant->next.llc_octets, link_octets = octets + ms->link_octets;

    grant->ms = ms;
    grant->offset = head->sent_octets;
    grant->segment = head->segment;
    sched_flow_charge(s, by->flow, octets, now);
    if (ms->flags & SCHED_MS_LIMITED && ms->flow.more != SCHED_NO_EXTRA)
        sched_ms_judge(ms, octets, now);
    bucket_take(&ms->bucket, octets, now);
    bucket_take(&bvc->bucket, octets, now);
    link->sent_octets += link_octets;
    if (link->bucket.rate_bps > 0)
        bucket_take(&link->bucket, link_octets, now);
    grant->n_pdu = sched_queue_take(s, by->flow, &grant->next);
    sched_flow_count_out(s, by->flow, grant->next.payload_octets, grant->next.last);
    bool shares_link = bvc->mode == SCHED_MODE_LINK;
    if (bvc->holder == by->turn)
        bvc->holder = NULL;
    settle(s, by, octets, now);
    if (shares_link)
        sched_link_sent(s, link, by->c, link_octets);
    else
        sched_bvc_sent(s, by->c, octets, now);
}

/* One LLC-PDU of a link. False: it has nothing that may go now. */
static bool pick_of(struct sched *s, struct sched_link *link, struct sched_grant *grant, int64_t now)
{
    struct sender by;
    while ((by.c = sched_link_choose(s, link))) {
        struct sched_bvc *bvc = sched_class_bvc(by.c);
        if (s->flow_sets.is_large && bvc->holder)
            sched_queue_fetch(s, bvc);
        if (!find_sender(s, &by, &grant->next, now))
            continue;
        uint32_t octets = grant->next.llc_octets;
        if (!bucket_can_take(&bvc->bucket, octets, now)) {
            sched_bvc_close(s, bvc, by.turn, octets, now);
        } else if (!sched_link_can_take(link, octets + by.ms->link_octets, now)) {
            sched_link_park(s, link, octets + by.ms->link_octets);
            return false;
        } else if (!s->aqm || sched_aqm_on_dequeue(s, by.ms, by.flow, now)) {
            send(s, link, &by, grant, now);
            return true;
        }
    }
    return false;
}

/* Links take turns. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now)
{
    struct sched_link *link;
    if (wake_due(s, grant, now))
        return true;
    while ((link = s->links)) {
        bool sent = pick_of(s, link, grant, now);
        s->links = link->next;
        link->is_ready = false;
        if (sent) {
            sched_link_ready(s, link);
            return true;
        }
    }
    return false;
}
