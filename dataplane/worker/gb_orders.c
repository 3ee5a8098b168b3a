/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about NSEs, NS-VCs and cells. */
#include "dataplane/worker/gb_transport.h"
#include "dataplane/worker/worker.h"

#include <string.h>

/* --- NSEs --- */

int gb_orders_nse_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_nse_add(&w->context, (uint16_t)index, msg->nsei, now);
}

/* The last of its signalling has no link to wait for any more. */
int gb_orders_nse_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_nse_del(&w->context, (uint16_t)index) < 0)
        return -1;
    signalling_end(w, &w->context.nses[index], now);
    return 0;
}

int gb_orders_nse_rate(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_nse_rate(&w->context, (uint16_t)index, &msg->link, now);
}

/* --- NS-VCs --- */

static struct table_key key_of(const struct gb_nsvc_params *p)
{
    return lookup_endpoint_key(p->local_ip, p->local_port, p->remote_ip, p->remote_port);
}

int gb_orders_nsvc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_nsvc nsvc = {.params = msg->nsvc};
    const struct gb_nsvc_params *p = &nsvc.params;
    struct table_key key = key_of(p);

    if (gb_transport_template(w, &nsvc) < 0 || lookup_address_add(&w->lookup.gb, p->local_ip) < 0)
        return -1;
    if (table_add(w->lookup.endpoints, &key, index) == 0) {
        if (context_nsvc_add(&w->context, (uint16_t)index, &nsvc) == 0) {
            lookup_bss_add(&w->lookup, p->remote_ip);
            return 0;
        }
        table_del(w->lookup.endpoints, &key);
    }
    lookup_address_del(&w->lookup.gb, p->local_ip);
    return -1;
}

int gb_orders_nsvc_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (index >= w->context.limits.nsvcs)
        return -1;
    const struct gb_nsvc_params p = w->context.nsvcs[index].params;
    struct table_key key = key_of(&p);
    if (context_nsvc_del(&w->context, (uint16_t)index) < 0)
        return -1;
    table_del(w->lookup.endpoints, &key);
    lookup_address_del(&w->lookup.gb, p.local_ip);
    lookup_bss_del(&w->lookup, p.remote_ip);
    return 0;
}

int gb_orders_nsvc_state(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_nsvc_use(&w->context, (uint16_t)index, msg->is_usable);
}

int gb_orders_nsvc_weight(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_nsvc_weight(&w->context, (uint16_t)index, msg->data_weight);
}

int gb_orders_nsvc_mac(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_nsvc *nsvc = index < w->context.limits.nsvcs ? &w->context.nsvcs[index] : NULL;
    if (!nsvc || !nsvc->in_use)
        return -1;
    memcpy(nsvc->params.remote_mac, msg->mac, sizeof(nsvc->params.remote_mac));
    memcpy(nsvc->header, msg->mac, sizeof(msg->mac)); /* the template begins with it */
    nsvc->params.needs_mac = false;
    return 0;
}

int gb_orders_nsvc_at(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct table_key key = key_of(&msg->nsvc_at.params);
    unsigned at = msg->nsvc_at.worker, workers = w->xworker ? w->xworker->count : 1;
    if (at >= workers || at == w->number)
        return -1;
    if (!msg->nsvc_at.is_gone) {
        int rc = table_add(w->lookup.endpoints, &key, LOOKUP_AT + at);
        if (rc == 0)
            lookup_bss_add(&w->lookup, key.c);
        return rc;
    }
    if (table_get(w->lookup.endpoints, &key) != LOOKUP_AT + at)
        return -1;
    table_del(w->lookup.endpoints, &key);
    lookup_bss_del(&w->lookup, key.c);
    return 0;
}

/* --- cells --- */

int gb_orders_bvc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_bvc_add(&w->context, (uint16_t)index, msg->bvc.bvci, msg->bvc.nse, now);
}

int gb_orders_bvc_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_bvc_del(&w->context, (uint16_t)index);
}

int gb_orders_bvc_reset(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_bvc_reset(&w->context, (uint16_t)index, now);
}

int gb_orders_bvc_state(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    if (context_bvc_unblock(&w->context, (uint16_t)index, msg->is_unblocked) < 0)
        return -1;
    if (msg->is_unblocked)
        w->context.bvcs[index].up_ticks = ms_ticks(now);
    return 0;
}

int gb_orders_bvc_flow(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_bvc_flow(&w->context, (uint16_t)index, &msg->flow, now);
}

int gb_orders_bvc_policy(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_bvc_policy(&w->context, (uint16_t)index, &msg->policy, now);
}
