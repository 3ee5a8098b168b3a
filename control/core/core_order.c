/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_order.h"

#include "control/log/log.h"
#include "control/core/core.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

void core_request(struct core *core, unsigned worker, const struct msg *msg)
{
    struct msg request = *msg;
    request.seq = ++core->seq;
    core_link_put(&core->links[worker], &request);
}

void core_request_others(struct core *core, unsigned but, const struct msg *msg)
{
    for (unsigned worker = 0; worker < core->workers; worker++)
        if (worker != but)
            core_request(core, worker, msg);
}

uint32_t core_unanswered(const struct core *core)
{
    uint32_t unanswered = core->seq - (uint32_t)core->answered;
    for (unsigned worker = 0; worker < core->workers; worker++)
        unanswered -= (uint32_t)core->links[worker].lost;
    return unanswered;
}

struct rte_mbuf *core_buffer(struct core *core, const void *bytes, size_t octets)
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

void core_send_frame(struct core *core, unsigned port, const uint8_t *frame, size_t octets)
{
    struct msg msg = {
        .type = MSG_SEND_FRAME, .port = (uint16_t)port, .mbuf = core_buffer(core, frame, octets)};
    if (msg.mbuf)
        core_request(core, 0, &msg);
}

void core_tell(const struct core *core, const char *who, const char *level, const char *text)
{
    if (core->log)
        log_line(core->log, who, level, text, core->now);
    else if (core->is_verbose || strcmp(level, "info") != 0)
        fprintf(stderr, "%s: %s: %s\n", who, level, text);
}
