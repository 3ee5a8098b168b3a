/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_link.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_BACKLOG 256

static void keep(struct core_link *link, const struct msg *msg)
{
    if (link->count == link->cap) {
        link->cap = link->cap ? 2 * link->cap : LEAST_BACKLOG;
        link->backlog = reallocarray(link->backlog, link->cap, sizeof(*link->backlog));
        if (!link->backlog) {
            fprintf(stderr, "gbflow: out of memory for messages to the worker\n");
            exit(1);
        }
    }
    link->backlog[link->count++] = *msg;
}

void core_link_put(struct core_link *link, const struct msg *msg)
{
    if (link->count > 0 || !msg_put(link->rings->to_worker, msg))
        keep(link, msg);
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
