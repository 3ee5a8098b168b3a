/* SPDX-License-Identifier: BSD-3-Clause */
/* The next LLC-PDU: turns of links, then classes, cells and flows; all buckets are tested, then charged. */
#include "dataplane/sched/sched.h"
#include "dataplane/sched/sched_age.h"
#include "dataplane/sched/sched_order.h"
#include "dataplane/sched/sched_parts.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_room.h"

/* A flow about to send, and the flow whose turn it was. */
struct sender {
    struct sched_class *c;
    struct sched_flow *turn, *flow;
    struct sched_ms *ms;
};

/* The flow of a class that keeps its turn while its cell is parked; NULL: none. */
static struct sched_flow *holder_of(struct sched_class *c)
{
    struct sched_flow *holder = sched_class_bvc(c)->holder;
    return holder && holder->turn.qclass == c->qclass ? holder : NULL;
}

/* The sender at its turn in a class; flows before it with closed buckets are parked. */
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

static void sort_again(struct sched *s, struct sched_flow *flow)
{
    if (sched_order_has(s, flow->turn.qclass) && flow->turn.place != TURNS_OUT && flow->queue.pkts > 0)
        sched_order_sort(s, sched_flow_ms(flow)->bvc, flow);
}

/* Advances the turn; takes an empty flow, and a mobile with a closed bucket, out of turns. */
static void settle(struct sched *s, const struct sender *by, uint32_t octets, int64_t now)
{
    struct sched_ms *ms = by->ms;
    if (!sched_order_has(s, by->c->qclass))
        turns_charge(&by->c->turns, &by->turn->turn, octets);
    else if (!sched_fifo_has(s, by->c->qclass))
        sched_sfq_charge(by->c, by->turn, octets);
    if (by->flow->turn.flags & SCHED_FLOW_UNORDERED && !by->flow->queue.is_begun)
        sched_age_watch(s, ms, by->flow, now);
    if (sched_room_has(s))
        sched_room_sent(s, ms, by->flow, octets, now);
    sort_again(s, by->flow);
    if (by->turn != by->flow)
        sort_again(s, by->turn);
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

/* One LLC-PDU of a link. False: no LLC-PDU of it conforms now. */
static bool pick_of(struct sched *s, struct sched_link *link, struct sched_grant *grant, int64_t now)
{
    struct sender by;
    while ((by.c = sched_link_choose(s, link))) {
        struct sched_bvc *bvc = sched_class_bvc(by.c);
        if (bvc->holder)
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
    if (sched_wake_is_due(s, now) && sched_wake_due(s, grant, now))
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
