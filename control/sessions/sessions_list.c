/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of sessions: slots of contexts, taken and found by TEID. */
#include "control/sessions/sessions.h"

#include <stdlib.h>

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* All places of a live node at once: to move half a million of them takes tens of milliseconds. The kernel
 * gives the memory when it is used. */
static bool take_all(struct sessions *s, uint32_t contexts)
{
    s->cap = contexts;
    s->list = reallocarray(NULL, contexts, sizeof(*s->list));
    return s->list;
}

bool sessions_list_new(struct sessions *s, uint32_t contexts)
{
    uint32_t buckets = 64;
    while (buckets < contexts && buckets < UINT32_C(1) << 31)
        buckets *= 2;
    s->remotes = malloc(buckets * sizeof(*s->remotes));
    s->remotes_mask = buckets - 1;
    for (uint32_t i = 0; s->remotes && i < buckets; i++)
        s->remotes[i] = SESSIONS_NONE;
    return s->remotes && (!s->core->config->live.is_on || take_all(s, contexts));
}

void sessions_list_free(struct sessions *s)
{
    free(s->list);
    free(s->remotes);
}

struct session *sessions_list_take(struct sessions *s, uint32_t pdp)
{
    uint32_t last = s->pdp_session[pdp];
    if (s->core->config->live.is_on && last != SESSIONS_NONE)
        return &s->list[last];
    if (s->count == s->cap) {
        uint32_t cap = s->cap ? 2 * s->cap : 64;
        struct session *list = reallocarray(s->list, cap, sizeof(*list));
        if (!list)
            return NULL;
        s->list = list;
        s->cap = cap;
    }
    s->pdp_session[pdp] = s->count;
    return &s->list[s->count++];
}

static uint32_t *bucket_of(const struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    uint64_t sum = ((uint64_t)ggsn_ip << 32 | ggsn_teid) * MIX;
    return &s->remotes[(uint32_t)(sum >> 32) & s->remotes_mask];
}

void sessions_list_enter(struct sessions *s, struct session *session)
{
    uint32_t *bucket = bucket_of(s, session->ggsn_ip, session->ggsn_teid);
    session->next_remote = *bucket;
    *bucket = (uint32_t)(session - s->list);
}

void sessions_list_leave(struct sessions *s, const struct session *session)
{
    uint32_t *link = bucket_of(s, session->ggsn_ip, session->ggsn_teid);
    while (*link != (uint32_t)(session - s->list))
        link = &s->list[*link].next_remote;
    *link = session->next_remote;
}

uint32_t sessions_list_first(const struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    return *bucket_of(s, ggsn_ip, ggsn_teid);
}
