/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario in virtual time: servers, GGSN, the SGSN's own dataplane and control plane, emulated BSSs with
 * their radio, and mobiles, all exchanging real octets.
 *
 * Time 0 is when Gb begins to come up; the scenario's own time begins RUN_LEAD_NS later.
 */
#ifndef CONTROL_RUN_H
#define CONTROL_RUN_H

#include "control/gb_far_side.h"
#include "control/node.h"
#include "control/run_series.h"
#include "control/run_stats.h"
#include "control/scenario_config.h"
#include "dataplane/base/moment.h"
#include "sim/app_cbr.h"
#include "sim/app_download.h"
#include "sim/app_ping.h"
#include "sim/app_web.h"
#include "sim/bss_account.h"
#include "sim/delay_line.h"
#include "sim/flight.h"
#include "sim/ggsn.h"
#include "sim/host.h"
#include "sim/ms_stack.h"
#include "sim/pcapng.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RUN_LEAD_NS MOMENT_SECOND

struct run_options {
    const char *scenario; /* file */
    const char *out;      /* folder for everything that is written; made when it is not there */
    uint64_t seed;
    const struct scenario_config_set *sets; /* --set path=value, in order */
    uint32_t set_count;
    bool has_pcap;
    bool has_report; /* make report.html */
    bool is_verbose;
};

struct run;

struct run_mobile {
    struct run *run;
    const struct scenario_config_mobile *config;
    struct host *host;
    struct bss *bss;
    struct ms_stack stack;
    struct bss_account account;
    struct flight flight; /* of downlink packets to it */
    struct run_mobile_stats stats;
};

/* One traffic item at work. */
struct run_app {
    struct run_mobile *mobile;
    const struct scenario_config_traffic *config;
    unsigned number; /* of the item in its mobile */
    union {
        struct app_download *download;
        struct app_web *web;
        struct app_ping *ping;
        struct app_cbr *cbr;
    };
};

struct run {
    const struct run_options *options;
    struct scenario_config scenario;
    struct node node;
    struct gb_far_side far;
    struct ggsn ggsn;
    struct ggsn_tunnel *tunnels;
    struct host *server;
    struct run_mobile *mobiles; /* as in the scenario; mobile i has slot i in the worker */
    struct run_app *apps;       /* as in the scenario's traffic */
    struct radio_config *radios;
    /* Links with a delay: internet between server and GGSN, Gn, and the step from a mobile's host to its
     * radio. */
    struct delay_line internet_down, internet_up, gn_down, gn_up, air_up;
    struct pcapng gi, gn, gb;
    struct run_series series;
    struct run_classes classes;
    int64_t now, begin_ns, end_ns;
    uint64_t *air_blocks; /* by cell: blocks used up to the last sample */
    uint64_t lost_on_gn;  /* frames that the worker's port did not take: 0, or a defect */
};

/* Runs it, writes its files, prints its table. Exit status: 0, 1 when the run failed, 2 when the scenario is
 * wrong. */
int run_scenario(const struct run_options *options);

/* run_net.c: connects everything by links and callbacks. False, with a line on stderr, when something is
 * missing. */
bool run_net_new(struct run *r);
void run_net_free(struct run *r);
int64_t run_net_hosts_step(void *run, int64_t now); /* actors of the loop */
int64_t run_net_lines_step(void *run, int64_t now);

/* The radio of cell number i of the scenario. */
const struct radio *run_radio(const struct run *r, uint32_t cell);

/* run_apps.c: the traffic. */
bool run_apps_new(struct run *r);
void run_apps_free(struct run *r);

/* run_summary.c, run_print.c. */
bool run_summary_write(struct run *r, const char *path);
void run_print(struct run *r);

#endif
