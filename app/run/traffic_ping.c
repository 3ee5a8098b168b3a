/* SPDX-License-Identifier: BSD-3-Clause */
/* Pings from a mobile to the server (sim/app_ping.h). */
#include "app/run/summary.h"
#include "app/run/traffic.h"

#include "sim/app_ping.h"

#include <stdio.h>

#define PING(member, key) LUA_FIELD_OF(struct app_ping_config, member, key)

static const struct lua_field ping_fields[] = {
    PING(interval_ns, "every"), PING(packet_octets, "octets"), PING(count, "count"), {0}};

static uint32_t packet_octets(const struct scenario_config_traffic *item)
{
    return ((const struct app_ping_config *)item->settings)->packet_octets;
}

static void on_reply(void *arg, int64_t now, int64_t rtt_ns)
{
    const struct run_app *app = arg;
    struct scenario_run *r = app->mobile->run;
    if (r->series.file)
        run_series_put_ns(&r->series, now - r->begin_ns, traffic_ping.series, app->mobile->config->name,
                          rtt_ns);
}

static void *start_ping(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    struct app_ping_config config = *(const struct app_ping_config *)item->settings;
    config.mobile = app->mobile->host;
    config.server = SCENARIO_CONFIG_SERVER_ADDRESS;
    config.id = (uint16_t)(app->number + 1);
    config.content = item->content;
    config.start_ns = app->mobile->run->begin_ns + item->start_ns;
    config.stop_ns = app->mobile->run->begin_ns + item->stop_ns;
    config.arg = app;
    config.on_reply = on_reply;
    return app_ping_new(&config);
}

static void end_ping(const struct run_app *app)
{
    app_ping_free(app->model);
}

static uint32_t add_pings(const struct run_app *app, struct samples *rtts)
{
    uint32_t sent;
    const int64_t *rtts_ns = app_ping_rtts_ns(app->model, &sent);
    for (uint32_t i = 0; i < sent; i++)
        if (rtts_ns[i] >= 0)
            samples_add(rtts, rtts_ns[i]);
    return sent;
}

static void print_ping(const struct run_app *app)
{
    struct samples rtts = {0};
    uint32_t sent = add_pings(app, &rtts);
    char p50[16], p95[16];
    printf("%-14s  ping: %zu of %u answered, RTT %s s median, %s s p95\n", app->mobile->config->name,
           rtts.count, sent, run_series_quantile(&rtts, 50, p50), run_series_quantile(&rtts, 95, p95));
    samples_free(&rtts);
}

/* --- results --- */

struct pings {
    const char *mobile;
    uint64_t sent, received;
    struct quantiles rtts;
};

static void put_pings(const struct run_app *app, struct field_sink *sink)
{
    struct samples rtts = {0};
    uint32_t sent = add_pings(app, &rtts);
    const struct pings pings = {app->mobile->config->name, sent, rtts.count, quantiles_of(&rtts)};
    field_put(sink, NULL, &pings);
    samples_free(&rtts);
}

static void each_pings(const void *record, struct field_sink *sink)
{
    traffic_put_all(((const struct summary *)record)->run, sink, put_pings);
}

static const struct field pings_fields[] = {
    FIELD(struct pings, LABEL, "mobile", "", mobile, "Name of the mobile that sends the requests."),
    FIELD(struct pings, COUNTER, "sent", "messages", sent,
          "ICMP Echo Requests sent in the whole run, the warm-up included."),
    FIELD(struct pings, COUNTER, "received", "messages", received,
          "ICMP Echo Replies received in the whole run, the warm-up included."),
    FIELD_INSIDE(
        OBJECT, "rtt_s", offsetof(struct pings, rtts), quantiles_ping,
        "Round-trip time of answered requests of the whole run, the warm-up included; null without one."),
    FIELD_END,
};

const struct app_ops traffic_ping = {
    .name = "ping",
    .settings = ping_fields,
    .settings_octets = sizeof(struct app_ping_config),
    .is_probe = true,
    .packet_octets = packet_octets,
    .start = start_ping,
    .end = end_ping,
    .print = print_ping,
    .add_pings = add_pings,
    .put = put_pings,
    .results = {FIELD_INSIDE(LIST, "ping", 0, pings_fields, "A ping item.", .each = each_pings)},
    .series = {SERIES_ROW(GAUGE, "ping_rtt_s", "mobile", "seconds",
                          "Event: an ICMP Echo Reply came; its round-trip time.")},
};
