/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hierarchical timing wheel (Varghese and Lauck, 1987): entries due at instants, exact to the nanosecond,
 * in O(1) for any number of entries.
 *
 * Model: an entry is in a slot of one of a few levels; slots of later instants are wider. As their time
 * approaches, a slot's entries are spread over the narrower slots of the level below, a chunk at a time and
 * a slot ahead, so that no call has to move many. At last the few entries of a slot are sorted into the run,
 * from which they are taken. Entries that are set for a slot that has been opened wait in a heap beside the
 * run. Entries are taken in the order of their instants, and in the order of setting where instants are
 * equal, independent of the instants of the calls.
 *
 * Invariants: next_ns is the earliest instant of all. An entry set for an instant before horizon_ns is in
 * run or late, any other in a slot. An entry of level k is before limit_ns[k], and in no slot of level k
 * that ends by limit_ns[k - 1]; hence entries of one instant are in one slot, or those set earlier in the
 * run.
 *
 * Not here: cancelling. The caller keeps its reason for an entry and ignores entries that no longer matter.
 */
#ifndef DATAPLANE_QUEUE_WHEEL_H
#define DATAPLANE_QUEUE_WHEEL_H

#include "dataplane/queue/wheel_late.h"
#include "dataplane/queue/wheel_slots.h"

#define WHEEL_RUN_CHUNKS 4
#define WHEEL_RUN        (WHEEL_RUN_CHUNKS * WHEEL_SLOTS_CHUNK_ENTRIES)

struct wheel {
    int64_t next_ns;
    int64_t horizon_ns;
    int64_t tend_ns;           /* from this horizon on there are slots to spread ahead */
    uint32_t run_at, run_stop; /* run[run_at .. run_stop - 1] is not yet taken */
    uint32_t count, cap;
    uint32_t takes;
    bool is_first_known;
    struct wheel_place first; /* the slot of the earliest entry in slots */
    struct wheel_late late;
    int64_t limit_ns[WHEEL_SLOTS_LEVELS];
    struct wheel_slots slots;
    struct wheel_entry run[WHEEL_RUN]; /* in order */
};

/*
 * Room for cap entries at a time: 18 octets each and at most 1.6 MB; besides, address space for 24 octets
 * more each, whose pages are touched only if many entries are set for past instants. False: out of memory.
 */
bool wheel_new(struct wheel *w, uint32_t cap);
void wheel_free(struct wheel *w);

/*
 * Sets an entry. at_ns may be any instant; one that has passed is due at once. False when cap entries are
 * set.
 */
bool wheel_set(struct wheel *w, int64_t at_ns, void *who);

/* The instant of the earliest entry, MOMENT_NEVER when there is none. */
static inline int64_t wheel_next_ns(const struct wheel *w)
{
    return w->next_ns;
}

/*
 * Takes the earliest entry if it is due at now, false if no entry is due. now never decreases. A call
 * without an entry due spreads slots ahead instead.
 */
bool wheel_take(struct wheel *w, struct wheel_entry *out, int64_t now);

/* The owner (`who`) of the entry after the next `ahead` ones, NULL: not known without work. For prefetching.
 * */
static inline const void *wheel_peek(const struct wheel *w, uint32_t ahead)
{
    return w->run_stop - w->run_at > ahead ? w->run[w->run_at + ahead].who : NULL;
}

/*
 * Drops the entries for which is_stale() is true; it is called once for each, in any order. For a full
 * wheel: takes time proportional to cap.
 */
void wheel_purge(struct wheel *w, bool (*is_stale)(const struct wheel_entry *entry, void *arg), void *arg);

#endif
