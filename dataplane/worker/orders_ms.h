/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles by TLLI and NSE, as BSSGP PDUs name them (msgs.def); the look-up of mobiles by both;
 * and the effects of a correct frame from a mobile. */
#ifndef DATAPLANE_WORKER_ORDERS_MS_H
#define DATAPLANE_WORKER_ORDERS_MS_H

#include <stdbool.h>
#include <stdint.h>

struct ms;
struct worker;

/* The NSE (slot) of the mobile's cell. */
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
