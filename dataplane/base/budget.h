/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A limit on answers to unauthenticated senders: per second for each source address, and for all together,
 * so that forged sources do not raise it. An IPv6 prefix of 64 bits is one source, as one host may have all
 * of its addresses. Both limits are kept as the instant at which the allowance is whole again (the virtual
 * scheduling form of a leaky bucket, ITU-T I.371).
 *
 * A source has an entry while its allowance is not whole. Even if every answer goes to another source, at
 * most BUDGET_ALL_BURST + BUDGET_ALL_PER_S / BUDGET_SOURCE_PER_S are in that state at a time, so
 * BUDGET_SOURCES entries always suffice.
 */
#ifndef DATAPLANE_BASE_BUDGET_H
#define DATAPLANE_BASE_BUDGET_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A limit of events per second with a burst: the virtual scheduling form of a leaky bucket (ITU-T I.371).
 * The only state is whole_ns, the instant at which the full burst is available again; INT64_MIN: from the
 * start.
 */

struct allowance {
    int64_t step_ns; /* time in which one event is regained */
    int64_t burst;   /* events available at whole_ns */
};

/* Whether an event is available at now. */
static inline bool allowance_has(const struct allowance *a, int64_t whole_ns, int64_t now)
{
    return whole_ns <= now || whole_ns - now <= (a->burst - 1) * a->step_ns;
}

/* Charges one event, whether it is available or not. */
static inline void allowance_charge(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    *whole_ns = moment_add(moment_max(*whole_ns, now), a->step_ns);
}

/* Charges one event if one is available; false, and nothing changes, if not. */
static inline bool allowance_take(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    if (!allowance_has(a, *whole_ns, now))
        return false;
    allowance_charge(a, whole_ns, now);
    return true;
}

#define BUDGET_SOURCE_PER_S 10 /* answers to one source address */
#define BUDGET_SOURCE_BURST 10
#define BUDGET_ALL_PER_S    100 /* answers to all */
#define BUDGET_ALL_BURST    100
#define BUDGET_SOURCES      128

static_assert(BUDGET_SOURCES > BUDGET_ALL_BURST + BUDGET_ALL_PER_S / BUDGET_SOURCE_PER_S, "one each");

struct budget_source {
    int64_t whole_ns;
    uint64_t source;
};

/* BUDGET_SOURCES must suffice: all.burst + each.step_ns / all.step_ns are below it. */
struct budget_rates {
    struct allowance each, all;
};

struct budget {
    const struct budget_rates *rates; /* static */
    int64_t whole_ns;                 /* of all sources together */
    struct budget_source sources[BUDGET_SOURCES];
};

/* With the limits of answers above, or with others. */
void budget_init(struct budget *b);
void budget_init_rates(struct budget *b, const struct budget_rates *rates);

/* The key of a source. No IPv6 prefix of a host equals an IPv4 key, whose upper half is of ff00::/8. */
static inline uint64_t budget_source_ipv4(uint32_t ip)
{
    return UINT64_C(0xffffffff00000000) | ip;
}

static inline uint64_t budget_source_ipv6(const uint8_t octets[16])
{
    return (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
}

/* Whether one more answer may be sent to a source now; if so, charges it to the source and to all. */
bool budget_take(struct budget *b, uint64_t source, int64_t now);

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
