/* SPDX-License-Identifier: BSD-3-Clause */
/* Actions for intents of the Gb control plane that do more than send their message (intents.def). */
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_llc.h"

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

/* --- NSEs and cells --- */

/* The slot may be used again once the worker has answered. */
void core_gb_nse_del(struct core *core, struct core_intent *intent)
{
    struct node_config_nse *nse = &core->config->nses[intent->msg.slot];
    nse->is_gone = nse->is_leaving = true;
    core_order(core, &intent->msg);
}

void core_gb_bvc_del(struct core *core, struct core_intent *intent)
{
    struct node_config_cell *cell = &core->config->cells[intent->msg.slot];
    cell->is_gone = cell->is_leaving = true;
    core_llc_cell_closed(core, intent->nsei, intent->bvci);
    core_order(core, &intent->msg);
}

/* The worker accepts LLC frames for mobiles of the cell after this request. */
void core_gb_bvc_flow(struct core *core, struct core_intent *intent)
{
    core_order(core, &intent->msg);
    core_llc_cell_open(core, intent->nsei, intent->bvci);
}

/* --- mobiles --- */

/* The request goes to the worker of the cell, which has the bucket, since the mobile may be in another cell
 * by now. */
void core_gb_discarded(struct core *core, struct core_intent *intent)
{
    intent->msg.discard.ms = MS_NONE;
    intent->msg.discard.bvc = cell_of(core, intent->nsei, intent->bvci);
    core_request(core, worker_of_nse(core, intent->nsei), &intent->msg);
}

/* Each cell's part goes to the worker of that cell; the part of the new cell may name a mobile whose move is
 * in progress. */
void core_gb_flushed(struct core *core, struct core_intent *intent)
{
    bool is_transferred = intent->bvci_new != 0;
    unsigned worker = worker_of_nse(core, intent->nsei);
    struct msg *msg = &intent->msg;
    msg->nse = nse_of(core, intent->nsei_home);
    msg->flush.ms = MS_NONE;
    msg->flush.from = cell_of(core, intent->nsei, intent->bvci);
    msg->flush.to = is_transferred ? cell_of(core, intent->nsei_new, intent->bvci_new) : GB_BVC_NONE;
    if (!is_transferred || worker_of_nse(core, intent->nsei_new) == worker) {
        core_request(core, worker, msg);
        return;
    }
    struct msg arrived = *msg;
    msg->flush.to = arrived.flush.from = GB_BVC_NONE;
    core_request(core, worker, msg);
    core_order(core, &arrived);
}

/* RADIO-STATUS may name the mobile by its IMSI. */
void core_gb_lost(struct core *core, struct core_intent *intent)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    intent->msg.is_lost = true;
    if (intent->imsi &&
        !(mobiles->arg && mobiles->tlli_of_imsi(mobiles->arg, intent->imsi, &intent->msg.tlli)))
        return;
    core_order(core, &intent->msg);
}

void core_gb_cell(struct core *core, struct core_intent *intent)
{
    intent->msg.cell.bvc = cell_of(core, intent->nsei_new, intent->bvci_new);
    mobility_go(&core->mobility, &intent->msg);
}
