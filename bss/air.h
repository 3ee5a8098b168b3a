/* SPDX-License-Identifier: BSD-3-Clause */
/* The air of a cell: its radio, if it has one, and LLC-DISCARDED. Without a radio, timers do nothing and
   LLC-PDUs are delivered at once. For the files of this folder alone. */
#ifndef BSS_AIR_H
#define BSS_AIR_H

#include "bss/model.h"

/* config: NULL: no radio. False: out of memory. */
bool bss_air_init(struct bss_cell *cell, const struct radio_config *config);
void bss_air_fini(struct bss_cell *cell);
int64_t bss_air_due_ns(const struct bss_cell *cell);
void bss_air_expire(struct bss_cell *cell, int64_t now);
/* The deadline of its radio may have become earlier. */
void bss_air_wake(struct bss_cell *cell);
/* Queues an LLC-PDU towards a mobile. */
void bss_air_put(struct bss_cell *cell, const struct radio_frame *frame, uint16_t lifetime_cs, int64_t now);
/* Handles DL-UNITDATA for a cell that is up. */
void bss_air_down(struct bss_cell *cell, const struct bssgp *pdu, int64_t now);
/* Sends an LLC-PDU of a mobile. False: refused. */
bool bss_air_up(struct bss_cell *cell, const struct radio_frame *frame, int64_t now);

#endif
