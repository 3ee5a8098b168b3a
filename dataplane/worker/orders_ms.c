/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/orders_ms.h"

#include "dataplane/worker/session_orders.h"
#include "dataplane/worker/standby.h"
#include "dataplane/worker/worker.h"

/* --- where mobiles are found --- */

uint16_t orders_ms_nse(const struct worker *w, uint32_t index)
{
    return w->context.bvcs[w->context.mobiles[index].bvc].nse;
}

static bool list_under(struct worker *w, uint32_t index, uint16_t nse, uint32_t tlli)
{
    return u64_map_add(&w->lookup.mobiles, lookup_mobile_key(nse, tlli), index) == 0;
}

static void unlist_under(struct worker *w, uint32_t index, uint16_t nse, uint32_t tlli)
{
    u64_map_del(&w->lookup.mobiles, lookup_mobile_key(nse, tlli), index);
}

bool orders_ms_list(struct worker *w, uint32_t index, uint16_t nse)
{
    const struct ms *ms = &w->context.mobiles[index];
    if (!list_under(w, index, nse, ms->tlli))
        return false;
    if (!ms->has_tlli_old || list_under(w, index, nse, ms->tlli_old))
        return true;
    unlist_under(w, index, nse, ms->tlli);
    return false;
}

void orders_ms_unlist(struct worker *w, uint32_t index, uint16_t nse)
{
    const struct ms *ms = &w->context.mobiles[index];
    unlist_under(w, index, nse, ms->tlli);
    if (ms->has_tlli_old)
        unlist_under(w, index, nse, ms->tlli_old);
}

void orders_ms_list_old(struct worker *w, uint32_t index, uint32_t tlli)
{
    struct ms *ms = &w->context.mobiles[index];
    if (!list_under(w, index, orders_ms_nse(w, index), tlli))
        return;
    ms->tlli_old = tlli;
    ms->has_tlli_old = true;
}

/* --- orders --- */

/* Assigns TLLIs. One of the mobile's present two that is not among the new ones leaves the look-up. */
int orders_ms_tlli(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct context *c = &w->context;
    const struct ms *ms = &c->mobiles[index];
    const uint32_t tlli = msg->assigned.tlli, before[] = {ms->tlli, ms->tlli_old};
    unsigned count = ms->has_tlli_old ? 2 : 1;
    uint16_t nse = orders_ms_nse(w, index);
    bool is_known = tlli == before[0] || (count == 2 && tlli == before[1]);

    if (!is_known && !list_under(w, index, nse, tlli))
        return -1;
    context_ms_tlli(c, index, tlli, msg->assigned.keeps_old);
    for (unsigned i = 0; i < count; i++)
        if (before[i] != ms->tlli && !(ms->has_tlli_old && before[i] == ms->tlli_old))
            unlist_under(w, index, nse, before[i]);
    return 0;
}

int orders_ms_flow(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_flow(&w->context, index, &msg->flow, now);
}

int orders_ms_defaults(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_defaults(&w->context, index, now);
}

static_assert(U64_MAP_NONE == MS_NONE, "a slot that the map does not have is no mobile's");

int orders_ms_discarded(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_discard discard = msg->discard;
    discard.ms = index;
    return context_discarded(&w->context, &discard, now);
}

int orders_ms_flushed(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    struct gb_flush flush = msg->flush;
    flush.ms = index;
    return context_flushed(&w->context, &flush, now);
}

/* After the mobile became lost, suspended or reachable: with queued N-PDUs it is paged at once. */
static int look_back(struct worker *w, uint32_t index, int status)
{
    if (status == 0)
        standby_look_back(w, &w->context.mobiles[index]);
    return status;
}

int orders_ms_suspend(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return look_back(w, index, context_ms_suspend(&w->context, index, msg->is_suspended, now));
}

int orders_ms_lost(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return look_back(w, index, context_ms_lost(&w->context, index, msg->is_lost, now));
}

int orders_ms_page_end(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    w->context.mobiles[index].is_paged = false;
    return 0;
}

int orders_ms_cell(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return session_orders_ms_cell(w, index, msg->cell.bvc, msg->cell.is_lost, now);
}

int orders_ms_elements(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_ms_elements(&w->context, index, &msg->elements);
}

/* --- packet flows --- */

int orders_ms_pfc_add(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_add(&w->context, index, msg->pfi, now);
}

int orders_ms_pfc_flow(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_flow(&w->context, index, msg->pfc.pfi, &msg->pfc.flow, now);
}

int orders_ms_pfc_del(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return context_pfc_del(&w->context, index, msg->pfi, now);
}

/* --- what is heard --- */

bool orders_ms_is_in(const struct worker *w, uint32_t index, struct msg_heard cell)
{
    const struct gb_bvc *bvc = &w->context.bvcs[w->context.mobiles[index].bvc];
    return cell.bvci == bvc->bvci && cell.nse == bvc->nse;
}

/* Control may have refused to move the mobile when it was told before, so it is told again. */
static void tell_cell(struct worker *w, uint32_t index, struct msg_heard cell, bool is_again)
{
    struct ms *ms = &w->context.mobiles[index];
    uint16_t nse = orders_ms_nse(w, index);
    struct msg msg = {.type = MSG_MS_HEARD, .nse = nse, .slot = index, .heard = cell};
    if (cell.nse == nse && cell.bvci == ms->told_bvci && !is_again)
        return;
    if (msg_put(w->rings.to_control, &msg) && cell.nse == nse)
        ms->told_bvci = cell.bvci;
}

void orders_ms_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    bool is_here = orders_ms_is_in(w, index, cell), is_later = ms->heard_ticks != ms_ticks(now);

    /* Elsewhere it is not to be reached in the cell that it has here, and may be so in none. */
    if (is_here)
        context_ms_heard(&w->context, ms, now);
    else
        ms->heard_ticks = ms_ticks(now);
    standby_heard(w, ms);
    if (ms->tells_tlli_old && tlli == ms->tlli)
        context_ms_tlli_heard(ms);
    if (is_here)
        ms->told_bvci = 0;
    else
        tell_cell(w, index, cell, is_later);
}
