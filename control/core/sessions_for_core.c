/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/sessions.h"
#include "control/core/sessions_gtpc.h"

static void on_tunnel_error(void *arg, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip)
{
    sessions_lose(arg, ggsn_ip, ggsn_teid, sgsn_ip);
}

static void on_path_lost(void *arg, uint32_t ours, uint32_t theirs)
{
    sessions_lose_path(arg, ours, theirs);
}

static void on_given(void *arg, uint64_t id, const struct core_given *given)
{
    sessions_gtpc_up(arg, id, given);
}

static void on_class(void *arg, uint64_t id, uint8_t qclass)
{
    sessions_gtpc_class(arg, id, qclass);
}

static void on_gone(void *arg, uint64_t id)
{
    sessions_gtpc_down(arg, id);
}

static void on_ended(void *arg, uint64_t id, int cause)
{
    sessions_gtpc_ended(arg, id, cause);
}

static uint32_t add_phone(void *arg, uint32_t tlli, uint16_t cell)
{
    return sessions_phones_add(arg, tlli, cell);
}

static void set_phone_tlli(void *arg, uint32_t slot, uint32_t tlli)
{
    sessions_phones_tlli(arg, slot, tlli);
}

static void set_phone_imsi(void *arg, uint32_t slot, const char *imsi)
{
    sessions_phones_imsi(arg, slot, imsi);
}

static void del_phone(void *arg, uint32_t slot)
{
    sessions_phones_del(arg, slot);
}

static bool want_context(void *arg, uint32_t slot, const struct core_phone_context *context)
{
    return sessions_phones_want(arg, slot, context);
}

static void drop_context(void *arg, uint32_t slot, uint8_t nsapi)
{
    sessions_gtpc_drop(arg, slot, nsapi);
}

static bool is_phone(void *arg, uint32_t slot)
{
    const struct sessions *s = arg;
    return slot < s->core->config->limits.mobiles && s->mobiles[slot].in_use && s->mobiles[slot].is_phone;
}

static bool tlli_of_slot(void *arg, uint32_t slot, uint32_t *tlli)
{
    const struct sessions *s = arg;
    if (slot >= s->core->config->limits.mobiles || !s->mobiles[slot].in_use)
        return false;
    *tlli = s->mobiles[slot].tlli;
    return true;
}

static bool tlli_of_imsi(void *arg, const char *imsi, uint32_t *tlli)
{
    const struct sessions *s = arg;
    return tlli_of_slot(arg, sessions_find_mobile(s, imsi), tlli);
}

static void adopt_mobiles(void *arg)
{
    sessions_restart_mobiles(arg);
}

static void adopt_contexts(void *arg)
{
    sessions_restart_contexts(arg);
}

struct core_mobiles sessions_for_core(struct sessions *s)
{
    return (struct core_mobiles){
        .arg = s,
        .on_tunnel_error = on_tunnel_error,
        .on_path_lost = on_path_lost,
        .on_given = on_given,
        .on_class = on_class,
        .on_gone = on_gone,
        .on_ended = on_ended,
        .add_phone = add_phone,
        .set_phone_tlli = set_phone_tlli,
        .set_phone_imsi = set_phone_imsi,
        .del_phone = del_phone,
        .want_context = want_context,
        .drop_context = drop_context,
        .is_phone = is_phone,
        .tlli_of_slot = tlli_of_slot,
        .tlli_of_imsi = tlli_of_imsi,
        .adopt_mobiles = adopt_mobiles,
        .adopt_contexts = adopt_contexts,
    };
}
