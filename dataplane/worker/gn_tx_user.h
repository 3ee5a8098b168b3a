/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink N-PDUs: filtered, and sent to their GGSN. */
#ifndef DATAPLANE_WORKER_GN_TX_USER_H
#define DATAPLANE_WORKER_GN_TX_USER_H

#include "dataplane/base/drop.h"
#include "dataplane/context/pdp.h"
#include "dataplane/pacing/pacing.h"

#include <stdint.h>

struct rte_mbuf;
struct worker;

/* Sends an N-PDU of `count` segments, which stay the caller's. DROP_NONE, or the reason why it was not sent.
 * */
enum drop gn_tx_user_send(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *const *segments,
                          unsigned count, int64_t now);

/* Shows an N-PDU to the mobile to dataplane/pacing, which must be on, before it is queued. True: it repeats
 * what the mobile has acknowledged. */
bool gn_tx_user_pace_downlink(struct worker *w, const struct pdp_params *pdp, const uint8_t *bytes,
                              uint16_t octets, int64_t now);

/* Sends held ACKs that may pass now; dataplane/pacing must be on. Returns their number. */
unsigned gn_tx_user_release(struct worker *w, int64_t now);

/* Frees held ACKs. */
void gn_tx_user_free(struct worker *w);

/* The worker's queues, for dataplane/pacing. */
struct pacing_view gn_tx_user_view(struct worker *w);

#endif
