/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A downlink step of a worker, stage by stage: runs the rows of worker_step() (dataplane/worker/stages.def)
 * in their order. Those of downlink are run in parts, finer than the worker's stages, and the time of each
 * part is taken; the rows for uplink, control and other workers, which find no work, are run but not
 * measured.
 *
 * A stage whose result does not change when it is repeated, but for counters, can be run several times in a
 * row on the same burst; its time is then that of one run with data and code in the nearest caches.
 *
 * Instead of taking times, the stages' instructions and lines of cache can be counted.
 */
#ifndef BENCH_THROUGHPUT_STAGE_H
#define BENCH_THROUGHPUT_STAGE_H

#include "bench/account/account.h"
#include "bench/throughput/fixture.h"
#include "control/base/clock.h"
#include "dataplane/worker/admission.h"
#include "dataplane/worker/gb_tx.h"

enum bench_stage {
    BENCH_STAGE_RECEIVE,   /* a burst from the Gn ring */
    BENCH_STAGE_GUARD_IN,  /* of Gn's frames; only with a guard there */
    BENCH_STAGE_DECODE,    /* Ethernet, IP, UDP, GTP-U, and their checks */
    BENCH_STAGE_LOOKUP,    /* PDP contexts by TEID; prefetches */
    BENCH_STAGE_BUFFERS,   /* allocating and freeing mbufs of segments */
    BENCH_STAGE_QUEUE,     /* admission; bypass, or AQM and queue */
    BENCH_STAGE_PICK,      /* the scheduler */
    BENCH_STAGE_HEADERS,   /* SNDCP to Ethernet */
    BENCH_STAGE_FCS,       /* of LLC */
    BENCH_STAGE_CIPHER,    /* GEA */
    BENCH_STAGE_HAND_OVER, /* to the port's list; counters; freeing mbufs of N-PDUs */
    BENCH_STAGE_GUARD_OUT, /* of Gb's frames; only with a guard there */
    BENCH_STAGE_SEND,      /* to the Gb ring */
    BENCH_STAGE_COUNT,
    /* Halves of BENCH_STAGE_HEADERS, which no step runs by themselves. */
    BENCH_STAGE_LLC = BENCH_STAGE_COUNT, /* segments, SNDCP, LLC */
    BENCH_STAGE_BSSGP,                   /* BSSGP, NS, UDP, IP, Ethernet */
    BENCH_STAGE_ALL
};

struct bench_stage_pass {
    struct bench_fixture *fixture;
    struct worker *worker; /* the fixture's */
    const struct clock_counter *clock;
    uint16_t n201_u;           /* of all mobiles */
    enum bench_stage repeated; /* BENCH_STAGE_NONE */
    struct account *account;   /* NULL: times are taken; else instructions are counted, by enum bench_stage */
    int64_t now, at_ns, lap_ns; /* at_ns: last clock reading; lap_ns: cost of one */
    double spent_ns[BENCH_STAGE_ALL];
    /* of the step under way */
    unsigned frame_count;
    unsigned ciphered;         /* jobs in the outbox before those of the burst */
    unsigned settled, fitting; /* N-PDUs of the burst done, and done after the next part */
    bool is_begun;             /* the batch has room */
    struct rte_mbuf *frames[WORKER_BURST];
    struct admission burst;
};

/* The stage's name in tables and reports. */
const char *bench_stage_name(enum bench_stage stage);

/* Begins a measurement: spent_ns is 0, no stage is repeated. */
void bench_stage_start(struct bench_stage_pass *pass, struct bench_fixture *fixture, uint16_t n201_u,
                       const struct clock_counter *clock);

/* One step at `now`; adds the stages' times to spent_ns, or their counts to the account. */
void bench_stage_step(struct bench_stage_pass *pass, int64_t now);

struct bench_stage_lines {
    double each_ns;
    int64_t took_ns;
};

/*
 * Reads random lines of the worker's tables of mobiles and PDP contexts, three of a mobile for each of a
 * context; is_chase: the place of each line depends on what was read before, else the processor reads as many
 * at a time as it can. `chance` is the state of the random numbers.
 */
struct bench_stage_lines bench_stage_read_lines(const struct worker *worker,
                                                const struct clock_counter *clock, uint64_t *chance,
                                                bool is_chase);

/*
 * Instructions and lines of cache per N-PDU and stage, counted by stepping through a worker (account.h).
 *
 * After a warm-up that depends on the traffic alone, steps are counted in turn whole and stage by stage
 * (stage.h), then an idle step. Equal plans and programs give equal counts, but for where memory lies.
 */

/* Per N-PDU. */
struct bench_stage_counts {
    double instructions;
    double lines,
        new_lines; /* touched by the stage; of these, those that no earlier stage of the step touched */
    double unused_prefetches; /* lines prefetched that the rest of the step does not touch */
    double table_lines;       /* new lines of the tables of mobiles and PDP contexts */
};

struct bench_stage_account {
    bool is_counted, has_lines;
    struct bench_stage_counts stages[BENCH_STAGE_COUNT],
        sum;                         /* sum: of the stages; its lines are the new ones */
    struct bench_stage_counts whole; /* of whole steps */
    struct bench_stage_counts idle;  /* a step without work / N-PDUs of a step with work */
};

/* Counts plan->counted_steps steps of each kind; none, or a CPU that cannot: is_counted is false. */
void bench_stage_account(struct bench_stage_account *out, struct bench_fixture *fixture,
                         const struct bench_plan *plan);

#endif
