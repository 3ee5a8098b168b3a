/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders to the workers by their subject (msgs.def): about an NSE, NS-VC or cell to the worker that has it;
 * about a mobile or context to the mobile's home or server (mobility.h); without a subject to all workers.
 */
#ifndef CONTROL_CORE_CORE_ORDER_H
#define CONTROL_CORE_CORE_ORDER_H

#include <stddef.h>

struct core;
struct msg;

/* Orders to one worker arrive in the sequence of the calls. Owns the mbuf from now on. */
void core_order(struct core *core, const struct msg *msg);

/* core_order() with these octets in an mbuf; counted in send_failures when no mbuf is free. */
void core_order_octets(struct core *core, struct msg *msg, const void *octets, size_t count);

#endif
