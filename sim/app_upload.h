/* SPDX-License-Identifier: BSD-3-Clause */
/* A mobile sends one file over one TCP connection: it connects, sends and closes; the server receives and
 * closes. */
#ifndef SIM_APP_UPLOAD_H
#define SIM_APP_UPLOAD_H

#include "sim/app_record.h"
#include "sim/host.h"

struct app_upload_config {
    struct host *mobile,
        *server;          /* must outlive it; one timer of the mobile and one listener of the server */
    uint16_t server_port; /* free for this mobile on the server */
    uint64_t octets;      /* 0: endless */
    int64_t start_ns;
    int64_t stop_ns; /* the mobile then sends no new octets and closes; MOMENT_NEVER: no stop */
    struct tcp_params mobile_tcp, server_tcp;
    struct app_record_observer observer;
};

struct app_upload;

/* Starts at start_ns, driven by the hosts' steps. NULL: a value out of range, no memory, port taken, or no
 * room on a host. */
struct app_upload *app_upload_new(const struct app_upload_config *config);

/* May be called before or after the hosts are freed; their steps must not run afterwards. */
void app_upload_free(struct app_upload *a);

/* The record so far; false before the start. */
bool app_upload_record(const struct app_upload *a, struct app_record_tcp *out);

#endif
