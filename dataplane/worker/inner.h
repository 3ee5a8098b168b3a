/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a user's packet must be to go on: an IP packet of the context's type, long enough for its own length
 * field, from or to the mobile, and not for the network that carries it.
 *
 * Over IPv6 a mobile has all addresses of its prefix (TS 23.060 clause 9.2.1.1), and the link-local one whose
 * interface identifier the GGSN gave. Besides it hears router advertisements to all nodes, and may solicit
 * them, and look for its own address before it has one (RFC 4861, RFC 4862).
 */
#ifndef DATAPLANE_WORKER_INNER_H
#define DATAPLANE_WORKER_INNER_H

#include "dataplane/base/drop.h"
#include "dataplane/context/pdp.h"
#include "dataplane/worker/lookup.h"

#include <stdint.h>

/* Default N201-I, and the longest T-PDU that SNDCP has to carry (TS 44.064 table 9, TS 23.060 clause 9.3). */
#define INNER_MAX_OCTETS 1503

/* DROP_NONE, or the first reason why a downlink N-PDU of this context does not go on. */
enum drop inner_judge(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                      uint16_t octets);

/* The same of an uplink N-PDU. */
enum drop inner_judge_uplink(const struct lookup *lookup, const struct pdp_params *pdp, const uint8_t *bytes,
                             uint16_t octets);

#endif
