/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/sessions.h"
#include "control/core/core_gtpc.h"
#include "control/core/sessions_gtpc.h"
#include "control/core/sessions_list.h"

/* The GGSN's end of a tunnel, and the local address, 0: any. */
struct end {
    uint32_t ggsn_ip, ggsn_teid, sgsn_ip;
};

static void lose(struct sessions *s, struct session *session)
{
    s->lost++;
    sessions_end(s, session);
}

/* An Error Indication proves nothing: its source can be forged, and GGSNs count their TEIDs up from 1. The
 * GGSN of a context over GTP-C is asked; of another context there is none to ask. */
static void doubt(struct sessions *s, struct session *session)
{
    if (session->wanted)
        core_gtpc_check(s->core, session->wanted);
    else
        lose(s, session);
}

/* The sessions that an Error Indication means, at most `most`: what ends one changes the list. */
static unsigned find(const struct sessions *s, const struct end *end, uint32_t *found, unsigned most)
{
    unsigned count = 0;
    uint32_t i = sessions_list_first(s, end->ggsn_ip, end->ggsn_teid);
    for (; i != SESSIONS_NONE && count < most; i = s->list[i].next_remote) {
        const struct session *session = &s->list[i];
        if (session->ggsn_ip == end->ggsn_ip && session->ggsn_teid == end->ggsn_teid &&
            (end->sgsn_ip == 0 || session->sgsn_ip == end->sgsn_ip))
            found[count++] = i;
    }
    return count;
}

void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip)
{
    uint32_t found[LOOKUP_ADDRESSES];
    const struct end end = {ggsn_ip, ggsn_teid, sgsn_ip};
    unsigned count = find(s, &end, found, LOOKUP_ADDRESSES);
    for (unsigned i = 0; i < count; i++)
        if (s->list[found[i]].is_active)
            doubt(s, &s->list[found[i]]);
}

void sessions_lose_path(struct sessions *s, uint32_t sgsn_ip, uint32_t ggsn_ip)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        if (!session->is_active || session->sgsn_ip != sgsn_ip || session->ggsn_ip != ggsn_ip)
            continue;
        if (!session->wanted) {
            lose(s, session);
            continue;
        }
        core_gtpc_lost(s->core, session->wanted, "its path is down"); /* ends the session */
    }
}

void sessions_mark(struct sessions *s, const char *imsi)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    if (mobile != SESSIONS_NONE)
        s->mobiles[mobile].is_leaving = true;
}

void sessions_sweep(struct sessions *s, uint32_t pdp)
{
    uint32_t session = s->pdp_session[pdp];
    if (sessions_gtpc_has(s, pdp) && s->mobiles[s->wanted[pdp].mobile].is_leaving)
        sessions_gtpc_forget(s, pdp);
    else if (session != SESSIONS_NONE && s->list[session].is_active &&
             s->mobiles[s->list[session].mobile].is_leaving)
        sessions_end(s, &s->list[session]);
}
