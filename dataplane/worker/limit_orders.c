/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about how much may wait, for how long, and who goes first. -1: beyond what there is memory for, or a
 * value that has no meaning. */
#include "dataplane/worker/worker.h"

int limit_orders_queue_class(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_queue_class *c = &msg->queue_class;
    return sched_set_class(&w->context.sched, c->qclass, c->weight, &c->limit);
}

int limit_orders_queue_bounds(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return sched_set_bounds(&w->context.sched, &msg->bounds);
}

int limit_orders_lifetime(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    context_lifetime(&w->context, &msg->lifetime);
    return 0;
}

int limit_orders_ready(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ready(&w->context, msg->ready_ns);
}

/* Mobiles that another worker serves have their limit from that one. */
int limit_orders_ms(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_ms_limit *l = &msg->ms_limit;
    if (l->count > MSG_MS_LIMITS || l->octets > UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < l->count && l->first + i < w->context.limits.mobiles; i++)
        context_ms_limit(&w->context, l->first + i, (uint32_t)l->octets, now);
    return 0;
}

int limit_orders_reassemblies(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (msg->reassemblies > w->reassembly.count)
        return -1;
    w->reassembly.most = msg->reassemblies;
    return 0;
}
