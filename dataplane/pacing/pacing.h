/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows and ACKs of TCP connections, paced for short queues (docs/ack-pacing.md). */
#ifndef DATAPLANE_PACING_PACING_H
#define DATAPLANE_PACING_PACING_H

#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PACING_HOLD_BITS  3
#define PACING_HOLD_STEPS (1U << PACING_HOLD_BITS)
#define PACING_HOLDS      128

#define PACING_MOST_HOLD_NS INT64_C(60000000000) /* then an ACK passes in any case */

/* Queued N-PDUs of a mobile, in octets. */
struct pacing_backlog {
    uint32_t queued; /* in the node */
    uint32_t own;    /* in the node and in the BSS */
    int32_t lag;     /* its start tag in the class behind the virtual time of that; without tags 0 */
    uint32_t vt;     /* that virtual time, in octets */
};

/* Queues of the scheduler. */
struct pacing_view {
    void *owner;
    /* Octets of PACING_DOWNLINK_PACED queued for a class in a cell; UINT32_MAX: R is 0. */
    uint32_t (*class_octets)(const void *owner, uint16_t bvc, uint8_t qclass);
    /* Whether no mobile of the class could send if the cell might. */
    bool (*is_idle)(const void *owner, uint16_t bvc, uint8_t qclass);
    /* False: R of the mobile is 0. */
    bool (*backlog)(const void *owner, uint32_t ms, uint8_t qclass, struct pacing_backlog *out, int64_t now);
    /* All octets queued for a class on a link. NULL without ewa_octets. */
    uint64_t (*buffer_octets)(const void *owner, uint16_t link, uint8_t qclass);
};

struct pacing_params {
    uint8_t classes;         /* bit k: of enum qclass k; 0: off */
    bool no_clamp;           /* windows stay as they are */
    uint32_t ewa_octets;     /* B of explicit window adaptation, without holds; 0: windows by shares */
    bool drops_repeated;     /* segments that went to the mobile and can still be acknowledged */
    bool holds;              /* ACKs */
    int64_t ms_target_ns;    /* of a mobile */
    uint32_t quantum_octets; /* that ACKs of a mobile permit in a row; 0: those of one ACK */
    uint32_t credit_octets;  /* a lag from which an ACK needs no room of its class; 0: none does */
    struct pacing_view view;
    uint32_t flows; /* a multiple of PACING_WAYS, or it is rounded up */
    struct siphash_key key;
};

struct pacing_stats {
    uint64_t clamped;     /* windows that were lowered */
    uint64_t implausible; /* acknowledgements of octets that were not sent */
    uint64_t evicted;     /* flows that lost their place within a minute of their last packet */
    uint64_t overflow;    /* flows without a place, as the ACKs of all in the set were held */
    uint64_t held;        /* ACKs */
    uint64_t merged;      /* held ACKs that a later segment of the flow replaced */
    uint64_t released;    /* held ACKs that passed */
    uint64_t expired;     /* of these, after PACING_MOST_HOLD_NS */
    uint64_t repeated;    /* downlink segments that the mobile has or will have */
    uint64_t holding;     /* ACKs that are held now */
    uint64_t hold_ms;     /* sum of the hold times of released and merged ones, each rounded down */
    uint64_t holds[QCLASS_COUNT][PACING_HOLDS]; /* hold times, by pacing_hold_bin() */
};

/* The bin of a hold time: of 1 ms up to PACING_HOLD_STEPS ms, then PACING_HOLD_STEPS to an octave; and the
 * end of a bin. */
unsigned pacing_hold_bin(int64_t hold_ns);
int64_t pacing_hold_of_bin(unsigned bin);

/* Fate of an uplink segment. `first` is sent before it, `ended` is never sent; each is a buffer of an
 * earlier segment, or NULL. With is_held the segment's own buffer is kept. */
struct pacing_fate {
    bool is_held;
    void *first, *ended;
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
    PACING_DOWNLINK_PACED,    /* data of a connection whose ACKs can be held */
    PACING_DOWNLINK_REPEATED, /* the mobile has its data, or will have it: it need not be sent */
};

/* A whole IP packet to the mobile. */
enum pacing_downlink_fate pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                          size_t octets, int64_t now);
/* One from the mobile, in a buffer of the caller: may lower its TCP window, and hold it. */
struct pacing_fate pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets,
                                 void *buffer, int64_t now);
/* The mobile leaves for another worker: when it comes back, its servers have seen other windows, so its flows
 * are unknown. Its held ACKs stay. */
void pacing_ms_left(struct pacing *p, uint32_t ms);
/* Octets to the mobile were dropped here or in the BSS: their repetitions are not. */
void pacing_ms_lost(struct pacing *p, uint32_t ms);
/* The buffer of a held ACK to be sent now; NULL: no more. To be called until then in each step. */
void *pacing_release(struct pacing *p, int64_t now);
/* When to call again, at the latest. */
int64_t pacing_next_ns(const struct pacing *p);
/* The buffer of a held ACK, before pacing_free(); NULL: no more. */
void *pacing_drain(struct pacing *p, int64_t now);

const struct pacing_stats *pacing_stats_of(const struct pacing *p);

/* Held ACKs of a mobile now, and the time for which it had any, modulo 2^32. From another thread an
 * estimate. */
struct pacing_held {
    uint32_t acks, ms;
};

/* False: ACKs are not held. p may be NULL. */
bool pacing_held_of(const struct pacing *p, uint32_t ms, int64_t now, struct pacing_held *out);
/* Of all mobiles of a cell, now. */
bool pacing_held_in(const struct pacing *p, uint16_t bvc, uint32_t *out_acks);

#endif
