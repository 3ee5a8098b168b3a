/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tap: copies of the frames that a worker sends and receives on Gb, and of the N-PDUs that it drops, for
 * a capture. A ring with one writer, the worker, and one reader; when it is full, records are lost and
 * counted, and the worker does not wait.
 *
 * On guarded ports it may have their frames instead, on either side of the guard.
 *
 * It exists as long as the worker. The reader switches it on and off, and sets the filter while it is off.
 */
#ifndef DATAPLANE_WORKER_TAP_H
#define DATAPLANE_WORKER_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAP_RECORDS 1024 /* a power of two */
#define TAP_OCTETS  1664 /* of a frame that are stored */

struct n_pdu;

enum tap_kind {
    TAP_UP,         /* an Ethernet frame received on Gb */
    TAP_DOWN,       /* one sent on Gb with a user's packet or a segment of it */
    TAP_SIGNALLING, /* one of control */
    TAP_DROPPED,    /* an IP packet */
    TAP_PORT_IN,    /* a frame received on a guarded port */
    TAP_PORT_OUT,   /* one sent on it */
};

enum tap_side {
    TAP_NO_SIDE, /* the first four kinds */
    TAP_INSIDE,  /* the last two: as the worker reads and writes them */
    TAP_OUTSIDE, /* the last two: as they are on the wire */
    TAP_SIDES,
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
    uint8_t port;    /* enum msg_port, of the last two kinds */
    uint8_t octets[TAP_OCTETS];
};

/* 0: any. */
struct tap_filter {
    uint32_t tlli;
    uint16_t bvci;
    enum tap_side side;
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
    uint8_t nsapi, segment, reason, port;
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

/* Copies of whole frames in buffers. */

struct rte_mbuf;

/* As tap_put_gb(), for `count` frames. */
void tap_burst_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_kind kind,
                   int64_t now);

/* Frames of a guarded port, in any number of buffers: stores copies if the tap wants those of the side. */
void tap_port_put(struct tap *tap, struct rte_mbuf *const *frames, unsigned count, enum tap_side side,
                  const struct tap_about *about, int64_t now);

#endif
