/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A script of exchanges over TCP: each begins a time after an earlier one is done, on a connection of its
 * own or one that is shared. Exchanges of a connection run one by one, in order of their numbers.
 *
 * An exchange is done when the mobile has its response, or, without one, the ACK of its request. Without a
 * request the server speaks first, once the connection is open.
 */
#ifndef SIM_APP_SCRIPT_H
#define SIM_APP_SCRIPT_H

#include "sim/app_record.h"
#include "sim/exchanges.h"
#include "sim/host.h"

#include <stddef.h>

#define APP_SCRIPT_NONE UINT32_MAX

struct app_script_exchange {
    uint32_t after;                           /* index of an earlier one; NONE: the script's beginning */
    uint32_t connection;                      /* below connection_count */
    uint32_t page;                            /* below page_count; NONE: of no page */
    uint32_t request_octets, response_octets; /* not both 0 */
    int64_t wait_ns;                          /* from the end of `after` */
    int64_t think_ns;                         /* at the server, from the whole request to the response */
};

struct app_script {
    struct app_script_exchange *exchanges;
    uint32_t count, connection_count, page_count;
};

struct app_script_config {
    struct host *mobile, *server;    /* must outlive it; a timer of each, one listener of the server */
    uint16_t server_port;            /* free for this mobile on the server */
    const struct app_script *script; /* must outlive it */
    bool is_again;                   /* at its end it begins again */
    int64_t start_ns, stop_ns;       /* no exchange begins from stop_ns on */
    struct tcp_params mobile_tcp, server_tcp;
    struct app_record_observer observer;
};

/* A page's time runs from the beginning of its first exchange to the end of its last one. */
struct app_script_page {
    int64_t start_ns, end_ns; /* end_ns: MOMENT_NEVER while unfinished */
    int64_t first_ns;         /* one of its exchanges is done; MOMENT_NEVER before */
    uint64_t octets;          /* of its responses, arrived */
};

/* So far. Arrays are valid until the next step of the hosts. */
struct app_script_record {
    const struct exchanges *exchanges; /* in order of their beginning */
    const struct app_script_page *pages;
    size_t page_count;
    uint32_t rounds;   /* begun */
    uint32_t repeated; /* exchanges begun again, as their connection ended early or did not open */
};

struct app_script_player;

/* Starts at start_ns. NULL: a value out of range, no memory, port taken, or no room on a host. */
struct app_script_player *app_script_new(const struct app_script_config *config);
void app_script_free(struct app_script_player *a);

struct app_script_record app_script_record(const struct app_script_player *a);

/* Sum of all connections: `connection` is their number, start_ns the first packet. False before the start. */
bool app_script_connections(const struct app_script_player *a, struct app_record_tcp *out);

#endif
