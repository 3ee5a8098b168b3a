/* SPDX-License-Identifier: BSD-3-Clause */
/* TCP header (RFC 9293 clause 3.1) in an IP packet, with the options that a handshake agrees on (RFC 7323).
 */
#ifndef DATAPLANE_WIRE_TCP_H
#define DATAPLANE_WIRE_TCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TCP_OCTETS = 20, TCP_WINDOW_AT = 14, TCP_CHECKSUM_AT = 16, TCP_MAX_SCALE = 14 };
enum {
    TCP_FIN = 1,
    TCP_SYN = 2,
    TCP_RST = 4,
    TCP_PSH = 8,
    TCP_ACK = 16,
    TCP_URG = 32,
    TCP_ECE = 64,
    TCP_CWR = 128
};

struct tcp {
    uint16_t offset;      /* of the header in the packet */
    uint16_t data_octets; /* behind the header and its options */
    uint16_t src_port, dst_port;
    uint32_t seq, ack;
    uint16_t window; /* as in the field, without its scale */
    uint8_t flags;
};

/* Of each segment with timestamps (RFC 7323 clause 3.2), padded. The MSS counts it as data (RFC 6691). */
#define TCP_TIMESTAMPS_OCTETS 12

/* Options that are read. */
struct tcp_options {
    uint16_t mss; /* 0: none */
    uint8_t scale;
    bool has_scale;
    bool has_sack; /* blocks, RFC 2018 clause 3 */
    bool has_timestamps;
    bool is_signed; /* RFC 2385 or RFC 5925: the window must not change */
};

/* Reads the header in an IPv4 or IPv6 packet of len octets. False: it has none in clear, is a fragment, has
 * extension headers, or is malformed. */
bool tcp_decode(struct tcp *out, const uint8_t *packet, size_t len);

/* The ports of a segment that tcp_decode() does not read: a first fragment, or one behind IPv6 extension
 * headers. Only offset and ports are set. False: there is none. */
bool tcp_find(struct tcp *out, const uint8_t *packet, size_t len);

/* Reads the options behind a header that was decoded in this packet. A malformed option ends them; a scale
 * above 14 is 14 (RFC 7323 clause 2.3). */
void tcp_options_decode(struct tcp_options *out, const uint8_t *packet, const struct tcp *tcp);

/* Writes the window field of a header that was decoded in this packet, and updates the checksum by the
 * difference (RFC 1624 equation 3). */
void tcp_put_window(uint8_t *packet, const struct tcp *tcp, uint16_t window);

#endif
