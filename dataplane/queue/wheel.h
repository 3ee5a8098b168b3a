/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What waits for an instant: a hierarchical timing wheel (Varghese and Lauck, 1987), exact to the nanosecond,
 * O(1) however much waits.
 *
 * Model: an entry lies in a slot of one of a few levels, the wider the farther off. As time comes near, a
 * slot's entries are spread over the narrower slots of the level below, a chunk at a time and a slot ahead,
 * so that no call has to move a crowd; at last the few entries of a slot are sorted into the run, from which
 * they are taken. What is set for an instant whose slot has been opened waits in a heap beside the run.
 * Entries come out ordered by instant, and in the order of setting where instants are equal, whatever the
 * instants of the calls.
 *
 * Invariants: next_ns is the earliest instant of all. An entry set for an instant before horizon_ns is in run
 * or late, any other in a slot. One of level k lies before limit_ns[k], and in no slot of level k that ends
 * by limit_ns[k - 1]; hence entries of one instant are in one slot, or the earlier set ones in the run.
 *
 * Not here: cancelling. Whoever sets an entry remembers what it waits for, and ignores an entry that comes
 * out and no longer matters.
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
    int64_t tend_ns;           /* from this horizon on there is something to spread ahead */
    uint32_t run_at, run_stop; /* run[run_at .. run_stop - 1] is what is left of it */
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
 * Room for cap entries at a time: 18 octets each and at most 1.6 MB; besides address space for 24 more each,
 * which nothing touches unless many are set for the past. False when there is no memory.
 */
bool wheel_new(struct wheel *w, uint32_t cap);
void wheel_free(struct wheel *w);

/*
 * Sets an entry. at_ns may be any instant, also one that has passed: then it is due at once. False when cap
 * entries are set.
 */
bool wheel_set(struct wheel *w, int64_t at_ns, void *who);

/* The instant of the earliest entry, MOMENT_NEVER when there is none. */
static inline int64_t wheel_next_ns(const struct wheel *w)
{
    return w->next_ns;
}

/*
 * Takes the earliest entry if it is due at now, false when none is. now never goes back. A call that finds
 * nothing due is not idle: it uses the time to spread what is ahead.
 */
bool wheel_take(struct wheel *w, struct wheel_entry *out, int64_t now);

/* Who comes next but `ahead` as far as that is known without work, NULL: not known. For prefetching. */
static inline const void *wheel_peek(const struct wheel *w, uint32_t ahead)
{
    return w->run_stop - w->run_at > ahead ? w->run[w->run_at + ahead].who : NULL;
}

/*
 * Drops the entries that is_stale() says are; it is asked once about each, in no particular order. For an
 * owner whose wheel is full: the time is that of looking at everything.
 */
void wheel_purge(struct wheel *w, bool (*is_stale)(const struct wheel_entry *entry, void *arg), void *arg);

#endif
