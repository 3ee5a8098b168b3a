/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clamp of the TCP windows that mobiles advertise, so that a sender does not fill the queue of its mobile.
 *
 * Model (RFC 9293, RFC 7323): for a flow whose handshake passed here, the right edge that the server sees is
 *
 *     edge = max(edge, ACK + W)       never back, and never beyond what the mobile advertises
 *     W    = max(1, ceil(A / f / MSS)) MSS
 *     A    = max(2 MSS, 1.5 x round trip x share)
 *
 * MSS is the mobile's. f is the number of the mobile's flows in this or the last window of 2^32 ns, whichever
 * is more. The share is R of the mobile, but at most the octets of TCP that arrived for its class in its
 * cell in the last window, divided by the mobiles that they were for, if those of all classes were more than
 * half of R of the cell. Flows seen without their handshake, fragments and IPsec are left as they are.
 *
 * An acknowledgement of octets that were not sent to the mobile through here changes nothing. Windows of
 * SYNs, which have no scale, are left. It holds no packet and drops none.
 *
 * Flows are in sets of PACING_WAYS by a keyed hash; a new flow takes the place of the one in its set that was
 * idle for longest.
 */
#ifndef DATAPLANE_PACING_PACING_H
#define DATAPLANE_PACING_PACING_H

#include "dataplane/base/siphash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACING_WAYS 4

struct pacing_params {
    uint8_t classes;       /* bit k: of enum qclass k; 0: off */
    uint32_t flows;        /* a multiple of PACING_WAYS, or it is rounded up */
    int64_t round_trip_ns; /* between mobile and server, with empty queues */
    struct siphash_key key;
};

struct pacing_stats {
    uint64_t clamped;     /* windows that were lowered */
    uint64_t implausible; /* acknowledgements of octets that were not sent */
    uint64_t evicted;     /* flows that lost their place within a minute of their last packet */
};

/* Where a packet belongs: index of its mobile and cell, class, R of both. */
struct pacing_at {
    uint32_t ms;
    uint16_t bvc;
    uint8_t qclass;
    uint64_t ms_rate_bps, bvc_rate_bps;
};

struct pacing;

/* Allocates state for indices below mobiles and cells. NULL: out of memory. */
struct pacing *pacing_new(const struct pacing_params *params, uint32_t mobiles, uint32_t cells);
void pacing_free(struct pacing *p);

/* A whole IP packet to the mobile. */
void pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet, size_t octets,
                     int64_t now);
/* One from the mobile: may lower its TCP window. */
void pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets, int64_t now);

const struct pacing_stats *pacing_stats_of(const struct pacing *p);

#endif
