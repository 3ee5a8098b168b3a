/* SPDX-License-Identifier: BSD-3-Clause */
/* Reassembly of outer fragments, IPv4 and IPv6: on Gn of all, on Gb of a guard's; every fragment is counted.
 */
#ifndef DATAPLANE_WORKER_FRAGMENTS_H
#define DATAPLANE_WORKER_FRAGMENTS_H

#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The fragments of outer datagrams in reassembly. Their buffers are limited, for each source and in all, as
 * fragments need no permission of control and their source address may be forged: at a limit the oldest
 * datagram is dropped, of that source or of all, and the new fragment is kept. Fragments of a datagram that
 * a GGSN sends arrive together, so the oldest is the least likely to be completed.
 *
 * Sources are counted in FRAGMENTS_SOURCES rows by a hash of their address (IPv6: of its first 64 bits) and
 * place; two sources with the same row share one limit.
 *
 * Invariants: held is the number of buffers in the table, and the sum of held over the rows of sources; each
 * datagram in use is on two lists in the order of began_ns, that of all and that of its source's row.
 */

/* Where fragments are. Those of two places make no datagram together, and do not share the limit of a source:
 * any host can send those that no guard has proven under any address. */
enum fragments_place {
    FRAGMENTS_GN,
    FRAGMENTS_GN_GUARDED, /* a guard has proven them */
    FRAGMENTS_GN_BEFORE,  /* of what a guard must see whole */
    FRAGMENTS_GB_BEFORE,
};

#define FRAGMENTS_PIECES  8 /* of one datagram, at most */
#define FRAGMENTS_SOURCES 1024

struct rte_mbuf;
struct worker_stats;

/* Equal in all fragments of a datagram (RFC 791, RFC 8200 clause 4.5). */
struct fragments_key {
    uint64_t src[2], dst[2]; /* an IPv4 address is the second half, the first is 0 */
    uint64_t id;             /* identification, protocol, IP version and place */
};

struct fragments_piece {
    struct rte_mbuf *mbuf;
    uint16_t offset, octets; /* of the IP payload */
};

enum fragments_list { FRAGMENTS_OF_ALL, FRAGMENTS_OF_SOURCE, FRAGMENTS_LISTS };

struct fragments_datagram {
    struct fragments_key key;
    int64_t began_ns;
    uint32_t older[FRAGMENTS_LISTS], newer[FRAGMENTS_LISTS]; /* indices of datagrams */
    uint32_t octets;                                         /* of all pieces */
    uint32_t total;  /* of the payload; 0: the last fragment is missing */
    uint16_t source; /* row */
    uint8_t count;   /* of pieces, in the order of their offsets; 0: not in use */
    struct fragments_piece pieces[FRAGMENTS_PIECES];
};

struct fragments_ends {
    uint32_t oldest, newest;
};

struct fragments_source {
    struct fragments_ends ends;
    uint32_t held; /* buffers */
};

struct fragments_table {
    struct fragments_datagram *datagrams;
    uint32_t sets;            /* power of 2; each has FRAGMENTS_WAYS datagrams */
    uint32_t used, used_max;  /* datagrams */
    uint32_t held, held_max;  /* buffers */
    uint32_t source_held_max; /* buffers */
    struct fragments_ends ends;
    struct fragments_source sources[FRAGMENTS_SOURCES];
};

/* When the oldest datagram began; MOMENT_NEVER: there is none. */
int64_t fragments_table_oldest_ns(const struct fragments_table *t);

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
struct rte_mbuf *fragments_put(struct fragments *f, struct worker_stats *stats, enum fragments_place place,
                               struct rte_mbuf *mbuf, const struct ipv4 *ip, int64_t now);

/* The same for IPv6: header at mbuf->l2_len, followed by the fragment header, both valid. */
struct rte_mbuf *fragments_put_ipv6(struct fragments *f, struct worker_stats *stats,
                                    enum fragments_place place, struct rte_mbuf *mbuf, int64_t now);

/* Drops fragments older than the timeout. */
void fragments_expire(struct fragments *f, struct worker_stats *stats, int64_t now);

/* When the oldest fragment expires. */
static inline int64_t fragments_next_ns(const struct fragments *f)
{
    int64_t oldest_ns = fragments_table_oldest_ns(&f->table);
    return oldest_ns == MOMENT_NEVER ? MOMENT_NEVER : moment_add(moment_add(oldest_ns, f->timeout_ns), 1);
}

#endif
