/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BSS_BVC_H
#define BSS_BVC_H

#include "bss/calls.h"
#include "bss/radio.h"
#include "dataplane/wire/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bss;

/**
 * A mobile changes from one cell to another; both must exist. Downlink LLC-PDUs in the old cell wait there
 * for FLUSH-LL; uplink LLC-PDUs not yet sent are sent in the new cell. The SGSN learns of the change from the
 * next uplink LLC-PDU.
 */
void bss_move(struct bss *bss, uint32_t tlli, uint16_t from, uint16_t to, int64_t now);

/**
 * A mobile is no longer in a cell: neither way carries anything until bss_move() or bss_return(). LLC-PDUs of
 * both ways wait. The SGSN does not learn of it.
 */
void bss_leave(struct bss *bss, uint32_t tlli, uint16_t from);

/** A mobile that bss_leave() took out of a cell is in it again; without effect on one that is there. */
void bss_return(struct bss *bss, uint32_t tlli, uint16_t to, int64_t now);

/** As bss_move(), to a cell of another BSS. */
void bss_hand_over(struct bss *bss, uint32_t tlli, uint16_t from, struct bss *to_bss, uint16_t to,
                   int64_t now);

#endif
