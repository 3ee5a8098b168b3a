/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/sessions.h"
#include "control/core/core_gtpc.h"

static void lose(struct sessions *s, struct session *session, const char *why)
{
    uint64_t wanted = session->wanted;
    s->lost++;
    if (wanted)
        core_gtpc_lost(s->core, wanted, why); /* ends the session */
    else
        sessions_end(s, session);
}

void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        bool is_told = sgsn_ip == 0 || session->sgsn_ip == sgsn_ip;
        if (!session->is_active || session->ggsn_ip != ggsn_ip || session->ggsn_teid != ggsn_teid || !is_told)
            continue;
        lose(s, session, "an Error Indication came");
    }
}

void sessions_lose_path(struct sessions *s, uint32_t sgsn_ip, uint32_t ggsn_ip)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        if (!session->is_active || session->sgsn_ip != sgsn_ip || session->ggsn_ip != ggsn_ip)
            continue;
        lose(s, session, "its path is down");
    }
}
