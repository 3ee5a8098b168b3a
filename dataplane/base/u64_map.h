/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Map from 64-bit keys to indices, for tables of a million entries: one array of 16-octet slots. To find,
 * add or delete an entry mostly costs one cache miss.
 *
 * Model: open addressing, linear probing, at most two slots of three in use. A deleted entry leaves no mark:
 * the entries behind it that it displaced move up (Knuth, vol. 3, algorithm 6.4R), so look-ups do not slow
 * down with time.
 *
 * Invariant: no slot between the one that a key hashes to and the one that holds it is free.
 */
#ifndef DATAPLANE_BASE_U64_MAP_H
#define DATAPLANE_BASE_U64_MAP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * SipHash-2-4: a keyed hash of short inputs whose values cannot be predicted without the key, not even by a
 * party that has seen values of other inputs. J.-P. Aumasson, D. J. Bernstein: "SipHash: a fast short-input
 * PRF", INDOCRYPT 2012. Only inputs of 8 octets, given as a number (the first octet is its lowest).
 */

/* The two halves of the key of 16 octets, each little-endian. */
struct siphash_key {
    uint64_t low, high;
};

uint64_t siphash_u64(const struct siphash_key *key, uint64_t input);

#define U64_MAP_NONE UINT32_MAX

struct u64_map_slot {
    uint64_t key;
    uint32_t value; /* U64_MAP_NONE: free */
};

struct u64_map {
    struct u64_map_slot *slots;
    uint64_t mask; /* number of slots, less one */
    uint32_t count, limit;
    uint8_t shift; /* from a hash to a slot */
};

/* Allocates room for `limit` entries. False: out of memory. */
bool u64_map_new(struct u64_map *m, uint32_t limit);
void u64_map_free(struct u64_map *m);

/* The value of a key, U64_MAP_NONE if it has no entry. */
uint32_t u64_map_get(const struct u64_map *m, uint64_t key);

/* Adds an entry; values are below U64_MAP_NONE. -1: the key is taken, or the map is full. */
int u64_map_add(struct u64_map *m, uint64_t key, uint32_t value);

/* As u64_map_add(), but replaces the value of a key that has an entry. */
int u64_map_put(struct u64_map *m, uint64_t key, uint32_t value);

/* Deletes the entry of a key if it has this value. False: no such entry. */
bool u64_map_del(struct u64_map *m, uint64_t key, uint32_t value);

#endif
