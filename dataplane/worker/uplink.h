/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames from Gb: users' LLC-PDUs become G-PDUs towards their GGSN, everything else goes to control. Uplink
 * is plain forwarding, it has no scheduler.
 */
#ifndef DATAPLANE_WORKER_UPLINK_H
#define DATAPLANE_WORKER_UPLINK_H

#include <stdint.h>

struct worker;

/* Receives one burst; returns the number of frames. */
unsigned uplink_receive(struct worker *w, int64_t now);

#endif
