/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/soak.h"
#include "bench/statistics/loss_log.h"
#include "bench/throughput/console.h"
#include "bench/throughput/constant_load.h"
#include "bench/throughput/ndr.h"
#include "bench/throughput/ndr_loop.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/report.h"
#include "bench/throughput/timed_worker.h"
#include "bench/throughput/values.h"

#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <inttypes.h>
#include <rte_mempool.h>
#include <stdio.h>
#include <unistd.h>

/* As report.h, of soak. */

#define POLL_US     5000
#define SETTLE_US   200000 /* until the counts that the worker publishes are current */
#define REST_NS     (10 * MOMENT_SECOND)
#define WARM_SHARE  10                   /* the warm-up ends after 1 / WARM_SHARE of the duration, */
#define WARM_NS     (10 * MOMENT_SECOND) /* at most after this, */
#define WARM_RINGS  64                   /* and at least after this number of full rings */
#define GROWTH_MOST ((uint64_t)1 << 20)
#define GAP_FRAMES  (1.5 * WORKER_BURST) /* a longer turn than the arrival of these frames is a gap */
#define AFTER_RINGS 32 /* a gap extends by at most these rings; 10 % below its limit a worker needs ten */
#define HOLD_PARTS  16 /* a load is tried for 1 / HOLD_PARTS of --seconds, then HOLD_GROWTH times as long, */
#define HOLD_GROWTH 4
#define HOLD_SHARE  3 /* and last for 1 / HOLD_SHARE of the soak, if that is more than --seconds */
#define HOLD_TRIES  40
#define HOLD_STEP   0.95
#define HOLD_EASY   5 /* failures in a row before steps are wider */
#define HOLD_WIDE   0.7

/* A soak under way. */
struct soaking {
    const struct bench_plan *plan;
    struct bench_generator *g;
    struct bench_dut_process *dut;
    struct bench_soak *soak;
    struct bench_loss_log loss_log;
    bool is_warm;
};

int64_t bench_soak_gap_ns(int64_t most_ns, double rate)
{
    return moment_min(most_ns, (int64_t)(GAP_FRAMES * 1e9 / rate));
}

/* Whether gaps cover more than half of the time: then losses in gaps prove nothing. */
static bool is_mostly_gaps(const struct bench_soak *s)
{
    return 2 * s->sum.covered_ns > s->took_ns;
}

static void check_losses(const struct bench_soak *s, struct bench_fault *fault)
{
    const uint64_t lost = s->unsent + s->dropped;
    if (s->missed_events > 0)
        bench_fault_add(fault, "loss log incomplete: %" PRIu64 " gaps, backlogs or losses had no room",
                        s->missed_events);
    if (s->sum.lost_outside > 0)
        bench_fault_add(fault, "loss outside of gaps: %" PRIu64 " N-PDUs", s->sum.lost_outside);
    else if (s->sum.lost > 0 && is_mostly_gaps(s))
        bench_fault_add(fault, "gaps cover %.0f %% of the time, more than half: losses in them prove nothing",
                        100 * (double)s->sum.covered_ns / (double)s->took_ns);
    if (s->sum.lost != lost)
        bench_fault_add(fault, "loss log: %" PRIu64 " N-PDUs, but %" PRIu64 " without room or dropped",
                        s->sum.lost, lost);
}

static void check_counts(const struct bench_soak *s, struct bench_fault *fault)
{
    if (s->received != s->offered - s->unsent)
        bench_fault_add(fault,
                        "Gn: %" PRIu64 " N-PDUs sent by the generator, %" PRIu64 " received by the worker",
                        s->offered - s->unsent, s->received);
    if (s->sent + s->dropped != s->received)
        bench_fault_add(fault, "N-PDU leak: %" PRIu64 " received, %" PRIu64 " sent, %" PRIu64 " dropped",
                        s->received, s->sent, s->dropped);
    if (s->frames != s->llc_frames)
        bench_fault_add(
            fault, "Gb: %" PRIu64 " LLC frames sent by the worker, %" PRIu64 " received by the generator",
            s->llc_frames, s->frames);
    if (s->wrong_fcs + s->reordered > 0)
        bench_fault_add(fault,
                        "Gb: %" PRIu64 " LLC frames with a wrong FCS, %" PRIu64 " with N(U) out of order",
                        s->wrong_fcs, s->reordered);
}

static void check_use(struct bench_fault *fault, const char *process, const uint64_t mbufs[2],
                      const uint64_t octets[2])
{
    if (mbufs[0] != mbufs[1])
        bench_fault_add(fault, "mbuf leak: %" PRIu64 " in use before, %" PRIu64 " after, by the %s", mbufs[0],
                        mbufs[1], process);
    if (octets[1] > octets[0] + GROWTH_MOST)
        bench_fault_add(fault, "memory leak: RSS of the %s grew by %.1f MiB", process,
                        (double)(octets[1] - octets[0]) / 1048576);
}

struct bench_fault bench_soak_check(const struct bench_soak *s)
{
    struct bench_fault fault = {""};
    check_losses(s, &fault);
    check_counts(s, &fault);
    check_use(&fault, "worker", (uint64_t[]){s->before.worker_mbufs, s->after.worker_mbufs},
              (uint64_t[]){s->warm.worker_octets, s->after.worker_octets});
    check_use(&fault, "generator", (uint64_t[]){s->before.generator_mbufs, s->after.generator_mbufs},
              (uint64_t[]){s->warm.generator_octets, s->after.generator_octets});
    return fault;
}

/* --- memory --- */

static uint64_t resident_octets(pid_t pid)
{
    char path[64];
    unsigned long long size = 0, resident = 0;
    snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t worker_mbufs(const struct soaking *s)
{
    uint64_t buffers = 0;
    for (unsigned i = 0; i < s->soak->point.workers; i++)
        buffers += atomic_load(&s->dut->page->workers[i].mbufs);
    return buffers;
}

/* RSS of this process without the loss log. */
static uint64_t own_octets(const struct soaking *s)
{
    uint64_t resident = resident_octets(getpid()), account = bench_loss_log_octets(&s->loss_log);
    return resident > account ? resident - account : 0;
}

static void read_use(const struct soaking *s, struct bench_soak_use *use)
{
    *use = (struct bench_soak_use){.worker_octets = resident_octets(s->dut->pid),
                                   .generator_octets = own_octets(s),
                                   .worker_mbufs = worker_mbufs(s),
                                   .generator_mbufs = rte_mempool_in_use_count(s->g->rx_pool) +
                                                      rte_mempool_in_use_count(s->g->tx_pool)};
}

/* --- events --- */

static void take_events(struct soaking *s, struct bench_constant_load *f)
{
    struct bench_event event;
    while (bench_events_take(&f->events, &event))
        bench_loss_log_put(&s->loss_log, BENCH_LOSS_LOG_GENERATOR, &event);
    for (unsigned i = 0; i < s->soak->point.workers; i++)
        while (bench_events_take(&s->dut->page->workers[i].events, &event))
            bench_loss_log_put(&s->loss_log, BENCH_LOSS_LOG_WORKER, &event);
}

/* Adds the worker's counts, or subtracts them with sign -1. */
static void count_worker(struct soaking *s, int sign)
{
    for (unsigned i = 0; i < s->soak->point.workers; i++) {
        struct bench_page_worker *w = &s->dut->page->workers[i];
        s->soak->received += (uint64_t)sign * atomic_load(&w->gn_frames);
        s->soak->sent += (uint64_t)sign * atomic_load(&w->npdu_out);
        s->soak->dropped += (uint64_t)sign * atomic_load(&w->dropped);
        s->soak->llc_frames += (uint64_t)sign * atomic_load(&w->llc_frames);
        s->soak->missed_events += (uint64_t)sign * atomic_load(&w->events.missed);
    }
}

/* Whether all N-PDUs and frames are accounted for. */
static bool is_at_rest(struct soaking *s, const struct bench_constant_load *f)
{
    struct bench_soak now = *s->soak;
    struct soaking copy = *s;
    copy.soak = &now;
    count_worker(&copy, 1);
    return now.received == atomic_load(&f->sent) && now.sent + now.dropped == now.received &&
           now.llc_frames == atomic_load(&f->frames) && worker_mbufs(s) == s->soak->before.worker_mbufs;
}

/* Ends the load and waits for frames in flight, REST_NS at most. */
static void soak_settle(struct soaking *s, struct bench_constant_load *f)
{
    const int64_t end_ns = clock_now_ns() + REST_NS;
    bench_constant_load_stop(f);
    do {
        usleep(SETTLE_US);
        take_events(s, f);
    } while (!is_at_rest(s, f) && bench_dut_process_is_alive(s->dut) && clock_now_ns() < end_ns);
    bench_constant_load_end(f);
    usleep(SETTLE_US);
    take_events(s, f);
}

static void show(const struct soaking *s, struct bench_constant_load *f, int64_t gone_ns)
{
    bench_progress("%lld s: %llu N-PDUs, %zu gaps, %zu losses ", (long long)(gone_ns / MOMENT_SECOND),
                   (unsigned long long)atomic_load(&f->offered),
                   s->loss_log.gaps[BENCH_LOSS_LOG_WORKER].count +
                       s->loss_log.gaps[BENCH_LOSS_LOG_GENERATOR].count,
                   s->loss_log.losses.count);
}

/* Reads the memory once rings and pools have been used as a whole. */
static void warm_up(struct soaking *s, struct bench_constant_load *f, int64_t gone_ns)
{
    if (s->is_warm || gone_ns < moment_min(s->plan->soak_ns / WARM_SHARE, WARM_NS) ||
        atomic_load(&f->frames) < (uint64_t)WARM_RINGS * BENCH_DUT_RING * s->soak->point.workers)
        return;
    read_use(s, &s->soak->warm);
    s->is_warm = true;
}

/* False: the worker's process ended. */
static bool soak_watch(struct soaking *s, struct bench_constant_load *f)
{
    const int64_t start_ns = clock_now_ns();
    for (int64_t gone_ns = 0; gone_ns < s->plan->soak_ns && !bench_console_is_interrupted();
         gone_ns = clock_now_ns() - start_ns) {
        usleep(POLL_US);
        take_events(s, f);
        if (!bench_dut_process_is_alive(s->dut))
            return false;
        warm_up(s, f, gone_ns);
        show(s, f, gone_ns);
    }
    return true;
}

/* --- a soak --- */

static void keep(struct bench_soak *soak, const struct bench_constant_load *f)
{
    soak->took_ns = f->trial.took_ns;
    soak->offered = f->trial.offered;
    soak->unsent = f->trial.unsent;
    soak->left_out = f->left_out;
    soak->frames = f->trial.received;
    soak->wrong_fcs = f->trial.wrong_fcs;
    soak->reordered = f->trial.reordered;
    soak->missed_events += f->events.missed;
}

static void soak_at(struct soaking *s)
{
    static struct bench_constant_load flood;
    struct bench_soak *soak = s->soak;
    flood = (struct bench_constant_load){.g = s->g, .rate = soak->rate_npdu_per_s, .gap_ns = soak->gap_ns};
    atomic_store(&s->dut->page->gap_ns, soak->gap_ns);
    usleep(SETTLE_US);
    take_events(s, &flood); /* discards events of the search */
    s->loss_log.losses.count = s->loss_log.backlogs.count = 0;
    s->loss_log.gaps[BENCH_LOSS_LOG_WORKER].count = s->loss_log.gaps[BENCH_LOSS_LOG_GENERATOR].count = 0;
    count_worker(s, -1);
    read_use(s, &soak->before);
    soak->began_ns = clock_counter_ns(&s->g->clock);
    bench_constant_load_start(&flood);
    bool is_alive = soak_watch(s, &flood);
    soak_settle(s, &flood);
    count_worker(s, 1);
    read_use(s, &soak->after);
    if (!s->is_warm)
        soak->warm = soak->after; /* too short a run for a warm-up */
    keep(soak, &flood);
    soak->sum = bench_loss_log_sum(&s->loss_log);
    soak->sum.covered_ns = moment_min(soak->sum.covered_ns, soak->took_ns);
    soak->missed_events += s->loss_log.is_incomplete;
    if (is_alive)
        soak->fault = bench_soak_check(soak);
    else
        bench_fault_add(&soak->fault, "the worker's process ended");
}

static void set_rate(struct soaking *s, double rate)
{
    double rate_each = rate / s->soak->point.workers, ring_ns = BENCH_DUT_RING * 1e9 / rate_each;
    s->soak->rate_npdu_per_s = rate;
    s->soak->gap_ns = bench_soak_gap_ns(s->plan->gap_ns, rate_each);
    s->loss_log.slack_ns = (int64_t)(ring_ns / 4);
    s->loss_log.after_ns = (int64_t)(AFTER_RINGS * ring_ns);
}

/* Whether a load has no loss outside of gaps for length_ns. */
static bool does_hold(const struct soaking *s, double rate, int64_t length_ns)
{
    struct bench_plan plan = *s->plan;
    struct bench_soak soak = {.point = s->soak->point};
    struct soaking brief = {.plan = &plan, .g = s->g, .dut = s->dut, .soak = &soak};
    plan.soak_ns = length_ns;
    set_rate(&brief, rate);
    soak_at(&brief);
    bench_loss_log_fini(&brief.loss_log);
    return soak.sum.lost_outside == 0 && !is_mostly_gaps(&soak);
}

/* The first load from `rate` on down without loss outside of gaps, tried for longer and longer. 0, with a
 * line on stderr unless the run was interrupted: there is none. */
static double holding_rate(const struct soaking *s, double rate)
{
    const int64_t search_ns = (int64_t)s->plan->seconds * MOMENT_SECOND, brief_ns = search_ns / HOLD_PARTS,
                  long_ns = moment_max(search_ns, s->plan->soak_ns / HOLD_SHARE);
    int64_t length_ns = brief_ns;
    unsigned failures = 0;
    for (unsigned i = 0; i < HOLD_TRIES && rate > 0 && bench_dut_process_is_alive(s->dut); i++) {
        const bool is_held = does_hold(s, rate, length_ns);
        if (bench_console_is_interrupted())
            return 0;
        if (!is_held) {
            rate *= ++failures > HOLD_EASY ? HOLD_WIDE : HOLD_STEP;
            length_ns = brief_ns;
            continue;
        }
        if (length_ns >= long_ns)
            return rate;
        failures = 0;
        length_ns = moment_min(HOLD_GROWTH * length_ns, long_ns);
    }
    bench_error(
        "no offered load without loss outside of gaps, from NDR down to %.0f N-PDU/s: use idle CPUs, or give "
        "--rate N",
        rate);
    return 0;
}

/* The least NDR of all distances, or the forwarding rate at full load where no search found one; from there
 * the first load that holds. 0, with a line on stderr: there is none. */
static double lasting_rate(const struct soaking *s)
{
    static struct bench_ndr_loop h;
    double least = 0;
    h = (struct bench_ndr_loop){.plan = s->plan, .count = 1, .devices = {{.g = s->g, .dut = s->dut}}};
    bench_dut_process_pause(s->dut);
    bench_ndr_loop_run(&h);
    bench_dut_process_resume(s->dut);
    for (unsigned i = 0; i < BENCH_DISTANCES; i++) {
        const struct bench_ndr *r = &h.devices[0].at[i];
        double rate = r->ndr.median > 0 ? r->ndr.median : r->most_npdu_per_s;
        least = rate > 0 && (least == 0 || rate < least) ? rate : least;
    }
    return holding_rate(s, least);
}

/* Sets the offered load: --rate, or a share of NDR. False: not found. */
static bool find_rate(struct soaking *s)
{
    double rate = s->plan->rate;
    if (rate <= 0) {
        s->soak->ndr_npdu_per_s = lasting_rate(s);
        rate = s->soak->ndr_npdu_per_s * s->plan->ndr_percent / 100;
    }
    if (rate > 0)
        set_rate(s, rate);
    return rate > 0;
}

static bool soak_measure(const struct bench_plan *plan, const struct bench_point *point,
                         struct bench_soak *soak)
{
    static struct bench_generator g;
    struct bench_dut_process dut;
    struct soaking s = {.plan = plan, .g = &g, .dut = &dut, .soak = soak};
    g = (struct bench_generator){.plan = NULL};
    *soak = (struct bench_soak){.point = *point};
    if (!bench_dut_process_start(&dut, plan, point, false))
        return false;
    bool is_done = bench_generator_open(&g, plan, point, &dut) && find_rate(&s);
    if (is_done)
        soak_at(&s);
    bench_generator_close(&g);
    bench_dut_process_stop(&dut);
    bench_loss_log_fini(&s.loss_log);
    return is_done;
}

/* --- table and JSON --- */

static double share_of(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

static void soak_head(const struct bench_plan *plan)
{
    bench_report_traffic(plan);
    printf(", %g s\n\n", (double)plan->soak_ns * 1e-9);
}

static void print_use(const char *when, const struct bench_soak_use *use)
{
    printf("  %-7s %6" PRIu64 " and %6" PRIu64
           " mbufs in use by worker and generator, RSS %8.1f and %8.1f MiB\n",
           when, use->worker_mbufs, use->generator_mbufs, (double)use->worker_octets / 1048576,
           (double)use->generator_octets / 1048576);
}

static void print_losses(const struct bench_soak *r)
{
    const struct bench_loss_log_sum *sum = &r->sum;
    printf("  turns above %g us, gaps: worker %" PRIu64 " (longest %.0f us), generator %" PRIu64
           " (longest %.0f us); with their backlogs (longest %.0f us) they cover %.2f %% of the time\n",
           (double)r->gap_ns * 1e-3, sum->gaps[0], (double)sum->longest_ns[0] * 1e-3, sum->gaps[1],
           (double)sum->longest_ns[1] * 1e-3, (double)sum->longest_after_ns * 1e-3,
           r->took_ns > 0 ? 100 * (double)sum->covered_ns / (double)r->took_ns : 0);
    printf("  lost: %" PRIu64 " N-PDUs (share %.2g): %" PRIu64 " in gaps of the worker, %" PRIu64
           " in gaps of the generator, %" PRIu64 " outside of gaps\n",
           sum->lost, share_of(sum->lost, r->offered), sum->lost_in[0], sum->lost_in[1], sum->lost_outside);
}

static double since_s(const struct bench_soak *r, const struct bench_loss_log_outside *o)
{
    return (double)(o->begin_ns - r->began_ns) * 1e-9;
}

static double backlog_us(const struct bench_loss_log_outside *o)
{
    return (double)(o->backlog.end_ns - o->backlog.begin_ns) * 1e-3;
}

static void print_outside(const struct bench_soak *r)
{
    for (unsigned i = 0; i < r->sum.outside_count; i++) {
        const struct bench_loss_log_outside *o = &r->sum.outside[i];
        printf("    after %.3f s: %" PRIu64, since_s(r, o), o->lost);
        if (o->backlog.begin_ns)
            printf(", in a backlog of %.0f us, longest turn %.0f us\n", backlog_us(o),
                   (double)o->backlog.turn_ns * 1e-3);
        else
            printf(", without backlog\n");
    }
}

static void soak_row(const struct bench_soak *r)
{
    char octets[8];
    bench_value_octets_name(octets, r->point.octets);
    printf("octets %s, cipher %s, %u mobile%s, %u worker%s: %.0f N-PDU/s", octets,
           bench_value_cipher_name(r->point.cipher), r->point.mobiles, words_plural(r->point.mobiles),
           r->point.workers, words_plural(r->point.workers), r->rate_npdu_per_s);
    if (r->ndr_npdu_per_s > 0)
        printf(" (NDR %.0f)", r->ndr_npdu_per_s);
    printf(", %.1f s\n  offered: %" PRIu64 ", not offered after gaps of the generator: %" PRIu64 "\n",
           (double)r->took_ns * 1e-9, r->offered, r->left_out);
    bench_report_ethernet("offered load", r->rate_npdu_per_s, r->point.octets);
    print_losses(r);
    print_outside(r);
    print_use("before", &r->before);
    print_use("warm-up", &r->warm);
    print_use("after", &r->after);
    if (bench_fault_is_set(&r->fault))
        printf("  FAULT: %s\n", r->fault.text);
    fflush(stdout);
}

static void put_use(struct json_stream *s, const char *key, const struct bench_soak_use *use)
{
    json_stream_object(s, key);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("worker_mbufs", use->worker_mbufs),
                      BENCH_COUNT("generator_mbufs", use->generator_mbufs),
                      BENCH_COUNT("worker_rss_octets", use->worker_octets),
                      BENCH_COUNT("generator_rss_octets", use->generator_octets));
    json_stream_end(s);
}

static void put_losses(struct json_stream *s, const struct bench_soak *r)
{
    const struct bench_loss_log_sum *sum = &r->sum;
    BENCH_REPORT_ROWS(
        s, BENCH_COUNT("lost", sum->lost),
        BENCH_COUNT("lost_in_worker_gaps", sum->lost_in[BENCH_LOSS_LOG_WORKER]),
        BENCH_COUNT("lost_in_generator_gaps", sum->lost_in[BENCH_LOSS_LOG_GENERATOR]),
        BENCH_COUNT("lost_outside_gaps", sum->lost_outside),
        BENCH_COUNT("worker_gaps", sum->gaps[BENCH_LOSS_LOG_WORKER]),
        BENCH_COUNT("generator_gaps", sum->gaps[BENCH_LOSS_LOG_GENERATOR]),
        BENCH_REAL("worker_longest_gap_us", (double)sum->longest_ns[BENCH_LOSS_LOG_WORKER] * 1e-3),
        BENCH_REAL("generator_longest_gap_us", (double)sum->longest_ns[BENCH_LOSS_LOG_GENERATOR] * 1e-3),
        BENCH_REAL("gap_us", (double)r->gap_ns * 1e-3),
        BENCH_REAL("longest_recovery_us", (double)sum->longest_after_ns * 1e-3),
        BENCH_REAL("gap_time_share", r->took_ns > 0 ? (double)sum->covered_ns / (double)r->took_ns : 0));
}

static void put_outside(struct json_stream *s, const struct bench_soak *r)
{
    json_stream_array(s, "losses_outside_gaps");
    for (unsigned i = 0; i < r->sum.outside_count; i++) {
        const struct bench_loss_log_outside *o = &r->sum.outside[i];
        json_stream_object(s, NULL);
        BENCH_REPORT_ROWS(s, BENCH_REAL("at_s", since_s(r, o)), BENCH_COUNT("lost", o->lost),
                          BENCH_REAL("backlog_us", backlog_us(o)),
                          BENCH_REAL("longest_turn_us", (double)o->backlog.turn_ns * 1e-3));
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void soak_trial(struct json_stream *s, const struct bench_plan *plan, const struct bench_soak *r)
{
    if (!plan->json)
        return;
    json_stream_object(s, NULL);
    bench_report_point(s, "soak", &r->point);
    BENCH_REPORT_ROWS(s, BENCH_REAL("rate_npdu_per_s", r->rate_npdu_per_s),
                      BENCH_KNOWN("ndr_npdu_per_s", r->ndr_npdu_per_s),
                      BENCH_REAL("took_s", (double)r->took_ns * 1e-9), BENCH_COUNT("offered", r->offered),
                      BENCH_COUNT("not_offered", r->left_out), BENCH_COUNT("tx_ring_full", r->unsent),
                      BENCH_COUNT("received", r->received), BENCH_COUNT("sent", r->sent),
                      BENCH_COUNT("dropped", r->dropped), BENCH_COUNT("llc_frames", r->llc_frames),
                      BENCH_COUNT("llc_frames_received", r->frames), BENCH_COUNT("wrong_fcs", r->wrong_fcs),
                      BENCH_COUNT("reordered", r->reordered));
    bench_report_put_ethernet(s, r->rate_npdu_per_s, r->point.octets);
    put_losses(s, r);
    put_outside(s, r);
    put_use(s, "before", &r->before);
    put_use(s, "after_warm_up", &r->warm);
    put_use(s, "after", &r->after);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("fault", r->fault.text));
    json_stream_end(s);
}

/* --- the mode --- */

static enum bench_points_outcome measure_point(struct json_stream *json, const struct bench_plan *plan,
                                               const struct bench_point *point)
{
    struct bench_soak soak;
    if (!soak_measure(plan, point, &soak))
        return BENCH_POINTS_STOP;
    soak_row(&soak);
    soak_trial(json, plan, &soak);
    return bench_fault_is_set(&soak.fault) ? BENCH_POINTS_BAD : BENCH_POINTS_GOOD;
}

int bench_soak_run(const struct bench_plan *plan)
{
    return bench_ndr_points(plan, &(struct bench_points_mode){.head = soak_head, .measure = measure_point},
                            1);
}
