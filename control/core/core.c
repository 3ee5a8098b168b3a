/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core.h"

#include "control/core/core_address.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/core/core_llc.h"
#include "control/core/core_nsvc.h"
#include "control/core/core_path.h"
#include "dataplane/base/moment.h"

#include <rte_mbuf.h>

#define RECEIVE_BURST 256

/* --- life --- */

void core_nse_add(struct core *core, uint32_t index)
{
    const struct node_config_nse *nse = &core->config->nses[index];
    struct msg msg = {.type = MSG_NSE_ADD, .slot = index, .nsei = nse->nsei};
    core_request(core, nse->worker, &msg);
    msg.type = MSG_NSE_RATE;
    msg.link = nse->link;
    if (msg.link.rate_bps > 0)
        core_request(core, nse->worker, &msg);
}

static bool is_same_policy(const struct gb_policy *a, const struct gb_policy *b)
{
    return a->bss_target_ns == b->bss_target_ns && a->max_rate_bps == b->max_rate_bps &&
           a->max_octets == b->max_octets && a->rate_percent == b->rate_percent;
}

void core_cell_add(struct core *core, uint32_t index)
{
    const struct node_config *config = core->config;
    const struct node_config_cell *cell = &config->cells[index];
    struct msg msg = {.type = MSG_BVC_ADD, .slot = index, .bvc = {.bvci = cell->bvci, .nse = cell->nse}};
    unsigned worker = config->nses[cell->nse].worker;
    core_request(core, worker, &msg);
    if (is_same_policy(&cell->policy, &config->policy.gb))
        return;
    msg = (struct msg){.type = MSG_BVC_POLICY, .slot = index, .policy = cell->policy};
    core_request(core, worker, &msg);
}

static void order_all(struct core *core)
{
    for (uint32_t i = 0; i < core->config->nse_count; i++)
        core_nse_add(core, i);
    core_nsvc_start(core);
    for (uint32_t i = 0; i < core->config->cell_count; i++)
        core_cell_add(core, i);
}

bool core_init(struct core *core, lua_State *L, const struct node_config *config,
               struct msg_rings *const *rings, struct rte_mempool *pool)
{
    *core = (struct core){
        .config = config, .workers = node_config_workers(config), .pool = pool, .timer_ns = MOMENT_NEVER};
    for (unsigned i = 0; i < core->workers; i++)
        core->links[i].rings = rings[i];
    bool is_made = mobility_new(&core->mobility, core);
    core_address_init(core);
    lua_pushvalue(L, -1);
    core_llc_init(core, L);
    lua_pushvalue(L, -1);
    core_path_init(core, L);
    lua_pushvalue(L, -1);
    core_gtpc_init(core, L);
    lua_gb_init(&core->gb, L, core_intent_apply, core);
    order_all(core);
    return is_made;
}

void core_fini(struct core *core)
{
    mobility_free(&core->mobility);
    for (unsigned i = 0; i < core->workers; i++)
        core_link_fini(&core->links[i]);
    core_llc_fini(core);
    core_path_fini(core);
    core_gtpc_fini(core);
    lua_gb_fini(&core->gb);
}

static int64_t next_timer_ns(const struct core *core)
{
    int64_t next_ns = moment_min(core_llc_next_ns(core), core_path_next_ns(core));
    next_ns = moment_min(next_ns, core_gtpc_next_ns(core));
    return moment_min(next_ns, lua_gb_next_ns(&core->gb));
}

void core_start(struct core *core, int64_t now)
{
    core->now = now;
    lua_gb_start(&core->gb, now);
    core_path_start(core);
    core->timer_ns = next_timer_ns(core);
}

/* --- mobiles --- */

static bool has_control_plane(const struct core *core)
{
    return core->gb.L != NULL;
}

void core_ms_add(struct core *core, uint32_t tlli, const char *imsi, uint16_t cell)
{
    if (!has_control_plane(core))
        return;
    const struct node_config_cell *at = &core->config->cells[cell];
    const struct lua_gb_ms ms = {
        .tlli = tlli, .nsei = core->config->nses[at->nse].nsei, .bvci = at->bvci, .imsi = imsi};
    lua_gb_ms_add(&core->gb, &ms);
}

void core_ms_elements(struct core *core, uint32_t tlli, uint16_t cell, const struct bssgp_elements *elements)
{
    struct msg msg = {.type = MSG_MS_ELEMENTS, .tlli = tlli};
    if (!elements)
        return;
    msg.nse = core->config->cells[cell].nse;
    msg.elements = *elements;
    mobility_order_by_tlli(&core->mobility, &msg);
}

void core_ms_del(struct core *core, uint32_t tlli)
{
    if (!has_control_plane(core))
        return;
    lua_gb_ms_del(&core->gb, tlli, core->now);
    core->timer_ns = next_timer_ns(core);
}

void core_pfc_add(struct core *core, const struct lua_gb_pfc *pfc)
{
    if (!has_control_plane(core))
        return;
    lua_gb_pfc_add(&core->gb, pfc, core->now);
    core->timer_ns = next_timer_ns(core);
}

void core_pfc_del(struct core *core, const struct lua_gb_pfc *pfc)
{
    if (!has_control_plane(core))
        return;
    lua_gb_pfc_del(&core->gb, pfc, core->now);
    core->timer_ns = next_timer_ns(core);
}

/* --- what workers say --- */

static void take_punt(struct core *core, const struct msg *msg)
{
    lua_gb_pdu(&core->gb, msg->slot, rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf),
               core->now);
    rte_pktmbuf_free(msg->mbuf);
}

/* The TLLI of a mobile that a worker speaks of. False: it is gone, or elsewhere by now. */
static bool find_tlli(const struct core *core, const struct msg *msg, uint32_t *tlli)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    return mobility_is_in_nse(&core->mobility, msg->slot, msg->nse) && mobiles->arg &&
           mobiles->tlli_of_slot(mobiles->arg, msg->slot, tlli);
}

static void take_news(struct core *core, const struct msg *msg)
{
    uint32_t tlli;
    if (!find_tlli(core, msg, &tlli))
        return;
    if (msg->type == MSG_MS_HEARD)
        lua_gb_heard(&core->gb, tlli, core->config->nses[msg->nse].nsei, msg->heard_bvci, core->now);
    else if (msg->type == MSG_PAGE_WANTED)
        lua_gb_page_wanted(&core->gb, tlli, core->now);
    else
        lua_gb_reached(&core->gb, tlli, core->now);
}

static void take_tunnel_error(struct core *core, const struct msg *msg)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    const struct msg_tunnel_error *error = &msg->tunnel_error;
    if (mobiles->arg)
        mobiles->on_tunnel_error(mobiles->arg, error->ggsn_ip, error->teid,
                                 error->is_elsewhere ? error->sgsn_ip : 0);
}

/* A mobile that its worker does not have may be another's: then it has come here. */
static void take_unknown(struct core *core, const struct msg *msg)
{
    uint32_t mobile = mobility_find(&core->mobility, msg->tlli);
    if (mobile != MOBILITY_NONE)
        lua_gb_heard(&core->gb, msg->tlli, core->config->nses[msg->nse].nsei, msg->heard_bvci, core->now);
    mobility_heard(&core->mobility, mobile, msg);
}

/* What has been deleted: nothing that the worker said before can be about another of that index. */
static void free_row(const struct node_config *config, const struct msg *answer)
{
    if (answer->answer.type == MSG_NSE_DEL)
        config->nses[answer->slot].is_leaving = false;
    else if (answer->answer.type == MSG_BVC_DEL)
        config->cells[answer->slot].is_leaving = false;
    else if (answer->answer.type == MSG_NSVC_DEL)
        config->nsvcs[answer->slot].is_leaving = false;
}

/* The end of a cell or an NSE, for which too much waits at its worker. */
static void order_again(struct core *core, const struct msg *answer)
{
    const struct node_config *config = core->config;
    const struct msg msg = {.type = answer->answer.type, .slot = answer->slot};
    unsigned worker = msg.type == MSG_NSE_DEL ? config->nses[msg.slot].worker
                                              : node_config_worker_of(config, (uint16_t)msg.slot);
    core_request(core, worker, &msg);
}

static void take_answer(struct core *core, const struct msg *msg)
{
    core->answered++;
    if (msg->answer.status == MSG_AGAIN) {
        order_again(core, msg);
        return;
    }
    core->refused += msg->answer.status != 0;
    free_row(core->config, msg);
    mobility_answered(&core->mobility, msg);
}

static void take_frame(struct core *core, const struct msg *msg)
{
    const struct core_neighbours *links = &core->neighbours;
    if (links->arg)
        links->on_frame(links->arg, msg->port, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                        rte_pktmbuf_data_len(msg->mbuf));
    rte_pktmbuf_free(msg->mbuf);
}

static void receive(struct core *core, const struct msg *msg)
{
    switch (msg->type) {
    case MSG_PUNT:
        take_punt(core, msg);
        break;
    case MSG_PUNT_LLC:
        core_llc_punt(core, msg);
        break;
    case MSG_PUNT_FRAME:
        take_frame(core, msg);
        break;
    case MSG_PUNT_GN:
        core_gtpc_punt(core, msg);
        break;
    case MSG_HOP_WANTED:
        if (core->neighbours.arg)
            core->neighbours.on_hop_wanted(core->neighbours.arg, msg->hop.ip);
        break;
    case MSG_MS_HEARD:
    case MSG_PAGE_WANTED:
    case MSG_MS_REACHED:
        take_news(core, msg);
        break;
    case MSG_GN_ECHOED:
        core_path_answered(core, msg);
        break;
    case MSG_TUNNEL_ERROR:
        take_tunnel_error(core, msg);
        break;
    case MSG_UNKNOWN_TLLI:
        take_unknown(core, msg);
        break;
    default:
        take_answer(core, msg);
        break;
    }
}

/* Not more than so many, or a flood would keep timers and other workers waiting. */
static unsigned receive_some(struct core *core, const struct core_link *link)
{
    struct msg msg;
    unsigned count = 0;
    for (; count < RECEIVE_BURST && msg_take(link->rings->to_control, &msg); count++)
        receive(core, &msg);
    return count;
}

int64_t core_step(struct core *core, int64_t now)
{
    unsigned moved = 0;

    core->now = now;
    for (unsigned i = 0; i < core->workers; i++)
        moved += receive_some(core, &core->links[i]);
    if (core->timer_ns <= now) {
        lua_gb_advance(&core->gb, now);
        core_llc_advance(core);
        core_path_advance(core);
        core_gtpc_advance(core);
        moved++;
    }
    if (moved)
        core->timer_ns = next_timer_ns(core);
    for (unsigned i = 0; i < core->workers; i++)
        moved += core_link_flush(&core->links[i]);
    return moved ? now : core->timer_ns;
}
