/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_link.h"

#include <rte_mbuf.h>
#include <stdlib.h>

#define LEAST_BACKLOG 256

static bool has_room(struct core_link *link)
{
    if (link->count < link->cap)
        return true;
    size_t cap = link->cap ? 2 * link->cap : LEAST_BACKLOG;
    struct msg *backlog =
        cap <= CORE_LINK_MOST ? reallocarray(link->backlog, cap, sizeof(*link->backlog)) : NULL;
    if (!backlog)
        return false;
    link->backlog = backlog;
    link->cap = cap;
    return true;
}

void core_link_put(struct core_link *link, const struct msg *msg)
{
    if (link->count == 0 && msg_put(link->rings->to_worker, msg))
        return;
    if (has_room(link)) {
        link->backlog[link->count++] = *msg;
        return;
    }
    link->lost++;
    if (msg_has_mbuf(msg->type))
        rte_pktmbuf_free(msg->mbuf);
}

unsigned core_link_flush(struct core_link *link)
{
    unsigned moved = 0;
    while (link->head < link->count && msg_put(link->rings->to_worker, &link->backlog[link->head])) {
        link->head++;
        moved++;
    }
    if (link->head == link->count)
        link->head = link->count = 0;
    return moved;
}

void core_link_fini(struct core_link *link)
{
    for (size_t i = link->head; i < link->count; i++)
        if (msg_has_mbuf(link->backlog[i].type))
            rte_pktmbuf_free(link->backlog[i].mbuf);
    free(link->backlog);
    *link = (struct core_link){0};
}
