/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_request.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/exchanges.h"

#include <stdlib.h>

/* Header and token of CoAP, and the codes of RFC 7252 section 12.1. */
enum {
    COAP_OCTETS = 8,
    COAP_VERSION = 0x40,
    TOKEN_OCTETS = 4,
    TYPE_SHIFT = 4,
    CONFIRMABLE = 0,
    NON_CONFIRMABLE = 1,
    ACKNOWLEDGEMENT = 2,
    POST = 0x02,
    CHANGED = 0x44,
    PAYLOAD_MARKER = 0xff,
};

enum { HEADERS_OCTETS = IPV4_OCTETS + UDP_OCTETS };

struct app_request {
    struct app_request_config config;
    struct host_timer timer;
    struct exchanges exchanges;
    struct app_request_record record; /* without what exchanges have */
    struct rng rng;
    int64_t due_at_ns;                /* of the next request */
    bool is_out;                      /* the last request is confirmable and waits for its answer */
    int64_t again_at_ns, interval_ns; /* of that: when it is repeated, and how long after the time before */
    uint32_t repeats_left;
};

struct message {
    uint8_t type, code;
    uint32_t number;
};

static void send_message(struct host *from, struct host *to, const struct app_request_config *config,
                         const struct message *message, int64_t now)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS] = {0};
    uint32_t octets =
        (message->code == POST ? config->request_octets : config->answer_octets) - HEADERS_OCTETS;
    bytes[0] = (uint8_t)(COAP_VERSION | message->type << TYPE_SHIFT | TOKEN_OCTETS);
    bytes[1] = message->code;
    bytes_put_u16(bytes + 2, (uint16_t)message->number);
    bytes_put_u32(bytes + 4, message->number);
    if (octets > COAP_OCTETS)
        bytes[COAP_OCTETS] = PAYLOAD_MARKER;
    if (octets > COAP_OCTETS + 1 && config->content != PAYLOAD_ZEROS)
        payload_fill(bytes + COAP_OCTETS + 1, octets - COAP_OCTETS - 1,
                     payload_key(config->port, message->code, config->content == PAYLOAD_TEXT),
                     (uint64_t)message->number * octets);
    struct ip_packet packet = {
        .ip = {.dst = host_address(to), .proto = IPV4_PROTO_UDP},
        .udp = {.src_port = config->port, .dst_port = config->port},
        .payload = bytes,
        .payload_octets = (uint16_t)octets,
    };
    host_send(from, &packet, now);
}

/* False: no message of this model. */
static bool message_decode(struct message *message, const struct ip_packet *packet)
{
    const uint8_t *bytes = packet->payload;
    if (packet->payload_octets < COAP_OCTETS || (bytes[0] & 0xcf) != (COAP_VERSION | TOKEN_OCTETS))
        return false;
    *message = (struct message){
        .type = bytes[0] >> TYPE_SHIFT & 3, .code = bytes[1], .number = bytes_get_u32(bytes + 4)};
    return true;
}

/* Each copy of a request is answered (RFC 7252 section 4.5). */
static void server_gets(void *arg, const struct ip_packet *packet, int64_t now)
{
    const struct app_request *a = arg;
    struct message message;
    if (!message_decode(&message, packet))
        return;
    message.type = message.type == CONFIRMABLE ? ACKNOWLEDGEMENT : NON_CONFIRMABLE;
    message.code = CHANGED;
    send_message(a->config.server, a->config.mobile, &a->config, &message, now);
}

static void send_request(struct app_request *a, uint32_t number, int64_t now)
{
    const struct message message = {a->config.is_confirmable ? CONFIRMABLE : NON_CONFIRMABLE, POST, number};
    send_message(a->config.mobile, a->config.server, &a->config, &message, now);
}

static bool is_over(const struct app_request *a, int64_t at_ns)
{
    return at_ns >= a->config.stop_ns || (a->config.count && a->exchanges.count == a->config.count);
}

/* Sets the timer for the next message, a repetition or a request. */
static void plan(struct app_request *a, int64_t now)
{
    int64_t at_ns = a->is_out ? a->again_at_ns : moment_max(a->due_at_ns, now);
    if (a->is_out || !is_over(a, at_ns))
        host_timer_set(a->config.mobile, &a->timer, at_ns);
}

static void begin(struct app_request *a, int64_t now)
{
    const struct app_request_config *config = &a->config;
    if (!exchanges_begin(&a->exchanges, now)) {
        a->due_at_ns = MOMENT_NEVER;
        return;
    }
    a->due_at_ns =
        moment_add(now, config->is_random ? 1 + rng_exponential_ns(&a->rng, config->interval_ns - 1)
                                          : config->interval_ns);
    if (config->is_confirmable) {
        uint64_t least_ns = (uint64_t)config->timeout_ns;
        a->is_out = true;
        a->repeats_left = config->repeats;
        a->interval_ns = (int64_t)rng_between(&a->rng, least_ns, least_ns + least_ns / 2);
        a->again_at_ns = moment_add(now, a->interval_ns);
    }
    send_request(a, a->exchanges.count - 1, now);
}

static void repeat(struct app_request *a, int64_t now)
{
    if (a->repeats_left == 0) {
        a->is_out = false;
        a->record.given_up++;
        return;
    }
    a->repeats_left--;
    a->record.repeated++;
    a->interval_ns *= 2;
    a->again_at_ns = moment_add(now, a->interval_ns);
    send_request(a, a->exchanges.count - 1, now);
}

static void fire(void *arg, int64_t now)
{
    struct app_request *a = arg;
    if (a->is_out && now >= a->again_at_ns)
        repeat(a, now);
    if (!a->is_out && now >= a->due_at_ns && !is_over(a, now))
        begin(a, now);
    plan(a, now);
}

static void mobile_gets(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct app_request *a = arg;
    struct message message;
    if (!message_decode(&message, packet))
        return;
    bool is_in_time = !a->config.is_confirmable || (a->is_out && message.number + 1 == a->exchanges.count);
    int64_t took_ns = is_in_time ? exchanges_end(&a->exchanges, message.number, now) : -1;
    if (took_ns < 0)
        return;
    a->record.answered++;
    if (a->config.on_answer)
        a->config.on_answer(a->config.arg, now, packet->payload_octets, took_ns);
    if (!a->is_out)
        return;
    a->is_out = false;
    host_timer_cancel(a->config.mobile, &a->timer);
    plan(a, now);
}

static bool is_length(uint32_t octets)
{
    return octets >= APP_REQUEST_LEAST_OCTETS && octets <= IP_PACKET_MAX_OCTETS;
}

struct app_request *app_request_new(const struct app_request_config *config)
{
    struct host *mobile = config->mobile, *server = config->server;
    if (!is_length(config->request_octets) || !is_length(config->answer_octets) || config->interval_ns <= 0 ||
        config->timeout_ns <= 0 || config->repeats > APP_REQUEST_REPEATS)
        return NULL;
    struct app_request *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->due_at_ns = config->start_ns;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    rng_init(&a->rng, config->seed, config->stream);
    if (host_bind_udp(mobile, host_address(server), config->port, mobile_gets, a)) {
        if (host_bind_udp(server, host_address(mobile), config->port, server_gets, a)) {
            if (host_timer_set(mobile, &a->timer, config->start_ns))
                return a;
            host_unbind_udp(server, host_address(mobile), config->port);
        }
        host_unbind_udp(mobile, host_address(server), config->port);
    }
    free(a);
    return NULL;
}

void app_request_free(struct app_request *a)
{
    if (!a)
        return;
    exchanges_free(&a->exchanges);
    free(a);
}

struct app_request_record app_request_record(const struct app_request *a)
{
    struct app_request_record record = a->record;
    record.sent = a->exchanges.count;
    record.began_ns = a->exchanges.began_ns;
    record.took_ns = a->exchanges.took_ns;
    return record;
}
