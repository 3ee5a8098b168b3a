/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/quic_session.h"

#include <stdlib.h>

enum { FIRST_PORT = 49152, PORTS = 65536 - FIRST_PORT }; /* RFC 6335 */

struct exchange {
    struct quic_session_exchange config;
    int64_t stream;
    struct exchange *next;
};

struct quic_session {
    struct quic_session_port *port;
    struct quic_session_config config;
    struct quic *client, *server;
    uint16_t client_port;
    bool has_accepted, is_cut, is_left; /* is_left: on_over() has been called */
    struct exchange *exchanges;
    struct app_record_tcp record;
    struct quic_session *next;
};

struct quic_session_port {
    struct host *mobile, *server;
    uint32_t opened; /* connections so far */
    struct quic_session *sessions;
};

/* --- exchanges --- */

static struct exchange *exchange_of(struct quic_session *session, int64_t stream)
{
    struct exchange *exchange = session->exchanges;
    while (exchange && exchange->stream != stream)
        exchange = exchange->next;
    return exchange;
}

static void drop(struct quic_session *session, struct exchange *exchange)
{
    struct exchange **at = &session->exchanges;
    while (*at != exchange)
        at = &(*at)->next;
    *at = exchange->next;
    free(exchange);
}

static void put_octets(struct quic_session *session, const struct exchange *exchange, uint64_t octets,
                       int64_t now)
{
    app_record_receive(&session->record, session->config.observer, octets, now);
    session->config.events.on_octets(session->config.events.arg, exchange->config.arg, octets, now);
}

static void client_receives(void *arg, int64_t stream, uint64_t octets, bool is_end, int64_t now)
{
    struct quic_session *session = arg;
    struct exchange *exchange = exchange_of(session, stream);
    if (!exchange)
        return;
    if (octets > 0 && !session->config.is_up)
        put_octets(session, exchange, octets, now);
    if (!is_end)
        return;
    void *of = exchange->config.arg;
    drop(session, exchange);
    session->config.events.on_done(session->config.events.arg, of, now);
}

static void server_receives(void *arg, int64_t stream, uint64_t octets, bool is_end, int64_t now)
{
    struct quic_session *session = arg;
    struct exchange *exchange = exchange_of(session, stream);
    if (!exchange)
        return;
    if (octets > 0 && session->config.is_up)
        put_octets(session, exchange, octets, now);
    if (!is_end)
        return;
    uint64_t answer = session->is_cut ? 0 : exchange->config.down_octets;
    quic_write(session->server, stream, answer, answer != QUIC_ENDLESS, now);
}

/* --- ends --- */

static void keep_record(struct quic_session *session)
{
    struct app_record_tcp *record = &session->record;
    struct quic *sender = session->config.is_up ? session->client : session->server;
    struct quic *receiver = session->config.is_up ? session->server : session->client;
    if (sender) {
        const struct quic_stats *stats = quic_stats(sender);
        record->sent_octets = stats->sent_octets;
        record->retransmitted_octets = stats->retransmitted_octets;
        record->timeouts = stats->timeouts;
        record->rtt_count = stats->rtt_count;
        record->rtt_sum_ns = stats->rtt_sum_ns;
        record->rtt_min_ns = stats->rtt_min_ns;
        record->rtt_max_ns = stats->rtt_max_ns;
    }
    if (receiver) {
        record->octets_corrupt = quic_stats(receiver)->corrupt_octets;
        record->octets_repeated = quic_stats(receiver)->repeated_octets;
    }
}

static void free_session(struct quic_session *session)
{
    while (session->exchanges)
        drop(session, session->exchanges);
    quic_free(session->client);
    quic_free(session->server);
    free(session);
}

static void leave_port(struct quic_session *session)
{
    struct quic_session **at = &session->port->sessions;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    free_session(session);
}

static void client_over(void *arg, enum quic_end end, int64_t now)
{
    static const enum tcp_end ends[] = {[QUIC_END_CLOSED] = TCP_END_FIN,
                                        [QUIC_END_TIMEOUT] = TCP_END_TIMEOUT,
                                        [QUIC_END_ERROR] = TCP_END_ABORT};
    struct quic_session *session = arg;
    keep_record(session);
    session->record.is_closed = true;
    session->record.end = ends[end];
    host_unbind_udp(session->port->mobile, host_address(session->port->server), session->client_port);
    quic_free(session->client);
    session->client = NULL;
    session->config.events.on_over(session->config.events.arg, session, now);
    session->is_left = true;
    if (!session->server)
        leave_port(session);
}

static void server_over(void *arg, enum quic_end end, int64_t now)
{
    struct quic_session *session = arg;
    keep_record(session);
    quic_free(session->server);
    session->server = NULL;
    if (session->is_left)
        leave_port(session);
}

static void mobile_gets(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct quic_session *session = arg;
    if (session->client && packet->udp.src_port == QUIC_SESSION_PORT)
        quic_receive(session->client, packet, now);
}

static void accept_session(struct quic_session *session, const struct ip_packet *packet, int64_t now)
{
    struct quic_config server = {
        .host = session->port->server,
        .remote = host_address(session->port->mobile),
        .local_port = QUIC_SESSION_PORT,
        .remote_port = session->client_port,
        .params = &session->config.params,
        .seed = session->config.seed ^ UINT64_C(0x5e7ee75),
        .stream = session->config.stream,
        .events = {session, server_receives, server_over},
        .watch = {session->config.is_up ? NULL : session->config.observer, session->config.connection},
    };
    session->server = quic_accept(&server, packet, now);
    session->has_accepted = session->server != NULL;
}

static void server_gets(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct quic_session_port *port = arg;
    struct quic_session *session = port->sessions;
    while (session && session->client_port != packet->udp.src_port)
        session = session->next;
    if (!session)
        return;
    if (!session->has_accepted)
        accept_session(session, packet, now);
    if (session->server)
        quic_receive(session->server, packet, now);
}

/* --- for the application --- */

struct quic_session_port *quic_session_port_new(struct host *mobile, struct host *server)
{
    struct quic_session_port *port = calloc(1, sizeof(*port));
    if (!port)
        return NULL;
    *port = (struct quic_session_port){.mobile = mobile, .server = server};
    if (host_bind_udp(server, host_address(mobile), QUIC_SESSION_PORT, server_gets, port))
        return port;
    free(port);
    return NULL;
}

void quic_session_port_free(struct quic_session_port *port)
{
    if (!port)
        return;
    while (port->sessions) {
        struct quic_session *session = port->sessions;
        port->sessions = session->next;
        free_session(session);
    }
    free(port);
}

static bool connect_session(struct quic_session *session, int64_t now)
{
    struct quic_session_port *port = session->port;
    struct quic_config client = {
        .host = port->mobile,
        .remote = host_address(port->server),
        .local_port = session->client_port,
        .remote_port = QUIC_SESSION_PORT,
        .params = &session->config.params,
        .seed = session->config.seed,
        .stream = session->config.stream,
        .events = {session, client_receives, client_over},
        .watch = {session->config.is_up ? session->config.observer : NULL, session->config.connection},
    };
    if (!host_bind_udp(port->mobile, host_address(port->server), session->client_port, mobile_gets, session))
        return false;
    session->client = quic_connect(&client, now);
    if (!session->client)
        host_unbind_udp(port->mobile, host_address(port->server), session->client_port);
    return session->client != NULL;
}

struct quic_session *quic_session_new(struct quic_session_port *port,
                                      const struct quic_session_config *config, int64_t now)
{
    struct quic_session *session = calloc(1, sizeof(*session));
    if (!session)
        return NULL;
    session->port = port;
    session->config = *config;
    session->config.stream += (uint64_t)port->opened << 32;
    session->client_port = (uint16_t)(FIRST_PORT + port->opened % PORTS);
    session->record =
        (struct app_record_tcp){.connection = config->connection, .start_ns = now, .end_ns = now};
    if (!connect_session(session, now)) {
        free(session);
        return NULL;
    }
    port->opened++;
    session->next = port->sessions;
    port->sessions = session;
    return session;
}

bool quic_session_ask(struct quic_session *session, const struct quic_session_exchange *config, int64_t now)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    if (!exchange)
        return false;
    *exchange = (struct exchange){*config, quic_open(session->client), session->exchanges};
    session->exchanges = exchange;
    quic_write(session->client, exchange->stream, config->up_octets, config->up_octets != QUIC_ENDLESS, now);
    return true;
}

void quic_session_cut(struct quic_session *session, int64_t now)
{
    struct quic *sender = session->config.is_up ? session->client : session->server;
    session->is_cut = true;
    if (sender && session->server)
        quic_cut(sender, now);
    else
        quic_session_close(session, now);
}

void quic_session_close(struct quic_session *session, int64_t now)
{
    if (session->client)
        quic_close(session->client, now);
}

const struct app_record_tcp *quic_session_record(struct quic_session *session)
{
    keep_record(session);
    return &session->record;
}
