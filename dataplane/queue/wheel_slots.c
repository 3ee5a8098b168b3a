/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/wheel_slots.h"

#include "dataplane/base/bigmem.h"

#include <assert.h>

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

uint32_t wheel_slots_purge(struct wheel_slots *s,
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
