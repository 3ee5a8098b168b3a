/* SPDX-License-Identifier: BSD-3-Clause */
/* PDCHs that come and go, because circuit-switched calls have the first right to a cell's timeslots.

   Model. Blocks on the air end as if nothing had happened. When no PDCH is left every TBF ends: what a mobile
   had not got whole waits from its first octet on, more may come, and nothing is sent or set up. When there
   are PDCHs again, whoever has something to send sets up a TBF anew. With `restart_wait_ns` a mobile whose
   downlink TBF was lost gets the next one only when it asks for an uplink channel, or after that time.

   Here a PDCH has no number: a call takes any, and mobiles go on with the others. */
#ifndef BSS_RADIO_CHANNELS_H
#define BSS_RADIO_CHANNELS_H

#include "bss/radio.h"

/** From the period on that begins at `now`, or the first after, so many PDCHs carry blocks: 0 to those of the
    configuration. What was due before has to be done: radio_step(). */
void radio_channels_set(struct radio *radio, unsigned pdchs, int64_t now);

/** Throws away what waits for the cell's mobiles, RADIO_DISCARD_PREEMPTED; only while there is no PDCH. */
void radio_channels_flush(struct radio *radio, int64_t now);

#endif
