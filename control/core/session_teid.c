/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/session_teid.h"

#include "dataplane/base/teid.h"

bool session_teid_is_taken(const struct sessions *s, uint32_t sgsn_ip, uint32_t teid)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && s->list[i].sgsn_ip == sgsn_ip && s->list[i].teid == teid)
            return true;
    return false;
}

static unsigned bits_of(const struct sessions *s)
{
    return teid_slot_bits(s->core->config->limits.contexts);
}

uint32_t session_teid_give(const struct sessions *s, const struct session *session)
{
    uint32_t teid = 0;
    unsigned bits = bits_of(s), generations = teid_generations(bits);
    for (unsigned i = 0; i < generations; i++) {
        unsigned generation = (session->generation - 1 + i) % generations + 1;
        teid = teid_make(session->home, generation, session->pdp, bits);
        if (s->lookalikes == 0 || !session_teid_is_taken(s, session->sgsn_ip, teid))
            break;
    }
    return teid;
}

bool session_teid_is_lookalike(const struct sessions *s, const struct session *session)
{
    unsigned worker = teid_worker(session->teid);
    bool is_worker = worker == 0 || worker < s->core->workers;
    return !session->is_teid_given && is_worker && teid_is_of(session->teid, worker, bits_of(s));
}

/* Counts a tunnel at a local address up or down; true: it is the first or the last one. When the table is
 * full, the address is not counted, and workers treat it as one without tunnels. */
static bool count_address(struct sessions *s, uint32_t ip, bool is_there)
{
    for (uint32_t i = 0; i < s->address_count; i++) {
        struct lookup_address *address = &s->addresses[i];
        if (address->ip != ip)
            continue;
        address->users += is_there ? 1u : UINT32_MAX;
        if (address->users > 0)
            return false;
        *address = s->addresses[--s->address_count];
        return true;
    }
    if (!is_there || s->address_count == LOOKUP_ADDRESSES)
        return false;
    s->addresses[s->address_count++] = (struct lookup_address){.ip = ip, .users = 1};
    return true;
}

void session_teid_tell(struct sessions *s, const struct session *session, bool is_there)
{
    struct msg address = {.type = MSG_GN_ADDRESS, .address = {.ip = session->sgsn_ip, .is_there = is_there}};
    struct msg tunnel = {.type = MSG_TUNNEL_AT,
                         .tunnel = {.sgsn_ip = session->sgsn_ip,
                                    .teid = session->teid,
                                    .worker = session->home,
                                    .is_there = is_there}};
    if (s->core->workers <= 1)
        return;
    if (count_address(s, session->sgsn_ip, is_there))
        core_order(s->core, &address);
    if (!session->is_teid_given)
        core_request_others(s->core, session->home, &tunnel);
}
