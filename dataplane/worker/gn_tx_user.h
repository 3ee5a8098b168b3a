/* SPDX-License-Identifier: BSD-3-Clause */
/* Uplink N-PDUs on their last step here: judged, and sent to their GGSN. */
#ifndef DATAPLANE_WORKER_GN_TX_USER_H
#define DATAPLANE_WORKER_GN_TX_USER_H

#include "dataplane/base/drop.h"
#include "dataplane/context/pdp.h"

#include <stdint.h>

struct rte_mbuf;
struct worker;

/* Sends an N-PDU that came in `count` segments; they stay the caller's. DROP_NONE, or why it does not go. */
enum drop gn_tx_user_send(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *const *segments,
                          unsigned count, int64_t now);

#endif
