/* SPDX-License-Identifier: BSD-3-Clause */
/* Web pages over TCP or QUIC: a page, its objects, and the time to read. */
#ifndef SIM_APP_WEB_H
#define SIM_APP_WEB_H

#include "dataplane/base/rng.h"
#include "sim/app_record.h"
#include "sim/host.h"
#include "sim/quic_session.h"

#define APP_WEB_SIZES 32

struct app_web_config {
    struct host *mobile,
        *server;             /* must outlive it; one timer of the mobile and one listener of the server */
    uint16_t server_port;    /* free for this mobile on the server */
    uint32_t request_octets; /* 0: APP_WEB_REQUEST_OCTETS */
    uint32_t page_octets;    /* main page */
    uint32_t items, item_octets;
    uint32_t sizes[APP_WEB_SIZES];  /* of the items, instead of item_octets; parallel must be 1. The first 0:
                                       item_octets */
    struct quic_session_port *port; /* must outlive it. QUIC: one connection at a time, whose streams are what
                               is called connections here, each for one object; two timers. NULL: TCP */
    struct quic_params quic;
    uint32_t parallel;     /* connections, 1 .. 16, over QUIC .. QUIC_MAX_STREAMS */
    bool is_persistent;    /* QUIC: the connection is for all pages, not for one */
    bool is_close_awaited; /* a connection counts until the mobile has closed it; excludes is_persistent */
    uint32_t pages;        /* 0: endless */
    int64_t reading_ns;
    bool is_reading_exponential;              /* reading_ns is then the mean */
    uint64_t seed, stream;                    /* of reading times, as for rng_init() */
    int64_t start_ns, stop_ns;                /* no new page begins from stop_ns on */
    struct tcp_params mobile_tcp, server_tcp; /* unused with QUIC */
    struct app_record_observer observer;
};

/* A page's time runs from the first packet of its first connection, or the request on an open one, to its
 * last octet. */
struct app_web_page {
    int64_t start_ns, end_ns; /* end_ns: MOMENT_NEVER while unfinished */
    int64_t first_ns;         /* the main page is there; MOMENT_NEVER before */
    uint64_t octets;          /* arrived */
};

struct app_web;

/* Starts at start_ns. NULL: a value out of range, no memory, port taken, or no room on a host. */
struct app_web *app_web_new(const struct app_web_config *config);
void app_web_free(struct app_web *a);

/* Pages so far, the last one perhaps unfinished; the array is valid until the next step of the hosts. */
const struct app_web_page *app_web_pages(const struct app_web *a, size_t *count);

/* Sum of all connections: `connection` is their number, start_ns the first packet. False before the start. */
bool app_web_record(const struct app_web *a, struct app_record_tcp *out);

#endif
