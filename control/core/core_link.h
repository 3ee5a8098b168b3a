/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link to workers: control's end of the rings to each worker: messages go out in the order of the calls,
 * also when the ring is full for a while.
 */
#ifndef CONTROL_CORE_CORE_LINK_H
#define CONTROL_CORE_CORE_LINK_H

#include "control/core/core_share.h"
#include "dataplane/worker/msg.h"

#include <stddef.h>
#include <stdint.h>

#define CORE_LINK_MOST                                                                                       \
    (1u << 22) /* messages that wait for the ring: those of 1 Mi mobiles and 2 Mi contexts at start */

struct core;
struct rte_mbuf;

struct core_link {
    struct msg_rings *rings; /* the worker's */
    struct core_share_round round;
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

/* Sends an order to one worker and sets its sequence number. Orders about a mobile must use core_order()
 * or mobility.h. */
void core_link_order(struct core *core, unsigned worker, const struct msg *msg);

/* Sends an order to all workers except `but`, which may be a number that no worker has. */
void core_link_order_others(struct core *core, unsigned but, const struct msg *msg);

/* An mbuf with these octets for a message to a worker; NULL, counted in send_failures: no mbuf is free. */
struct rte_mbuf *core_link_buffer(struct core *core, const void *bytes, size_t octets);

/* Sends a whole frame through the queue that a worker has of a port (enum msg_port). */
void core_link_send_frame(struct core *core, unsigned worker, unsigned port, const uint8_t *frame,
                          size_t octets);

/* How many orders workers have not answered yet. */
uint32_t core_link_unanswered(const struct core *core);

#endif
