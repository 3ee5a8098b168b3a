/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One user's IP packet at Gi: addresses, ports, and the fields of TCP for the analysis. It is decoded from
 * headers alone, so a capture with a short snap length suffices.
 */
#ifndef ANALYZE_GI_PACKET_H
#define ANALYZE_GI_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The options of a TCP header (RFC 9293 3.1, RFC 7323, RFC 2018), as far as they were captured. */

enum { GI_OPTIONS_SACKS = 4, GI_OPTIONS_NO_SCALE = 255, GI_OPTIONS_MOST_SCALE = 14 };

struct gi_options {
    uint32_t sack_left[GI_OPTIONS_SACKS], sack_right[GI_OPTIONS_SACKS];
    uint8_t sacks;
    uint8_t window_scale; /* GI_OPTIONS_NO_SCALE: no such option */
    bool has_sack_permitted, has_timestamp;
    bool is_cut;                /* further options were not captured or are malformed */
    uint32_t ts_value, ts_echo; /* while has_timestamp */
};

enum {
    GI_PACKET_FIN = 1,
    GI_PACKET_SYN = 2,
    GI_PACKET_RST = 4,
    GI_PACKET_ACK = 16,
};

/* An IPv6 address as two numbers; IPv4 as mapped address, ::ffff:a.b.c.d (RFC 4291 2.5.5.2). */
struct gi_address {
    uint64_t high, low;
};

/* is_one: the packet is a fragment. is_last: no more fragments follow, also in a whole packet. */
struct gi_fragment {
    uint32_t id, offset_octets;
    bool is_one, is_last;
};

struct gi_packet {
    int64_t at_ns;
    struct gi_address src, dst;
    uint32_t ip_octets;       /* of the whole packet, by its header or, if that has no length, by the frame */
    const uint8_t *transport; /* inside the decoded octets */
    size_t transport_captured;
    uint32_t transport_octets;
    struct gi_fragment fragment;
    uint16_t src_port, dst_port; /* 0: none here */
    uint8_t protocol;
    bool has_no_length; /* the IP header has none */
    bool is_closed;     /* the caller's: a tunnel whose packet cannot be reached */
    bool is_tcp;        /* whole TCP header captured and not a fragment: the fields below are set */
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

/* Writes the address as text, which it returns. */
enum { GI_PACKET_ADDRESS_CHARS = 46 };
const char *gi_packet_address_text(struct gi_address a, char text[GI_PACKET_ADDRESS_CHARS]);

/* A packet that a network card was to segment: the most that its frame's length or jumbo payload may be.
 * Linux has up to 524 280. */
enum { GI_PACKET_UNSEGMENTED_OCTETS = 1 << 20 };

/*
 * Decodes one IP packet of which `captured` of `wire_octets` octets are there (captured <= wire_octets); the
 * caller sets at_ns. Returns 0; ERR_TRUNCATED: the IP header is incomplete, or the packet is longer than the
 * octets on the wire; ERR_MALFORMED; ERR_UNSUPPORTED: neither IPv4 nor IPv6.
 *
 * A length of 0 is left by hosts whose network card segments: the packet then has all octets on the wire. In
 * IPv6 the option of RFC 2675 (jumbo payload) gives the length, and a packet without next header has none.
 */
int gi_packet_decode(struct gi_packet *out, const uint8_t *bytes, size_t captured, size_t wire_octets);

#endif
