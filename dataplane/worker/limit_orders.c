/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/limit_orders.h"

#include "dataplane/worker/worker.h"

bool limit_orders_is_one(uint16_t type)
{
    return type >= MSG_QUEUE_CLASS && type <= MSG_REASSEMBLIES;
}

/* Whom another worker serves that one tells. */
static int limit_mobiles(struct worker *w, const struct msg *msg, int64_t now)
{
    const struct msg_ms_limit *l = &msg->ms_limit;
    if (l->count > MSG_MS_LIMITS || l->octets > UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < l->count && l->first + i < w->context.limits.mobiles; i++)
        context_ms_limit(&w->context, l->first + i, (uint32_t)l->octets, now);
    return 0;
}

static int limit_reassemblies(struct reassembly *r, uint32_t most)
{
    if (most > r->count)
        return -1;
    r->most = most;
    return 0;
}

int limit_orders_apply(struct worker *w, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    switch (msg->type) {
    case MSG_QUEUE_CLASS:
        return sched_set_class(&c->sched, msg->queue_class.qclass, msg->queue_class.weight,
                               &msg->queue_class.limit);
    case MSG_QUEUE_BOUNDS:
        return sched_set_bounds(&c->sched, &msg->bounds);
    case MSG_LIFETIME:
        context_lifetime(c, &msg->lifetime);
        return 0;
    case MSG_READY:
        return context_ready(c, msg->ready_ns);
    case MSG_MS_LIMIT:
        return limit_mobiles(w, msg, now);
    case MSG_REASSEMBLIES:
        return limit_reassemblies(&w->reassembly, msg->reassemblies);
    default:
        return -1;
    }
}
