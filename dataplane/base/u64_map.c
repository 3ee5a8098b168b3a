/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/u64_map.h"
#include "dataplane/base/bigmem.h"

#include <stdbool.h>
#include <stdint.h>

/* The slot that a key hashes to: the first one to probe. */
static inline uint64_t u64_map_first(const struct u64_map *m, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    return mixed >> m->shift;
}

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotl(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* SipRound, section 2.2 of the paper. */
static void mix(struct state *s, unsigned rounds)
{
    for (; rounds > 0; rounds--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotl(s->v1, 13) ^ s->v0;
        s->v3 = rotl(s->v3, 16) ^ s->v2;
        s->v0 = rotl(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v1 = rotl(s->v1, 17) ^ s->v2;
        s->v3 = rotl(s->v3, 21) ^ s->v0;
        s->v2 = rotl(s->v2, 32);
    }
}

static void absorb(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    mix(s, 2);
    s->v0 ^= word;
}

uint64_t siphash_u64(const struct siphash_key *key, uint64_t input)
{
    struct state s = {
        key->low ^ UINT64_C(0x736f6d6570736575),
        key->high ^ UINT64_C(0x646f72616e646f6d),
        key->low ^ UINT64_C(0x6c7967656e657261),
        key->high ^ UINT64_C(0x7465646279746573),
    };
    absorb(&s, input);
    absorb(&s, UINT64_C(8) << 56); /* the last word: only the length in octets */
    s.v2 ^= 0xff;
    mix(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

#define LEAST_SLOTS_LOG2 4

static uint64_t u64_map_octets_of(const struct u64_map *m)
{
    return (m->mask + 1) * sizeof(*m->slots);
}

bool u64_map_new(struct u64_map *m, uint32_t limit)
{
    unsigned log2 = LEAST_SLOTS_LOG2;
    while (UINT64_C(1) << log2 < limit + limit / 2 + UINT64_C(1))
        log2++;
    *m = (struct u64_map){.mask = (UINT64_C(1) << log2) - 1, .limit = limit, .shift = (uint8_t)(64 - log2)};
    m->slots = bigmem_new(u64_map_octets_of(m));
    for (uint64_t i = 0; m->slots && i <= m->mask; i++)
        m->slots[i].value = U64_MAP_NONE;
    return m->slots != NULL;
}

void u64_map_free(struct u64_map *m)
{
    bigmem_free(m->slots, u64_map_octets_of(m));
    *m = (struct u64_map){0};
}

/* The slot that holds a key, or the free slot in which it would be stored. */
static struct u64_map_slot *u64_map_find(const struct u64_map *m, uint64_t key)
{
    uint64_t i = u64_map_first(m, key);
    while (m->slots[i].value != U64_MAP_NONE && m->slots[i].key != key)
        i = (i + 1) & m->mask;
    return &m->slots[i];
}

uint32_t u64_map_get(const struct u64_map *m, uint64_t key)
{
    return u64_map_find(m, key)->value;
}

static int u64_map_fill(struct u64_map *m, struct u64_map_slot *slot, uint64_t key, uint32_t value)
{
    if (m->count == m->limit)
        return -1;
    *slot = (struct u64_map_slot){.key = key, .value = value};
    m->count++;
    return 0;
}

int u64_map_add(struct u64_map *m, uint64_t key, uint32_t value)
{
    struct u64_map_slot *slot = u64_map_find(m, key);
    return slot->value == U64_MAP_NONE ? u64_map_fill(m, slot, key, value) : -1;
}

int u64_map_put(struct u64_map *m, uint64_t key, uint32_t value)
{
    struct u64_map_slot *slot = u64_map_find(m, key);
    if (slot->value == U64_MAP_NONE)
        return u64_map_fill(m, slot, key, value);
    slot->value = value;
    return 0;
}

/*
 * Whether the entry in slot i may move to slot `hole`, that is, whether its probe sequence passes `hole`.
 */
static bool may_move(const struct u64_map *m, uint64_t i, uint64_t hole)
{
    uint64_t way = (i - u64_map_first(m, m->slots[i].key)) & m->mask;
    return way >= ((i - hole) & m->mask);
}

bool u64_map_del(struct u64_map *m, uint64_t key, uint32_t value)
{
    struct u64_map_slot *slot = u64_map_find(m, key);
    if (slot->value == U64_MAP_NONE || slot->value != value)
        return false;
    uint64_t hole = (uint64_t)(slot - m->slots);
    for (uint64_t i = (hole + 1) & m->mask; m->slots[i].value != U64_MAP_NONE; i = (i + 1) & m->mask) {
        if (!may_move(m, i, hole))
            continue;
        m->slots[hole] = m->slots[i];
        hole = i;
    }
    m->slots[hole].value = U64_MAP_NONE;
    m->count--;
    return true;
}
