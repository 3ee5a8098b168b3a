/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * IP fragments become datagrams.
 * Exits: DROP_TOO_LONG, DROP_FRAGMENT_LOST, DROP_FRAGMENT_COPY.
 */
#include "dataplane/worker/fragments.h"
#include "dataplane/worker/stats.h"

#include "dataplane/base/moment.h"
#include "dataplane/context/marking.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_common.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FRAGMENTS_WAYS 16 /* datagrams whose keys have the same hash */

#define NONE          UINT32_MAX
#define SOURCE_PART   2 /* divides the buffers: the part of one source */
#define BUFFERS_LEAST (4 * FRAGMENTS_PIECES)
#define PLACE_BIT     48 /* of a key's identification */

static void fragments_table_expire(struct fragments_table *t, struct worker_stats *stats, int64_t before_ns);

/* Room for `datagrams`, which hold `buffers` at most. False: out of memory. */
static bool fragments_table_new(struct fragments_table *t, uint32_t datagrams, uint32_t buffers)
{
    uint32_t held_max = RTE_MAX(buffers, (uint32_t)BUFFERS_LEAST);
    *t = (struct fragments_table){
        .sets = rte_align32pow2((datagrams + FRAGMENTS_WAYS - 1) / FRAGMENTS_WAYS),
        .used_max = datagrams,
        .held_max = held_max,
        .source_held_max = held_max / SOURCE_PART,
        .ends = {NONE, NONE},
    };
    for (unsigned i = 0; i < FRAGMENTS_SOURCES; i++)
        t->sources[i].ends = t->ends;
    t->datagrams = calloc((size_t)t->sets * FRAGMENTS_WAYS, sizeof(*t->datagrams));
    return t->datagrams;
}

/* --- lists --- */

static void append(struct fragments_table *t, enum fragments_list list, struct fragments_ends *ends,
                   uint32_t index)
{
    struct fragments_datagram *datagram = &t->datagrams[index];
    datagram->older[list] = ends->newest;
    datagram->newer[list] = NONE;
    if (ends->newest != NONE)
        t->datagrams[ends->newest].newer[list] = index;
    else
        ends->oldest = index;
    ends->newest = index;
}

static void unlink_from(struct fragments_table *t, enum fragments_list list, struct fragments_ends *ends,
                        const struct fragments_datagram *datagram)
{
    uint32_t older = datagram->older[list], newer = datagram->newer[list];
    if (older != NONE)
        t->datagrams[older].newer[list] = newer;
    else
        ends->oldest = newer;
    if (newer != NONE)
        t->datagrams[newer].older[list] = older;
    else
        ends->newest = older;
}

/* --- counters of a datagram's port --- */

static bool is_gb(const struct fragments_key *key)
{
    return key->id >> PLACE_BIT == FRAGMENTS_GB_BEFORE;
}

static uint64_t *drops_of(struct worker_stats *stats, const struct fragments_key *key)
{
    return is_gb(key) ? stats->gb_drops : stats->gn_drops;
}

static uint64_t *held_of(struct worker_stats *stats, const struct fragments_key *key)
{
    return is_gb(key) ? &stats->gb_held : &stats->gn_held;
}

static uint64_t *merged_of(struct worker_stats *stats, const struct fragments_key *key)
{
    return is_gb(key) ? &stats->gb_merged : &stats->gn_merged;
}

/* --- end of a datagram --- */

/* Removes a datagram; its buffers are the caller's. */
static void fragments_table_end(struct fragments_table *t, struct fragments_datagram *datagram)
{
    struct fragments_source *source = &t->sources[datagram->source];
    unlink_from(t, FRAGMENTS_OF_ALL, &t->ends, datagram);
    unlink_from(t, FRAGMENTS_OF_SOURCE, &source->ends, datagram);
    source->held -= datagram->count;
    t->held -= datagram->count;
    t->used--;
    datagram->count = 0;
}

static void drop(struct fragments_table *t, struct worker_stats *stats, struct fragments_datagram *datagram)
{
    drops_of(stats, &datagram->key)[DROP_FRAGMENT_LOST] += datagram->count;
    *held_of(stats, &datagram->key) -= datagram->count;
    for (unsigned i = 0; i < datagram->count; i++)
        rte_pktmbuf_free(datagram->pieces[i].mbuf);
    fragments_table_end(t, datagram);
}

static void fragments_table_free(struct fragments_table *t)
{
    struct worker_stats unread = {0};
    fragments_table_expire(t, &unread, MOMENT_NEVER);
    free(t->datagrams);
    *t = (struct fragments_table){.ends = {NONE, NONE}};
}

int64_t fragments_table_oldest_ns(const struct fragments_table *t)
{
    return t->ends.oldest == NONE ? MOMENT_NEVER : t->datagrams[t->ends.oldest].began_ns;
}

/* Drops and counts the datagrams that began before `before_ns`. */
static void fragments_table_expire(struct fragments_table *t, struct worker_stats *stats, int64_t before_ns)
{
    while (t->datagrams && t->ends.oldest != NONE && fragments_table_oldest_ns(t) < before_ns)
        drop(t, stats, &t->datagrams[t->ends.oldest]);
}

/* --- places --- */

static uint64_t mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 32;
}

static uint16_t source_of(const struct fragments_key *key)
{
    /* Of an IPv6 address the first half, as one host may have all addresses of a prefix. */
    uint64_t half = key->src[0] ? key->src[0] : key->src[1];
    return (uint16_t)(mix(mix(0, half), key->id >> PLACE_BIT) % FRAGMENTS_SOURCES);
}

static struct fragments_datagram *set_of(const struct fragments_table *t, const struct fragments_key *key)
{
    uint64_t sum = mix(mix(mix(mix(mix(0, key->src[0]), key->src[1]), key->dst[0]), key->dst[1]), key->id);
    return &t->datagrams[(sum & (t->sets - 1)) * FRAGMENTS_WAYS];
}

static struct fragments_datagram *fragments_find(struct fragments_datagram *set,
                                                 const struct fragments_key *key)
{
    for (unsigned i = 0; i < FRAGMENTS_WAYS; i++)
        if (set[i].count > 0 && memcmp(&set[i].key, key, sizeof(*key)) == 0)
            return &set[i];
    return NULL;
}

/* A free place of the set, or that of its oldest datagram, which is dropped. */
static struct fragments_datagram *place_in(struct fragments_table *t, struct worker_stats *stats,
                                           struct fragments_datagram *set)
{
    struct fragments_datagram *oldest = set;
    for (unsigned i = 0; i < FRAGMENTS_WAYS; i++) {
        if (set[i].count == 0)
            return &set[i];
        if (set[i].began_ns < oldest->began_ns)
            oldest = &set[i];
    }
    drop(t, stats, oldest);
    return oldest;
}

static struct fragments_datagram *fragments_begin(struct fragments_table *t, struct worker_stats *stats,
                                                  const struct fragments_key *key, int64_t now)
{
    if (t->used >= t->used_max)
        drop(t, stats, &t->datagrams[t->ends.oldest]);
    struct fragments_datagram *datagram = place_in(t, stats, set_of(t, key));
    datagram->key = *key;
    datagram->source = source_of(key);
    datagram->began_ns = now;
    datagram->octets = datagram->total = 0;
    uint32_t index = (uint32_t)(datagram - t->datagrams);
    append(t, FRAGMENTS_OF_ALL, &t->ends, index);
    append(t, FRAGMENTS_OF_SOURCE, &t->sources[datagram->source].ends, index);
    t->used++;
    return datagram;
}

/* --- pieces --- */

/* Drops the oldest datagrams until a source, and all together, are within the limits. */
static void keep_limits(struct fragments_table *t, struct worker_stats *stats,
                        const struct fragments_source *source)
{
    while (source->held > t->source_held_max)
        drop(t, stats, &t->datagrams[source->ends.oldest]);
    while (t->held > t->held_max)
        drop(t, stats, &t->datagrams[t->ends.oldest]);
}

/* Where the piece goes among the others; -1: it overlaps one, exceeds the payload, or is one too many. */
static int position_of(const struct fragments_datagram *datagram, const struct fragments_piece *piece,
                       bool is_last)
{
    const struct fragments_piece *pieces = datagram->pieces;
    uint32_t end = (uint32_t)piece->offset + piece->octets;
    unsigned i = 0;
    if (datagram->count == FRAGMENTS_PIECES || (datagram->total && (is_last || end > datagram->total)))
        return -1;
    while (i < datagram->count && pieces[i].offset < piece->offset)
        i++;
    if (i > 0 && (uint32_t)pieces[i - 1].offset + pieces[i - 1].octets > piece->offset)
        return -1;
    if (i < datagram->count && (is_last || end > pieces[i].offset))
        return -1;
    return (int)i;
}

static const uint8_t *payload_of(const struct fragments_piece *piece)
{
    return rte_pktmbuf_mtod_offset(piece->mbuf, const uint8_t *, piece->mbuf->l2_len + piece->mbuf->l3_len);
}

/* The network made a copy of a piece that is kept (RFC 791; RFC 8200 clause 4.5): same place, same octets. */
static bool is_copy(const struct fragments_datagram *datagram, const struct fragments_piece *piece,
                    bool is_last)
{
    for (unsigned i = 0; i < datagram->count; i++) {
        const struct fragments_piece *kept = &datagram->pieces[i];
        bool ends = kept->offset + (uint32_t)kept->octets == datagram->total;
        if (kept->offset == piece->offset && kept->octets == piece->octets && ends == is_last)
            return memcmp(payload_of(kept), payload_of(piece), piece->octets) == 0;
    }
    return false;
}

static void insert(struct fragments_table *t, struct fragments_datagram *datagram,
                   const struct fragments_piece *piece, unsigned at)
{
    struct fragments_piece *place = &datagram->pieces[at];
    memmove(place + 1, place, (datagram->count - at) * sizeof(*place));
    *place = *piece;
    datagram->octets += piece->octets;
    datagram->count++;
    t->sources[datagram->source].held++;
    t->held++;
}

/*
 * Takes ownership of a piece, not empty; is_last: the datagram's payload ends with it. Returns the datagram
 * if it is complete now: the caller takes its buffers and calls fragments_table_end(). NULL: the piece is
 * kept; or is a copy, which alone is dropped; or contradicts others (RFC 5722, also over IPv4): then the
 * datagram is dropped. Dropped pieces are counted in stats.
 */
static struct fragments_datagram *fragments_table_put(struct fragments_table *t, struct worker_stats *stats,
                                                      const struct fragments_key *key,
                                                      const struct fragments_piece *piece, bool is_last,
                                                      int64_t now)
{
    struct fragments_datagram *datagram = fragments_find(set_of(t, key), key);
    if (!datagram)
        datagram = fragments_begin(t, stats, key, now);
    if (is_copy(datagram, piece, is_last)) {
        drops_of(stats, key)[DROP_FRAGMENT_COPY]++;
        rte_pktmbuf_free(piece->mbuf);
        return NULL;
    }
    int at = position_of(datagram, piece, is_last);
    *held_of(stats, key) += 1;
    if (at < 0) {
        *held_of(stats, key) -= 1;
        drops_of(stats, key)[DROP_FRAGMENT_LOST]++;
        rte_pktmbuf_free(piece->mbuf);
        drop(t, stats, datagram);
        return NULL;
    }
    insert(t, datagram, piece, (unsigned)at);
    if (is_last)
        datagram->total = (uint32_t)piece->offset + piece->octets;
    if (datagram->total && datagram->octets == datagram->total)
        return datagram;
    keep_limits(t, stats, &t->sources[datagram->source]);
    return NULL;
}

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
        memcpy(rte_pktmbuf_append(whole, piece->octets), payload_of(piece), piece->octets);
    }
    return true;
}

/* CE of one fragment is that of the datagram (RFC 3168 clause 5.3); IPv4's checksum is written later. */
static void keep_ce(struct rte_mbuf *whole, const struct fragments_datagram *datagram)
{
    uint8_t *first = rte_pktmbuf_mtod_offset(whole, uint8_t *, whole->l2_len);
    for (unsigned i = 1; i < datagram->count; i++) {
        const struct rte_mbuf *mbuf = datagram->pieces[i].mbuf;
        const uint8_t *ip = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
        unsigned shift = first[0] >> 4 == 6 ? 4 : 0;
        if ((ip[1] >> shift & MARKING_ECN) == MARKING_ECN)
            first[1] |= (uint8_t)(MARKING_ECN << shift);
    }
}

/* Ends a complete datagram; NULL: it was longer than a buffer. */
static struct rte_mbuf *fragments_end(struct fragments *f, struct worker_stats *stats,
                                      struct fragments_datagram *datagram)
{
    struct rte_mbuf *whole = datagram->pieces[0].mbuf;
    bool is_joined = join(whole, datagram);
    keep_ce(whole, datagram);
    for (unsigned i = is_joined; i < datagram->count; i++)
        rte_pktmbuf_free(datagram->pieces[i].mbuf);
    *held_of(stats, &datagram->key) -= datagram->count;
    *merged_of(stats, &datagram->key) += datagram->count - 1U;
    drops_of(stats, &datagram->key)[DROP_TOO_LONG] += !is_joined;
    fragments_table_end(&f->table, datagram);
    return is_joined ? whole : NULL;
}

struct part {
    struct fragments_key key;
    uint16_t offset, octets;
    bool more;
};

/* mbuf->l3_len: the octets between its l2_len and the part. */
static struct rte_mbuf *worker_fragments_put(struct fragments *f, struct worker_stats *stats,
                                             struct rte_mbuf *mbuf, const struct part *part, int64_t now)
{
    struct fragments_piece piece = {mbuf, part->offset, part->octets};
    if (part->octets == 0 || part->offset + part->octets > UINT16_MAX) {
        drops_of(stats, &part->key)[DROP_FRAGMENT_LOST]++;
        rte_pktmbuf_free(mbuf);
        return NULL;
    }
    struct fragments_datagram *datagram =
        fragments_table_put(&f->table, stats, &part->key, &piece, !part->more, now);
    return datagram ? fragments_end(f, stats, datagram) : NULL;
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

static uint64_t id_of(unsigned version, enum fragments_place place)
{
    return (uint64_t)version << 40 | (uint64_t)place << PLACE_BIT;
}

struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, enum fragments_place place,
                               struct rte_mbuf *mbuf, const struct ipv4 *ip, int64_t now)
{
    struct part part = {.key = {.src = {0, ip->src},
                                .dst = {0, ip->dst},
                                .id = id_of(4, place) | (uint64_t)ip->proto << 32 | ip->id},
                        .offset = ip->fragment_offset_octets,
                        .octets = ip->payload_octets,
                        .more = ip->more_fragments};
    mbuf->l3_len = ip->header_octets;
    mbuf = worker_fragments_put(f, stats, mbuf, &part, now);
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

struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats,
                                    enum fragments_place place, struct rte_mbuf *mbuf, int64_t now)
{
    const uint8_t *bytes = rte_pktmbuf_mtod_offset(mbuf, const uint8_t *, mbuf->l2_len);
    size_t octets = (size_t)rte_pktmbuf_data_len(mbuf) - mbuf->l2_len;
    struct ipv6 ip;
    struct ipv6_fragment fragment;
    ipv6_decode(&ip, bytes, octets);
    ipv6_fragment_decode(&fragment, bytes + IPV6_OCTETS, octets - IPV6_OCTETS);
    struct part part = {.key = {.id = id_of(6, place) | fragment.id},
                        .offset = fragment.offset_octets,
                        .octets = (uint16_t)(ip.payload_octets - IPV6_FRAGMENT_OCTETS),
                        .more = fragment.more};
    put_address(part.key.src, ip.src);
    put_address(part.key.dst, ip.dst);
    mbuf->l3_len = IPV6_OCTETS + IPV6_FRAGMENT_OCTETS;
    mbuf = worker_fragments_put(f, stats, mbuf, &part, now);
    if (mbuf)
        make_whole_ipv6(mbuf);
    return mbuf;
}
