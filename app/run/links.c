/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/links.h"

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
}

int64_t run_links_step(struct run_links *l, int64_t now)
{
    struct delay_line *lines[] = {&l->late_down, &l->slow_down, &l->internet_down, &l->gn_down,
                                  &l->late_up,   &l->air_up,    &l->gn_up,         &l->internet_up};
    int64_t next = MOMENT_NEVER;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        next = moment_min(next, delay_line_step(lines[i], now));
    return next;
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

bool run_links_is_late(const struct run_links *l, int64_t *late_ns, const uint8_t *packet, size_t octets,
                       int64_t now)
{
    int64_t delay_ns = l->late_up.delay_ns;
    if (delay_ns == 0 || (now >= *late_ns && !is_pure_ack(packet, octets)))
        return false;
    *late_ns = now + delay_ns;
    return true;
}
