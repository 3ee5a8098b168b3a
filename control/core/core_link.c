/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_link.h"

#include "control/core/core.h"

#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

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
    msg_free(msg);
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
        msg_free(&link->backlog[i]);
    free(link->backlog);
    *link = (struct core_link){0};
}

void core_link_order(struct core *core, unsigned worker, const struct msg *msg)
{
    struct msg order = *msg;
    order.seq = ++core->seq;
    core_link_put(&core->links[worker], &order);
}

void core_link_order_others(struct core *core, unsigned but, const struct msg *msg)
{
    for (unsigned worker = 0; worker < core->workers; worker++)
        if (worker != but)
            core_link_order(core, worker, msg);
}

uint32_t core_link_unanswered(const struct core *core)
{
    uint32_t unanswered = core->seq - (uint32_t)core->answered;
    for (unsigned worker = 0; worker < core->workers; worker++)
        unanswered -= (uint32_t)core->links[worker].lost;
    return unanswered;
}

struct rte_mbuf *core_link_buffer(struct core *core, const void *bytes, size_t octets)
{
    struct rte_mbuf *mbuf = octets <= UINT16_MAX ? rte_pktmbuf_alloc(core->pool) : NULL;
    char *room = mbuf ? rte_pktmbuf_append(mbuf, (uint16_t)octets) : NULL;
    if (!room) {
        rte_pktmbuf_free(mbuf);
        core->send_failures++;
        return NULL;
    }
    memcpy(room, bytes, octets);
    return mbuf;
}

void core_link_send_frame(struct core *core, unsigned worker, unsigned port, const uint8_t *frame,
                          size_t octets)
{
    struct msg msg = {
        .type = MSG_SEND_FRAME, .port = (uint16_t)port, .mbuf = core_link_buffer(core, frame, octets)};
    if (msg.mbuf)
        core_link_order(core, worker, &msg);
}
