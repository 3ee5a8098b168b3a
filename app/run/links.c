/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/links.h"
#include "app/run/run.h"
#include "app/run/scenario_config.h"
#include "app/run/servers.h"

#include "dataplane/base/moment.h"
#include "dataplane/wire/ipv4.h"
#include "sim/tcp_header.h"

/* Streams of the run's seed. */
#define INTERNET_STREAM UINT64_C(0x1001)
#define GN_STREAM       UINT64_C(0x1002)

void run_links_init(struct run_links *l, const struct scenario_config *config,
                    const struct run_links_outs *outs)
{
    int64_t far_ns = config->network.server_delay_ns, gn_ns = config->network.gn_delay_ns;
    int64_t late_ns = config->network.ack_delay_ns, slow_ns = config->network.reorder_delay_ns;
    delay_line_init(&l->internet_down, far_ns, outs->ggsn, outs->arg);
    delay_line_init(&l->internet_up, far_ns, outs->server, outs->arg);
    delay_line_init(&l->gn_down, gn_ns, outs->sgsn, outs->arg);
    delay_line_init(&l->gn_up, gn_ns, outs->ggsn_up, outs->arg);
    delay_line_init(&l->air_up, 0, outs->air, outs->arg);
    delay_line_init(&l->late_up, late_ns, outs->air, outs->arg);
    delay_line_init(&l->late_down, far_ns + late_ns, outs->ggsn, outs->arg);
    delay_line_init(&l->slow_down, far_ns + slow_ns, outs->ggsn, outs->arg);
    delay_line_init(&l->between, outs->between_ns, outs->between, outs->arg);
    delay_heap_init(&l->own_down, outs->ggsn, outs->arg);
    delay_heap_init(&l->own_up, outs->server, outs->arg);
    rng_init(&l->internet, config->seed, INTERNET_STREAM);
    rng_init(&l->gn, config->seed, GN_STREAM);
}

void run_links_fini(struct run_links *l)
{
    delay_line_fini(&l->internet_down);
    delay_line_fini(&l->internet_up);
    delay_line_fini(&l->gn_down);
    delay_line_fini(&l->gn_up);
    delay_line_fini(&l->air_up);
    delay_line_fini(&l->late_up);
    delay_line_fini(&l->late_down);
    delay_line_fini(&l->slow_down);
    delay_line_fini(&l->between);
    delay_heap_fini(&l->own_down);
    delay_heap_fini(&l->own_up);
}

int64_t run_links_step(struct run_links *l, int64_t now)
{
    struct delay_line *lines[] = {&l->late_down, &l->slow_down, &l->internet_down,
                                  &l->between,   &l->gn_down,   &l->late_up,
                                  &l->air_up,    &l->gn_up,     &l->internet_up};
    int64_t next = delay_heap_step(&l->own_down, now);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        next = moment_min(next, delay_line_step(lines[i], now));
    return moment_min(next, delay_heap_step(&l->own_up, now));
}

/* Whether the packet is a TCP segment without data, SYN, FIN or RST. */
static bool is_pure_ack(const uint8_t *packet, size_t octets)
{
    struct ipv4 ip;
    struct tcp_header tcp;
    int at = ipv4_decode(&ip, packet, octets);
    if (at < 0 || ip.proto != IPV4_PROTO_TCP)
        return false;
    int header = tcp_header_decode(&tcp, packet + at, ip.payload_octets);
    return header == ip.payload_octets && (tcp.flags & (TCP_SYN | TCP_FIN | TCP_RST)) == 0;
}

/*
 * Whether a packet is delayed (network.ack_delay): it is a TCP acknowledgement without data, or follows a
 * delayed one, which it must not overtake. *late_ns: when the last delayed packet leaves.
 */
static bool is_late(const struct run_links *l, int64_t *late_ns, const uint8_t *packet, size_t octets,
                    int64_t now)
{
    int64_t delay_ns = l->late_up.delay_ns;
    if (delay_ns == 0 || (now >= *late_ns && !is_pure_ack(packet, octets)))
        return false;
    *late_ns = now + delay_ns;
    return true;
}

static struct delay_line *way_down(struct run_mobile *mobile, const uint8_t *packet, size_t octets,
                                   int64_t now)
{
    struct scenario_run *r = mobile->run;
    if (is_late(&r->links, &mobile->late_ns[RADIO_DOWN], packet, octets, now))
        return &r->links.late_down;
    bool is_slow = run_links_chance(&r->links.internet, r->scenario.network.reorder_ppm);
    return is_slow ? &r->links.slow_down : &r->links.internet_down;
}

void run_links_down(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now)
{
    struct delay_line *line = way_down(mobile, packet, octets, now);
    int64_t more_ns = run_servers_more_ns(mobile, RADIO_DOWN, packet, octets);
    if (more_ns == 0)
        delay_line_put(line, packet, octets, now);
    else
        delay_heap_put(&mobile->run->links.own_down, packet, octets, now + line->delay_ns + more_ns);
}

void run_links_up(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run_links *l = &mobile->run->links;
    int64_t more_ns = run_servers_more_ns(mobile, RADIO_UP, packet, octets);
    if (more_ns == 0)
        delay_line_put(&l->internet_up, packet, octets, now);
    else
        delay_heap_put(&l->own_up, packet, octets, now + l->internet_up.delay_ns + more_ns);
}

void run_links_air(struct run_mobile *mobile, const uint8_t *packet, size_t octets, int64_t now)
{
    struct run_links *l = &mobile->run->links;
    bool waits = is_late(l, &mobile->late_ns[RADIO_UP], packet, octets, now);
    delay_line_put(waits ? &l->late_up : &l->air_up, packet, octets, now);
}
