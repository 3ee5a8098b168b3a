/* SPDX-License-Identifier: BSD-3-Clause */
/* Downloads and uploads: one file over one connection (sim/app_transfer.h). */
#include "app/run/traffic_connection.h"

#include "sim/app_transfer.h"

#include <stdio.h>

#define ENDLESS INT64_MAX /* "infinite" */

static const struct lua_field transfer_fields[] = {
    LUA_FIELD_OF(struct app_transfer_config, octets, "octets"),
    LUA_FIELD_WORDS(WORD, struct app_transfer_config, does, "server", "answers", "refuses", "silent"),
    {0}};

static void *start_transfer(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    const struct scenario_run *r = app->mobile->run;
    struct app_transfer_config config = *(const struct app_transfer_config *)item->settings;
    config.mobile = app->mobile->host;
    config.server = r->server;
    config.is_up = item->ops->is_up;
    config.octets = config.octets == ENDLESS ? 0 : config.octets;
    config.start_ns = r->begin_ns + item->start_ns;
    config.stop_ns = r->begin_ns + item->stop_ns;
    config.observer = traffic_connection_observer(app);
    config.server_port = traffic_port(app);
    config.mobile_tcp = config.server_tcp = item->tcp;
    config.seed = r->scenario.seed;
    config.stream = traffic_stream(app);
    config.quic = item->quic;
    return traffic_connection_quic(app, &config.port) ? app_transfer_new(&config) : NULL;
}

static void end_transfer(const struct run_app *app)
{
    app_transfer_free(app->model);
}

static bool record_of(const struct run_app *app, struct app_record_tcp *out)
{
    return app_transfer_record(app->model, out);
}

static void print_transfer(const struct run_app *app)
{
    struct app_record_tcp record;
    if (!record_of(app, &record))
        return;
    printf("%-14s  %s: %lu octets in %.1f s, %.1f kbit/s, %lu octets retransmitted",
           app->mobile->config->name, app->config->ops->name, (unsigned long)record.octets,
           (double)(record.end_ns - record.start_ns) / MOMENT_SECOND,
           (double)app_record_goodput_bps(&record, record.end_ns) / 1000,
           (unsigned long)record.retransmitted_octets);
    traffic_connection_print_rtt(&record);
}

#define TRANSFER                                                                                             \
    .settings = transfer_fields, .settings_octets = sizeof(struct app_transfer_config),                      \
    .start = start_transfer, .end = end_transfer, .print = print_transfer, .record = record_of

const struct app_ops traffic_download = {.name = "download", TRANSFER};
const struct app_ops traffic_upload = {.name = "upload", .is_up = true, TRANSFER};
