/* SPDX-License-Identifier: BSD-3-Clause */
/* NSEIs and BVCIs in intents are those of the configuration, so their indices are there. */
#include "control/core/core_intent.h"

#include "control/core/core.h"
#include "control/core/core_llc.h"
#include "control/core/core_nsvc.h"

static uint16_t nse_of(const struct core *core, uint32_t nsei)
{
    return (uint16_t)node_config_nse(core->config, nsei);
}

static uint16_t cell_of(const struct core *core, uint32_t nsei, uint32_t bvci)
{
    return (uint16_t)node_config_cell(core->config, node_config_nse(core->config, nsei), bvci);
}

static unsigned worker_of_nse(const struct core *core, uint32_t nsei)
{
    return core->config->nses[nse_of(core, nsei)].worker;
}

static void send_pdu(struct core *core, const struct lua_gb_intent *intent)
{
    struct rte_mbuf *mbuf = core_buffer(core, intent->bytes, intent->octets);
    struct msg msg = {.type = MSG_SEND, .slot = intent->nsvc, .mbuf = mbuf};
    if (mbuf)
        core_order(core, &msg);
}

static struct gb_flow flow_of(const struct lua_gb_intent *intent)
{
    return (struct gb_flow){
        .bucket_octets = intent->bucket_octets,
        .rate_bps = intent->rate_bps,
        .ms_bucket_octets = intent->ms_bucket_octets,
        .ms_rate_bps = intent->ms_rate_bps,
        .ratio_percent = intent->ratio_percent,
        .delay_cs = (uint16_t)intent->measurement_cs,
        .has_delay = intent->measurement_cs >= 0,
    };
}

static void order_bvc(struct core *core, const struct lua_gb_intent *intent)
{
    struct msg msg = {.slot = cell_of(core, intent->nsei, intent->bvci)};

    switch (intent->op) {
    case LUA_GB_BVC_RESET:
        msg.type = MSG_BVC_RESET;
        break;
    case LUA_GB_BVC_STATE:
        msg.type = MSG_BVC_UNBLOCK;
        msg.is_unblocked = intent->is_usable;
        break;
    default:
        msg.type = MSG_BVC_FLOW;
        msg.flow = flow_of(intent);
        break;
    }
    core_order(core, &msg);
    /* Only now the worker takes frames for mobiles there. */
    if (msg.type == MSG_BVC_FLOW)
        core_llc_cell_open(core, intent->nsei, intent->bvci);
}

/* --- one mobile: by TLLI and the NSE that the worker has it in --- */

static void order_flow(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = intent->op == LUA_GB_PFC_FLOW  ? MSG_PFC_FLOW
                : intent->op == LUA_GB_MS_FLOW ? MSG_MS_FLOW
                                               : MSG_MS_DEFAULTS;
    if (intent->op == LUA_GB_PFC_FLOW)
        msg->pfc = (struct msg_pfc){.pfi = intent->pfi, .flow = flow_of(intent)};
    else
        msg->flow = flow_of(intent);
    core_order(core, msg);
}

static void order_pfc(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = intent->op == LUA_GB_PFC_ADD ? MSG_PFC_ADD : MSG_PFC_DEL;
    msg->pfi = intent->pfi;
    core_order(core, msg);
}

static void order_label(struct core *core, const struct lua_gb_intent *intent)
{
    struct msg msg = {.type = MSG_PDP_PFI, .slot = intent->pdp, .pfi = intent->pfi};
    core_order(core, &msg);
}

static void order_discarded(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = MSG_MS_DISCARDED;
    msg->discard = (struct gb_discard){.octets = intent->octets,
                                       .ms = MS_NONE,
                                       .bvc = cell_of(core, intent->nsei, intent->bvci),
                                       .pfi = intent->pfi};
    core_request(core, worker_of_nse(core, intent->nsei), msg);
}

/* Each cell's part goes to its worker; that of the new one may concern a mobile that is on its way there. */
static void order_flushed(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    bool is_transferred = intent->bvci_new != 0;
    unsigned worker = worker_of_nse(core, intent->nsei);
    msg->type = MSG_MS_FLUSHED;
    msg->nse = nse_of(core, intent->nsei_home);
    msg->flush = (struct gb_flush){
        .octets = intent->octets,
        .ms = MS_NONE,
        .from = cell_of(core, intent->nsei, intent->bvci),
        .to = is_transferred ? cell_of(core, intent->nsei_new, intent->bvci_new) : GB_BVC_NONE,
    };
    if (!is_transferred || worker_of_nse(core, intent->nsei_new) == worker) {
        core_request(core, worker, msg);
        return;
    }
    struct msg arrived = *msg;
    msg->flush.to = arrived.flush.from = GB_BVC_NONE;
    core_request(core, worker, msg);
    core_order(core, &arrived);
}

static void order_freeze(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = intent->op == LUA_GB_MS_LOST ? MSG_MS_LOST : MSG_MS_SUSPEND;
    if (intent->op == LUA_GB_MS_LOST)
        msg->is_lost = true;
    else
        msg->is_suspended = intent->op == LUA_GB_MS_SUSPEND;
    const struct core_mobiles *mobiles = &core->mobiles;
    if (intent->imsi && !(mobiles->arg && mobiles->tlli_of_imsi(mobiles->arg, intent->imsi, &msg->tlli)))
        return;
    core_order(core, msg);
}

static void order_move(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = MSG_MS_CELL;
    msg->cell.bvc = cell_of(core, intent->nsei_new, intent->bvci_new);
    msg->cell.is_lost = intent->op == LUA_GB_MS_PARK;
    mobility_go(&core->mobility, msg);
}

/* Its index may be another's when the worker has answered. */
static void order_end(struct core *core, const struct lua_gb_intent *intent)
{
    bool is_nse = intent->op == LUA_GB_NSE_DEL;
    struct msg msg = {.type = is_nse ? MSG_NSE_DEL : MSG_BVC_DEL};
    if (is_nse) {
        msg.slot = nse_of(core, intent->nsei);
        core->config->nses[msg.slot].is_gone = core->config->nses[msg.slot].is_leaving = true;
    } else {
        msg.slot = cell_of(core, intent->nsei, intent->bvci);
        core->config->cells[msg.slot].is_gone = core->config->cells[msg.slot].is_leaving = true;
        core_llc_cell_closed(core, intent->nsei, intent->bvci);
    }
    core_order(core, &msg);
}

static void order_elements(struct core *core, const struct lua_gb_intent *intent, struct msg *msg)
{
    msg->type = MSG_MS_ELEMENTS;
    msg->elements = intent->elements;
    core_order(core, msg);
}

/* --- all of them --- */

static void order_ms(struct core *core, const struct lua_gb_intent *intent)
{
    struct msg msg = {.nse = nse_of(core, intent->nsei), .tlli = intent->tlli};

    switch (intent->op) {
    case LUA_GB_PFC_ADD:
    case LUA_GB_PFC_DEL:
        order_pfc(core, intent, &msg);
        break;
    case LUA_GB_DISCARDED:
        order_discarded(core, intent, &msg);
        break;
    case LUA_GB_FLUSHED:
        order_flushed(core, intent, &msg);
        break;
    case LUA_GB_MS_SUSPEND:
    case LUA_GB_MS_RESUME:
    case LUA_GB_MS_LOST:
        order_freeze(core, intent, &msg);
        break;
    case LUA_GB_PAGE_END:
        msg.type = MSG_PAGE_END;
        core_order(core, &msg);
        break;
    case LUA_GB_MS_MOVE:
    case LUA_GB_MS_PARK:
        order_move(core, intent, &msg);
        break;
    case LUA_GB_MS_ELEMENTS:
        order_elements(core, intent, &msg);
        break;
    default:
        order_flow(core, intent, &msg);
        break;
    }
}

void core_intent_apply(void *self, const struct lua_gb_intent *intent)
{
    struct core *core = self;

    switch (intent->op) {
    case LUA_GB_SEND:
        send_pdu(core, intent);
        break;
    case LUA_GB_NSVC_ADD:
    case LUA_GB_NSVC_DEL:
    case LUA_GB_NSVC_WEIGHT:
    case LUA_GB_NSVC_STATE:
        core_nsvc_apply(core, intent);
        break;
    case LUA_GB_BVC_RESET:
    case LUA_GB_BVC_STATE:
    case LUA_GB_BVC_FLOW:
        order_bvc(core, intent);
        break;
    case LUA_GB_NSE_DEL:
    case LUA_GB_BVC_DEL:
        order_end(core, intent);
        break;
    case LUA_GB_PDP_PFI:
        order_label(core, intent);
        break;
    case LUA_GB_LOG:
        core_tell(core, "gb", intent->level, intent->text);
        break;
    default:
        order_ms(core, intent);
        break;
    }
}
