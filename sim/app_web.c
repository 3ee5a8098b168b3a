/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_web.h"
#include "sim/app_record.h"
#include "sim/host.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"

#include <stddef.h>
#include <stdlib.h>

/*
 * A mobile's browser: it loads a main page, then the page's items over parallel connections, waits for the
 * reading time, and loads the next page. Connections persist from page to page, or each object has a new one,
 * which the server closes. No pipelining. An object whose connection ends early is requested again on a new
 * one.
 *
 * Over QUIC an object has a stream of the one connection; it is requested again when the connection ends
 * early.
 */

enum { APP_WEB_MAX_PARALLEL = 16, APP_WEB_REQUEST_OCTETS = 350 };

/* One connection of a browser: both its ends and the object in transfer. For app_web.c. */

struct app_web_link;

/* Calls from a link to its browser. */
struct app_web_link_events {
    void *arg;
    void (*on_octets)(void *arg, uint64_t octets, int64_t now);
    void (*on_object)(void *arg, struct app_web_link *link, int64_t now); /* the object is complete */
    void (*on_client_closed)(void *arg, struct app_web_link *link, int64_t now);
    void (*on_over)(void *arg, struct app_web_link *link,
                    int64_t now); /* both ends have closed: the link may be freed */
};

/* Invariant: received_octets <= expected_octets; expected_octets = 0 while it is idle. */
struct app_web_link {
    const struct app_web_config *config;
    struct app_web_link_events events;
    struct tcp *client, *server;
    struct app_record_tcp record;
    struct app_record_watch watch;
    uint16_t client_port;
    bool is_main;
    uint64_t expected_octets, received_octets, asked_octets;
    struct app_web_link *next; /* the browser's list */
};

static inline bool app_web_link_is_idle(const struct app_web_link *link)
{
    return link->client && link->expected_octets == 0;
}

static struct app_record_tcp app_web_link_record(const struct app_web_link *link);

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

/* Opens the connection. False: the mobile has no room; no event will be called. */
static bool app_web_link_open(struct app_web_link *link, int64_t now)
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

/* Requests an object of `octets` > 0; the link must be idle. */
static void app_web_link_ask(struct app_web_link *link, uint64_t octets, int64_t now)
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

/* Sets the server's end of the connection. */
static void app_web_link_accept(struct app_web_link *link, struct tcp *server)
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

/* The record as of now. */
static struct app_record_tcp app_web_link_record(const struct app_web_link *link)
{
    struct app_record_tcp record = link->record;
    if (link->server)
        app_record_sender(&record, link->server);
    if (link->client)
        app_record_receiver(&record, link->client);
    return record;
}

enum { FIRST_ROOM = 4 };

#define RETRY_NS MOMENT_SECOND /* until an object is requested again on a new connection */

/* Invariant: while a page loads, waiting + requested on links + arrived = 1 + items. */
struct app_web {
    struct app_web_config config;
    struct host_timer timer; /* the next page, or a retry */
    struct rng rng;
    struct app_web_link *links;
    struct quic_session *session; /* over QUIC; NULL: none is open */
    struct app_web_page *pages;
    size_t page_count, page_room;
    uint32_t items_waiting, objects_missing, connections, busy;
    bool is_main_waiting, is_page_on, has_started, has_finished;
    struct app_record_tcp sum; /* of links that have ended */
};

static void dispatch(struct app_web *a, int64_t now);

static struct app_web_page *current_page(struct app_web *a)
{
    return &a->pages[a->page_count - 1];
}

static void retry_later(struct app_web *a, int64_t now)
{
    host_timer_set(a->config.mobile, &a->timer, now + RETRY_NS);
}

static void leave_session(struct app_web *a, int64_t now)
{
    struct quic_session *session = a->session;
    if (!session)
        return;
    a->session = NULL;
    app_record_add(&a->sum, quic_session_record(session));
    quic_session_close(session, now);
}

/* The last page is done: the client closes its open connections. */
static void app_web_finish(struct app_web *a, int64_t now)
{
    a->has_finished = true;
    leave_session(a, now);
    for (struct app_web_link *link = a->links, *next; link; link = next) {
        next = link->next;
        if (link->client)
            tcp_close(link->client, now);
    }
}

static void end_page(struct app_web *a, int64_t now)
{
    int64_t reading_ns = a->config.reading_ns;
    a->is_page_on = false;
    current_page(a)->end_ns = now;
    if (a->config.pages && a->page_count >= a->config.pages) {
        app_web_finish(a, now);
        return;
    }
    if (!a->config.is_persistent)
        leave_session(a, now);
    if (a->config.is_reading_exponential)
        reading_ns = rng_exponential_ns(&a->rng, reading_ns);
    host_timer_set(a->config.mobile, &a->timer, moment_add(now, reading_ns));
}

static void on_octets(void *arg, uint64_t octets, int64_t now)
{
    struct app_web *a = arg;
    if (a->is_page_on)
        current_page(a)->octets += octets;
}

static void on_object(void *arg, struct app_web_link *link, int64_t now)
{
    struct app_web *a = arg;
    a->busy--;
    a->objects_missing--;
    if (link->is_main) {
        a->items_waiting = a->config.items;
        current_page(a)->first_ns = now;
    }
    if (a->objects_missing == 0)
        end_page(a, now);
    else
        dispatch(a, now);
}

static void on_client_closed(void *arg, struct app_web_link *link, int64_t now)
{
    struct app_web *a = arg;
    if (link->expected_octets == 0) {
        dispatch(a, now); /* an object may wait for a free connection */
        return;
    }
    a->busy--;
    a->is_main_waiting |= link->is_main;
    a->items_waiting += !link->is_main;
    retry_later(a, now);
}

static void unlink_link(struct app_web *a, struct app_web_link *link)
{
    struct app_web_link **at = &a->links;
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
}

static void on_over(void *arg, struct app_web_link *link, int64_t now)
{
    struct app_web *a = arg;
    unlink_link(a, link);
    app_record_add(&a->sum, &link->record);
    free(link);
}

static struct app_web_link *new_link(struct app_web *a, int64_t now)
{
    struct app_web_link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    link->config = &a->config;
    link->record.connection = a->connections;
    link->watch = (struct app_record_watch){&a->config.observer, a->connections};
    link->events = (struct app_web_link_events){a, on_octets, on_object, on_client_closed, on_over};
    if (!a->config.port && !app_web_link_open(link, now)) {
        free(link);
        return NULL;
    }
    a->connections += !a->config.port;
    link->next = a->links;
    a->links = link;
    return link;
}

/* --- over QUIC --- */

static void quic_octets(void *arg, void *exchange, uint64_t octets, int64_t now)
{
    on_octets(arg, octets, now);
}

static void quic_done(void *arg, void *exchange, int64_t now)
{
    struct app_web_link *link = exchange;
    unlink_link(arg, link);
    on_object(arg, link, now);
    free(link);
}

static void quic_over(void *arg, struct quic_session *session, int64_t now)
{
    struct app_web *a = arg;
    if (session != a->session)
        return;
    leave_session(a, now);
    while (a->links) {
        struct app_web_link *link = a->links;
        unlink_link(a, link);
        a->busy--;
        a->is_main_waiting |= link->is_main;
        a->items_waiting += !link->is_main;
        free(link);
    }
    if (a->is_page_on)
        retry_later(a, now);
}

static bool open_session(struct app_web *a, int64_t now)
{
    struct quic_session_config session = {
        .params = a->config.quic,
        .seed = a->config.seed,
        .stream = a->config.stream,
        .connection = a->connections,
        .observer = &a->config.observer,
        .events = {a, quic_octets, quic_done, quic_over},
    };
    if (!a->session)
        a->session = quic_session_new(a->config.port, &session, now);
    else
        return true;
    a->connections += a->session != NULL;
    return a->session != NULL;
}

/* A stream for an object. NULL: no room. */
static struct app_web_link *new_stream(struct app_web *a, uint64_t octets, int64_t now)
{
    struct app_web_link *link = open_session(a, now) ? new_link(a, now) : NULL;
    if (!link)
        return NULL;
    struct quic_session_exchange exchange = {
        .up_octets = a->config.request_octets, .down_octets = octets, .arg = link};
    link->expected_octets = octets;
    if (quic_session_ask(a->session, &exchange, now))
        return link;
    unlink_link(a, link);
    free(link);
    return NULL;
}

/* --- requests --- */

/* An idle open connection, else a new one; NULL: no room. */
static struct app_web_link *take_link(struct app_web *a, int64_t now)
{
    if (a->config.is_persistent)
        for (struct app_web_link *link = a->links; link; link = link->next)
            if (app_web_link_is_idle(link) && link->client->state <= TCP_ESTABLISHED)
                return link;
    return new_link(a, now);
}

static uint32_t connections_in_use(const struct app_web *a)
{
    uint32_t count = 0;
    if (!a->config.is_close_awaited)
        return a->busy;
    for (const struct app_web_link *link = a->links; link; link = link->next)
        count += link->client != NULL;
    return count;
}

/* Size of the next object to request. Items are requested in order: those that wait are the last ones. */
static uint32_t object_octets(const struct app_web *a)
{
    if (a->is_main_waiting)
        return a->config.page_octets;
    return a->config.sizes[0] ? a->config.sizes[a->config.items - a->items_waiting] : a->config.item_octets;
}

/* Requests waiting objects over up to `parallel` connections. */
static void dispatch(struct app_web *a, int64_t now)
{
    while (connections_in_use(a) < a->config.parallel && (a->is_main_waiting || a->items_waiting > 0)) {
        uint32_t octets = object_octets(a);
        struct app_web_link *link = a->config.port ? new_stream(a, octets, now) : take_link(a, now);
        if (!link) {
            retry_later(a, now);
            return;
        }
        link->is_main = a->is_main_waiting;
        a->items_waiting -= !link->is_main;
        a->is_main_waiting = false;
        a->busy++;
        if (!a->config.port)
            app_web_link_ask(link, octets, now);
    }
}

static bool make_room(struct app_web *a)
{
    if (a->page_count < a->page_room)
        return true;
    size_t room = a->page_room ? 2 * a->page_room : FIRST_ROOM;
    struct app_web_page *pages = realloc(a->pages, room * sizeof(*pages));
    if (!pages)
        return false;
    a->pages = pages;
    a->page_room = room;
    return true;
}

static void fire(void *arg, int64_t now)
{
    struct app_web *a = arg;
    if (a->is_page_on) {
        dispatch(a, now);
        return;
    }
    if (now >= a->config.stop_ns || !make_room(a)) {
        app_web_finish(a, now);
        return;
    }
    if (!a->has_started)
        a->sum.start_ns = a->sum.end_ns = now;
    a->has_started = true;
    a->pages[a->page_count++] =
        (struct app_web_page){.start_ns = now, .end_ns = MOMENT_NEVER, .first_ns = MOMENT_NEVER};
    a->is_page_on = a->is_main_waiting = true;
    a->items_waiting = 0;
    a->objects_missing = 1 + a->config.items;
    dispatch(a, now);
}

static bool server_accept(void *arg, struct tcp *t, int64_t now)
{
    struct app_web *a = arg;
    for (struct app_web_link *link = a->links; link; link = link->next) {
        if (link->client_port != t->address.remote_port || !link->client || link->server)
            continue;
        app_web_link_accept(link, t);
        return true;
    }
    return false;
}

static bool is_good(const struct app_web_config *c)
{
    return !tcp_params_fault(&c->mobile_tcp) && !tcp_params_fault(&c->server_tcp) && c->parallel >= 1 &&
           c->parallel <= (c->port ? QUIC_MAX_STREAMS : APP_WEB_MAX_PARALLEL) && c->page_octets > 0 &&
           (c->items == 0 || c->item_octets > 0) && (!c->sizes[0] || c->parallel == 1) &&
           !(c->is_close_awaited && c->is_persistent) && c->reading_ns >= 0;
}

struct app_web *app_web_new(const struct app_web_config *config)
{
    struct app_web *a = is_good(config) ? calloc(1, sizeof(*a)) : NULL;
    if (!a)
        return NULL;
    a->config = *config;
    a->config.request_octets = config->request_octets ? config->request_octets : APP_WEB_REQUEST_OCTETS;
    a->timer = (struct host_timer){.fire = fire, .arg = a};
    rng_init(&a->rng, config->seed, config->stream);
    struct host_listener listener = {
        .port = config->server_port,
        .remote = host_address(config->mobile),
        .params = &a->config.server_tcp,
        .arg = a,
        .accept = server_accept,
    };
    if (config->port || host_listen(config->server, &listener)) {
        if (host_timer_set(config->mobile, &a->timer, config->start_ns))
            return a;
        if (!config->port)
            host_unlisten(config->server, listener.port, listener.remote);
    }
    free(a);
    return NULL;
}

void app_web_free(struct app_web *a)
{
    if (!a)
        return;
    while (a->links) {
        struct app_web_link *link = a->links;
        a->links = link->next;
        free(link);
    }
    free(a->pages);
    free(a);
}

const struct app_web_page *app_web_pages(const struct app_web *a, size_t *count)
{
    *count = a->page_count;
    return a->pages;
}

bool app_web_record(const struct app_web *a, struct app_record_tcp *out)
{
    *out = a->sum;
    out->connection = a->connections;
    for (const struct app_web_link *link = a->links; link; link = link->next) {
        struct app_record_tcp record = app_web_link_record(link);
        app_record_add(out, &record);
    }
    if (a->session)
        app_record_add(out, quic_session_record(a->session));
    return a->has_started;
}
