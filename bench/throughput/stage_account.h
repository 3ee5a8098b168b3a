/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions and lines of cache per N-PDU and stage, counted by stepping through a worker (account.h).
 *
 * After a warm-up that depends on the traffic alone, steps are counted in turn whole and stage by stage
 * (stage.h), then an idle step. Equal plans and programs give equal counts, but for where memory lies.
 */
#ifndef BENCH_THROUGHPUT_STAGE_ACCOUNT_H
#define BENCH_THROUGHPUT_STAGE_ACCOUNT_H

#include "bench/throughput/fixture.h"
#include "bench/throughput/stage.h"

/* Per N-PDU. */
struct bench_stage_counts {
    double instructions;
    double lines,
        new_lines; /* touched by the stage; of these, those that no earlier stage of the step touched */
    double unused_prefetches; /* lines prefetched that the rest of the step does not touch */
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
