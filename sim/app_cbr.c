/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_cbr.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

enum {
    HEADERS_OCTETS = IPV4_OCTETS + UDP_OCTETS,
    STAMP_OCTETS = 16, /* number and time of sending, 8 octets each */
    MAX_RATE_BPS = 1000000000,
};

struct app_cbr {
    struct app_cbr_config config;
    struct host_timer timer;
    struct app_cbr_record record;
    uint64_t highest; /* number received so far, plus 1 */
};

static uint64_t get_u64(const uint8_t *p)
{
    return (uint64_t)bytes_get_u32(p) << 32 | bytes_get_u32(p + 4);
}

static void put_u64(uint8_t *p, uint64_t v)
{
    bytes_put_u32(p, (uint32_t)(v >> 32));
    bytes_put_u32(p + 4, (uint32_t)v);
}

static void receive(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct app_cbr *a = arg;
    if (packet->payload_octets < STAMP_OCTETS || packet->ip.src != host_address(a->config.server))
        return;
    uint64_t number = get_u64(packet->payload);
    int64_t delay_ns = now - (int64_t)get_u64(packet->payload + 8);
    a->record.received++;
    a->record.received_octets += packet->payload_octets;
    a->record.out_of_order += number + 1 < a->highest;
    a->highest = number + 1 > a->highest ? number + 1 : a->highest;
    a->record.delay_sum_ns += delay_ns;
    a->record.delay_max_ns = moment_max(a->record.delay_max_ns, delay_ns);
    a->record.end_ns = now;
    if (a->config.on_receive)
        a->config.on_receive(a->config.arg, now, packet->payload_octets, delay_ns);
}

/* The instant of the n-th packet: from the start, so that rounding does not add up. */
static int64_t instant_ns(const struct app_cbr *a, uint64_t n)
{
    __uint128_t bit_ns = (__uint128_t)n * a->config.packet_octets * 8 * (uint64_t)MOMENT_SECOND;
    return a->config.start_ns + (int64_t)(bit_ns / a->config.rate_bps);
}

static void fire(void *arg, int64_t now)
{
    struct app_cbr *a = arg;
    uint8_t payload[IP_PACKET_MAX_OCTETS] = {0};
    if (now >= a->config.stop_ns)
        return;
    put_u64(payload, a->record.sent);
    put_u64(payload + 8, (uint64_t)now);
    struct ip_packet packet = {
        .ip = {.dst = host_address(a->config.mobile), .proto = IPV4_PROTO_UDP},
        .udp = {.src_port = a->config.server_port, .dst_port = a->config.mobile_port},
        .payload = payload,
        .payload_octets = (uint16_t)(a->config.packet_octets - HEADERS_OCTETS),
    };
    a->record.sent++;
    host_timer_set(a->config.server, &a->timer, instant_ns(a, a->record.sent));
    host_send(a->config.server, &packet, now);
}

struct app_cbr *app_cbr_new(const struct app_cbr_config *config)
{
    if (config->packet_octets < HEADERS_OCTETS + STAMP_OCTETS ||
        config->packet_octets > IP_PACKET_MAX_OCTETS || config->rate_bps == 0 ||
        config->rate_bps > MAX_RATE_BPS)
        return NULL;
    struct app_cbr *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    a->record.start_ns = a->record.end_ns = config->start_ns;
    if (host_bind_udp(config->mobile, config->mobile_port, receive, a) &&
        host_timer_set(config->server, &a->timer, config->start_ns))
        return a;
    free(a);
    return NULL;
}

void app_cbr_free(struct app_cbr *a)
{
    free(a);
}

const struct app_cbr_record *app_cbr_record(const struct app_cbr *a)
{
    return &a->record;
}
