/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions for the core (core.h): intents and messages that are about mobiles and contexts. */
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/sessions/sessions_gtpc.h"

/* --- intents --- */

static void act(void *arg, enum core_intent_op op, struct core_intent *intent)
{
    static sessions_action *const actions[] = {
#define INTENT_SESSIONS_MSG(op, MESSAGE, fields, action) [CORE_INTENT_##op] = action,
#define INTENT_SESSIONS(op, fields, action)              [CORE_INTENT_##op] = action,
#include "control/core/intents.def"
    };
    actions[op](arg, intent);
}

/* --- messages of workers --- */

static bool take_tunnel_error(struct sessions *s, const struct msg *msg)
{
    const struct msg_tunnel_error *error = &msg->tunnel_error;
    sessions_lose(s, error->ggsn_ip, error->teid, error->is_elsewhere ? error->sgsn_ip : 0);
    return true;
}

static bool take_answer(struct sessions *s, const struct msg *msg)
{
    if (msg->answer.type == MSG_MS_DEL)
        gone_note(&s->gone, &msg->answer.gone);
    else
        (msg->answer.type == MSG_MS_HOLD ? sessions_phones_held : sessions_gtpc_llc)(s, msg);
    return true;
}

static bool take_llc_lost(struct sessions *s, const struct msg *msg)
{
    sessions_gtpc_llc_lost(s, msg);
    return true;
}

static bool take(void *arg, const struct msg *msg)
{
    static bool (*const takers[MSG_TYPES])(struct sessions * s, const struct msg *msg) = {
        [MSG_ANSWER] = take_answer,
        [MSG_TUNNEL_ERROR] = take_tunnel_error,
        [MSG_LLC_LOST] = take_llc_lost,
        [MSG_UNKNOWN_TLLI] = sessions_phones_admit,
        [MSG_PUNT_LLC] = sessions_phones_punt,
        [MSG_MS_REACHED] = sessions_phones_reached,
    };
    return takers[msg->type](arg, msg);
}

/* --- queries, and a restart of control --- */

static bool is_listed(void *arg, const char *imsi)
{
    const struct sessions *s = arg;
    uint32_t mobile = sessions_find_mobile(s, imsi);
    return mobile != SESSIONS_NONE && s->mobiles[mobile].is_listed;
}

static void adopt_mobiles(void *arg)
{
    sessions_restart_mobiles(arg);
}

static void adopt_contexts(void *arg)
{
    sessions_restart_contexts(arg);
}

void sessions_core_join(struct sessions *s)
{
    s->core->sessions = (struct core_sessions){s, act, take, is_listed, adopt_mobiles, adopt_contexts};
}
