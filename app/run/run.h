/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario in virtual time: servers, GGSN, the SGSN's own dataplane and control plane, emulated BSSs with
 * their radio, and mobiles, all exchanging real octets.
 *
 * Time 0 is when Gb begins to come up; the scenario's own time begins RUN_LEAD_NS later.
 */
#ifndef APP_RUN_RUN_H
#define APP_RUN_RUN_H

#include "app/run/links.h"
#include "app/run/packet.h"
#include "app/run/scenario_config.h"
#include "app/run/series.h"
#include "app/virtual/gb_far_side.h"
#include "capture/writer.h"
#include "control/sessions/node.h"
#include "dataplane/base/moment.h"
#include "sim/app_record.h"
#include "sim/bss_account.h"
#include "sim/flight.h"
#include "sim/gb_wire.h"
#include "sim/ggsn.h"
#include "sim/host.h"
#include "sim/ms_stack.h"
#include "sim/timers.h"
#include "sim/truth.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define RUN_LEAD_NS MOMENT_SECOND

struct run_options {
    const char *scenario; /* file */
    char *const *command; /* the words of the command line, a NULL behind them */
    const char *out;      /* folder for all files; made if it does not exist */
    uint64_t seed;
    const struct scenario_config_set *sets; /* --set path=value, in order */
    uint32_t set_count;
    struct {
        bool gi, gn, gb;
    } pcap; /* captures to write */
    struct run_packet_choice packet;
    bool has_series; /* write series.csv */
    bool has_report; /* make report.html */
    bool has_cdf;    /* print the distribution of delays as text */
    bool is_svg;     /* of plots as SVG, without a script */
    bool is_verbose;
    bool is_unsteered; /* frames arrive at the workers in turn */
    bool is_scout;     /* a first run that only chooses the packet: prints nothing */
};

struct scenario_run;
struct run_roaming;
struct run_relocations;

/* An SGSN with its BSSs. */
struct run_sgsn {
    const struct scenario_config_sgsn *config;
    uint32_t address; /* on Gn */
    struct node node;
    struct gb_far_side far;
    struct deal deal; /* of Gn's frames */
};

struct run_mobile {
    struct scenario_run *run;
    const struct scenario_config_mobile *config;
    struct host *host;
    struct bss *bss;
    uint16_t cell;    /* index of its present cell */
    uint16_t sgsn;    /* index of the SGSN that has its contexts */
    uint32_t between; /* N-PDUs on their way from one SGSN to another */
    struct ms_stack stack;
    int64_t late_ns[RADIO_WAYS]; /* by direction: when the last delayed acknowledgement leaves */
    struct bss_account_tap tap;  /* of its LLC-PDUs that the BSS receives */
    struct bss_account account;
    struct timer timer;             /* of its stack; rank: its index */
    struct flight flight;           /* of downlink packets to it */
    struct quic_session_port *quic; /* NULL: none of its traffic has asked for it yet */
    struct run_mobile_stats stats;
    uint64_t bucket_max_octets; /* of the last sample */
    int64_t server_ns;          /* delay between GGSN and server (servers.h) */
};

struct app_cbr_packet;

/* The application of a traffic item. */
struct run_app {
    struct run_mobile *mobile;
    const struct scenario_config_traffic *config;
    unsigned number;   /* of the item in its mobile */
    int64_t server_ns; /* delay between GGSN and server (servers.h) */
    void *model;       /* of its kind */
};

struct scenario_run {
    const struct run_options *options;
    struct scenario_config scenario;
    struct run_sgsn *sgsns; /* as in the scenario */
    unsigned sgsn_count;
    struct ggsn ggsn;
    struct ggsn_tunnel *tunnels;
    struct host *server;
    struct timers agenda;       /* of the server and the mobiles' hosts, in this order */
    struct timers stacks;       /* of mobiles whose LLC or SNDCP has timers */
    struct run_mobile *mobiles; /* as in the scenario; mobile i has slot i at each worker of the only SGSN */
    struct run_app *apps;       /* as in the scenario's traffic */
    struct app_cbr_packet **packets; /* by trace of the scenario; NULL: not used by an item yet */
    struct radio_config *radios;
    struct bss_calls_config *calls;
    struct bss_policy *policies;
    struct run_links links;
    struct capture_writer gi, gn, gb;
    struct truth truth;        /* empty without captures */
    struct packet_log *packet; /* NULL: no packet's way is recorded */
    struct run_series series;
    int64_t now, begin_ns, end_ns;
    struct run_cell_sample {
        uint64_t air_blocks; /* used */
        uint64_t bucket_max_octets;
    } * samples;                         /* by cell: what the last sample saw */
    uint32_t next_move;                  /* of the scenario's */
    struct run_roaming *roaming;         /* cell_changes.c; NULL: the scenario has no `mobility` */
    struct run_relocations *relocations; /* relocation.c; NULL: there is one SGSN */
    uint64_t lost_on_gn;                 /* frames that the worker's port did not accept: 0, or a defect */
};

/* Runs the scenario, writes its files, prints its table. Exit status: 0, 1 when the run failed, 2 when the
 * scenario is wrong. */
int run_scenario(const struct run_options *options);

/* net.c: connects hosts, GGSN, SGSN and BSSs by links and callbacks. False, with a line on stderr: out of
 * memory. */
bool run_net_new(struct scenario_run *r);
void run_net_free(struct scenario_run *r);
int64_t run_net_hosts_step(void *run, int64_t now); /* actors of the loop */
int64_t run_net_lines_step(void *run, int64_t now);
int64_t run_net_stacks_step(void *run, int64_t now);

/* apps.c: the traffic. */
bool run_apps_new(struct scenario_run *r);
void run_apps_free(struct scenario_run *r);
extern const struct app_ops *const run_apps_kinds[]; /* rows of traffic.def; NULL ends them */

/* Rows that traffic adds to a struct summary; all rows of series.csv. */
extern const struct field run_apps_results[], run_apps_series[];

/* summary.c, run.c. */
bool run_summary_write(struct scenario_run *r, const char *path);

/*
 * Where a run's results come from: provenance.json beside them, with all that `gbflow rerun` needs to play
 * the run again: program, command line, seed, changes, the scenario's text, and the files of its AQM schemes.
 * It is a file of its own because results are byte-equal for equal seeds, on each machine and from each
 * folder.
 */

/* False, with a line on stderr: the file could not be written. */
bool run_provenance_write(const struct scenario_run *r, const char *path);

#endif
