/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fragments of outer datagrams in reassembly. Their buffers are limited, for each source and in all, as
 * fragments need no permission of control and their source address may be forged: at a limit the oldest
 * datagram is dropped, of that source or of all, and the new fragment is kept. Fragments of a datagram that
 * a GGSN sends arrive together, so the oldest is the least likely to be completed.
 *
 * Sources are counted in FRAGMENTS_SOURCES rows by a hash of their address (IPv6: of its first 64 bits);
 * two sources with the same row share one limit.
 *
 * Invariants: held is the number of buffers in the table, and the sum of held over the rows of sources; each
 * datagram in use is on two lists in the order of began_ns, that of all and that of its source's row.
 */
#ifndef DATAPLANE_WORKER_FRAGMENTS_TABLE_H
#define DATAPLANE_WORKER_FRAGMENTS_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define FRAGMENTS_PIECES  8  /* of one datagram, at most */
#define FRAGMENTS_WAYS    16 /* datagrams whose keys have the same hash */
#define FRAGMENTS_SOURCES 1024

struct rte_mbuf;
struct worker_stats;

/* Equal in all fragments of a datagram (RFC 791, RFC 8200 clause 4.5). */
struct fragments_key {
    uint64_t src[2], dst[2]; /* an IPv4 address is the second half, the first is 0 */
    uint64_t id;             /* identification, protocol and IP version */
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

/* Room for `datagrams`, which hold `buffers` at most. False: out of memory. */
bool fragments_table_new(struct fragments_table *t, uint32_t datagrams, uint32_t buffers);
void fragments_table_free(struct fragments_table *t);

/*
 * Takes ownership of a piece, not empty; is_last: the datagram's payload ends with it. Returns the datagram
 * if it is complete now: the caller takes its buffers and calls fragments_table_end(). NULL: the piece is
 * kept, or contradicts others (RFC 5722, also over IPv4): then the datagram is dropped. Dropped pieces are
 * counted in stats.
 */
struct fragments_datagram *fragments_table_put(struct fragments_table *t, struct worker_stats *stats,
                                               const struct fragments_key *key,
                                               const struct fragments_piece *piece, bool is_last,
                                               int64_t now);

/* Removes a datagram; its buffers are the caller's. */
void fragments_table_end(struct fragments_table *t, struct fragments_datagram *datagram);

/* Drops and counts the datagrams that began before `before_ns`. */
void fragments_table_expire(struct fragments_table *t, struct worker_stats *stats, int64_t before_ns);

/* When the oldest datagram began; MOMENT_NEVER: there is none. */
int64_t fragments_table_oldest_ns(const struct fragments_table *t);

#endif
