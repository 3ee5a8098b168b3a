/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly of outer fragments on Gn, IPv4 and IPv6; every fragment is counted. fragments_table.h has the
 * limits. */
#ifndef DATAPLANE_WORKER_FRAGMENTS_H
#define DATAPLANE_WORKER_FRAGMENTS_H

#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/worker/fragments_table.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct worker_stats;

struct fragments {
    struct fragments_table table;
    int64_t timeout_ns;
};

/* Room for `datagrams` in reassembly at a time, which hold `buffers` at most. False: out of memory. */
bool fragments_new(struct fragments *f, uint32_t datagrams, uint32_t buffers, int64_t timeout_ns);
void fragments_free(struct fragments *f);

/*
 * Takes ownership of one fragment, IP header at mbuf->l2_len. Returns the whole datagram in one contiguous
 * buffer if this fragment completes it, else NULL: kept, or dropped and counted in stats.
 */
struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                               const struct ipv4 *ip, int64_t now);

/* The same for IPv6: header at mbuf->l2_len, followed by the fragment header, both valid. */
struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                                    int64_t now);

/* Drops fragments older than the timeout. */
void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now);

/* When the oldest fragment expires. */
static inline int64_t fragments_next_ns(const struct fragments *f)
{
    int64_t oldest_ns = fragments_table_oldest_ns(&f->table);
    return oldest_ns == MOMENT_NEVER ? MOMENT_NEVER : moment_add(moment_add(oldest_ns, f->timeout_ns), 1);
}

#endif
