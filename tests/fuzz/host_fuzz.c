/* SPDX-License-Identifier: BSD-3-Clause */
/* An IP host with TCP: packets of any kind, segments near what its connections expect, and time. */
#include "dataplane/base/moment.h"
#include "tests/fuzz/host_bench.h"
#include "tests/fuzz/near_segment.h"

#include <string.h>

enum { OPERATIONS = 100 };

/* Octets as they are, or with sums made right so that they get past the first gate. */
static void give_packet(struct fuzz_input *in, int64_t now)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    size_t octets, wanted = fuzz_take(in, 2);
    const uint8_t *block = fuzz_take_block(in, wanted % IP_PACKET_MAX_OCTETS, &octets);
    if (!(wanted & 0x8000)) {
        host_bench_give(block, octets, now);
        return;
    }
    memcpy(bytes, block, octets);
    near_segment_sum(bytes, octets);
    host_bench_give(bytes, octets, now);
}

/* The application sends a datagram, a ping, or what no codec writes. */
static void send_datagram(struct fuzz_input *in, int64_t now)
{
    static const uint8_t protocols[] = {IPV4_PROTO_UDP, IP_PACKET_PROTO_ICMP, IPV4_PROTO_UDP, 47};
    struct ip_packet packet = {
        .ip = {.dst = NEAR_SEGMENT_FROM, .proto = protocols[fuzz_take(in, 1) % 4]},
        .echo = {.id = NEAR_SEGMENT_PORT},
        .payload_octets = (uint16_t)(fuzz_take(in, 2) % 2000),
    };
    bool is_known = packet.ip.proto != 47;
    bool is_sent = host_send(host_bench, &packet, now);
    FUZZ_CHECK(is_sent == (is_known && packet.payload_octets + 28 <= IP_PACKET_MAX_OCTETS));
}

static void apply(uint8_t what, struct fuzz_input *in, struct tcp *t, int64_t now)
{
    switch (t || what % 8 == 1 ? what % 8 : 0) {
    case 1:
        send_datagram(in, now);
        break;
    case 2:
        tcp_write(t, fuzz_take(in, 2) % 8192, now);
        break;
    case 3:
        tcp_close(t, now);
        break;
    case 4:
        tcp_cut(t, now);
        break;
    case 5:
        tcp_abort(t, now);
        break;
    case 6:
    case 7:
        tcp_hold(t, what & 1, now);
        break;
    default:
        host_bench_connect(what, now);
    }
}

static int64_t operate(struct fuzz_input *in, int64_t now)
{
    uint8_t what = (uint8_t)fuzz_take(in, 1);
    struct tcp *t = host_bench_live[what / 4 % 4 % HOST_BENCH_CONNECTIONS];
    if (what < 32)
        give_packet(in, now);
    else if (what < 64)
        now += (int64_t)((1 + fuzz_take(in, 1)) << what % 32);
    else if (what < 96)
        apply((uint8_t)fuzz_take(in, 1), in, t, now);
    else
        near_segment_give(in, t, now, host_bench_give);
    FUZZ_CHECK(host_step(host_bench, now) > now);
    host_bench_check();
    return now;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct fuzz_input input = {bytes, len};
    int64_t now = MOMENT_SECOND;
    unsigned steps = 0;
    near_segment_check(bytes, len);
    host_bench_open(&input);
    for (; input.left > 0 && steps < OPERATIONS; steps++)
        now = operate(&input, now);
    fuzz_count_sequence(steps);
    host_free(host_bench);
    return 0;
}
