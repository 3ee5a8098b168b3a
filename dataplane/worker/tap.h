/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of the frames that a worker sends and receives on Gb, and of the N-PDUs that it drops, for a
 * capture. A ring with one writer, the worker, and one reader; when it is full, records are lost and
 * counted, and the worker does not wait.
 *
 * It exists as long as the worker. The reader switches it on and off, and sets the filter while it is off.
 */
#ifndef DATAPLANE_WORKER_TAP_H
#define DATAPLANE_WORKER_TAP_H

#include "dataplane/base/drop.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A worker's counters: the rows of stats.def, and drops by reason. Written by the worker only; other threads
 * may read single fields at any time.
 *
 * Invariants, between steps:
 *   gn_frames + gn_steered_in = npdu_in + frame drops among gn_drops + gn_merged + gn_held + gn_steered_out
 *   npdu_in + npdu_xworker_in = npdu_out + N-PDU drops among gn_drops + queued + npdu_held + npdu_xworker_out
 *   gn_answers_due = gn_echo_responses + gn_error_indications + gn_extension_notifications
 *            + gn_rate_limited + gn_unanswerable + gn_answers_unsent
 *   gb_frames + gb_steered_in + gb_returned = punted + ul_segments + ul_held + gb_steered_out
 *                                           + frame drops among gb_drops
 */

struct worker_stats {
#define WORKER_COUNTER(member, unit, sentence) uint64_t member;
#define WORKER_GAUGE(member, unit, sentence)   uint64_t member;
#include "dataplane/worker/stats.def"
#undef WORKER_COUNTER
#undef WORKER_GAUGE
    uint64_t gn_drops[DROP_COUNT]; /* of frames from Gn, and of downlink N-PDUs */
    uint64_t gb_drops[DROP_COUNT]; /* of frames from Gb */
};

/* Received frames that belong to another worker: passed on, or dropped because the ring to it was full. */
static inline uint64_t worker_stats_gn_steered(const struct worker_stats *stats)
{
    return stats->gn_steered_out + stats->gn_drops[DROP_XWORKER_FULL];
}

static inline uint64_t worker_stats_gb_steered(const struct worker_stats *stats)
{
    return stats->gb_steered_out + stats->gb_drops[DROP_XWORKER_FULL];
}

#define TAP_RECORDS 1024 /* a power of two */
#define TAP_OCTETS  1664 /* of a frame that are stored */

struct n_pdu;

enum tap_kind {
    TAP_UP,         /* an Ethernet frame received on Gb */
    TAP_DOWN,       /* one sent on Gb with a user's packet or a segment of it */
    TAP_SIGNALLING, /* one of control */
    TAP_DROPPED,    /* an IP packet */
};

struct tap_record {
    int64_t at_ns;
    int64_t sojourn_ns; /* since the packet's arrival; 0 for the last two kinds */
    uint32_t tlli;      /* of a user's packet; 0: none */
    uint16_t bvci;
    uint16_t frame_octets, kept_octets;
    uint8_t kind, qclass, nsapi;
    uint8_t segment; /* from 0 */
    bool is_last;    /* segment of its packet */
    uint8_t reason;  /* enum drop, of TAP_DROPPED */
    uint8_t octets[TAP_OCTETS];
};

/* 0: any. */
struct tap_filter {
    uint32_t tlli;
    uint16_t bvci;
};

struct tap {
    struct tap_filter filter; /* written by the reader while is_on is false */
    atomic_bool is_on;        /* written by the reader */
    atomic_uint head;         /* records written; by the worker */
    atomic_uint tail;         /* records read; by the reader */
    atomic_ullong lost;       /* written by the worker */
    struct tap_record records[TAP_RECORDS];
};

/* Data about a frame besides its octets. */
struct tap_about {
    enum tap_kind kind;
    const struct n_pdu *n_pdu; /* NULL: none */
    uint32_t tlli;
    uint16_t bvci;
    uint8_t nsapi, segment, reason;
    bool is_last;
};

/* The worker: stores a copy if the tap is on and the filter matches. tap may be NULL. */
void tap_put(struct tap *tap, const uint8_t *octets, size_t count, const struct tap_about *about,
             int64_t now);

/* The same for an Ethernet frame with an NS PDU; reads TLLI and BVCI of UNITDATA. */
void tap_put_gb(struct tap *tap, const uint8_t *frame, size_t count, enum tap_kind kind, int64_t now);

static inline bool tap_is_on(struct tap *tap)
{
    return tap && atomic_load_explicit(&tap->is_on, memory_order_acquire);
}

/* The reader: starts with a filter and an empty ring, or stops. */
void tap_start(struct tap *tap, const struct tap_filter *filter);
void tap_stop(struct tap *tap);

/* The oldest record, NULL: none; and frees it. */
const struct tap_record *tap_get(struct tap *tap);
void tap_done(struct tap *tap);

/*
 * The fate of each downlink N-PDU, one event by value, for replay, scenarios and tests. Without a ring the
 * worker writes none.
 */

struct rte_ring;

struct trace_event {
    int64_t at_ns;
    int64_t arrival_ns;
    uint32_t pdp; /* index of the PDP context, UINT32_MAX when there was none */
    uint32_t generation;
    uint16_t octets;
    uint8_t reason; /* enum drop; DROP_NONE: delivered to NS */
    uint8_t qclass;
    uint32_t is_marked; /* 1: gbflow set CE */
};

static_assert(sizeof(struct trace_event) % 4 == 0, "rings carry multiples of four octets");

#define TRACE_NO_PDP UINT32_MAX

/* A ring of `size` slots (a power of two), which holds size - 1 events; NULL: out of memory. The caller
 * frees it by rte_ring_free(). */
struct rte_ring *trace_new(const char *name, unsigned size);

/* False when the ring is full (put) or empty (get). */
bool trace_put(struct rte_ring *ring, const struct trace_event *event);
bool trace_take(struct rte_ring *ring, struct trace_event *event);

/* Copies of whole frames in buffers. */

struct rte_mbuf;

/* As tap_put_gb(), for `count` frames. */
void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now);

#endif
