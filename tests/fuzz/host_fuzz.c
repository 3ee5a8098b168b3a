/* SPDX-License-Identifier: BSD-3-Clause */
/* An IP host with TCP: packets of any kind, segments near what its connections expect, and time. */
#include "sim/host.h"

#include "dataplane/base/moment.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { US = 0x0a2d0001, PEER = 0x0a2e0001, PORT = 80, CONNECTIONS = 3, OPERATIONS = 400 };

static struct host *host;
static struct tcp *live[CONNECTIONS];
static struct tcp_params params;
static bool is_busy;
static uint64_t given;

static void emit(void *arg, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct ip_packet packet;
    FUZZ_CHECK(ip_packet_decode(&packet, bytes, octets) == (int)octets);
    FUZZ_CHECK(packet.ip.src == US && octets <= IP_PACKET_MAX_OCTETS);
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
    for (unsigned i = 0; i < CONNECTIONS; i++)
        if (!live[i])
            return &live[i];
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

static void connect(uint8_t what, int64_t now)
{
    struct tcp **slot = free_slot();
    struct host_remote remote = {PEER, (uint16_t)(1000 + what % 2), &params, NULL};
    if (!slot)
        return;
    *slot = host_connect(
        host, &remote,
        &(struct tcp_events){.arg = slot, .on_closed = on_closed, .on_receive = on_receive}, now);
}

static void give(const uint8_t *bytes, size_t octets, int64_t now)
{
    const struct host_stats *s = host_stats(host);
    host_rx(host, bytes, octets, now);
    given++;
    FUZZ_CHECK(s->packets_received + s->malformed + s->checksum + s->not_ours == given);
}

/* A segment for one of the connections or the listener, its numbers near those that are expected. */
static void give_segment(struct fuzz_input *in, const struct tcp *t, int64_t now)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet packet = {
        .ip = {.src = PEER, .dst = US, .proto = IPV4_PROTO_TCP},
        .tcp = {.src_port = 5000, .dst_port = PORT, .flags = (uint8_t)fuzz_take(in, 1)},
    };
    uint8_t options = (uint8_t)fuzz_take(in, 1);
    int16_t seq = (int16_t)fuzz_take(in, 2), ack = (int16_t)fuzz_take(in, 2);
    packet.tcp.window = (uint16_t)fuzz_take(in, 2);
    packet.payload_octets = (uint16_t)(fuzz_take(in, 2) % 1500);
    packet.tcp.has_mss = options & 1;
    packet.tcp.mss = (uint16_t)(options & 0x10 ? 0 : 536);
    packet.tcp.has_timestamps = options & 2;
    packet.tcp.ts_value = (uint32_t)(now / 1000000) + (options >> 5);
    packet.tcp.ts_echo = (uint32_t)(now / 1000000);
    packet.tcp.sack_permitted = options & 4;
    packet.tcp.has_window_scale = options & 8;
    packet.tcp.window_scale = options >> 4;
    packet.tcp.seq = (uint32_t)seq;
    if (t) {
        packet.tcp.src_port = t->address.remote_port;
        packet.tcp.dst_port = t->address.local_port;
        packet.tcp.seq = t->irs + (uint32_t)t->rcv_next + (uint32_t)seq;
        packet.tcp.ack = t->iss + (uint32_t)t->una + (uint32_t)ack;
        packet.tcp.sacks = !(options & 5) && options & 0x80 ? 1 + (options >> 5 & 1) : 0;
        for (unsigned i = 0; i < packet.tcp.sacks; i++) {
            packet.tcp.sack[i].start = packet.tcp.ack + (uint32_t)fuzz_take(in, 2);
            packet.tcp.sack[i].end = packet.tcp.sack[i].start + (uint32_t)(int16_t)fuzz_take(in, 2);
        }
    }
    int octets = ip_packet_encode(bytes, sizeof bytes, &packet);
    if (octets > 0)
        give(bytes, (size_t)octets, now);
}
