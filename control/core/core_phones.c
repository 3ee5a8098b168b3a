/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones of the control core: what their machines in Lua want of the HLR, of DNS and of GTP-C. */
#include "control/core/core.h"

#include "control/core/core_intent.h"

void core_phones_cell(struct core *core, const struct node_config_cell *cell)
{
    const struct core_event_cell place = {
        .mcc = cell->mcc, .mnc = cell->mnc, .lac = cell->lac, .ci = cell->ci, .rac = cell->rac};
    core_tell(core, phones_cell_add, LUA_ARG(core->config->nses[cell->nse].nsei), LUA_ARG(cell->bvci),
              CORE_RECORD(cell, &place));
}

void core_phones_configure(struct core *core, struct lua_State *from)
{
    if (!core_has(core, phones))
        return;
    core_tell(core, phones_configure, LUA_AT(from, "phones"));
    if (core->gtpc.object.L)
        lua_gtpc_configure(&core->gtpc, from, core->now);
}

/* --- intents --- */

void core_phones_sgsn(struct core *core, struct core_intent *intent)
{
    core_tell(core, phones_sgsn, LUA_OCTETS(intent->octets.bytes, intent->octets.count));
}

void core_phones_dns_ask(struct core *core, struct core_intent *intent)
{
    if (core->dns.arg && intent->peer && intent->text)
        core->dns.ask(core->dns.arg, intent->id, intent->text, intent->peer, intent->is_ipv6);
}

void core_phones_hlr_open(struct core *core, struct core_intent *intent)
{
    if (core->hlr.arg && intent->peer)
        core->hlr.open(core->hlr.arg, intent->peer, intent->port);
}

void core_phones_hlr_send(struct core *core, struct core_intent *intent)
{
    if (core->hlr.arg && intent->octets.count > 0)
        core->hlr.send(core->hlr.arg, intent->octets.bytes, intent->octets.count);
}

void core_phones_hlr_close(struct core *core, struct core_intent *unused_intent)
{
    (void)unused_intent;
    if (core->hlr.arg)
        core->hlr.close(core->hlr.arg);
}
