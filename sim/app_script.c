/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/app_script.h"

#include "dataplane/base/moment.h"

#include <stdlib.h>

#define RETRY_NS MOMENT_SECOND /* until an exchange begins again on a new connection */

enum { FIRST_ROOM = 4 };

#define OWNER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

/* An exchange in this round of the script. */
struct step {
    struct timer timer;               /* until it is due */
    uint32_t first_child, next_child; /* those that begin after it */
    uint32_t next;                    /* on its connection */
    uint32_t number;                  /* of its record; NONE: it has not begun */
    bool is_due;
};

/* A connection of the script. Its first exchange opens it, or any exchange that finds it closed. */
struct lane {
    struct link *link;  /* NULL: it is not open */
    uint32_t first, at; /* exchanges; NONE: all are done */
    bool is_busy;       /* `at` has begun */
};

/* A TCP connection. */
struct link {
    struct app_script_player *player;
    struct lane *lane; /* NULL: its last exchange is done */
    struct tcp *client, *server;
    struct app_record_tcp record;
    struct app_record_watch watch;
    struct timer think;
    uint16_t client_port;
    bool is_open;                                         /* at the server */
    uint64_t asked_octets, acked_octets, answered_octets; /* of its present exchange */
    struct link *next;
};

/* Invariant: a page of a round that is not over has a record from its first exchange on. */
struct app_script_player {
    struct app_script_config config;
    struct host_timer begins, thinks;
    struct timers due, thinking;
    struct step *steps;
    struct lane *lanes;
    struct link *links;
    struct exchanges exchanges;
    struct app_script_page *pages;
    size_t page_count, page_room;
    struct {
        size_t number; /* of its record */
        uint32_t left, whole;
    } * page_of; /* by page of the script */
    uint32_t roots, left, rounds, repeated, connections;
    bool has_started, has_finished;
    struct app_record_tcp sum; /* of links that have ended */
};

static const struct app_script_exchange *exchange_of(const struct link *link)
{
    return &link->player->config.script->exchanges[link->lane->at];
}

static struct app_record_tcp record_of(const struct link *link)
{
    struct app_record_tcp record = link->record;
    if (link->server)
        app_record_sender(&record, link->server);
    if (link->client)
        app_record_receiver(&record, link->client);
    return record;
}

static void arm(struct host *host, struct host_timer *timer, const struct timers *timers)
{
    int64_t next_ns = timers_next_ns(timers);
    if (next_ns != MOMENT_NEVER)
        host_timer_set(host, timer, next_ns);
}

static void due_at(struct app_script_player *a, uint32_t i, int64_t at_ns)
{
    a->steps[i].is_due = false;
    a->steps[i].timer.rank = i;
    timers_set(&a->due, &a->steps[i].timer, at_ns);
    arm(a->config.mobile, &a->begins, &a->due);
}

/* --- pages and rounds --- */

static bool make_room(struct app_script_player *a)
{
    if (a->page_count < a->page_room)
        return true;
    size_t room = a->page_room ? 2 * a->page_room : FIRST_ROOM;
    struct app_script_page *pages = reallocarray(a->pages, room, sizeof(*pages));
    if (!pages)
        return false;
    a->pages = pages;
    a->page_room = room;
    return true;
}

/* Counts an exchange that begins. False: no memory. */
static bool count_begin(struct app_script_player *a, uint32_t i, int64_t now)
{
    uint32_t page = a->config.script->exchanges[i].page;
    if (a->steps[i].number != APP_SCRIPT_NONE)
        return true;
    if (page != APP_SCRIPT_NONE && a->page_of[page].number == SIZE_MAX) {
        if (!make_room(a))
            return false;
        a->page_of[page].number = a->page_count;
        a->pages[a->page_count++] = (struct app_script_page){now, MOMENT_NEVER, MOMENT_NEVER, 0};
    }
    if (!exchanges_begin(&a->exchanges, now))
        return false;
    a->steps[i].number = a->exchanges.count - 1;
    return true;
}

static void count_end(struct app_script_player *a, uint32_t i, int64_t now)
{
    uint32_t page = a->config.script->exchanges[i].page;
    exchanges_end(&a->exchanges, a->steps[i].number, now);
    if (page == APP_SCRIPT_NONE)
        return;
    struct app_script_page *record = &a->pages[a->page_of[page].number];
    if (record->first_ns == MOMENT_NEVER)
        record->first_ns = now;
    if (--a->page_of[page].left == 0)
        record->end_ns = now;
}

static void begin_round(struct app_script_player *a, int64_t now)
{
    const struct app_script *script = a->config.script;
    a->rounds++;
    a->left = script->count;
    for (uint32_t page = 0; page < script->page_count; page++) {
        a->page_of[page].number = SIZE_MAX;
        a->page_of[page].left = a->page_of[page].whole;
    }
    for (uint32_t i = 0; i < script->connection_count; i++)
        a->lanes[i].at = a->lanes[i].first;
    for (uint32_t i = 0; i < script->count; i++)
        a->steps[i].number = APP_SCRIPT_NONE;
    for (uint32_t i = a->roots; i != APP_SCRIPT_NONE; i = a->steps[i].next_child)
        due_at(a, i, moment_add(now, script->exchanges[i].wait_ns));
}

/* No exchange begins any more: the client closes its idle connections. */
static void finish(struct app_script_player *a, int64_t now)
{
    a->has_finished = true;
    for (struct link *link = a->links, *next; link; link = next) {
        next = link->next;
        if (link->client && !(link->lane && link->lane->is_busy))
            tcp_close(link->client, now);
    }
}

/* --- a connection --- */

static void go_on(struct app_script_player *a, struct lane *lane, int64_t now);

static void done(struct link *link, int64_t now)
{
    struct app_script_player *a = link->player;
    struct lane *lane = link->lane;
    uint32_t i = lane->at;

    count_end(a, i, now);
    link->asked_octets = link->acked_octets = link->answered_octets = 0;
    lane->is_busy = false;
    lane->at = a->steps[i].next;
    if (lane->at == APP_SCRIPT_NONE || a->has_finished)
        tcp_close(link->client, now);
    if (lane->at == APP_SCRIPT_NONE) {
        lane->link = NULL;
        link->lane = NULL;
    }
    for (uint32_t k = a->steps[i].first_child; k != APP_SCRIPT_NONE && !a->has_finished;
         k = a->steps[k].next_child)
        due_at(a, k, moment_add(now, a->config.script->exchanges[k].wait_ns));
    if (--a->left > 0)
        go_on(a, lane, now);
    else if (a->config.is_again && now < a->config.stop_ns)
        begin_round(a, now);
    else
        finish(a, now);
}

static void over(struct link *link, int64_t now)
{
    struct app_script_player *a = link->player;
    const struct app_record_observer *o = &a->config.observer;
    struct link **at = &a->links;

    link->record.is_closed = true;
    if (o->on_tcp_end)
        o->on_tcp_end(o->arg, &link->record, now);
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    timers_cancel(&a->thinking, &link->think);
    app_record_add(&a->sum, &link->record);
    free(link);
}

static void client_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct link *link = arg;
    struct app_script_player *a = link->player;
    app_record_receive(&link->record, &a->config.observer, octets, now);
    if (!link->lane || !link->lane->is_busy)
        return;
    const struct app_script_exchange *exchange = exchange_of(link);
    link->answered_octets += octets;
    if (exchange->page != APP_SCRIPT_NONE)
        a->pages[a->page_of[exchange->page].number].octets += octets;
    if (link->answered_octets >= exchange->response_octets)
        done(link, now);
}

static void client_acked(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct link *link = arg;
    if (!link->lane || !link->lane->is_busy)
        return;
    const struct app_script_exchange *exchange = exchange_of(link);
    link->acked_octets += octets;
    if (exchange->response_octets == 0 && link->acked_octets >= exchange->request_octets)
        done(link, now);
}

static void peer_closed(void *arg, struct tcp *t, int64_t now)
{
    tcp_close(t, now);
}

static void client_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct link *link = arg;
    struct lane *lane = link->lane;
    link->record = record_of(link);
    link->record.end = end;
    link->client = NULL;
    link->lane = NULL;
    if (lane) {
        lane->link = NULL;
        if (lane->is_busy && !link->player->has_finished) {
            link->player->repeated++;
            due_at(link->player, lane->at, now + RETRY_NS);
        }
        lane->is_busy = false;
    }
    if (!link->server)
        over(link, now);
}

/* The server has the whole request. */
static void answer(struct link *link, int64_t now)
{
    struct app_script_player *a = link->player;
    const struct app_script_exchange *exchange = exchange_of(link);
    if (exchange->response_octets == 0)
        return;
    link->think.rank = a->steps[link->lane->at].number;
    timers_set(&a->thinking, &link->think, moment_add(now, exchange->think_ns));
    arm(a->config.server, &a->thinks, &a->thinking);
}

static void server_receive(void *arg, struct tcp *t, uint64_t octets, int64_t now)
{
    struct link *link = arg;
    if (!link->lane || !link->lane->is_busy)
        return;
    link->asked_octets += octets;
    if (link->asked_octets == exchange_of(link)->request_octets)
        answer(link, now);
}

static void server_established(void *arg, struct tcp *t, int64_t now)
{
    struct link *link = arg;
    link->is_open = true;
    if (link->lane && link->lane->is_busy && exchange_of(link)->request_octets == 0)
        answer(link, now);
}

static void server_closed(void *arg, struct tcp *t, enum tcp_end end, int64_t now)
{
    struct link *link = arg;
    link->record = record_of(link);
    link->server = NULL;
    timers_cancel(&link->player->thinking, &link->think);
    if (!link->client)
        over(link, now);
}

static bool server_accept(void *arg, struct tcp *t, int64_t now)
{
    struct app_script_player *a = arg;
    for (struct link *link = a->links; link; link = link->next) {
        if (link->client_port != t->address.remote_port || !link->client || link->server)
            continue;
        link->server = t;
        t->events = (struct tcp_events){.arg = link,
                                        .on_established = server_established,
                                        .on_receive = server_receive,
                                        .on_peer_closed = peer_closed,
                                        .on_closed = server_closed};
        t->observer = app_record_observe(&link->watch);
        return true;
    }
    return false;
}

/* NULL: no room. */
static struct link *open_link(struct app_script_player *a, struct lane *lane, int64_t now)
{
    struct link *link = calloc(1, sizeof(*link));
    if (!link)
        return NULL;
    struct tcp_events events = {.arg = link,
                                .on_receive = client_receive,
                                .on_acked = client_acked,
                                .on_peer_closed = peer_closed,
                                .on_closed = client_closed};
    struct host_remote remote = {.address = host_address(a->config.server),
                                 .port = a->config.server_port,
                                 .params = &a->config.mobile_tcp};
    link->player = a;
    link->lane = lane;
    link->record.connection = a->connections;
    link->record.start_ns = link->record.end_ns = now;
    link->watch = (struct app_record_watch){&a->config.observer, a->connections};
    link->client = host_connect(a->config.mobile, &remote, &events, now);
    if (!link->client) {
        free(link);
        return NULL;
    }
    link->client_port = link->client->address.local_port;
    link->next = a->links;
    a->links = link;
    a->connections++;
    return link;
}

/* --- exchanges --- */

/* Begins the next exchange of a connection if it is due and the one before is done. */
static void go_on(struct app_script_player *a, struct lane *lane, int64_t now)
{
    uint32_t i = lane->at;
    if (a->has_finished || i == APP_SCRIPT_NONE || lane->is_busy || !a->steps[i].is_due)
        return;
    if (now >= a->config.stop_ns) {
        finish(a, now);
        return;
    }
    if (lane->link && lane->link->client->state > TCP_ESTABLISHED) { /* it closes: a new one in its place */
        lane->link->lane = NULL;
        lane->link = NULL;
    }
    if (!count_begin(a, i, now) || (!lane->link && !(lane->link = open_link(a, lane, now)))) {
        a->repeated++;
        due_at(a, i, now + RETRY_NS);
        return;
    }
    struct link *link = lane->link;
    lane->is_busy = true;
    a->steps[i].is_due = false;
    if (exchange_of(link)->request_octets > 0)
        tcp_write(link->client, exchange_of(link)->request_octets, now);
    else if (link->is_open)
        answer(link, now);
}

static void fire_begins(void *arg, int64_t now)
{
    struct app_script_player *a = arg;
    if (!a->has_started) {
        a->has_started = true;
        a->sum.start_ns = a->sum.end_ns = now;
        begin_round(a, now);
    }
    for (struct timer *timer; !a->has_finished && (timer = timers_take_due(&a->due, now));) {
        struct step *step = OWNER(timer, struct step, timer);
        step->is_due = true;
        go_on(a, &a->lanes[a->config.script->exchanges[step - a->steps].connection], now);
    }
    if (!a->has_finished)
        arm(a->config.mobile, &a->begins, &a->due);
}

static void fire_thinks(void *arg, int64_t now)
{
    struct app_script_player *a = arg;
    for (struct timer *timer; (timer = timers_take_due(&a->thinking, now));) {
        struct link *link = OWNER(timer, struct link, think);
        if (link->server && link->lane && link->lane->is_busy)
            tcp_write(link->server, exchange_of(link)->response_octets, now);
    }
    arm(a->config.server, &a->thinks, &a->thinking);
}

/* --- begin and end --- */

static bool is_good(const struct app_script_config *c)
{
    const struct app_script *script = c->script;
    if (tcp_params_fault(&c->mobile_tcp) || tcp_params_fault(&c->server_tcp) || script->count == 0)
        return false;
    for (uint32_t i = 0; i < script->count; i++) {
        const struct app_script_exchange *e = &script->exchanges[i];
        if ((e->after != APP_SCRIPT_NONE && e->after >= i) || e->connection >= script->connection_count ||
            (e->page != APP_SCRIPT_NONE && e->page >= script->page_count) || e->wait_ns < 0 ||
            e->think_ns < 0 || (e->request_octets == 0 && e->response_octets == 0))
            return false;
    }
    return true;
}

/* Lists of what follows what, from the last exchange to the first. */
static void link_up(struct app_script_player *a)
{
    const struct app_script *script = a->config.script;
    a->roots = APP_SCRIPT_NONE;
    for (uint32_t i = 0; i < script->connection_count; i++)
        a->lanes[i].first = APP_SCRIPT_NONE;
    for (uint32_t i = 0; i < script->count; i++)
        a->steps[i].first_child = APP_SCRIPT_NONE;
    for (uint32_t i = script->count; i-- > 0;) {
        const struct app_script_exchange *e = &script->exchanges[i];
        uint32_t *head = e->after == APP_SCRIPT_NONE ? &a->roots : &a->steps[e->after].first_child;
        a->steps[i].next_child = *head;
        *head = i;
        a->steps[i].next = a->lanes[e->connection].first;
        a->lanes[e->connection].first = i;
        if (e->page != APP_SCRIPT_NONE)
            a->page_of[e->page].whole++;
    }
}

static bool start(struct app_script_player *a)
{
    const struct app_script *script = a->config.script;
    struct host_listener listener = {.port = a->config.server_port,
                                     .remote = host_address(a->config.mobile),
                                     .params = &a->config.server_tcp,
                                     .arg = a,
                                     .accept = server_accept};
    a->begins = (struct host_timer){.fire = fire_begins, .arg = a};
    a->thinks = (struct host_timer){.fire = fire_thinks, .arg = a};
    a->steps = calloc(script->count, sizeof(*a->steps));
    a->lanes = calloc(script->connection_count, sizeof(*a->lanes));
    a->page_of = calloc((size_t)script->page_count + 1, sizeof(*a->page_of));
    if (!a->steps || !a->lanes || !a->page_of || !host_listen(a->config.server, &listener))
        return false;
    link_up(a);
    if (host_timer_set(a->config.mobile, &a->begins, a->config.start_ns))
        return true;
    host_unlisten(a->config.server, listener.port, listener.remote);
    return false;
}

struct app_script_player *app_script_new(const struct app_script_config *config)
{
    struct app_script_player *a = is_good(config) ? calloc(1, sizeof(*a)) : NULL;
    if (!a)
        return NULL;
    a->config = *config;
    if (start(a))
        return a;
    app_script_free(a);
    return NULL;
}

void app_script_free(struct app_script_player *a)
{
    if (!a)
        return;
    while (a->links) {
        struct link *link = a->links;
        a->links = link->next;
        free(link);
    }
    timers_free(&a->due);
    timers_free(&a->thinking);
    exchanges_free(&a->exchanges);
    free(a->steps);
    free(a->lanes);
    free(a->page_of);
    free(a->pages);
    free(a);
}

struct app_script_record app_script_record(const struct app_script_player *a)
{
    return (struct app_script_record){&a->exchanges, a->pages, a->page_count, a->rounds, a->repeated};
}

bool app_script_connections(const struct app_script_player *a, struct app_record_tcp *out)
{
    *out = a->sum;
    out->connection = a->connections;
    for (const struct link *link = a->links; link; link = link->next) {
        struct app_record_tcp record = record_of(link);
        app_record_add(out, &record);
    }
    return a->has_started;
}
