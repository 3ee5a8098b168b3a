/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A live node: workers poll their ports on cores of their own; control sleeps until a worker, a signal or a
 * timer has something for it.
 */
#ifndef CONTROL_LIVE_LIVE_H
#define CONTROL_LIVE_LIVE_H

#include "control/live/capture.h"
#include "control/base/outlet.h"
#include "control/base/live_claims.h"
#include "control/base/program_file.h"
#include "control/base/restart_counter.h"
#include "control/links/links.h"
#include "control/live/loop.h"
#include "control/live/capabilities.h"
#include "control/live/ports.h"
#include "control/live/reload.h"
#include "control/live/restart.h"
#include "control/log/log.h"
#include "control/show/metrics.h"
#include "control/show/telemetry.h"
#include "control/show/telemetry_socket.h"
#include "control/base/resolver.h"
#include "control/base/tcp_client.h"
#include "control/sessions/node.h"
#include "control/report/waits.h"
#include "control/report/watch.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct live_options {
    char **eal_arguments; /* besides eal.arguments; ends with NULL; NULL: none */
    const char *node;     /* configuration file */
    const char *json;     /* final report to write, NULL: none */
    const char *user;     /* to become after the start; NULL: the present one */
    bool is_verbose;
    const char *log_level, *log_format; /* of log.h; NULL: the defaults */
};

struct live {
    const struct live_options *options;
    struct node node;
    struct live_claims claims;
    struct program_file program;
    struct restart_counter restarts;
    struct live_ports ports;
    struct live_capabilities capabilities;
    bool has_eal; /* DPDK has been started */
    struct links links;
    struct clock_counter clock;
    struct wake wake;               /* control's */
    struct telemetry telemetry;     /* for DPDK's thread and that of metrics */
    struct telemetry_socket tables; /* for gbflow show, top, capture, log and restart-control */
    struct metrics_http *metrics;   /* NULL: off */
    int64_t start_ns;               /* since 1970 */
    struct watch *watch;
    struct waits waits;
    struct live_capture capture;
    struct log log;
    struct log_levels log_levels; /* of the log at the start */
    enum log_format log_format;   /* found while stderr is the process's own */
    struct notify notify;
    uint64_t seen_passes[TEID_WORKERS]; /* of each worker, at the last sign of life */
    struct outlet_stderr output;        /* stderr while control runs */
    atomic_bool stop;                   /* written by control, read by workers */
    unsigned worker_count;              /* workers started */
    struct live_worker workers[TEID_WORKERS];
    struct tcp_client hlr; /* of phones */
    struct resolver dns;   /* of phones */
    int epoll_fd, signal_fd, timer_fd;
    int signal;                       /* SIGINT or SIGTERM, once received; else 0 */
    bool has_failed;                  /* a device is gone */
    int64_t pass_most_ns;             /* processor time of the longest pass of the control loop */
    bool is_hup_due;                  /* SIGHUP asks for a reload */
    bool is_reload_due, is_trial_due; /* a client does, or for its comparison alone */
    struct live_reload reload;
    char *text;      /* of the configuration in force */
    char *effective; /* its values, defaults included: lines of key, tabulator and value; NULL: no memory */
    struct live_restart restart;
};

/* Runs a node until SIGINT or SIGTERM, then prints its counters. Exit status: 0, 1 when it does not start, 2
 * when the configuration is wrong. */
int live_run(const struct live_options *options);

/* The final report (report.c) as text, and as JSON by rows (docs/reference/serve-report.md). */
void live_report_print(const struct live *live);
extern const struct field live_report[];

/* False, with a line on stderr, when the file cannot be written. */
bool live_report_write(const struct live *live, const char *path);

#endif
