/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/standby.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include "dataplane/context/context_ms.h"
#include "dataplane/context/ms.h"
#include "dataplane/sched/ms.h"

#include <stdbool.h>
#include <stdint.h>

static bool tell(struct worker *w, const struct ms *ms, uint16_t type, uint32_t share)
{
    struct msg msg = {
        .type = type, .nse = w->context.bvcs[ms->bvc].nse, .slot = (uint32_t)(ms - w->context.mobiles)};
    return share == SHARE_NONE ? msg_put(w->rings.to_control, &msg) : shares_put(&w->rings, &msg, share);
}

/* Tells control that N-PDUs are queued for a lost mobile, unless it knows, or the mobile is suspended. */
static void standby_ask(struct worker *w, struct ms *ms)
{
    bool is_wanted = (ms->sched.flags & SCHED_MS_FROZEN) == SCHED_MS_LOST;
    if (w->has_paging && is_wanted && !ms->is_paged)
        ms->is_paged = tell(w, ms, MSG_PAGE_WANTED, SHARE_PAGING);
}

void standby_look_back(struct worker *w, struct ms *ms)
{
    if (sched_ms_backlog(&w->context.sched, &ms->sched).pkts > 0)
        standby_ask(w, ms);
}

void standby_wait(struct worker *w, struct ms *ms, int64_t now)
{
    if (!(ms->sched.flags & SCHED_MS_LOST) && context_ms_is_silent(&w->context, ms, now))
        context_ms_lost(&w->context, (uint32_t)(ms - w->context.mobiles), true, now);
    standby_ask(w, ms);
}

bool standby_want(struct worker *w, struct ms *ms, int64_t now)
{
    standby_look(w, &w->context, ms, now);
    return (ms->sched.flags & SCHED_MS_FROZEN) != 0 || tell(w, ms, MSG_MS_REACHED, SHARE_NONE);
}

/* Tells control, if the mobile is being paged. */
static void end_page(struct worker *w, struct ms *ms)
{
    if (ms->is_paged)
        ms->is_paged = !tell(w, ms, MSG_MS_REACHED, SHARE_NONE);
}

/* Control may have refused to move the mobile when it was told before, so it is told again. */
static void tell_cell(struct worker *w, uint32_t index, struct msg_heard cell, bool is_again)
{
    struct ms *ms = &w->context.mobiles[index];
    uint16_t nse = context_ms_nse(&w->context, index);
    struct msg msg = {.type = MSG_MS_HEARD, .nse = nse, .slot = index, .heard = cell};
    if (cell.nse == nse && cell.bvci == ms->told_bvci && !is_again)
        return;
    if (shares_put(&w->rings, &msg, SHARE_NSES + cell.nse) && cell.nse == nse)
        ms->told_bvci = cell.bvci;
}

void standby_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    bool is_here = context_ms_is_in(&w->context, index, cell.nse, cell.bvci);
    bool is_later = ms->heard_ticks != ms_ticks(now);

    /* Elsewhere it is not to be reached in the cell that it has here, and may be so in none. */
    if (is_here)
        context_ms_heard(&w->context, ms, now);
    else
        ms->heard_ticks = ms_ticks(now);
    if (ms->tells_tlli_old && tlli == ms->tlli)
        context_ms_tlli_heard(ms);
    if (is_here)
        ms->told_bvci = 0;
    else
        tell_cell(w, index, cell, is_later);
    end_page(w, ms); /* behind its cell: what control sends now is to go there */
}
