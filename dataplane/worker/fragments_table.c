/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/fragments_table.h"

#include "dataplane/base/moment.h"
#include "dataplane/worker/stats.h"

#include <rte_common.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>

#define NONE          UINT32_MAX
#define SOURCE_PART   2 /* divides the buffers: the part of one source */
#define BUFFERS_LEAST (4 * FRAGMENTS_PIECES)

bool fragments_table_new(struct fragments_table *t, uint32_t datagrams, uint32_t buffers)
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

/* --- end of a datagram --- */

void fragments_table_end(struct fragments_table *t, struct fragments_datagram *datagram)
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
    stats->gn_drops[DROP_FRAGMENT_LOST] += datagram->count;
    stats->gn_held -= datagram->count;
    for (unsigned i = 0; i < datagram->count; i++)
        rte_pktmbuf_free(datagram->pieces[i].mbuf);
    fragments_table_end(t, datagram);
}

void fragments_table_free(struct fragments_table *t)
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

void fragments_table_expire(struct fragments_table *t, struct worker_stats *stats, int64_t before_ns)
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
    return (uint16_t)(mix(0, key->src[0] ? key->src[0] : key->src[1]) % FRAGMENTS_SOURCES);
}

static struct fragments_datagram *set_of(const struct fragments_table *t, const struct fragments_key *key)
{
    uint64_t sum = mix(mix(mix(mix(mix(0, key->src[0]), key->src[1]), key->dst[0]), key->dst[1]), key->id);
    return &t->datagrams[(sum & (t->sets - 1)) * FRAGMENTS_WAYS];
}

static struct fragments_datagram *find(struct fragments_datagram *set, const struct fragments_key *key)
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

static struct fragments_datagram *begin(struct fragments_table *t, struct worker_stats *stats,
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

struct fragments_datagram *fragments_table_put(struct fragments_table *t, struct worker_stats *stats,
                                               const struct fragments_key *key,
                                               const struct fragments_piece *piece, bool is_last, int64_t now)
{
    struct fragments_datagram *datagram = find(set_of(t, key), key);
    if (!datagram)
        datagram = begin(t, stats, key, now);
    int at = position_of(datagram, piece, is_last);
    stats->gn_held++;
    if (at < 0) {
        stats->gn_held--;
        stats->gn_drops[DROP_FRAGMENT_LOST]++;
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
