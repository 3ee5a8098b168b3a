/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench stages`: the time of each stage of a worker's step by itself. */
#include "bench/statistics/spread.h"
#include "bench/throughput/console.h"
#include "bench/throughput/modes.h"
#include "bench/throughput/report.h"
#include "bench/throughput/stage.h"
#include "bench/throughput/values.h"

#include "bench/throughput/fixture.h"
#include "bench/throughput/timed_worker.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <stdio.h>
#include <string.h>

/*
 * `gbflow bench stages`: the time of each stage of a worker's step, and the share of its floor.
 *
 * Model: a round has a window of whole steps, a window of the same steps run stage by stage (stage.h), and a
 * window for each stage on a second worker with so few mobiles, cells and N-PDUs that all data stay in the
 * nearest caches. The time of a stage on that worker is its time alone, the least that this code needs; their
 * sum is the floor. The additional time of the stage within the step is the stall: waiting for cache lines of
 * mobiles, cells and packets, and for code and branch predictions that were evicted. Whole steps minus stages
 * in the step is the idle step (uplink, control, timers), measured by steps that find no work, and an
 * unexplained rest.
 *
 * In each round random lines of the worker's tables of mobiles and PDP contexts are read, once one after the
 * other, as a pointer chase does, and once independent of each other: the machine's cost of a line at this
 * footprint. The lines of these tables that an N-PDU touches, at the cost of independent ones, and the floor
 * are the machine's floor: a step can hardly wait less for memory, and cannot execute in less.
 *
 * Before the first round, stage.h counts instructions and lines of cache of plan->counted_steps
 * steps.
 *
 * A round in which a step takes longer than plan->gap_ns is void.
 */

#define BENCH_STAGES_MOBILES WORKER_BURST /* of the second worker */
#define BENCH_STAGES_CELLS   8

/* All nanoseconds are per N-PDU and medians over rounds. */
struct bench_stages {
    struct bench_point point;
    struct bench_spread_summary whole, share; /* share: floor / whole, round by round */
    struct bench_spread_summary chase, line;  /* cost of a line: one after the other, independent */
    struct bench_spread_summary machine;      /* share of the machine's floor; only if lines are counted */
    double alone_ns[BENCH_STAGE_ALL], in_step_ns[BENCH_STAGE_COUNT];
    double floor_ns;       /* sum of alone_ns, without the halves of headers */
    double in_step_sum_ns; /* sum of in_step_ns */
    double idle_step_ns;   /* time of an idle step / N-PDUs of a step that has work */
    double npdu_per_step;
    uint64_t rounds, voided;
    struct bench_stage_account account;
    struct bench_fault fault;
};

#define PARTS      8 /* window of whole steps / window of a stage alone */
#define IDLE_STEPS 64
#define LINES_NS   500000 /* that reading lines may take without a gap: 1024 of half a microsecond */

/* A value of each round. */
enum {
    WHOLE,
    SHARE,
    MACHINE,
    CHASE,
    LINE,
    IDLE,
    ALONE,
    IN_STEP = ALONE + BENCH_STAGE_ALL,
    FIGURES = IN_STEP + BENCH_STAGE_COUNT
};

struct stages_run {
    const struct bench_plan *plan;
    struct bench_timed_worker full, cached; /* the point's worker; the one with all data in the caches */
    struct bench_spread figures[FIGURES];
    struct bench_stages *out;
    uint64_t chance; /* of the lines that are read */
};

/* --- on the worker's CPU --- */

static void step_in_stages(void *arg)
{
    struct bench_stage_pass *pass = arg;
    bench_stage_step(pass, pass->fixture->now += pass->fixture->step_ns);
}

/* A window of steps that are run stage by stage. */
static struct bench_window run_in_stages(struct bench_timed_worker *timed, struct bench_stage_pass *pass,
                                         int64_t window_ns)
{
    timed->step = step_in_stages;
    timed->arg = pass;
    const struct bench_window window = bench_timed_worker_run(timed, window_ns);
    timed->step = NULL;
    return window;
}

/* The values of one round; unused if it is void. */
struct round {
    struct bench_window whole;
    double whole_ns, idle_ns, floor_ns, chase_ns, line_ns, alone_ns[BENCH_STAGE_ALL],
        in_step_ns[BENCH_STAGE_COUNT];
    bool is_void;
};

static void time_stages_in_step(struct stages_run *run, struct bench_stage_pass *pass, struct round *round)
{
    bench_stage_start(pass, run->full.fixture, run->plan->n201_u, &run->full.clock);
    struct bench_window window = run_in_stages(&run->full, pass, run->plan->window_ns);
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        round->in_step_ns[i] = pass->spent_ns[i] / (double)window.done;
    round->is_void |= window.is_void;
}

static void time_stages_alone(struct stages_run *run, struct bench_stage_pass *pass, struct round *round)
{
    bench_timed_worker_run(&run->cached, run->plan->window_ns / PARTS); /* evicts the other worker's data */
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++) {
        bench_stage_start(pass, run->cached.fixture, run->plan->n201_u, &run->cached.clock);
        pass->repeated = i;
        struct bench_window window = run_in_stages(&run->cached, pass, run->plan->window_ns / PARTS);
        round->alone_ns[i] = pass->spent_ns[i] / (double)window.done;
        round->floor_ns += i < BENCH_STAGE_COUNT ? round->alone_ns[i] : 0;
        round->is_void |= window.is_void;
    }
}

/* Steps that find no work. */
static void time_idle_steps(struct stages_run *run, struct round *round)
{
    bench_fixture_drain(run->cached.fixture);
    int64_t start_ns = clock_counter_ns(&run->cached.clock);
    for (unsigned i = 0; i < IDLE_STEPS; i++)
        bench_fixture_step(run->cached.fixture);
    int64_t spent_ns = clock_counter_ns(&run->cached.clock) - start_ns;
    round->is_void |= spent_ns > run->plan->gap_ns;
    round->idle_ns = (double)spent_ns / IDLE_STEPS / ((double)round->whole.done / (double)round->whole.steps);
}

static void time_steps(struct stages_run *run, struct round *round)
{
    round->whole = bench_timed_worker_run(&run->full, run->plan->window_ns);
    round->is_void |= round->whole.is_void;
    round->whole_ns = (double)round->whole.step_ns / (double)round->whole.done;
}

/* The cost of a line beside one in the nearest caches, which the floor has. */
static void time_lines(struct stages_run *run, struct round *round)
{
    double *costs_ns[] = {&round->line_ns, &round->chase_ns};
    for (unsigned is_chase = 0; is_chase < 2; is_chase++) {
        struct bench_stage_lines far =
            bench_stage_read_lines(run->full.fixture->worker, &run->full.clock, &run->chance, is_chase);
        struct bench_stage_lines near =
            bench_stage_read_lines(run->cached.fixture->worker, &run->full.clock, &run->chance, is_chase);
        *costs_ns[is_chase] = RTE_MAX(far.each_ns - near.each_ns, 0);
        round->is_void |= far.took_ns > run->plan->gap_ns + LINES_NS || near.took_ns > run->plan->gap_ns;
    }
}

/* Rounds begin in turn with whole steps and with steps run stage by stage. */
static struct round run_round(struct stages_run *run)
{
    static struct bench_stage_pass pass;
    struct round round = {0};
    bool are_stages_first = run->out->rounds % 2 > 0;
    bench_timed_worker_run(&run->full, run->plan->window_ns / PARTS);
    if (are_stages_first)
        time_stages_in_step(run, &pass, &round);
    time_steps(run, &round);
    if (!are_stages_first)
        time_stages_in_step(run, &pass, &round);
    time_lines(run, &round);
    time_stages_alone(run, &pass, &round);
    time_idle_steps(run, &round);
    return round;
}

static double machine_floor_ns(const struct bench_stages *r, double floor_ns, double line_ns)
{
    return floor_ns + r->account.sum.table_lines * line_ns;
}

static void keep(struct stages_run *run, const struct round *round)
{
    double values[FIGURES] = {[WHOLE] = round->whole_ns,
                              [SHARE] = round->floor_ns / round->whole_ns,
                              [MACHINE] = machine_floor_ns(run->out, round->floor_ns, round->line_ns) /
                                          round->whole_ns,
                              [CHASE] = round->chase_ns,
                              [LINE] = round->line_ns,
                              [IDLE] = round->idle_ns};
    memcpy(values + ALONE, round->alone_ns, sizeof(round->alone_ns));
    memcpy(values + IN_STEP, round->in_step_ns, sizeof(round->in_step_ns));
    for (unsigned i = 0; i < FIGURES; i++)
        bench_spread_add(&run->figures[i], values[i]);
    run->out->npdu_per_step = (double)round->whole.done / (double)round->whole.steps;
    run->out->rounds++;
}

static int run_rounds(void *arg)
{
    struct stages_run *run = arg;
    struct bench_stages *out = run->out;
    bench_stage_account(&out->account, run->full.fixture, run->plan);
    bench_timed_worker_warm_up(&run->full);
    bench_timed_worker_warm_up(&run->cached);
    while (bench_timed_worker_goes_on(run->plan, out->rounds, out->voided)) {
        struct round round = run_round(run);
        if (round.is_void)
            out->voided++;
        else
            keep(run, &round);
        bench_progress("%u of %u rounds ", (unsigned)out->rounds, run->plan->windows);
    }
    out->fault = bench_timed_worker_check(&run->full);
    const struct bench_fault more = bench_timed_worker_check(&run->cached);
    if (bench_fault_is_set(&more))
        bench_fault_add(&out->fault, "%s", more.text);
    return 0;
}

/* --- main --- */

static struct bench_point cached_point(const struct bench_point *point)
{
    struct bench_point cached = *point;
    cached.mobiles = BENCH_STAGES_MOBILES;
    cached.cells = RTE_MIN(point->cells, (uint32_t)BENCH_STAGES_CELLS);
    return cached;
}

/* The second worker's frames are not checked: repeated stages skip N(U)s. */
static bool open_fixtures(struct stages_run *run, const struct bench_point *point,
                          struct bench_plan *cached_plan)
{
    const struct bench_point cached = cached_point(point);
    *cached_plan = *run->plan;
    cached_plan->is_fcs_checked = false;
    for (unsigned i = 0; i < FIGURES; i++)
        if (!bench_spread_new(&run->figures[i], run->plan->windows)) {
            bench_error("out of memory for the results");
            return false;
        }
    return bench_timed_worker_open(&run->full, run->plan, point, 0) &&
           bench_timed_worker_open(&run->cached, cached_plan, &cached, 1);
}

static void close_fixtures(struct stages_run *run)
{
    bench_timed_worker_close(&run->full);
    bench_timed_worker_close(&run->cached);
    for (unsigned i = 0; i < FIGURES; i++)
        bench_spread_free(&run->figures[i]);
}

static bool sum_up(struct stages_run *run)
{
    struct bench_stages *out = run->out;
    struct bench_spread_summary all[FIGURES];
    for (unsigned i = 0; i < FIGURES; i++)
        all[i] = bench_spread_summary(&run->figures[i]);
    out->whole = all[WHOLE];
    out->share = all[SHARE];
    out->machine = all[MACHINE];
    out->chase = all[CHASE];
    out->line = all[LINE];
    out->idle_step_ns = all[IDLE].median;
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++)
        out->alone_ns[i] = all[ALONE + i].median;
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++) {
        out->in_step_ns[i] = all[IN_STEP + i].median;
        out->floor_ns += out->alone_ns[i];
        out->in_step_sum_ns += out->in_step_ns[i];
    }
    return out->rounds > 0;
}

static bool stages_measure(const struct bench_plan *plan, const struct bench_point *point,
                           struct bench_stages *out)
{
    static struct stages_run run;
    struct bench_plan cached_plan;
    *out = (struct bench_stages){.point = *point};
    run = (struct stages_run){.plan = plan, .out = out};
    bool is_done = open_fixtures(&run, point, &cached_plan);
    if (is_done) {
        rte_eal_remote_launch(run_rounds, &run, EAL_LIVE_LCORE(0));
        rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
        bench_progress_end();
        is_done = sum_up(&run);
        if (!is_done)
            bench_timed_worker_say_none(plan, "round");
    }
    close_fixtures(&run);
    return is_done;
}

static double cycles(double ns, uint64_t tsc_hz)
{
    return ns * 1e-9 * (double)tsc_hz;
}

/* Additional time of the stages in the step: waiting for cache lines, cold code. */
static double stall_ns(const struct bench_stages *r)
{
    return r->in_step_sum_ns - r->floor_ns;
}

static double other_ns(const struct bench_stages *r)
{
    return r->whole.median - r->in_step_sum_ns - r->idle_step_ns;
}

/* --- table --- */

static void stages_head(const struct bench_plan *plan)
{
    bench_report_traffic(plan);
    printf(", %u rounds asked for, windows of %g ms\n"
           "ns and cycles of the time stamp counter (%.3f GHz) per N-PDU\n",
           plan->windows, (double)plan->window_ns * 1e-6, (double)rte_get_tsc_hz() * 1e-9);
}

static void print_line(const char *name, double alone_ns, double in_step_ns, uint64_t tsc_hz)
{
    printf("  %-10s  %8.1f  %8.0f  %11.1f  %8.1f\n", name, alone_ns, cycles(alone_ns, tsc_hz), in_step_ns,
           in_step_ns - alone_ns);
}

static void print_counts(const char *name, const struct bench_stage_counts *c, bool has_lines)
{
    printf("  %-10s  %12.1f", name, c->instructions);
    if (has_lines)
        printf("  %6.2f  %9.2f  %17.2f", c->lines, c->new_lines, c->unused_prefetches);
    printf("\n");
}

static void print_account(const struct bench_stage_account *a)
{
    if (!a->is_counted)
        return;
    printf("  counted     instructions%s\n", a->has_lines ? "   lines  new lines  unused prefetches" : "");
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        if (a->stages[i].instructions > 0)
            print_counts(bench_stage_name(i), &a->stages[i], a->has_lines);
    print_counts("sum", &a->sum, a->has_lines);
    print_counts("idle step", &a->idle, a->has_lines);
    print_counts("whole step", &a->whole, a->has_lines);
}

static void print_rest(const struct bench_stages *r)
{
    printf("  whole step %.1f ns = floor %.1f + stall %.1f + idle step %.1f + unexplained %.1f\n",
           r->whole.median, r->floor_ns, stall_ns(r), r->idle_step_ns, other_ns(r));
}

static void print_lines(const struct bench_stages *r)
{
    char interval[BENCH_REPORT_INTERVAL_CHARS];
    printf("  a line of the mobiles' tables: %.1f ns one after the other, %.1f ns independent",
           r->chase.median, r->line.median);
    if (r->account.has_lines)
        printf("; %.2f lines: machine's floor %.1f ns, share %.0f %% (%s)", r->account.sum.table_lines,
               machine_floor_ns(r, r->floor_ns, r->line.median), 100 * r->machine.median,
               bench_report_interval(interval, 0, 100 * r->machine.low, 100 * r->machine.high));
    printf("\n");
}

static void stages_row(const struct bench_plan *plan, const struct bench_stages *r, uint64_t tsc_hz)
{
    const struct bench_report_valid valid = {"round", r->rounds, plan->windows, r->voided};
    char octets[8], whole[BENCH_REPORT_INTERVAL_CHARS], share[BENCH_REPORT_INTERVAL_CHARS];
    bench_value_octets_name(octets, r->point.octets);
    printf("\n%s octets, cipher %s, %u mobile%s: %.1f ns (95 %% of median %s), floor %.1f ns, "
           "share %.0f %% (%s), %" PRIu64 " of %u rounds valid, %" PRIu64 " void%s\n",
           octets, bench_value_cipher_name(r->point.cipher), r->point.mobiles, words_plural(r->point.mobiles),
           r->whole.median, bench_report_interval(whole, 1, r->whole.low, r->whole.high), r->floor_ns,
           100 * r->share.median, bench_report_interval(share, 0, 100 * r->share.low, 100 * r->share.high),
           r->rounds, plan->windows, r->voided, bench_report_mark(&valid));
    bench_report_explain(plan, &valid, &valid);
    bench_report_void("rounds", r->rounds + r->voided, r->voided);
    printf("  stage       alone ns    cycles   in step ns  stall ns\n");
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++)
        if (r->alone_ns[i] != 0) /* the stages of a guard are not run without it */
            print_line(bench_stage_name(i), r->alone_ns[i], r->in_step_ns[i], tsc_hz);
    print_line("sum", r->floor_ns, r->in_step_sum_ns, tsc_hz);
    printf("  of headers: llc %.1f, bssgp %.1f\n", r->alone_ns[BENCH_STAGE_LLC],
           r->alone_ns[BENCH_STAGE_BSSGP]);
    print_rest(r);
    print_lines(r);
    print_account(&r->account);
    if (bench_fault_is_set(&r->fault))
        printf("  FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

/* --- JSON --- */

/* Null: not counted. */
#define COUNTED(key, value, is_counted) BENCH_ROW(key, REAL, is_counted, real, value)

static void put_counts(struct json_stream *s, const struct bench_stage_account *a,
                       const struct bench_stage_counts *c)
{
    BENCH_REPORT_ROWS(s, COUNTED("instructions", c->instructions, a->is_counted),
                      COUNTED("lines", c->lines, a->has_lines),
                      COUNTED("new_lines", c->new_lines, a->has_lines),
                      COUNTED("unused_prefetches", c->unused_prefetches, a->has_lines));
}

static void put_stages(struct json_stream *s, const struct bench_stages *r, uint64_t tsc_hz)
{
    json_stream_array(s, "stages");
    for (unsigned i = 0; i < BENCH_STAGE_ALL; i++) {
        const bool is_whole = i < BENCH_STAGE_COUNT;
        if (r->alone_ns[i] == 0)
            continue;
        json_stream_object(s, NULL);
        BENCH_REPORT_ROWS(s, BENCH_TEXT("name", bench_stage_name(i)), BENCH_REAL("alone_ns", r->alone_ns[i]),
                          BENCH_REAL("alone_cycles", cycles(r->alone_ns[i], tsc_hz)),
                          COUNTED("in_step_ns", is_whole ? r->in_step_ns[i] : 0, is_whole),
                          BENCH_TEXT("part_of", is_whole ? NULL : bench_stage_name(BENCH_STAGE_HEADERS)));
        if (is_whole)
            put_counts(s, &r->account, &r->account.stages[i]);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_account(struct json_stream *s, const struct bench_stage_account *a)
{
    const struct {
        const char *name;
        const struct bench_stage_counts *counts;
    } rows[] = {{"stages_sum", &a->sum}, {"idle_step", &a->idle}, {"whole_step", &a->whole}};
    json_stream_object(s, "counted");
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        json_stream_object(s, rows[i].name);
        put_counts(s, a, rows[i].counts);
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_floor(struct json_stream *s, const struct bench_stages *r)
{
    const bool has_lines = r->account.has_lines;
    const double machine_ns = machine_floor_ns(r, r->floor_ns, r->line.median);
    BENCH_REPORT_ROWS(s, BENCH_REAL("floor_ns", r->floor_ns), BENCH_REAL("floor_share", r->share.median),
                      BENCH_REAL("floor_share_low", r->share.low),
                      BENCH_REAL("floor_share_high", r->share.high));
    json_stream_object(s, "rest");
    BENCH_REPORT_ROWS(s, BENCH_REAL("stall_ns", stall_ns(r)), BENCH_REAL("idle_step_ns", r->idle_step_ns),
                      BENCH_REAL("unexplained_ns", other_ns(r)));
    json_stream_end(s);
    BENCH_REPORT_ROWS(s, BENCH_REAL("line_chase_ns", r->chase.median),
                      BENCH_REAL("line_independent_ns", r->line.median),
                      COUNTED("table_lines", r->account.sum.table_lines, has_lines),
                      COUNTED("machine_floor_ns", machine_ns, has_lines),
                      COUNTED("machine_floor_share", r->machine.median, has_lines),
                      COUNTED("machine_floor_share_low", r->machine.low, has_lines),
                      COUNTED("machine_floor_share_high", r->machine.high, has_lines));
}

static void stages_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_stages *r,
                         uint64_t tsc_hz)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "stages", &r->point);
    bench_report_time(s, r->whole.median > 0 ? 1e9 / r->whole.median : 0, &r->whole);
    BENCH_REPORT_ROWS(s, BENCH_REAL("cycles_per_npdu", cycles(r->whole.median, tsc_hz)));
    put_floor(s, r);
    put_stages(s, r, tsc_hz);
    put_account(s, &r->account);
    BENCH_REPORT_ROWS(s, BENCH_REAL("npdu_per_step", r->npdu_per_step), BENCH_COUNT("windows", r->rounds),
                      BENCH_COUNT("windows_asked", plan->windows), BENCH_COUNT("voided_trials", r->voided),
                      BENCH_TEXT("fault", r->fault.text));
    json_stream_end(s);
}

/* --- the mode --- */

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    struct bench_stages result;
    if (!stages_measure(plan, point, &result))
        return BENCH_POINTS_STOP;
    stages_row(plan, &result, rte_get_tsc_hz());
    stages_trial(json, plan, &result, rte_get_tsc_hz());
    return bench_fault_is_set(&result.fault) || result.rounds < plan->windows ? BENCH_POINTS_BAD
                                                                              : BENCH_POINTS_GOOD;
}

static size_t memory_octets(const struct bench_plan *plan)
{
    struct bench_points points = {.plan = plan};
    size_t most = 0;
    do {
        struct bench_point point = bench_plan_point(&points), cached = cached_point(&point);
        size_t octets =
            bench_fixture_memory_octets(plan, &point) + bench_fixture_memory_octets(plan, &cached);
        most = RTE_MAX(most, octets);
    } while (bench_plan_next_point(&points));
    return most;
}

int bench_stages_run(const struct bench_plan *plan)
{
    if (!eal_live_start(&plan->eal, 1, memory_octets(plan)))
        return COMMAND_FAILED;
    int status =
        bench_report_points(plan, &(struct bench_points_mode){.head = stages_head, .measure = measure_point});
    eal_stop();
    return status;
}
