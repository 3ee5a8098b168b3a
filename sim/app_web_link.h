/* SPDX-License-Identifier: BSD-3-Clause */
/* One connection of a browser: both its ends and the object in transfer. For app_web.c. */
#ifndef SIM_APP_WEB_LINK_H
#define SIM_APP_WEB_LINK_H

#include "sim/app_web.h"

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

/* Opens the connection. False: the mobile has no room; no event will be called. */
bool app_web_link_open(struct app_web_link *link, int64_t now);

/* Requests an object of `octets` > 0; the link must be idle. */
void app_web_link_ask(struct app_web_link *link, uint64_t octets, int64_t now);

/* Sets the server's end of the connection. */
void app_web_link_accept(struct app_web_link *link, struct tcp *server);

/* The record as of now. */
struct app_record_tcp app_web_link_record(const struct app_web_link *link);

static inline bool app_web_link_is_idle(const struct app_web_link *link)
{
    return link->client && link->expected_octets == 0;
}

#endif
