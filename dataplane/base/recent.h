/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The latest N-PDUs of a worker: a ring of records of arrivals, departures and drops, for rates, sojourns and
 * drop reasons of the last second per mobile, cell, class and link (control/report/watch.h).
 *
 * Model: of `stride` events of any kind one is recorded, with weight `stride`. A full ring should reach back
 * RECENT_SPAN_NS: the stride doubles while half a ring spans less, and halves while it spans four times as
 * much. Up to about RECENT_RECORDS / 2 events a second each event is recorded.
 *
 * One writer, the worker. Readers copy records while it writes, and reject those that were overwritten
 * meanwhile (recent_copy()).
 */
#ifndef DATAPLANE_BASE_RECENT_H
#define DATAPLANE_BASE_RECENT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define RECENT_RECORDS 8192 /* a power of two */

enum recent_kind {
    RECENT_IN,
    RECENT_OUT,
    RECENT_DROP,
};

struct recent_record {
    int64_t at_ns;
    int64_t sojourn_ns; /* since the arrival on Gn */
    uint32_t weight;    /* events that it stands for */
    uint32_t ms;        /* index of the mobile */
    uint16_t bvc;       /* index of the cell */
    uint16_t octets;    /* of the N-PDU */
    uint8_t kind;       /* enum recent_kind */
    uint8_t qclass;
    uint8_t reason; /* enum drop, of RECENT_DROP */
    bool is_marked; /* gbflow set CE */
};

struct recent {
    uint32_t left;       /* events until the next record, this one included */
    uint32_t stride;     /* a power of two */
    uint64_t settled;    /* value of count at which the stride was last compared with the span */
    atomic_ullong count; /* records written, by the worker; the ring has the last RECENT_RECORDS */
    struct recent_record *records;
};

/* False: out of memory. */
bool recent_new(struct recent *r);
void recent_free(struct recent *r);

/* Counts an event; true: the caller records it by recent_put(). */
static inline bool recent_is_due(struct recent *r)
{
    return --r->left == 0;
}

/* Writes a record, whose weight is set here, and chooses the next one. */
void recent_put(struct recent *r, const struct recent_record *record);

/* Any thread: copies the records in the ring, oldest first, to out[RECENT_RECORDS]; returns their number. */
unsigned recent_copy(const struct recent *r, struct recent_record *out);

#endif
