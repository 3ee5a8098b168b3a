/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink from the queue on: what the scheduler lets go becomes SNDCP in LLC in BSSGP in NS in UDP. Late
 * framing. */
#ifndef DATAPLANE_WORKER_FRAMING_H
#define DATAPLANE_WORKER_FRAMING_H

#include <stdint.h>

struct gb_nsvc;
struct worker;

/* Ethernet, IPv4 and UDP of an NS-VC at frame, in front of an NS PDU of ns_octets; takes an IP
 * identification. */
void framing_put_transport(struct gb_nsvc *nsvc, uint8_t *frame, unsigned ns_octets);

/* Frames one burst of LLC-PDUs at most and hands it to the Gb port; returns how many. */
unsigned framing_send(struct worker *w, int64_t now);

/* When the scheduler will let something go; later than now even when a lack of buffers or room held things up
 * just now. */
int64_t framing_next_ns(const struct worker *w, int64_t now);

#endif
