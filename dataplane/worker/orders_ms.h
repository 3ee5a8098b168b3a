/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders about mobiles by TLLI and NSE, as BSSGP PDUs name them (msgs.def); the look-up of mobiles by both;
 * and the effects of a correct frame from a mobile. */
#ifndef DATAPLANE_WORKER_ORDERS_MS_H
#define DATAPLANE_WORKER_ORDERS_MS_H

#include "dataplane/worker/msg_payload.h"

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

/* Whether the cell is the mobile's. */
bool orders_ms_is_in(const struct worker *w, uint32_t index, struct msg_heard cell);

/* After a correct frame from a mobile with its TLLI in a cell, which may be another than its own if the frame
 * proves that it is there: the mobile is reachable, and control is told of another cell; if that is of the
 * mobile's NSE, once, and again as long as the mobile is heard there, at most once in a tick (ms.h). */
void orders_ms_heard(struct worker *w, uint32_t index, uint32_t tlli, struct msg_heard cell, int64_t now);

#endif
