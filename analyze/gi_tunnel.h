/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user's packet out of GTP-U, for captures of Gn. A tunnel's packet that was cut into IP fragments is the
 * user's packet when its last fragment has come: headers of the first one are kept in a table of fixed size.
 * Octets of fragments are counted, not compared, so duplicates of fragments may end a packet early.
 */
#ifndef ANALYZE_GI_TUNNEL_H
#define ANALYZE_GI_TUNNEL_H

#include "analyze/gi_packet.h"

enum { GI_TUNNEL_WAYS = 4, GI_TUNNEL_ENTRIES = 4096, GI_TUNNEL_HEAD_OCTETS = 192 };

enum gi_tunnel_kind {
    GI_TUNNEL_PLAIN,     /* the packet is none of a tunnel's: as it was */
    GI_TUNNEL_INNER,     /* it now is the user's packet */
    GI_TUNNEL_NOTHING,   /* a fragment to be completed, or signalling */
    GI_TUNNEL_ADDRESSES, /* signalling that gives addresses to mobiles */
};

struct gi_tunnel_entry {
    struct gi_address src, dst;
    uint32_t id;
    uint8_t state; /* 0: free */
    int64_t last_ns;
    uint32_t got_octets, octets; /* of the datagram; octets 0: its last fragment has not come */
    uint16_t head_octets;        /* 0: its first fragment has not come */
    uint8_t head[GI_TUNNEL_HEAD_OCTETS];
};

/* Invariant: an entry lies among the ways that its addresses and id hash to. */
struct gi_tunnel {
    uint64_t packets, fragments, incomplete, unreadable;
    struct gi_address mobiles[2]; /* of the last GI_TUNNEL_ADDRESSES */
    unsigned mobile_count;
    struct gi_tunnel_entry entries[GI_TUNNEL_ENTRIES];
};

/* Zero is empty. Looks into a packet of the wire (gi_packet_decode()), in place. */
enum gi_tunnel_kind gi_tunnel_open(struct gi_tunnel *t, struct gi_packet *p);

#endif
