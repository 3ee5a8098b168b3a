/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about a mobile's LLC; each applies from the next frame on. */
#ifndef DATAPLANE_WORKER_LLC_ORDERS_H
#define DATAPLANE_WORKER_LLC_ORDERS_H

#include <stdint.h>

struct msg;
struct worker;

/* Carries out MSG_MS_CIPHER, MSG_MS_PM or MSG_MS_N201; 0, or -1. Fills in the answer as msg.h says. */
int llc_orders_apply(struct worker *w, const struct msg *order, struct msg *answer, int64_t now);

#endif
