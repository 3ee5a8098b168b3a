/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends requests of the control core to workers, allocates their mbufs, and writes log lines. */
#ifndef CONTROL_CORE_CORE_ORDER_H
#define CONTROL_CORE_CORE_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct core;
struct msg;
struct rte_mbuf;

/* core_dispatch.c: sends a request to the worker that has its subject (msgs.def), to all workers if it has
 * none. Requests to one worker arrive in the order of the calls. Owns the mbuf from now on. */
void core_order(struct core *core, const struct msg *msg);

/* Sends a request to one worker and sets its sequence number. Requests about a mobile must use core_order()
 * or mobility.h. */
void core_request(struct core *core, unsigned worker, const struct msg *msg);

/* Sends a request to all workers except `but`, which may be a number that no worker has. */
void core_request_others(struct core *core, unsigned but, const struct msg *msg);

/* An mbuf with these octets for a message to a worker; NULL, counted in send_failures: no mbuf is free. */
struct rte_mbuf *core_buffer(struct core *core, const void *bytes, size_t octets);

/* Writes a log line; of level info only if core->is_verbose. */
void core_tell(const struct core *core, const char *who, const char *level, const char *text);

/* Sends a whole frame on a port (enum msg_port). */
void core_send_frame(struct core *core, unsigned port, const uint8_t *frame, size_t octets);

/* How many requests workers have not answered yet. */
uint32_t core_unanswered(const struct core *core);

#endif
