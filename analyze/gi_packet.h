/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One user's IP packet as a monitor at Gi sees it: addresses, ports, and of TCP what an analysis needs. It is
 * read from headers alone, so a capture with a short snap length does.
 */
#ifndef ANALYZE_GI_PACKET_H
#define ANALYZE_GI_PACKET_H

#include "analyze/gi_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GI_PACKET_FIN = 1,
    GI_PACKET_SYN = 2,
    GI_PACKET_RST = 4,
    GI_PACKET_ACK = 16,
};

/* An IPv6 address in two numbers; IPv4 as the mapped one, ::ffff:a.b.c.d (RFC 4291 2.5.5.2). */
struct gi_address {
    uint64_t high, low;
};

/* Not all of a packet: `is_last` also for one that is the first. */
struct gi_fragment {
    uint32_t id, offset_octets;
    bool is_one, is_last;
};

struct gi_packet {
    int64_t at_ns;
    struct gi_address src, dst;
    uint32_t ip_octets;       /* of the whole packet, as its header says */
    const uint8_t *transport; /* inside the decoded octets */
    size_t transport_captured;
    uint32_t transport_octets;
    struct gi_fragment fragment;
    uint16_t src_port, dst_port; /* 0: there are none here */
    uint8_t protocol;
    bool is_tcp; /* all of a TCP header was there, and this is no fragment: what follows is set */
    uint8_t flags;
    uint32_t seq, ack;
    uint16_t window;
    uint32_t payload_octets;
    struct gi_options options;
};

static inline bool gi_packet_is_same(struct gi_address a, struct gi_address b)
{
    return a.high == b.high && a.low == b.low;
}

static inline struct gi_address gi_packet_ipv4(uint32_t address)
{
    return (struct gi_address){.low = UINT64_C(0xffff00000000) | address};
}

static inline bool gi_packet_is_ipv4(struct gi_address a)
{
    return a.high == 0 && a.low >> 32 == 0xffff;
}

/* 16 octets in network order. */
struct gi_address gi_packet_ipv6(const uint8_t *octets);

/*
 * Reads one IP packet of which `captured` of `wire_octets` octets are there (captured <= wire_octets); at_ns
 * is the caller's. Returns 0; ERR_TRUNCATED: not even the IP header is there, or the packet is longer than
 * what was on the wire; ERR_MALFORMED; ERR_UNSUPPORTED: neither IPv4 nor IPv6.
 */
int gi_packet_decode(struct gi_packet *out, const uint8_t *bytes, size_t captured, size_t wire_octets);

#endif
