/* SPDX-License-Identifier: BSD-3-Clause */
/* Announcements of a cell's leaky buckets. For the files of this folder alone. */
#ifndef BSS_ANNOUNCE_H
#define BSS_ANNOUNCE_H

#include "bss/model.h"

void bss_announce_init(struct bss *bss, struct bss_cell *cell);
void bss_announce_start(struct bss *bss, struct bss_cell *cell, int64_t now);
void bss_announce_stop(struct bss *bss, struct bss_cell *cell, int64_t now);
void bss_announce_ack(struct bss *bss, struct bss_cell *cell, const struct bssgp *pdu, int64_t now);
bool bss_announce_expire(struct bss *bss, struct bss_cell *cell, int64_t now);
/* Call it when the queue of a cell with a radio may have changed: thresholds announce rate 0 and the old rate
 * again.
 */
void bss_announce_look(struct bss_cell *cell, int64_t now);

#endif
