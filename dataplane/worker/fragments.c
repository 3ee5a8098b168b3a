/* SPDX-License-Identifier: BSD-3-Clause */
#define ALLOW_EXPERIMENTAL_API /* rte_ip_frag_table_del_expired_entries(), there since 18.02 */
#include "dataplane/worker/fragments.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv6.h"

#include <rte_ip_frag.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#define BUCKET_ENTRIES 16
#define PREFETCH       0

bool fragments_new(struct fragments *f, uint32_t datagrams, int64_t timeout_ns)
{
    *f = (struct fragments){.timeout_ns = timeout_ns, .deadline_ns = MOMENT_NEVER};
    uint32_t buckets = rte_align32pow2((datagrams + BUCKET_ENTRIES - 1) / BUCKET_ENTRIES);
    /* The table's unit of time is the caller's; here it is nanoseconds. */
    f->table =
        rte_ip_frag_table_create(buckets, BUCKET_ENTRIES, datagrams, (uint64_t)timeout_ns, SOCKET_ID_ANY);
    f->death_row = rte_zmalloc("death_row", sizeof(*f->death_row), RTE_CACHE_LINE_SIZE);
    if (f->table && f->death_row)
        return true;
    fragments_free(f);
    return false;
}

void fragments_free(struct fragments *f)
{
    if (f->death_row)
        rte_ip_frag_free_death_row(f->death_row, PREFETCH);
    if (f->table)
        rte_ip_frag_table_destroy(f->table);
    rte_free(f->death_row);
    *f = (struct fragments){0};
}

static void bury(struct fragments *f, struct worker_stats *stats)
{
    stats->gn_drops[DROP_FRAGMENT_LOST] += f->death_row->cnt;
    stats->gn_held -= f->death_row->cnt;
    rte_ip_frag_free_death_row(f->death_row, PREFETCH);
    if (stats->gn_held == 0)
        f->deadline_ns = MOMENT_NEVER;
}

/* Before a fragment is put in the table. */
static void begin(struct fragments *f, struct worker_stats *stats, int64_t now)
{
    stats->gn_held++;
    f->deadline_ns = moment_add(moment_add(now, f->timeout_ns), 1);
}

/* Joins the library's segments into one contiguous buffer. */
static struct rte_mbuf *end(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf)
{
    if (mbuf) {
        stats->gn_held -= mbuf->nb_segs;
        stats->gn_merged += mbuf->nb_segs - 1U;
    }
    bury(f, stats);
    if (mbuf && rte_pktmbuf_linearize(mbuf) < 0) {
        stats->gn_drops[DROP_TOO_LONG]++;
        rte_pktmbuf_free(mbuf);
        return NULL;
    }
    return mbuf;
}

struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                               const struct ipv4 *ip, int64_t now)
{
    struct rte_ipv4_hdr *header = rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv4_hdr *, mbuf->l2_len);
    begin(f, stats, now);
    mbuf->l3_len = ip->header_octets;
    mbuf = rte_ipv4_frag_reassemble_packet(f->table, f->death_row, mbuf, (uint64_t)now, header);
    return end(f, stats, mbuf);
}

struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                                    int64_t now)
{
    struct rte_ipv6_hdr *header = rte_pktmbuf_mtod_offset(mbuf, struct rte_ipv6_hdr *, mbuf->l2_len);
    struct rte_ipv6_fragment_ext *fragment = (struct rte_ipv6_fragment_ext *)(header + 1);
    begin(f, stats, now);
    mbuf->l3_len = IPV6_OCTETS + IPV6_FRAGMENT_OCTETS;
    mbuf = rte_ipv6_frag_reassemble_packet(f->table, f->death_row, mbuf, (uint64_t)now, header, fragment);
    return end(f, stats, mbuf);
}

void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now)
{
    uint64_t held;

    /* The library stops when its death row is full. */
    do {
        held = stats->gn_held;
        if (held == 0)
            return;
        rte_ip_frag_table_del_expired_entries(f->table, f->death_row, (uint64_t)now);
        bury(f, stats);
    } while (stats->gn_held < held);
}
