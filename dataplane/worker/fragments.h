/* SPDX-License-Identifier: BSD-3-Clause */
/* Outer fragments on Gn, of IPv4 and IPv6: whole datagrams out of librte_ip_frag, and a count for every piece
 * that came in. */
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
    int64_t deadline_ns; /* by then all that is held has completed or expired */
};

/* Room for `datagrams` in pieces at a time. */
bool fragments_new(struct fragments *f, uint32_t datagrams, int64_t timeout_ns);
void fragments_free(struct fragments *f);

/*
 * Takes one fragment over, IP header at ip_offset. Returns the whole datagram in one contiguous buffer when
 * it was the last piece, else NULL: held, or dropped and counted in stats.
 */
struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                               const struct ipv4 *ip, int64_t now);

/* The same for IPv6: header at mbuf->l2_len, the fragment header next to it. */
struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                                    int64_t now);

/* Drops what has waited too long. */
void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now);

static inline int64_t fragments_next_ns(const struct fragments *f)
{
    return f->deadline_ns;
}

#endif
