/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of the control core to workers, with buffers for them, and its lines of the log. */
#ifndef CONTROL_CORE_CORE_ORDER_H
#define CONTROL_CORE_CORE_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct core;
struct msg;
struct rte_mbuf;

/* core_dispatch.c: sends an order to the worker that has its subject (msgs.def), to all workers if it has
 * none. Orders to one worker arrive in the order of the calls. Takes the buffer over. */
void core_order(struct core *core, const struct msg *msg);

/* Sends an order to one worker; its sequence number is set here. Orders about a mobile go through
 * core_order() or mobility.h. */
void core_request(struct core *core, unsigned worker, const struct msg *msg);

/* To all but one; `but` may be none of them. */
void core_request_others(struct core *core, unsigned but, const struct msg *msg);

/* A buffer with these octets for a message to a worker; NULL, and counted, when there is none. */
struct rte_mbuf *core_buffer(struct core *core, const void *bytes, size_t octets);

/* A line of the log; level info only where it is wanted. */
void core_tell(const struct core *core, const char *who, const char *level, const char *text);

/* Sends a whole frame on a port (enum msg_port). */
void core_send_frame(struct core *core, unsigned port, const uint8_t *frame, size_t octets);

#endif
