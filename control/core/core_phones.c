/* SPDX-License-Identifier: BSD-3-Clause */
/* Phones of the control core: their machines in Lua, and the intents of these. */
#include "control/core/core.h"

#include "control/core/core_intent.h"

static bool has_phones(const struct core *core)
{
    return core->phones.object.L != NULL;
}

static bool is_listed(void *arg, const char *imsi)
{
    const struct core_sessions *sessions = &((const struct core *)arg)->sessions;
    return sessions->arg && sessions->is_listed(sessions->arg, imsi);
}

void core_phones_init(struct core *core)
{
    core->phones.arg = core;
    core->phones.is_listed = is_listed;
    lua_pushvalue(core->intents.L, -1);
    lua_phones_init(&core->phones, &core->intents);
}

void core_phones_fini(struct core *core)
{
    lua_phones_fini(&core->phones);
}

void core_phones_start(struct core *core)
{
    if (core->phones.object.L)
        lua_phones_start(&core->phones, core->now);
}

void core_phones_cell(struct core *core, const struct node_config_cell *cell)
{
    const struct lua_phones_cell place = {.nsei = core->config->nses[cell->nse].nsei,
                                          .bvci = cell->bvci,
                                          .mcc = cell->mcc,
                                          .mnc = cell->mnc,
                                          .lac = cell->lac,
                                          .rac = cell->rac};
    if (core->phones.object.L)
        lua_phones_cell_add(&core->phones, &place);
}

void core_phones_cell_gone(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (core->phones.object.L)
        lua_phones_cell_del(&core->phones, nsei, bvci);
}

void core_phones_set(struct core *core, const char *name, int64_t value)
{
    if (core->phones.object.L)
        lua_phones_set(&core->phones, name, value);
}

void core_phones_configure(struct core *core, struct lua_State *from)
{
    if (!has_phones(core))
        return;
    lua_phones_configure(&core->phones, from, core->now);
    if (core->gtpc.object.L)
        lua_gtpc_configure(&core->gtpc, from, core->now);
    core->has_new_timers = true;
}

void core_phones_listed(struct core *core, const char *imsi)
{
    if (!has_phones(core))
        return;
    lua_phones_listed(&core->phones, imsi, core->now);
    core->has_new_timers = true;
}

void core_phones_sgsn(struct core *core, struct core_intent *intent)
{
    if (!has_phones(core))
        return;
    lua_phones_sgsn(&core->phones, intent->octets.bytes, intent->octets.count, core->now);
    core->has_new_timers = true;
}

void core_phones_dns_ask(struct core *core, struct core_intent *intent)
{
    if (core->dns.arg && intent->peer && intent->text)
        core->dns.ask(core->dns.arg, intent->id, intent->text, intent->peer, intent->is_ipv6);
}

void core_phones_resolved(struct core *core, uint64_t id, const char *address)
{
    if (!has_phones(core))
        return;
    lua_phones_resolved(&core->phones, id, address, core->now);
    core->has_new_timers = true;
}

/* --- the HLR --- */

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

void core_phones_hlr(struct core *core, bool is_up)
{
    if (!has_phones(core))
        return;
    lua_phones_hlr(&core->phones, is_up, core->now);
    core->has_new_timers = true;
}

void core_phones_hlr_octets(struct core *core, const void *octets, size_t count)
{
    if (!has_phones(core))
        return;
    lua_phones_hlr_octets(&core->phones, octets, count, core->now);
    core->has_new_timers = true;
}
