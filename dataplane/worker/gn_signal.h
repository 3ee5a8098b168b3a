/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTP-U messages that carry no user's packet, and the answers to what cannot be served: Echo Response, Error
 * Indication, Supported Extension Headers Notification (TS 29.281 clause 7). Every answer is subject to a
 * budget, goes back to where its request came from, and is not longer on the wire than it, except an Echo
 * Response: its Recovery is mandatory, two octets that a request need not have. (Over IPv4 they go unnoticed:
 * an Ethernet frame has 60 octets at least.)
 *
 * What is not here: Echo Requests of our own, gn_echo.h.
 */
#ifndef DATAPLANE_WORKER_GN_SIGNAL_H
#define DATAPLANE_WORKER_GN_SIGNAL_H

#include "dataplane/base/drop.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/gn_tx.h"

#include <stdint.h>

struct worker;

/* A message other than a G-PDU, decoded from bytes: answers it or hands it to control. Returns the reason
 * under which its frame counts. */
enum drop gn_signal_receive(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                            const uint8_t *bytes, int64_t now);

/* A G-PDU with a TEID that no context has (clause 7.3.1). */
void gn_signal_unknown_tunnel(struct worker *w, const struct gn_datagram *datagram, uint32_t teid,
                              int64_t now);

/* A message that gtpu_decode() called unsupported; answers if it was for an extension header (clause 7.2.3).
 */
void gn_signal_unsupported(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                           int64_t now);

#endif
