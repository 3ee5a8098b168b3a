/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/sched_order.h"
#include "dataplane/sched/sched_parts.h"

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

void sched_class_leave(struct sched *s, struct sched_bvc *bvc, struct sched_flow *flow)
{
    struct sched_class *c = &bvc->classes[flow->turn.qclass];
    turns_leave(&c->turns, &flow->turn);
    if (bvc->holder == flow)
        bvc->holder = NULL;
    if (c->turns.count == 0)
        deactivate(bvc, c);
    if (takes_part(bvc)) {
        bvc->link->classes[c->qclass].flows--;
        sched_link_sync(s, bvc->link, c);
    } else if (bvc->active == 0) {
        sched_bvc_emptied(s, bvc);
    }
}
