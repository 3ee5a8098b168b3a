/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { US = 0x0a2d0001, PEER = 0x0a2e0001, OTHER = 0x0a2e0002, SENT_MAX = 64 };

struct bench {
    struct host *host;
    struct ip_packet sent[SENT_MAX]; /* payload is not kept */
    size_t count;
    int received, fired, accepted;
    bool refuses;
};

static void emit(void *arg, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct bench *b = arg;
    assert_true(b->count < SENT_MAX);
    assert_int_equal(ip_packet_decode(&b->sent[b->count++], bytes, octets), octets);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof(*b));
    struct host_config config = {
        .address = US,
        .emit = emit,
        .arg = b,
        .max_connections = 2,
        .max_listeners = 3,
        .max_timers = 2,
        .max_peers = 2,
    };
    assert_non_null(b);
    b->host = host_new(&config);
    assert_non_null(b->host);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    host_free(b->host);
    free(b);
    return 0;
}

static struct ip_packet tcp_packet(uint16_t src_port, uint16_t dst_port, uint8_t flags)
{
    return (struct ip_packet){
        .ip = {.src = PEER, .dst = US, .proto = IPV4_PROTO_TCP},
        .tcp = ROW(.src_port = src_port, .dst_port = dst_port, .seq = 1000, .ack = 77, .flags = flags,
                   .window = 1000),
    };
}

static void give(struct bench *b, const struct ip_packet *packet)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    int octets = ip_packet_encode(bytes, sizeof(bytes), packet);
    assert_true(octets > 0);
    host_rx(b->host, bytes, (size_t)octets, 0);
}

static void receive(void *arg, const struct ip_packet *packet, int64_t now)
{
    ((struct bench *)arg)->received++;
}

static bool accept_one(void *arg, struct tcp *t, int64_t now)
{
    struct bench *b = arg;
    b->accepted++;
    return !b->refuses;
}

static void listen_on(struct bench *b, uint16_t port, uint32_t remote, const struct tcp_params *params)
{
    struct host_listener listener = {port, remote, params, b, accept_one};
    assert_true(host_listen(b->host, &listener));
}

/* What belongs to nobody gets RST (RFC 9293 3.10.7.1), RST gets nothing. */
TEST_WITH(nobody_is_there, set_up, tear_down)
{
    static const struct {
        uint8_t in, out;
        uint32_t seq, ack;
    } rows[] = {
        {TCP_SYN, TCP_RST | TCP_ACK, 0, 1001}, {TCP_ACK, TCP_RST, 77, 0}, {TCP_SYN | TCP_ACK, TCP_RST, 77, 0},
        {TCP_FIN, TCP_RST | TCP_ACK, 0, 1001}, {TCP_RST, 0, 0, 0},        {TCP_RST | TCP_ACK, 0, 0, 0},
    };
    struct bench *b = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ip_packet packet = tcp_packet(5000, 81, rows[i].in);
        b->count = 0;
        give(b, &packet);
        assert_int_equal(b->count, rows[i].out != 0);
        if (b->count == 0)
            continue;
        assert_int_equal(b->sent[0].tcp.flags, rows[i].out);
        assert_int_equal(b->sent[0].tcp.seq, rows[i].seq);
        assert_int_equal(b->sent[0].tcp.ack, rows[i].ack);
        assert_int_equal(b->sent[0].tcp.dst_port, 5000);
        assert_int_equal(b->sent[0].ip.dst, PEER);
    }
}

TEST_WITH(listeners_by_port_and_remote, set_up, tear_down)
{
    struct bench *b = *state;
    struct tcp_params params = tcp_params_default();
    struct ip_packet syn = tcp_packet(5000, 80, TCP_SYN);
    listen_on(b, 80, OTHER, &params);
    give(b, &syn);
    assert_int_equal(b->accepted, 0);
    assert_int_equal(b->sent[0].tcp.flags, TCP_RST | TCP_ACK);
    listen_on(b, 80, 0, &params);
    struct host_listener again = {80, OTHER, &params, b, accept_one};
    assert_false(host_listen(b->host, &again));
    give(b, &syn);
    assert_int_equal(b->accepted, 1);
    assert_int_equal(b->sent[1].tcp.flags, TCP_SYN | TCP_ACK);
    assert_int_equal(b->sent[1].tcp.ack, 1001);
    host_unlisten(b->host, 80, 0);
    syn.tcp.src_port++;
    give(b, &syn);
    assert_int_equal(b->accepted, 1);
    syn.ip.src = OTHER;
    b->refuses = true;
    give(b, &syn);
    assert_int_equal(b->accepted, 2);
    assert_int_equal(b->sent[3].tcp.flags, TCP_RST | TCP_ACK);
    assert_int_equal(host_stats(b->host)->resets_sent, 3);
}

TEST_WITH(limits_are_counted, set_up, tear_down)
{
    struct bench *b = *state;
    struct tcp_params params = tcp_params_default();
    struct host_remote remote = {PEER, 80, &params, NULL};
    struct tcp_events events = {.arg = b};
    struct host_timer timers[3] = {{.arg = b}, {.arg = b}, {.arg = b}};
    assert_non_null(host_connect(b->host, &remote, &events, 0));
    assert_non_null(host_connect(b->host, &remote, &events, 0));
    assert_null(host_connect(b->host, &remote, &events, 0));
    assert_int_equal(host_stats(b->host)->connections_full, 1);
    assert_int_not_equal(b->sent[0].tcp.src_port, b->sent[1].tcp.src_port);
    assert_int_not_equal(b->sent[0].tcp.seq, b->sent[1].tcp.seq);
    for (uint16_t i = 0; i < 4; i++)
        assert_int_equal(host_bind_udp(b->host, 0, i, receive, b), i < 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(host_timer_set(b->host, &timers[i], 5), i < 2);
    host_timer_cancel(b->host, &timers[0]);
    assert_true(host_timer_set(b->host, &timers[2], 5));
}

/* The connection's memory serves the next one. */
TEST_WITH(aborted_connection_makes_room, set_up, tear_down)
{
    struct bench *b = *state;
    struct tcp_params params = tcp_params_default();
    struct host_remote remote = {PEER, 80, &params, NULL};
    struct tcp_events events = {.arg = b};
    for (int i = 0; i < 20; i++) {
        struct tcp *t = host_connect(b->host, &remote, &events, 0);
        assert_non_null(t);
        tcp_abort(t, 0);
        assert_true(host_step(b->host, 0) == MOMENT_NEVER);
    }
}

TEST_WITH(identifications_count_up, set_up, tear_down)
{
    static const struct {
        uint32_t dst;
        uint16_t id;
    } rows[] = {{PEER, 0}, {PEER, 1}, {OTHER, 0}, {PEER, 2}, {0x01020304, 0}, {0x01020305, 1}, {OTHER, 1}};
    struct bench *b = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct ip_packet packet = {.ip = {.dst = rows[i].dst, .proto = IPV4_PROTO_UDP}};
        assert_true(host_send(b->host, &packet, 0));
        assert_int_equal(b->sent[i].ip.id, rows[i].id);
        assert_int_equal(b->sent[i].ip.src, US);
    }
    assert_int_equal(host_stats(b->host)->peers_full, 2);
}

TEST_WITH(pings_are_answered, set_up, tear_down)
{
    struct bench *b = *state;
    const uint8_t payload[] = {1, 2, 3};
    struct ip_packet ping = {
        .ip = {.src = PEER, .dst = US, .proto = IP_PACKET_PROTO_ICMP},
        .echo = {.id = 7, .seq = 9},
        .payload = payload,
        .payload_octets = 3,
    };
    give(b, &ping);
    assert_int_equal(b->count, 1);
    assert_true(b->sent[0].echo.is_reply);
    assert_int_equal(b->sent[0].echo.id, 7);
    assert_int_equal(b->sent[0].echo.seq, 9);
    assert_int_equal(b->sent[0].payload_octets, 3);
    assert_true(host_bind_echo(b->host, 7, receive, b));
    ping.echo.is_reply = true;
    give(b, &ping);
    ping.echo.id = 8;
    give(b, &ping);
    assert_int_equal(b->received, 1);
    assert_int_equal(b->count, 1);
    assert_int_equal(host_stats(b->host)->unreachable, 1);
}

TEST_WITH(what_is_dropped, set_up, tear_down)
{
    struct bench *b = *state;
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet packet = tcp_packet(1, 2, TCP_SYN);
    packet.ip.dst = OTHER;
    give(b, &packet);
    int octets = ip_packet_encode(bytes, sizeof(bytes), &packet);
    bytes[25] ^= 1;
    host_rx(b->host, bytes, (size_t)octets, 0);
    host_rx(b->host, bytes, 10, 0);
    assert_int_equal(host_stats(b->host)->not_ours, 1);
    assert_int_equal(host_stats(b->host)->checksum, 1);
    assert_int_equal(host_stats(b->host)->malformed, 1);
    assert_int_equal(b->count, 0);
}

static void fire(void *arg, int64_t now)
{
    ((struct bench *)arg)->fired++;
}

TEST_WITH(timers_fire_once, set_up, tear_down)
{
    struct bench *b = *state;
    struct host_timer timer = {.fire = fire, .arg = b};
    assert_true(host_step(b->host, 0) == MOMENT_NEVER);
    host_timer_set(b->host, &timer, 100);
    host_timer_set(b->host, &timer, 50);
    assert_int_equal(host_step(b->host, 49), 50);
    assert_true(host_step(b->host, 50) == MOMENT_NEVER);
    assert_int_equal(b->fired, 1);
}

enum { HOSTS = 3, NEVER = -1 };

struct due {
    struct host_timer timer; /* first */
    int number, *order;
};

static void note(void *arg, int64_t now)
{
    struct due *due = arg;
    due->order[0] = due->order[0] * 10 + due->number;
}

/* Hosts 1, 2, 3 are made in another order than their ranks. */
TEST(an_agenda_steps_the_hosts_that_are_due)
{
    static const struct {
        int host;
        int64_t set_ns, now; /* set_ns NEVER: the timer is cancelled */
        int order;           /* the hosts stepped at `now`, a digit each */
        int64_t next_ns;
    } rows[] = {
        {0, 50, 10, 0, 50},    {1, 50, 10, 0, 50}, {2, 40, 39, 0, 40},
        {2, 50, 50, 123, -1},  {0, 70, 60, 0, 70}, {1, 65, 60, 0, 65},
        {1, NEVER, 69, 0, 70}, {2, 60, 69, 3, 70}, {2, 70, 80, 13, -1},
    };
    int order = 0;
    struct timers agenda = {0};
    struct host *hosts[HOSTS];
    struct due due[HOSTS];
    for (int i = HOSTS - 1; i >= 0; i--) {
        struct host_config config = {.address = US, .max_timers = 1, .agenda = &agenda, .rank = (uint32_t)i};
        hosts[i] = host_new(&config);
        assert_non_null(hosts[i]);
        due[i] = (struct due){.timer = {.fire = note, .arg = &due[i]}, .number = i + 1, .order = &order};
    }
    for (size_t i = 0; i < COUNT(rows); i++, order = 0) {
        if (rows[i].set_ns == NEVER)
            host_timer_cancel(hosts[rows[i].host], &due[rows[i].host].timer);
        else
            host_timer_set(hosts[rows[i].host], &due[rows[i].host].timer, rows[i].set_ns);
        int64_t next_ns = rows[i].next_ns < 0 ? MOMENT_NEVER : rows[i].next_ns;
        assert_true(host_step_agenda(&agenda, rows[i].now) == next_ns);
        assert_int_equal(order, rows[i].order);
    }
    for (int i = 0; i < HOSTS; i++)
        host_free(hosts[i]);
    assert_int_equal(agenda.count, 0);
    timers_free(&agenda);
}

UNIT_MAIN(NULL, NULL)
