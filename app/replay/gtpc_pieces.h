/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pieces (IP fragments, IPv4 and IPv6) of UDP datagrams with GTP-C, and the datagrams made of them. As in
 * the worker's fragments.h a copy of a fragment changes nothing, one that contradicts others takes its
 * datagram with it, and a datagram is given up after 5 s. Only the first fragment says what a datagram is:
 * those of user packets are kept for a while, too.
 */
#ifndef APP_REPLAY_GTPC_PIECES_H
#define APP_REPLAY_GTPC_PIECES_H

#include "control/base/neighbour_ip.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GTPC_PIECES_DATAGRAMS = 64, /* at a time; the oldest gives way */
    GTPC_PIECES_OCTETS = 2048,  /* of a datagram; a longer one is given up */
    GTPC_PIECES_BLOCK = 8,      /* octets: offsets of fragments are multiples of it */
    GTPC_PIECES_BLOCKS = GTPC_PIECES_OCTETS / GTPC_PIECES_BLOCK,
};

/* The source and destination of a datagram. */
struct gtpc_pieces_way {
    struct neighbour_ip from, to;
};

struct gtpc_pieces_piece {
    struct gtpc_pieces_way way;
    uint32_t id;
    uint32_t offset;
    bool is_last;
    const uint8_t *bytes;
    size_t octets;
};

/* has[i]: block i of bytes is there, the last one as far as `octets` goes. */
struct gtpc_pieces_datagram {
    struct gtpc_pieces_way way;
    int64_t began_ns;
    uint32_t id;
    uint32_t octets; /* 0: the last fragment is missing */
    bool is_used;
    bool has[GTPC_PIECES_BLOCKS];
    uint8_t bytes[GTPC_PIECES_OCTETS];
};

/* Zeroed: empty. */
struct gtpc_pieces {
    struct gtpc_pieces_datagram datagrams[GTPC_PIECES_DATAGRAMS];
    uint64_t lost; /* datagrams of GTP-C that were given up */
};

/* Takes a fragment of a UDP datagram. Returns the datagram's octets, in *whole until the next call, if the
 * fragment completes it, else 0. */
size_t gtpc_pieces_put(struct gtpc_pieces *p, const struct gtpc_pieces_piece *piece, const uint8_t **whole,
                       int64_t now);

/* Datagrams of GTP-C that were given up or wait. */
uint64_t gtpc_pieces_incomplete(const struct gtpc_pieces *p);

#endif
