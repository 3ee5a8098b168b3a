/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/link.h"

#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/wait.h"

#include <assert.h>

#define BURST_OCTETS (8 * SCHED_LARGEST_PDU)

static uint64_t *tag_at(uint64_t *tags, size_t stride, unsigned qclass)
{
    return (uint64_t *)(void *)((char *)tags + qclass * stride);
}

static void rebase(uint64_t *tags, size_t stride, uint64_t *now_tag)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        uint64_t *tag = tag_at(tags, stride, k);
        *tag = *tag > *now_tag ? *tag - *now_tag : 0;
    }
    *now_tag = 0;
}

/* The class to serve among those active; tags are `stride` octets apart. Advances the virtual time. */
static unsigned sched_share_choose(const struct sched *s, unsigned active, uint64_t *tags, size_t stride,
                                   uint64_t *now_tag)
{
    unsigned best = (unsigned)__builtin_ctz(active);
    uint64_t best_tag = *tag_at(tags, stride, best);
    if ((active & (active - 1)) == 0 && best_tag < SCHED_REBASE_TAG) {
        *now_tag =
            best_tag > *now_tag ? best_tag : *now_tag; /* below SCHED_REBASE_TAG, as it always is here */
        return best;
    }
    for (unsigned left = active & (active - 1); left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        uint64_t tag = *tag_at(tags, stride, k);
        if (tag < best_tag) {
            best = k;
            best_tag = tag;
        }
    }
    if (best_tag > *now_tag)
        *now_tag = best_tag;
    if (*now_tag >= SCHED_REBASE_TAG)
        rebase(tags, stride, now_tag);
    for (unsigned left = active & SCHED_SHARE_STRICT; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        if (*tag_at(tags, stride, k) <= *now_tag + sched_share_cost(s, k, BURST_OCTETS))
            return k;
    }
    return best;
}

void sched_link_init(struct sched_link *link, int64_t now)
{
    *link = (struct sched_link){.wake_ns = MOMENT_NEVER};
    bucket_init(&link->bucket, 0, 0, now);
    bucket_init(&link->signalling, 0, 0, now);
}

static void leave_list(struct sched *s, struct sched_link *link)
{
    struct sched_link *before = NULL;
    for (struct sched_link *other = s->links; other && other != link; other = other->next)
        before = other;
    if (before)
        before->next = link->next;
    else
        s->links = link->next;
    if (s->links_last == link)
        s->links_last = before;
    link->is_ready = false;
}

void sched_link_fini(struct sched *s, struct sched_link *link)
{
    assert(!link->ready && link->active == 0);
    if (link->is_ready)
        leave_list(s, link);
    link->is_parked = false;
    link->wake_ns = MOMENT_NEVER;
    if (s->aqm)
        sched_aqm_forget_link(s, link);
}

void sched_link_changed(struct sched *s, struct sched_link *link)
{
    if (!link->is_parked)
        return;
    link->is_parked = false;
    sched_wait_wake(s, &link->parked_for, SCHED_WAIT_LINK);
    if (link->ready || link->active)
        sched_link_ready(s, link);
}

void sched_link_woken(struct sched *s, struct sched_link *link, int64_t at_ns)
{
    if (link->wake_ns != at_ns)
        return;
    link->wake_ns = MOMENT_NEVER;
    sched_link_changed(s, link);
}

void sched_link_set(struct sched *s, struct sched_link *link, const struct sched_link_rate *rate, int64_t now)
{
    uint64_t share_octets = rate->max_octets * rate->signalling_percent / 100;
    bucket_set(&link->bucket, rate->max_octets, rate->rate_bps, now);
    if (share_octets < SCHED_LARGEST_PDU)
        share_octets = SCHED_LARGEST_PDU;
    bucket_set(&link->signalling, share_octets, rate->rate_bps * rate->signalling_percent / 100, now);
    sched_link_changed(s, link);
}

void sched_link_set_frame(struct sched *s, struct sched_link *link, struct sched_link_frame frame)
{
    link->frame = frame;
    link->is_framed = frame.pad_octets || frame.before_octets || frame.behind_octets;
    sched_link_changed(s, link);
}

bool sched_link_can_signal(const struct sched_link *link, uint32_t octets, int64_t now)
{
    return link->bucket.rate_bps == 0 || bucket_can_take(&link->signalling, octets, now);
}

void sched_link_signal(struct sched_link *link, uint32_t octets, int64_t now)
{
    if (link->bucket.rate_bps == 0)
        return;
    bucket_take(&link->signalling, octets, now);
    bucket_take(&link->bucket, octets, now);
}

void sched_link_park(struct sched *s, struct sched_link *link, uint32_t octets)
{
    link->is_parked = true;
    sched_arm(s, &link->wake_ns, bucket_earliest_ns(&link->bucket, octets), link, SCHED_WAKE_LINK);
}

/* --- turns --- */

static void place_turn(struct turns *turns, struct turn *turn, bool wanted, unsigned place)
{
    if (wanted == (turn->place != TURNS_OUT))
        return;
    if (wanted)
        turns_put(turns, turn, place);
    else
        turns_leave(turns, turn);
}

/* A class whose mobiles are sorted: its oldest head or its tag may be another. */
static void place_sorted(const struct sched *s, struct sched_link_class *lc, struct sched_class *c,
                         bool wanted)
{
    bool was_out = c->fresh.place == TURNS_OUT;
    if (!was_out)
        turns_leave(&lc->turns, &c->fresh);
    if (wanted)
        sched_order_enter_link(s, lc, c, was_out);
}

static void link_activate(struct sched *s, struct sched_link *link, unsigned qclass)
{
    struct sched_link_class *lc = &link->classes[qclass];
    if (lc->tag < link->now_tag)
        lc->tag = link->now_tag;
    link->active |= (uint8_t)(1U << qclass);
    sched_link_ready(s, link);
}

/* The class has no flows left: its next flow begins a new round with nothing used. */
static void link_deactivate(struct sched_link *link, unsigned qclass)
{
    link->classes[qclass].turns.round++;
    link->active &= (uint8_t) ~(1U << qclass);
}

void sched_link_sync(struct sched *s, struct sched_link *link, struct sched_class *c)
{
    struct sched_link_class *lc = &link->classes[c->qclass];
    bool in_link = sched_class_bvc(c)->mode == SCHED_MODE_LINK;
    bool had_work = lc->turns.count > 0;
    bool rest = turns_has(&c->turns, TURNS_EVEN) || turns_has(&c->turns, TURNS_ODD);
    bool fresh = turns_has(&c->turns, TURNS_FRESH);

    if (sched_order_has(s, c->qclass))
        place_sorted(s, lc, c, in_link && fresh);
    else
        place_turn(&lc->turns, &c->fresh, in_link && fresh, TURNS_FRESH);
    place_turn(&lc->turns, &c->rest, in_link && rest, turns_next(&lc->turns));
    bool has_work_now = lc->turns.count > 0;
    if (has_work_now && !had_work)
        link_activate(s, link, c->qclass);
    else if (had_work && !has_work_now)
        link_deactivate(link, c->qclass);
}

static struct sched_class *choose_shared(struct sched *s, struct sched_link *link)
{
    unsigned k =
        sched_share_choose(s, link->active, &link->classes[0].tag, sizeof(link->classes[0]), &link->now_tag);
    struct turn *turn = turns_head(&link->classes[k].turns);
    bool fresh = turn->place == TURNS_FRESH;
    struct sched_class *c =
        fresh ? SCHED_OWNER(turn, struct sched_class, fresh) : SCHED_OWNER(turn, struct sched_class, rest);
    c->is_visited = !fresh;
    return c;
}

/* An LLC-PDU delayed by the cell's bucket is next: none overtakes it (TS 48.018 clause 8.2.3.2), as short
 * ones would starve long ones. Signalling and short messages may. */
struct sched_class *sched_link_choose_limited(struct sched *s, struct sched_bvc *bvc)
{
    if (bvc->holder && !(bvc->active & SCHED_SHARE_STRICT))
        return &bvc->classes[bvc->holder->turn.qclass];
    return &bvc->classes[sched_share_choose(s, bvc->active, &bvc->classes[0].tag, sizeof(bvc->classes[0]),
                                            &bvc->now_tag)];
}

struct sched_class *sched_link_choose(struct sched *s, struct sched_link *link)
{
    if (link->ready)
        return sched_link_choose_limited(s, link->ready);
    if (link->active)
        return choose_shared(s, link);
    link->idle++;
    return NULL;
}

/* Fresh flows of several cells alternate; a visit ends when all flows of the cell have had their turn. */
static void end_visit(struct sched_link *link, struct sched_class *c)
{
    struct turns *turns = &link->classes[c->qclass].turns;
    if (!c->is_visited) {
        if (c->fresh.place == TURNS_OUT)
            return;
        turns_leave(turns, &c->fresh);
        turns_put(turns, &c->fresh, TURNS_FRESH);
    } else if (c->rest.place != TURNS_OUT && !turns_has(&c->turns, turns_current(&c->turns))) {
        turns_leave(turns, &c->rest);
        turns_put(turns, &c->rest, turns_next(turns));
    }
}

void sched_link_sent(struct sched *s, struct sched_link *link, struct sched_class *c, uint32_t octets)
{
    link->classes[c->qclass].tag += sched_share_cost(s, c->qclass, octets);
    link->shared_octets += octets;
    if (sched_order_has(s, c->qclass) && !sched_order_fifo_has(s, c->qclass))
        sched_order_sfq_charge_link(&link->classes[c->qclass], c, octets);
    sched_link_sync(s, link, c);
    if (!sched_order_has(s, c->qclass))
        end_visit(link, c);
}
