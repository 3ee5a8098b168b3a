/* SPDX-License-Identifier: BSD-3-Clause */
/* The pick of the next LLC-PDU that conforms at every level, and its charge. */
#include "dataplane/sched/sched.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"
#include "dataplane/queue/flow_tags.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/flow.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/queue.h"
#include "dataplane/sched/wait.h"

#include <assert.h>

static void pick_wake(struct sched *s, const struct wheel_entry *entry, int64_t now)
{
    void *owner = sched_arm_owner(entry);
    switch (sched_arm_kind(entry)) {
    case SCHED_WAKE_MS:
        sched_ms_woken(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_EXPIRY:
        sched_ms_expired(s, owner, entry->at_ns, now);
        break;
    case SCHED_WAKE_PFC:
        sched_pfc_woken(s, owner, entry->at_ns, now);
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
    prefetch_line_write(owner);
    prefetch_line_write(owner + offsetof(struct sched_ms, flow));
}

/* On a busy scheduler the entries after these will be needed soon. */
static void prefetch_next(const struct sched *s)
{
    const void *who;
    for (uint32_t i = 0; i < 2 * SCHED_DUE_PART && (who = wheel_peek(&s->wheel, i)); i++)
        prefetch_ms(who);
}

/* The lines behind the owner of an entry: of a mobile its cell, next N-PDU and queues, of a cell the mobile
 * that is next there. */
static void prefetch_behind(const struct sched *s, const struct wheel_entry *entry)
{
    if (sched_arm_kind(entry) == SCHED_WAKE_MS) {
        const struct sched_ms *ms = sched_arm_owner(entry);
        prefetch_line_write(ms->bvc);
        prefetch_line_write(flow_queue_head(&ms->flow.queue));
        if (ms->flow.set != FLOW_SETS_NONE)
            flow_sets_prefetch(&s->flow_sets, ms->flow.set);
    } else if (sched_arm_kind(entry) == SCHED_WAKE_BVC) {
        const struct sched_bvc *bvc = sched_arm_owner(entry);
        if (bvc->holder)
            prefetch_ms((const char *)bvc->holder - offsetof(struct sched_ms, flow));
    }
}

static struct wheel_entry *due_of(struct sched *s, uint32_t i)
{
    return &s->due[i % SCHED_DUE];
}

/*
 * Takes due entries off the wheel, a part at a time, so that cache misses overlap and memory has the time of
 * a part: those two parts ahead, whose mobiles are prefetched, then those one part ahead, whose mobiles have
 * come: the data that they point to. A few are woken at once, as their lines are.
 */
static void look_ahead(struct sched *s, int64_t now)
{
    uint32_t most = s->due_at + SCHED_DUE, taken = 1;
    while (s->due_count != most && taken > 0) {
        uint32_t room = most - s->due_count, to_end = SCHED_DUE - s->due_count % SCHED_DUE;
        struct wheel_entry *out = due_of(s, s->due_count);
        taken = wheel_take_many(&s->wheel, out, room < to_end ? room : to_end, now);
        s->due_count += taken;
        for (uint32_t i = 0; i < taken; i++)
            prefetch_ms(out[i].who);
    }
    uint32_t left = s->due_count - s->due_at, near = left < 2 * SCHED_DUE_PART ? left : 2 * SCHED_DUE_PART;
    if (left >= SCHED_BUSY && left < SCHED_DUE)
        prefetch_next(s);
    for (uint32_t i = s->due_near - s->due_at; i < near && left > 1; i++)
        prefetch_behind(s, due_of(s, s->due_at + i));
    s->due_near = s->due_at + near;
}

static const struct wheel_entry *take_due(struct sched *s, int64_t now)
{
    if (s->due_at == s->due_count && wheel_next_ns(&s->wheel) > now)
        return NULL;
    if (s->due_at == s->due_count || s->due_at % SCHED_DUE_PART == 0)
        look_ahead(s, now);
    return s->due_at == s->due_count ? NULL : due_of(s, s->due_at++);
}

void sched_advance(struct sched *s, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now)))
        pick_wake(s, entry, now);
}

/* Wakes due entries until a mobile among them may send at once because no other waits for its turn. False:
 * none may. */
static bool sched_wake_due(struct sched *s, struct sched_grant *grant, int64_t now)
{
    const struct wheel_entry *entry;
    while ((entry = take_due(s, now))) {
        struct sched_ms *ms = sched_arm_owner(entry);
        if (!s->links && sched_arm_kind(entry) == SCHED_WAKE_MS && ms->wake_ns == entry->at_ns &&
            ms->flags & SCHED_MS_PARKED && sched_bypass_woken(s, ms, grant, now))
            return true;
        pick_wake(s, entry, now);
    }
    return false;
}

int64_t sched_next_ns(const struct sched *s)
{
    return s->links || s->due_at != s->due_count ? INT64_MIN : wheel_next_ns(&s->wheel);
}

/* A flow about to send, the flow whose turn it was, and the levels of buckets after its LLC-PDU. */
struct sender {
    struct sched_class *c;
    struct sched_bvc *bvc;
    struct sched_flow *turn, *flow;
    struct sched_ms *ms;
    bucket_nbit ms_after, bvc_after;
};

/* The flow of a class that keeps its turn while its cell is parked; NULL: none. */
static struct sched_flow *holder_of(const struct sched_bvc *bvc, const struct sched_class *c)
{
    struct sched_flow *holder = bvc->holder;
    return holder && holder->turn.qclass == c->qclass ? holder : NULL;
}

/* Whether a flow of a class has sent its mobile's quantum in a row, or its part of the cell's bucket by R, if
 * that is less: more of it in the BSS would be in the place of octets for slots that are other mobiles'. */
static bool has_had_quantum(const struct sched *s, const struct sched_class *c)
{
    const struct sched_ms *ms = sched_flow_ms(c->run);
    const struct bucket *cell = &ms->bvc->bucket;
    return c->run_octets >= s->params.ms_quantum_octets ||
           (bucket_nbit)c->run_octets * cell->rate_bps >=
               (bucket_nbit)(uint64_t)cell->max_octets * ms->bucket.rate_bps;
}

/* The flow whose turn it is, of a class with the first of its turns: the one that sent last, up to its
 * quantum. */
static struct sched_flow *pick_next_of(struct sched *s, struct sched_class *c, struct turn *first)
{
    struct sched_flow *flow = sched_class_flow(first);
    if (!c->run || c->run == flow || has_had_quantum(s, c) || c->run->queue.pkts == 0 ||
        flow->queue.pkts == 0)
        return flow;
    bool goes_between = sched_flow_next(s, sched_flow_ms(flow), flow).llc_octets <= FLOW_TAGS_SPARSE_OCTETS;
    return goes_between ? flow : c->run;
}

/* The sender at its turn in a class; flows before it with closed buckets are parked. */
static bool find_sender(struct sched *s, struct sender *out, struct llc_next *next, int64_t now)
{
    struct turn *turn;
    while ((turn = turns_head(&out->c->turns))) {
        out->turn = holder_of(out->bvc, out->c);
        if (!out->turn)
            out->turn =
                s->params.ms_quantum_octets > 0 ? pick_next_of(s, out->c, turn) : sched_class_flow(turn);
        out->ms = sched_flow_ms(out->turn);
        out->flow = sched_flow_choose(s, out->turn, now);
        if (!out->flow)
            continue;
        if (__builtin_expect(out->ms->flags & SCHED_MS_CLOSED, false) &&
            flow_queue_head(&out->flow->queue)->is_acknowledged) {
            sched_flow_hold(s, out->ms, out->flow);
            continue;
        }
        *next = sched_flow_next(s, out->ms, out->flow);
        if (bucket_try(&out->ms->bucket, next->llc_octets, now, &out->ms_after))
            return true;
        sched_ms_park(s, out->ms, bucket_later_ns(&out->ms->bucket, next->llc_octets, now, out->ms_after));
    }
    return false;
}

static void sort_again(struct sched *s, struct sched_flow *flow)
{
    if (sched_order_has(s, flow->turn.qclass) && flow->turn.place != TURNS_OUT && flow->queue.pkts > 0)
        sched_order_sort(s, sched_flow_ms(flow)->bvc, flow);
}

/* Advances the turn; takes an empty flow, and a mobile with a closed bucket, out of turns. */
static void pick_settle(struct sched *s, const struct sender *by, uint32_t octets, int64_t now)
{
    struct sched_ms *ms = by->ms;
    if (!sched_order_has(s, by->c->qclass))
        turns_charge(&by->c->turns, &by->turn->turn, octets);
    else if (!sched_order_fifo_has(s, by->c->qclass))
        sched_order_sfq_charge(s, by->c, by->turn, octets);
    if (by->flow->turn.flags & SCHED_FLOW_UNORDERED && !by->flow->queue.is_begun)
        sched_age_watch(s, ms, by->flow, now);
    bool is_empty = by->flow->queue.pkts == 0;
    if (is_empty && by->flow->turn.place != TURNS_OUT)
        sched_class_leave(s, ms->bvc, by->flow);
    sort_again(s, by->flow);
    if (by->turn != by->flow)
        sort_again(s, by->turn);
    if (is_empty) {
        if (ms->flow.more == SCHED_NO_EXTRA || sched_ms_backlog(s, ms).pkts == 0)
            ms->flags &= (uint8_t)~SCHED_MS_LIMITED;
        sched_wait_look(s, ms);
    } else if (ms->flow.more == SCHED_NO_EXTRA) {
        int64_t open_ns = bucket_reopen_ns(&ms->bucket, sched_flow_next(s, ms, by->flow).llc_octets, now);
        if (open_ns > now)
            sched_ms_park(s, ms, open_ns);
    }
}

/* Whether a limited cell that has just sent may be parked for its next LLC-PDU at once. */
static inline bool can_park(const struct sched *s, const struct sched_bvc *bvc)
{
    return s->sorted_classes == 0 && bvc->link->bucket.rate_bps == 0 && !bvc->holder;
}

/* Parks a limited cell that has just sent for its next LLC-PDU, which mostly waits for the cell's bucket: a
 * turn that only parks it is saved. False: it takes its turn again, also where the choice needs one: in
 * sorted classes an N-PDU that comes in the same instant may be before others, and at a link with a rate
 * the turns decide which cells have the link's share. Requires can_park(). */
static inline bool pick_park(struct sched *s, struct sched_bvc *bvc, int64_t now)
{
    while (bvc->active) {
        struct sched_flow *flow = sched_class_flow(turns_head(&sched_link_choose_next(s, bvc)->turns));
        struct sched_ms *ms = SCHED_OWNER(flow, struct sched_ms, flow);
        if (flow->turn.flags & SCHED_FLOW_EXTRA || flow->more != SCHED_NO_EXTRA ||
            ms->flags & SCHED_MS_CLOSED)
            return false;
        uint32_t octets = sched_flow_next(s, ms, flow).llc_octets;
        uint64_t after;
        int64_t open_ns;
        if (!bucket_try_busy(&ms->bucket, octets, now, &after) &&
            (open_ns = bucket_open_ns(&ms->bucket, octets, now)) > now) {
            sched_ms_park(s, ms, open_ns);
            continue;
        }
        open_ns = bucket_again_ns(&bvc->bucket, octets, now);
        if (open_ns <= now)
            return false;
        bvc->holder = flow;
        sched_bvc_park(s, bvc, open_ns);
        sched_wait_park(s, &bvc->parked_for, ms);
        return true;
    }
    return false;
}

static void pick_send(struct sched *s, struct sched_link *link, const struct sender *by,
                      struct sched_grant *grant, int64_t now)
{
    struct sched_ms *ms = by->ms;
    struct sched_bvc *bvc = by->bvc;
    const struct n_pdu *head = flow_queue_head(&by->flow->queue);
    uint32_t octets = grant->next.llc_octets, link_octets = sched_link_octets(link, octets + ms->link_octets);

    grant->ms = ms;
    grant->offset = head->sent_octets;
    grant->segment = head->segment;
    sched_flow_charge(s, by->flow, octets, now);
    if (ms->flags & SCHED_MS_LIMITED && ms->flow.more != SCHED_NO_EXTRA)
        sched_ms_judge(ms, octets, now);
    bucket_put(&ms->bucket, by->ms_after, now);
    bucket_put(&bvc->bucket, by->bvc_after, now);
    bvc->sent_octets += octets;
    link->sent_octets += link_octets;
    if (link->bucket.rate_bps > 0)
        bucket_take(&link->bucket, link_octets, now);
    grant->n_pdu = sched_queue_take(s, by->flow, &grant->next);
    sched_flow_count_out(s, by->flow, grant->next.payload_octets, grant->next.last);
    bool shares_link = bvc->mode == SCHED_MODE_LINK;
    if (bvc->holder == by->turn)
        bvc->holder = NULL;
    pick_settle(s, by, octets, now);
    if (shares_link)
        sched_link_sent(s, link, by->c, link_octets);
    else if (sched_bvc_sent(s, by->c, octets, now) && !(can_park(s, bvc) && pick_park(s, bvc, now)))
        sched_bvc_ready(s, bvc);
}

/*
 * The turn of most LLC-PDUs in overload: of a cell that was parked for one, with one class, one queue and two
 * buckets to look at. An LLC-PDU leaves as by pick_of(). False: nothing was changed, pick_of() takes the
 * turn.
 */
static bool pick_held(struct sched *s, struct sched_link *link, struct sched_grant *grant, int64_t now)
{
    struct sched_bvc *bvc = link->ready;
    struct sched_flow *flow = bvc->holder;
    if (!flow || bvc->active & SCHED_SHARE_STRICT || s->sorted_classes > 0 || s->aqm || s->shorten ||
        link->bucket.rate_bps > 0)
        return false;
    sched_queue_fetch(s, bvc);
    struct sched_ms *ms = SCHED_OWNER(flow, struct sched_ms, flow);
    if (flow->turn.flags & (SCHED_FLOW_EXTRA | SCHED_FLOW_UNORDERED) || flow->more != SCHED_NO_EXTRA ||
        flow->set != FLOW_SETS_NONE || ms->flags & SCHED_MS_CLOSED)
        return false;
    struct llc_next next = sched_flow_next(s, ms, flow);
    uint32_t octets = next.llc_octets;
    uint64_t ms_after, bvc_after;
    if (!bucket_try_busy(&ms->bucket, octets, now, &ms_after) ||
        !bucket_try_busy(&bvc->bucket, octets, now, &bvc_after))
        return false;

    unsigned k = flow->turn.qclass;
    struct sched_class *c = &bvc->classes[k];
    struct n_pdu *head = flow_queue_head(&flow->queue);
    grant->ms = ms;
    grant->offset = head->sent_octets;
    grant->segment = head->segment;
    grant->next = next;
    bucket_put_word(&ms->bucket, ms_after, now);
    bucket_put_word(&bvc->bucket, bvc_after, now);
    bvc->sent_octets += octets;
    flow->tag += (uint32_t)(sched_share_cost(s, k, octets) >> 8);
    link->sent_octets += sched_link_octets(link, octets + ms->link_octets);
    grant->n_pdu = flow_queue_take(&flow->queue, &next);
    sched_class_count_out(s, bvc, flow, next.payload_octets, next.last);
    bvc->holder = NULL;
    turns_charge(&c->turns, &flow->turn, octets);
    if (flow->queue.pkts == 0) {
        sched_class_leave(s, bvc, flow);
        ms->flags &= (uint8_t)~SCHED_MS_LIMITED;
        sched_wait_look(s, ms);
    } else {
        int64_t open_ns = bucket_again_ns(&ms->bucket, sched_flow_next(s, ms, flow).llc_octets, now);
        if (open_ns > now)
            sched_ms_park(s, ms, open_ns);
    }
    if (sched_bvc_sent(s, c, octets, now) && !pick_park(s, bvc, now))
        sched_bvc_ready(s, bvc);
    return true;
}

/* Lets the owner shorten an N-PDU that begins to leave, and takes the octets from all counts. */
static __attribute__((noinline)) void shorten(struct sched *s, struct sender *by, struct llc_next *next,
                                              int64_t now)
{
    struct n_pdu *head = flow_queue_head(&by->flow->queue);
    uint32_t before = head->octets;
    if (by->flow->queue.is_begun)
        return;
    s->shorten(s->shorten_arg, by->ms, head);
    uint32_t saved = before - head->octets;
    if (saved == 0)
        return;
    sched_queue_shorten(s, by->flow, saved);
    sched_flow_count_out(s, by->flow, saved, false);
    *next = sched_flow_next(s, by->ms, by->flow);
    bool conforms = bucket_try(&by->ms->bucket, next->llc_octets, now, &by->ms_after) &&
                    bucket_try(&by->bvc->bucket, next->llc_octets, now, &by->bvc_after);
    assert(conforms); /* as it did with more octets */
    (void)conforms;
}

/* One LLC-PDU of a link. False: no LLC-PDU of it conforms now. */
static __attribute__((noinline)) bool pick_of(struct sched *s, struct sched_link *link,
                                              struct sched_grant *grant, int64_t now)
{
    struct sender by;
    while ((by.c = sched_link_choose(s, link))) {
        struct sched_bvc *bvc = by.bvc = sched_class_bvc(by.c);
        if (bvc->holder)
            sched_queue_fetch(s, bvc);
        if (!find_sender(s, &by, &grant->next, now))
            continue;
        uint32_t octets = grant->next.llc_octets,
                 link_octets = sched_link_octets(link, octets + by.ms->link_octets);
        if (!bucket_try(&bvc->bucket, octets, now, &by.bvc_after)) {
            sched_bvc_close(s, bvc, by.turn, bucket_later_ns(&bvc->bucket, octets, now, by.bvc_after), now);
            sched_wait_park(s, &bvc->parked_for, by.ms);
        } else if (!sched_link_can_take(link, link_octets, now)) {
            sched_link_park(s, link, link_octets);
            sched_wait_park(s, &link->parked_for, by.ms);
            return false;
        } else if (!s->aqm || sched_aqm_on_dequeue(s, by.ms, by.flow, now)) {
            if (__builtin_expect(s->shorten != NULL, false))
                shorten(s, &by, &grant->next, now);
            pick_send(s, link, &by, grant, now);
            return true;
        }
    }
    return false;
}

/* Links take turns. */
bool sched_pick(struct sched *s, struct sched_grant *grant, int64_t now)
{
    struct sched_link *link;
    if (sched_wake_is_due(s, now) && sched_wake_due(s, grant, now))
        return true;
    while ((link = s->links)) {
        bool sent = (link->ready && pick_held(s, link, grant, now)) || pick_of(s, link, grant, now);
        if (sent && !link->next) /* alone: its turn is the next one, too */
            return true;
        s->links = link->next;
        link->is_ready = false;
        if (sent) {
            sched_link_ready(s, link);
            return true;
        }
    }
    return false;
}
