/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extracts users' packets from GTP-U, for captures of Gn. A tunnel packet in IP fragments yields the user's
 * packet when all fragments have arrived; a table of fixed size keeps the first fragment's headers. Octets of
 * fragments are counted, not compared, so duplicated fragments may complete a packet early.
 */
#ifndef ANALYZE_GI_TUNNEL_H
#define ANALYZE_GI_TUNNEL_H

#include "analyze/gi_packet.h"

enum { GI_TUNNEL_WAYS = 4, GI_TUNNEL_ENTRIES = 4096, GI_TUNNEL_HEAD_OCTETS = 192 };

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

#endif
