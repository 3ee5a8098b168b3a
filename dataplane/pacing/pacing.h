/* SPDX-License-Identifier: BSD-3-Clause */
/* Pacing: windows of TCP connections, lowered for short queues (docs/tcp-windows.md). */
#ifndef DATAPLANE_PACING_PACING_H
#define DATAPLANE_PACING_PACING_H

#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Queues of the scheduler. */
struct pacing_view {
    void *owner;
    /* Mobiles of the class that could send if the cell might. */
    uint32_t (*waiting)(const void *owner, uint16_t bvc, uint8_t qclass);
    /* Octets that the cell has sent. */
    uint64_t (*sent)(const void *owner, uint16_t bvc);
    /* All octets queued for a class on a link. NULL without ewa_octets. */
    uint64_t (*buffer_octets)(const void *owner, uint16_t link, uint8_t qclass);
};

struct pacing_params {
    uint8_t classes;      /* bit k: of enum qclass k; 0: off */
    uint32_t ewa_octets;  /* B of explicit window adaptation; 0: windows by shares */
    bool drops_repeated;  /* segments that went to the mobile and can still be acknowledged */
    int64_t ms_target_ns; /* of a mobile's window, beside the time to its servers */
    struct pacing_view view;
    uint32_t flows; /* a multiple of PACING_WAYS, or it is rounded up */
    struct siphash_key key;
};

struct pacing_stats {
    uint64_t clamped;     /* windows that were lowered */
    uint64_t implausible; /* acknowledgements of octets that were not sent */
    uint64_t evicted;     /* flows that lost their place within a minute of their last packet */
    uint64_t repeated;    /* downlink segments that the mobile has or will have */
};

/* Where a packet belongs: index of its mobile, cell and the link of that (its NSE), class, R of mobile and
 * cell. */
struct pacing_at {
    uint32_t ms;
    uint32_t generation; /* of its context: flows of an earlier one are unknown */
    uint16_t bvc, link;
    uint8_t qclass;
    uint64_t ms_rate_bps, bvc_rate_bps;
};

struct pacing;

/* Indices are below these. */
struct pacing_limits {
    uint32_t mobiles, cells, links;
};

/* NULL: out of memory. */
struct pacing *pacing_new(const struct pacing_params *params, const struct pacing_limits *limits);
void pacing_free(struct pacing *p);

/* A packet to a mobile. */
enum pacing_downlink_fate {
    PACING_DOWNLINK_OTHER,
    PACING_DOWNLINK_PACED,    /* new data of a connection that keeps to windows of shares */
    PACING_DOWNLINK_REPEATED, /* the mobile has its data, or will have it: it need not be sent */
};

/* A whole IP packet to the mobile. */
enum pacing_downlink_fate pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                          size_t octets, int64_t now);
/* One from the mobile: may lower its TCP window. */
void pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets, int64_t now);
/* The mobile leaves for another worker: when it comes back, its servers have seen other windows, so its flows
 * are unknown. */
void pacing_ms_left(struct pacing *p, uint32_t ms);
/* Octets to the mobile were dropped here or in the BSS: their repetitions are not. is_other: by AQM, and not
 * PACING_DOWNLINK_PACED. With windows of shares these are no loss of flows that keep to them. */
void pacing_ms_lost(struct pacing *p, uint32_t ms, bool is_other);
const struct pacing_stats *pacing_stats_of(const struct pacing *p);

#endif
