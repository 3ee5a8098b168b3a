/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones of the control core: what their machines in Lua want of the HLR, of DNS and of GTP-C. */
#include "control/core/core.h"

#include "control/core/core_intent.h"

void core_phones_sgsn(struct core *core, struct core_intent *intent)
{
    core_tell(core, phones_sgsn, LUA_OCTETS(intent->octets.bytes, intent->octets.count));
}

void core_phones_radio(struct core *core, struct core_intent *intent)
{
    const struct lua_field_octets *capability = &intent->ra_capability, *drx = &intent->drx;
    core_tell(core, gb_ms_told, LUA_ARG(intent->msg.slot), LUA_OCTETS(capability->bytes, capability->count),
              LUA_OCTETS(drx->bytes, drx->count));
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
