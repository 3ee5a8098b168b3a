/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GTP-U messages without a user's packet, and answers to G-PDUs and messages that are not served: Echo
 * Response, Error Indication, Supported Extension Headers Notification (TS 29.281 clause 7). Every answer is
 * within a budget, goes to the source of its request, and is not longer than it as a frame. Except an Echo
 * Response: its mandatory Recovery has two octets that a request need not have (over IPv4 both fit into the
 * 60 octets of the shortest Ethernet frame).
 *
 * Not here: Echo Requests of this node, gn_echo.h.
 */
#ifndef DATAPLANE_WORKER_GN_SIGNAL_H
#define DATAPLANE_WORKER_GN_SIGNAL_H

#include "dataplane/base/drop.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/gn_tx.h"

#include <stdbool.h>
#include <stdint.h>

/* Handles a message other than a G-PDU, decoded from bytes: answers it or reports it to control. Returns the
 * reason under which its frame counts. */
enum drop gn_signal_receive(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                            const uint8_t *bytes, int64_t now);

/* A G-PDU with the TEID of no context: sends an Error Indication (clause 7.3.1). */
void gn_signal_unknown_tunnel(struct worker *w, const struct gn_datagram *datagram, uint32_t teid,
                              int64_t now);

/* A message that gtpu_decode() does not support; answers if that was for an extension header (clause 7.2.3).
 * */
void gn_signal_unsupported(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu,
                           int64_t now);

/* Whether a datagram may be answered: its source is a host's address, and no local one. */
bool gn_signal_is_peer(const struct worker *w, const struct gn_datagram *request);

/* The key of a datagram's source (base/budget.h). */
uint64_t gn_signal_source(const struct gn_datagram *request);

#endif
