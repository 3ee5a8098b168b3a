/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about limits, lifetime, weights and READY timer while packets are queued. */
#ifndef DATAPLANE_WORKER_LIMIT_ORDERS_H
#define DATAPLANE_WORKER_LIMIT_ORDERS_H

#include "dataplane/worker/msg.h"

struct worker;

bool limit_orders_is_one(uint16_t type);

/* Carries one of them out. 0, or -1: beyond the allocated memory, or invalid. */
int limit_orders_apply(struct worker *w, const struct msg *msg, int64_t now);

#endif
