/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_transfer.h"

#include "dataplane/base/moment.h"
#include "sim/app_record.h"
#include "sim/host.h"

#include <stdlib.h>

/* Download: the mobile connects and sends a request, the server sends the file and closes. Upload: the mobile
   connects, sends the file and closes; the server receives and closes. */

enum { REQUEST_OCTETS = 200 };

struct app_transfer {
    struct app_transfer_config config;
    struct host_timer timer;      /* start, then stop */
    struct tcp *client, *server;  /* NULL: not yet, or over */
    struct quic_session *session; /* likewise */
    struct app_record_tcp record; /* of a session once it is over */
    struct app_record_watch watch;
    uint64_t asked_octets; /* of the request, at the server */
    bool has_started, has_stopped;
    bool has_answered; /* the server sends the file; of an upload: it has accepted */
};

static void on_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_transfer *a = arg;
    app_record_receive(&a->record, &a->config.observer, octets, now);
}

static void on_peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void count(const struct app_transfer *a, struct app_record_tcp *record)
{
    bool is_up = a->config.is_up;
    const struct tcp *sender = is_up ? a->client : a->server, *receiver = is_up ? a->server : a->client;
    if (sender)
        app_record_sender(record, sender);
    if (receiver && is_up)
        record->octets_corrupt = receiver->stats.octets_corrupt;
    else if (receiver)
        app_record_receiver(record, receiver);
}

static void server_asked(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_transfer *a = arg;
    a->asked_octets += octets;
    if (a->has_answered || a->asked_octets < REQUEST_OCTETS)
        return;
    a->has_answered = true;
    if (!a->has_stopped)
        tcp_write(t, a->config.octets ? a->config.octets : TCP_ENDLESS, now);
    if (a->has_stopped || a->config.octets)
        tcp_close(t, now);
}

static void server_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_transfer *a = arg;
    count(a, &a->record);
    a->server = NULL;
}

static bool server_accept(void *arg, struct tcp *t, int64_t now)
{
    struct app_transfer *a = arg;
    if (a->server || a->has_answered || a->config.does == APP_TRANSFER_REFUSES)
        return false;
    a->server = t;
    a->has_answered = a->config.is_up;
    t->events = (struct tcp_events){.arg = a, .on_receive = server_asked, .on_closed = server_closed};
    if (a->config.is_up) {
        t->events.on_receive = on_receive;
        t->events.on_peer_closed = on_peer_closed;
    } else {
        t->observer = app_record_observe(&a->watch);
    }
    return true;
}

/* A close before the server's SYN would be an abort. */
static void client_established(void *arg, struct tcp *t, int64_t now)
{
    const struct app_transfer *a = arg;
    if (a->config.octets)
        tcp_close(t, now);
}

/* The record is whole. */
static void tell_end(const struct app_transfer *a, int64_t now)
{
    if (a->config.observer.on_tcp_end)
        a->config.observer.on_tcp_end(a->config.observer.arg, &a->record, now);
}

static void client_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_transfer *a = arg;
    count(a, &a->record);
    a->client = NULL;
    a->record.is_closed = true;
    a->record.end = end;
    tell_end(a, now);
}

static void start_tcp(struct app_transfer *a, int64_t now)
{
    const struct app_transfer_config *config = &a->config;
    struct host_remote remote = {
        .address = host_address(config->server), .port = config->server_port, .params = &config->mobile_tcp};
    struct tcp_events events = {.arg = a, .on_closed = client_closed};
    if (config->is_up) {
        events.on_established = client_established;
    } else {
        events.on_receive = on_receive;
        events.on_peer_closed = on_peer_closed;
    }
    a->client = host_connect(config->mobile, &remote, &events, now);
    if (!a->client) {
        a->record.is_closed = true;
        a->record.end = TCP_END_ABORT;
        return;
    }
    if (config->is_up)
        a->client->observer = app_record_observe(&a->watch);
    tcp_write(a->client,
              !config->is_up   ? REQUEST_OCTETS
              : config->octets ? config->octets
                               : TCP_ENDLESS,
              now);
}

static void session_octets(void *arg, void *exchange, uint64_t octets, int64_t now)
{
}

static void session_done(void *arg, void *exchange, int64_t now)
{
    struct app_transfer *a = arg;
    quic_session_close(a->session, now);
}

static void session_over(void *arg, struct quic_session *session, int64_t now)
{
    struct app_transfer *a = arg;
    a->record = *quic_session_record(session);
    a->session = NULL;
    tell_end(a, now);
}

static void start_quic(struct app_transfer *a, int64_t now)
{
    const struct app_transfer_config *config = &a->config;
    struct quic_session_config session = {
        .params = config->quic,
        .seed = config->seed,
        .stream = config->stream,
        .is_up = config->is_up,
        .observer = &config->observer,
        .events = {a, session_octets, session_done, session_over},
    };
    uint64_t octets = config->octets ? config->octets : QUIC_ENDLESS;
    struct quic_session_exchange exchange = {
        .up_octets = config->is_up ? octets : REQUEST_OCTETS,
        .down_octets = config->is_up ? 0 : octets,
    };
    a->record.is_closed = true;
    a->record.end = TCP_END_ABORT;
    a->session = quic_session_new(config->port, &session, now);
    if (a->session && !quic_session_ask(a->session, &exchange, now))
        quic_session_close(a->session, now);
}

static void stop(struct app_transfer *a, int64_t now)
{
    struct tcp *sender = a->config.is_up ? a->client : a->server;
    a->has_stopped = true;
    if (a->session)
        quic_session_cut(a->session, now);
    else if (a->server && a->has_answered && sender)
        tcp_cut(sender, now);
    else if (a->client && !a->server)
        tcp_abort(a->client, now);
}

static void fire(void *arg, int64_t now)
{
    struct app_transfer *a = arg;
    if (a->has_started) {
        stop(a, now);
        return;
    }
    a->has_started = true;
    a->record.start_ns = a->record.end_ns = now;
    if (a->config.port)
        start_quic(a, now);
    else
        start_tcp(a, now);
    if (a->config.stop_ns != MOMENT_NEVER)
        host_timer_set(a->config.mobile, &a->timer, a->config.stop_ns);
}

/* False: the port is taken, or no room. */
static bool listen_and_wait(struct app_transfer *a)
{
    const struct app_transfer_config *config = &a->config;
    const struct host_listener listener = {
        .port = config->server_port,
        .remote = host_address(config->mobile),
        .params = &config->server_tcp,
        .is_deaf = config->does == APP_TRANSFER_SILENT,
        .arg = a,
        .accept = server_accept,
    };
    if (!config->port && !host_listen(config->server, &listener))
        return false;
    if (host_timer_set(config->mobile, &a->timer, config->start_ns))
        return true;
    if (!config->port)
        host_unlisten(config->server, listener.port, listener.remote);
    return false;
}

struct app_transfer *app_transfer_new(const struct app_transfer_config *config)
{
    bool is_wrong =
        !config->port && (tcp_params_fault(&config->mobile_tcp) || tcp_params_fault(&config->server_tcp));
    struct app_transfer *a = is_wrong || config->stop_ns <= config->start_ns ? NULL : calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->config = *config;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    a->watch = (struct app_record_watch){&a->config.observer, 0};
    if (listen_and_wait(a))
        return a;
    free(a);
    return NULL;
}

void app_transfer_free(struct app_transfer *a)
{
    free(a);
}

bool app_transfer_record(const struct app_transfer *a, struct app_record_tcp *out)
{
    *out = a->session ? *quic_session_record(a->session) : a->record;
    count(a, out);
    return a->has_started;
}
