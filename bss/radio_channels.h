/* SPDX-License-Identifier: BSD-3-Clause */
/* A changing number of PDCHs: circuit-switched calls have precedence on a cell's timeslots.

   Model. Blocks on the air end undisturbed. Without a PDCH every TBF ends: LLC-PDUs that have not arrived
   whole wait, to be sent from their first octet; more may be put; no block is sent and no TBF set up. When
   there are PDCHs again, LLC-PDUs whose lifetime has ended are discarded, and each mobile with waiting
   LLC-PDUs sets up a new TBF. With `restart_wait_ns` a mobile that lost its downlink TBF gets the next one
   only after that time, when it asks for an uplink channel, or when a new LLC-PDU for it comes from the SGSN.

   PDCHs are not numbered: a call takes any, and mobiles use the others. */
#ifndef BSS_RADIO_CHANNELS_H
#define BSS_RADIO_CHANNELS_H

#include "bss/radio.h"

/** Sets the PDCHs that carry blocks, 0 to the configured number, from the first period that begins at or
   after `now`. Call radio_step() for `now` first. */
void radio_channels_set(struct radio *radio, unsigned pdchs, int64_t now);

/** Discards the downlink LLC-PDUs of the mobiles in the cell, RADIO_DISCARD_PREEMPTED; only while there is no
   PDCH. */
void radio_channels_flush(struct radio *radio, int64_t now);

#endif
