/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/wheel.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first instant behind a slot; MOMENT_NEVER for the last. */
static inline int64_t wheel_slots_end_ns(const struct wheel_slots *s, struct wheel_place at)
{
    return moment_add(at.start_ns + wheel_slots_inside(&s->levels[at.level]), 1);
}

/* The instant of the first entry; MOMENT_NEVER when empty. */
static inline int64_t wheel_late_next_ns(const struct wheel_late *l)
{
    return l->count > 0 ? l->heap[0].entry.at_ns : MOMENT_NEVER;
}

#define CHUNK_CELLS   WHEEL_SLOTS_CHUNK_CELLS
#define CHUNK_ENTRIES WHEEL_SLOTS_CHUNK_ENTRIES
#define NONE          WHEEL_SLOTS_NONE

/*
 * Measured at 4 thousand, 65 thousand and 1 million entries with waits of 50 to 600 ms: a slot of the base
 * level should hold 8 to 24 entries, which share its costs and are still sorted cheaply; with 1 or 2 entries
 * each costs half as much again. As a wheel is rarely full, and half of it is for stale entries, that is 48
 * for a full one. 2^8 or 2^10 instead of 2^9 between levels are slower at one end of the range or the other.
 */
#define BASE_ENTRIES   48
#define BASE_SPREAD_NS UINT64_C(500000000)
#define BASE_SHIFT_MIN 10u
#define BASE_SHIFT_MAX 20u
#define CROWD_BITS     3u /* between levels below the base */
#define LEVEL_BITS     9u /* between levels above it */

static unsigned base_shift(uint32_t cap)
{
    unsigned shift = BASE_SHIFT_MAX;
    while (shift > BASE_SHIFT_MIN && (uint64_t)cap << shift > BASE_ENTRIES * BASE_SPREAD_NS)
        shift--;
    return shift;
}

static void choose_shifts(struct wheel_slots *s, unsigned base)
{
    unsigned count = 0;
    s->levels[count++].shift = 0;
    for (unsigned shift = (base - 1) % CROWD_BITS + 1; shift < base; shift += CROWD_BITS)
        s->levels[count++].shift = (uint8_t)shift;
    s->base = count;
    for (unsigned shift = base; shift < 64; shift += LEVEL_BITS)
        s->levels[count++].shift = (uint8_t)shift;
    s->top = count - 1;
    assert(count <= WHEEL_SLOTS_LEVELS);
}

/* A level has as many slots as one slot of the level above needs; twice as many where that is spread ahead.
 * */
static void lay_out(struct wheel_slots *s)
{
    unsigned words = 0;
    for (unsigned i = 0; i <= s->top; i++) {
        struct wheel_level *level = &s->levels[i];
        unsigned bits = 64u - level->shift;
        if (i < s->top)
            bits = level[1].shift - level->shift + (i >= s->base ? 1u : 0u);
        assert(bits < 16);
        level->slots = (uint16_t)(1u << bits);
        level->first_slot = (uint16_t)s->slots_count;
        level->first_word = (uint8_t)words;
        s->slots_count += level->slots;
        words += (level->slots + 63u) / 64;
    }
    assert(words <= WHEEL_SLOTS_WORDS);
}

bool wheel_slots_new(struct wheel_slots *s, uint32_t cap)
{
    *s = (struct wheel_slots){0};
    choose_shifts(s, base_shift(cap));
    lay_out(s);
    /* The worst case has one entry in each slot and all others in one. */
    uint32_t lonely = cap < s->slots_count ? cap : s->slots_count;
    s->chunks = lonely + (cap - lonely) / CHUNK_ENTRIES + 2;
    s->cells = bigmem_new((size_t)s->chunks * CHUNK_CELLS * sizeof s->cells[0]);
    s->spare = bigmem_new(s->chunks * sizeof s->spare[0]);
    s->slots = bigmem_new(s->slots_count * sizeof s->slots[0]);
    if (!s->cells || !s->spare || !s->slots) {
        wheel_slots_free(s);
        return false;
    }
    for (uint32_t i = 0; i < s->slots_count; i++)
        s->slots[i] = (struct wheel_slot){.least_ns = MOMENT_NEVER, .tail = NONE};
    for (uint32_t i = s->chunks; i-- > 0;)
        wheel_slots_give_back(s, i * CHUNK_CELLS);
    return true;
}

void wheel_slots_free(struct wheel_slots *s)
{
    bigmem_free(s->cells, (size_t)s->chunks * CHUNK_CELLS * sizeof s->cells[0]);
    bigmem_free(s->spare, s->chunks * sizeof s->spare[0]);
    bigmem_free(s->slots, s->slots_count * sizeof s->slots[0]);
    *s = (struct wheel_slots){0};
}

bool wheel_slots_is_short(const struct wheel_slots *s, struct wheel_place at, uint32_t chunks)
{
    const struct wheel_slot *slot = wheel_slots_at(s, at);
    uint32_t header = slot->head, last = wheel_slots_last(slot);
    while (header != last && --chunks > 0)
        header = s->cells[header].next;
    return header == last;
}

static void set_used(struct wheel_slots *s, struct wheel_place at)
{
    s->slots_used[s->levels[at.level].first_word + at.index / 64] |= UINT64_C(1) << at.index % 64;
    s->levels_used |= 1u << at.level;
    s->words_used[at.level] |= UINT64_C(1) << at.index / 64;
}

void wheel_slots_put_first(struct wheel_slots *s, unsigned level, struct wheel_entry entry)
{
    struct wheel_place at = wheel_slots_place(s, level, entry.at_ns);
    struct wheel_slot *slot = wheel_slots_at(s, at);
    assert(s->spare_count > 0);
    uint32_t header = s->spare[--s->spare_count];
    if (slot->tail == NONE) {
        slot->head = header;
        set_used(s, at);
    } else {
        s->cells[wheel_slots_last(slot)].next = header;
    }
    s->cells[header + 1].entry = entry;
    slot->tail = header + 1;
    slot->least_ns = moment_min(slot->least_ns, entry.at_ns);
}

static uint32_t purge_slot(struct wheel_slots *s, struct wheel_place at,
                           bool (*is_stale)(const struct wheel_entry *, void *), void *arg)
{
    struct wheel_slot slot = *wheel_slots_at(s, at);
    uint32_t header, next = slot.head, last = wheel_slots_last(&slot), dropped = 0;
    wheel_slots_set_empty(s, at);
    do {
        header = next;
        uint32_t count = header == last ? slot.tail - last : CHUNK_ENTRIES;
        for (uint32_t i = 1; i <= count; i++) {
            const struct wheel_entry *entry = &s->cells[header + i].entry;
            if (is_stale(entry, arg))
                dropped++;
            else
                wheel_slots_put(s, at.level, *entry);
        }
        next = s->cells[header].next;
        wheel_slots_give_back(s, header);
    } while (header != last);
    return dropped;
}

/* Drops the entries for which is_stale() is true; returns their number. */
static uint32_t wheel_slots_purge(struct wheel_slots *s,
                                  bool (*is_stale)(const struct wheel_entry *entry, void *arg), void *arg)
{
    uint32_t dropped = 0;
    for (uint32_t level = 0; level <= s->top; level++)
        for (uint32_t index = 0; index < s->levels[level].slots; index++) {
            struct wheel_place at = {level, index, 0};
            if (wheel_slots_is_used(s, at))
                dropped += purge_slot(s, at, is_stale, arg);
        }
    return dropped;
}

/* Room for cap entries; untouched pages take no memory. False: out of memory. */
static bool wheel_late_new(struct wheel_late *l, uint32_t cap)
{
    *l = (struct wheel_late){.heap = calloc(cap, sizeof l->heap[0])};
    return l->heap != NULL;
}

static void wheel_late_free(struct wheel_late *l)
{
    free(l->heap);
    *l = (struct wheel_late){0};
}

static bool is_before(const struct wheel_late_entry *a, const struct wheel_late_entry *b)
{
    if (a->entry.at_ns != b->entry.at_ns)
        return a->entry.at_ns < b->entry.at_ns;
    return a->number < b->number;
}

static void append(struct wheel_late *l, struct wheel_late_entry late)
{
    uint32_t i = l->count++;
    for (; i > 0 && is_before(&late, &l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = late;
}

static void wheel_late_put(struct wheel_late *l, struct wheel_entry entry)
{
    append(l, (struct wheel_late_entry){entry, l->number++});
}

/* Takes the first entry; the heap must not be empty. */
static struct wheel_entry wheel_late_take(struct wheel_late *l)
{
    struct wheel_entry first = l->heap[0].entry;
    struct wheel_late_entry last = l->heap[--l->count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < l->count) {
        if (child + 1 < l->count && is_before(&l->heap[child + 1], &l->heap[child]))
            child++;
        if (!is_before(&l->heap[child], &last))
            break;
        l->heap[i] = l->heap[child];
        i = child;
    }
    l->heap[i] = last;
    return first;
}

/* Drops the entries for which is_stale() is true; returns their number. */
static uint32_t wheel_late_purge(struct wheel_late *l,
                                 bool (*is_stale)(const struct wheel_entry *entry, void *arg), void *arg)
{
    uint32_t before = l->count;
    l->count = 0;
    for (uint32_t i = 0; i < before; i++)
        if (!is_stale(&l->heap[i].entry, arg))
            append(l, l->heap[i]);
    return before - l->count;
}

bool wheel_new(struct wheel *w, uint32_t cap)
{
    *w = (struct wheel){.cap = cap, .next_ns = MOMENT_NEVER, .horizon_ns = INT64_MIN, .tend_ns = INT64_MIN};
    for (unsigned i = 0; i < WHEEL_SLOTS_LEVELS; i++)
        w->limit_ns[i] = INT64_MIN;
    if (wheel_slots_new(&w->slots, cap) && wheel_late_new(&w->late, cap))
        return true;
    wheel_free(w);
    return false;
}

void wheel_free(struct wheel *w)
{
    wheel_slots_free(&w->slots);
    wheel_late_free(&w->late);
    *w = (struct wheel){.next_ns = MOMENT_NEVER};
}

/* --- the earliest entry */

/* Finds first and next_ns among the slots. A slot that is half spread comes before those it is spread to. */
static void find_first(struct wheel *w)
{
    if (w->slots.levels_used == 0) {
        w->next_ns = MOMENT_NEVER;
        w->is_first_known = false;
        return;
    }
    unsigned level = (unsigned)__builtin_ctz(w->slots.levels_used);
    w->first = wheel_slots_first(&w->slots, level, w->horizon_ns);
    w->next_ns = wheel_slots_at(&w->slots, w->first)->least_ns;
    w->is_first_known = true;
    if (level < w->slots.top && w->first.start_ns >= w->limit_ns[level]) {
        w->first = wheel_slots_place(&w->slots, level + 1, w->first.start_ns);
        w->next_ns = moment_min(w->next_ns, wheel_slots_at(&w->slots, w->first)->least_ns);
    }
}

static int64_t run_next_ns(const struct wheel *w)
{
    return w->run_at < w->run_stop ? w->run[w->run_at].at_ns : MOMENT_NEVER;
}

/* Whether all entries are in slots. */
static bool is_front_empty(const struct wheel *w)
{
    return w->run_at == w->run_stop && w->late.count == 0;
}

static void find_next(struct wheel *w)
{
    if (is_front_empty(w))
        find_first(w);
    else
        w->next_ns = moment_min(run_next_ns(w), wheel_late_next_ns(&w->late));
}

/* --- the passing of time */

/* Moves a chunk's entries to the level below. After its last chunk the slot is finished. */
static void spread_chunk(struct wheel *w, struct wheel_place at)
{
    uint32_t count, header = wheel_slots_take_chunk(&w->slots, at, &count);
    for (uint32_t i = 1; i <= count; i++)
        wheel_slots_put(&w->slots, at.level - 1, w->slots.cells[header + i].entry);
    wheel_slots_give_back(&w->slots, header);
    if (!wheel_slots_is_used(&w->slots, at))
        w->limit_ns[at.level - 1] = wheel_slots_end_ns(&w->slots, at);
}

/*
 * The first unfinished slot of a level, if it is to be spread now: it is this level's present slot or the
 * next one, and no slot of the level above still has entries for it.
 */
static bool is_to_spread(struct wheel *w, unsigned level, struct wheel_place *at)
{
    struct wheel_place present = wheel_slots_place(&w->slots, level, w->horizon_ns);
    int64_t start_ns = moment_max(w->limit_ns[level - 1], present.start_ns);
    w->limit_ns[level - 1] = start_ns;
    *at = wheel_slots_place(&w->slots, level, start_ns);
    return start_ns != MOMENT_NEVER && start_ns <= wheel_slots_end_ns(&w->slots, present) &&
           (level == w->slots.top || start_ns < w->limit_ns[level]);
}

/* One step of work, so that the next slot of each level has been spread before its time. */
static __attribute__((noinline)) void tend(struct wheel *w)
{
    struct wheel_place at;
    for (unsigned level = w->slots.base + 1; level <= w->slots.top; level++) {
        if (!is_to_spread(w, level, &at))
            continue;
        if (wheel_slots_is_used(&w->slots, at)) {
            spread_chunk(w, at);
            return;
        }
        w->limit_ns[level - 1] = wheel_slots_end_ns(&w->slots, at);
        level = w->slots.base; /* restart: a lower level may have waited for this */
    }
    at = wheel_slots_place(&w->slots, w->slots.base + 1, w->horizon_ns);
    w->tend_ns = wheel_slots_end_ns(&w->slots, at);
}

#define LANES  4
#define BLOCKS 4 /* vectors of keys that are compared with a key at a time: it is loaded once for all */
#define GROUP  (BLOCKS * LANES)
#define GROUPS ((WHEEL_RUN + GROUP - 1) / GROUP)
typedef int32_t lanes __attribute__((vector_size(16)));

/* Sorts the run. An entry's place is the number of entries before it: counting them takes no branches, while
 * sorting would mispredict one per entry. `keys` has the instant within the slot, then the order of setting.
 */
static __attribute__((noinline)) void sort_run(struct wheel *w, const lanes *keys, uint32_t n)
{
    struct wheel_entry entries[WHEEL_RUN];
    lanes places[GROUPS * BLOCKS];
    const int32_t *each = (const int32_t *)keys;
    for (uint32_t i = 0; i < (n + LANES - 1) / LANES; i += BLOCKS) {
        lanes a = keys[i], b = keys[i + 1], c = keys[i + 2], d = keys[i + 3];
        lanes before_a = {0}, before_b = {0}, before_c = {0}, before_d = {0};
        for (uint32_t j = 0; j < n; j++) {
            lanes key = {each[j], each[j], each[j], each[j]};
            before_a -= key < a; /* true is -1 */
            before_b -= key < b;
            before_c -= key < c;
            before_d -= key < d;
        }
        places[i] = before_a;
        places[i + 1] = before_b;
        places[i + 2] = before_c;
        places[i + 3] = before_d;
    }
    memcpy(entries, w->run, n * sizeof entries[0]);
    const int32_t *place = (const int32_t *)places;
    for (uint32_t i = 0; i < n; i++)
        w->run[place[i]] = entries[i];
}

/*
 * Moves a short slot, or one chunk of a slot of one nanosecond, into the run. Entries that were set in the
 * order of their instants, as those of cells with one rate are, stay as they are.
 */
static void fill_run(struct wheel *w, struct wheel_place at)
{
    union {
        lanes blocks[GROUPS * BLOCKS];
        int32_t each[GROUPS * GROUP];
    } keys;
    uint32_t n = 0, count;
    int32_t before = -1;
    bool is_sorted = true;
    do {
        uint32_t header = wheel_slots_take_chunk(&w->slots, at, &count);
        const union wheel_cell *cell = &w->slots.cells[header + 1], *stop = cell + count;
        for (; cell != stop; cell++, n++) {
            int32_t key = (int32_t)((cell->entry.at_ns - at.start_ns) * 64 + n);
            w->run[n] = cell->entry;
            keys.each[n] = key;
            is_sorted &= before < key;
            before = key;
            prefetch_line_write(cell->entry.who);
        }
        wheel_slots_give_back(&w->slots, header);
    } while (at.level > 0 && wheel_slots_is_used(&w->slots, at));
    if (!is_sorted) {
        for (uint32_t i = n; i % GROUP != 0; i++)
            keys.each[i] = INT32_MAX;
        sort_run(w, keys.blocks, n);
    }
    w->run_at = 0;
    w->run_stop = n;
}

/* Whether a slot's entries can be moved into the run without spreading. */
static bool can_open(const struct wheel *w, struct wheel_place at)
{
    if (at.level > w->slots.base || !wheel_slots_is_used(&w->slots, at))
        return false;
    return at.level == 0 || wheel_slots_is_short(&w->slots, at, WHEEL_RUN_CHUNKS);
}

/* Fills the empty run with the earliest entries of the slots. */
static void refill(struct wheel *w)
{
    if (!w->is_first_known || !wheel_slots_is_used(&w->slots, w->first))
        find_first(w);
    while (!can_open(w, w->first)) {
        struct wheel_place at = w->first;
        w->horizon_ns = moment_max(w->horizon_ns, at.start_ns);
        while (wheel_slots_is_used(&w->slots, at))
            spread_chunk(w, at);
        /* Also if the slot was half spread and the rest then purged. */
        w->limit_ns[at.level - 1] = wheel_slots_end_ns(&w->slots, at);
        find_first(w);
    }
    fill_run(w, w->first);
    if (wheel_slots_is_used(&w->slots, w->first))
        w->horizon_ns = w->first.start_ns;
    else
        w->horizon_ns = wheel_slots_end_ns(&w->slots, w->first);
}

static __attribute__((noinline)) bool set_late(struct wheel *w, struct wheel_entry entry)
{
    wheel_late_put(&w->late, entry);
    return true;
}

bool wheel_set(struct wheel *w, int64_t at_ns, void *who)
{
    unsigned level = w->slots.base;
    if (w->count == w->cap)
        return false;
    w->count++;
    if (at_ns < w->next_ns) {
        w->next_ns = at_ns;
        w->is_first_known = false;
    }
    if (at_ns < w->horizon_ns)
        return set_late(w, (struct wheel_entry){at_ns, who});
    if (at_ns < w->limit_ns[level - 1]) /* into a base slot that has been spread to levels below */
        level = 0;
    while (level < w->slots.top && at_ns >= w->limit_ns[level])
        level++;
    wheel_slots_put(&w->slots, level, (struct wheel_entry){at_ns, who});
    return true;
}

/* No entry is due: the time is used to spread slots ahead. */
static __attribute__((noinline)) void rest(struct wheel *w, int64_t now)
{
    if (now < w->tend_ns)
        return;
    w->horizon_ns = moment_max(w->horizon_ns, wheel_slots_place(&w->slots, w->slots.base + 1, now).start_ns);
    tend(w);
}

/* Takes the earliest entry in the cases that need more than the run. */
static __attribute__((noinline)) void take_otherwise(struct wheel *w, struct wheel_entry *out)
{
    if (is_front_empty(w))
        refill(w);
    if (wheel_late_next_ns(&w->late) < run_next_ns(w))
        *out = wheel_late_take(&w->late);
    else
        *out = w->run[w->run_at++];
    find_next(w);
}

bool wheel_take(struct wheel *w, struct wheel_entry *out, int64_t now)
{
    if (w->next_ns > now || w->count == 0) {
        rest(w, now);
        return false;
    }
    /* Every second call: moves 7 entries per take, more than arrive, and gives the prefetch of the chunk
     * time. */
    if (w->horizon_ns >= w->tend_ns && ++w->takes % 2 == 0)
        tend(w);
    w->count--;
    if (w->late.count > 0 || w->run_stop - w->run_at < 2) {
        take_otherwise(w, out);
        return true;
    }
    *out = w->run[w->run_at++];
    w->next_ns = w->run[w->run_at].at_ns;
    return true;
}

uint32_t wheel_take_many(struct wheel *w, struct wheel_entry *out, uint32_t most, int64_t now)
{
    uint32_t n = 0;
    while (n < most) {
        if (w->late.count > 0 || w->run_stop - w->run_at < 2 || w->horizon_ns >= w->tend_ns) {
            if (!wheel_take(w, &out[n], now))
                break;
            n++;
            continue;
        }
        if (w->next_ns > now)
            break;
        const struct wheel_entry *from = &w->run[w->run_at], *at = from, *stop = &w->run[w->run_stop - 1];
        stop = (size_t)(stop - from) < most - n ? stop : from + (most - n);
        do
            out[n++] = *at++;
        while (at != stop && at->at_ns <= now);
        w->run_at += (uint32_t)(at - from);
        w->count -= (uint32_t)(at - from);
        w->next_ns = at->at_ns;
    }
    if (n == 0)
        rest(w, now);
    return n;
}

void wheel_purge(struct wheel *w, bool (*is_stale)(const struct wheel_entry *entry, void *arg), void *arg)
{
    uint32_t stop = w->run_at;
    for (uint32_t i = w->run_at; i < w->run_stop; i++)
        if (!is_stale(&w->run[i], arg))
            w->run[stop++] = w->run[i];
    w->count -= w->run_stop - stop;
    w->run_stop = stop;
    w->count -= wheel_late_purge(&w->late, is_stale, arg);
    w->count -= wheel_slots_purge(&w->slots, is_stale, arg);
    find_next(w);
}
