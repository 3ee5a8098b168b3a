/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_APP_TRANSFER_H
#define SIM_APP_TRANSFER_H

#include "sim/app_record.h"
#include "sim/host.h"
#include "sim/quic_session.h"

/* How the server treats the mobile's SYN: accepts it, sends RST, or ignores it. */
enum app_download_server { APP_DOWNLOAD_ANSWERS, APP_DOWNLOAD_REFUSES, APP_DOWNLOAD_SILENT };

struct app_download_config {
    struct host *mobile,
        *server;          /* must outlive it; one timer of the mobile and one listener of the server */
    uint16_t server_port; /* free for this mobile on the server */
    enum app_download_server does;
    uint32_t request_octets; /* 0: APP_DOWNLOAD_REQUEST_OCTETS */
    uint64_t octets;         /* 0: endless */
    int64_t start_ns;
    int64_t stop_ns; /* the server then sends no new octets and closes; MOMENT_NEVER: no stop */
    struct tcp_params mobile_tcp, server_tcp;
    struct app_record_observer observer;
};

struct app_download;

/* Starts at start_ns, driven by the hosts' steps. NULL: a value out of range, no memory, port taken, or no
 * room on a host. */
struct app_download *app_download_new(const struct app_download_config *config);

/* May be called before or after the hosts are freed; their steps must not run afterwards. */
void app_download_free(struct app_download *a);

/* The record so far; false before the start. */
bool app_download_record(const struct app_download *a, struct app_record_tcp *out);

/* True when all octets have arrived or the connection has ended. */
bool app_download_is_done(const struct app_download *a);

/* A mobile sends one file over one TCP connection: it connects, sends and closes; the server receives and
 * closes. */

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

/* A mobile downloads or uploads one file over one QUIC connection. */

struct app_quic_config {
    struct host *mobile;    /* must outlive it; two of its timers */
    struct quic_port *port; /* must outlive it */
    bool is_up;
    uint64_t octets; /* 0: endless */
    int64_t start_ns;
    int64_t stop_ns; /* the sender then sends no new octets; MOMENT_NEVER: no stop */
    uint64_t seed, stream;
    struct quic_params params;
    struct app_record_observer observer;
};

struct app_quic;

/* Starts at start_ns. NULL: a value out of range, no memory, or no room on the mobile. */
struct app_quic *app_quic_new(const struct app_quic_config *config);
void app_quic_free(struct app_quic *a);

/* The record so far; false before the start. */
bool app_quic_record(const struct app_quic *a, struct app_record_tcp *out);

#endif
