/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/pacing_peers.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/tcp.h"

#include <string.h>

#define LEAST_RTO  MOMENT_SECOND
#define MOST_RTO   (60 * MOMENT_SECOND)
#define PATTERN    251
#define REQUEST    600 /* octets of a mobile's segment */
#define ALIVE_NS   (7 * MOMENT_SECOND)
#define SERVER_WND 60000

static bool is_after(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b) > 0;
}

static bool has_luck(struct pacing_peers *c, unsigned percent)
{
    return rng_below(c->rng, 100) < percent;
}

/* --- octets --- */

const uint8_t *pacing_peers_data(uint32_t number)
{
    static uint8_t pattern[PATTERN + PACING_PEERS_MOST_OCTETS];
    if (pattern[1] == 0)
        for (unsigned i = 0; i < sizeof(pattern); i++)
            pattern[i] = (uint8_t)(i % PATTERN * 7);
    return pattern + number % PATTERN;
}

static uint16_t sum(const uint8_t *bytes, unsigned octets, uint32_t more)
{
    for (unsigned i = 0; i + 1 < octets; i += 2)
        more += bytes_get_u16(bytes + i);
    if (octets & 1)
        more += (uint32_t)bytes[octets - 1] << 8;
    while (more >> 16)
        more = (more & 0xffff) + (more >> 16);
    return (uint16_t)more;
}

static uint16_t tcp_sum(const struct pacing_peers_packet *packet)
{
    unsigned octets = packet->octets - packet->tcp_at;
    bool is_ipv6 = packet->bytes[0] >> 4 == 6;
    return sum(packet->bytes + packet->tcp_at, octets,
               sum(packet->bytes + (is_ipv6 ? 8 : 12), is_ipv6 ? 32 : 8, 6 + octets));
}

static unsigned put_options(const struct pacing_peers *c, const struct pacing_peers_segment *s, uint8_t *out)
{
    unsigned at = 0;
    if (s->flags & TCP_SYN) {
        bytes_put_u32(out, 0x02040000U | c->mss);
        at = 4;
        if (c->has_scale) {
            bytes_put_u32(out + at, 0x01030300U | c->scale);
            at += 4;
        }
    }
    if (s->has_ts) {
        bytes_put_u32(out + at, 0x0101080aU);
        bytes_put_u32(out + at + 4, s->ts);
        bytes_put_u32(out + at + 8, 0);
        at += 12;
    }
    if (s->has_sack) {
        bytes_put_u32(out + at, 0x0101050aU);
        bytes_put_u32(out + at + 4, s->ack + 100);
        bytes_put_u32(out + at + 8, s->ack + 200);
        at += 12;
    }
    return at;
}

/* The IP header, extension header and fragment of a packet; where TCP begins. */
static unsigned put_ip(const struct pacing_peers *c, struct pacing_peers_packet *packet, unsigned tcp_octets)
{
    uint8_t *out = packet->bytes;
    uint8_t form = packet->segment.form;
    if (form == PACING_PEERS_IPV4 || form == PACING_PEERS_FRAGMENTS) {
        memset(out, 0, 20);
        out[0] = 0x45;
        out[1] = c->has_ecn ? 2 : 0;
        bytes_put_u16(out + 2, (uint16_t)(20 + tcp_octets));
        out[6] = form == PACING_PEERS_FRAGMENTS ? 0x20 : 0x40;
        out[8] = 64;
        out[9] = 6;
        bytes_put_u32(out + (packet->is_up ? 12 : 16), 0x0a000000U + c->ms);
        bytes_put_u32(out + (packet->is_up ? 16 : 12), 0x0b000001U);
        bytes_put_u16(out + 10, (uint16_t)~sum(out, 20, 0));
        return 20;
    }
    bool is_extended = form == PACING_PEERS_EXTENSIONS;
    memset(out, 0, 48);
    out[0] = 0x60;
    bytes_put_u16(out + 4, (uint16_t)(tcp_octets + (is_extended ? 8 : 0)));
    out[6] = is_extended ? 60 : 6;
    out[7] = 64;
    out[packet->is_up ? 8 : 24] = 0x20;
    out[packet->is_up ? 24 : 8] = 0x26;
    bytes_put_u32(out + (packet->is_up ? 20 : 36), c->ms);
    if (is_extended)
        memcpy(out + 40, (uint8_t[]){6, 0, 1, 4, 0, 0, 0, 0}, 8);
    return is_extended ? 48 : 40;
}

void pacing_peers_encode(const struct pacing_peers *c, struct pacing_peers_packet *packet)
{
    const struct pacing_peers_segment *s = &packet->segment;
    uint8_t options[40];
    unsigned option_octets = put_options(c, s, options);
    packet->tcp_at = (uint16_t)put_ip(c, packet, 20 + option_octets + s->octets);
    uint8_t *out = packet->bytes + packet->tcp_at;
    bytes_put_u16(out, packet->is_up ? c->port : 80);
    bytes_put_u16(out + 2, packet->is_up ? 80 : c->port);
    bytes_put_u32(out + 4, s->seq);
    bytes_put_u32(out + 8, s->ack);
    out[12] = (uint8_t)((20 + option_octets) << 2);
    out[13] = s->flags;
    bytes_put_u16(out + 14, s->window);
    bytes_put_u32(out + 16, 0);
    memcpy(out + 20, options, option_octets);
    if (s->octets > 0)
        memcpy(out + 20 + option_octets, s->data, s->octets);
    packet->octets = (uint16_t)(packet->tcp_at + 20 + option_octets + s->octets);
    bytes_put_u16(out + 16, (uint16_t)~tcp_sum(packet));
}

bool pacing_peers_decode(const struct pacing_peers_packet *packet, struct pacing_peers_segment *out)
{
    const struct pacing_peers_segment *s = &packet->segment;
    const uint8_t *tcp = packet->bytes + packet->tcp_at;
    unsigned header_octets = 4U * (tcp[12] >> 4);
    *out = *s;
    out->window = bytes_get_u16(tcp + 14);
    out->data = tcp + header_octets;
    return tcp_sum(packet) == 0xffff && packet->octets == packet->tcp_at + header_octets + s->octets &&
           bytes_get_u32(tcp + 4) == s->seq && bytes_get_u32(tcp + 8) == s->ack && tcp[13] == s->flags &&
           (s->octets == 0 || memcmp(out->data, s->data, s->octets) == 0);
}

static void stamp(const struct pacing_peers *c, struct pacing_peers_segment *s, int64_t now)
{
    s->has_ts = c->has_ts;
    s->ts = (uint32_t)(now / 1000000) + c->mobile.iss;
    s->form = c->form;
}

/* --- server --- */

static uint32_t server_end(const struct pacing_peers *c)
{
    return c->server.iss + 1 + c->server.total;
}

static void server_say(struct pacing_peers *c, uint8_t flags, uint32_t seq, uint16_t octets, int64_t now)
{
    struct pacing_peers_segment s = {.seq = seq,
                                     .ack = c->server.rcv,
                                     .window = SERVER_WND,
                                     .octets = octets,
                                     .flags = flags | (flags == TCP_SYN ? 0 : TCP_ACK),
                                     .data = pacing_peers_data(seq)};
    stamp(c, &s, now);
    if (c->is_mixed && has_luck(c, 20))
        s.form = c->form == PACING_PEERS_IPV6 ? PACING_PEERS_EXTENSIONS : PACING_PEERS_FRAGMENTS;
    pacing_soak_send(c, false, &s, now);
}

static uint16_t mss_of(const struct pacing_peers *c)
{
    return (uint16_t)(c->mss - (c->has_ts ? 12 : 0));
}

/* Sends one segment from nxt on; false: nothing may be sent. */
static bool server_send_one(struct pacing_peers *c, int64_t now)
{
    uint32_t limit = c->server.una + c->server.cwnd, end = server_end(c), seq = c->server.nxt;
    limit = is_after(limit, c->server.edge) ? c->server.edge : limit;
    int32_t room = (int32_t)(limit - seq), left = (int32_t)(end - seq);
    if (room <= 0 || left < 0)
        return false;
    uint16_t octets = (uint16_t)(left < mss_of(c) ? left : mss_of(c));
    if (room < octets) {
        if (seq != c->server.una)
            return false;
        octets = (uint16_t)room;
    }
    bool has_fin = seq + octets == end && room > octets;
    server_say(c, has_fin ? TCP_FIN : octets > 0 ? TCP_PSH : 0, seq, octets, now);
    c->server.has_fin |= has_fin;
    c->server.nxt = seq + octets + has_fin;
    if (is_after(c->server.nxt, c->server.max))
        c->server.max = c->server.nxt;
    return octets > 0 && !has_fin;
}

static void server_arm(struct pacing_peers *c, int64_t now)
{
    bool is_waiting = !c->server.is_open || c->server.una != server_end(c) + 1;
    c->server.timer_ns = is_waiting ? now + c->server.rto_ns : MOMENT_NEVER;
}

static void server_send(struct pacing_peers *c, int64_t now)
{
    uint32_t before = c->server.nxt;
    while (server_send_one(c, now))
        ;
    if (before != c->server.nxt || c->server.timer_ns == MOMENT_NEVER)
        server_arm(c, now);
}

static void server_timeout(struct pacing_peers *c, int64_t now)
{
    c->server.rto_ns = c->server.rto_ns * 2 < MOST_RTO ? c->server.rto_ns * 2 : MOST_RTO;
    c->server.timer_ns = now + c->server.rto_ns;
    if (!c->server.is_open) {
        server_say(c, TCP_SYN, c->server.iss, 0, now);
        return;
    }
    c->server.nxt = c->server.una;
    c->server.cwnd = mss_of(c);
    if (is_after(c->server.edge, c->server.una)) {
        server_send(c, now);
        return;
    }
    /* A probe of a window of 0. */
    bool has_data = is_after(server_end(c), c->server.una);
    server_say(c, has_data ? 0 : TCP_FIN, c->server.una, has_data, now);
    if (!is_after(c->server.max, c->server.una))
        c->server.max = c->server.una + 1;
}

static bool is_acceptable(const struct pacing_peers *c, const struct pacing_peers_segment *in)
{
    uint32_t length = in->octets + ((in->flags & TCP_FIN) != 0);
    if (c->has_ts && !(in->flags & TCP_RST) && is_after(c->server.ts_recent, in->ts))
        return false;
    if (is_after(in->seq, c->server.rcv + SERVER_WND))
        return false;
    return length == 0 ? !is_after(c->server.rcv, in->seq) : is_after(in->seq + length, c->server.rcv);
}

static void server_take_ack(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    uint32_t edge = in->ack + ((uint32_t)in->window << (c->has_scale ? c->scale : 0));
    bool is_newer =
        is_after(in->seq, c->server.wl1) || (in->seq == c->server.wl1 && !is_after(c->server.wl2, in->ack));
    if (is_after(in->ack, c->server.una)) {
        c->server.una = in->ack;
        c->server.nxt = is_after(in->ack, c->server.nxt) ? in->ack : c->server.nxt;
        c->server.cwnd += mss_of(c);
        c->server.rto_ns = LEAST_RTO;
        c->server.dups = 0;
        server_arm(c, now);
    } else if (in->ack == c->server.una && in->octets == 0 && ++c->server.dups == 3) {
        uint32_t nxt = c->server.nxt;
        c->server.nxt = c->server.una;
        (void)server_send_one(c, now);
        c->server.nxt = is_after(nxt, c->server.nxt) ? nxt : c->server.nxt;
    }
    if (is_newer) {
        c->server.edge = edge;
        c->server.wl1 = in->seq;
        c->server.wl2 = in->ack;
    }
}

static void server_open(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    c->server.rcv = in->seq + 1;
    c->server.ts_recent = in->ts;
    c->server.wl1 = in->seq;
    c->server.wl2 = in->ack;
    c->server.una = c->server.nxt = c->server.max = c->server.iss + 1;
    c->server.edge = c->server.una + in->window;
    c->server.is_open = c->is_from_server;
    server_say(c, c->is_from_server ? 0 : TCP_SYN | TCP_ACK,
               c->is_from_server ? c->server.nxt : c->server.iss, 0, now);
}

/* The SYN has been answered by the mobile, or comes from it. */
static bool server_begin(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    if (in->flags & TCP_SYN) {
        if (!c->server.is_open)
            server_open(c, in, now);
        else
            server_say(c, 0, c->server.nxt, 0, now);
        return false;
    }
    if (!c->server.is_open && in->ack == c->server.iss + 1 && c->server.rcv != 0)
        c->server.is_open = true;
    return c->server.is_open;
}

void pacing_peers_at_server(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    if (in->flags & TCP_RST) {
        c->end = PACING_PEERS_RESET;
        return;
    }
    if (!server_begin(c, in, now))
        return;
    bool has_answer = in->octets > 0 || in->flags & TCP_FIN;
    if (!is_acceptable(c, in) || is_after(in->ack, c->server.max)) {
        server_say(c, 0, c->server.nxt, 0, now);
        return;
    }
    if (c->has_ts && !is_after(in->seq, c->server.rcv))
        c->server.ts_recent = in->ts;
    server_take_ack(c, in, now);
    if (!is_after(in->seq, c->server.rcv))
        c->server.rcv = in->seq + in->octets + ((in->flags & TCP_FIN) != 0);
    uint32_t nxt = c->server.nxt;
    server_send(c, now);
    if (has_answer && nxt == c->server.nxt)
        server_say(c, 0, c->server.nxt, 0, now);
}

/* --- mobile --- */

static uint16_t window_of(struct pacing_peers *c, bool is_syn)
{
    uint32_t octets = c->mobile.room - c->mobile.used;
    unsigned scale = c->has_scale && !is_syn ? c->scale : 0;
    uint32_t least = c->mobile.edge - c->mobile.rcv;
    if (!is_syn && octets < mss_of(c) && c->mobile.used > 0)
        octets = (int32_t)least > 0 ? least : 0;
    octets = octets >> scale;
    return (uint16_t)(octets < 65535 ? octets : 65535);
}

static void mobile_say(struct pacing_peers *c, uint8_t flags, uint32_t seq, uint16_t octets, int64_t now)
{
    bool is_syn = flags & TCP_SYN;
    struct pacing_peers_segment s = {.seq = seq,
                                     .ack = c->mobile.rcv,
                                     .window = window_of(c, is_syn),
                                     .octets = octets,
                                     .flags = flags,
                                     .data = pacing_peers_data(seq)};
    stamp(c, &s, now);
    if (!(flags & (TCP_SYN | TCP_RST)) && c->has_ecn && has_luck(c, 5))
        s.flags |= has_luck(c, 50) ? TCP_ECE : TCP_CWR;
    s.has_sack = flags == TCP_ACK && c->has_sack && c->mobile.unacked > 8;
    if (c->is_mixed && !is_syn && has_luck(c, 20))
        s.form = c->form == PACING_PEERS_IPV6 ? PACING_PEERS_EXTENSIONS : PACING_PEERS_FRAGMENTS;
    if (!is_syn)
        c->mobile.edge = c->mobile.rcv + ((uint32_t)s.window << (c->has_scale ? c->scale : 0));
    pacing_soak_send(c, true, &s, now);
    c->mobile.ack_ns = MOMENT_NEVER;
    c->mobile.unacked = 0;
    c->mobile.alive_ns = now + ALIVE_NS;
}

static void mobile_request(struct pacing_peers *c, int64_t now)
{
    uint32_t end = c->mobile.iss + 1 + c->mobile.total, seq = c->mobile.una;
    if (seq == end + c->mobile.has_fin) {
        c->mobile.timer_ns = MOMENT_NEVER;
        return;
    }
    uint32_t octets = end - seq < REQUEST ? end - seq : REQUEST;
    bool has_fin = c->mobile.has_fin && octets < REQUEST;
    mobile_say(c, (uint8_t)(TCP_ACK | (has_fin ? TCP_FIN : 0)), seq, (uint16_t)octets, now);
    c->mobile.nxt = is_after(seq + octets + has_fin, c->mobile.nxt) ? seq + octets + has_fin : c->mobile.nxt;
    c->mobile.timer_ns = now + c->mobile.rto_ns;
}

static void mobile_take_ack(struct pacing_peers *c, uint32_t ack, int64_t now)
{
    if (!is_after(ack, c->mobile.una) || is_after(ack, c->mobile.nxt))
        return;
    c->mobile.una = ack;
    c->mobile.rto_ns = 3 * MOMENT_SECOND;
    mobile_request(c, now);
}

static void mobile_take_data(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    uint32_t end = in->seq + in->octets;
    bool has_fin = in->flags & TCP_FIN;
    if (is_after(in->seq, c->mobile.rcv) || !is_after(end + has_fin, c->mobile.rcv)) {
        c->mobile.unacked = 9;
        mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
        return;
    }
    uint32_t octets = end - c->mobile.rcv, room = c->mobile.room - c->mobile.used;
    bool is_whole = octets <= room;
    octets = is_whole ? octets : room;
    c->mobile.rcv += octets;
    c->mobile.used += octets;
    if (has_fin && is_whole && !c->mobile.has_fin) {
        c->mobile.rcv++;
        c->mobile.has_fin = true;
        mobile_request(c, now);
        return;
    }
    if (c->mobile.read_ns == MOMENT_NEVER && has_luck(c, 90))
        c->mobile.used = 0;
    else if (c->mobile.read_ns == MOMENT_NEVER)
        c->mobile.read_ns = now + (int64_t)rng_below(c->rng, 20) * MOMENT_SECOND / 2;
    if (++c->mobile.unacked >= 2 || has_luck(c, 30))
        mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
    else if (c->mobile.ack_ns == MOMENT_NEVER)
        c->mobile.ack_ns = now + MOMENT_SECOND / 5;
}

/* A SYN, or the answer to the mobile's. */
static void mobile_take_syn(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    if (!c->is_from_server && !(in->flags & TCP_ACK))
        return;
    if (!c->mobile.has_syn_ack)
        c->mobile.rcv = c->mobile.edge = in->seq + 1;
    c->mobile.has_syn_ack = true;
    if (c->is_from_server && !c->mobile.is_open) {
        mobile_say(c, TCP_SYN | TCP_ACK, c->mobile.iss, 0, now);
        return;
    }
    c->mobile.is_open = true;
    if (c->mobile.una == c->mobile.iss)
        c->mobile.una = c->mobile.nxt = c->mobile.iss + 1;
    mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
    mobile_request(c, now);
}

void pacing_peers_at_mobile(struct pacing_peers *c, const struct pacing_peers_segment *in, int64_t now)
{
    if (in->flags & TCP_RST) {
        c->end = PACING_PEERS_RESET;
        return;
    }
    if (in->flags & TCP_SYN) {
        mobile_take_syn(c, in, now);
        return;
    }
    if (!c->mobile.has_syn_ack)
        return;
    if (!c->mobile.is_open && in->ack == c->mobile.iss + 1) {
        c->mobile.is_open = true;
        c->mobile.una = c->mobile.nxt = in->ack;
        mobile_request(c, now);
    }
    mobile_take_ack(c, in->ack, now);
    if (in->octets > 0 || in->flags & TCP_FIN)
        mobile_take_data(c, in, now);
    else if (in->seq != c->mobile.rcv)
        mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
    if (c->mobile.has_fin && c->mobile.una == c->mobile.iss + 2 + c->mobile.total)
        c->mobile.is_closed = true;
    if (c->mobile.is_closed && c->server.una == server_end(c) + 1)
        c->end = PACING_PEERS_DONE;
}

/* --- both --- */

void pacing_peers_begin(struct pacing_peers *c, int64_t now)
{
    c->began_ns = now;
    c->server.cwnd = 4U * c->mss;
    c->server.rto_ns = LEAST_RTO;
    c->mobile.rto_ns = 3 * MOMENT_SECOND;
    c->mobile.una = c->mobile.nxt = c->mobile.iss;
    c->mobile.read_ns = c->mobile.ack_ns = c->mobile.timer_ns = c->server.timer_ns = MOMENT_NEVER;
    c->mobile.alive_ns = now + ALIVE_NS;
    if (c->is_from_server) {
        server_say(c, TCP_SYN, c->server.iss, 0, now);
        c->server.timer_ns = now + c->server.rto_ns;
        return;
    }
    mobile_say(c, TCP_SYN, c->mobile.iss, 0, now);
    c->mobile.timer_ns = now + c->mobile.rto_ns;
}

static void mobile_timeout(struct pacing_peers *c, int64_t now)
{
    c->mobile.rto_ns = c->mobile.rto_ns * 2 < MOST_RTO ? c->mobile.rto_ns * 2 : MOST_RTO;
    if (c->mobile.is_open) {
        mobile_request(c, now);
        return;
    }
    mobile_say(c, TCP_SYN, c->mobile.iss, 0, now);
    c->mobile.timer_ns = now + c->mobile.rto_ns;
}

void pacing_peers_step(struct pacing_peers *c, int64_t now)
{
    if (c->mobile.timer_ns <= now)
        mobile_timeout(c, now);
    if (c->mobile.read_ns <= now) {
        c->mobile.read_ns = MOMENT_NEVER;
        c->mobile.used = 0;
        if (c->mobile.is_open)
            mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
    }
    if (c->mobile.ack_ns <= now)
        mobile_say(c, TCP_ACK, c->mobile.nxt, 0, now);
    if (c->mobile.alive_ns <= now) {
        c->mobile.alive_ns = now + ALIVE_NS;
        if (c->mobile.is_open && c->mobile.una == c->mobile.nxt)
            mobile_say(c, TCP_ACK, c->mobile.nxt - 1, has_luck(c, 50), now);
    }
    if (c->server.timer_ns <= now)
        server_timeout(c, now);
}

int64_t pacing_peers_next_ns(const struct pacing_peers *c)
{
    int64_t next_ns = moment_min(c->mobile.timer_ns, c->server.timer_ns);
    next_ns = moment_min(next_ns, moment_min(c->mobile.read_ns, c->mobile.ack_ns));
    return moment_min(next_ns, c->mobile.alive_ns);
}
