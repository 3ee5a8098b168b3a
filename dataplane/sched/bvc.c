/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/bvc.h"

#include "dataplane/base/moment.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/arm.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/order.h"
#include "dataplane/sched/wait.h"

#include <assert.h>

static bool takes_part(const struct sched_bvc *bvc)
{
    return bvc->mode == SCHED_MODE_LINK;
}

/* The first flow of a class. At the link a new round begins unless the link is still in the one in which the
 * class left; a class of a limited cell always begins a new round. */
static void activate(struct sched_bvc *bvc, struct sched_class *c)
{
    uint16_t link_round = bvc->link->classes[c->qclass].turns.round;
    if (!takes_part(bvc) || c->link_round != link_round)
        c->turns.round++;
    if (c->tag < bvc->now_tag)
        c->tag = bvc->now_tag;
    bvc->active |= (uint8_t)(1U << c->qclass);
}

static void deactivate(struct sched_bvc *bvc, struct sched_class *c)
{
    c->link_round = bvc->link->classes[c->qclass].turns.round;
    bvc->active &= (uint8_t) ~(1U << c->qclass);
}

void sched_class_enter(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    if (c->turns.count == 0)
        activate(bvc, c);
    if (sched_order_has(s, c->qclass))
        sched_order_enter(s, c, flow);
    else
        turns_enter(&c->turns, &flow->turn);
    if (takes_part(bvc)) {
        bvc->link->classes[c->qclass].flows++;
        sched_link_sync(s, bvc->link, c);
    } else if (SCHED_SHARE_STRICT >> c->qclass & 1) {
        sched_bvc_changed(s, bvc);
    }
}

static void sched_bvc_join(struct sched *s, struct sched_bvc *bvc);

void sched_class_leave(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    if (bvc->holder == flow)
        bvc->holder = NULL;
    if (c->run == flow)
        c->run = NULL;
    if (c->turns.count == 0)
        deactivate(bvc, c);
    if (takes_part(bvc)) {
        bvc->link->classes[c->qclass].flows--;
        sched_link_sync(s, bvc->link, c);
    } else if (bvc->active == 0 && bvc->mode != SCHED_MODE_STOPPED) {
        sched_bvc_join(s, bvc);
    }
}

#define ENTITLED_OCTETS (INT64_C(16) * SCHED_LARGEST_PDU)
#define ONE             65536 /* of a part, 1.0 */

void sched_bvc_init(struct sched_bvc *bvc, struct sched_link *link, int64_t now)
{
    *bvc = (struct sched_bvc){.link = link, .wake_ns = MOMENT_NEVER, .mode = SCHED_MODE_STOPPED};
    bucket_init(&bvc->bucket, 0, 0, now);
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        bvc->classes[k].qclass = (uint8_t)k;
}

/* --- the link's list of limited cells with an open bucket --- */

static void put_ready(struct sched *s, struct sched_bvc *bvc)
{
    struct sched_link *link = bvc->link;
    sched_wait_wake(s, &bvc->parked_for, SCHED_WAIT_BVC);
    bvc->mode = SCHED_MODE_LIMITED;
    bvc->next = NULL;
    bvc->prev = link->ready_last;
    if (link->ready)
        link->ready_last->next = bvc;
    else
        link->ready = bvc;
    link->ready_last = bvc;
    sched_link_ready(s, link);
}

void sched_bvc_ready(struct sched *s, struct sched_bvc *bvc)
{
    if (bvc->mode == SCHED_MODE_PARKED)
        put_ready(s, bvc);
}

static void take_ready(struct sched_bvc *bvc)
{
    struct sched_link *link = bvc->link;
    if (bvc->prev)
        bvc->prev->next = bvc->next;
    else
        link->ready = bvc->next;
    if (bvc->next)
        bvc->next->prev = bvc->prev;
    else
        link->ready_last = bvc->prev;
}

/* --- modes --- */

static void quit_link(struct sched *s, struct sched_bvc *bvc, enum sched_mode mode)
{
    bvc->mode = (uint8_t)mode;
    for (unsigned left = bvc->active; left; left &= left - 1) {
        struct sched_class *c = &bvc->classes[__builtin_ctz(left)];
        bvc->link->classes[c->qclass].flows -= c->turns.count;
        sched_link_sync(s, bvc->link, c);
    }
}

/* The cell's classes begin or stop to share the link. */
static void sched_bvc_join(struct sched *s, struct sched_bvc *bvc)
{
    if (bvc->mode == SCHED_MODE_LIMITED)
        take_ready(bvc);
    sched_wait_wake(s, &bvc->parked_for, SCHED_WAIT_BVC);
    bvc->mode = SCHED_MODE_LINK;
    bvc->holder = NULL;
    for (unsigned left = bvc->active; left; left &= left - 1) {
        struct sched_class *c = &bvc->classes[__builtin_ctz(left)];
        bvc->link->classes[c->qclass].flows += c->turns.count;
        sched_link_sync(s, bvc->link, c);
    }
}

/* The cell's bucket limits it from now on. Tags restart at 0: service received from the link is no debt
 * here. */
static void bvc_limit(struct sched *s, struct sched_bvc *bvc, int64_t now)
{
    quit_link(s, bvc, SCHED_MODE_LIMITED);
    bvc->now_tag = 0;
    for (unsigned k = 0; k < QCLASS_COUNT; k++)
        bvc->classes[k].tag = 0;
    bvc->entitled_octets = (int32_t)ENTITLED_OCTETS;
    bvc->seen_idle = bvc->link->idle;
    bvc->seen_octets = bvc->link->shared_octets;
    bvc->open_ns = now;
    put_ready(s, bvc);
}

void sched_bvc_close(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow, int64_t open_ns,
                     int64_t now)
{
    if (!bvc->holder)
        bvc->holder = flow;
    if (bvc->mode == SCHED_MODE_LINK)
        bvc_limit(s, bvc, now);
    take_ready(bvc);
    sched_bvc_park(s, bvc, open_ns);
}

void sched_bvc_park(struct sched *s, struct sched_bvc *bvc, int64_t open_ns)
{
    bvc->mode = SCHED_MODE_PARKED;
    bvc->open_ns = open_ns;
    sched_arm(s, &bvc->wake_ns, open_ns, bvc, SCHED_WAKE_BVC);
}

void sched_bvc_changed(struct sched *s, struct sched_bvc *bvc)
{
    if (s->aqm)
        sched_aqm_bvc_changed(s, bvc);
    sched_bvc_ready(s, bvc);
    sched_link_changed(s, bvc->link);
}

void sched_bvc_woken(struct sched *s, struct sched_bvc *bvc, int64_t at_ns)
{
    if (bvc->wake_ns != at_ns)
        return;
    bvc->wake_ns = MOMENT_NEVER;
    sched_bvc_ready(s, bvc);
}

void sched_bvc_use(struct sched *s, struct sched_bvc *bvc, bool usable)
{
    if (usable == (bvc->mode != SCHED_MODE_STOPPED))
        return;
    sched_wait_wake(s, &bvc->parked_for, SCHED_WAIT_BVC);
    sched_wait_use(s, bvc, usable);
    if (usable) {
        sched_bvc_join(s, bvc);
        return;
    }
    if (bvc->mode == SCHED_MODE_LIMITED)
        take_ready(bvc);
    if (bvc->mode == SCHED_MODE_LINK)
        quit_link(s, bvc, SCHED_MODE_STOPPED);
    bvc->mode = SCHED_MODE_STOPPED;
    sched_link_changed(s, bvc->link);
}

void sched_bvc_fini(struct sched *s, struct sched_bvc *bvc)
{
    assert(bvc->mode == SCHED_MODE_STOPPED && bvc->active == 0);
    bvc->holder = NULL;
    bvc->wake_ns = MOMENT_NEVER;
    if (s->aqm)
        sched_aqm_forget_bvc(s, bvc);
}

/* --- end of a cell's limitation --- */

/* The part of the link that the cell's classes and flows would have, times ONE. */
static uint32_t part_of_link(const struct sched *s, const struct sched_bvc *bvc)
{
    uint64_t weights = 0, part = 0;
    for (unsigned left = bvc->active | bvc->link->active; left; left &= left - 1)
        weights += s->params.weights[__builtin_ctz(left)];
    for (unsigned left = bvc->active; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        uint64_t own = bvc->classes[k].turns.count;
        uint64_t all = own + bvc->link->classes[k].flows;
        part += s->params.weights[k] * own * ONE / all;
    }
    return weights > 0 ? (uint32_t)(part / weights) : ONE;
}

/* Whether the cell took at most the link's part. True if the link was idle since: then it gave all. */
static bool is_entitled(const struct sched *s, struct sched_bvc *bvc, uint32_t octets)
{
    struct sched_link *link = bvc->link;
    int64_t shared = (int64_t)(link->shared_octets - bvc->seen_octets);
    bvc->seen_octets = link->shared_octets;
    if (bvc->seen_idle != link->idle) {
        bvc->seen_idle = link->idle;
        bvc->entitled_octets = (int32_t)ENTITLED_OCTETS;
        return true;
    }
    int64_t part = part_of_link(s, bvc);
    int64_t entitled = bvc->entitled_octets + (shared * part - (int64_t)octets * (ONE - part)) / ONE;
    bvc->entitled_octets = (int32_t)moment_min(entitled, ENTITLED_OCTETS);
    return entitled >= 0;
}

static bool is_late(const struct sched_bvc *bvc, int64_t now)
{
    unsigned __int128 late_nbit = (unsigned __int128)bvc->bucket.rate_bps * (uint64_t)(now - bvc->open_ns);
    return now > bvc->open_ns && late_nbit >= (unsigned __int128)SCHED_LATE_OCTETS * 8 * MOMENT_SECOND;
}

bool sched_bvc_sent(struct sched *s, struct sched_class *c, uint32_t octets, int64_t now)
{
    struct sched_bvc *bvc = sched_class_bvc(c);
    c->tag += sched_share_cost(s, c->qclass, octets);
    if (bvc->mode != SCHED_MODE_LIMITED)
        return false;
    if (!is_entitled(s, bvc, octets) || is_late(bvc, now)) {
        sched_bvc_join(s, bvc);
        return false;
    }
    take_ready(bvc);
    bvc->mode = SCHED_MODE_PARKED;
    return true;
}
