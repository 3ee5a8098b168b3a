/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/fragments.h"

#include "dataplane/worker/stats.h"

#include <rte_mbuf.h>
#include <string.h>

bool fragments_new(struct fragments *f, uint32_t datagrams, uint32_t buffers, int64_t timeout_ns)
{
    f->timeout_ns = timeout_ns;
    return fragments_table_new(&f->table, datagrams, buffers);
}

void fragments_free(struct fragments *f)
{
    fragments_table_free(&f->table);
}

void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now)
{
    fragments_table_expire(&f->table, stats, now - f->timeout_ns);
}

/* --- the whole datagram --- */

/* Appends the payload of the other fragments to the first's. False: it is longer than a buffer. */
static bool join(struct rte_mbuf *whole, const struct fragments_datagram *datagram)
{
    uint32_t more = datagram->octets - datagram->pieces[0].octets;
    rte_pktmbuf_trim(whole, (uint16_t)(rte_pktmbuf_data_len(whole) - whole->l2_len - whole->l3_len -
                                       datagram->pieces[0].octets));
    if (more > rte_pktmbuf_tailroom(whole))
        return false;
    for (unsigned i = 1; i < datagram->count; i++) {
        const struct fragments_piece *piece = &datagram->pieces[i];
        const void *from =
            rte_pktmbuf_mtod_offset(piece->mbuf, const void *, piece->mbuf->l2_len + piece->mbuf->l3_len);
        memcpy(rte_pktmbuf_append(whole, piece->octets), from, piece->octets);
    }
    return true;
}

/* Ends a complete datagram; NULL: it was longer than a buffer. */
static struct rte_mbuf *end(struct fragments *f, struct worker_stats *stats,
                            struct fragments_datagram *datagram)
{
    struct rte_mbuf *whole = datagram->pieces[0].mbuf;
    bool is_joined = join(whole, datagram);
    for (unsigned i = is_joined; i < datagram->count; i++)
        rte_pktmbuf_free(datagram->pieces[i].mbuf);
    stats->gn_held -= datagram->count;
    stats->gn_merged += datagram->count - 1U;
    stats->gn_drops[DROP_TOO_LONG] += !is_joined;
    fragments_table_end(&f->table, datagram);
    return is_joined ? whole : NULL;
}

struct part {
    struct fragments_key key;
    uint16_t offset, octets;
    bool more;
};

/* mbuf->l3_len: the octets between its l2_len and the part. */
static struct rte_mbuf *put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                            const struct part *part, int64_t now)
{
    struct fragments_piece piece = {mbuf, part->offset, part->octets};
    if (part->octets == 0 || part->offset + part->octets > UINT16_MAX) {
        stats->gn_drops[DROP_FRAGMENT_LOST]++;
        rte_pktmbuf_free(mbuf);
        return NULL;
    }
    struct fragments_datagram *datagram =
        fragments_table_put(&f->table, stats, &part->key, &piece, !part->more, now);
    return datagram ? end(f, stats, datagram) : NULL;
}

/* --- IPv4 --- */

static void make_whole_ipv4(struct rte_mbuf *whole)
{
    uint8_t *bytes = rte_pktmbuf_mtod_offset(whole, uint8_t *, whole->l2_len);
    bytes_put_u16(bytes + 2, (uint16_t)(rte_pktmbuf_data_len(whole) - whole->l2_len));
    bytes[6] &= 0x40; /* DF */
    bytes[7] = 0;
    bytes_put_u16(bytes + 10, 0);
    bytes_put_u16(bytes + 10, ipv4_checksum(bytes, whole->l3_len));
}

struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                               const struct ipv4 *ip, int64_t now)
{
    struct part part = {.key = {.src = {0, ip->src},
                                .dst = {0, ip->dst},
                                .id = (uint64_t)4 << 40 | (uint64_t)ip->proto << 32 | ip->id},
                        .offset = ip->fragment_offset_octets,
                        .octets = ip->payload_octets,
                        .more = ip->more_fragments};
    mbuf->l3_len = ip->header_octets;
    mbuf = put(f, stats, mbuf, &part, now);
    if (mbuf)
        make_whole_ipv4(mbuf);
    return mbuf;
}

/* --- IPv6 --- */

/* Removes the fragment header, moving what is before it. */
static void make_whole_ipv6(struct rte_mbuf *whole)
{
    uint8_t *bytes = rte_pktmbuf_mtod_offset(whole, uint8_t *, whole->l2_len);
    bytes[6] = bytes[IPV6_OCTETS]; /* next header */
    bytes_put_u16(bytes + 4, (uint16_t)(rte_pktmbuf_data_len(whole) - whole->l2_len - whole->l3_len));
    uint8_t *begin = rte_pktmbuf_mtod(whole, uint8_t *);
    memmove(begin + IPV6_FRAGMENT_OCTETS, begin, (size_t)whole->l2_len + IPV6_OCTETS);
    rte_pktmbuf_adj(whole, IPV6_FRAGMENT_OCTETS);
    whole->l3_len = IPV6_OCTETS;
}

static void put_address(uint64_t out[2], const uint8_t *octets)
{
    for (unsigned i = 0; i < 2; i++)
        out[i] =
            (uint64_t)bytes_get_u32(octets + (size_t)8 * i) << 32 | bytes_get_u32(octets + (size_t)8 * i + 4);
}

struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats, struct rte_mbuf *mbuf,
                                    int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    size_t octets = (size_t)rte_pktmbuf_data_len(mbuf) - mbuf->l2_len;
    struct ipv6 ip;
    struct ipv6_fragment fragment;
    ipv6_decode(&ip, bytes, octets);
    ipv6_fragment_decode(&fragment, bytes + IPV6_OCTETS, octets - IPV6_OCTETS);
    struct part part = {.key = {.id = (uint64_t)6 << 40 | fragment.id},
                        .offset = fragment.offset_octets,
                        .octets = (uint16_t)(ip.payload_octets - IPV6_FRAGMENT_OCTETS),
                        .more = fragment.more};
    put_address(part.key.src, ip.src);
    put_address(part.key.dst, ip.dst);
    mbuf->l3_len = IPV6_OCTETS + IPV6_FRAGMENT_OCTETS;
    mbuf = put(f, stats, mbuf, &part, now);
    if (mbuf)
        make_whole_ipv6(mbuf);
    return mbuf;
}
