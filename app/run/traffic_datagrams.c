/* SPDX-License-Identifier: BSD-3-Clause */
/* Datagrams of UDP, one way (sim/app_cbr.h): at a constant rate, or of the times and sizes of a file. */
#include "app/run/summary.h"
#include "app/run/traffic.h"

#include "sim/app_cbr.h"

#include <stdio.h>
#include <stdlib.h>

struct datagrams {
    struct app_cbr_config cbr; /* of a trace only what every item has */
    bool is_uplink;            /* of a trace */
};

#define CBR(member, key)      LUA_FIELD_OF(struct datagrams, cbr.member, key)
#define IS(member, key, word) LUA_FIELD_WORDS(IS_WORD, struct datagrams, member, key, word)

static const struct lua_field cbr_fields[] = {CBR(rate_bps, "rate"),
                                              CBR(packet_octets, "packet"),
                                              CBR(is_ecn_capable, "ecn"),
                                              CBR(burst_ns, "burst"),
                                              CBR(pause_ns, "pause"),
                                              IS(cbr.is_random, "burst_law", "exponential"),
                                              IS(cbr.is_poisson, "interval_law", "exponential"),
                                              {0}};

static const struct lua_field trace_fields[] = {CBR(is_ecn_capable, "ecn"), IS(is_uplink, "way", "up"), {0}};

static uint32_t packet_octets(const struct scenario_config_traffic *item)
{
    return item->trace ? SCENARIO_CONFIG_MOST_OCTETS
                       : ((const struct datagrams *)item->settings)->cbr.packet_octets;
}

static void on_datagram(void *arg, int64_t now, uint32_t payload_octets, int64_t delay_ns)
{
    run_series_goodput(((const struct run_app *)arg)->mobile, payload_octets, now);
}

/* The list of a trace, the same for all items with it. NULL: out of memory. */
static const struct app_cbr_packet *packets_of(struct scenario_run *r, uint32_t trace)
{
    const struct trace *rows = &r->scenario.traces[trace];
    if (!r->packets)
        r->packets = calloc(r->scenario.trace_count, sizeof(*r->packets));
    if (!r->packets || r->packets[trace])
        return r->packets ? r->packets[trace] : NULL;
    struct app_cbr_packet *packets = calloc(rows->count, sizeof(*packets));
    for (uint32_t i = 0; packets && i < rows->count; i++)
        packets[i] = (struct app_cbr_packet){rows->rows[i].at_ns, (uint32_t)rows->rows[i].values[0]};
    return r->packets[trace] = packets;
}

static bool add_list(struct scenario_run *r, const struct scenario_config_traffic *item,
                     struct app_cbr_config *config)
{
    if (!item->trace)
        return true;
    config->packets = packets_of(r, item->trace - 1);
    config->packet_count = r->scenario.traces[item->trace - 1].count;
    config->repeat_ns = item->trace_every_ns;
    return config->packets != NULL;
}

static void *start_datagrams(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    const struct datagrams *settings = item->settings;
    struct scenario_run *r = app->mobile->run;
    struct app_cbr_config config = settings->cbr;
    config.receiver = settings->is_uplink ? r->server : app->mobile->host;
    config.sender = settings->is_uplink ? app->mobile->host : r->server;
    config.receiver_port = config.sender_port = traffic_port(app);
    config.packet_octets = packet_octets(item);
    config.seed = r->scenario.seed;
    config.stream = traffic_stream(app);
    config.content = item->content;
    config.start_ns = r->begin_ns + item->start_ns;
    config.stop_ns = r->begin_ns + item->stop_ns;
    config.arg = app;
    config.on_receive = settings->is_uplink ? NULL : on_datagram; /* goodput is that of the downlink */
    return add_list(r, item, &config) ? app_cbr_new(&config) : NULL;
}

static void end_datagrams(const struct run_app *app)
{
    app_cbr_free(app->model);
}

static void print_datagrams(const struct run_app *app)
{
    const struct app_cbr_record *record = app_cbr_record(app->model);
    printf("%-14s  %s: %lu of %lu packets arrived\n", app->mobile->config->name, app->config->ops->name,
           (unsigned long)record->received, (unsigned long)record->sent);
}

/* --- results --- */

struct sums {
    const char *mobile, *way;
    unsigned item;
    struct app_cbr_record record;
    uint64_t lost;
    int64_t mean_ns, max_ns;
};

static void put_sums(const struct run_app *app, struct field_sink *sink)
{
    const struct app_cbr_record *record = app_cbr_record(app->model);
    bool has_delay = record->received > 0;
    const struct sums sums = {
        .mobile = app->mobile->config->name,
        .way = ((const struct datagrams *)app->config->settings)->is_uplink ? "up" : "down",
        .item = app->number,
        .record = *record,
        .lost = record->sent - record->received,
        .mean_ns = has_delay ? record->delay_sum_ns / (int64_t)record->received : MOMENT_NEVER,
        .max_ns = has_delay ? record->delay_max_ns : MOMENT_NEVER,
    };
    field_put(sink, NULL, &sums);
}

static void each_sums(const void *record, struct field_sink *sink)
{
    traffic_put_all(((const struct summary *)record)->run, sink, put_sums);
}

static const struct field delays[] = {
    FIELD(struct sums, COUNTER, "n", "packets", record.received, "Packets received."),
    FIELD(struct sums, GAUGE, "mean", "seconds", mean_ns, "Mean."),
    FIELD(struct sums, GAUGE, "max", "seconds", max_ns, "Largest value."),
    FIELD_END,
};

static const struct field sums_fields[] = {
    FIELD(struct sums, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct sums, LABEL, "item", "", item, "Its traffic item, counted from 0."),
    FIELD(struct sums, LABEL, "way", "", way, "down: to the mobile; up: from the mobile."),
    FIELD(struct sums, COUNTER, "sent", "packets", record.sent, "UDP packets sent."),
    FIELD(struct sums, COUNTER, "received", "packets", record.received, "UDP packets received."),
    FIELD(struct sums, COUNTER, "octets", "octets", record.received_octets, "UDP payload received."),
    FIELD(struct sums, GAUGE, "not_received", "packets", lost,
          "sent less received: lost, or on their way at the end."),
    FIELD(struct sums, COUNTER, "out_of_order", "packets", record.out_of_order,
          "Packets received behind one that was sent later."),
    FIELD_INSIDE(OBJECT, "delay_s", 0, delays,
                 "Delay of the packets received in the whole run; null without one."),
    FIELD_END,
};

#define COMMON                                                                                               \
    .settings_octets = sizeof(struct datagrams), .packet_octets = packet_octets, .start = start_datagrams,   \
    .end = end_datagrams, .print = print_datagrams, .put = put_sums

const struct app_ops traffic_cbr = {
    .name = "cbr",
    .settings = cbr_fields,
    COMMON,
    .results = {FIELD_INSIDE(LIST, "datagrams", 0, sums_fields, "A cbr or trace item.", .each = each_sums,
                             .is_optional = true, .when = "with cbr or trace items")},
};

const struct app_ops traffic_trace = {.name = "trace", .settings = trace_fields, .has_trace = true, COMMON};
