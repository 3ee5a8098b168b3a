/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_ping.h"

#include "sim/exchanges.h"

#include <stdlib.h>

enum { HEADERS_OCTETS = IPV4_OCTETS + IP_PACKET_ECHO_OCTETS, MAX_PINGS = 65536 };

struct app_ping {
    struct app_ping_config config;
    struct host_timer timer;
    struct exchanges exchanges;
};

static void receive(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct app_ping *a = arg;
    int64_t rtt_ns =
        packet->ip.src == a->config.server ? exchanges_end(&a->exchanges, packet->echo.seq, now) : -1;
    if (rtt_ns >= 0 && a->config.on_reply)
        a->config.on_reply(a->config.arg, now, rtt_ns);
}

static void fire(void *arg, int64_t now)
{
    struct app_ping *a = arg;
    uint8_t payload[IP_PACKET_MAX_OCTETS] = {0};
    uint16_t octets = (uint16_t)(a->config.packet_octets - HEADERS_OCTETS);
    uint32_t count = a->config.count ? a->config.count : MAX_PINGS;
    uint32_t number = a->exchanges.count;
    if (number >= count || now >= a->config.stop_ns || !exchanges_begin(&a->exchanges, now))
        return;
    struct ip_packet ping = {
        .ip = {.dst = a->config.server, .proto = IP_PACKET_PROTO_ICMP},
        .echo = {.id = a->config.id, .seq = (uint16_t)number},
        .payload = payload,
        .payload_octets = octets,
    };
    if (a->config.content != PAYLOAD_ZEROS)
        payload_fill(payload, octets, payload_key(a->config.id, 0, a->config.content == PAYLOAD_TEXT),
                     (uint64_t)number * octets);
    host_timer_set(a->config.mobile, &a->timer, now + a->config.interval_ns);
    host_send(a->config.mobile, &ping, now);
}

struct app_ping *app_ping_new(const struct app_ping_config *config)
{
    if (config->packet_octets < HEADERS_OCTETS || config->packet_octets > IP_PACKET_MAX_OCTETS ||
        config->interval_ns <= 0 || config->count > MAX_PINGS)
        return NULL;
    struct app_ping *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    if (host_bind_echo(config->mobile, config->id, receive, a) &&
        host_timer_set(config->mobile, &a->timer, config->start_ns))
        return a;
    free(a);
    return NULL;
}

void app_ping_free(struct app_ping *a)
{
    if (!a)
        return;
    exchanges_free(&a->exchanges);
    free(a);
}

const int64_t *app_ping_rtts_ns(const struct app_ping *a, uint32_t *sent)
{
    *sent = a->exchanges.count;
    return a->exchanges.took_ns;
}
