/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/tcp_repeat.h"

#include <string.h>

#define IPV4_OCTETS 20
#define IPV6_OCTETS 40
#define TCP_OCTETS  20
#define PROTO_TCP   6

enum { FIN = 1, SYN = 2, RST = 4, ACK = 16, URG = 32 };

struct segment {
    const uint8_t *addresses, *ports;
    uint32_t addresses_octets;
    uint32_t seq, ack, octets; /* of data */
    uint8_t flags;
};

static uint32_t get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
    return get16(p) << 16 | get16(p + 2);
}

/* The TCP header begins at `at` and the packet ends at `end`. */
static bool decode_tcp(struct segment *s, const uint8_t *packet, uint32_t at, uint32_t end)
{
    if (at + TCP_OCTETS > end)
        return false;
    const uint8_t *tcp = packet + at;
    uint32_t header_octets = (uint32_t)(tcp[12] >> 4) * 4;
    if (header_octets < TCP_OCTETS || at + header_octets > end)
        return false;
    s->ports = tcp;
    s->seq = get32(tcp + 4);
    s->ack = get32(tcp + 8);
    s->flags = tcp[13];
    s->octets = end - at - header_octets;
    return true;
}

static bool decode_ipv4(struct segment *s, const uint8_t *packet, uint32_t octets)
{
    uint32_t header_octets = (uint32_t)(packet[0] & 15) * 4, end = get16(packet + 2);
    bool is_fragment = get16(packet + 6) & 0x3fff;
    if (header_octets < IPV4_OCTETS || end > octets || is_fragment || packet[9] != PROTO_TCP)
        return false;
    s->addresses = packet + 12;
    s->addresses_octets = 8;
    return decode_tcp(s, packet, header_octets, end);
}

static bool decode_ipv6(struct segment *s, const uint8_t *packet, uint32_t octets)
{
    uint32_t end = octets < IPV6_OCTETS ? 0 : IPV6_OCTETS + get16(packet + 4);
    if (octets < IPV6_OCTETS || end > octets || packet[6] != PROTO_TCP)
        return false;
    s->addresses = packet + 8;
    s->addresses_octets = 32;
    return decode_tcp(s, packet, IPV6_OCTETS, end);
}

static bool decode(struct segment *s, const struct n_pdu *n_pdu)
{
    if (!n_pdu->data || n_pdu->octets < IPV4_OCTETS)
        return false;
    switch (n_pdu->data[0] >> 4) {
    case 4:
        return decode_ipv4(s, n_pdu->data, n_pdu->octets);
    case 6:
        return decode_ipv6(s, n_pdu->data, n_pdu->octets);
    default:
        return false;
    }
}

static bool is_newer_ack(const struct segment *s, const struct segment *queued)
{
    return s->flags & ACK && (!(queued->flags & ACK) || (int32_t)(s->ack - queued->ack) > 0);
}

static bool repeats(const struct segment *s, const struct segment *queued)
{
    uint32_t ahead = s->seq - queued->seq;
    return s->addresses_octets == queued->addresses_octets &&
           memcmp(s->addresses, queued->addresses, s->addresses_octets) == 0 &&
           memcmp(s->ports, queued->ports, 4) == 0 && !(queued->flags & (SYN | RST)) &&
           ahead < queued->octets && s->octets <= queued->octets - ahead && !is_newer_ack(s, queued);
}

bool tcp_repeat_has(const struct n_pdu_list *list, const struct n_pdu *n_pdu)
{
    struct segment coming, queued;
    if (!list->head || !decode(&coming, n_pdu) || coming.octets == 0 ||
        coming.flags & (SYN | FIN | RST | URG))
        return false;
    unsigned left = TCP_REPEAT_MOST_PKTS;
    for (const struct n_pdu *other = list->head; other && left > 0; other = other->next, left--)
        if (decode(&queued, other) && repeats(&coming, &queued))
            return true;
    return false;
}
