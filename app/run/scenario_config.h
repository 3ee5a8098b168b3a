/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A scenario as the engine uses it: checked, in base units, indices instead of names. Each SGSN is an
 * ordinary node configuration. Mobile i here is mobile i and context i of each node; cell i is a cell of one
 * of them. lua_scenario.c fills it in; scenario_config_free() frees its lists.
 */
#ifndef APP_RUN_SCENARIO_CONFIG_H
#define APP_RUN_SCENARIO_CONFIG_H

#include "app/run/script_file.h"
#include "bss/access.h"
#include "bss/radio.h"
#include "bss/cell_gap.h"
#include "bss/motion.h"
#include "bss/reselect.h"
#include "control/config/node_config.h"
#include "sim/ms_stack.h"
#include "sim/payload.h"
#include "sim/quic.h"
#include "sim/tcp.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum trace_kind {
    TRACE_PACKETS, /* values[0]: octets of the IP packet */
    TRACE_RATES,   /* values: BLER in percent, downlink and uplink; without a second one it is as the first */
    TRACE_RATIOS,  /* values: C/I in dB, likewise */
};

struct trace_row {
    int64_t at_ns;
    double values[2];
};

struct trace {
    enum trace_kind kind;
    char *file;  /* as the scenario has it */
    uint32_t to; /* of a capture: only packets to this IPv4 address; 0: all */
    struct trace_row *rows;
    uint32_t count; /* 1 or more, once read */
};

/*
 * Reads trace->file, a path below `folder`, which is "" or ends in "/". False: a line on stderr has file,
 * line and reason, or it has no row.
 */
bool trace_read(struct trace *trace, const char *folder);

/* Opens a file for reading. NULL, with a line on stderr: it cannot be, or is a device or a pipe, which might
 * never end. */
FILE *trace_open(const char *path);

/* Frees what is in it. */
void trace_fini(struct trace *trace);

/* A cell of a scenario (app/run/scenario_config.h): its radio, its calls and its block errors. */

#define SCENARIO_CONFIG_CODING_CHARS 8
#define SCENARIO_CONFIG_POINTS       64
#define SCENARIO_CONFIG_CURVES       13

/* Circuit-switched calls in a cell, by schedule or by chance; see bss/calls.h. */
struct scenario_config_calls {
    uint32_t channels; /* most that calls may take; 0: the cell has no calls */
    uint32_t taken;    /* channels that a call of the schedule takes */
    int64_t first_ns, every_ns, hold_ns;
    int64_t interval_ns, mean_hold_ns;
    int64_t flush_ns; /* time without a PDCH until the cell's queues are flushed; MOMENT_NEVER: never */
    int64_t restart_wait_ns, uplink_keep_ns;
};

/* Uplink TBFs by random access, procedures of TBFs; see bss/access.h and bss/tbf.c. */
struct scenario_config_access {
    bool is_given;
    struct access_config random;      /* without its seed, which is the radio's */
    int64_t with_downlink_ns;         /* set-up of an uplink TBF beside a downlink one */
    struct radio_tbf_config down, up; /* of tbf, with or without random access */
};

/* Block errors that vary in time; see bss/radio.h. */
struct scenario_config_errors {
    int64_t good_ns, bad_ns; /* 0: no fading */
    uint32_t bad_bler_ppm;
    uint32_t trace; /* number in traces[], from 1; 0: none */
    int64_t every_ns;
    uint32_t point_count; /* of C/I to BLER, rising; 0: the trace has rates */
    struct {
        double ci_db;
        uint32_t bler_ppm;
    } points[SCENARIO_CONFIG_POINTS];
};

/* C/I and link adaptation; see bss/link_quality.h, bss/link_adaptation.h and bss/radio_link.h. */
struct scenario_config_link {
    bool is_there;
    double ci_db, spread_db, shadowing_db, uplink_db, hysteresis_db;
    int64_t decorrelation_ns, t_avg_ns, report_ns;
    uint32_t trace; /* number in traces[], from 1; 0: none */
    int64_t every_ns;
    bool is_adaptive, has_redundancy, has_splits, has_reduced_tti;
    char initial[SCENARIO_CONFIG_CODING_CHARS];
    uint32_t curve_count; /* C/I of 10 % in place of the known one */
    struct {
        char coding[SCENARIO_CONFIG_CODING_CHARS];
        double ci_db;
    } curves[SCENARIO_CONFIG_CURVES];
    uint32_t window_down, window_up;
};

struct scenario_config_cell {
    char made[80]; /* what `rate` makes, in words; "": no rate is given */
    uint16_t bvci;
    uint32_t pdchs;
    char coding[SCENARIO_CONFIG_CODING_CHARS]; /* "CS-2" */
    uint32_t block_payload_octets;             /* of that scheme, in one radio block of 20 ms */
    uint32_t bler_down_ppm, bler_up_ppm;
    int64_t retransmission_ns;              /* from a bad block to its next try */
    int64_t processing_ns;                  /* added to each LLC-PDU, in each direction */
    uint32_t control_every;                 /* one block in control_every carries control; 0: none; not 1 */
    uint32_t window_blocks;                 /* RLC */
    bool is_rlc_unacknowledged;             /* bad blocks are not repeated */
    bool has_levels;                        /* classes have precedence on the air */
    uint32_t downlink_slots, uplink_slots;  /* most of one mobile */
    int64_t setup_ns, setup_with_uplink_ns; /* of a downlink TBF: from idle, while an uplink TBF is open */
    int64_t release_ns;                     /* from the last block of a downlink TBF to its release */
    int64_t uplink_access_ns, uplink_hold_ns;
    uint64_t mobile_buffer_octets, cell_buffer_octets; /* limits of the BSS's queues */
    uint32_t up_payload_octets;                        /* of an uplink block */
    uint64_t stop_octets, go_octets; /* thresholds of the BSS's queue for the rate it announces; 0: none */
    int64_t measured_ns; /* it announces measured rates R, and Bmax = R * measured_ns; 0: configured ones */
    struct scenario_config_calls calls;
    struct scenario_config_access access;
    struct scenario_config_errors errors;
    struct scenario_config_link link;
    uint8_t routing_area;
    uint16_t sgsn;             /* index of its SGSN, whose cells from first_cell on are those of its node */
    double reselect_offset_db; /* CELL_RESELECT_OFFSET */
};

/* The ends of the Gn tunnels and the server, host order; those of Gb are in the node. */
#define SCENARIO_CONFIG_SGSN_ADDRESS   UINT32_C(0x0a620002) /* 10.98.0.2, of the first; the others follow */
#define SCENARIO_CONFIG_GGSN_ADDRESS   UINT32_C(0x0a620001) /* 10.98.0.1 */
#define SCENARIO_CONFIG_SERVER_ADDRESS UINT32_C(0x0a2e0001) /* 10.46.0.1 */

#define SCENARIO_CONFIG_NAME_CHARS  48
#define SCENARIO_CONFIG_FILE_CHARS  256
#define SCENARIO_CONFIG_MOST_OCTETS 1500 /* of an IP packet of a trace */

/* One-way delay between a server and the GGSN: drawn once, evenly between these two. */
struct scenario_config_server {
    bool is_given; /* false: as that of the mobile, else as that of the network */
    int64_t delay_ns, delay_max_ns;
};

struct scenario_config_mobile {
    char name[SCENARIO_CONFIG_NAME_CHARS];
    uint32_t address, tlli, ggsn_teid;
    uint16_t cell; /* index */
    uint8_t qclass;
    struct ms_settings stack;
    double ci_db;                          /* NaN: as its cell's */
    double speed_mps;                      /* 0: it does not move */
    struct scenario_config_server server;  /* of all its items without one */
    uint32_t first_traffic, traffic_count; /* in traffic[] */
};

/* An item of `mobiles` with a count. */
struct scenario_config_group {
    char name[SCENARIO_CONFIG_NAME_CHARS];
    uint32_t first, count; /* in mobiles[] */
};

struct app_ops;

/* An item of traffic. start_ns < stop_ns <= duration_ns. */
struct scenario_config_traffic {
    const struct app_ops *ops; /* its kind (app/run/traffic.h) */
    void *settings;            /* of that kind */
    uint32_t mobile;           /* index */
    int64_t start_ns, stop_ns;
    struct scenario_config_server server; /* not with is_quic */
    enum payload_content content;         /* of packets without TCP and QUIC */
    uint32_t trace;                       /* its packets: number in traces[], from 1; 0: none */
    int64_t trace_every_ns;               /* the trace begins again; 0: it does not */
    uint32_t script;                      /* its exchanges: number in scripts[], from 1; 0: none */
    struct tcp_params tcp;                /* of its connections, if the kind has any */
    struct quic_params quic;              /* in place of tcp when is_quic */
    bool is_quic;
};

/* A cell change of a mobile. */
struct scenario_config_move {
    int64_t at_ns;
    uint32_t mobile; /* index */
    uint16_t cell;   /* index */
    bool is_leaving; /* it only leaves its cell; the next move of the mobile enters the new one */
};

/* How mobiles with a speed move and reselect cells. */
struct scenario_config_mobility {
    bool is_there;
    struct motion_layout layout;
    struct motion_config motion;     /* without speed, seed and stream */
    struct reselect_config reselect; /* without lists of cells */
    struct cell_gap_config gap;
    int64_t measure_ns; /* interval of measurements */
};

#define SCENARIO_CONFIG_SGSNS 16 /* at most */

/* An SGSN of a scenario. The cells of SGSNs are one after the other. */
struct scenario_config_sgsn {
    char name[SCENARIO_CONFIG_NAME_CHARS]; /* "" of the only one */
    uint32_t first_cell;
    struct node_config node; /* lists all mobiles; buckets and their announcements are in there */
};

/* The update of a mobile that goes to another SGSN (app/run/relocation.h). */
struct scenario_config_relocation {
    bool is_forwarding;
    int64_t request_ns, delay_ns, security_ns, update_ns, accept_ns, hold_ns;
};

/* A value that a paper does not state and the scenario assumes: texts of the file. */
struct scenario_config_assumption {
    char *path, *value, *why, *holds_over;
};

/* A change by the command line: --set path=value. */
struct scenario_config_set {
    char *path, *value;
    char *place; /* "FILE:3: axes[1].values[2]:", for messages; NULL: the command line */
};

struct scenario_config_module {
    char *file, *text; /* below the scenario's folder */
};

struct scenario_config {
    char *text; /* as read from the file, before changes; NULL: unknown */
    char *title;
    uint64_t seed;
    int64_t duration_ns, warmup_ns;
    int64_t series_every_ns;
    struct {
        int64_t server_delay_ns; /* one way, server to GGSN */
        int64_t gn_delay_ns;     /* one way, GGSN to SGSN */
        int64_t gb_delay_ns;     /* one way, SGSN to BSS */
        int64_t ack_delay_ns;    /* of TCP acknowledgements without data, at their sender; packets
                                        behind them are delayed, too; 0: no delay */
        uint32_t internet_loss_ppm, gn_loss_ppm; /* of users' packets, in each direction */
        uint32_t reorder_ppm;                    /* downlink packets that take reorder_delay_ns longer */
        int64_t reorder_delay_ns;
    } network;

    uint32_t cell_count, mobile_count, traffic_count, move_count, assumption_count, set_count;
    struct scenario_config_cell *cells;
    struct scenario_config_mobile *mobiles;
    struct scenario_config_group *groups;
    uint32_t group_count;
    struct scenario_config_traffic *traffic; /* in order of mobiles */
    struct scenario_config_move *moves;      /* in order of time */
    struct scenario_config_assumption *assumptions;
    struct scenario_config_set *sets;
    struct scenario_config_mobility mobility;
    struct trace *traces;
    uint32_t trace_count;
    struct script_file *scripts; /* each file once */
    uint32_t script_count;
    struct scenario_config_module *modules; /* texts that the file has required */
    uint32_t module_count;
    bool has_servers; /* some mobile or item has a server's delay of its own */
    bool has_study;   /* axes for gbflow sweep, which app/sweep reads */

    struct scenario_config_sgsn *sgsns;
    uint32_t sgsn_count; /* 1 or more, once read */
    struct scenario_config_relocation relocation;
};

/* The index of a cell in its SGSN's node. */
static inline uint16_t scenario_config_place(const struct scenario_config *config, uint32_t cell)
{
    return (uint16_t)(cell - config->sgsns[config->cells[cell].sgsn].first_cell);
}

/* The folder of a file's path: "", or it ends in "/". folder: PATH_MAX octets. */
void scenario_config_folder(const char *path, char *folder);

/*
 * Reads the files of `traces` and `scripts`; path: the scenario's, below whose folder they are. False, with a
 * line on stderr: one cannot be read, or lasts longer than the time after which it begins again.
 */
bool scenario_config_read_traces(struct scenario_config *config, const char *path);

/* The timeslots and blocks that `rate` makes: a line for each cell that has it; static text. */
const char *scenario_config_rates(const struct scenario_config *config);

/* False, with a line on stderr: some traffic needs a library that this program was built without. */
bool scenario_config_can_play(const struct scenario_config *config);

/* Frees the lists, also those of the node; the struct is the caller's. */
void scenario_config_free(struct scenario_config *config);

#endif
