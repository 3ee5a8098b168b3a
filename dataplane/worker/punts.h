/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of the links themselves, which are neither users' packets nor Gb: ARP, ICMP, ICMPv6. They are
 * punted to control if it wants them, up to a budget per second (budget.h).
 *
 * And GTP-C datagrams. Their source can be forged, so no source takes what others need. A peer, to which
 * control has sent a request (MSG_GN_PEER), has an allowance and a share of the ring to control (shares.h) of
 * its own. All other sources share a budget. A response to the port of its request (gtpc.h), which only a
 * host that sees the requests can send, does not take from these: peers have the same once more for such
 * responses. Each worker has these limits by itself.
 */
#ifndef DATAPLANE_WORKER_PUNTS_H
#define DATAPLANE_WORKER_PUNTS_H

#include "dataplane/base/budget.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/base/drop.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/shares.h"

#include <stdbool.h>
#include <stdint.h>

#define PUNTS_PEERS        SHARES_PEERS /* peers of GTP-C; more count as other sources */
#define PUNTS_PEER_PER_S   5000         /* of one */
#define PUNTS_PEER_BURST   500
#define PUNTS_OTHERS_BURST 100
#define PUNTS_OTHER_PER_S  100 /* of one */
#define PUNTS_OTHER_BURST  20

/* GTP-C that is punted; read and written by the worker. */
struct punts_gtpc {
    struct siphash_key key; /* of the ports of requests */
    struct u64_map peers;   /* from an address (base/address.h) to an index of the allowances */
    uint32_t count;         /* of peers */
    int64_t any_whole_ns[PUNTS_PEERS], responses_whole_ns[PUNTS_PEERS]; /* when allowances are whole again */
    atomic_uint ips[PUNTS_PEERS]; /* the peers' addresses; control reads them to show shares */
    struct budget others;
};

/* False: out of memory. */
bool punts_gtpc_new(struct punts_gtpc *g, const struct siphash_key *key);
void punts_gtpc_free(struct punts_gtpc *g);

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
