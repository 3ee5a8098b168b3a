/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly of outer fragments on Gn, IPv4 and IPv6, by librte_ip_frag; every fragment is counted. */
#ifndef DATAPLANE_WORKER_FRAGMENTS_H
#define DATAPLANE_WORKER_FRAGMENTS_H

#include "dataplane/wire/ipv4.h"
#include "dataplane/worker/stats.h"

#include <stdbool.h>
#include <stdint.h>

struct rte_mbuf;
struct rte_ip_frag_tbl;
struct rte_ip_frag_death_row;

struct fragments {
    struct rte_ip_frag_tbl *table;
    struct rte_ip_frag_death_row *death_row;
    int64_t timeout_ns;
    int64_t deadline_ns; /* all fragments in the table are complete or expired by then */
};

/* Room for `datagrams` in reassembly at a time. */
bool fragments_new(struct fragments *f, uint32_t datagrams, int64_t timeout_ns);
void fragments_free(struct fragments *f);

/*
 * Takes ownership of one fragment, IP header at ip_offset. Returns the whole datagram in one contiguous
 * buffer if this fragment completes it, else NULL: kept, or dropped and counted in stats.
 */
struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                               const struct ipv4 *ip, int64_t now);

/* The same for IPv6: header at mbuf->l2_len, followed by the fragment header. */
struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                                    int64_t now);

/* Drops fragments older than the timeout. */
void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now);

static inline int64_t fragments_next_ns(const struct fragments *f)
{
    return f->deadline_ns;
}

#endif
