/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/run.h"

#include <math.h>
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

static bool make_transfer(struct run *r, struct run_app *app)
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

static bool make_web(struct run *r, struct run_app *app)
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

static bool make_ping(struct run *r, struct run_app *app)
{
    const struct scenario_config_traffic *config = app->config;
    struct app_ping_config ping = {
        .mobile = app->mobile->host,
        .server = SCENARIO_CONFIG_SERVER_ADDRESS,
        .id = (uint16_t)(app->number + 1),
        .packet_octets = config->ping.octets,
        .count = config->ping.count,
        .interval_ns = config->ping.every_ns,
        .start_ns = r->begin_ns + config->start_ns,
        .stop_ns = r->begin_ns + config->stop_ns,
        .arg = app,
        .on_reply = on_reply,
    };
    app->ping = app_ping_new(&ping);
    return app->ping != NULL;
}

/* The list of a trace, the same for all items with it. NULL: out of memory. */
static const struct app_cbr_packet *packets_of(struct run *r, uint32_t trace)
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

static bool add_list(struct run *r, const struct scenario_config_cbr *config, struct app_cbr_config *cbr)
{
    if (!config->trace)
        return true;
    cbr->packets = packets_of(r, config->trace - 1);
    cbr->packet_count = r->scenario.traces[config->trace - 1].count;
    cbr->repeat_ns = config->every_ns;
    return cbr->packets != NULL;
}

static bool make_cbr(struct run *r, struct run_app *app)
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

static bool apps_make(struct run *r, struct run_app *app)
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

bool run_apps_new(struct run *r)
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

void run_apps_free(struct run *r)
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

static struct bss_calls_config calls_of(const struct scenario_config_calls *calls, uint64_t seed)
{
    return (struct bss_calls_config){
        .calls = {.channels = calls->channels,
                  .first_ns = RUN_LEAD_NS + calls->first_ns,
                  .every_ns = calls->every_ns,
                  .hold_ns = calls->hold_ns,
                  .taken = calls->taken,
                  .start_ns = RUN_LEAD_NS,
                  .interval_ns = calls->interval_ns,
                  .mean_hold_ns = calls->mean_hold_ns,
                  .seed = seed},
        .flush_ns = calls->flush_ns,
    };
}

struct bss_calls_config *run_calls_configs(const struct scenario_config *scenario)
{
    struct bss_calls_config *calls = calloc(scenario->cell_count, sizeof(*calls));
    for (uint32_t i = 0; calls && i < scenario->cell_count; i++)
        if (scenario->cells[i].calls.channels)
            calls[i] = calls_of(&scenario->cells[i].calls, scenario->seed * 1000033 + i);
    return calls;
}

static struct bss_policy policy_of(const struct scenario_config_cell *cell)
{
    return (struct bss_policy){cell->stop_octets, cell->go_octets, cell->measured_ns};
}

struct bss_policy *run_calls_policies(const struct scenario_config *scenario)
{
    struct bss_policy *policies = calloc(scenario->cell_count, sizeof(*policies));
    for (uint32_t i = 0; policies && i < scenario->cell_count; i++)
        policies[i] = policy_of(&scenario->cells[i]);
    return policies;
}

/* BLER of a C/I: between two points of the curve in a straight line. */
static uint32_t bler_of(const struct scenario_config_errors *errors, double ci_db)
{
    uint32_t i = 0;
    while (i < errors->point_count && errors->points[i].ci_db < ci_db)
        i++;
    if (i == 0 || i == errors->point_count)
        return errors->points[i ? i - 1 : 0].bler_ppm;
    double from_db = errors->points[i - 1].ci_db, from_ppm = errors->points[i - 1].bler_ppm;
    double share = (ci_db - from_db) / (errors->points[i].ci_db - from_db);
    return (uint32_t)llround(from_ppm + share * (errors->points[i].bler_ppm - from_ppm));
}

static uint32_t step_ppm(const struct scenario_config_errors *errors, double value)
{
    return errors->point_count ? bler_of(errors, value) : (uint32_t)llround(value * 10000);
}

/* NULL: out of memory. */
static struct radio_errors_step *steps_of(const struct scenario_config_errors *errors,
                                          const struct trace *trace)
{
    struct radio_errors_step *steps = calloc(trace->count, sizeof(*steps));
    for (uint32_t i = 0; steps && i < trace->count; i++)
        steps[i] = (struct radio_errors_step){.from_ns = trace->rows[i].at_ns,
                                              .bler_ppm = step_ppm(errors, trace->rows[i].values[0]),
                                              .bler_up_ppm = step_ppm(errors, trace->rows[i].values[1])};
    return steps;
}

static bool add_errors(const struct scenario_config *scenario, const struct scenario_config_errors *errors,
                       struct radio_config *radio)
{
    const struct trace *trace = errors->trace ? &scenario->traces[errors->trace - 1] : NULL;
    radio->errors = (struct radio_errors_config){
        .start_ns = RUN_LEAD_NS,
        .repeat_ns = errors->every_ns,
        .good_ns = errors->good_ns,
        .bad_ns = errors->bad_ns,
        .bad_bler_ppm = errors->bad_bler_ppm,
        .step_count = trace ? trace->count : 0,
        .steps = trace ? steps_of(errors, trace) : NULL,
    };
    return !trace || radio->errors.steps;
}

static struct radio_config radio_of(const struct scenario_config_cell *cell, uint64_t seed)
{
    struct radio_way_config way = {
        .retransmission_ns = cell->retransmission_ns,
        .delay_ns = cell->processing_ns,
        .control_one_in = cell->control_every,
        .mobile_limit_octets = cell->mobile_buffer_octets,
        .cell_limit_octets = cell->cell_buffer_octets,
    };
    struct radio_config radio = {
        .pdchs = cell->pdchs,
        .coding = run_link_coding(cell->coding),
        .payload_octets = cell->block_payload_octets,
        .window_blocks = cell->window_blocks,
        .is_unacknowledged = cell->is_rlc_unacknowledged,
        .seed = seed,
        .down = way,
        .up = way,
    };
    radio.down.slots = cell->downlink_slots;
    radio.down.bler_ppm = cell->bler_down_ppm;
    radio.down.setup_ns = cell->setup_ns;
    radio.down.setup_beside_ns = cell->setup_with_uplink_ns;
    radio.down.release_ns = cell->release_ns;
    radio.down.restart_wait_ns = cell->calls.restart_wait_ns;
    radio.up.payload_octets = cell->up_payload_octets;
    radio.up.keep_ns = cell->calls.uplink_keep_ns;
    radio.up.slots = cell->uplink_slots;
    radio.up.bler_ppm = cell->bler_up_ppm;
    radio.up.setup_ns = cell->uplink_access_ns;
    radio.up.release_ns = cell->uplink_hold_ns;
    radio.down.tbf = cell->access.down;
    radio.up.tbf = cell->access.up;
    if (cell->access.is_given) {
        radio.access = &cell->access.random;
        radio.up.setup_beside_ns = cell->access.with_downlink_ns;
    }
    return radio;
}

struct radio_config *run_radio_configs(const struct scenario_config *scenario)
{
    struct radio_config *radios = calloc(scenario->cell_count, sizeof(*radios));
    for (uint32_t i = 0; radios && i < scenario->cell_count; i++) {
        radios[i] = radio_of(&scenario->cells[i], scenario->seed * 1000003 + i);
        if (!add_errors(scenario, &scenario->cells[i].errors, &radios[i]) ||
            !run_link_add(scenario, &scenario->cells[i].link, &radios[i])) {
            run_radio_configs_free(radios, i + 1);
            return NULL;
        }
    }
    return radios;
}

void run_radio_configs_free(struct radio_config *radios, uint32_t count)
{
    for (uint32_t i = 0; radios && i < count; i++) {
        free((void *)radios[i].errors.steps);
        free((void *)radios[i].link.steps);
    }
    free(radios);
}

void run_radio_enter(const struct run_mobile *mobile)
{
    const struct scenario_config_cell *cell = &mobile->run->scenario.cells[mobile->cell];
    if (cell->has_levels)
        bss_level(mobile->bss, cell->bvci, mobile->config->tlli, mobile->config->qclass);
    if (cell->link.is_there && !isnan(mobile->config->ci_db))
        bss_ci(mobile->bss, cell->bvci, mobile->config->tlli, run_link_mdb(mobile->config->ci_db));
}
