/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/servers.h"

#include "app/run/summary.h"
#include "app/run/traffic.h"
#include "dataplane/base/rng.h"
#include "dataplane/wire/ipv4.h"
#include "sim/tcp_header.h"

/* Streams of the run's seed, one for each mobile and each item. */
#define MOBILE_STREAM (UINT64_C(0x2001) << 32)
#define ITEM_STREAM   (UINT64_C(0x2002) << 32)

static int64_t drawn_ns(const struct scenario_config_server *server, uint64_t seed, uint64_t stream)
{
    struct rng rng;
    rng_init(&rng, seed, stream);
    return (int64_t)rng_between(&rng, (uint64_t)server->delay_ns, (uint64_t)server->delay_max_ns);
}

int64_t run_servers_of_mobile(const struct run_mobile *mobile)
{
    const struct scenario_run *r = mobile->run;
    if (!mobile->config->server.is_given)
        return r->scenario.network.server_delay_ns;
    return drawn_ns(&mobile->config->server, r->scenario.seed,
                    MOBILE_STREAM + (uint64_t)(mobile - r->mobiles));
}

int64_t run_servers_of_item(const struct run_mobile *mobile, const struct scenario_config_traffic *item)
{
    const struct scenario_run *r = mobile->run;
    if (!item->server.is_given)
        return mobile->server_ns;
    return drawn_ns(&item->server, r->scenario.seed, ITEM_STREAM + (uint64_t)(item - r->scenario.traffic));
}

/* The item of a packet; NULL: of none. */
static const struct run_app *item_of(const struct run_mobile *mobile, enum radio_way way,
                                     const uint8_t *packet, size_t octets)
{
    struct ip_packet ip;
    uint32_t number;
    if (ip_packet_decode(&ip, packet, octets) < 0)
        return NULL;
    if (ip.ip.proto == IP_PACKET_PROTO_ICMP)
        number = ip.echo.id - 1u;
    else if (ip.ip.proto == IPV4_PROTO_TCP)
        number = (way == RADIO_DOWN ? ip.tcp.src_port : ip.tcp.dst_port) - (uint32_t)TRAFFIC_FIRST_PORT;
    else
        number = (way == RADIO_DOWN ? ip.udp.src_port : ip.udp.dst_port) - (uint32_t)TRAFFIC_FIRST_PORT;
    return number < mobile->config->traffic_count ? &mobile->run->apps[mobile->config->first_traffic + number]
                                                  : NULL;
}

int64_t run_servers_more_ns(const struct run_mobile *mobile, enum radio_way way, const uint8_t *packet,
                            size_t octets)
{
    const struct scenario_run *r = mobile->run;
    if (!r->scenario.has_servers)
        return 0;
    const struct run_app *item = item_of(mobile, way, packet, octets);
    return (item ? item->server_ns : mobile->server_ns) - r->scenario.network.server_delay_ns;
}

/* --- results --- */

struct server {
    const char *mobile;
    unsigned item;
    int64_t delay_ns;
};

static void each_server(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; r->scenario.has_servers && i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        const struct server server = {app->mobile->config->name, app->number, app->server_ns};
        if (app->config->server.is_given || app->mobile->config->server.is_given)
            field_put(sink, NULL, &server);
    }
}

static const struct field servers[] = {
    FIELD(struct server, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct server, LABEL, "item", "", item, "Its traffic item, counted from 0."),
    FIELD(struct server, GAUGE, "delay_s", "seconds", delay_ns,
          "One-way delay between the item's server and the GGSN, as drawn."),
    FIELD_END,
};

const struct field run_servers_results[] = {
    FIELD_INSIDE(LIST, "servers", 0, servers,
                 "The server of a traffic item with a `server_delay` of its own or of its mobile.",
                 .each = each_server, .is_optional = true, .when = "with server_delay of mobiles or items"),
    FIELD_END,
};
