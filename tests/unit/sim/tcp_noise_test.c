/* SPDX-License-Identifier: BSD-3-Clause */
/* Any segments in any order, near enough to the truth to be looked at: the invariants hold, and nothing is
 * endless. */
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/tcp.h"
#include "tests/unit/unit.h"

#include <stdlib.h>

enum { ROUNDS = 60, SEGMENTS = 2000, MAX_SENT = 200000, LOCAL_PORT = 1, PEER_PORT = 2 };

struct noise {
    struct tcp tcp;
    struct rng rng;
    uint64_t sent;
};

static void count(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct noise *n = arg;
    n->sent++;
    assert_true(packet->payload_octets <= n->tcp.mss_octets);
    assert_true(tcp_header_octets(&packet->tcp) <= TCP_HEADER_MAX_OCTETS);
}

static uint64_t flying_octets(struct tcp_scoreboard *board)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < board->count; i++) {
        const struct tcp_segment *s = tcp_scoreboard_get(board, i);
        unsigned copies = s->is_sacked ? 0 : (s->is_lost ? 0u : 1u) + (s->is_repeated ? 1u : 0u);
        octets += copies * (s->end - s->start);
    }
    return octets;
}

static void assert_invariants(struct tcp *t)
{
    assert_true(t->una <= t->nxt && t->nxt <= t->stream_end + 1);
    assert_true(t->held_octets <= t->params.receive_window_octets);
    assert_true(t->board.in_flight_octets == flying_octets(&t->board));
    assert_true(t->board.count == 0 || tcp_scoreboard_get(&t->board, 0)->start == t->una);
    assert_true(t->ranges.count <= TCP_RANGES_MAX);
    for (uint32_t i = 0; i < t->ranges.count; i++)
        assert_true(t->ranges.range[i].start > t->rcv_next && t->ranges.range[i].end <= t->rcv_edge);
    if (t->state >= TCP_ESTABLISHED)
        assert_true(t->cwnd_octets >= t->mss_octets && t->ssthresh_octets >= 2 * (uint64_t)t->mss_octets);
    /* Who waits for an answer has a timer. */
    if (t->state != TCP_CLOSED && t->state != TCP_TIME_WAIT && t->una < t->nxt)
        assert_true(t->rto_at_ns != MOMENT_NEVER);
}

/* A number within a few windows of `near`. */
static uint32_t about(struct rng *r, uint32_t near)
{
    static const uint32_t spans[] = {1, 2, 100, 3000, 70000, UINT32_MAX};
    uint32_t span = spans[rng_below(r, 6)];
    return near + (uint32_t)rng_below(r, span) - (uint32_t)rng_below(r, span);
}

static void send_noise(struct noise *n, int64_t now)
{
    static const uint8_t flags[] = {TCP_ACK,
                                    TCP_ACK,
                                    TCP_ACK,
                                    TCP_ACK,
                                    TCP_ACK | TCP_PSH,
                                    TCP_ACK | TCP_PSH,
                                    TCP_FIN | TCP_ACK,
                                    TCP_SYN | TCP_ACK,
                                    TCP_SYN,
                                    TCP_RST,
                                    TCP_RST | TCP_ACK,
                                    0xff,
                                    0};
    static const uint8_t payload[1460];
    struct tcp *t = &n->tcp;
    struct rng *r = &n->rng;
    uint32_t una = t->iss + (uint32_t)t->una, flight = (uint32_t)(t->nxt - t->una);
    bool is_odd = rng_below(r, 200) == 0;
    struct ip_packet packet = {
        .ip = {.src = 2, .dst = 1, .proto = IPV4_PROTO_TCP},
        .tcp = {.src_port = PEER_PORT, .dst_port = LOCAL_PORT, .flags = flags[rng_below(r, is_odd ? 13 : 6)]},
        .payload = payload,
        .payload_octets = (uint16_t)(rng_below(r, 2) ? 0 : rng_below(r, 1461)),
    };
    packet.tcp.seq =
        rng_below(r, 3) ? t->irs + (uint32_t)t->rcv_next : about(r, t->irs + (uint32_t)t->rcv_next);
    packet.tcp.ack = rng_below(r, 20) ? una : about(r, una);
    if (rng_below(r, 6) == 0)
        packet.tcp.ack = una + (uint32_t)rng_below(r, flight + 1);
    packet.tcp.window = (uint16_t)(rng_below(r, 20) ? 65535 : rng_below(r, 65536));
    packet.tcp.has_timestamps = rng_below(r, 8) > 0;
    packet.tcp.ts_value = t->ts_recent + (uint32_t)rng_below(r, 10) - 1;
    packet.tcp.ts_echo = (uint32_t)(now / 1000000);
    packet.tcp.has_mss = packet.tcp.sack_permitted = packet.tcp.flags & TCP_SYN;
    packet.tcp.mss = (uint16_t)rng_below(r, 65536);
    packet.tcp.sacks = (uint8_t)rng_below(r, 4);
    for (int i = 0; i < packet.tcp.sacks; i++) {
        packet.tcp.sack[i].start = about(r, una + (uint32_t)rng_below(r, flight + 1));
        packet.tcp.sack[i].end = packet.tcp.sack[i].start + (uint32_t)rng_below(r, 20000);
    }
    tcp_rx(t, &packet, now);
}

/* The peer's SYN-ACK as it should be, so that the noise meets a connection. */
static void establish(struct noise *n)
{
    struct ip_packet packet = {
        .ip = {.src = 2, .dst = 1, .proto = IPV4_PROTO_TCP},
        .tcp = ROW(.src_port = PEER_PORT, .dst_port = LOCAL_PORT, .flags = TCP_SYN | TCP_ACK,
                   .ack = n->tcp.iss + 1),
    };
    packet.tcp.seq = (uint32_t)rng_u64(&n->rng);
    packet.tcp.window = 65535;
    packet.tcp.has_mss = packet.tcp.sack_permitted = packet.tcp.has_timestamps = true;
    packet.tcp.mss = 1000;
    packet.tcp.ts_echo = 1;
    tcp_rx(&n->tcp, &packet, 0);
    assert_int_equal(n->tcp.state, TCP_ESTABLISHED);
}

static void do_anything(struct noise *n, int64_t now)
{
    switch (rng_below(&n->rng, 4000)) {
    case 0:
        tcp_close(&n->tcp, now);
        break;
    case 1:
        tcp_cut(&n->tcp, now);
        break;
    case 2:
        tcp_abort(&n->tcp, now);
        break;
    case 3:
    case 4:
        tcp_hold(&n->tcp, rng_below(&n->rng, 2), now);
        break;
    default:
        if (rng_below(&n->rng, 4) == 0)
            tcp_write(&n->tcp, rng_below(&n->rng, 20000), now);
    }
}

TEST(invariants_hold)
{
    struct noise *n = calloc(1, sizeof(*n));
    uint64_t timeouts = 0, recoveries = 0;
    assert_non_null(n);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        int64_t now = 0;
        struct tcp_params params = tcp_params_default();
        params.sack = round & 1;
        params.timestamps = round & 2;
        params.nagle = round & 4;
        rng_init(&n->rng, round, 0);
        struct tcp_config config = {
            .params = &params,
            .address = {1, 2, LOCAL_PORT, PEER_PORT},
            .output = {.arg = n, .emit = count},
            .iss = (uint32_t)rng_u64(&n->rng),
        };
        tcp_init(&n->tcp, &config);
        tcp_connect(&n->tcp, now);
        establish(n);
        n->sent = 0;
        for (int i = 0; i < SEGMENTS && n->tcp.state != TCP_CLOSED; i++) {
            send_noise(n, now);
            do_anything(n, now);
            /* Now and then the peer is silent for longer than any RTO. */
            now += (int64_t)rng_below(&n->rng, (uint64_t)MOMENT_SECOND / 10);
            now += rng_below(&n->rng, 50) == 0 ? 100 * MOMENT_SECOND : 0;
            int64_t next_ns = tcp_step(&n->tcp, now);
            assert_true(next_ns > now);
            assert_invariants(&n->tcp);
        }
        assert_true(n->sent < MAX_SENT);
        timeouts += n->tcp.stats.timeouts;
        recoveries += n->tcp.stats.fast_retransmits;
        tcp_fini(&n->tcp);
    }
    free(n);
    assert_true(timeouts > ROUNDS && recoveries > ROUNDS);
}

UNIT_MAIN(NULL, NULL)
