/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/standby.h"

#include "dataplane/worker/worker.h"

static bool tell(struct worker *w, const struct ms *ms, uint16_t type)
{
    struct msg msg = {
        .type = type, .nse = w->context.bvcs[ms->bvc].nse, .slot = (uint32_t)(ms - w->context.mobiles)};
    return msg_put(w->rings.to_control, &msg);
}

void standby_ask(struct worker *w, struct ms *ms)
{
    bool is_wanted = (ms->sched.flags & SCHED_MS_FROZEN) == SCHED_MS_LOST;
    if (w->has_paging && is_wanted && !ms->is_paged)
        ms->is_paged = tell(w, ms, MSG_PAGE_WANTED);
}

void standby_look_back(struct worker *w, struct ms *ms)
{
    if (sched_ms_backlog(&w->context.sched, &ms->sched).pkts > 0)
        standby_ask(w, ms);
}

void standby_wait(struct worker *w, struct ms *ms, int64_t now)
{
    if (!(ms->sched.flags & SCHED_MS_LOST))
        context_ms_lost(&w->context, (uint32_t)(ms - w->context.mobiles), true, now);
    standby_ask(w, ms);
}

void standby_heard(struct worker *w, struct ms *ms)
{
    if (ms->is_paged)
        ms->is_paged = !tell(w, ms, MSG_MS_REACHED);
}
