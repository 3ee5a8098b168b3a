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

/* Enters a mobile's TLLIs, in an NSE, into the look-up. False: another mobile has one of them, or there is
 * no room; then nothing is changed. */
bool orders_ms_list(struct worker *w, uint32_t index, uint16_t nse);
void orders_ms_unlist(struct worker *w, uint32_t index, uint16_t nse);

/* Enters its former TLLI, too, unless another mobile has it. */
void orders_ms_list_old(struct worker *w, uint32_t index, uint32_t tlli);

/* After a correct frame from a mobile with its TLLI on a BVCI of its NSE: the mobile is reachable, and
 * control is told if the BVCI is not its cell's. */
void orders_ms_heard(struct worker *w, uint32_t index, uint32_t tlli, uint16_t bvci, int64_t now);

#endif
