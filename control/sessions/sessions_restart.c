/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions after a restart of control (core_restart.h): mobiles and contexts in the new Lua objects. */
#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_gtpc.h"
#include "control/sessions/sessions_gtpc.h"

static uint16_t cell_of(const struct sessions *s, uint32_t slot)
{
    return s->core->mobility.list[slot].cell;
}

/* Those that are found by their TLLI, or the others (mobility.h). */
static void add_mobiles(struct sessions *s, bool are_found)
{
    for (uint32_t i = 0; i < s->core->config->limits.mobiles; i++) {
        const struct sessions_mobile *mobile = &s->mobiles[i];
        uint32_t tlli = mobility_tlli(&s->core->mobility, i);
        if (!mobile->in_use || (mobility_find(&s->core->mobility, tlli) == i) != are_found)
            continue;
        core_gb_ms_add(s->core, i, tlli, mobile->imsi, cell_of(s, i));
        core_gb_llc_ms_add(s->core, i, cell_of(s, i), NULL);
    }
}

void sessions_restart_mobiles(struct sessions *s)
{
    add_mobiles(s, true);
    add_mobiles(s, false);
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active)
            sessions_tell_llc(s, &s->list[i], true);
}

/* A phone is told that its context is over; a configured one is requested from the start. */
static void request_again(struct sessions *s, uint32_t pdp)
{
    const struct sessions_wanted was = s->wanted[pdp];
    if (was.is_once) {
        sessions_gtpc_end(s, was.id, -1);
        return;
    }
    s->mobiles[was.params.mobile].wanted++; /* it stays meanwhile */
    sessions_gtpc_forget(s, pdp);
    sessions_gtpc_want(s, was.params.mobile, "", was.apn, &was.params);
    s->mobiles[was.params.mobile].wanted--;
}

static void adopt_wanted(struct sessions *s)
{
    const struct core *core = s->core;
    for (uint32_t pdp = 0; s->wanted && pdp < core->config->limits.contexts; pdp++) {
        const struct sessions_wanted *wanted = &s->wanted[pdp];
        if (wanted->id == 0)
            continue;
        if (core_ask(core, gtpc_has, false, LUA_ARG(wanted->id)))
            core_tell(s->core, gtpc_set_teid, LUA_ARG(wanted->id), LUA_ARG(wanted->params.teid));
        else
            request_again(s, pdp);
    }
}

/* Their contexts end at the GGSN, too. */
static void drop_contexts(struct sessions *s, uint32_t mobile)
{
    for (uint32_t pdp = 0; s->wanted && pdp < s->core->config->limits.contexts; pdp++)
        if (s->wanted[pdp].id != 0 && s->wanted[pdp].params.mobile == mobile)
            sessions_gtpc_forget(s, pdp);
}

static void drop_phones(struct sessions *s)
{
    for (uint32_t i = 0; i < s->core->config->limits.mobiles; i++) {
        if (!s->mobiles[i].in_use || !s->mobiles[i].is_phone ||
            core_ask(s->core, phones_has, false, LUA_ARG(i)))
            continue;
        drop_contexts(s, i);
        sessions_phones_drop(s, i);
    }
}

static void adopt_flows(struct sessions *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active)
            sessions_tell_flow(s, &s->list[i]);
}

void sessions_restart_contexts(struct sessions *s)
{
    adopt_wanted(s);
    drop_phones(s);
    adopt_flows(s);
}
