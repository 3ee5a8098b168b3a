/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker's downlink step one stage after the other: the functions that worker_step() calls, in its order,
 * with the time of each. What the step does for the uplink, for control and for other workers is left out.
 *
 * A stage can be run several times in a row over the same burst, where that leaves behind what one time does,
 * but for counters: its time is then that of one run, on data and code that are as near as can be.
 */
#ifndef BENCH_THROUGHPUT_STAGE_H
#define BENCH_THROUGHPUT_STAGE_H

#include "control/base/clock.h"
#include "dataplane/worker/gb_tx_parts.h"
#include "dataplane/worker/admission.h"

enum bench_stage {
    BENCH_STAGE_RECEIVE,   /* from the ring of Gn */
    BENCH_STAGE_DECODE,    /* Ethernet, IP, UDP, GTP-U, and what is checked of them */
    BENCH_STAGE_LOOKUP,    /* contexts by TEID; prefetches */
    BENCH_STAGE_BUFFERS,   /* for copies of segments: taken, and given back */
    BENCH_STAGE_QUEUE,     /* admission; the short way, or AQM and queue */
    BENCH_STAGE_PICK,      /* the scheduler */
    BENCH_STAGE_HEADERS,   /* SNDCP to Ethernet */
    BENCH_STAGE_FCS,       /* of LLC */
    BENCH_STAGE_CIPHER,    /* GEA */
    BENCH_STAGE_HAND_OVER, /* to the port's list; counting, giving buffers of N-PDUs back */
    BENCH_STAGE_SEND,      /* to the ring of Gb */
    BENCH_STAGE_COUNT,
    /* Halves of the headers, that no step runs by themselves. */
    BENCH_STAGE_LLC = BENCH_STAGE_COUNT, /* segments, SNDCP, LLC */
    BENCH_STAGE_BSSGP,                   /* BSSGP, NS, UDP, IP, Ethernet */
    BENCH_STAGE_ALL
};

#define BENCH_STAGE_NONE BENCH_STAGE_ALL

struct bench_stage_pass {
    struct worker *worker;
    const struct clock_counter *clock;
    uint16_t n201_u;            /* of all mobiles */
    enum bench_stage repeated;  /* BENCH_STAGE_NONE */
    int64_t now, at_ns, lap_ns; /* lap_ns: what reading the clock takes */
    double spent_ns[BENCH_STAGE_ALL];
    /* of the step under way */
    unsigned frame_count, ciphered;
    unsigned settled, fitting; /* N-PDUs of the burst that are, or will be together with the next chunk */
    struct rte_mbuf *frames[WORKER_BURST];
    struct admission burst;
    uint32_t found[WORKER_BURST];
    struct gb_tx_batch batch;
};

/* As it stands in tables and reports. */
const char *bench_stage_name(enum bench_stage stage);

/* Nothing was spent, nothing is repeated. */
void bench_stage_start(struct bench_stage_pass *pass, struct worker *worker, uint16_t n201_u,
                       const struct clock_counter *clock);

/* One step at `now`; adds to spent_ns. */
void bench_stage_step(struct bench_stage_pass *pass, int64_t now);

#endif
