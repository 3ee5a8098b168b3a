/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core.h"
#include "control/config/node_config.h"
#include "control/core/core_gb.h"
#include "control/core/core_path.h"
#include "control/core/core_gtpc.h"
#include "control/log/log.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_records.h"

#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/core/lua_core.h"
#include "control/core/mobility.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"
#include "dataplane/wire/identity.h"
#include "dataplane/worker/msg.h"

#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

#define RECEIVE_BURST 256
#define RECEIVE_NS    (MOMENT_SECOND / 500)

/* --- set-up and end --- */

static void order_all(struct core *core)
{
    for (uint32_t i = 0; i < core->config->nse_count; i++)
        if (!core->config->nses[i].is_gone)
            core_gb_nse_add(core, i);
    core_nsvc_start(core);
    for (uint32_t i = 0; i < core->config->cell_count; i++)
        if (!core->config->cells[i].is_gone)
            core_gb_cell_add(core, i);
}

void core_make_objects(struct core *core, lua_State *L)
{
    bool is_live = core->config->live.is_on;
    bool has_phones = lua_getfield(L, -1, "phones") == LUA_TTABLE;
    lua_pop(L, 1);
    core_intent_init(core, L);
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        if (object == CORE_OBJECT_phones ? is_live && has_phones : object != CORE_OBJECT_gtpc || is_live)
            lua_core_make(core, object);
    lua_pop(L, 1);
    lua_host_limit(L, core->config->limits.lua_octets);
}

bool core_init(struct core *core, lua_State *L, const struct node_config *config,
               struct msg_rings *const *rings, struct rte_mempool *pool)
{
    *core = (struct core){
        .config = config, .workers = node_config_workers(config), .pool = pool, .timer_ns = MOMENT_NEVER};
    for (unsigned i = 0; i < core->workers; i++)
        core->links[i].rings = rings[i];
    bool is_made = mobility_new(&core->mobility, core);
    is_made &= compression_pool_new(&core->compression, &config->compression);
    core_address_init(core);
    lua_records_init(&core->restart.records, config->limits.lua_octets);
    if (config->live.is_on) {
        lua_object_keep_records(L);
        lua_host_prepare(L, config->limits.mobiles, config->limits.lua_octets);
        core_gtpc_claim(core);
    }
    core_make_objects(core, L);
    order_all(core);
    return is_made;
}

void core_fini(struct core *core)
{
    mobility_free(&core->mobility);
    for (unsigned i = 0; i < core->workers; i++)
        core_link_fini(&core->links[i]);
    compression_pool_free(&core->compression); /* workers have ended */
    core_path_fini(core);
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        lua_core_drop(core, object);
    core_intent_fini(core);
    lua_records_free(&core->restart.records);
}

static void look_at_timers(struct core *core)
{
    core->timer_ns = MOMENT_NEVER;
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        core->timer_ns = moment_min(core->timer_ns, lua_object_next_ns(&core->objects[object]));
    core->has_new_timers = false;
}

static void core_advance(struct core *core)
{
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        if (lua_object_next_ns(&core->objects[object]) <= core->now)
            lua_object_advance(&core->objects[object], core->now);
}

void core_start(struct core *core, int64_t now)
{
    core->now = now;
    core_tell(core, gb_start);
    core_path_start(core);
    core_tell(core, phones_start);
    core->has_new_timers = true;
}

/* --- messages of workers --- */

static void take_punt(struct core *core, const struct msg *msg)
{
    core_tell(core, gb_on_pdu, LUA_ARG(msg->slot),
              LUA_OCTETS(rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)));
    rte_pktmbuf_free(msg->mbuf);
}

static void take_unlisted(struct core *core, const struct msg *msg)
{
    core_gb_unlisted(core, msg);
    rte_pktmbuf_free(msg->mbuf);
}

/* False: the mobile that a message names was deleted, or is in another NSE by now. */
static bool is_about_mobile(const struct core *core, const struct msg *msg)
{
    return mobility_is_in_nse(&core->mobility, msg->slot, msg->nse) &&
           mobility_is_there(&core->mobility, msg->slot);
}

/* The sessions may take the message; true: its buffer is theirs. */
static bool offer(struct core *core, const struct msg *msg)
{
    return core->sessions.arg && core->sessions.take(core->sessions.arg, msg);
}

static uint32_t nsei_of(const struct core *core, uint16_t nse)
{
    return core->config->nses[nse].nsei;
}

/* Whether the frame named the cell that it came from; else counted. A Cell Identifier whose digits are wrong
 * has mcc
 * "". */
static bool is_cell(struct core *core, const struct msg_heard *heard, uint16_t nse)
{
    struct area area;
    if (identity_area_decode(&area, heard->cell_id, AREA_CELL, AREA_CELL) < 0)
        area = (struct area){0};
    const struct core_event_cell cell = {
        .mcc = area.mcc, .mnc = area.mnc, .lac = area.lac, .ci = area.ci, .rac = area.rac};
    return core_ask(core, gb_is_cell, false, LUA_ARG(nsei_of(core, nse)), LUA_ARG(heard->bvci),
                    CORE_RECORD(cell, &cell));
}

static void take_bvc_waiting(struct core *core, const struct msg *msg)
{
    const struct node_config_cell *cell = &core->config->cells[msg->slot];
    core_tell(core, gb_on_waiting, LUA_ARG(nsei_of(core, cell->nse)), LUA_ARG(cell->bvci),
              LUA_ARG(msg->npdus));
}

/* An NS PDU for a cell in which its mobile is not, or not yet. */
static void take_apart(struct core *core, const struct msg *msg)
{
    int64_t nsvc = core_ask(core, gb_nsvc_of, -1, LUA_ARG(nsei_of(core, msg->nse)), LUA_ARG(msg->slot));
    if (nsvc < 0)
        return rte_pktmbuf_free(msg->mbuf);
    core_order(core, &(struct msg){.type = MSG_SEND, .slot = (uint32_t)nsvc, .mbuf = msg->mbuf});
}

/* The worker sends nothing to the mobile until the order of the move, if control gives one, and this one have
 * come (TS 23.060 clause 6.9.1.1). */
static void decide_cell(struct core *core, const struct msg *msg)
{
    const struct msg decided = {.type = MSG_MS_DECIDED, .slot = msg->slot, .heard_number = msg->heard.number};
    if (mobility_is_there(&core->mobility, msg->slot))
        core_order(core, &decided);
}

static void take_ms_heard(struct core *core, const struct msg *msg)
{
    if (is_about_mobile(core, msg) && is_cell(core, &msg->heard, msg->heard.nse))
        core_tell(core, gb_on_heard, LUA_ARG(msg->slot), LUA_ARG(nsei_of(core, msg->heard.nse)),
                  LUA_ARG(msg->heard.bvci));
    mobility_heard(&core->mobility, msg);
    decide_cell(core, msg);
}

static void take_page_wanted(struct core *core, const struct msg *msg)
{
    if (is_about_mobile(core, msg))
        core_tell(core, gb_on_page_wanted, LUA_ARG(msg->slot));
    core_acts_paged(core, msg->slot);
}

static void take_ms_reached(struct core *core, const struct msg *msg)
{
    if (is_about_mobile(core, msg))
        core_tell(core, gb_on_reached, LUA_ARG(msg->slot));
    core_acts_reached(core, msg->slot);
    offer(core, msg);
}

static void take_llc_lost(struct core *core, const struct msg *msg)
{
    offer(core, msg);
}

static void take_tunnel_error(struct core *core, const struct msg *msg)
{
    offer(core, msg);
}

/* The TLLI may be that of a mobile of another NSE or worker. The worker that has it checks the frame and says
 * whether it proves that the mobile is there: MSG_MS_HEARD. */
static void take_unknown_tlli(struct core *core, const struct msg *msg)
{
    uint32_t mobile = mobility_find(&core->mobility, msg->tlli);
    if (mobile == MOBILITY_NONE && offer(core, msg))
        return;
    bool is_from_elsewhere =
        mobile != MOBILITY_NONE && !mobility_is_in_nse(&core->mobility, mobile, msg->nse);
    if (is_from_elsewhere && (!is_cell(core, &msg->heard, msg->nse) ||
                              !core_ask(core, gb_may_move, false, LUA_ARG(mobile),
                                        LUA_ARG(nsei_of(core, msg->nse)), LUA_ARG(msg->heard.bvci))))
        mobility_drop(&core->mobility, msg, &core->mobility.frames_refused);
    else
        mobility_frame(&core->mobility, mobile, msg);
}

/* An NSE, NS-VC or cell has been deleted: no later message of the worker names it by that slot. */
static void free_row(const struct node_config *config, const struct msg *answer)
{
    const struct msg_row *row = msg_row(answer->answer.type);
    if (!(row->flags & MSG_ENDS))
        return;
    if (row->subject == MSG_BY_NSE)
        config->nses[answer->slot].is_leaving = false;
    else if (row->subject == MSG_BY_BVC)
        config->cells[answer->slot].is_leaving = false;
    else if (row->subject == MSG_BY_NSVC)
        config->nsvcs[answer->slot].is_leaving = false;
}

static void take_answer(struct core *core, const struct msg *msg)
{
    core->answered++;
    if (msg->answer.status == MSG_AGAIN) { /* deletion of a cell or NSE: too many are pending */
        const struct msg again = {.type = msg->answer.type, .slot = msg->slot};
        core_order(core, &again);
        return;
    }
    if (msg->answer.status < 0 && core->refused++ == 0)
        core->first_refused = msg->answer.type;
    core->marks += msg->answer.type == MSG_MARK;
    free_row(core->config, msg);
    mobility_answered(&core->mobility, msg);
    if (msg->answer.type == MSG_PDP_LLC || msg->answer.type == MSG_MS_HOLD || msg->answer.type == MSG_MS_DEL)
        offer(core, msg);
}

static void take_punt_frame(struct core *core, const struct msg *msg)
{
    const struct core_neighbours *links = &core->neighbours;
    if (links->arg)
        links->on_frame(links->arg, msg->port, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                        rte_pktmbuf_data_len(msg->mbuf));
    rte_pktmbuf_free(msg->mbuf);
}

static void take_guard(struct core *core, const struct msg *msg)
{
    if (core->guards.on_news)
        core->guards.on_news(core->guards.arg, msg);
    if (msg_has_mbuf(msg->type))
        rte_pktmbuf_free(msg->mbuf);
}

static void take_punt_llc(struct core *core, const struct msg *msg)
{
    if (!offer(core, msg))
        core_gb_llc_punt(core, msg);
}

static void take_punt_gn(struct core *core, const struct msg *msg)
{
    core_gtpc_punt(core, msg);
}

static void take_gn_echoed(struct core *core, const struct msg *msg)
{
    core_path_answered(core, msg);
}

static void take_hop_wanted(struct core *core, const struct msg *msg)
{
    if (core->neighbours.arg)
        core->neighbours.on_hop_wanted(core->neighbours.arg, &msg->hop);
}

static void (*const takers[MSG_TYPES])(struct core *core, const struct msg *msg) = {
#define MSG_NEWS(NAME, name, ...) [MSG_##NAME] = take_##name,
#define MSG_GUARD(NAME, ...)      [MSG_##NAME] = take_guard,
#include "dataplane/worker/msgs.def"
};

static int64_t spent_ns(const struct core *core)
{
    return core->spent_ns ? core->spent_ns() : 0;
}

/* Takes a limited number of messages, so that a flood does not delay timers and the messages of other
 * workers. */
static unsigned receive_some(struct core *core, struct core_link *link)
{
    struct msg msg;
    unsigned count = 0;
    int64_t round_ns = CORE_SHARE_ROUND_NS / core->workers, begin_ns = spent_ns(core), before_ns = begin_ns;
    while (count < RECEIVE_BURST && before_ns - begin_ns < RECEIVE_NS &&
           core_share_take(&link->round, link->rings, &msg)) {
        count++;
        if (core_share_is_late(&link->round, link->rings, &msg, round_ns)) {
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
            if (msg.type == MSG_MS_HEARD)
                decide_cell(core, &msg);
            continue;
        }
        takers[msg.type](core, &msg);
        int64_t now_ns = spent_ns(core);
        core_share_charge(link->rings, &msg, now_ns - before_ns);
        before_ns = now_ns;
    }
    return count;
}

int64_t core_step(struct core *core, int64_t now)
{
    unsigned moved = 0;

    core->now = now;
    for (unsigned i = 0; i < core->workers; i++)
        moved += receive_some(core, &core->links[i]);
    if (core->has_new_timers)
        look_at_timers(core);
    if (core->timer_ns <= now) {
        core_advance(core);
        moved++;
    }
    if (moved)
        look_at_timers(core);
    for (unsigned i = 0; i < core->workers; i++)
        moved += core_link_flush(&core->links[i]);
    return moved ? now : core->timer_ns;
}
