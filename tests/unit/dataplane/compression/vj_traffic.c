/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/compression/vj_traffic.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"

#include <string.h>

enum { ID_COUNTS, ID_COUNTS_ALL, ID_ZERO, ID_RANDOM, ID_KINDS };
enum { OPTIONS_NONE, OPTIONS_STAMPS, OPTIONS_SACK, OPTIONS_SAME, OPTIONS_KINDS };
enum { MOST_DATA = 1400, PPM = 10000 /* a percent */ };

static unsigned below(struct vj_traffic *t, unsigned n)
{
    return (unsigned)rng_below(&t->rng, n);
}

static bool chance(struct vj_traffic *t, unsigned percent)
{
    return rng_chance_ppm(&t->rng, percent * PPM);
}

/* In a tenth of a percent. */
static bool is_rare(struct vj_traffic *t, unsigned tenths)
{
    return rng_chance_ppm(&t->rng, tenths * PPM / 10);
}

static void open_tcp(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    const bool wraps = chance(t, 30);
    *c = (struct vj_traffic_tcp){
        .addresses = {10, 11, 0, (uint8_t)below(t, 4), 192, 0, 2, (uint8_t)below(t, 4)},
        .ports = {(uint16_t)rng_u64(&t->rng), 80},
        .seq = wraps ? UINT32_MAX - below(t, 50000) : (uint32_t)rng_u64(&t->rng),
        .ack = wraps ? UINT32_MAX - below(t, 50000) : (uint32_t)rng_u64(&t->rng),
        .window = (uint16_t)rng_u64(&t->rng),
        .id = (uint16_t)rng_u64(&t->rng),
        .tos = chance(t, 30) ? 2 : 0,
        .ttl = (uint8_t)(1 + below(t, 255)),
        .fragment = chance(t, 50) ? 0x40 : 0,
        .id_kind = (uint8_t)below(t, ID_KINDS),
        .options_kind = (uint8_t)(chance(t, 50) ? OPTIONS_NONE : below(t, OPTIONS_KINDS)),
        .stamp = (uint32_t)rng_u64(&t->rng),
    };
}

void vj_traffic_start(struct vj_traffic *t, unsigned connections, uint64_t seed)
{
    *t = (struct vj_traffic){.connections = connections};
    rng_init(&t->rng, seed, connections);
    for (unsigned i = 0; i < connections; i++)
        open_tcp(t, &t->tcp[i]);
}

static void set_sums(uint8_t *packet, unsigned octets)
{
    const unsigned ip_octets = 4U * (packet[0] & 15);
    uint8_t *tcp = packet + ip_octets;
    uint8_t pseudo[12] = {[9] = IPV4_PROTO_TCP};
    bytes_put_u16(packet + 10, 0);
    bytes_put_u16(packet + 10, ipv4_checksum(packet, ip_octets));
    bytes_put_u16(tcp + TCP_CHECKSUM_AT, 0);
    memcpy(pseudo, packet + 12, 8);
    bytes_put_u16(pseudo + 10, (uint16_t)(octets - ip_octets));
    uint32_t sum = (uint16_t)~ipv4_checksum(pseudo, sizeof(pseudo));
    bytes_put_u16(tcp + TCP_CHECKSUM_AT, ipv4_checksum_add(ipv4_checksum(tcp, octets - ip_octets), sum));
}

bool vj_traffic_is_tcp_sum_good(const uint8_t *packet, unsigned octets)
{
    uint8_t copy[VJ_TRAFFIC_OCTETS];
    const unsigned at = 4U * (packet[0] & 15) + TCP_CHECKSUM_AT;
    memcpy(copy, packet, octets);
    set_sums(copy, octets);
    /* Of the two forms of zero, either is right. */
    return bytes_get_u16(copy + at) % 0xffff == bytes_get_u16(packet + at) % 0xffff;
}

static unsigned put_options(struct vj_traffic *t, struct vj_traffic_tcp *c, uint8_t *at)
{
    static const uint8_t stamps[] = {1, 1, 8, 10}, sack[] = {1, 1, 5, 10};
    if (c->options_kind == OPTIONS_NONE)
        return 0;
    if (c->options_kind == OPTIONS_STAMPS && chance(t, 50))
        c->stamp += below(t, 3);
    memcpy(at, stamps, sizeof(stamps));
    bytes_put_u32(at + 4, c->stamp);
    bytes_put_u32(at + 8, ~c->stamp);
    if (c->options_kind != OPTIONS_SACK || chance(t, 50))
        return 12;
    /* With two blocks the headers have more than 60 octets. */
    memcpy(at + (chance(t, 50) ? 0 : 12), sack, sizeof(sack));
    unsigned octets = at[2] == 5 ? 12 : 24;
    bytes_put_u32(at + octets - 8, c->ack + 5);
    bytes_put_u32(at + octets - 4, c->ack + 5 + below(t, 3));
    return octets;
}

static uint16_t next_id(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    t->id++;
    switch (c->id_kind) {
    case ID_ZERO:
        return 0;
    case ID_RANDOM:
        return (uint16_t)rng_u64(&t->rng);
    case ID_COUNTS_ALL:
        return t->id;
    }
    return ++c->id;
}

static unsigned put(struct vj_traffic *t, struct vj_traffic_tcp *c, uint8_t *packet, unsigned flags)
{
    const uint8_t ip[] = {0x45, c->tos, 0, 0, 0, 0, c->fragment, 0, c->ttl, IPV4_PROTO_TCP};
    const unsigned ip_options = is_rare(t, 2) ? 4 : 0;
    uint8_t *tcp = packet + IPV4_OCTETS + ip_options;
    memset(packet, 1, IPV4_OCTETS + ip_options); /* NOP options */
    memcpy(packet, ip, sizeof(ip));
    packet[0] = (uint8_t)(packet[0] + ip_options / 4);
    bytes_put_u16(packet + 4, next_id(t, c));
    memcpy(packet + 12, c->addresses, sizeof(c->addresses));
    bytes_put_u16(tcp, c->ports[0]);
    bytes_put_u16(tcp + 2, c->ports[1]);
    bytes_put_u32(tcp + 4, c->seq);
    bytes_put_u32(tcp + 8, c->ack);
    const unsigned tcp_octets = TCP_OCTETS + put_options(t, c, tcp + TCP_OCTETS);
    const unsigned octets = IPV4_OCTETS + ip_options + tcp_octets + c->data_octets;
    tcp[12] = (uint8_t)(tcp_octets / 4 << 4 | (c->bits & 15));
    tcp[13] = (uint8_t)flags;
    bytes_put_u16(tcp + TCP_WINDOW_AT, c->window);
    bytes_put_u16(tcp + 18, c->urgent);
    for (unsigned i = 0; i < c->data_octets; i++)
        tcp[tcp_octets + i] = (uint8_t)(c->seq + i);
    bytes_put_u16(packet + 2, (uint16_t)octets);
    set_sums(packet, octets);
    return octets;
}

static uint16_t some_data(struct vj_traffic *t)
{
    return (uint16_t)(chance(t, 30) ? 1 + below(t, 4) : chance(t, 50) ? MOST_DATA : below(t, MOST_DATA + 1));
}

static void send_data(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    c->seq += c->data_octets;
    c->data_octets = some_data(t);
}

static void acknowledge(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    const unsigned more = chance(t, 50) ? 2 * MOST_DATA : below(t, chance(t, 90) ? 600 : 90000);
    c->seq += c->data_octets;
    c->data_octets = 0;
    c->ack += more;
    if (chance(t, 30)) /* the data wait for the program */
        c->window = (uint16_t)(c->window - more);
}

/* Both have sent as many. */
static void echo(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    c->seq += c->data_octets;
    c->ack += c->data_octets;
    c->data_octets = (uint16_t)(1 + below(t, 3));
}

static void again(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    if (chance(t, 50))
        c->seq -= below(t, 4) ? below(t, 3 * MOST_DATA) : 1;
    if (chance(t, 20))
        c->ack += below(t, 2000);
}

/* A value of the path or of ECN changes; often it changes back. */
static void disturb(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    switch (below(t, 6)) {
    case 0:
        c->tos ^= 1;
        break;
    case 1:
        c->ttl ^= 1;
        break;
    case 2:
        c->fragment ^= chance(t, 50) ? 0x40 : 0x80;
        break;
    case 3:
        c->bits ^= 1;
        break;
    case 4:
        c->urgent ^= 3;
        break;
    case 5:
        c->options_kind = (uint8_t)below(t, OPTIONS_KINDS);
    }
}

static void step(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    const unsigned choice = below(t, 100);
    if (choice < 40)
        send_data(t, c);
    else if (choice < 75)
        acknowledge(t, c);
    else if (choice < 85)
        echo(t, c);
    else if (choice < 93)
        again(t, c);
    else
        c->data_octets = (uint16_t)(c->data_octets ? c->data_octets : some_data(t));
    if (chance(t, 10))
        c->window = (uint16_t)(c->window + below(t, 2000) - 1000);
    if (is_rare(t, 15))
        disturb(t, c);
}

static unsigned flags_of(struct vj_traffic *t, struct vj_traffic_tcp *c)
{
    unsigned flags = TCP_ACK | (chance(t, 20) ? TCP_PSH : 0);
    if (is_rare(t, 10) && (c->urgent = (uint16_t)below(t, 600)) < 600)
        flags |= TCP_URG;
    if (is_rare(t, 5))
        flags |= chance(t, 50) ? TCP_ECE : TCP_CWR;
    if (is_rare(t, 2))
        flags = (flags & ~(unsigned)TCP_ACK) | (chance(t, 50) ? TCP_FIN : TCP_RST);
    if (is_rare(t, 2))
        flags |= chance(t, 50) ? TCP_FIN : TCP_RST;
    return flags;
}

/* A header that is wrong or of something else. */
static unsigned spoil(struct vj_traffic *t, uint8_t *packet, unsigned octets)
{
    switch (below(t, 7)) {
    case 0:
        packet[9] = IPV4_PROTO_UDP;
        break;
    case 1:
        packet[6] |= 0x20;
        break;
    case 2:
        packet[7] = (uint8_t)(1 + below(t, 255));
        break;
    case 3:
        packet[0] = (uint8_t)rng_u64(&t->rng);
        break;
    case 4:
        packet[11] ^= 1; /* the checksum stays wrong */
        return octets;
    case 5:
        packet[32] = (uint8_t)rng_u64(&t->rng);
        break;
    case 6:
        return below(t, octets);
    }
    if (packet[0] >> 4 == 4 && (packet[0] & 15) >= 5 && (packet[0] & 15) <= 10) {
        bytes_put_u16(packet + 10, 0);
        bytes_put_u16(packet + 10, ipv4_checksum(packet, 4U * (packet[0] & 15)));
    }
    return octets;
}

unsigned vj_traffic_next(struct vj_traffic *t, uint8_t *packet)
{
    if (chance(t, 40))
        t->now = below(t, chance(t, 50) ? t->connections : (t->connections + 1) / 2);
    struct vj_traffic_tcp *c = &t->tcp[t->now];
    if (is_rare(t, 3)) {
        open_tcp(t, c);
        return put(t, c, packet, TCP_SYN | (chance(t, 50) ? TCP_ACK : 0));
    }
    step(t, c);
    const unsigned octets = put(t, c, packet, flags_of(t, c));
    return is_rare(t, 5) ? spoil(t, packet, octets) : octets;
}
