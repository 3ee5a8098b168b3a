/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of a run of `gbflow bench MODE`: traffic, configuration of the DUT, trials, output. */
#ifndef BENCH_THROUGHPUT_PLAN_H
#define BENCH_THROUGHPUT_PLAN_H

#include "control/base/live_config.h"
#include "dataplane/sched/sched.h"

#include <stdbool.h>
#include <stdint.h>

struct bench_fault;
struct bench_plan;
struct bench_preloaded;
struct gea_engine;
struct json_stream;
struct rte_mbuf;
struct rte_mempool;
struct worker_config;

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

/* A guard on a worker's ports (worker/guards.h): the other ends, which seal the frames for Gn and open those
 * from Gb, and the price. Another folder has the functions, and the options that set plan->guard.of. */

/* Of Gn's packets and Gb's. */
struct bench_guard_addresses {
    uint32_t sgsn_ip, ggsn_ip, bss_ip;
};

struct bench_guard {
    unsigned before_octets; /* by which a frame grows in front when it is sealed */
    /* COMMAND_OK, or COMMAND_USAGE after a message; fills in what was not given. */
    int (*check)(struct bench_plan *plan);
    /* Ends of fixture `number`, with a copy's buffers from pool. NULL: error says why. */
    void *(*ends_new)(const struct bench_plan *plan, const struct bench_guard_addresses *addresses,
                      unsigned number, struct rte_mempool *pool, struct bench_fault *error);
    void (*ends_free)(void *ends);
    /* Gives the worker's ends to its configuration. */
    void (*ends_give)(void *ends, struct worker_config *config);
    /* Seals frames that are to come to Gn; opens frames that left on Gb; up to 64. Return how many are left,
     * in front; the others are freed and counted. */
    unsigned (*ends_seal)(void *ends, struct rte_mbuf **frames, unsigned count);
    unsigned (*ends_open)(void *ends, struct rte_mbuf **frames, unsigned count);
    /* Adds frames that were not sealed or opened. */
    void (*ends_check)(const void *ends, struct bench_fault *fault);
    /* Measures a point with the guard and without. False, with a line on stderr: not measured. */
    bool (*measure)(const struct bench_plan *plan, const struct bench_point *point,
                    struct bench_preloaded *out);
    /* A part of the line about the traffic, and the line below a result. */
    void (*print_plan)(const struct bench_plan *plan);
    void (*print_price)(const struct bench_preloaded *result);
    /* Members of the JSON report's plan, and of a trial. */
    void (*put_plan)(struct json_stream *s, const struct bench_plan *plan);
    void (*put_price)(struct json_stream *s, const struct bench_preloaded *result);
};

/* A guard on the sides of a worker; none of them: without one. */
struct bench_plan_guard {
    const struct bench_guard *of;   /* NULL: no option names one */
    bool has_gn, has_gb, has_suite; /* has_suite: it was given */
    unsigned suite;
    const char *device; /* a name of DPDK's; NULL: not given, "auto" */
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
    struct bench_plan_guard guard;
    const struct gea_engine *gea;
    uint64_t seed;
    /* Windows and trials. */
    unsigned windows;          /* valid ones to measure */
    uint32_t counted_steps;    /* stages: steps whose instructions are counted */
    uint32_t void_after;       /* most valid windows, as if all others were void: a known lack; 0: no limit */
    int64_t window_ns, gap_ns; /* gap_ns of ndr, 0: by the gaps of the machine; trial_ns, too */
    unsigned slowdown_percent; /* steps are made longer by waiting: a known difference, see gbflow-fitness */
    unsigned rounds, slices;   /* of a comparison: starts of both sides, pairs of slices in each */
    unsigned margin_percent;   /* of a comparison: a smaller difference is not reported */
    unsigned least_percent;    /* gbflow-fitness pair: fails below that */
    unsigned searches, seconds; /* of each point; time limit of each search */
    int64_t trial_ns, soak_ns;
    int64_t patience_ns;      /* of a trial; 0: the generator's */
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
    const char *out;         /* folder of both, and of the logs of processes; NULL: none */
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

static inline bool bench_plan_has_guard(const struct bench_plan *plan)
{
    return plan->guard.has_gn || plan->guard.has_gb;
}

/* The points of a plan in order. */

#define BENCH_POINTS_AXES 4

struct bench_points {
    const struct bench_plan *plan;
    unsigned at[BENCH_POINTS_AXES]; /* index on each axis; all 0: the first point */
};

struct bench_point bench_plan_point(const struct bench_points *points);

/* Moves to the next point, the last axis first. False: there is no further one. */
bool bench_plan_next_point(struct bench_points *points);

/* Modes of one program follow each other, in the order of its help. */
enum bench_mode {
    /* gbflow bench */
    BENCH_PRELOADED,
    BENCH_WORKERS,
    BENCH_NDR,
    BENCH_SOAK,
    BENCH_STAGES,
    BENCH_COMPARE,
    BENCH_SCHED,
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

/* A plan before any option was given, and what has to hold once all were. */

void bench_plan_set_defaults(struct bench_plan *plan, enum bench_mode mode);

/* Rules that take more than one option, and the number of files. Chooses CPUs and the engine of ciphering.
 * COMMAND_OK, or COMMAND_USAGE after a message. */
int bench_plan_check(struct bench_plan *plan, enum bench_mode mode);

/* CPUs of workers and generator. */

/* Fills eal->cores up to `wanted` with the last CPUs of the affinity mask, unless --cores gave some. */
void bench_plan_choose_cores(struct live_config *eal, unsigned wanted);

#endif
