/* SPDX-License-Identifier: BSD-3-Clause */
/* Applications of a run: the traffic of each mobile, started, recorded and ended. */
#include "app/run/run.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_PORT 8000 /* ports of the server and of mobiles: one for each item of a mobile */
#define OF_CHARS   (SCENARIO_CONFIG_NAME_CHARS + 32)

/* --- callbacks of applications --- */

static int64_t time_of(const struct run_app *app, int64_t now)
{
    return now - app->mobile->run->begin_ns;
}

/* "NAME#item", and "NAME#item.connection" where an item has several. */
static void put_connection(const struct run_app *app, uint32_t connection, char out[OF_CHARS])
{
    char *end = run_series_number(stpcpy(stpcpy(out, app->mobile->config->name), "#"), app->number);
    if (app->config->kind == SCENARIO_CONFIG_WEB)
        run_series_number(stpcpy(end, "."), connection);
}

static void on_rtt(void *arg, uint32_t connection, int64_t now, int64_t rtt_ns)
{
    const struct run_app *app = arg;
    char of[OF_CHARS];
    if (!app->mobile->run->series.file)
        return;
    put_connection(app, connection, of);
    run_series_put_ns(&app->mobile->run->series, time_of(app, now), RUN_SERIES_RTT, of, rtt_ns);
}

static void on_sent(void *arg, uint32_t connection, int64_t now, uint64_t end_octets, bool is_retransmission)
{
    const struct run_app *app = arg;
    char of[OF_CHARS];
    if (!app->mobile->run->series.file)
        return;
    put_connection(app, connection, of);
    run_series_put(&app->mobile->run->series, time_of(app, now),
                   is_retransmission ? RUN_SERIES_RETRANSMITTED : RUN_SERIES_SENT, of, (int64_t)end_octets);
}

static void on_acked(void *arg, uint32_t connection, int64_t now, uint64_t acked_octets)
{
    const struct run_app *app = arg;
    char of[OF_CHARS];
    if (!app->mobile->run->series.file)
        return;
    put_connection(app, connection, of);
    run_series_put(&app->mobile->run->series, time_of(app, now), RUN_SERIES_ACKED, of, (int64_t)acked_octets);
}

static void add_goodput(const struct run_app *app, uint64_t octets, int64_t now)
{
    struct run_mobile *mobile = app->mobile;
    mobile->stats.goodput_window_octets += octets;
    if (now >= mobile->run->begin_ns + mobile->run->scenario.warmup_ns)
        mobile->stats.goodput_octets += octets;
}

static void on_goodput(void *arg, uint32_t connection, int64_t now, uint64_t octets)
{
    add_goodput(arg, octets, now);
}

static void on_datagram(void *arg, int64_t now, uint32_t payload_octets, int64_t delay_ns)
{
    add_goodput(arg, payload_octets, now);
}

static void on_reply(void *arg, int64_t now, int64_t rtt_ns)
{
    const struct run_app *app = arg;
    if (!app->mobile->run->series.file)
        return;
    run_series_put_ns(&app->mobile->run->series, time_of(app, now), RUN_SERIES_PING_RTT,
                      app->mobile->config->name, rtt_ns);
}

/* --- from the configuration --- */

static struct tcp_params tcp_of(const struct scenario_config_tcp *config)
{
    struct tcp_params tcp = tcp_params_default();
    tcp.mss_octets = config->mss_octets;
    tcp.stack = config->stack;
    tcp.has_no_fack = !config->has_fack;
    tcp.recovery = config->recovery;
    tcp.cc = config->cc;
    tcp.has_hystart = config->has_hystart;
    tcp.has_prr = config->has_prr;
    tcp.has_rack = config->has_rack;
    tcp.count_octets = config->counts_octets;
    tcp.sack = config->has_sack;
    tcp.timestamps = config->has_timestamps;
    tcp.ecn = config->has_ecn;
    tcp.has_text = config->has_text;
    tcp.window_scale = config->has_window_scale;
    tcp.receive_window_octets = config->receive_window_octets;
    tcp.delayed_ack_segments = config->ack_every_segments;
    tcp.delayed_ack_timeout_ns = config->ack_timeout_ns;
    tcp.initial_cwnd_segments = config->initial_cwnd_segments;
    tcp.initial_ssthresh_segments = config->initial_ssthresh_segments;
    tcp.max_cwnd_segments = config->max_cwnd_segments;
    tcp.initial_rto_ns = config->initial_rto_ns;
    tcp.min_rto_ns = config->min_rto_ns;
    tcp.max_rto_ns = config->max_rto_ns;
    return tcp;
}

static struct app_record_observer observer_of(struct run_app *app)
{
    return (struct app_record_observer){
        .arg = app, .on_rtt = on_rtt, .on_sent = on_sent, .on_acked = on_acked, .on_goodput = on_goodput};
}

static enum app_transfer_server server_of(enum scenario_config_server server)
{
    if (server == SCENARIO_CONFIG_ANSWERS)
        return APP_TRANSFER_ANSWERS;
    return server == SCENARIO_CONFIG_REFUSES ? APP_TRANSFER_REFUSES : APP_TRANSFER_SILENT;
}

/* The mobile's port for QUIC; NULL: out of memory. */
static struct quic_session_port *port_of(struct run_mobile *mobile)
{
    if (!mobile->quic)
        mobile->quic = quic_session_port_new(mobile->host, mobile->run->server);
    return mobile->quic;
}

static bool make_transfer(struct scenario_run *r, struct run_app *app)
{
    const struct scenario_config_traffic *config = app->config;
    struct tcp_params tcp = tcp_of(&config->tcp);
    struct app_transfer_config transfer = {
        .mobile = app->mobile->host,
        .server = r->server,
        .port = config->is_quic ? port_of(app->mobile) : NULL,
        .is_up = config->kind == SCENARIO_CONFIG_UPLOAD,
        .octets = config->download.octets,
        .start_ns = r->begin_ns + config->start_ns,
        .stop_ns = r->begin_ns + config->stop_ns,
        .observer = observer_of(app),
        .server_port = (uint16_t)(FIRST_PORT + app->number),
        .does = server_of(config->download.server),
        .mobile_tcp = tcp,
        .server_tcp = tcp,
        .seed = r->scenario.seed,
        .stream = (uint64_t)(app - r->apps),
        .quic = config->quic,
    };
    if (transfer.is_up)
        transfer.observer.on_goodput = NULL; /* which is that of the downlink */
    if (transfer.port || !config->is_quic)
        app->transfer = app_transfer_new(&transfer);
    return app->transfer != NULL;
}

static bool make_web(struct scenario_run *r, struct run_app *app)
{
    const struct scenario_config_traffic *config = app->config;
    struct tcp_params tcp = tcp_of(&config->tcp);
    struct app_web_config web = {
        .mobile = app->mobile->host,
        .server = r->server,
        .server_port = (uint16_t)(FIRST_PORT + app->number),
        .request_octets = config->web.request_octets,
        .page_octets = config->web.page_octets,
        .items = config->web.items,
        .item_octets = config->web.item_octets,
        .sizes = config->web.size_count ? config->web.sizes : NULL,
        .port = config->is_quic ? port_of(app->mobile) : NULL,
        .quic = config->quic,
        .parallel = config->web.parallel,
        .is_persistent = config->web.is_persistent,
        .is_close_awaited = config->web.is_close_awaited,
        .pages = config->web.pages,
        .reading_ns = config->web.reading_ns,
        .is_reading_exponential = config->web.is_reading_exponential,
        .seed = r->scenario.seed,
        .stream = (uint64_t)(app - r->apps),
        .start_ns = r->begin_ns + config->start_ns,
        .stop_ns = r->begin_ns + config->stop_ns,
        .mobile_tcp = tcp,
        .server_tcp = tcp,
        .observer = observer_of(app),
    };
    if (web.port || !config->is_quic)
        app->web = app_web_new(&web);
    return app->web != NULL;
}

static bool make_ping(struct scenario_run *r, struct run_app *app)
{
    const struct scenario_config_traffic *config = app->config;
    struct app_ping_config ping = {
        .mobile = app->mobile->host,
        .server = SCENARIO_CONFIG_SERVER_ADDRESS,
        .id = (uint16_t)(app->number + 1),
        .packet_octets = config->ping.octets,
        .count = config->ping.count,
        .interval_ns = config->ping.every_ns,
        .content = config->content,
        .start_ns = r->begin_ns + config->start_ns,
        .stop_ns = r->begin_ns + config->stop_ns,
        .arg = app,
        .on_reply = on_reply,
    };
    app->ping = app_ping_new(&ping);
    return app->ping != NULL;
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

static bool add_list(struct scenario_run *r, const struct scenario_config_cbr *config,
                     struct app_cbr_config *cbr)
{
    if (!config->trace)
        return true;
    cbr->packets = packets_of(r, config->trace - 1);
    cbr->packet_count = r->scenario.traces[config->trace - 1].count;
    cbr->repeat_ns = config->every_ns;
    return cbr->packets != NULL;
}

static bool make_cbr(struct scenario_run *r, struct run_app *app)
{
    const struct scenario_config_traffic *config = app->config;
    bool is_uplink = config->cbr.is_uplink;
    struct app_cbr_config cbr = {
        .receiver = is_uplink ? r->server : app->mobile->host,
        .sender = is_uplink ? app->mobile->host : r->server,
        .receiver_port = (uint16_t)(FIRST_PORT + app->number),
        .sender_port = (uint16_t)(FIRST_PORT + app->number),
        .rate_bps = config->cbr.rate_bps,
        .packet_octets = config->cbr.packet_octets,
        .burst_ns = config->cbr.burst_ns,
        .pause_ns = config->cbr.pause_ns,
        .is_random = config->cbr.is_random,
        .is_poisson = config->cbr.is_poisson,
        .seed = r->scenario.seed,
        .stream = (uint64_t)(app - r->apps),
        .content = config->content,
        .tos = config->cbr.is_ecn_capable ? AQM_ECN_ECT0 : AQM_ECN_NOT,
        .start_ns = r->begin_ns + config->start_ns,
        .stop_ns = r->begin_ns + config->stop_ns,
        .arg = app,
        .on_receive = is_uplink ? NULL : on_datagram, /* goodput is that of the downlink */
    };
    if (add_list(r, &config->cbr, &cbr))
        app->cbr = app_cbr_new(&cbr);
    return app->cbr != NULL;
}

static bool apps_make(struct scenario_run *r, struct run_app *app)
{
    switch (app->config->kind) {
    case SCENARIO_CONFIG_DOWNLOAD:
    case SCENARIO_CONFIG_UPLOAD:
        return make_transfer(r, app);
    case SCENARIO_CONFIG_WEB:
        return make_web(r, app);
    case SCENARIO_CONFIG_PING:
        return make_ping(r, app);
    case SCENARIO_CONFIG_CBR:
        return make_cbr(r, app);
    }
    return false;
}

bool run_apps_new(struct scenario_run *r)
{
    r->apps = calloc(r->scenario.traffic_count + 1, sizeof(*r->apps));
    for (uint32_t i = 0; r->apps && i < r->scenario.traffic_count; i++) {
        const struct scenario_config_traffic *config = &r->scenario.traffic[i];
        struct run_app *app = &r->apps[i];
        *app = (struct run_app){.mobile = &r->mobiles[config->mobile], .config = config};
        app->number = i - app->mobile->config->first_traffic;
        if (!apps_make(r, app)) {
            fprintf(
                stderr,
                "gbflow: traffic item %u of mobile '%s' does not start: out of memory, or too many items\n",
                app->number + 1, app->mobile->config->name);
            return false;
        }
    }
    return r->apps != NULL;
}

bool run_apps_record(const struct run_app *app, struct app_record_tcp *out)
{
    if (app->config->kind == SCENARIO_CONFIG_DOWNLOAD || app->config->kind == SCENARIO_CONFIG_UPLOAD)
        return app_transfer_record(app->transfer, out);
    return app->config->kind == SCENARIO_CONFIG_WEB && app_web_record(app->web, out);
}

static void unmake(struct run_app *app)
{
    switch (app->config->kind) {
    case SCENARIO_CONFIG_DOWNLOAD:
    case SCENARIO_CONFIG_UPLOAD:
        app_transfer_free(app->transfer);
        break;
    case SCENARIO_CONFIG_WEB:
        app_web_free(app->web);
        break;
    case SCENARIO_CONFIG_PING:
        app_ping_free(app->ping);
        break;
    case SCENARIO_CONFIG_CBR:
        app_cbr_free(app->cbr);
        break;
    }
}

void run_apps_free(struct scenario_run *r)
{
    for (uint32_t i = 0; r->apps && i < r->scenario.traffic_count; i++)
        if (r->apps[i].config && r->apps[i].transfer)
            unmake(&r->apps[i]);
    free(r->apps);
    r->apps = NULL;
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++)
        quic_session_port_free(r->mobiles[i].quic);
    for (uint32_t i = 0; r->packets && i < r->scenario.trace_count; i++)
        free(r->packets[i]);
    free(r->packets);
    r->packets = NULL;
}
