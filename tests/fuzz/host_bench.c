/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/host_bench.h"

#include "tests/fuzz/near_segment.h"

#include <string.h>

struct host *host_bench;
struct tcp *host_bench_live[HOST_BENCH_CONNECTIONS];
static struct tcp_params params;
static uint64_t given;

static void emit(void *arg, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct ip_packet packet;
    FUZZ_CHECK(ip_packet_decode(&packet, bytes, octets) == (int)octets);
    FUZZ_CHECK(packet.ip.src == NEAR_SEGMENT_TO && octets <= IP_PACKET_MAX_OCTETS);
}

static void on_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct tcp **slot = arg;
    FUZZ_CHECK(*slot == t);
    *slot = NULL;
}

static void on_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    FUZZ_CHECK(octets > 0 && !t->is_held);
}

static struct tcp **free_slot(void)
{
    for (unsigned i = 0; i < HOST_BENCH_CONNECTIONS; i++)
        if (!host_bench_live[i])
            return &host_bench_live[i];
    return NULL;
}

static bool accept(void *arg, struct tcp *t, int64_t now)
{
    struct tcp **slot = free_slot();
    if (!slot)
        return false;
    *slot = t;
    t->events = (struct tcp_events){.arg = slot, .on_closed = on_closed, .on_receive = on_receive};
    return true;
}

void host_bench_connect(uint8_t what, int64_t now)
{
    struct tcp **slot = free_slot();
    struct host_remote remote = {NEAR_SEGMENT_FROM, (uint16_t)(1000 + what % 2), &params, NULL};
    if (!slot)
        return;
    *slot = host_connect(host_bench, &remote,
                         &(struct tcp_events){.arg = slot, .on_closed = on_closed, .on_receive = on_receive},
                         now);
}

void host_bench_give(const uint8_t *bytes, size_t octets, int64_t now)
{
    const struct host_stats *s = host_stats(host_bench);
    uint8_t *packet = fuzz_copy(bytes, octets);
    host_rx(host_bench, packet, octets, now);
    free(packet);
    given++;
    FUZZ_CHECK(s->packets_received + s->malformed + s->checksum + s->not_ours == given);
}

static void receive(void *arg, const struct ip_packet *packet, int64_t now)
{
    FUZZ_CHECK(packet->payload_octets <= IP_PACKET_MAX_OCTETS && packet->ip.proto != IPV4_PROTO_TCP);
}

/* What waits for a gap to close lies behind the gap, inside the window, before a FIN. */
static void check_ranges(const struct tcp *t)
{
    for (uint32_t i = 0; i < t->ranges.count; i++) {
        const struct tcp_range *range = &t->ranges.range[i];
        FUZZ_CHECK(t->rcv_next < range->start && range->start < range->end && range->end <= t->rcv_edge);
        FUZZ_CHECK(!t->fin_at || range->end <= t->fin_at);
    }
}

static void check_connection(const struct tcp *t)
{
    FUZZ_CHECK(t->una <= t->nxt && t->nxt <= t->stream_end + 1);
    FUZZ_CHECK(t->state <= TCP_SYN_SENT || t->rcv_next <= t->rcv_edge);
    FUZZ_CHECK(t->stats.octets_acked <= t->stream_end && t->state <= TCP_LAST_ACK);
    FUZZ_CHECK(!t->fin_at || t->rcv_next <= t->fin_at + 1);
    check_ranges(t);
}

void host_bench_check(void)
{
    for (unsigned i = 0; i < HOST_BENCH_CONNECTIONS; i++)
        if (host_bench_live[i])
            check_connection(host_bench_live[i]);
}

void host_bench_open(struct fuzz_input *in)
{
    uint8_t options = (uint8_t)fuzz_take(in, 1);
    struct host_config config = {.address = NEAR_SEGMENT_TO,
                                 .emit = emit,
                                 .max_connections = HOST_BENCH_CONNECTIONS + 1,
                                 .max_listeners = 3,
                                 .max_timers = 1,
                                 .max_peers = 2};
    params = tcp_params_default();
    params.sack = options & 1;
    params.timestamps = options & 2;
    params.window_scale = options & 4;
    params.nagle = options & 8;
    params.receive_window_octets = options & 16 ? 200000 : 4000;
    params.limited_transmit = options & 32;
    params.ecn = options & 64;
    given = 0;
    memset(host_bench_live, 0, sizeof host_bench_live);
    host_bench = host_new(&config);
    FUZZ_CHECK(host_bench && !tcp_params_fault(&params));
    FUZZ_CHECK(host_listen(host_bench, &(struct host_listener){NEAR_SEGMENT_PORT, 0, &params, NULL, accept}));
    FUZZ_CHECK(host_bind_udp(host_bench, 0, NEAR_SEGMENT_PORT, receive, NULL));
    FUZZ_CHECK(host_bind_echo(host_bench, NEAR_SEGMENT_PORT, receive, NULL));
}
