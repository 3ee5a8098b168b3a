/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open connections, by addresses and ports. A sweep over time finds idle ones: the whole table in one
 * eighth of idle_s, which bounds the delay of noticing an end.
 */
#ifndef ANALYZE_GI_TABLE_H
#define ANALYZE_GI_TABLE_H

#include "analyze/gi_conn.h"

struct gi_table {
    struct u64_map map;
    struct gi_pool pool;
    uint32_t hand; /* next record of the sweep */
    int64_t swept_ns;
    uint64_t refused; /* packets without room for a new connection */
};

/* False when there is no memory. */
bool gi_table_new(struct gi_table *t, uint32_t limit);
void gi_table_free(struct gi_table *t);

/* A packet's connection, in either direction. NULL: unknown. */
struct gi_conn *gi_table_find(const struct gi_table *t, const struct gi_packet *p);

/* Adds a zeroed connection for a packet. NULL: the table is full. */
struct gi_conn *gi_table_add(struct gi_table *t, const struct gi_packet *p);
void gi_table_delete(struct gi_table *t, struct gi_conn *c);

/* The next ended connection in the sweep's share up to `now`; NULL: done. */
struct gi_conn *gi_table_sweep(struct gi_table *t, const struct gi_limits *limits, int64_t now);

/* Any open connection, at or after `hand`; NULL: none. For the end of the capture. */
struct gi_conn *gi_table_any(struct gi_table *t);

#endif
