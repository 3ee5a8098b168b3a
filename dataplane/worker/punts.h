/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames that are neither users' packets nor Gb, and that somebody has to look at for the link to work: ARP,
 * ICMP, ICMPv6. They go to control if it wants them, so many a second at most (budget.h). And datagrams of
 * GTP-C, with an allowance of their own: PUNTS_GTPC_PER_S, PUNTS_GTPC_BURST at once, from all together.
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
 * Takes over a frame that a port received and that is dropped for this reason, and counts it. It goes to
 * control instead, and counts as DROP_ARP_ICMP, if it is such a one and control wants them.
 */
void punts_drop(struct worker *w, enum msg_port port, struct rte_mbuf *mbuf, enum drop reason, int64_t now);

/* Takes over a frame with a UDP datagram to a port that the user plane does not serve, which is at `bytes`.
 * It goes to control, as DROP_GTPC, if it is GTP-C and control wants that; else it is dropped. */
void punts_datagram(struct worker *w, struct rte_mbuf *mbuf, const uint8_t *bytes,
                    const struct gn_datagram *datagram, int64_t now);

#endif
