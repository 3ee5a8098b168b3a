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

#include "dataplane/base/moment.h"
#include "dataplane/base/bigmem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The slots of a timing wheel: for each level a ring of them, each a chain of chunks of entries in the order
 * of putting. A part of wheel.h.
 *
 * The base level's slots are so wide that a few entries share one when the instants of a full wheel spread
 * over half a second. Each level above is 2^9 times as wide as the one below it, up to the whole range of
 * instants; the levels below, down to one nanosecond, are for slots with many entries. Where levels above
 * the base meet, and at the base, a ring has room for two slots of the level above.
 *
 * Invariants: slot.tail is WHEEL_SLOTS_NONE and slot.least_ns MOMENT_NEVER exactly when a slot is empty,
 * when its bit in slots_used is 0; a bit of words_used says whether a word of slots_used is not 0.
 */

#define WHEEL_SLOTS_LEVELS 12
#define WHEEL_SLOTS_WORDS  96
#define WHEEL_SLOTS_NONE   UINT32_MAX

/* 256 octets to a chunk, of which 16 are its header. */
#define WHEEL_SLOTS_CHUNK_CELLS   UINT32_C(16)
#define WHEEL_SLOTS_CHUNK_ENTRIES (WHEEL_SLOTS_CHUNK_CELLS - 1)

struct wheel_entry {
    int64_t at_ns;
    void *who; /* the setter's; prefetched before the entry is taken, never dereferenced */
};

union wheel_cell {
    struct wheel_entry entry;
    uint32_t next; /* of a header: cell of the next chunk's header */
};

struct wheel_slot {
    int64_t least_ns; /* the earliest put since the slot was empty */
    uint32_t head;    /* cell of the first chunk's header */
    uint32_t tail;    /* cell of the last entry */
};

struct wheel_level {
    uint16_t first_slot, slots;
    uint8_t first_word;
    uint8_t shift; /* a slot is 2^shift ns wide */
};

/* A slot: its level, its index in the ring, the instant at which it begins. */
struct wheel_place {
    uint32_t level, index;
    int64_t start_ns;
};

struct wheel_slots {
    uint32_t base, top;   /* levels */
    uint32_t levels_used; /* a bit for each level that has a slot in use */
    uint32_t spare_count;
    uint32_t chunks, slots_count;
    union wheel_cell *cells;
    uint32_t *spare; /* headers of the chunks that are not in use */
    struct wheel_slot *slots;
    struct wheel_level levels[WHEEL_SLOTS_LEVELS];
    uint64_t words_used[WHEEL_SLOTS_LEVELS];
    uint64_t slots_used[WHEEL_SLOTS_WORDS];
};

/* Room for cap entries in any slots, and one chunk more. False: out of memory. */
bool wheel_slots_new(struct wheel_slots *s, uint32_t cap);
void wheel_slots_free(struct wheel_slots *s);

/* The bits of an instant below its slot of this level; up to all 63. */
static inline int64_t wheel_slots_inside(const struct wheel_level *level)
{
    return (int64_t)((UINT64_C(1) << level->shift) - 1);
}

static inline struct wheel_place wheel_slots_place(const struct wheel_slots *s, unsigned level, int64_t at_ns)
{
    const struct wheel_level *l = &s->levels[level];
    return (struct wheel_place){level, (uint32_t)(at_ns >> l->shift) & (l->slots - 1u),
                                at_ns & ~wheel_slots_inside(l)};
}

static inline struct wheel_slot *wheel_slots_at(const struct wheel_slots *s, struct wheel_place at)
{
    return &s->slots[s->levels[at.level].first_slot + at.index];
}

static inline bool wheel_slots_is_used(const struct wheel_slots *s, struct wheel_place at)
{
    return wheel_slots_at(s, at)->tail != WHEEL_SLOTS_NONE;
}

/* The header of a slot's last chunk. */
static inline uint32_t wheel_slots_last(const struct wheel_slot *slot)
{
    return slot->tail & ~(WHEEL_SLOTS_CHUNK_CELLS - 1);
}

static inline void wheel_slots_set_empty(struct wheel_slots *s, struct wheel_place at)
{
    uint64_t *word = &s->slots_used[s->levels[at.level].first_word + at.index / 64];
    *wheel_slots_at(s, at) = (struct wheel_slot){MOMENT_NEVER, 0, WHEEL_SLOTS_NONE};
    *word &= ~(UINT64_C(1) << at.index % 64);
    if (*word != 0)
        return;
    s->words_used[at.level] &= ~(UINT64_C(1) << at.index / 64);
    if (s->words_used[at.level] == 0)
        s->levels_used &= ~(1u << at.level);
}

/* wheel_slots_put() when it needs another chunk; not inline. */
void wheel_slots_put_first(struct wheel_slots *s, unsigned level, struct wheel_entry entry);

/* Puts an entry at the end of its slot of this level. */
static inline void wheel_slots_put(struct wheel_slots *s, unsigned level, struct wheel_entry entry)
{
    struct wheel_slot *slot = wheel_slots_at(s, wheel_slots_place(s, level, entry.at_ns));
    uint32_t cell = slot->tail + 1;
    if (cell % WHEEL_SLOTS_CHUNK_CELLS == 0) {
        wheel_slots_put_first(s, level, entry);
        return;
    }
    s->cells[cell].entry = entry;
    slot->tail = cell;
    slot->least_ns = moment_min(slot->least_ns, entry.at_ns);
}

/*
 * Unlinks the first chunk of a slot in use: returns its header, which *count entries follow. Its cells stay
 * unchanged until wheel_slots_give_back().
 */
static inline uint32_t wheel_slots_take_chunk(struct wheel_slots *s, struct wheel_place at, uint32_t *count)
{
    struct wheel_slot *slot = wheel_slots_at(s, at);
    uint32_t header = slot->head;
    if (header == wheel_slots_last(slot)) {
        *count = slot->tail - header;
        wheel_slots_set_empty(s, at);
        return header;
    }
    *count = WHEEL_SLOTS_CHUNK_ENTRIES;
    slot->head = s->cells[header].next;
    for (unsigned i = 0; i < WHEEL_SLOTS_CHUNK_CELLS; i += 4) /* by cache lines: it is cold, and taken next */
        prefetch_line(&s->cells[slot->head + i]);
    return header;
}

static inline void wheel_slots_give_back(struct wheel_slots *s, uint32_t header)
{
    s->spare[s->spare_count++] = header;
}

/* The first slot in use of a level that has one, counted round the ring from the slot of from_ns. */
static inline struct wheel_place wheel_slots_first(const struct wheel_slots *s, unsigned level,
                                                   int64_t from_ns)
{
    const struct wheel_level *l = &s->levels[level];
    struct wheel_place from = wheel_slots_place(s, level, from_ns);
    const uint64_t *words = &s->slots_used[l->first_word];
    unsigned word = from.index / 64;
    uint64_t bits = words[word] & ~UINT64_C(0) << from.index % 64;
    if (bits == 0) {
        uint64_t later = s->words_used[level] & ~UINT64_C(1) << word;
        word = (unsigned)__builtin_ctzll(later ? later : s->words_used[level]);
        bits = words[word];
    }
    unsigned index = word * 64 + (unsigned)__builtin_ctzll(bits);
    uint64_t ahead = (index - from.index) & (l->slots - 1u);
    return (struct wheel_place){level, index, (int64_t)((uint64_t)from.start_ns + (ahead << l->shift))};
}

/* Whether a slot in use holds at most this many chunks. */
bool wheel_slots_is_short(const struct wheel_slots *s, struct wheel_place at, uint32_t chunks);

/*
 * Entries set for a timing wheel's slots that have been opened: a binary heap, ordered by instant and then
 * by the order of putting. A part of wheel.h.
 */

struct wheel_late_entry {
    struct wheel_entry entry;
    uint64_t number; /* of two with equal instants the lower is taken first */
};

struct wheel_late {
    struct wheel_late_entry *heap;
    uint64_t number;
    uint32_t count;
};

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

/* Takes up to `most` entries that are due at now, as wheel_take(), and returns their number. */
uint32_t wheel_take_many(struct wheel *w, struct wheel_entry *out, uint32_t most, int64_t now);

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
