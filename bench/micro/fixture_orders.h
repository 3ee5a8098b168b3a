/* SPDX-License-Identifier: BSD-3-Clause */
/* What the rigs of benchmarks order from a worker: one NSE with one NS-VC, and its cells. */
#ifndef BENCH_MICRO_FIXTURE_ORDERS_H
#define BENCH_MICRO_FIXTURE_ORDERS_H

#include "dataplane/worker/msg.h"

struct worker;

#define FIXTURE_ORDERS_SGSN_IP 0x0a000001
#define FIXTURE_ORDERS_GGSN_IP 0x0a000002

/* Ends the program with what went wrong. */
_Noreturn void fixture_orders_die(const char *what);

/* Sends a request and steps the worker at now until it is answered. */
void fixture_orders_send(struct worker *worker, const struct msg *request, int64_t now);

/* The NSE, its NS-VC and so many cells, ready to send and with this flow control. */
void fixture_orders_gb(struct worker *worker, uint32_t cells, const struct gb_flow *flow, int64_t now);

#endif
