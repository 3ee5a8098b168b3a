/* SPDX-License-Identifier: BSD-3-Clause */
/* Two endpoints over a link: what comes of the rules together. */
#include "tests/unit/sim/link_lab.h"
#include "tests/unit/unit.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/app_transfer.h"
#include "sim/tcp.h"

#include <stdlib.h>

static struct app_transfer *start(struct lab *lab, const struct tcp_params *params, uint64_t octets)
{
    struct app_transfer_config config = {
        .mobile = lab->host[LAB_MOBILE],
        .server = lab->host[LAB_SERVER],
        .server_port = 80,
        .octets = octets,
        .stop_ns = MOMENT_NEVER,
        .mobile_tcp = *params,
        .server_tcp = *params,
    };
    struct app_transfer *download = app_transfer_new(&config);
    assert_non_null(download);
    return download;
}

static struct app_record_tcp finish(struct lab *lab, struct app_transfer *download)
{
    struct app_record_tcp record;
    link_lab_run(lab, LAB_RUN);
    assert_true(app_transfer_record(download, &record));
    app_transfer_free(download);
    link_lab_fini(lab);
    return record;
}

static void assert_complete(const struct app_record_tcp *record, uint64_t octets)
{
    assert_int_equal(record->octets, octets);
    assert_int_equal(record->octets_corrupt, 0);
    assert_true(record->is_closed);
    assert_int_equal(record->end, TCP_END_FIN);
}

/* Rate x payload / packet within 1 % when nothing is lost: with and without timestamps, small and full
 * segments. */
TEST(bulk_fills_the_link)
{
    static const struct {
        uint32_t mss_octets;
        bool timestamps;
        uint64_t rate_bps;
        uint64_t payload_octets, packet_octets;
        uint64_t octets;
    } rows[] = {
        {1460, true, 100000, 1448, 1500, 4000000},
        {1460, false, 100000, 1460, 1500, 4000000},
        {536, true, 30000, 524, 576, 1000000},
        {1460, true, 1000000, 1448, 1500, 20000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        params.mss_octets = rows[i].mss_octets;
        params.timestamps = rows[i].timestamps;
        link_lab_init(&lab, i);
        lab.link[LAB_SERVER].rate_bps = rows[i].rate_bps;
        struct app_record_tcp record = finish(&lab, start(&lab, &params, rows[i].octets));
        assert_complete(&record, rows[i].octets);
        assert_int_equal(record.retransmitted_octets, 0);
        assert_int_equal(record.timeouts, 0);
        int64_t ideal_bps = (int64_t)(rows[i].rate_bps * rows[i].payload_octets / rows[i].packet_octets);
        int64_t goodput_bps = (int64_t)app_record_goodput_bps(&record, record.end_ns);
        if (goodput_bps > ideal_bps || goodput_bps < ideal_bps * 99 / 100)
            fail_msg("row %zu: %lld instead of %lld", i, (long long)goodput_bps, (long long)ideal_bps);
    }
}

/* A full window of 65535 octets queues before 100 kbit/s: RTT is window / rate. */
TEST(rtt_is_the_queue)
{
    struct tcp_params params = tcp_params_default();
    struct lab lab;
    link_lab_init(&lab, 1);
    lab.link[LAB_SERVER].rate_bps = 100000;
    struct app_record_tcp record = finish(&lab, start(&lab, &params, 4000000));
    assert_in_range(record.rtt_max_ns / LAB_MS, 5100, 5500);
}

/* With SACK exactly what the queue refused is sent again, and maybe the last segment when a recovery is still
 * on at the end; no timer goes off. */
TEST(sack_repeats_only_what_was_lost)
{
    for (uint32_t limit = 5; limit <= 40; limit += 5) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        link_lab_init(&lab, limit);
        lab.link[LAB_SERVER].rate_bps = 100000;
        lab.link[LAB_SERVER].queue_limit_packets = limit;
        struct app_transfer *download = start(&lab, &params, UINT64_C(1448000));
        link_lab_run(&lab, LAB_RUN);
        uint64_t lost = lab.link[LAB_SERVER].lost;
        struct app_record_tcp record = finish(&lab, download);
        assert_complete(&record, UINT64_C(1448000));
        assert_true(limit >= 40 || lost > 0);
        assert_in_range(record.retransmitted_octets, 1448 * lost, 1448 * (lost + 1));
        assert_int_equal(record.octets_repeated, record.retransmitted_octets - 1448 * lost);
        assert_int_equal(record.timeouts, 0);
    }
}

/*
 * Karn. The round trip of 10 s is ten times the first RTO, so the SYN and then the first segments are
 * repeated in vain; the backed-off RTO stays until it has outgrown the round trip, and from then on nothing
 * is repeated.
 */
TEST(long_round_trip_teaches_once)
{
    for (int timestamps = 0; timestamps < 2; timestamps++) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        struct app_record_tcp early;
        params.timestamps = timestamps;
        link_lab_init(&lab, 1);
        lab.link[LAB_SERVER].delay_ns = lab.link[LAB_MOBILE].delay_ns = 5 * MOMENT_SECOND;
        struct app_transfer *download = start(&lab, &params, 1000000);
        link_lab_run(&lab, 40 * MOMENT_SECOND);
        app_transfer_record(download, &early);
        struct app_record_tcp record = finish(&lab, download);
        assert_complete(&record, 1000000);
        /* SYN-ACK at 1, 3, 7 s, then data at 3, 9 s unless timestamps measured the handshake. */
        assert_int_equal(record.timeouts, timestamps ? 3 : 5);
        assert_int_equal(record.timeouts, early.timeouts);
        assert_int_equal(record.octets_repeated, record.retransmitted_octets);
        assert_int_equal(record.retransmitted_octets, early.retransmitted_octets);
    }
}

/* The link is silent for 6 s in the middle: one run of timeouts, then the transfer goes on. */
TEST(outage_is_survived)
{
    for (int sack = 0; sack < 2; sack++) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        params.sack = sack;
        link_lab_init(&lab, 1);
        lab.link[LAB_SERVER].rate_bps = 100000;
        lab.link[LAB_SERVER].down_from_ns = 20 * MOMENT_SECOND;
        lab.link[LAB_SERVER].down_until_ns = 26 * MOMENT_SECOND;
        struct app_record_tcp record = finish(&lab, start(&lab, &params, 1000000));
        assert_complete(&record, 1000000);
        assert_in_range(record.timeouts, 1, 6);
        assert_true(record.end_ns < 120 * MOMENT_SECOND);
    }
}

/* A late packet within two places is no loss; three later ones make it one (RFC 5681). */
TEST(reordering)
{
    static const struct {
        int64_t late_ms;
        uint64_t retransmitted_octets;
    } rows[] = {{150, 0}, {420, 1448}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        link_lab_init(&lab, 1);
        lab.link[LAB_SERVER].rate_bps = 100000; /* 120 ms a segment */
        lab.link[LAB_SERVER].late[0] = 60;
        lab.link[LAB_SERVER].late_ns = rows[i].late_ms * LAB_MS;
        struct app_record_tcp record = finish(&lab, start(&lab, &params, UINT64_C(289600)));
        assert_complete(&record, UINT64_C(289600));
        assert_int_equal(record.retransmitted_octets, rows[i].retransmitted_octets);
    }
}

/* Losses, late and damaged packets both ways, all options: every octet arrives, in order, once. */
TEST(soak)
{
    for (uint64_t seed = 0; seed < 48; seed++) {
        struct tcp_params params = tcp_params_default();
        struct lab lab;
        params.sack = seed & 1;
        params.timestamps = seed & 2;
        params.window_scale = seed & 4;
        params.receive_window_octets = seed & 4 ? 150000 : 20000;
        params.nagle = seed & 8;
        params.limited_transmit = seed & 16;
        params.mss_octets = seed % 3 ? 1460 : 300;
        params.max_syn_retries = params.max_retries = 1000;
        link_lab_init(&lab, seed);
        for (int i = 0; i < 2; i++) {
            lab.link[i].rate_bps = 500000;
            lab.link[i].queue_limit_packets = 30;
            lab.link[i].loss_ppm = 1000 * (uint32_t)(seed % 50);
            lab.link[i].late_ppm = 500 * (uint32_t)(seed % 40);
            lab.link[i].flip_ppm = 10000;
        }
        struct app_record_tcp record = finish(&lab, start(&lab, &params, 300000));
        assert_complete(&record, 300000);
        assert_true(record.end_ns < 5000 * MOMENT_SECOND);
    }
}

static uint64_t digest_of(uint64_t seed)
{
    struct tcp_params params = tcp_params_default();
    struct lab lab;
    link_lab_init(&lab, seed);
    lab.link[LAB_SERVER].rate_bps = 200000;
    lab.link[LAB_SERVER].loss_ppm = 20000;
    struct app_transfer *download = start(&lab, &params, 500000);
    link_lab_run(&lab, LAB_RUN);
    uint64_t digest = lab.digest;
    finish(&lab, download);
    return digest;
}

TEST(equal_seeds_equal_packets)
{
    assert_true(digest_of(5) == digest_of(5));
    assert_true(digest_of(5) != digest_of(6));
}

/* Any segments in any order, near enough to the truth to be looked at: the invariants hold, and nothing is
 * endless. */

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
    assert_true(t->held_octets <= t->params->receive_window_octets);
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
