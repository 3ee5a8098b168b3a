/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_transfer.h"

#include "dataplane/base/moment.h"
#include "sim/app_record.h"
#include "sim/host.h"

#include <stdlib.h>

/* A mobile downloads one file over one TCP connection: it connects and sends a request, the server sends the
   file and closes. */

enum { APP_DOWNLOAD_REQUEST_OCTETS = 200 };

/* The mobile's connection has ended: its record is whole. */
static void record_end(struct app_record_tcp *record, const struct app_record_observer *observer,
                       enum tcp_end end, int64_t now)
{
    record->is_closed = true;
    record->end = end;
    if (observer->on_tcp_end)
        observer->on_tcp_end(observer->arg, record, now);
}

struct app_download {
    struct app_download_config config;
    struct host_timer timer; /* start, then stop */
    struct tcp *client, *server;
    struct app_record_tcp record;
    struct app_record_watch watch;
    uint64_t asked_octets; /* of the request, at the server */
    bool has_started, has_answered, has_stopped;
};

static void app_transfer_answer(struct app_download *a, int64_t now)
{
    if (!a->server || a->has_answered || a->asked_octets < a->config.request_octets)
        return;
    a->has_answered = true;
    if (!a->has_stopped)
        tcp_write(a->server, a->config.octets ? a->config.octets : TCP_ENDLESS, now);
    if (a->has_stopped || a->config.octets)
        tcp_close(a->server, now);
}

static void server_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_download *a = arg;
    a->asked_octets += octets;
    app_transfer_answer(a, now);
}

static void keep_record(struct app_download *a)
{
    if (a->server)
        app_record_sender(&a->record, a->server);
    if (a->client)
        app_record_receiver(&a->record, a->client);
}

static void server_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_download *a = arg;
    keep_record(a);
    a->server = NULL;
}

static bool server_accept(void *arg, struct tcp *t, int64_t now)
{
    struct app_download *a = arg;
    if (a->server || a->has_answered || a->config.does == APP_DOWNLOAD_REFUSES)
        return false;
    a->server = t;
    t->events = (struct tcp_events){.arg = a, .on_receive = server_receive, .on_closed = server_closed};
    t->observer = app_record_observe(&a->watch);
    return true;
}

static void client_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_download *a = arg;
    app_record_receive(&a->record, &a->config.observer, octets, now);
}

static void client_peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void client_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_download *a = arg;
    keep_record(a);
    a->client = NULL;
    record_end(&a->record, &a->config.observer, end, now);
}

static void app_transfer_start(struct app_download *a, int64_t now)
{
    a->has_started = true;
    a->record.start_ns = a->record.end_ns = now;
    struct host_remote remote = {
        .address = host_address(a->config.server),
        .port = a->config.server_port,
        .params = &a->config.mobile_tcp,
    };
    struct tcp_events events = {
        .arg = a,
        .on_receive = client_receive,
        .on_peer_closed = client_peer_closed,
        .on_closed = client_closed,
    };
    a->client = host_connect(a->config.mobile, &remote, &events, now);
    if (!a->client) {
        a->record.is_closed = true;
        a->record.end = TCP_END_ABORT;
        return;
    }
    tcp_write(a->client, a->config.request_octets, now);
}

static void stop(struct app_download *a, int64_t now)
{
    a->has_stopped = true;
    if (a->server && a->has_answered)
        tcp_cut(a->server, now);
    else if (a->client && !a->server)
        tcp_abort(a->client, now);
}

static void fire(void *arg, int64_t now)
{
    struct app_download *a = arg;
    if (a->has_started) {
        stop(a, now);
        return;
    }
    app_transfer_start(a, now);
    if (a->config.stop_ns != MOMENT_NEVER)
        host_timer_set(a->config.mobile, &a->timer, a->config.stop_ns);
}

struct app_download *app_download_new(const struct app_download_config *config)
{
    if (tcp_params_fault(&config->mobile_tcp) || tcp_params_fault(&config->server_tcp) ||
        config->stop_ns <= config->start_ns)
        return NULL;
    struct app_download *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->config.request_octets = config->request_octets ? config->request_octets : APP_DOWNLOAD_REQUEST_OCTETS;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    a->watch = (struct app_record_watch){&a->config.observer, 0};
    struct host_listener listener = {
        .port = config->server_port,
        .remote = host_address(config->mobile),
        .params = &a->config.server_tcp,
        .is_deaf = config->does == APP_DOWNLOAD_SILENT,
        .arg = a,
        .accept = server_accept,
    };
    if (host_listen(config->server, &listener)) {
        if (host_timer_set(config->mobile, &a->timer, config->start_ns))
            return a;
        host_unlisten(config->server, listener.port, listener.remote);
    }
    free(a);
    return NULL;
}

void app_download_free(struct app_download *a)
{
    free(a);
}

bool app_download_record(const struct app_download *a, struct app_record_tcp *out)
{
    *out = a->record;
    if (a->server)
        app_record_sender(out, a->server);
    if (a->client)
        app_record_receiver(out, a->client);
    return a->has_started;
}

bool app_download_is_done(const struct app_download *a)
{
    return a->record.is_closed || (a->config.octets && a->record.octets >= a->config.octets);
}

struct app_upload {
    struct app_upload_config config;
    struct host_timer timer; /* start, then stop */
    struct tcp *client, *server;
    struct app_record_tcp record;
    struct app_record_watch watch;
    bool has_started, has_accepted;
};

static void upload_keep_record(struct app_upload *a)
{
    if (a->client)
        app_record_sender(&a->record, a->client);
    if (a->server)
        a->record.octets_corrupt = a->server->stats.octets_corrupt;
}

static void upload_server_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_upload *a = arg;
    app_record_receive(&a->record, &a->config.observer, octets, now);
}

static void server_peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void upload_server_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_upload *a = arg;
    upload_keep_record(a);
    a->server = NULL;
}

static bool upload_server_accept(void *arg, struct tcp *t, int64_t now)
{
    struct app_upload *a = arg;
    if (a->has_accepted)
        return false;
    a->has_accepted = true;
    a->server = t;
    t->events = (struct tcp_events){.arg = a,
                                    .on_receive = upload_server_receive,
                                    .on_peer_closed = server_peer_closed,
                                    .on_closed = upload_server_closed};
    return true;
}

/* A close before the server's SYN would be an abort. */
static void client_established(void *arg, struct tcp *t, int64_t now)
{
    struct app_upload *a = arg;
    if (a->config.octets)
        tcp_close(t, now);
}

static void upload_client_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_upload *a = arg;
    upload_keep_record(a);
    a->client = NULL;
    record_end(&a->record, &a->config.observer, end, now);
}

static void upload_start(struct app_upload *a, int64_t now)
{
    struct host_remote remote = {
        .address = host_address(a->config.server),
        .port = a->config.server_port,
        .params = &a->config.mobile_tcp,
    };
    struct tcp_events events = {
        .arg = a, .on_established = client_established, .on_closed = upload_client_closed};
    a->has_started = true;
    a->record.start_ns = a->record.end_ns = now;
    a->client = host_connect(a->config.mobile, &remote, &events, now);
    if (!a->client) {
        a->record.is_closed = true;
        a->record.end = TCP_END_ABORT;
        return;
    }
    a->client->observer = app_record_observe(&a->watch);
    tcp_write(a->client, a->config.octets ? a->config.octets : TCP_ENDLESS, now);
}

static void upload_stop(struct app_upload *a, int64_t now)
{
    if (a->client && a->server)
        tcp_cut(a->client, now);
    else if (a->client)
        tcp_abort(a->client, now);
}

static void upload_fire(void *arg, int64_t now)
{
    struct app_upload *a = arg;
    if (a->has_started) {
        upload_stop(a, now);
        return;
    }
    upload_start(a, now);
    if (a->config.stop_ns != MOMENT_NEVER)
        host_timer_set(a->config.mobile, &a->timer, a->config.stop_ns);
}

struct app_upload *app_upload_new(const struct app_upload_config *config)
{
    if (tcp_params_fault(&config->mobile_tcp) || tcp_params_fault(&config->server_tcp) ||
        config->stop_ns <= config->start_ns)
        return NULL;
    struct app_upload *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = upload_fire, .arg = a};
    a->watch = (struct app_record_watch){&a->config.observer, 0};
    struct host_listener listener = {
        .port = config->server_port,
        .remote = host_address(config->mobile),
        .params = &a->config.server_tcp,
        .arg = a,
        .accept = upload_server_accept,
    };
    if (host_listen(config->server, &listener)) {
        if (host_timer_set(config->mobile, &a->timer, config->start_ns))
            return a;
        host_unlisten(config->server, listener.port, listener.remote);
    }
    free(a);
    return NULL;
}

void app_upload_free(struct app_upload *a)
{
    free(a);
}

bool app_upload_record(const struct app_upload *a, struct app_record_tcp *out)
{
    *out = a->record;
    if (a->client)
        app_record_sender(out, a->client);
    if (a->server)
        out->octets_corrupt = a->server->stats.octets_corrupt;
    return a->has_started;
}

struct app_quic {
    struct app_quic_config config;
    struct host_timer timer;      /* quic_start, then stop */
    struct quic_session *session; /* NULL: not started, or over */
    struct app_record_tcp record; /* of the session once it is over */
    bool has_started;
};

static void quic_on_octets(void *arg, void *exchange, uint64_t octets, int64_t now)
{
}

static void quic_on_done(void *arg, void *exchange, int64_t now)
{
    struct app_quic *a = arg;
    quic_session_close(a->session, now);
}

static void quic_on_over(void *arg, struct quic_session *session, int64_t now)
{
    struct app_quic *a = arg;
    a->record = *quic_session_record(session);
    a->session = NULL;
    if (a->config.observer.on_tcp_end)
        a->config.observer.on_tcp_end(a->config.observer.arg, &a->record, now);
}

static void quic_start(struct app_quic *a, int64_t now)
{
    struct quic_session_config session = {
        .params = a->config.params,
        .seed = a->config.seed,
        .stream = a->config.stream,
        .is_up = a->config.is_up,
        .observer = &a->config.observer,
        .events = {a, quic_on_octets, quic_on_done, quic_on_over},
    };
    uint64_t octets = a->config.octets ? a->config.octets : QUIC_ENDLESS;
    struct quic_session_exchange exchange = {
        .up_octets = a->config.is_up ? octets : APP_DOWNLOAD_REQUEST_OCTETS,
        .down_octets = a->config.is_up ? 0 : octets,
    };
    a->has_started = true;
    a->record =
        (struct app_record_tcp){.start_ns = now, .end_ns = now, .is_closed = true, .end = TCP_END_ABORT};
    a->session = quic_session_new(a->config.port, &session, now);
    if (a->session && !quic_session_ask(a->session, &exchange, now))
        quic_session_close(a->session, now);
}

static void quic_fire(void *arg, int64_t now)
{
    struct app_quic *a = arg;
    if (a->has_started) {
        if (a->session)
            quic_session_cut(a->session, now);
        return;
    }
    quic_start(a, now);
    if (a->config.stop_ns != MOMENT_NEVER)
        host_timer_set(a->config.mobile, &a->timer, a->config.stop_ns);
}

struct app_quic *app_quic_new(const struct app_quic_config *config)
{
    struct app_quic *a = config->stop_ns > config->start_ns ? calloc(1, sizeof(*a)) : NULL;
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = quic_fire, .arg = a};
    if (host_timer_set(config->mobile, &a->timer, config->start_ns))
        return a;
    free(a);
    return NULL;
}

void app_quic_free(struct app_quic *a)
{
    free(a);
}

bool app_quic_record(const struct app_quic *a, struct app_record_tcp *out)
{
    *out = a->session ? *quic_session_record(a->session) : a->record;
    return a->has_started;
}
