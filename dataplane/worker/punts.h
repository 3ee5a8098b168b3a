/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of the links themselves, which are neither users' packets nor Gb: ARP, ICMP, ICMPv6. They are
 * punted to control if it wants them, up to a budget per second (budget.h). And GTP-C datagrams, up to an
 * allowance for all sources together: PUNTS_GTPC_PER_S, PUNTS_GTPC_BURST at once.
 */
#ifndef DATAPLANE_WORKER_PUNTS_H
#define DATAPLANE_WORKER_PUNTS_H

#include "dataplane/base/drop.h"
#include "dataplane/worker/msg.h"

#include <stdint.h>

#define PUNTS_GTPC_PER_S 10000
#define PUNTS_GTPC_BURST 1000

struct gn_datagram;
struct rte_mbuf;
struct worker;

/*
 * Takes ownership of a received frame that would be dropped for this reason, and counts it. It is punted
 * instead, and counts as DROP_ARP_ICMP, if it is of those kinds and control wants them.
 */
void punts_drop(struct worker *w, enum msg_port port, struct rte_mbuf *mbuf, enum drop reason, int64_t now);

/* Takes ownership of a frame with a UDP datagram, at `bytes`, to a port that the user plane does not serve.
 * It is punted, as DROP_GTPC, if it is GTP-C and control wants that; else it is dropped. */
void punts_datagram(struct worker *w, struct rte_mbuf *mbuf, const uint8_t *bytes,
                    const struct gn_datagram *datagram, int64_t now);

#endif
