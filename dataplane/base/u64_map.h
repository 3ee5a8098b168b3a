/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From 64-bit keys to indices, for tables of a million: one array of 16-octet slots, so that to find, to add
 * and to delete an entry costs one line that is not in the cache, most times.
 *
 * Model: open addressing, linear probing, at most two slots of three in use. An entry that goes is not
 * marked: those behind it that it kept from their place move up (Knuth, vol. 3, algorithm 6.4R), so nothing
 * gets worse with time.
 *
 * Invariant: between the slot that a key hashes to and the one that it lies in none is free.
 */
#ifndef DATAPLANE_BASE_U64_MAP_H
#define DATAPLANE_BASE_U64_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define U64_MAP_NONE UINT32_MAX

struct u64_map_slot {
    uint64_t key;
    uint32_t value; /* U64_MAP_NONE: free */
};

struct u64_map {
    struct u64_map_slot *slots;
    uint64_t mask; /* number of slots, less one */
    uint32_t count, limit;
    uint8_t shift; /* of a hash, to an index of slots */
};

/* Room for `limit` entries. False when there is no memory. */
bool u64_map_new(struct u64_map *m, uint32_t limit);
void u64_map_free(struct u64_map *m);

/* The value of a key, U64_MAP_NONE: there is none. */
uint32_t u64_map_get(const struct u64_map *m, uint64_t key);

/* Adds an entry; values are below U64_MAP_NONE. -1: the key is taken, or the map is full. */
int u64_map_add(struct u64_map *m, uint64_t key, uint32_t value);

/* The same, but takes the place of an entry that is there. */
int u64_map_put(struct u64_map *m, uint64_t key, uint32_t value);

/* Deletes an entry if it has this value. False: it is not there. */
bool u64_map_del(struct u64_map *m, uint64_t key, uint32_t value);

/* Where a key's slot is, or the first one to look at. */
static inline uint64_t u64_map_first(const struct u64_map *m, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 32) * UINT64_C(0x9e3779b97f4a7c15); /* 2^64 over the golden ratio */
    return mixed >> m->shift;
}

#endif
