/* SPDX-License-Identifier: BSD-3-Clause */
/* Control's end of the rings to one worker: messages go out in the order of the calls, also when the ring is
 * full for a while. */
#ifndef CONTROL_CORE_CORE_LINK_H
#define CONTROL_CORE_CORE_LINK_H

#include "dataplane/worker/msg.h"

#include <stddef.h>

#define CORE_LINK_MOST                                                                                       \
    (1u << 22) /* messages that wait for the ring: those of 1 Mi mobiles and 2 Mi contexts at start */

struct core_link {
    struct msg_rings *rings; /* the worker's */
    struct msg *backlog;     /* messages not yet in the ring: backlog[head .. count) */
    size_t head, count, cap; /* cap <= CORE_LINK_MOST */
    uint64_t lost;           /* messages beyond it, or without memory */
};

/* Sends a message, or queues it while the ring is full; owns its mbuf from now on. A message that has no room
 * is lost and counted. */
void core_link_put(struct core_link *link, const struct msg *msg);

/* Moves queued messages to the ring while it has room; returns how many. */
unsigned core_link_flush(struct core_link *link);

/* Frees the queued messages with their mbufs. The rings are the worker's. */
void core_link_fini(struct core_link *link);

#endif
