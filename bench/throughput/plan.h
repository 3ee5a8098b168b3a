/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a run of `gbflow bench MODE`: traffic, configuration of the DUT, trials, output. */
#ifndef BENCH_THROUGHPUT_PLAN_H
#define BENCH_THROUGHPUT_PLAN_H

#include "bench/statistics/rfc2544.h"
#include "bench/statistics/search.h"
#include "bench/throughput/console.h"
#include "control/base/command.h"
#include "control/base/live_claims.h"
#include "control/base/stream.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct gea_engine;

/* The machine that a measurement ran on. */

#define BENCH_MACHINE_CHARS      128
#define BENCH_MACHINE_LINE_CHARS 2048

struct bench_machine {
    char cpu[BENCH_MACHINE_CHARS], kernel[BENCH_MACHINE_CHARS], dpdk[BENCH_MACHINE_CHARS];
    unsigned processors; /* online CPUs */
    uint64_t tsc_hz;
    uint64_t memory_octets;
    double load; /* average of the last minute */
    bool is_virtual, has_huge_pages, has_avx512;
    char microcode[BENCH_MACHINE_CHARS],
        hypervisor[BENCH_MACHINE_CHARS]; /* hypervisor: its CPUID signature */
    char bios[BENCH_MACHINE_CHARS], board[BENCH_MACHINE_CHARS], product[BENCH_MACHINE_CHARS];
    char kernel_line[BENCH_MACHINE_LINE_CHARS]; /* the kernel's command line */
    char governor[BENCH_MACHINE_CHARS];         /* of CPU 0's frequency */
    uint64_t huge_2m, huge_1g;                  /* pages reserved, free or not */
    unsigned numa_nodes;
};

/* Call while DPDK runs. A field that cannot be read is empty or 0. */
void bench_machine_get(struct bench_machine *machine);

/* The generator's ports, as DPDK describes them. */

#define BENCH_PORT_CHARS 64

enum bench_port_kind {
    BENCH_PORT_VIRTUAL,  /* no card: shared memory, or a socket of the kernel */
    BENCH_PORT_EMULATED, /* a card that a hypervisor emulates */
    BENCH_PORT_PASSED,   /* a card of a virtual machine that may be real */
    BENCH_PORT_CARD,
};

/* Texts that are not known are empty, numbers 0 or -1. */
struct bench_port {
    char device[BENCH_PORT_CHARS], driver[BENCH_PORT_CHARS], firmware[BENCH_PORT_CHARS],
        bus[BENCH_PORT_CHARS];
    int numa_node;            /* -1: not known */
    uint32_t link_mbit_per_s; /* 0: no link, or not known */
    uint16_t mtu;
    uint8_t mac[6];
    enum bench_port_kind kind;
};

struct bench_ports {
    struct bench_port gn, gb;
};

/* Of a started port; is_virtual: this machine has a hypervisor. */
void bench_port_get(struct bench_port *port, uint16_t id, bool is_virtual);

/* "no card", "card of a hypervisor" and the like. */
const char *bench_port_kind_text(enum bench_port_kind kind);

void bench_port_print(const char *name, const struct bench_port *port);
void bench_port_put(struct json_stream *s, const char *key, const struct bench_port *port);

#define BENCH_PLAN_CHOICES 12 /* values of one axis, at most */
#define BENCH_PLAN_IMIX    0  /* octets: of 12 N-PDUs 7 have 64, 4 have 512 and 1 has 1400 */

/* The values of one list option, in the order in which they are measured. */
struct bench_plan_axis {
    unsigned count;
    uint32_t values[BENCH_PLAN_CHOICES];
};

/* One combination of the lists: a trial, or a search of trials. */
struct bench_point {
    uint16_t octets; /* of an N-PDU, or BENCH_PLAN_IMIX */
    uint8_t cipher;  /* GEA number, 0: none */
    uint32_t mobiles, cells;
    unsigned workers; /* each with an NSE, and an equal part of mobiles and cells */
};

struct bench_plan {
    /* Traffic, and the configuration of the DUT. */
    struct bench_plan_axis octets, ciphers, mobiles, workers;
    uint32_t cells;
    uint16_t n201_u;
    double zipf;               /* exponent of the mobiles' popularity; 0: uniform */
    unsigned bvc_rate_percent; /* R of all BVC buckets together / offered octets; 0: unlimited */
    bool is_foreign;           /* TEIDs from outside, looked up in a hash */
    bool is_fcs_checked;       /* LLC frames on Gb are decoded: N(U), FCS */
    struct sched_aqm_params aqm;
    const struct gea_engine *gea;
    uint64_t seed;
    /* Windows and trials. */
    unsigned windows;       /* valid ones to measure */
    uint32_t counted_steps; /* stages: steps whose instructions are counted */
    int64_t window_ns, gap_ns;
    unsigned slowdown_percent;  /* steps are made longer by waiting: a known difference, see gbflow-fitness */
    unsigned rounds, slices;    /* of a comparison: starts of both sides, pairs of slices in each */
    unsigned margin_percent;    /* of a comparison: a smaller difference is not reported */
    unsigned least_percent;     /* gbflow-fitness pair: fails below that */
    unsigned searches, seconds; /* of each point; time limit of each search */
    int64_t trial_ns, soak_ns;
    double rate, ndr_percent; /* offered load, N-PDU/s; or, if 0, percent of NDR */
    bool has_roofline;        /* testpmd is measured, too */
    const char *programs[2];  /* of a comparison: the executables */
    /* generate --rfc2544 */
    bool is_rfc2544, is_testpmd, is_served; /* testpmd in the node's place; this process starts it */
    unsigned trial_s, limit_s, bursts;      /* 0: trial_ns; of the whole run; searches of a longest burst */
    unsigned overload_percent;              /* of NDR */
    const char *roofline;                   /* a report of testpmd; NULL: none */
    char node_gn[LIVE_CONFIG_DEVICE_CHARS], node_gb[LIVE_CONFIG_DEVICE_CHARS]; /* with is_served; "": memif */
    uint32_t node_core;                                                        /* UINT32_MAX: not given */
    /* The machine, and the DUT's ports. */
    struct live_config eal;       /* generate: gn.device and gb.device are its ports, "": memif links */
    bool has_no_thp;              /* no transparent huge pages either */
    const char *link;             /* generate, node: abstract socket of the memif links */
    uint8_t gn_mac[6], gb_mac[6]; /* of the node */
    bool has_gn_mac, has_gb_mac;
    const char *socket; /* dut: of its memif links, */
    int page_fd;        /* and its shared memory */
    /* Output. */
    const char *json, *html; /* NULL: not written */
    char **files;            /* what follows the options, */
    unsigned file_count;
};

/* The most workers of any point. */
static inline unsigned bench_plan_most_workers(const struct bench_plan *plan)
{
    unsigned most = 1;
    for (unsigned i = 0; i < plan->workers.count; i++)
        most = plan->workers.values[i] > most ? plan->workers.values[i] : most;
    return most;
}

/* A trial: N-PDUs are offered at a load for a time, and the LLC frames received are counted. */

#define BENCH_TRIAL_OFFERED    0.98 /* offered / due: below that the generator is too slow */
#define BENCH_TRIAL_GAP_LOSS   2.0  /* gaps explain a loss of this share of the N-PDUs offered in them, */
#define BENCH_TRIAL_CLEAR_LOSS 0.01 /* and of this share of all; no goal of a search is as high */

/* Turns longer than a limit; all 0: there was none. */
struct bench_gaps {
    int64_t longest_ns, sum_ns;
};

static inline void bench_gaps_add(struct bench_gaps *all, const struct bench_gaps *more)
{
    all->longest_ns = moment_max(all->longest_ns, more->longest_ns);
    all->sum_ns += more->sum_ns;
}

struct bench_trial {
    double rate;          /* offered load, N-PDU/s; 0: the highest possible */
    int64_t gap_ns;       /* a longer turn is a gap */
    int64_t patience_ns;  /* the trial ends so long after its last frame; 0: a default by its duration */
    int64_t warm_ns;      /* load before it, which does not count */
    bool has_latency;     /* latency is sampled */
    uint64_t burst_npdus; /* not 0: a burst of so many, at the rate; ends at its last N-PDU */
    int64_t length_ns;    /* of the offered load; 0: the plan's trial_ns */
    struct bench_recovery *recovery;        /* N-PDUs are sorted by their sending time; NULL: they are not */
    uint64_t offered;                       /* N-PDUs offered, */
    uint64_t unsent;                        /* of them without room in the Gn ring, */
    uint64_t refused;                       /* and LLC frames of these */
    uint64_t expected;                      /* LLC frames without loss */
    uint64_t received;                      /* LLC frames */
    uint64_t wrong_fcs;                     /* of the frames that were decoded */
    uint64_t reordered;                     /* frames whose N(U) precedes the mobile's last one */
    int64_t took_ns;                        /* duration of the offered load */
    struct bench_gaps gaps;                 /* of the generator */
    uint32_t sample_count, sample_every;    /* latency of each sample_every-th N-PDU */
    uint64_t stamped;                       /* N-PDUs with a time stamp that came */
    double p50_us, p90_us, p99_us, p999_us; /* latency; 0 without samples */
    double max_us;                          /* of all N-PDUs with a time stamp */
};

/* Frame loss as a share. */
static inline double bench_trial_loss(const struct bench_trial *t)
{
    return t->received >= t->expected ? 0 : 1 - (double)t->received / (double)t->expected;
}

/* Whether the generator offered less than was due: it is too slow, or had a gap. */
static inline bool bench_trial_is_short(const struct bench_trial *t)
{
    return (double)t->offered < BENCH_TRIAL_OFFERED * t->rate * (double)t->took_ns * 1e-9;
}

/* Whether a trial is void: it has gaps, of either side, that explain its loss. A greater loss is a result:
 * the load is above any goal. */
static inline bool bench_trial_is_void(const struct bench_trial *t, const struct bench_gaps *gaps)
{
    const double gap_share = t->took_ns > 0 ? (double)gaps->sum_ns / (double)t->took_ns : 0;
    return gaps->longest_ns > 0 &&
           bench_trial_loss(t) <= BENCH_TRIAL_GAP_LOSS * gap_share + BENCH_TRIAL_CLEAR_LOSS;
}

/*
 * The modes of a program (`gbflow bench`, gbflow-fitness), and the way from arguments to the run: find the
 * mode, parse its options into a plan, check the plan, run.
 */

/* Modes of one program follow each other, in the order of its help. */
enum bench_mode {
    /* gbflow bench */
    BENCH_PRELOADED,
    BENCH_NDR,
    BENCH_SOAK,
    BENCH_STAGES,
    BENCH_COMPARE,
    BENCH_GENERATE,
    BENCH_NODE,
    BENCH_REPORT,
    /* gbflow-fitness */
    BENCH_PAIR,
    BENCH_SELF_CHECK,
    BENCH_DISTANCE,
    /* started by other modes (slices.h, dut.h) */
    BENCH_SLICES,
    BENCH_DUT,
};

#define BENCH_BIT(mode) (UINT32_C(1) << (mode))

/* A mode: the parts of its help that are not options, and its function. */
struct bench_mode_row {
    const char *command; /* in messages, "bench ndr" */
    const char *usage;   /* "gbflow bench ndr [OPTION]..." */
    const char *about, *example;
    const char *results;                       /* where they are described */
    const char *status;                        /* what the exit status means */
    int (*run)(const struct bench_plan *plan); /* returns an exit status */
};

struct bench_modes {
    struct command_modes list;
    const struct bench_mode_row *rows; /* as many as in the list */
    enum bench_mode first;             /* of the list */
};

/* A command line: argv[1] is the mode's name. Returns an exit status. */
int bench_mode_main(const struct bench_modes *modes, int argc, char **argv);

/* The same where argv[0] is the mode's name; it is not in the list, and has no help but `about`. */
int bench_mode_hidden(const struct bench_mode_row *row, enum bench_mode mode, int argc, char **argv);

/* The points of a plan in order; each is measured, printed and written before the next one. */

#define BENCH_POINTS_AXES 4

struct bench_points {
    const struct bench_plan *plan;
    unsigned at[BENCH_POINTS_AXES]; /* index on each axis; all 0: the first point */
};

struct bench_point bench_points_point(const struct bench_points *points);

/* Moves to the next point, the last axis first. False: there is no further one. */
bool bench_points_next(struct bench_points *points);

/* Result of a point: good; measured, but the run has failed; not measured, which ends the run. */
enum bench_points_outcome { BENCH_POINTS_GOOD, BENCH_POINTS_BAD, BENCH_POINTS_STOP };

/* The functions of a mode. */
struct bench_points_mode {
    void (*head)(const struct bench_plan *plan, const struct bench_machine *machine);
    enum bench_points_outcome (*measure)(struct json_stream *json, const struct bench_plan *plan,
                                         const struct bench_point *point);
    void (*put_rest)(struct json_stream *s, const void *arg); /* behind the trials; NULL: nothing */
};

/* Prints the head, measures each point, writes the report. DPDK is running. Returns an exit status. */
int bench_points_run(const struct bench_plan *plan, const struct bench_points_mode *mode);

/* Measures the plan's point. Returns an exit status. */
int bench_generate_run(const struct bench_plan *plan);

/* Each point of a plan. Returns an exit status. */
int bench_stages_run(const struct bench_plan *plan);

#endif
