/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_ping.h"

#include <stdlib.h>

enum { HEADERS_OCTETS = IPV4_OCTETS + IP_PACKET_ECHO_OCTETS, MAX_PINGS = 65536, FIRST_ROOM = 64 };

struct app_ping {
    struct app_ping_config config;
    struct host_timer timer;
    int64_t *sent_at_ns, *rtts_ns;
    uint32_t room, sent;
};

static void receive(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct app_ping *a = arg;
    uint32_t i = packet->echo.seq;
    if (i >= a->sent || a->rtts_ns[i] >= 0 || packet->ip.src != a->config.server)
        return;
    a->rtts_ns[i] = now - a->sent_at_ns[i];
    if (a->config.on_reply)
        a->config.on_reply(a->config.arg, now, a->rtts_ns[i]);
}

static bool make_room(struct app_ping *a)
{
    if (a->sent < a->room)
        return true;
    uint32_t room = a->room ? 2 * a->room : FIRST_ROOM;
    int64_t *sent_at_ns = realloc(a->sent_at_ns, room * sizeof(*sent_at_ns));
    if (sent_at_ns)
        a->sent_at_ns = sent_at_ns;
    int64_t *rtts_ns = realloc(a->rtts_ns, room * sizeof(*rtts_ns));
    if (rtts_ns)
        a->rtts_ns = rtts_ns;
    if (!sent_at_ns || !rtts_ns)
        return false;
    a->room = room;
    return true;
}

static void fire(void *arg, int64_t now)
{
    struct app_ping *a = arg;
    uint8_t payload[IP_PACKET_MAX_OCTETS] = {0};
    uint16_t octets = (uint16_t)(a->config.packet_octets - HEADERS_OCTETS);
    uint32_t count = a->config.count ? a->config.count : MAX_PINGS;
    if (a->sent >= count || now >= a->config.stop_ns || !make_room(a))
        return;
    struct ip_packet ping = {
        .ip = {.dst = a->config.server, .proto = IP_PACKET_PROTO_ICMP},
        .echo = {.id = a->config.id, .seq = (uint16_t)a->sent},
        .payload = payload,
        .payload_octets = octets,
    };
    if (a->config.content != PAYLOAD_ZEROS)
        payload_fill(payload, octets, payload_key(a->config.id, 0, a->config.content == PAYLOAD_TEXT),
                     (uint64_t)a->sent * octets);
    a->sent_at_ns[a->sent] = now;
    a->rtts_ns[a->sent++] = -1;
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
    free(a->sent_at_ns);
    free(a->rtts_ns);
    free(a);
}

const int64_t *app_ping_rtts_ns(const struct app_ping *a, uint32_t *sent)
{
    *sent = a->sent;
    return a->rtts_ns;
}
