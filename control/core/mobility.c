/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/mobility.h"

#include "control/core/core.h"
#include "control/core/core_link.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_ORDERS 8

enum stage {
    STAGE_NONE,
    STAGE_FENCE,
    STAGE_MOVE,
};

struct order {
    bool is_for_home;
    struct msg msg;
};

struct mobility_move {
    enum stage stage;
    struct msg_place to;  /* destination of the move in progress */
    unsigned frames;      /* uplink frames among the orders */
    struct order *orders; /* queued: orders[head .. count); a MSG_MS_MOVE begins the next move */
    size_t head, count, cap;
};

/* --- set-up and end --- */

bool mobility_new(struct mobility *m, struct core *core)
{
    uint32_t mobiles = core->config->limits.mobiles, pdps = core->config->limits.contexts;
    *m = (struct mobility){.core = core};
    if (!u64_map_new(&m->tllis, mobiles))
        return false;
    m->list = calloc(mobiles, sizeof(*m->list));
    m->pdps = calloc(pdps, sizeof(*m->pdps));
    if (m->list && m->pdps)
        return true;
    mobility_free(m);
    return false;
}

static void free_move(struct mobility_move *move)
{
    for (size_t i = move->head; i < move->count; i++)
        msg_free(&move->orders[i].msg);
    free(move->orders);
    free(move);
}

void mobility_free(struct mobility *m)
{
    for (uint32_t i = 0; m->list && i < m->core->config->limits.mobiles; i++)
        if (m->list[i].move)
            free_move(m->list[i].move);
    free(m->list);
    free(m->pdps);
    u64_map_free(&m->tllis);
    *m = (struct mobility){0};
}

/* --- queries --- */

uint32_t mobility_find(const struct mobility *m, uint32_t tlli)
{
    return m->list ? u64_map_get(&m->tllis, tlli) : MOBILITY_NONE;
}

bool mobility_is_there(const struct mobility *m, uint32_t mobile)
{
    return m->list && mobile < m->core->config->limits.mobiles && m->list[mobile].is_there;
}

uint32_t mobility_tlli(const struct mobility *m, uint32_t mobile)
{
    return m->list ? m->list[mobile].tlli : 0;
}

unsigned mobility_home(const struct mobility *m, uint32_t mobile)
{
    return m->list ? m->list[mobile].home : 0;
}

unsigned mobility_server(const struct mobility *m, uint32_t mobile)
{
    return m->list ? m->list[mobile].server : 0;
}

bool mobility_is_in_nse(const struct mobility *m, uint32_t mobile, uint16_t nse)
{
    return !m->list || (mobile < m->core->config->limits.mobiles &&
                        m->core->config->cells[m->list[mobile].cell].nse == nse);
}

bool mobility_is_moving(const struct mobility *m, uint32_t mobile)
{
    return m->list && m->list[mobile].move;
}

bool mobility_is_free(const struct mobility *m, uint32_t mobile)
{
    return !m->list || !m->list[mobile].is_leaving;
}

/* A slot is deleted, or its deletion was answered. */
static void set_leaving(bool *is_leaving, uint32_t *count, bool is)
{
    *count += (uint32_t)is - (uint32_t)*is_leaving;
    *is_leaving = is;
}

bool mobility_is_pdp_free(const struct mobility *m, uint32_t pdp)
{
    return !m->list || !m->pdps[pdp].is_leaving;
}

/* --- dispatch of orders --- */

static bool is_alone(const struct mobility *m)
{
    return m->core->workers <= 1;
}

/* An order that makes or deletes a context goes to the home. */
static void note_context(struct mobility *m, const struct msg *msg)
{
    const struct mobility_pdp *pdp = &m->pdps[msg->slot];
    bool is_end = msg_row(msg->type)->flags & MSG_ENDS;
    m->list[pdp->mobile].pdps[pdp->nsapi - MS_NSAPI_MIN] = is_end ? MS_PDP_NONE : msg->slot;
}

static void mobility_send(struct mobility *m, uint32_t mobile, bool is_for_home, const struct msg *msg)
{
    const struct mobility_mobile *ms = &m->list[mobile];
    if (msg_is_about_context(msg->type))
        note_context(m, msg);
    core_link_order(m->core, is_for_home ? ms->home : ms->server, msg);
}

static bool has_room(struct mobility_move *move)
{
    if (move->count < move->cap)
        return true;
    size_t cap = move->cap ? 2 * move->cap : LEAST_ORDERS;
    struct order *orders =
        cap <= MOBILITY_ORDERS ? reallocarray(move->orders, cap, sizeof(*move->orders)) : NULL;
    if (!orders)
        return false;
    move->orders = orders;
    move->cap = cap;
    return true;
}

/* False: the order has no room; it is lost and counted. */
static bool mobility_hold(struct mobility *m, struct mobility_move *move, bool is_for_home,
                          const struct msg *msg)
{
    if (has_room(move)) {
        move->orders[move->count++] = (struct order){is_for_home, *msg};
        return true;
    }
    m->lost++;
    msg_free(msg);
    return false;
}

static void order(struct mobility *m, uint32_t mobile, bool is_for_home, const struct msg *msg)
{
    if (!m->list)
        core_link_order(m->core, 0, msg);
    else if (m->list[mobile].move)
        mobility_hold(m, m->list[mobile].move, is_for_home, msg);
    else
        mobility_send(m, mobile, is_for_home, msg);
}

void mobility_order_server(struct mobility *m, uint32_t mobile, const struct msg *msg)
{
    order(m, mobile, false, msg);
}

void mobility_order_home(struct mobility *m, uint32_t mobile, const struct msg *msg)
{
    order(m, mobile, true, msg);
}

void mobility_order_new_pdp(struct mobility *m, const struct msg *msg)
{
    if (m->list)
        m->pdps[msg->slot] = (struct mobility_pdp){.mobile = msg->pdp.ms, .nsapi = msg->pdp.nsapi};
    order(m, msg->pdp.ms, true, msg);
}

void mobility_order_pdp(struct mobility *m, const struct msg *msg)
{
    if (m->list && msg_row(msg->type)->flags & MSG_ENDS)
        set_leaving(&m->pdps[msg->slot].is_leaving, &m->leaving_pdps, !is_alone(m));
    order(m, m->list ? m->pdps[msg->slot].mobile : 0, true, msg);
}

static unsigned worker_of_nse(const struct mobility *m, uint16_t nse)
{
    return is_alone(m) ? 0 : m->core->config->nses[nse].worker;
}

void mobility_order_tlli(struct mobility *m, const struct msg *msg)
{
    uint32_t mobile = mobility_find(m, msg->tlli);
    if (mobile != MOBILITY_NONE && m->list[mobile].move)
        mobility_hold(m, m->list[mobile].move, false, msg);
    else
        core_link_order(m->core, worker_of_nse(m, msg->nse), msg);
}

/* --- mobiles --- */

void mobility_add(struct mobility *m, uint32_t mobile, uint32_t tlli, uint16_t cell)
{
    if (!m->list)
        return;
    uint8_t home = (uint8_t)node_config_worker_of(m->core->config, cell);
    struct mobility_mobile *ms = &m->list[mobile];
    *ms =
        (struct mobility_mobile){.tlli = tlli, .cell = cell, .home = home, .server = home, .is_there = true};
    for (unsigned k = 0; k < MS_NSAPIS; k++)
        ms->pdps[k] = MS_PDP_NONE;
    u64_map_add(&m->tllis, tlli, mobile);
}

void mobility_rename(struct mobility *m, uint32_t mobile, uint32_t tlli)
{
    if (!m->list)
        return;
    struct mobility_mobile *ms = &m->list[mobile];
    u64_map_del(&m->tllis, ms->tlli, mobile);
    ms->tlli = tlli;
    u64_map_add(&m->tllis, tlli, mobile);
}

void mobility_del(struct mobility *m, uint32_t mobile)
{
    const struct msg msg = {.type = MSG_MS_DEL, .slot = mobile};
    if (m->list) {
        struct mobility_mobile *ms = &m->list[mobile];
        u64_map_del(&m->tllis, ms->tlli, mobile);
        ms->is_there = false;
        set_leaving(&ms->is_leaving, &m->leaving, !is_alone(m));
    }
    order(m, mobile, true, &msg);
}

/* --- moves --- */

static void send_move(struct mobility *m, uint32_t mobile)
{
    const struct mobility_mobile *ms = &m->list[mobile];
    struct msg msg = {.type = MSG_MS_MOVE, .slot = mobile};
    msg.place = ms->move->to;
    memcpy(msg.place.pdps, ms->pdps, sizeof(msg.place.pdps));
    ms->move->stage = STAGE_MOVE;
    core_link_order(m->core, ms->home, &msg);
}

/* A move away from the home needs no fence: earlier orders are before MSG_MS_MOVE on the same ring. */
static void begin_move(struct mobility *m, uint32_t mobile, const struct msg_place *to)
{
    const struct mobility_mobile *ms = &m->list[mobile];
    const struct msg fence = {.type = MSG_FENCE, .slot = mobile};
    ms->move->to = *to;
    if (ms->server == ms->home) {
        send_move(m, mobile);
        return;
    }
    ms->move->stage = STAGE_FENCE;
    core_link_order(m->core, ms->server, &fence);
}

/* Sends the queued orders, up to the next MSG_MS_MOVE. */
static void go_on(struct mobility *m, uint32_t mobile)
{
    struct mobility_move *move = m->list[mobile].move;
    move->stage = STAGE_NONE;
    while (move->stage == STAGE_NONE && move->head < move->count) {
        const struct order *next = &move->orders[move->head++];
        move->frames -= next->msg.type == MSG_UPLINK;
        if (next->msg.type == MSG_MS_MOVE)
            begin_move(m, mobile, &next->msg.place);
        else
            mobility_send(m, mobile, next->is_for_home, &next->msg);
    }
    if (move->stage != STAGE_NONE)
        return;
    free_move(move);
    m->list[mobile].move = NULL;
}

static void move_to(struct mobility *m, uint32_t mobile, uint16_t cell, bool is_lost)
{
    struct mobility_mobile *ms = &m->list[mobile];
    struct msg msg = {.type = MSG_MS_MOVE, .slot = mobile};
    unsigned worker = node_config_worker_of(m->core->config, cell);
    msg.place = (struct msg_place){.ms = mobile, .bvc = cell, .worker = (uint16_t)worker, .is_lost = is_lost};
    if (ms->move) {
        mobility_hold(m, ms->move, true, &msg);
        return;
    }
    ms->move = calloc(1, sizeof(*ms->move));
    if (!ms->move) {
        m->lost++;
        return;
    }
    begin_move(m, mobile, &msg.place);
}

void mobility_go(struct mobility *m, const struct msg *msg)
{
    uint32_t mobile = mobility_find(m, msg->tlli);
    uint16_t cell = msg->cell.bvc;
    if (mobile == MOBILITY_NONE) {
        core_link_order(m->core, worker_of_nse(m, msg->nse), msg);
        return;
    }
    struct mobility_mobile *ms = &m->list[mobile];
    unsigned to = node_config_worker_of(m->core->config, cell);
    ms->cell = cell;
    if (!ms->move && ms->home == to && ms->server == to)
        core_link_order(m->core, to, msg);
    else
        move_to(m, mobile, cell, msg->cell.is_lost);
}

static void move_is_over(struct mobility *m, uint32_t mobile, int status)
{
    struct mobility_mobile *ms = &m->list[mobile];
    if (status == 0)
        ms->server = (uint8_t)ms->move->to.worker;
    m->moved += status == 0;
    m->refused += status != 0;
    go_on(m, mobile);
}

/* --- uplink frames from other NSEs --- */

void mobility_drop(struct mobility *m, const struct msg *msg, uint64_t *count)
{
    (*count)++;
    rte_pktmbuf_free(msg->mbuf);
}

void mobility_frame(struct mobility *m, uint32_t mobile, const struct msg *msg)
{
    const struct msg back = {.type = MSG_UPLINK, .slot = mobile, .nse = msg->nse, .mbuf = msg->mbuf};
    if (mobile == MOBILITY_NONE) {
        mobility_drop(m, msg, &m->unknown_tlli);
        return;
    }
    struct mobility_move *move = m->list[mobile].move;
    if (move && move->frames == MOBILITY_FRAMES) {
        mobility_drop(m, msg, &m->frames_dropped);
        return;
    }
    m->frames_kept++;
    if (move)
        move->frames++;
    order(m, mobile, false, &back);
}

void mobility_heard(struct mobility *m, const struct msg *msg)
{
    if (!mobility_is_there(m, msg->slot))
        return;
    const struct mobility_mobile *ms = &m->list[msg->slot];
    bool is_there = mobility_is_in_nse(m, msg->slot, msg->heard.nse);
    if (is_there && !ms->move && ms->server != worker_of_nse(m, msg->heard.nse))
        move_to(m, msg->slot, ms->cell, false);
}

/* --- answers --- */

void mobility_answered(struct mobility *m, const struct msg *answer)
{
    uint32_t slot = answer->slot;
    if (!m->list || is_alone(m))
        return;
    const struct msg_row *row = msg_row(answer->answer.type);
    if (row->flags & MSG_ENDS && row->subject == MSG_BY_HOME_MS)
        set_leaving(&m->list[slot].is_leaving, &m->leaving, false);
    else if (row->flags & MSG_ENDS && row->subject == MSG_BY_PDP)
        set_leaving(&m->pdps[slot].is_leaving, &m->leaving_pdps, false);
    else if (answer->answer.type == MSG_FENCE)
        send_move(m, slot);
    else if (answer->answer.type == MSG_MS_MOVE)
        move_is_over(m, slot, answer->answer.status);
}
