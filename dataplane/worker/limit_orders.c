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
    if (msg->id > MSG_MS_LIMITS || msg->limit.octets > UINT32_MAX)
        return -1;
    for (uint32_t i = 0; i < msg->id && msg->index + i < w->context.limits.mobiles; i++)
        context_ms_limit(&w->context, msg->index + i, (uint32_t)msg->limit.octets, now);
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
        return sched_set_class(&c->sched, msg->index, msg->id, &msg->limit);
    case MSG_QUEUE_BOUNDS:
        return sched_set_bounds(&c->sched, &msg->bounds);
    case MSG_LIFETIME:
        context_lifetime(c, &msg->lifetime);
        return 0;
    case MSG_READY:
        return context_ready(c, msg->ns);
    case MSG_MS_LIMIT:
        return limit_mobiles(w, msg, now);
    case MSG_REASSEMBLIES:
        return limit_reassemblies(&w->reassembly, msg->id);
    default:
        return -1;
    }
}
