/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders from control: takes messages off the ring, applies them to the tables, answers each. */
#ifndef DATAPLANE_WORKER_ORDERS_H
#define DATAPLANE_WORKER_ORDERS_H

#include <stdint.h>

struct worker;

/* Applies a bounded number of messages; returns how many. */
unsigned orders_apply(struct worker *w, int64_t now);

#endif
