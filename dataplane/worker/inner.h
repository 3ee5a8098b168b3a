/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an N-PDU must be to go on to its mobile: an IP packet that SNDCP can carry, for that mobile, and not
 * for the network that carries it. An IPv6 packet's destination is not looked at: hosts take new addresses
 * under their prefix without telling.
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

#endif
