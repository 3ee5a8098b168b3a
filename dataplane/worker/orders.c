/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/orders.h"

#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <rte_ring.h>

#define BURST 64

static orders_handler *const handlers[MSG_TYPES] = {
#define MSG_ORDER(NAME, name, subject, payload, flags, handler) [MSG_##NAME] = handler,
#include "dataplane/worker/msgs.def"
};

/* Nothing but its answer is wanted. */
int orders_fence(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    return 0;
}

/* --- what an order is about; MS_NONE: there is no such thing --- */

static uint32_t find_nothing(const struct worker *w, const struct msg *msg)
{
    return 0;
}

static uint32_t find_slot(const struct worker *w, const struct msg *msg)
{
    return msg->slot;
}

/* No table of NSEs, NS-VCs or cells has more. */
static uint32_t find_gb(const struct worker *w, const struct msg *msg)
{
    return msg->slot < UINT16_MAX ? msg->slot : MS_NONE;
}

static uint32_t find_ms(const struct worker *w, const struct msg *msg)
{
    const struct context *c = &w->context;
    return msg->slot < c->limits.mobiles && c->mobiles[msg->slot].in_use ? msg->slot : MS_NONE;
}

static uint32_t find_tlli(const struct worker *w, const struct msg *msg)
{
    return u64_map_get(&w->lookup.mobiles, lookup_mobile_key(msg->nse, msg->tlli));
}

static uint32_t (*const finders[])(const struct worker *w, const struct msg *msg) = {
    [MSG_BY_NONE] = find_nothing, [MSG_BY_NSE] = find_gb,
    [MSG_BY_NSVC] = find_gb,      [MSG_BY_BVC] = find_gb,
    [MSG_BY_HOME_MS] = find_slot, [MSG_BY_MS] = find_ms,
    [MSG_BY_NEW_PDP] = find_slot, [MSG_BY_PDP] = find_slot,
    [MSG_BY_TLLI] = find_tlli,    [MSG_BY_TLLI_OR_NONE] = find_tlli,
};

static int refuse(const struct msg *msg)
{
    if (msg_has_mbuf(msg->type))
        rte_pktmbuf_free(msg->mbuf);
    return -1;
}

static int apply(struct worker *w, const struct msg *msg, int64_t now)
{
    uint8_t subject = msg_row(msg->type)->subject;
    orders_handler *handler = msg->type < MSG_TYPES ? handlers[msg->type] : NULL;
    uint32_t index = finders[subject](w, msg);
    if (!handler || (index == MS_NONE && subject != MSG_BY_TLLI_OR_NONE))
        return refuse(msg);
    return handler(w, index, msg, now);
}

static void carry_out(struct worker *w, const struct msg *msg, int64_t now)
{
    struct msg *answer = &w->orders.answer;
    *answer =
        (struct msg){.type = MSG_ANSWER, .seq = msg->seq, .slot = msg->slot, .answer = {.type = msg->type}};
    if (!moves_order(w, msg, &answer->answer.status, now))
        answer->answer.status = apply(w, msg, now);
    if (answer->answer.status != MOVES_LATER)
        msg_put(w->rings.to_control, answer);
}

/* --- those that wait for others --- */

static bool is_about_context(const struct msg *msg, uint32_t index)
{
    return msg_is_about_context(msg->type) && msg->slot == index;
}

/* Whether mobiles are on their way out of the cell, or cells of the NSE, that is to be deleted. */
static bool is_left_by_some(const struct worker *w, const struct msg *msg)
{
    const struct context *c = &w->context;
    const struct msg_row *row = msg_row(msg->type);
    if (!(row->flags & MSG_WAITS))
        return false;
    if (row->subject == MSG_BY_NSE)
        return msg->slot < c->limits.nses && context_nse_has_cells(c, (uint16_t)msg->slot);
    return msg->slot < c->limits.bvcs && c->bvcs[msg->slot].in_use && c->bvcs[msg->slot].ms_head != MS_NONE;
}

/* Whether an order has to wait, for one under way or for one of the first `count` that wait already. */
static bool must_wait(const struct worker *w, const struct msg *msg, unsigned count)
{
    if (moves_must_wait(w, msg) || is_left_by_some(w, msg))
        return true;
    for (unsigned i = 0; i < count; i++)
        if (is_about_context(&w->orders.waiting[i], msg->slot) && is_about_context(msg, msg->slot))
            return true;
    return false;
}

/* One that has to wait does so here, or comes again. */
static void put_off(struct worker *w, const struct msg *msg)
{
    struct orders *o = &w->orders;
    const struct msg again = {.type = MSG_ANSWER,
                              .seq = msg->seq,
                              .slot = msg->slot,
                              .answer = {.type = msg->type, .status = MSG_AGAIN}};
    if (msg_row(msg->type)->flags & MSG_WAITS && o->count >= ORDERS_ENDS)
        msg_put(w->rings.to_control, &again);
    else
        o->waiting[o->count++] = *msg;
}

static bool has_room(const struct worker *w)
{
    return !rte_ring_full(w->rings.to_control) && port_room(&w->gb) > 0;
}

/* Looks at each once, in order. */
static unsigned apply_waiting(struct worker *w, int64_t now)
{
    struct orders *o = &w->orders;
    unsigned kept = 0, count = o->count;
    for (unsigned i = 0; i < count; i++) {
        struct msg msg = o->waiting[i];
        if (!has_room(w) || must_wait(w, &msg, kept))
            o->waiting[kept++] = msg;
        else
            carry_out(w, &msg, now);
    }
    o->count = kept;
    return count - kept;
}

unsigned orders_apply(struct worker *w, int64_t now)
{
    struct orders *o = &w->orders;
    struct msg msg;
    unsigned count = moves_answer(w) + apply_waiting(w, now);

    /* An order is taken only when there is room for its answer and, should it be one to send, for the frame.
     */
    for (unsigned i = 0;
         i < BURST && o->count < ORDERS_WAITING && has_room(w) && msg_take(w->rings.to_worker, &msg); i++) {
        if (must_wait(w, &msg, o->count))
            put_off(w, &msg);
        else
            carry_out(w, &msg, now);
        count++;
    }
    return count;
}
