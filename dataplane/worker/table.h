/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table of DPDK from keys of 16 octets to indices. */
#ifndef DATAPLANE_WORKER_TABLE_H
#define DATAPLANE_WORKER_TABLE_H

#include <stdint.h>

#define TABLE_NONE UINT32_MAX

struct rte_hash;

/* 16 octets: DPDK's table compares that length fastest. */
struct table_key {
    uint32_t a, b, c, d;
};

/* A table for this many entries, named `name.what`; NULL: out of memory. The caller frees it by
 * rte_hash_free(). */
struct rte_hash *table_new(const char *name, const char *what, uint32_t entries);

/* 0, or -1: the key is in use, or no room. */
int table_add(struct rte_hash *table, const struct table_key *key, uint32_t index);
/* The same, but replaces the index of a key in use. */
int table_replace(struct rte_hash *table, const struct table_key *key, uint32_t index);
void table_del(struct rte_hash *table, const struct table_key *key);

/* The index of a key, or TABLE_NONE. */
uint32_t table_get(const struct rte_hash *table, const struct table_key *key);

/* The same for a burst of 1 to 64 keys. */
void table_get_bulk(const struct rte_hash *table, const struct table_key **keys, unsigned count,
                    uint32_t *indices);

#endif
