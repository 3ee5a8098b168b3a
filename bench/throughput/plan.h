/* SPDX-License-Identifier: BSD-3-Clause */
/* What `gbflow bench` measures: traffic, treatment, how long, and the points to measure at. */
#ifndef BENCH_THROUGHPUT_PLAN_H
#define BENCH_THROUGHPUT_PLAN_H

#include "control/base/live_config.h"
#include "dataplane/sched/sched_types.h"

#include <stdbool.h>
#include <stdint.h>

struct gea_engine;

#define BENCH_PLAN_CHOICES 8 /* values of one axis */
#define BENCH_PLAN_IMIX    0 /* octets: 7 N-PDUs of 64, 4 of 512 and 1 of 1400 octets */

/* Values of one axis, in the order in which they are measured. */
struct bench_plan_axis {
    unsigned count;
    uint32_t values[BENCH_PLAN_CHOICES];
};

/* One place on all axes. */
struct bench_point {
    uint16_t octets; /* of an N-PDU, BENCH_PLAN_IMIX */
    uint8_t cipher;  /* GEA number, 0: in clear */
    uint32_t mobiles, cells;
    unsigned workers; /* each with an NSE of its own, and its part of mobiles and cells */
};

struct bench_plan {
    struct bench_plan_axis octets, ciphers, mobiles, workers;
    uint32_t cells;
    uint16_t n201_u;
    double zipf;            /* exponent of mobiles' popularity; 0: all alike */
    unsigned open_percent;  /* of what is offered cells' buckets let pass; 0: wide open */
    unsigned plant_percent; /* steps are made to take so much longer */
    bool is_foreign;        /* TEIDs that somebody else chose */
    bool is_fcs_checked;
    struct sched_aqm_params aqm;
    unsigned windows; /* to measure, none with a gap */
    int64_t window_ns, gap_ns;
    uint64_t seed;
    const struct gea_engine *gea;
    const char *json;           /* NULL: no file */
    const char *html;           /* a page of the report, NULL: none */
    unsigned rounds, slices;    /* compare and pair: starts of both sides, and pairs of slices in each */
    unsigned margin_percent;    /* compare: differences up to it are of no interest */
    unsigned least_percent;     /* pair: that must be reached */
    bool is_self_check;         /* compare: see bench_compare.h */
    const char *programs[2];    /* compare: what to compare */
    unsigned searches, seconds; /* ndr: how many of each point, and how long each may take */
    int64_t trial_ns;
    int64_t soak_ns;               /* soak: how long, */
    unsigned share_percent;        /* at what share of NDR, */
    double rate;                   /* soak, generate: or at so many N-PDUs a second; 0: not given */
    bool has_roofline;             /* testpmd is measured beside it */
    const char *socket;            /* device: of its memif links, */
    int page_fd;                   /* and the page that it shares */
    bool has_no_thp;               /* no transparent huge pages either */
    bool is_quiet;                 /* no progress */
    const char *node;              /* generate: the configuration to write; NULL: none */
    const char *node_gn, *node_gb; /* its ports; NULL: memif links */
    const char *link;              /* name of those */
    uint8_t gn_mac[6], gb_mac[6];  /* the node's */
    bool has_gn_mac, has_gb_mac;
    struct live_config eal; /* generate: gn.device and gb.device are its ports, "": memif links */
};

/* Of a point that has most of them. */
static inline unsigned bench_plan_most_workers(const struct bench_plan *plan)
{
    unsigned most = 1;
    for (unsigned i = 0; i < plan->workers.count; i++)
        most = plan->workers.values[i] > most ? plan->workers.values[i] : most;
    return most;
}

#endif
