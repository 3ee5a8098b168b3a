/* SPDX-License-Identifier: BSD-3-Clause */
/* SNDCP of frames from the BSS. */
#ifndef DATAPLANE_WORKER_GB_RX_SNDCP_H
#define DATAPLANE_WORKER_GB_RX_SNDCP_H

#include "dataplane/worker/gb_rx_llc.h"

#include "dataplane/wire/sndcp.h"

/* Handles a segment, which is the buffer's data: sends the N-PDU if it is complete. Takes ownership. Returns
 * why the N-PDU was dropped, which is counted. */
enum drop gb_rx_sndcp_segment(struct worker *w, uint32_t pdp, const struct sndcp *sndcp,
                              struct rte_mbuf *mbuf, bool is_old, int64_t now);

/* The segment of a UI frame. DROP_NONE: ownership was taken. */
enum drop gb_rx_sndcp_take(struct worker *w, const struct gb_rx_llc *in, int64_t now);

#endif
