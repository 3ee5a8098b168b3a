/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Orders to make, delete and move mobiles and contexts in this worker (msgs.def): the tables and all look-ups
 * that lead to them. Guests, mobiles that another worker is the home of, are refused. All return 0, or -1 and
 * nothing has changed.
 */
#ifndef DATAPLANE_WORKER_SESSION_ORDERS_H
#define DATAPLANE_WORKER_SESSION_ORDERS_H

#include <stdbool.h>
#include <stdint.h>

struct worker;

/* A mobile goes to another cell of this worker; also a guest. is_lost: without having been heard there. */
int session_orders_ms_cell(struct worker *w, uint32_t index, uint16_t bvc, bool is_lost, int64_t now);

/* Deletes a context. */
int session_orders_end_pdp(struct worker *w, uint32_t index, int64_t now);

#endif
