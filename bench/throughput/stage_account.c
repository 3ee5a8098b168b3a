/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/stage_account.h"

#include "bench/account/account.h"

#define WHOLE       BENCH_STAGE_COUNT /* stages of the account beside those of enum bench_stage */
#define IDLE        (BENCH_STAGE_COUNT + 1)
#define WARM_FACTOR 8
#define CLOCK_TICKS 1000000000 /* of a clock whose readings are not used */

_Static_assert(IDLE < ACCOUNT_STAGES, "the account has too few stages");

static void run_step(struct bench_fixture *fixture)
{
    bench_fixture_feed(fixture);
    bench_fixture_step(fixture);
    bench_fixture_collect(fixture);
}

/* The first N-PDU of a mobile is queued, and AQM begins with the next ones to rest. */
static void warm_up(struct bench_fixture *fixture)
{
    while (!bench_fixture_is_warm(fixture))
        run_step(fixture);
    for (const uint64_t end = WARM_FACTOR * fixture->fed; fixture->fed < end;)
        run_step(fixture);
}

static void step(void *arg)
{
    bench_fixture_step(arg);
}

/* N-PDUs that were counted. */
struct done {
    double whole, staged;
};

static void count_whole(struct account *account, struct bench_fixture *fixture, struct done *done)
{
    const uint64_t before = bench_fixture_done(fixture);
    bench_fixture_feed(fixture);
    account_start_step(account);
    account_run(account, WHOLE, step, fixture);
    bench_fixture_collect(fixture);
    done->whole += (double)(bench_fixture_done(fixture) - before);
}

static void count_stages(struct bench_stage_pass *pass, struct bench_fixture *fixture, struct done *done)
{
    const uint64_t before = bench_fixture_done(fixture);
    bench_fixture_feed(fixture);
    account_start_step(pass->account);
    bench_stage_step(pass, fixture->now += fixture->step_ns);
    bench_fixture_collect(fixture);
    done->staged += (double)(bench_fixture_done(fixture) - before);
}

static void count_idle(struct account *account, struct bench_fixture *fixture)
{
    bench_fixture_drain(fixture);
    account_start_step(account);
    account_run(account, IDLE, step, fixture);
}

static struct bench_stage_counts counts(const struct account *account, unsigned stage, double n_pdus)
{
    const struct account_figures figures = account_figures(account, stage);
    if (n_pdus <= 0)
        return (struct bench_stage_counts){0};
    return (struct bench_stage_counts){.instructions = (double)figures.instructions / n_pdus,
                                       .lines = (double)figures.lines / n_pdus,
                                       .new_lines = (double)figures.new_lines / n_pdus,
                                       .unused_prefetches = (double)figures.unused_prefetches / n_pdus};
}

static void sum_up(struct bench_stage_account *out, const struct account *account, struct done done,
                   unsigned steps)
{
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++) {
        out->stages[i] = counts(account, i, done.staged);
        out->sum.instructions += out->stages[i].instructions;
        out->sum.lines += out->stages[i].new_lines;
        out->sum.new_lines += out->stages[i].new_lines;
        out->sum.unused_prefetches += out->stages[i].unused_prefetches;
    }
    out->whole = counts(account, WHOLE, done.whole);
    out->idle = counts(account, IDLE, done.whole / steps);
    out->has_lines = account_has_lines();
    out->is_counted = true;
}

void bench_stage_account(struct bench_stage_account *out, struct bench_fixture *fixture,
                         const struct bench_plan *plan)
{
    struct account *account = plan->counted_steps > 0 ? account_new() : NULL;
    *out = (struct bench_stage_account){0};
    if (!account)
        return;
    const struct clock_counter clock = clock_counter_start(CLOCK_TICKS);
    struct bench_stage_pass pass;
    struct done done = {0};
    warm_up(fixture);
    bench_stage_start(&pass, fixture->worker, plan->n201_u, &clock);
    pass.account = account;
    for (unsigned i = 0; i < plan->counted_steps; i++) {
        count_whole(account, fixture, &done);
        count_stages(&pass, fixture, &done);
    }
    count_idle(account, fixture);
    sum_up(out, account, done, plan->counted_steps);
    account_free(account);
}
