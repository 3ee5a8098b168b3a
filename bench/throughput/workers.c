/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/workers.h"

#include "bench/throughput/console.h"
#include "bench/throughput/crew.h"
#include "bench/throughput/report.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/worker/worker.h"

#include <rte_atomic.h>
#include <rte_launch.h>
#include <rte_pause.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define COUNTED_STEPS 2000
#define LEAD_PART     4  /* window / steps before it, which fill caches and rings */
#define TRIES         20 /* of a window in a round */
#define POLL_US       200
#define PAIR          2U
#define AWAY_TURNS    (WORKER_BURST / XWORKER_BURST) /* of the receiver, for each of the sender */

#define LINES   512
#define SCATTER 197 /* odd: i * SCATTER passes through all lines */

/* One measurement on the workers' CPUs. */
struct workers_window {
    const struct bench_plan *plan;
    struct bench_crew *crew;
    unsigned workers;
    atomic_uint ready, done;
    struct bench_window of[TEID_WORKERS];
};

/* Of one worker's CPU. */
struct seat {
    struct workers_window *window;
    unsigned worker;
};

static struct bench_crew crew;
static struct bench_workers result;

/* --- on the workers' CPUs --- */

static void wait_for_all(atomic_uint *count, unsigned workers)
{
    atomic_fetch_add(count, 1);
    while (atomic_load(count) < workers)
        rte_pause();
}

/* The load stays until the last worker is done. */
static int run_seat(void *arg)
{
    const struct seat *seat = arg;
    struct workers_window *w = seat->window;
    struct bench_timed_worker *timed = &w->crew->timed[seat->worker];
    wait_for_all(&w->ready, w->workers);
    bench_timed_worker_run(timed, w->plan->window_ns / LEAD_PART);
    w->of[seat->worker] = bench_timed_worker_run(timed, w->plan->window_ns);
    atomic_fetch_add(&w->done, 1);
    while (atomic_load(&w->done) < w->workers)
        bench_timed_worker_run(timed, w->plan->window_ns / LEAD_PART);
    return 0;
}

static int warm_up(void *arg)
{
    for (unsigned i = 0; i < crew.count; i++)
        bench_timed_worker_warm_up(&crew.timed[i]);
    return 0;
}

static void add(struct bench_window *sum, const struct bench_window *one)
{
    sum->step_ns += one->step_ns;
    sum->done += one->done;
    sum->fed += one->fed;
    sum->is_void |= one->is_void;
}

/* Turns of two workers on one CPU, the first of which hands all over to the second one. */
static int run_away(void *arg)
{
    struct workers_window *w = arg;
    const struct clock_counter *clock = &w->crew->timed[0].clock;
    w->of[0] = w->of[1] = (struct bench_window){0};
    const int64_t end_ns = clock_counter_ns(clock) + 2 * w->plan->window_ns;
    for (int64_t at_ns = 0; at_ns < end_ns; at_ns = clock_counter_ns(clock))
        for (unsigned k = 0; k <= AWAY_TURNS; k++) {
            const unsigned worker = k > 0;
            const struct bench_window one = bench_timed_worker_run(&w->crew->timed[worker], 1);
            add(&w->of[worker], &one);
        }
    return 0;
}

/* --- a window --- */

/* N-PDU/s of all workers that frames come to; 0: void. */
static double rate_of(const struct workers_window *w)
{
    double rate = 0;
    for (unsigned i = 0; i < w->workers; i++) {
        if (w->of[i].is_void)
            return 0;
        rate += (double)w->of[i].fed * 1e9 / (double)w->of[i].step_ns;
    }
    return rate;
}

static double run_window(const struct bench_plan *plan, unsigned workers, enum bench_deal deal)
{
    static struct workers_window w;
    static struct seat seats[TEID_WORKERS];
    w = (struct workers_window){.plan = plan, .crew = &crew, .workers = workers};
    if (!bench_crew_deal(&crew, workers, deal))
        return 0;
    for (unsigned i = 0; i < workers; i++) {
        seats[i] = (struct seat){&w, i};
        rte_eal_remote_launch(run_seat, &seats[i], EAL_LIVE_LCORE(i));
    }
    while (atomic_load(&w.done) < workers)
        usleep(POLL_US);
    for (unsigned i = 0; i < workers; i++)
        rte_eal_wait_lcore(EAL_LIVE_LCORE(i));
    return rate_of(&w);
}

static double try_window(const struct bench_plan *plan, unsigned workers, enum bench_deal deal)
{
    double rate = 0;
    for (unsigned i = 0; i < TRIES && rate <= 0 && !bench_console_is_interrupted(); i++)
        rate = run_window(plan, workers, deal);
    return rate;
}

/* False: void. */
static bool try_away(const struct bench_plan *plan, double *sender_ns, double *receiver_ns)
{
    static struct workers_window w;
    w = (struct workers_window){.plan = plan, .crew = &crew, .workers = PAIR};
    bool is_void = true;
    for (unsigned i = 0; i < TRIES && is_void && !bench_console_is_interrupted(); i++) {
        if (!bench_crew_deal_away(&crew))
            return false;
        rte_eal_remote_launch(run_away, &w, EAL_LIVE_LCORE(0));
        rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
        is_void = w.of[0].is_void || w.of[0].fed == 0 || w.of[1].done == 0 || w.of[1].is_void;
    }
    if (is_void)
        return false;
    *sender_ns = (double)w.of[0].step_ns / (double)w.of[0].fed;
    *receiver_ns = (double)w.of[1].step_ns / (double)w.of[1].done;
    return true;
}

/* --- a line of cache that another CPU has written --- */

/* One CPU writes the lines, then another one reads them in a scattered order: once independent of each other,
 * once so that each line has the number of the next. From both is subtracted the cost of reading them again,
 * when the reader's caches have them. Both CPUs are busy meanwhile: a hypervisor may put one that waits where
 * the other one is. */

struct line {
    _Alignas(64) uint32_t next;
    uint32_t value;
};

/* Of one reading. */
struct reading {
    struct line *lines;
    bool is_chase;
    atomic_uint ready;
    atomic_bool is_written, is_read;
    double far_ns, near_ns; /* per line: first reading, second one */
    uint64_t sum;           /* so that it is read */
};

static int write_lines(void *arg)
{
    struct reading *r = arg;
    wait_for_all(&r->ready, PAIR);
    for (uint32_t i = 0; i < LINES; i++)
        r->lines[i] = (struct line){.next = (i + SCATTER) % LINES, .value = i};
    atomic_store(&r->is_written, true);
    while (!atomic_load(&r->is_read))
        rte_pause();
    return 0;
}

static uint64_t read_once(const struct reading *r)
{
    const volatile struct line *lines = r->lines;
    uint64_t sum = 0;
    uint32_t at = 0;
    for (uint32_t i = 0; i < LINES; i++) {
        at = r->is_chase ? lines[at].next : (i * SCATTER) % LINES;
        sum += lines[at].value;
    }
    return sum;
}

static double read_ns(struct reading *r, const struct clock_counter *clock)
{
    const int64_t begin_ns = clock_counter_ns(clock);
    r->sum += read_once(r);
    rte_mb();
    return (double)(clock_counter_ns(clock) - begin_ns) / LINES;
}

static int read_lines(void *arg)
{
    struct reading *r = arg;
    wait_for_all(&r->ready, PAIR);
    while (!atomic_load(&r->is_written))
        rte_pause();
    r->far_ns = read_ns(r, &crew.timed[0].clock);
    r->near_ns = read_ns(r, &crew.timed[0].clock);
    atomic_store(&r->is_read, true);
    return 0;
}

/* Nanoseconds of a line between the first two CPUs; takes some 100 us. */
static double line_cost_ns(bool is_chase)
{
    static struct line lines[LINES];
    struct reading r = {.lines = lines, .is_chase = is_chase};
    rte_eal_remote_launch(write_lines, &r, EAL_LIVE_LCORE(1));
    rte_eal_remote_launch(read_lines, &r, EAL_LIVE_LCORE(0));
    rte_eal_wait_lcore(EAL_LIVE_LCORE(1));
    rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
    return r.far_ns > r.near_ns ? r.far_ns - r.near_ns : 0;
}

/* --- rounds --- */

/* The values of one round. */
struct round {
    double alone, sender_ns, receiver_ns, rates[BENCH_WORKERS_CASES];
};

static bool run_round(const struct bench_plan *plan, struct round *round, unsigned number)
{
    round->alone = try_window(plan, 1, BENCH_DEAL_TEID);
    bool is_valid = round->alone > 0 && try_away(plan, &round->sender_ns, &round->receiver_ns);
    for (unsigned i = 0; i < result.case_count && is_valid; i++) {
        const unsigned at = number % 2 ? result.case_count - 1 - i : i; /* the order alternates */
        const struct bench_workers_case *one = &result.cases[at];
        if (one->is_measured)
            is_valid = (round->rates[at] = try_window(plan, one->workers, one->deal)) > 0;
    }
    return is_valid;
}

static void workers_keep(const struct round *round)
{
    bench_spread_add(&result.alone, 1e9 / round->alone);
    bench_spread_add(&result.sender, round->sender_ns);
    bench_spread_add(&result.receiver, round->receiver_ns);
    for (unsigned i = 0; i < result.case_count; i++) {
        struct bench_workers_case *one = &result.cases[i];
        if (!one->is_measured)
            continue;
        bench_spread_add(&one->rates, round->rates[i]);
        bench_spread_add(&one->ratios, round->rates[i] / (one->workers * round->alone));
    }
    if (result.cpus < PAIR)
        return;
    bench_spread_add(&result.line, line_cost_ns(false));
    bench_spread_add(&result.chase, line_cost_ns(true));
}

static void run_rounds(const struct bench_plan *plan)
{
    rte_eal_remote_launch(warm_up, NULL, EAL_LIVE_LCORE(0));
    rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
    while (bench_timed_worker_goes_on(plan, result.rounds, result.voided)) {
        struct round round = {0};
        if (run_round(plan, &round, (unsigned)result.rounds)) {
            workers_keep(&round);
            result.rounds++;
        } else {
            result.voided++;
        }
        bench_progress("%u of %u rounds ", (unsigned)result.rounds, plan->windows);
    }
    bench_progress_end();
}

/* --- a point --- */

static bool open_case(const struct bench_plan *plan, unsigned workers, enum bench_deal deal)
{
    struct bench_workers_case *one = &result.cases[result.case_count++];
    *one = (struct bench_workers_case){
        .workers = workers, .deal = deal, .is_measured = workers <= result.most_measured};
    return bench_spread_new(&one->rates, plan->windows) && bench_spread_new(&one->ratios, plan->windows);
}

static bool open_cases(const struct bench_plan *plan)
{
    bool is_done = true;
    for (unsigned i = 0; i < plan->workers.count; i++)
        for (unsigned deal = 0; deal < BENCH_DEALS && (deal == 0 || plan->workers.values[i] > 1); deal++)
            is_done = open_case(plan, plan->workers.values[i], deal) && is_done;
    return is_done;
}

static struct bench_spread *const parts[] = {&result.alone, &result.sender, &result.receiver, &result.line,
                                             &result.chase};

static bool open_result(const struct bench_plan *plan)
{
    bool is_done = true;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        is_done = bench_spread_new(parts[i], plan->windows) && is_done;
    is_done = open_cases(plan) && is_done;
    if (!is_done)
        bench_error("out of memory for %u windows", plan->windows);
    return is_done;
}

static void close_result(void)
{
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        bench_spread_free(parts[i]);
    for (unsigned i = 0; i < result.case_count; i++) {
        bench_spread_free(&result.cases[i].rates);
        bench_spread_free(&result.cases[i].ratios);
    }
}

static bool count_cases(void)
{
    for (unsigned i = 0; i < result.case_count; i++) {
        struct bench_workers_case *one = &result.cases[i];
        if (!bench_crew_deal(&crew, one->workers, one->deal))
            return false;
        bench_crew_count(&crew, one->workers, COUNTED_STEPS, &one->counts);
        one->share = bench_crew_share(&one->counts);
    }
    return true;
}

static void sum_up(void)
{
    result.parts = (struct bench_scaling_parts){.alone_ns = bench_spread_summary(&result.alone).median,
                                                .sender_ns = bench_spread_summary(&result.sender).median,
                                                .receiver_ns = bench_spread_summary(&result.receiver).median,
                                                .line_ns = bench_spread_summary(&result.line).median,
                                                .chase_ns = bench_spread_summary(&result.chase).median};
    for (unsigned i = 0; i < result.case_count; i++) {
        struct bench_workers_case *one = &result.cases[i];
        one->predicted = bench_scaling_predict(&result.parts, &one->share, one->deal, one->workers);
        one->rate = bench_spread_summary(&one->rates);
        one->ratio = bench_spread_summary(&one->ratios);
    }
}

/* False, with a line on stderr: nothing was measured. */
static bool measure(const struct bench_plan *plan)
{
    if (!open_result(plan) || !bench_crew_open(&crew, plan, &result.point) || !count_cases())
        return false;
    run_rounds(plan);
    if (result.rounds == 0) {
        bench_timed_worker_say_none(plan, "round");
        return false;
    }
    bench_crew_check(&crew, &result.fault);
    sum_up();
    return true;
}

static unsigned count_cpus(const struct bench_plan *plan)
{
    cpu_set_t cpus;
    if (plan->eal.core_count > 0)
        return plan->eal.core_count;
    return sched_getaffinity(0, sizeof(cpus), &cpus) == 0 ? (unsigned)CPU_COUNT(&cpus) : 1;
}

/* The most workers of the plan that have a CPU each. */
static unsigned most_measured(const struct bench_plan *plan, unsigned cpus)
{
    unsigned most = 0;
    for (unsigned i = 0; i < plan->workers.count; i++)
        if (plan->workers.values[i] <= cpus)
            most = RTE_MAX(most, plan->workers.values[i]);
    return most;
}

/* All numbers of workers at once, with the first one. */
static enum bench_points_outcome workers_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    if (point->workers != plan->workers.values[0])
        return BENCH_POINTS_GOOD;
    result = (struct bench_workers){.point = *point, .cpus = count_cpus(plan)};
    result.most_measured = most_measured(plan, result.cpus);
    result.point.workers = RTE_MAX(bench_plan_most_workers(plan), PAIR);
    const bool is_done = measure(plan);
    if (is_done) {
        bench_workers_row(plan, &result);
        bench_workers_trial(json, plan, &result);
    }
    bench_crew_close(&crew);
    close_result();
    if (!is_done)
        return BENCH_POINTS_STOP;
    return bench_fault_is_set(&result.fault) || result.rounds < plan->windows ? BENCH_POINTS_BAD
                                                                              : BENCH_POINTS_GOOD;
}

int bench_workers_mode(const struct bench_plan *plan)
{
    const unsigned cpus = count_cpus(plan), pair = RTE_MIN(cpus, PAIR);
    const unsigned seats = RTE_MAX(most_measured(plan, cpus), pair);
    if (!eal_live_start(&plan->eal, seats, bench_fixture_most_octets(plan, PAIR)))
        return COMMAND_FAILED;
    int status = bench_report_points(
        plan, &(struct bench_points_mode){.head = bench_workers_head, .measure = workers_point});
    eal_stop();
    return status;
}
