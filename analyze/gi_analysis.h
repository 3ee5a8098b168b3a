/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passive analysis of TCP at Gi, after P. Benko, G. Malicsko, A. Veres, "A Large-scale, Passive Analysis of
 * End-to-End TCP Performance over GPRS", INFOCOM 2004, and of LLC at Gb (gb_links.h): takes frames in order
 * of time, yields results. Memory is bounded by the limits of the tables, given at the start.
 */
#ifndef ANALYZE_GI_ANALYSIS_H
#define ANALYZE_GI_ANALYSIS_H

#include "analyze/gb_links.h"
#include "analyze/gi_conn.h"
#include "analyze/gi_exchange.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_result.h"
#include "analyze/gi_users.h"
#include "capture/link.h"
#include "capture/source.h"
#include "capture/unread.h"

/*
 * Extracts users' packets from GTP-U, for captures of Gn. A tunnel packet in IP fragments yields the user's
 * packet when all fragments have arrived; a table of fixed size keeps the first fragment's headers. Octets of
 * fragments are counted, not compared; a fragment with the offset of one that has been counted is a copy.
 */

enum {
    GI_TUNNEL_WAYS = 4,
    GI_TUNNEL_ENTRIES = 4096,
    GI_TUNNEL_HEAD_OCTETS = 192,
    GI_TUNNEL_PIECES = 16, /* whose offsets are kept; copies of further ones are counted */
};

enum gi_tunnel_kind {
    GI_TUNNEL_PLAIN,     /* not a tunnel packet: unchanged */
    GI_TUNNEL_INNER,     /* replaced by the user's packet */
    GI_TUNNEL_NOTHING,   /* a pending fragment, signalling, or unreadable */
    GI_TUNNEL_ADDRESSES, /* signalling that assigns addresses to mobiles */
};

struct gi_tunnel_entry {
    struct gi_address src, dst;
    uint32_t id;
    uint8_t state; /* 0: free */
    int64_t last_ns;
    uint32_t got_octets, octets; /* of the datagram; octets 0: last fragment not yet seen */
    uint16_t head_octets;        /* 0: first fragment not yet seen */
    uint8_t pieces;
    uint16_t offsets[GI_TUNNEL_PIECES]; /* in units of 8 octets */
    uint8_t head[GI_TUNNEL_HEAD_OCTETS];
};

/* Invariant: an entry is in one of the ways to which its addresses and id hash. */
struct gi_tunnel {
    uint64_t packets, fragments, incomplete, unreadable;
    struct gi_address mobiles[2]; /* of the last GI_TUNNEL_ADDRESSES */
    unsigned mobile_count;
    struct gi_tunnel_entry entries[GI_TUNNEL_ENTRIES];
};

/* Opens a packet from the wire (gi_packet_decode()), in place. A zeroed struct is empty. */
enum gi_tunnel_kind gi_tunnel_open(struct gi_tunnel *t, struct gi_packet *p);

/* Counts the packets that wait for fragments as incomplete. */
void gi_tunnel_finish(struct gi_tunnel *t);

/*
 * Finds the mobile's side of a packet. With prefixes given: the address in a prefix is the mobile. Otherwise
 * the first of these rules that distinguishes the two addresses:
 *   1. one address is known as a mobile's, from GTP-C or by one of the next two rules;
 *   2. one address is private (RFC 1918, RFC 6598, RFC 4193), the other is not;
 *   3. the sender of a SYN is the mobile, as mobiles open connections.
 */

enum { GI_SIDE_PREFIXES = 64 };

struct gi_prefix {
    struct gi_address address, mask;
};

/* count 0: the sides are found by the rules. */
struct gi_prefixes {
    struct gi_prefix list[GI_SIDE_PREFIXES];
    unsigned count;
};

/* Adds "10.45.0.0/16", "2001:db8::/32", or an address. False: malformed, or too many. */
bool gi_analysis_prefix_add(struct gi_prefixes *told, const char *text);

/*
 * The open connections, by addresses and ports. A sweep over time finds idle ones: the whole table in one
 * eighth of idle_s, which bounds the delay of noticing an end.
 */

struct gi_table {
    struct u64_map map;
    struct gi_pool pool;
    uint32_t hand; /* next record of the sweep */
    int64_t swept_ns;
    uint64_t refused; /* packets without room for a new connection */
};

/* Frames and packets by their fate. */
struct gi_counts {
    uint64_t other_frames;            /* not IP, or the link header is cut off */
    uint64_t malformed;               /* cut in the IP header, too */
    uint64_t closed[CAPTURE_TUNNELS]; /* by kind: in tunnels between unknown ends, cannot be reached */
    struct capture_unread inner;      /* frames in tunnels that hold no IP */
    uint64_t tcp, others;             /* packets of mobiles */
    uint64_t headless;   /* TCP or UDP whose header is not captured whole; fragments are not among them */
    uint64_t signalling; /* GTP signalling, pending fragments, unreadable tunnel packets */
    uint64_t unassigned; /* packets without a known mobile side */
    uint64_t no_length;  /* users' packets whose IP header has no length */
};

struct gi_analysis {
    struct gi_limits limits;
    struct gi_prefixes told;
    struct gi_counts counts;
    struct gi_users users;
    struct gi_table table;
    struct gi_result result;
    struct gi_tunnel tunnel;
    struct gb_links links;
    int64_t last_ns;
    /* Called for each connection that has ended; may be NULL. */
    void (*on_end)(void *to, const struct gi_conn *conn, const struct gi_verdict *verdict);
    void *to;
    /* Called for each period that has given a channel rate: conn->period; may be NULL. */
    void (*on_period)(void *to, const struct gi_conn *conn, double rate_bps);
    void *periods_to;
    /* Called for each exchange that has ended; set by gi_analysis_want_exchanges(). */
    void (*on_exchange)(void *to, const struct gi_conn *conn, const struct gi_exchange *exchange);
    void *exchanges_to;
    struct gi_pool
        exchanges; /* struct gi_exchanges, by the connection's number in table.pool; on_exchange NULL: none */
};

/* Takes memory for the tables of a zeroed struct; copies `told`. gi_analysis_fini() must be called in either
 * case. False: no memory. */
bool gi_analysis_init(struct gi_analysis *a, const struct gi_limits *limits, const struct gi_prefixes *told);
void gi_analysis_fini(struct gi_analysis *a);

/* Has on_exchange() called from the first frame on. False: no memory. */
bool gi_analysis_want_exchanges(struct gi_analysis *a,
                                void (*on_exchange)(void *to, const struct gi_conn *conn,
                                                    const struct gi_exchange *exchange),
                                void *to);

/* The same with memory for the struct. The caller frees the analysis with gi_analysis_free(). NULL: no
 * memory. */
struct gi_analysis *gi_analysis_new(const struct gi_limits *limits, const struct gi_prefixes *told);
void gi_analysis_free(struct gi_analysis *a);

/* Reads a frame of any link type; times must not go back (capture/reader.h). */
void gi_analysis_frame(struct gi_analysis *a, struct capture_frame frame);

/* Ends all connections after the last frame. */
void gi_analysis_finish(struct gi_analysis *a);

#endif
