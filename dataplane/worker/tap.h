/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a worker sends and receives on Gb, and the N-PDUs that it drops, copied for whoever wants to look. A
 * ring with one writer, the worker, and one reader; when it is full, records are lost and counted, and
 * nothing waits.
 *
 * It lives as long as the worker. The reader switches it on and off, and sets the filter while it is off.
 */
#ifndef DATAPLANE_WORKER_TAP_H
#define DATAPLANE_WORKER_TAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAP_RECORDS 1024 /* a power of two */
#define TAP_OCTETS  1664 /* of a frame that are kept */

struct n_pdu;

enum tap_kind {
    TAP_UP,         /* an Ethernet frame that came on Gb */
    TAP_DOWN,       /* one that went there with a user's packet, or a part of it */
    TAP_SIGNALLING, /* one that control sent */
    TAP_DROPPED,    /* an IP packet */
};

struct tap_record {
    int64_t at_ns;
    int64_t sojourn_ns; /* since its packet came; of the last two kinds 0 */
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
    atomic_uint head;         /* records that were written; by the worker */
    atomic_uint tail;         /* and read; by the reader */
    atomic_ullong lost;       /* written by the worker */
    struct tap_record records[TAP_RECORDS];
};

/* What is known of a frame besides its octets. */
struct tap_about {
    enum tap_kind kind;
    const struct n_pdu *n_pdu; /* NULL: none */
    uint32_t tlli;
    uint16_t bvci;
    uint8_t nsapi, segment, reason;
    bool is_last;
};

/* The worker: keeps a copy if it is wanted. tap may be NULL. */
void tap_put(struct tap *tap, const uint8_t *octets, size_t count, const struct tap_about *about,
             int64_t now);

/* The same of an Ethernet frame with an NS PDU in it; TLLI and BVCI are looked for in UNITDATA. */
void tap_put_gb(struct tap *tap, const uint8_t *frame, size_t count, enum tap_kind kind, int64_t now);

static inline bool tap_is_on(struct tap *tap)
{
    return tap && atomic_load_explicit(&tap->is_on, memory_order_acquire);
}

/* The reader: begins anew with a filter, or ends. */
void tap_start(struct tap *tap, const struct tap_filter *filter);
void tap_stop(struct tap *tap);

/* The oldest record, NULL: none; and gives it back. */
const struct tap_record *tap_get(struct tap *tap);
void tap_done(struct tap *tap);

#endif
