/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_web_link.h"

#include <stddef.h>

static void over(struct app_web_link *link, int64_t now)
{
    const struct app_record_observer *o = &link->config->observer;
    link->record.is_closed = true;
    if (o->on_tcp_end)
        o->on_tcp_end(o->arg, &link->record, now);
    link->events.on_over(link->events.arg, link, now);
}

static void client_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_web_link *link = arg;
    app_record_receive(&link->record, &link->config->observer, octets, now);
    link->received_octets += octets;
    link->events.on_octets(link->events.arg, octets, now);
    if (link->received_octets < link->expected_octets)
        return;
    link->expected_octets = 0;
    link->events.on_object(link->events.arg, link, now);
}

static void peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void client_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_web_link *link = arg;
    link->record = app_web_link_record(link);
    link->record.end = end;
    link->client = NULL;
    link->events.on_client_closed(link->events.arg, link, now);
    if (!link->server)
        over(link, now);
}

bool app_web_link_open(struct app_web_link *link, int64_t now)
{
    struct tcp_events events = {
        .arg = link,
        .on_receive = client_receive,
        .on_peer_closed = peer_closed,
        .on_closed = client_closed,
    };
    struct host_remote remote = {
        .address = host_address(link->config->server),
        .port = link->config->server_port,
        .params = &link->config->mobile_tcp,
    };
    link->record.start_ns = link->record.end_ns = now;
    link->client = host_connect(link->config->mobile, &remote, &events, now);
    if (link->client)
        link->client_port = link->client->address.local_port;
    return link->client != NULL;
}

void app_web_link_ask(struct app_web_link *link, uint64_t octets, int64_t now)
{
    link->expected_octets = octets;
    link->received_octets = 0;
    tcp_write(link->client, link->config->request_octets, now);
}

static void server_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct app_web_link *link = arg;
    link->asked_octets += octets;
    if (link->asked_octets < link->config->request_octets)
        return;
    link->asked_octets -= link->config->request_octets;
    tcp_write(t, link->expected_octets, now);
    if (!link->config->is_persistent)
        tcp_close(t, now);
}

static void server_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct app_web_link *link = arg;
    link->record = app_web_link_record(link);
    link->server = NULL;
    if (!link->client)
        over(link, now);
}

void app_web_link_accept(struct app_web_link *link, struct tcp *server)
{
    link->server = server;
    server->events = (struct tcp_events){
        .arg = link,
        .on_receive = server_receive,
        .on_peer_closed = peer_closed,
        .on_closed = server_closed,
    };
    server->observer = app_record_observe(&link->watch);
}

struct app_record_tcp app_web_link_record(const struct app_web_link *link)
{
    struct app_record_tcp record = link->record;
    if (link->server)
        app_record_sender(&record, link->server);
    if (link->client)
        app_record_receiver(&record, link->client);
    return record;
}
