/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles that are named by TLLI and NSE, as what comes on Gb names them (msgs.def); how mobiles
 * are found by these; and what a mobile that is heard means for it. */
#ifndef DATAPLANE_WORKER_ORDERS_MS_H
#define DATAPLANE_WORKER_ORDERS_MS_H

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct worker;

/* The NSE of its cell. */
uint16_t orders_ms_nse(const struct worker *w, uint32_t index);

/* Finds a mobile from now on under what it has of TLLIs, in an NSE. False: another one has them, or there is
 * no room; then nothing is changed. */
bool orders_ms_list(struct worker *w, uint32_t index, uint16_t nse);
void orders_ms_unlist(struct worker *w, uint32_t index, uint16_t nse);

/* It is heard under this TLLI of before, too, unless another one is. */
void orders_ms_list_old(struct worker *w, uint32_t index, uint32_t tlli);

/* A good frame of a mobile came under a TLLI of its on a BVCI of its NSE: it is reachable, and control is
 * told when that is not its cell. */
void orders_ms_heard(struct worker *w, uint32_t index, uint32_t tlli, uint16_t bvci, int64_t now);

#endif
