/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles that are away from their home: which wait, and the three steps of each. */
#include "dataplane/worker/moves.h"
#include "dataplane/worker/worker.h"
#include "dataplane/sched/flow.h"

#include "dataplane/context/ms.h"

static const struct moves_way {
    moves_at_home *at_home; /* NULL: such an order is refused */
    moves_at_server *at_server;
    moves_back *back;
} ways[MSG_TYPES] = {
#define MSG_AWAY(NAME, home, server, end) [MSG_##NAME] = {home, server, end},
#include "dataplane/worker/msgs.def"
};

/* --- the mobile of an order --- */

/* The mobile that has a context slot now, MS_NONE. */
static uint32_t owner_of(const struct worker *w, uint32_t pdp)
{
    bool is_there = pdp < w->context.limits.pdps && w->context.pdps[pdp].in_use;
    return is_there ? w->context.pdps[pdp].params.ms : MS_NONE;
}

/* Index of the mobile of an order to delete or move it or about its contexts; else MS_NONE. */
static uint32_t mobile_of(const struct worker *w, const struct msg *msg)
{
    const struct msg_row *row = msg_row(msg->type);
    if (!(row->flags & MSG_MOVES))
        return MS_NONE;
    uint32_t ms = row->subject == MSG_BY_HOME_MS   ? msg->slot
                  : row->subject == MSG_BY_NEW_PDP ? msg->pdp.ms
                                                   : owner_of(w, msg->slot);
    return ms < w->context.limits.mobiles ? ms : MS_NONE;
}

static bool is_busy(const struct worker *w, uint32_t ms)
{
    uint32_t remote = ms == MS_NONE ? 0 : w->context.mobiles[ms].remote;
    return remote != 0 && w->moves.list[remote - 1].is_busy;
}

bool moves_order_must_wait(const struct worker *w, const struct msg *msg)
{
    return is_busy(w, mobile_of(w, msg)) ||
           (msg_is_about_context(msg->type) && is_busy(w, owner_of(w, msg->slot)));
}

bool moves_order(struct worker *w, const struct msg *msg, int *status, int64_t now)
{
    uint32_t index = mobile_of(w, msg);
    struct moves_remote *remote = index == MS_NONE ? NULL : moves_home_remote(w, index);
    if (!remote && (index == MS_NONE || msg->type != MSG_MS_MOVE))
        return false;
    moves_at_home *at_home = ways[msg->type].at_home;
    *status = at_home ? at_home(w, remote, msg, now) : -1;
    return true;
}

void moves_order_receive(struct worker *w, struct xworker_note *head, int64_t now)
{
    struct moves_note *note = (struct moves_note *)head;
    struct moves_remote *remote = (struct moves_remote *)note;
    if (note->home != w->number) {
        if (note->stage == MOVES_IN)
            moves_guest_come_in(w, note, now);
        else
            ways[note->type].at_server(w, note, now);
        return;
    }
    ways[note->type].back(w, remote, now);
    moves_answer_later(&w->moves, remote);
}
