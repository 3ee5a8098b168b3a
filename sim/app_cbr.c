/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_cbr.h"

#include "dataplane/aqm/aqm.h"
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
    struct rng rng;
    int64_t burst_start_ns, burst_end_ns; /* MOMENT_NEVER: no pauses */
    uint64_t burst_sent;
    uint64_t place;     /* in the stream of `content` */
    size_t next_packet; /* of config.packets */
    int64_t list_ns;    /* when they began */
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
    if (packet->payload_octets < STAMP_OCTETS || packet->ip.src != host_address(a->config.sender))
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

static int64_t length_ns(struct app_cbr *a, int64_t mean_ns)
{
    return a->config.is_random ? rng_exponential_ns(&a->rng, mean_ns) : mean_ns;
}

static void begin_burst(struct app_cbr *a, int64_t now)
{
    bool has_pauses = a->config.burst_ns > 0;
    a->burst_start_ns = now;
    a->burst_end_ns = has_pauses ? moment_add(now, length_ns(a, a->config.burst_ns)) : MOMENT_NEVER;
    a->burst_sent = 0;
}

/* The instant of the burst's n-th packet, computed from the burst's start so that rounding errors do not add
   up. */
static int64_t instant_ns(const struct app_cbr *a, uint64_t n)
{
    __uint128_t bit_ns = (__uint128_t)n * a->config.packet_octets * 8 * (uint64_t)MOMENT_SECOND;
    return a->burst_start_ns + (int64_t)(bit_ns / a->config.rate_bps);
}

/* In a Poisson process each interval starts at the packet before. */
static int64_t within_burst_ns(struct app_cbr *a, int64_t now)
{
    a->burst_sent++;
    if (!a->config.is_poisson)
        return instant_ns(a, a->burst_sent);
    return moment_add(now, rng_exponential_ns(&a->rng, instant_ns(a, 1) - a->burst_start_ns));
}

/* The instant of the next packet; a burst has at least one packet. */
static int64_t next_ns(struct app_cbr *a, int64_t now)
{
    int64_t at_ns = within_burst_ns(a, now);
    if (at_ns < a->burst_end_ns)
        return at_ns;
    begin_burst(a, moment_max(at_ns, moment_add(a->burst_end_ns, length_ns(a, a->config.pause_ns))));
    return a->burst_start_ns;
}

/* The octets of the packet that is due, and when the next one is: MOMENT_NEVER, there is none. */
static uint32_t take_packet(struct app_cbr *a, int64_t *next_at_ns)
{
    uint32_t octets = a->config.packets[a->next_packet++].octets;
    if (a->next_packet == a->config.packet_count && a->config.repeat_ns) {
        a->next_packet = 0;
        a->list_ns = moment_add(a->list_ns, a->config.repeat_ns);
    }
    *next_at_ns = MOMENT_NEVER;
    if (a->next_packet < a->config.packet_count)
        *next_at_ns = moment_add(a->list_ns, a->config.packets[a->next_packet].at_ns);
    return octets;
}

/* The number of the packet, the time, and the next octets of the stream. */
static void app_cbr_fill(struct app_cbr *a, uint8_t *payload, uint32_t octets, int64_t now)
{
    const struct app_cbr_config *config = &a->config;
    const uint64_t key =
        payload_key(config->sender_port, config->receiver_port, config->content == PAYLOAD_TEXT);
    put_u64(payload, a->record.sent);
    put_u64(payload + 8, (uint64_t)now);
    if (config->content != PAYLOAD_ZEROS)
        payload_fill(payload + STAMP_OCTETS, octets - STAMP_OCTETS, key, a->place);
    a->place += octets - STAMP_OCTETS;
}

static void fire(void *arg, int64_t now)
{
    struct app_cbr *a = arg;
    uint8_t payload[IP_PACKET_MAX_OCTETS] = {0};
    uint32_t octets = a->config.packet_octets;
    int64_t next_at_ns;
    if (now >= a->config.stop_ns)
        return;
    if (a->config.packets)
        octets = take_packet(a, &next_at_ns);
    else
        next_at_ns = next_ns(a, now);
    app_cbr_fill(a, payload, octets - HEADERS_OCTETS, now);
    struct ip_packet packet = {
        .ip = {.dst = host_address(a->config.receiver),
               .proto = IPV4_PROTO_UDP,
               .tos = a->config.is_ecn_capable ? AQM_ECN_ECT0 : AQM_ECN_NOT},
        .udp = {.src_port = a->config.sender_port, .dst_port = a->config.receiver_port},
        .payload = payload,
        .payload_octets = (uint16_t)(octets - HEADERS_OCTETS),
    };
    a->record.sent++;
    if (next_at_ns != MOMENT_NEVER)
        host_timer_set(a->config.sender, &a->timer, next_at_ns);
    host_send(a->config.sender, &packet, now);
}

static bool is_length(uint32_t octets)
{
    return octets >= HEADERS_OCTETS + STAMP_OCTETS && octets <= IP_PACKET_MAX_OCTETS;
}

static bool is_rate(const struct app_cbr_config *config)
{
    return config->rate_bps > 0 && config->rate_bps <= MAX_RATE_BPS && config->burst_ns >= 0 &&
           config->pause_ns >= 0;
}

static bool is_list(const struct app_cbr_config *config)
{
    if (config->packet_count == 0)
        return false;
    for (size_t i = 0; i < config->packet_count; i++) {
        const struct app_cbr_packet *packet = &config->packets[i];
        if (!is_length(packet->octets) || packet->at_ns < (i ? packet[-1].at_ns : 0))
            return false;
    }
    return !config->repeat_ns || config->packets[config->packet_count - 1].at_ns < config->repeat_ns;
}

struct app_cbr *app_cbr_new(const struct app_cbr_config *config)
{
    if (!is_length(config->packet_octets) || !(config->packets ? is_list(config) : is_rate(config)))
        return NULL;
    struct app_cbr *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    a->record.start_ns = a->record.end_ns = config->start_ns;
    rng_init(&a->rng, config->seed, config->stream);
    a->list_ns = config->start_ns;
    begin_burst(a, config->start_ns);
    int64_t first_ns = config->packets ? config->packets[0].at_ns : 0;
    if (host_bind_udp(config->receiver, host_address(config->sender), config->receiver_port, receive, a) &&
        host_timer_set(config->sender, &a->timer, moment_add(config->start_ns, first_ns)))
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
