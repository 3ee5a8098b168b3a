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

/* Tells control that a lost mobile is to be paged, unless it knows. */
static void ask_page(struct worker *w, struct ms *ms)
{
    if (w->has_paging && !ms->is_paged)
        ms->is_paged = tell(w, ms, MSG_PAGE_WANTED, SHARE_PAGING);
}

/* The same where N-PDUs are queued, unless the mobile is suspended. */
static void standby_ask(struct worker *w, struct ms *ms)
{
    if ((ms->sched.flags & SCHED_MS_FROZEN) == SCHED_MS_LOST)
        ask_page(w, ms);
}

void standby_wait(struct worker *w, struct ms *ms, int64_t now)
{
    if (!(ms->sched.flags & SCHED_MS_LOST) && context_ms_is_silent(&w->context, ms, now))
        context_ms_lost(&w->context, (uint32_t)(ms - w->context.mobiles), true, now);
    standby_ask(w, ms);
}

/* Whether messages of control wait; they do not while only its cell is not decided. */
static bool is_stopped(const struct ms *ms)
{
    return ms->stops & (MS_SUSPENDED | MS_HELD);
}

static bool tell_reached(struct worker *w, struct ms *ms)
{
    bool is_told = tell(w, ms, MSG_MS_REACHED, SHARE_NONE);
    ms->is_paged = ms->is_paged && !is_told;
    ms->is_wanted = ms->is_wanted && !is_told;
    return is_told;
}

/* Of a wanted mobile. False: the ring to control is full. */
static bool reach(struct worker *w, struct ms *ms, int64_t now)
{
    standby_look(w, &w->context, ms, now);
    if (is_stopped(ms))
        return true;
    if (!(ms->sched.flags & SCHED_MS_LOST))
        return tell_reached(w, ms);
    ask_page(w, ms);
    return true;
}

bool standby_want(struct worker *w, struct ms *ms, int64_t now)
{
    ms->is_wanted = true;
    return reach(w, ms, now);
}

void standby_look_back(struct worker *w, struct ms *ms, int64_t now)
{
    if (ms->is_wanted)
        (void)reach(w, ms, now);
    else if (sched_ms_backlog(&w->context.sched, &ms->sched).pkts > 0)
        standby_ask(w, ms);
}

void standby_page_end(struct ms *ms)
{
    ms->is_paged = false;
    ms->is_wanted = ms->is_wanted && is_stopped(ms);
}

/* Tells control, if the mobile is being paged, or is wanted and control could not be told before. */
static void end_page(struct worker *w, struct ms *ms)
{
    if (ms->is_paged || (ms->is_wanted && !is_stopped(ms)))
        (void)tell_reached(w, ms);
}

/* Whether the wait that has this place is still on. suspended_ns does not change in it. */
static bool is_on(const struct context *c, const struct standby_place *place)
{
    const struct ms *ms = &c->mobiles[place->ms];
    return ms->in_use && (ms->stops & MS_AWAITS_CELL) && c->suspended_ns[place->ms] <= place->began_at_ns;
}

static void drop_first(struct standby_waits *waits)
{
    waits->first = (waits->first + 1) % STANDBY_WAITS;
    waits->count--;
}

/* False, counted: all places are taken. */
static bool take_place(struct worker *w, uint32_t index, int64_t now)
{
    struct standby_waits *waits = &w->waits;
    while (waits->count > 0 && !is_on(&w->context, &waits->places[waits->first]))
        drop_first(waits);
    if (waits->count == STANDBY_WAITS) {
        w->stats.cell_undecided++;
        return false;
    }
    waits->places[(waits->first + waits->count++) % STANDBY_WAITS] = (struct standby_place){now, index};
    return true;
}

/* Control may have refused to move the mobile when it was told before, so it is told again. */
static void tell_cell(struct worker *w, uint32_t index, struct msg_heard cell, bool is_again, int64_t now)
{
    struct ms *ms = &w->context.mobiles[index];
    uint16_t nse = context_ms_nse(&w->context, index);
    if (cell.nse == nse && cell.bvci == ms->told_bvci && !is_again)
        return;
    cell.number = (uint8_t)(ms->heard_number + 1);
    struct msg msg = {.type = MSG_MS_HEARD, .nse = nse, .slot = index, .heard = cell};
    if (!shares_put(&w->rings, &msg, SHARE_NSES + cell.nse))
        return;
    ms->heard_number = cell.number;
    ms->told_bvci = cell.nse == nse ? cell.bvci : 0;
    if (!(ms->stops & MS_AWAITS_CELL) && take_place(w, index, now))
        (void)context_ms_stop(&w->context, index, MS_AWAITS_CELL, true, now);
}

static int end_wait(struct worker *w, struct ms *ms, int64_t now)
{
    int status =
        context_ms_stop(&w->context, (uint32_t)(ms - w->context.mobiles), MS_AWAITS_CELL, false, now);
    standby_look_back(w, ms, now);
    return status;
}

int standby_decided(struct worker *w, struct ms *ms, uint8_t number, int64_t now)
{
    bool is_last = ms->heard_number == number, is_refused = !ms->changed_cell;
    ms->changed_cell = false;
    return (ms->stops & MS_AWAITS_CELL) && (is_last || is_refused) ? end_wait(w, ms, now) : 0;
}

unsigned standby_expire(struct worker *w, int64_t now)
{
    unsigned count = 0;
    for (; count < WORKER_BURST && standby_next_ns(&w->waits) <= now; count++) {
        const struct standby_place *place = &w->waits.places[w->waits.first];
        if (is_on(&w->context, place)) {
            w->stats.cell_undecided++;
            (void)end_wait(w, &w->context.mobiles[place->ms], now);
        }
        drop_first(&w->waits);
    }
    return count;
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
        tell_cell(w, index, cell, is_later, now);
    if (is_here && (ms->stops & MS_AWAITS_CELL))
        (void)end_wait(w, ms, now);
    end_page(w, ms); /* behind its cell: what control sends now is to go there */
}
