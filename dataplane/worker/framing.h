/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink from the queue on: what the scheduler lets go becomes SNDCP in LLC in BSSGP in NS in UDP. Late
 * framing. */
#ifndef DATAPLANE_WORKER_FRAMING_H
#define DATAPLANE_WORKER_FRAMING_H

#include <stdint.h>

struct worker;

/* Frames one burst of LLC-PDUs at most and hands it to the Gb port; returns how many. */
unsigned framing_send(struct worker *w, int64_t now);

/* When the scheduler will let something go; later than now even when a lack of buffers or room held things up
 * just now. */
int64_t framing_next_ns(const struct worker *w, int64_t now);

#endif
