/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open connections, by addresses and ports. Those that have been silent for too long are found by a sweep
 * that goes on with time, one eighth of idle_s for the whole table: an end is noticed that much late at most.
 */
#ifndef ANALYZE_GI_TABLE_H
#define ANALYZE_GI_TABLE_H

#include "analyze/gi_conn.h"

struct gi_table {
    struct u64_map map;
    struct gi_pool pool;
    uint32_t hand; /* of the sweep: the next record */
    int64_t swept_ns;
    uint64_t refused; /* packets that found no room for a connection */
};

/* False when there is no memory. */
bool gi_table_new(struct gi_table *t, uint32_t limit);
void gi_table_free(struct gi_table *t);

/* A packet's connection, whichever way it goes. NULL: there is none. */
struct gi_conn *gi_table_find(const struct gi_table *t, const struct gi_packet *p);

/* A zeroed one for a packet that has none. NULL: the table is full. */
struct gi_conn *gi_table_add(struct gi_table *t, const struct gi_packet *p);
void gi_table_delete(struct gi_table *t, struct gi_conn *c);

/* The next connection that ended before now, while the sweep's share of now lasts; NULL: done for now. */
struct gi_conn *gi_table_sweep(struct gi_table *t, const struct gi_limits *limits, int64_t now);

/* Any open connection, NULL: there is none. For the end. */
struct gi_conn *gi_table_any(struct gi_table *t);

#endif
