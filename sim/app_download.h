/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile fetches one file: it connects, asks, the server sends and closes. One connection. */
#ifndef SIM_APP_DOWNLOAD_H
#define SIM_APP_DOWNLOAD_H

#include "sim/app_record.h"
#include "sim/host.h"

enum { APP_DOWNLOAD_REQUEST_OCTETS = 200 };

/* What becomes of the mobile's SYN at the server. */
enum app_download_server { APP_DOWNLOAD_ANSWERS, APP_DOWNLOAD_REFUSES, APP_DOWNLOAD_SILENT };

struct app_download_config {
    struct host *mobile,
        *server;          /* must outlive it; one timer of the mobile and one listener of the server */
    uint16_t server_port; /* free for this mobile on the server */
    enum app_download_server does;
    uint32_t request_octets; /* 0: APP_DOWNLOAD_REQUEST_OCTETS */
    uint64_t octets;         /* 0: endless */
    int64_t start_ns;
    int64_t stop_ns; /* the server then sends no new octets and closes; MOMENT_NEVER: by itself */
    struct tcp_params mobile_tcp, server_tcp;
    struct app_record_observer observer;
};

struct app_download;

/* Starts by itself at start_ns, driven by the hosts' steps. NULL: no memory, port taken, or no room on a
 * host. */
struct app_download *app_download_new(const struct app_download_config *config);

/* To be called before or after the hosts are freed, but not to be followed by their steps. */
void app_download_free(struct app_download *a);

/* As of now; false before it started. */
bool app_download_record(const struct app_download *a, struct app_record_tcp *out);

/* True when all octets arrived, or it ended otherwise. */
bool app_download_is_done(const struct app_download *a);

#endif
