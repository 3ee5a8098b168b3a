/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/context_parts.h"

/* Selects a list by its link in struct ms. */
typedef struct ms_link *(*link_of)(struct ms *ms);

static struct ms_link *in_bvc(struct ms *ms)
{
    return &ms->in_bvc;
}

static struct ms_link *in_busy(struct ms *ms)
{
    return &ms->busy;
}

static inline void add(struct ms *mobiles, uint32_t *head, struct ms *ms, link_of link)
{
    uint32_t index = (uint32_t)(ms - mobiles);
    *link(ms) = (struct ms_link){.prev = MS_NONE, .next = *head};
    if (*head != MS_NONE)
        link(&mobiles[*head])->prev = index;
    *head = index;
}

static inline void take(struct ms *mobiles, uint32_t *head, struct ms *ms, link_of link)
{
    struct ms_link *own = link(ms);
    if (own->prev != MS_NONE)
        link(&mobiles[own->prev])->next = own->next;
    else
        *head = own->next;
    if (own->next != MS_NONE)
        link(&mobiles[own->next])->prev = own->prev;
}

void context_list_add(struct context *c, struct ms *ms)
{
    add(c->mobiles, &c->bvcs[ms->bvc].ms_head, ms, in_bvc);
}

void context_list_remove(struct context *c, struct ms *ms)
{
    take(c->mobiles, &c->bvcs[ms->bvc].ms_head, ms, in_bvc);
}

void context_busy_add(struct context *c, struct ms *ms)
{
    if (ms->is_busy)
        return;
    ms->is_busy = true;
    add(c->mobiles, &c->bvcs[ms->bvc].busy_head, ms, in_busy);
}

void context_busy_remove(struct context *c, struct ms *ms)
{
    if (!ms->is_busy)
        return;
    ms->is_busy = false;
    take(c->mobiles, &c->bvcs[ms->bvc].busy_head, ms, in_busy);
}
