/* SPDX-License-Identifier: BSD-3-Clause */
/* `gbflow bench sched`: gbflow's scheduler beside DPDK's rte_sched. */
#include "bench/account/account.h"
#include "bench/throughput/load.h"
#include "bench/throughput/rte.h"
#include "bench/statistics/spread.h"
#include "bench/throughput/console.h"
#include "bench/throughput/modes.h"
#include "bench/throughput/qdisc.h"
#include "bench/throughput/report.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <rte_common.h>
#include <rte_launch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A row of `gbflow bench sched`: gbflow's scheduler and DPDK's rte_sched under the same load, in alternating
 * rounds.
 *
 * Model: a round of rte_sched is whole seconds of its clock, which is set. A round of gbflow begins
 * with a new scheduler and 10 s of its time to warm up. All steps count, by the processor time of the thread.
 * Steps of rte_sched are shown twice: all, and those that found a full burst. A step that finds fewer packets
 * than it was asked for has visited each pipe that has packets.
 */

#define BURST        BENCH_LOAD_BURST
#define WARM_UP_S    10                   /* of gbflow: at 120 % most queues are full by then */
#define ROW_NS       (30 * MOMENT_SECOND) /* processor time after which a side has no further round */
#define READINGS     1001
#define COUNTED_EACH 32 /* steps of gbflow: one of so many is counted */
#define MEBIBYTE     (UINT64_C(1) << 20)
#define PIPE_OCTETS  8192 /* of rte_sched, with its packets */

struct load_row {
    const char *name;
    unsigned percent,
        rte_percent;  /* of the rates of mobiles and pipes; rte_percent 0: of those that are never reached */
    unsigned seconds; /* of a round of gbflow, in its time, for each second of rte_sched */
    bool is_backlogged, are_cells_open, are_cells_unequal;
};

enum { GBFLOW, RTE_ALL, RTE_FULL, KINDS, OF_ALL = KINDS, OF_FULL, SPREADS };

/* Per N-PDU offered; of backlogged loads per LLC-PDU or packet sent. */
struct row {
    const struct load_row *load;
    uint32_t mobiles;
    unsigned rounds;
    struct bench_spread_summary ns[KINDS];
    struct bench_spread_summary of_all, of_full; /* of rounds: gbflow's time / that of rte_sched */
    double sent_share[2];   /* of what was offered: gbflow, rte_sched; 0 of backlogged loads */
    double full_share;      /* of the steps of rte_sched */
    double instructions[2]; /* counted by stepping: gbflow's, and those of rte_sched's full bursts; 0: not
                               counted */
    double mispredictions;  /* of gbflow in user space, by the CPU's counter; below 0: it has none */
    char rte_fault[BENCH_RTE_FAULT_CHARS]; /* why it was not measured; empty: it was */
};

static_assert(BENCH_LOAD_BURST == BENCH_RTE_BURST && BENCH_LOAD_LLC_OCTETS == BENCH_RTE_OCTETS,
              "the same load");

static const struct load_row loads[] = {
    {"5 %", 5, 5, 200, .is_backlogged = false},
    {"90 %", 90, 90, 20, .is_backlogged = false},
    {"120 %", 120, 120, 20, .is_backlogged = false},
    {"120 %, unequal cells", 120, 120, 20, .are_cells_unequal = true},
    {"backlogged", 100, 100, 20, .is_backlogged = true},
    {"backlogged, unequal cells", 100, 100, 20, .is_backlogged = true, .are_cells_unequal = true},
    {"backlogged, 5 % more steps", 105, 105, 20, .is_backlogged = true},
    {"backlogged, rte_sched without rates", 100, 0, 20, .is_backlogged = true},
    {"backlogged, cells open", 100, 100, 20, .is_backlogged = true, .are_cells_open = true},
};

/* Sums of a side, of one or all rounds. */
struct side {
    double steps, full_steps, offered, sent, full_sent, ns, full_ns;
};

struct measurement {
    const struct bench_plan *plan;
    struct row *row;
    struct bench_load *load;
    struct bench_rte *rte;
    int counter;
    double reading_ns; /* that reading the clock adds to a step */
    double rte_at_ns, rte_until_ns, rte_step_ns;
    uint64_t mispredictions;
    struct side sides[2], sums[2]; /* of a round, of all */
    struct bench_spread spreads[SPREADS];
};

/* --- clocks and counters --- */

static int compare_ns(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static double measure_reading(void)
{
    static int64_t took[READINGS];
    for (unsigned i = 0; i < READINGS; i++) {
        const int64_t from_ns = clock_thread_ns();
        took[i] = clock_thread_ns() - from_ns;
    }
    qsort(took, READINGS, sizeof(took[0]), compare_ns);
    return (double)took[READINGS / 2];
}

static int open_counter(void)
{
    struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                         .size = sizeof(attributes),
                                         .config = PERF_COUNT_HW_BRANCH_MISSES,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

static uint64_t read_counter(int counter)
{
    uint64_t value = 0;
    return counter >= 0 && read(counter, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

/* --- rounds --- */

/* False: out of memory. */
static bool open_gbflow(struct measurement *m)
{
    const struct load_row *load = m->row->load;
    const struct bench_load_params params = {.mobiles = m->row->mobiles,
                                             .percent = load->percent,
                                             .is_backlogged = load->is_backlogged,
                                             .are_cells_open = load->are_cells_open,
                                             .are_cells_unequal = load->are_cells_unequal};
    bench_load_free(m->load);
    m->load = bench_load_new(&params);
    if (m->load)
        bench_load_run(m->load, WARM_UP_S * MOMENT_SECOND, NULL, bench_console_is_interrupted);
    return m->load != NULL;
}

static bool run_gbflow(struct measurement *m)
{
    struct side *side = &m->sides[0];
    *side = (struct side){0};
    if (!open_gbflow(m))
        return false;
    const uint64_t missed = read_counter(m->counter);
    const int64_t from_ns = clock_thread_ns();
    uint64_t sent = 0;
    side->steps = (double)bench_load_run(m->load, m->row->load->seconds * m->plan->seconds * MOMENT_SECOND,
                                         &sent, bench_console_is_interrupted);
    side->ns = (double)(clock_thread_ns() - from_ns);
    side->sent = (double)sent;
    m->mispredictions += read_counter(m->counter) - missed;
    return true;
}

static unsigned step_rte(struct measurement *m)
{
    return m->row->load->is_backlogged ? bench_rte_turn(m->rte) : bench_rte_step(m->rte);
}

static void set_rte_clock(struct measurement *m)
{
    bench_rte_set_clock(m->rte, (int64_t)m->rte_at_ns);
    m->rte_at_ns += m->rte_step_ns;
}

static void time_rte_step(struct measurement *m, struct side *side)
{
    set_rte_clock(m);
    const int64_t from_ns = clock_thread_ns();
    const unsigned sent = step_rte(m);
    const double took_ns = RTE_MAX((double)(clock_thread_ns() - from_ns) - m->reading_ns, 0);
    side->steps++;
    side->ns += took_ns;
    side->sent += sent;
    if (sent < BURST)
        return;
    side->full_steps++;
    side->full_ns += took_ns;
    side->full_sent += sent;
}

static void run_rte(struct measurement *m)
{
    struct side *side = &m->sides[1];
    *side = (struct side){0};
    if (!m->rte)
        return;
    m->rte_until_ns += (double)MOMENT_SECOND * m->plan->seconds;
    while (m->rte_at_ns < m->rte_until_ns && !bench_console_is_interrupted())
        time_rte_step(m, side);
}

static double each(double ns, double items)
{
    return items > 0 ? ns / items : 0;
}

static void add_ratio(struct bench_spread *to, double ns, double peer_ns)
{
    if (peer_ns > 0)
        bench_spread_add(to, ns / peer_ns);
}

static void keep(struct measurement *m)
{
    double ns[KINDS];
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &m->sides[i], *sum = &m->sums[i];
        side->offered = side->steps * BURST;
        ns[i] = each(side->ns, m->row->load->is_backlogged ? side->sent : side->offered);
        sum->ns += side->ns;
        sum->steps += side->steps;
        sum->full_steps += side->full_steps;
        sum->offered += side->offered;
        sum->sent += side->sent;
    }
    ns[RTE_FULL] = each(m->sides[1].full_ns, m->sides[1].full_sent);
    for (unsigned i = 0; i < KINDS; i++)
        if (ns[i] > 0)
            bench_spread_add(&m->spreads[i], ns[i]);
    add_ratio(&m->spreads[OF_ALL], ns[GBFLOW], ns[RTE_ALL]);
    add_ratio(&m->spreads[OF_FULL], ns[GBFLOW], ns[RTE_FULL]);
    m->row->rounds++;
}

/* Rounds begin in turn with gbflow and with rte_sched. False: out of memory. */
static bool run_rounds(struct measurement *m)
{
    for (unsigned i = 0; i < m->plan->rounds && RTE_MAX(m->sums[0].ns, m->sums[1].ns) < (double)ROW_NS; i++) {
        bench_progress("%u mobiles, %s: round %u of %u ", m->row->mobiles, m->row->load->name, i + 1,
                       m->plan->rounds);
        if (i % 2 > 0)
            run_rte(m);
        if (!run_gbflow(m))
            return false;
        if (i % 2 == 0)
            run_rte(m);
        if (bench_console_is_interrupted())
            break;
        keep(m);
    }
    return true;
}

/* --- instructions --- */

static void step_gbflow_once(void *arg)
{
    struct measurement *m = arg;
    m->sides[0].sent = bench_load_step(m->load);
}

static void step_rte_once(void *arg)
{
    struct measurement *m = arg;
    m->sides[1].sent = step_rte(m);
}

/* A step, counted; of rte_sched it counts if it found a full burst. */
static void count_step(struct measurement *m, struct account *account, unsigned side, double *instructions,
                       double *items)
{
    const uint64_t before = account_figures(account, 0).instructions;
    account_run(account, 0, side > 0 ? step_rte_once : step_gbflow_once, m);
    if (side > 0 && m->sides[side].sent < BURST)
        return;
    *instructions += (double)(account_figures(account, 0).instructions - before);
    *items += side > 0 || m->row->load->is_backlogged ? m->sides[side].sent : BURST;
}

/* Whether one more step is to be counted; an interruption leaves what was counted. */
static bool counts_on(const struct measurement *m, unsigned step)
{
    if (step >= m->plan->counted_steps || bench_console_is_interrupted())
        return false;
    bench_progress("%u mobiles, %s: counted step %u of %u ", m->row->mobiles, m->row->load->name, step + 1,
                   m->plan->counted_steps);
    return true;
}

static double count_gbflow(struct measurement *m, struct account *account)
{
    double instructions = 0, items = 0;
    for (unsigned i = 0; counts_on(m, i); i++) {
        count_step(m, account, 0, &instructions, &items);
        for (unsigned k = 1; k < COUNTED_EACH; k++)
            bench_load_step(m->load);
    }
    return each(instructions, items);
}

static double count_rte(struct measurement *m, struct account *account)
{
    double instructions = 0, items = 0;
    for (unsigned i = 0; counts_on(m, i); i++) {
        set_rte_clock(m);
        count_step(m, account, 1, &instructions, &items);
    }
    return each(instructions, items);
}

/* Of rte_sched only at loads that leave no pipe without credit: a step may visit each pipe. */
static void count_instructions(struct measurement *m)
{
    struct account *account = m->plan->counted_steps > 0 && account_is_possible() ? account_new(false) : NULL;
    if (!account)
        return;
    m->row->instructions[0] = count_gbflow(m, account);
    if (m->rte && m->row->load->rte_percent < 10)
        m->row->instructions[1] = count_rte(m, account);
    account_free(account);
}

/* --- a row --- */

static void open_rte(struct measurement *m)
{
    const struct load_row *load = m->row->load;
    const double per_s = (double)bench_rte_per_s(m->row->mobiles) * m->row->mobiles * load->percent / 100;
    m->rte = bench_rte_new(m->row->mobiles, load->rte_percent > 0, m->row->rte_fault);
    m->rte_step_ns = BURST * (double)MOMENT_SECOND / per_s;
    if (!m->rte)
        return;
    if (load->is_backlogged || load->percent > 100) { /* each second is like the first one */
        bench_rte_fill(m->rte, load->is_backlogged ? BENCH_LOAD_BACKLOG : BENCH_LOAD_QUEUE);
        return;
    }
    for (m->rte_until_ns = MOMENT_SECOND; m->rte_at_ns < m->rte_until_ns;) {
        set_rte_clock(m);
        step_rte(m);
    }
}

static bool open_spreads(struct measurement *m)
{
    bool is_done = true;
    for (unsigned i = 0; is_done && i < SPREADS; i++)
        is_done = bench_spread_new(&m->spreads[i], m->plan->rounds);
    return is_done;
}

static void close_sides(struct measurement *m)
{
    for (unsigned i = 0; i < SPREADS; i++)
        bench_spread_free(&m->spreads[i]);
    bench_load_free(m->load);
    if (m->rte)
        bench_rte_free(m->rte);
    if (m->counter >= 0)
        close(m->counter);
}

static void sum_up(struct measurement *m)
{
    struct row *row = m->row;
    const bool is_backlogged = row->load->is_backlogged;
    for (unsigned i = 0; i < KINDS; i++)
        row->ns[i] = bench_spread_summary(&m->spreads[i]);
    row->of_all = bench_spread_summary(&m->spreads[OF_ALL]);
    row->of_full = bench_spread_summary(&m->spreads[OF_FULL]);
    for (unsigned i = 0; i < 2; i++)
        row->sent_share[i] = is_backlogged ? 0 : each(m->sums[i].sent, m->sums[i].offered);
    row->full_share = each(m->sums[1].full_steps, m->sums[1].steps);
    row->mispredictions = m->counter < 0 ? -1
                                         : each((double)m->mispredictions,
                                                is_backlogged ? m->sums[0].sent : m->sums[0].offered);
}

static bool measure_row(struct row *row, const struct bench_plan *plan, const struct load_row *load,
                        uint32_t mobiles)
{
    struct measurement m = {.plan = plan, .row = row, .counter = open_counter()};
    *row = (struct row){.load = load, .mobiles = mobiles};
    bool is_done = open_spreads(&m);
    if (is_done) {
        m.reading_ns = measure_reading();
        open_rte(&m);
        is_done = run_rounds(&m);
    }
    if (!is_done)
        bench_error("%u mobiles: out of memory; give fewer --mobiles, or raise the limit (ulimit -v)",
                    mobiles);
    sum_up(&m);
    if (is_done && row->rounds > 0)
        count_instructions(&m);
    close_sides(&m);
    return is_done && row->rounds > 0;
}

static size_t memory_octets(uint32_t pipes)
{
    return (size_t)pipes * PIPE_OCTETS + 256 * MEBIBYTE;
}

/* --- the mode --- */

struct task {
    const struct bench_plan *plan;
    const struct load_row *load;
    uint32_t mobiles;
    struct row row;
    bool is_done;
};

static int run_task(void *arg)
{
    struct task *task = arg;
    task->is_done = measure_row(&task->row, task->plan, task->load, task->mobiles);
    return 0;
}

/* --- table --- */

static void put_counter(void)
{
    const int counter = open_counter();
    if (counter < 0)
        printf("mispredicted branches: not counted, perf_event_open(): %s\n", strerror(errno));
    else
        close(counter);
    if (!account_is_possible())
        printf("instructions: not counted, this CPU has no trap flag\n");
}

static void head(const struct bench_plan *plan)
{
    printf("ns of processor time per N-PDU offered, backlogged per LLC-PDU sent; medians of up to %u rounds "
           "of %u s of "
           "rte_sched's clock, and quartiles\n",
           plan->rounds, plan->seconds);
    put_counter();
    printf("\nmobiles  load                                 rounds           gbflow   rte_sched, all steps   "
           "  full "
           "bursts   / all  / full  instructions  mispredictions\n");
}

static void put_spread(const struct bench_spread_summary *s)
{
    if (s->median > 0)
        printf("  %7.0f (%.0f..%.0f)", s->median, s->lower_quartile, s->upper_quartile);
    else
        printf("        -       ");
}

static void put_known(const char *format, bool is_known, double value)
{
    if (is_known)
        printf(format, value);
    else
        printf("       -");
}

static void put_row(const struct row *r)
{
    printf("%7u  %-36s %6u", r->mobiles, r->load->name, r->rounds);
    for (unsigned i = 0; i < KINDS; i++)
        put_spread(&r->ns[i]);
    put_known("  %6.3f", r->of_all.median > 0, r->of_all.median);
    put_known("  %6.2f", r->of_full.median > 0, r->of_full.median);
    put_known("  %6.0f", r->instructions[0] > 0, r->instructions[0]);
    put_known(" (%.0f)", r->instructions[1] > 0, r->instructions[1]);
    put_known("  %6.2f", r->mispredictions >= 0, r->mispredictions);
    printf("\n");
    if (r->rte_fault[0])
        printf("         %s\n", r->rte_fault);
    fflush(stdout);
}

/* --- JSON --- */

static void put_summary(struct json_stream *s, const char *key, const struct bench_spread_summary *x)
{
    if (x->median <= 0) {
        json_stream_null(s, key);
        return;
    }
    json_stream_object(s, key);
    BENCH_REPORT_ROWS(s, BENCH_REAL("median", x->median), BENCH_REAL("lower_quartile", x->lower_quartile),
                      BENCH_REAL("upper_quartile", x->upper_quartile), BENCH_REAL("median_low", x->low),
                      BENCH_REAL("median_high", x->high));
    json_stream_end(s);
}

static void put_trial(struct json_stream *s, const struct bench_plan *plan, const struct row *r)
{
    json_stream_object(s, NULL);
    BENCH_REPORT_ROWS(
        s, BENCH_TEXT("mode", "sched"), BENCH_COUNT("mobiles", r->mobiles), BENCH_TEXT("load", r->load->name),
        BENCH_COUNT("load_percent", r->load->percent), BENCH_COUNT("rte_load_percent", r->load->rte_percent),
        BENCH_BOOL("backlogged", r->load->is_backlogged), BENCH_BOOL("cells_open", r->load->are_cells_open),
        BENCH_COUNT("rounds", r->rounds), BENCH_COUNT("round_s", plan->seconds));
    put_summary(s, "gbflow_ns", &r->ns[GBFLOW]);
    put_summary(s, "rte_all_ns", &r->ns[RTE_ALL]);
    put_summary(s, "rte_full_ns", &r->ns[RTE_FULL]);
    put_summary(s, "ratio_all", &r->of_all);
    put_summary(s, "ratio_full", &r->of_full);
    BENCH_REPORT_ROWS(s, BENCH_KNOWN("gbflow_sent_share", r->sent_share[0]),
                      BENCH_KNOWN("rte_sent_share", r->sent_share[1]),
                      BENCH_KNOWN("rte_full_steps_share", r->full_share),
                      BENCH_KNOWN("instructions", r->instructions[0]),
                      BENCH_KNOWN("rte_full_instructions", r->instructions[1]),
                      BENCH_ROW("mispredictions", REAL, r->mispredictions >= 0, real, r->mispredictions),
                      BENCH_TEXT("fault", r->rte_fault));
    json_stream_end(s);
}

/* --- Linux --- */

static void measure_qdisc(struct json_stream *s, const struct bench_plan *plan, const char *leaf,
                          uint32_t mobiles)
{
    struct bench_qdisc q;
    if (bench_console_is_interrupted())
        return;
    bench_progress("htb + %s: set up and measured ", leaf);
    bench_qdisc_measure(&q, leaf, mobiles);
    bench_progress_end();
    if (bench_console_is_interrupted())
        return;
    printf("  Linux   htb + %s, %u classes, no rate reached: ", leaf, q.classes);
    if (q.fault[0])
        printf("not measured: %s\n", q.fault);
    else
        printf("%.0f ns per datagram, %.0f without a qdisc: %.0f more\n", q.with_ns, q.without_ns,
               q.with_ns - q.without_ns);
    fflush(stdout);
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("mode", "qdisc"), BENCH_TEXT("leaf", leaf),
                      BENCH_COUNT("classes", q.classes), BENCH_KNOWN("with_ns", q.with_ns),
                      BENCH_KNOWN("without_ns", q.without_ns), BENCH_TEXT("fault", q.fault));
    json_stream_end(s);
}

/* --- rows --- */

static uint32_t most_mobiles(const struct bench_plan *plan)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < plan->mobiles.count; i++)
        most = RTE_MAX(most, plan->mobiles.values[i]);
    return most;
}

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    enum bench_points_outcome outcome = BENCH_POINTS_GOOD;
    for (unsigned i = 0; i < RTE_DIM(loads) && !bench_console_is_interrupted(); i++) {
        struct task task = {.plan = plan, .load = &loads[i], .mobiles = point->mobiles};
        rte_eal_remote_launch(run_task, &task, EAL_LIVE_LCORE(0));
        rte_eal_wait_lcore(EAL_LIVE_LCORE(0));
        bench_progress_end();
        if (!task.is_done)
            return BENCH_POINTS_STOP;
        put_row(&task.row);
        if (plan->json)
            put_trial(json, plan, &task.row);
        if (task.row.rte_fault[0])
            outcome = BENCH_POINTS_BAD;
    }
    return outcome;
}

/* Once: the load of the qdiscs is the same for all numbers of mobiles. */
static void measure_qdiscs(struct json_stream *json, const struct bench_plan *plan)
{
    measure_qdisc(json, plan, "fq_codel", most_mobiles(plan));
    measure_qdisc(json, plan, "pfifo", most_mobiles(plan));
}

int bench_schedulers_run(const struct bench_plan *plan)
{
    if (!eal_live_start(&plan->eal, 1, memory_octets(most_mobiles(plan))))
        return COMMAND_FAILED;
    int status = bench_report_points(
        plan,
        &(struct bench_points_mode){.head = head, .measure = measure_point, .measure_last = measure_qdiscs});
    eal_stop();
    return status;
}
