/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * UDP datagrams on Gn, over IPv4 or IPv6: the addresses of a received one, and sending. A datagram longer
 * than gn_mtu is sent in fragments: over IPv4 with DF clear (RFC 791), over IPv6 by the source, which this
 * node is (RFC 8200 clause 4.5).
 */
#ifndef DATAPLANE_WORKER_GN_TX_H
#define DATAPLANE_WORKER_GN_TX_H

#include "dataplane/base/drop.h"
#include "dataplane/context/ms.h"
#include "dataplane/pacing/pacing.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct worker;

/* Addresses as in base/address.h. */
struct gn_datagram {
    const uint8_t *src_ipv6; /* the source address in an IPv6 packet; NULL: it is an IPv4 packet */
    uint32_t src_ip;         /* ADDRESS_NONE: an IPv6 address not known from control */
    uint32_t dst_ip;         /* local */
    uint16_t src_port, dst_port;
    uint16_t octets; /* of the UDP payload */
    uint8_t ecn;     /* of the IP header */
};

struct gn_way {
    uint32_t src_ip, dst_ip;
    const uint8_t *dst_ipv6; /* with an IPv6 source: the destination; NULL: it is dst_ip */
    uint16_t src_port;       /* 0: GTP-U's port */
    uint16_t dst_port;
    uint8_t tos;      /* DSCP and ECN */
    bool is_answer;   /* to a sender that is not proven to be a GGSN */
    bool is_kept;     /* its sender keeps it while the next hop is not known; else it waits (gn_wait.h) */
    uint64_t *sent;   /* counts it when it leaves; NULL: it is not counted */
    uint64_t *unsent; /* counts it when it is lost after it has waited; NULL: gn_unsent, by reason */
};

/*
 * Sends the octets of a buffer as one datagram, with headers in its headroom, or lets it wait while control
 * is asked for the next hop. Takes ownership. Errors: DROP_NO_NEXT_HOP: control cannot know the destination;
 * DROP_NO_BUFFER: no buffer, no room at the port, or unknown address; DROP_UL_TOO_LONG.
 */
enum drop gn_tx_send(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now);
/* The same, but nothing waits, and with an error the buffer stays the caller's; its data may then begin with
 * a UDP header. */
enum drop gn_tx_try(struct worker *w, struct rte_mbuf *mbuf, const struct gn_way *way, int64_t now);
/* The next hop of a destination is known: sends its waiting datagrams. */
void gn_tx_found(struct worker *w, uint32_t ip, int64_t now);
/* Whether a datagram can be sent that way now: DROP_NONE, DROP_LINK_DOWN, DROP_NO_NEXT_HOP, which asks
 * control, or DROP_NO_BUFFER: the port may have no room for all its fragments. */
enum drop gn_tx_judge(struct worker *w, const struct gn_way *way, int64_t now);

/* Uplink N-PDUs: filtered, and sent to their GGSN. */

struct gn_npdu {
    struct rte_mbuf *const *segments; /* of SNDCP, all of them */
    unsigned count;
    uint16_t number; /* of SNDCP */
    uint8_t comp;    /* DCOMP and PCOMP */
    bool is_old;     /* it was received before, with `comp`: to be restored, not to be sent */
};

/* Joins the segments of an N-PDU, which stay the caller's, decompresses and sends it. DROP_NONE, or the
 * reason why it was not sent. */
enum drop gn_tx_user_send(struct worker *w, const struct pdp_params *pdp, const struct gn_npdu *n_pdu,
                          int64_t now);

/* Shows an N-PDU to the mobile to dataplane/pacing, which must be on, before it is queued. True: it repeats
 * what the mobile has acknowledged. */
bool gn_tx_user_pace_downlink(struct worker *w, const struct pdp_params *pdp, struct n_pdu *n_pdu,
                              int64_t now);

/* The worker's queues, for dataplane/pacing. */
struct pacing_view gn_tx_user_view(struct worker *w);

#endif
