/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/host.h"
#include "sim/host_ports.h"
#include "sim/tcp.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "sim/timers.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* The IPv4 identification of the next packet (RFC 791 section 3.1), one counter per destination. */

struct host_ids_row {
    uint32_t address;
    uint16_t next;
    bool is_used;
};

struct host_ids {
    struct host_ids_row *rows; /* open addressing; at most half full */
    uint32_t mask;
    uint32_t count, max;
    uint16_t shared; /* counter of the destinations without a row */
};

#define FIRST_ROWS  4 /* a power of two */
#define HASH_FACTOR UINT32_C(2654435769)

/* For at most max destinations; memory grows with them. False: no memory. */
static bool host_ids_new(struct host_ids *ids, uint32_t max)
{
    *ids =
        (struct host_ids){.rows = calloc(FIRST_ROWS, sizeof(*ids->rows)), .mask = FIRST_ROWS - 1, .max = max};
    return ids->rows != NULL;
}

static void host_ids_free(struct host_ids *ids)
{
    free(ids->rows);
    *ids = (struct host_ids){0};
}

/* The row of an address, or the free one for it. */
static struct host_ids_row *row_of(const struct host_ids *ids, uint32_t address)
{
    uint32_t i = (address * HASH_FACTOR >> 8) & ids->mask;
    while (ids->rows[i].is_used && ids->rows[i].address != address)
        i = (i + 1) & ids->mask;
    return &ids->rows[i];
}

static void host_grow(struct host_ids *ids)
{
    struct host_ids old = *ids;
    ids->mask = 2 * old.mask + 1;
    ids->rows = calloc((size_t)ids->mask + 1, sizeof(*ids->rows));
    if (!ids->rows) {
        fprintf(stderr, "gbflow: out of memory for IPv4 identifications\n");
        exit(1);
    }
    for (uint32_t i = 0; i <= old.mask; i++)
        if (old.rows[i].is_used)
            *row_of(ids, old.rows[i].address) = old.rows[i];
    free(old.rows);
}

/* Returns the next identification; *is_full: the destination has no counter of its own. Ends the program when
 * memory is short. */
static uint16_t host_ids_take(struct host_ids *ids, uint32_t address, bool *is_full)
{
    struct host_ids_row *row = row_of(ids, address);
    *is_full = !row->is_used && ids->count == ids->max;
    if (*is_full)
        return ids->shared++;
    if (!row->is_used) {
        if (2 * (ids->count + 1) > ids->mask) {
            host_grow(ids);
            row = row_of(ids, address);
        }
        *row = (struct host_ids_row){.address = address, .is_used = true};
        ids->count++;
    }
    return row->next++;
}

enum { TIMER_APPLICATION, TIMER_CONNECTION };
enum { FIRST_PORT = 49152, PORTS = 65536 - FIRST_PORT }; /* RFC 6335 */

struct host {
    struct timer due; /* first; on config.agenda while `timers` has one: the instant of its next */
    struct host_config config;
    struct host_stats stats;
    struct timers timers;
    struct host_connections connections;
    struct host_ports ports;
    struct host_ids ids;
    struct rng rng;
    uint32_t timers_set;
    uint16_t next_port;
};

struct host *host_new(const struct host_config *config)
{
    struct host *h = calloc(1, sizeof(*h));
    if (!h)
        return NULL;
    h->config = *config;
    h->due.rank = config->rank;
    rng_init(&h->rng, config->seed, config->address);
    bool has_memory = host_connections_new(&h->connections, config->max_connections);
    has_memory &= host_ports_new(&h->ports, config->max_listeners);
    has_memory &= host_ids_new(&h->ids, config->max_peers);
    if (has_memory)
        return h;
    host_free(h);
    return NULL;
}

void host_free(struct host *h)
{
    if (!h)
        return;
    if (h->config.agenda)
        timers_cancel(h->config.agenda, &h->due);
    host_ids_free(&h->ids);
    host_ports_free(&h->ports);
    host_connections_free(&h->connections);
    timers_free(&h->timers);
    free(h);
}

uint32_t host_address(const struct host *h)
{
    return h->config.address;
}

const struct host_stats *host_stats(const struct host *h)
{
    return &h->stats;
}

bool host_send(struct host *h, const struct ip_packet *packet, int64_t now)
{
    uint8_t bytes[IP_PACKET_MAX_OCTETS];
    struct ip_packet out = *packet;
    bool is_full;
    out.ip.src = h->config.address;
    out.ip.id = host_ids_take(&h->ids, out.ip.dst, &is_full);
    h->stats.peers_full += is_full;
    int octets = ip_packet_encode(bytes, sizeof(bytes), &out);
    if (octets < 0)
        return false;
    h->stats.packets_sent++;
    h->stats.octets_sent += (uint64_t)octets;
    h->config.emit(h->config.arg, bytes, (size_t)octets, now);
    return true;
}

/* After each change of h->timers: the host's place on the agenda. */
static void set_due(struct host *h)
{
    int64_t at_ns = timers_next_ns(&h->timers);
    if (!h->config.agenda)
        return;
    if (at_ns == MOMENT_NEVER)
        timers_cancel(h->config.agenda, &h->due);
    else if (h->due.pos == 0 || h->due.at_ns != at_ns)
        timers_set(h->config.agenda, &h->due, at_ns);
}

/* After each event of a connection: sets its timer, or frees it if it has closed. */
static void host_settle(struct host_connection *connection, int64_t now)
{
    struct host *h = connection->host;
    int64_t at_ns = tcp_step(&connection->tcp, now);
    if (connection->tcp.state == TCP_CLOSED) {
        timers_cancel(&h->timers, &connection->timer);
        host_connections_drop(&h->connections, connection);
    } else if (at_ns == MOMENT_NEVER) {
        timers_cancel(&h->timers, &connection->timer);
    } else {
        timers_set(&h->timers, &connection->timer, at_ns);
    }
    set_due(h);
}

static void emit_segment(void *arg, const struct ip_packet *packet, int64_t now)
{
    struct host_connection *connection = arg;
    host_send(connection->host, packet, now);
}

static void changed(void *arg, int64_t now)
{
    host_settle(arg, now);
}

static struct host_connection *open_connection(struct host *h, const struct tcp_address *address,
                                               const struct tcp_params *params)
{
    struct host_connection *connection =
        tcp_params_fault(params) ? NULL : host_connections_take(&h->connections);
    if (!connection) {
        h->stats.connections_full++;
        return NULL;
    }
    connection->host = h;
    connection->timer = (struct timer){.kind = TIMER_CONNECTION};
    tcp_init(&connection->tcp, &(struct tcp_config){
                                   .params = params,
                                   .address = *address,
                                   .output = {.arg = connection, .emit = emit_segment, .changed = changed},
                                   .iss = (uint32_t)rng_u64(&h->rng),
                               });
    host_connections_link(&h->connections, connection);
    return connection;
}

/* A local port that no connection to this remote uses; 0: all are in use. */
static uint16_t free_port(struct host *h, const struct host_remote *remote)
{
    for (uint32_t i = 0; i < PORTS; i++) {
        struct tcp_address address = {
            .remote = remote->address,
            .remote_port = remote->port,
            .local_port = (uint16_t)(FIRST_PORT + h->next_port),
        };
        h->next_port = (uint16_t)((h->next_port + 1) % PORTS);
        if (!host_connections_get(&h->connections, &address))
            return address.local_port;
    }
    return 0;
}

struct tcp *host_connect(struct host *h, const struct host_remote *remote, const struct tcp_events *events,
                         int64_t now)
{
    struct tcp_address address = {
        .local = h->config.address,
        .remote = remote->address,
        .local_port = free_port(h, remote),
        .remote_port = remote->port,
    };
    struct host_connection *connection = open_connection(h, &address, remote->params);
    if (!connection)
        return NULL;
    connection->tcp.events = *events;
    if (remote->observer)
        connection->tcp.observer = *remote->observer;
    tcp_connect(&connection->tcp, now);
    host_settle(connection, now);
    return &connection->tcp;
}

bool host_listen(struct host *h, const struct host_listener *listener)
{
    struct host_ports_key key = {listener->remote, listener->port, IPV4_PROTO_TCP};
    struct host_ports_row *row = host_ports_put(&h->ports, key);
    if (row)
        row->listener = *listener;
    return row != NULL;
}

void host_unlisten(struct host *h, uint16_t port, uint32_t remote)
{
    host_ports_drop(&h->ports, (struct host_ports_key){remote, port, IPV4_PROTO_TCP});
}

static bool bind_port(struct host *h, struct host_ports_key key, host_receive *receive, void *arg)
{
    struct host_ports_row *row = host_ports_put(&h->ports, key);
    if (!row)
        return false;
    row->receive = receive;
    row->arg = arg;
    return true;
}

bool host_bind_udp(struct host *h, uint32_t remote, uint16_t port, host_receive *receive, void *arg)
{
    return bind_port(h, (struct host_ports_key){remote, port, IPV4_PROTO_UDP}, receive, arg);
}

void host_unbind_udp(struct host *h, uint32_t remote, uint16_t port)
{
    host_ports_drop(&h->ports, (struct host_ports_key){remote, port, IPV4_PROTO_UDP});
}

bool host_bind_echo(struct host *h, uint16_t id, host_receive *receive, void *arg)
{
    return bind_port(h, (struct host_ports_key){0, id, IP_PACKET_PROTO_ICMP}, receive, arg);
}

static void host_refuse(struct host *h, const struct ip_packet *packet, int64_t now)
{
    struct ip_packet reset;
    if (!tcp_make_reset(&reset, packet))
        return;
    h->stats.resets_sent++;
    host_send(h, &reset, now);
}

/* A SYN for a listener opens a connection; any other segment is answered with RST. */
static void rx_new_tcp(struct host *h, const struct ip_packet *packet, const struct tcp_address *address,
                       int64_t now)
{
    struct host_ports_key key = {address->remote, address->local_port, IPV4_PROTO_TCP};
    struct host_ports_row *row = host_ports_get(&h->ports, key);
    bool is_syn = (packet->tcp.flags & (TCP_SYN | TCP_ACK | TCP_RST)) == TCP_SYN;
    struct host_connection *connection = NULL;
    if (row && row->listener.is_deaf)
        return;
    if (row && is_syn)
        connection = open_connection(h, address, row->listener.params);
    if (!connection) {
        host_refuse(h, packet, now);
        return;
    }
    if (!row->listener.accept(row->listener.arg, &connection->tcp, now)) {
        host_connections_drop(&h->connections, connection);
        host_refuse(h, packet, now);
        return;
    }
    tcp_accept(&connection->tcp, packet, now);
    host_settle(connection, now);
}

static void rx_tcp(struct host *h, const struct ip_packet *packet, int64_t now)
{
    struct tcp_address address = {
        .local = packet->ip.dst,
        .remote = packet->ip.src,
        .local_port = packet->tcp.dst_port,
        .remote_port = packet->tcp.src_port,
    };
    struct host_connection *connection = host_connections_get(&h->connections, &address);
    if (!connection) {
        rx_new_tcp(h, packet, &address, now);
        return;
    }
    tcp_rx(&connection->tcp, packet, now);
    host_settle(connection, now);
}

static void answer_ping(struct host *h, const struct ip_packet *packet, int64_t now)
{
    struct ip_packet reply = *packet;
    reply.ip = (struct ipv4){.dst = packet->ip.src, .proto = IP_PACKET_PROTO_ICMP, .tos = packet->ip.tos};
    reply.echo.is_reply = true;
    host_send(h, &reply, now);
}

static void rx_datagram(struct host *h, const struct ip_packet *packet, int64_t now)
{
    bool is_echo = packet->ip.proto == IP_PACKET_PROTO_ICMP;
    if (is_echo && !packet->echo.is_reply) {
        answer_ping(h, packet, now);
        return;
    }
    uint16_t port = is_echo ? packet->echo.id : packet->udp.dst_port;
    struct host_ports_row *row =
        host_ports_get(&h->ports, (struct host_ports_key){packet->ip.src, port, packet->ip.proto});
    if (row)
        row->receive(row->arg, packet, now);
    else
        h->stats.unreachable++;
}

void host_rx(struct host *h, const uint8_t *bytes, size_t octets, int64_t now)
{
    struct ip_packet packet;
    int decoded = ip_packet_decode(&packet, bytes, octets);
    if (decoded < 0) {
        h->stats.checksum += decoded == ERR_CHECKSUM;
        h->stats.malformed += decoded != ERR_CHECKSUM;
        return;
    }
    if (packet.ip.dst != h->config.address) {
        h->stats.not_ours++;
        return;
    }
    h->stats.packets_received++;
    h->stats.octets_received += (uint64_t)decoded;
    if (packet.ip.proto == IPV4_PROTO_TCP)
        rx_tcp(h, &packet, now);
    else
        rx_datagram(h, &packet, now);
}

int64_t host_step(struct host *h, int64_t now)
{
    struct timer *timer;
    while ((timer = timers_take_due(&h->timers, now)) != NULL) {
        if (timer->kind == TIMER_CONNECTION) {
            host_settle((struct host_connection *)timer, now);
            continue;
        }
        struct host_timer *application = (struct host_timer *)timer;
        h->timers_set--;
        application->fire(application->arg, now);
    }
    set_due(h);
    return timers_next_ns(&h->timers);
}

int64_t host_step_agenda(struct timers *agenda, int64_t now)
{
    struct timer *due;
    while ((due = timers_take_due(agenda, now)) != NULL)
        host_step((struct host *)due, now);
    return timers_next_ns(agenda);
}

bool host_timer_set(struct host *h, struct host_timer *timer, int64_t at_ns)
{
    bool is_set = timer->timer.pos > 0;
    if (!is_set && h->timers_set == h->config.max_timers)
        return false;
    h->timers_set += !is_set;
    timer->timer.kind = TIMER_APPLICATION;
    timers_set(&h->timers, &timer->timer, at_ns);
    set_due(h);
    return true;
}

void host_timer_cancel(struct host *h, struct host_timer *timer)
{
    h->timers_set -= timer->timer.pos > 0;
    timers_cancel(&h->timers, &timer->timer);
    set_due(h);
}
