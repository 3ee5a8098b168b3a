/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/guards.h"

#include "dataplane/context/context.h"
#include "dataplane/context/gb.h"
#include "dataplane/sched/link.h"
#include "dataplane/worker/orders.h"
#include "dataplane/worker/worker.h"

static int most_of(struct sched_link_frame frame)
{
    return frame.before_octets + frame.behind_octets + frame.pad_octets;
}

void guards_measure(struct worker *w, uint16_t index)
{
    const struct gb_nse *nse = &w->context.nses[index];
    struct sched_link_frame most = {0};
    if (!w->gb.guard)
        return;
    for (unsigned i = 0; i < nse->nsvc_count; i++) {
        struct sched_link_frame frame = w->guards.ops->frame(w->guards.arg, &w->context.nsvcs[nse->nsvc[i]]);
        if (most_of(frame) > most_of(most))
            most = frame;
    }
    context_nse_frame(&w->context, index, most);
}

/* NS signalling counts without gb.overhead_octets. */
uint32_t guards_signalling_octets(const struct worker *w, const struct gb_nse *nse, uint32_t ns_octets)
{
    uint32_t overhead = (uint32_t)w->gb_overhead_octets;
    return sched_link_octets(&nse->sched, ns_octets + overhead) - overhead;
}

int guards_order(struct worker *w, uint32_t unused_index, const struct msg *msg, int64_t unused_now)
{
    int status = w->guards.ops ? w->guards.ops->order(w->guards.arg, msg) : -1;
    for (uint16_t i = 0; status > 0 && i < w->context.limits.nses; i++)
        guards_measure(w, i);
    return status < 0 ? -1 : 0;
}

void guards_put(struct worker *w, const struct worker_config *config)
{
    w->guards = config->guards;
    if (w->guards.ops)
        w->guards.ops->put(w->guards.arg, w, config);
}
