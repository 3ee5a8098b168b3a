/* SPDX-License-Identifier: BSD-3-Clause */
/* A transfer: a mobile downloads or uploads one file over one connection of TCP or QUIC. */
#ifndef SIM_APP_TRANSFER_H
#define SIM_APP_TRANSFER_H

#include "sim/app_record.h"
#include "sim/host.h"
#include "sim/quic_session.h"

/* How the server treats the mobile's SYN: accepts it, sends RST, or ignores it. */
enum app_transfer_server { APP_TRANSFER_ANSWERS, APP_TRANSFER_REFUSES, APP_TRANSFER_SILENT };

struct app_transfer_config {
    struct host *mobile, *server; /* must outlive it; one timer of the mobile, two with QUIC, and one listener
                                     of the server */
    struct quic_session_port *port; /* must outlive it; NULL: TCP */
    bool is_up;                     /* an upload */
    uint64_t octets;                /* 0: endless */
    int64_t start_ns;
    int64_t stop_ns; /* the sender then sends no new octets and closes; MOMENT_NEVER: no stop */
    struct app_record_observer observer;

    /* TCP. */
    uint16_t server_port; /* free for this mobile on the server */
    enum app_transfer_server does;
    struct tcp_params mobile_tcp, server_tcp;

    /* QUIC. */
    uint64_t seed, stream;
    struct quic_params quic;
};

struct app_transfer;

/* Starts at start_ns, driven by the hosts' steps. NULL: a value out of range, no memory, port taken, or no
 * room on a host. */
struct app_transfer *app_transfer_new(const struct app_transfer_config *config);

/* May be called before or after the hosts are freed; their steps must not run afterwards. */
void app_transfer_free(struct app_transfer *a);

/* The record so far; false before the start. */
bool app_transfer_record(const struct app_transfer *a, struct app_record_tcp *out);

#endif
