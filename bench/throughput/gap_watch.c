/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/gap_watch.h"
#include "bench/throughput/console.h"
#include "bench/throughput/report.h"

#include "control/base/clock.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/teid.h"

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define MOST_CPUS (TEID_WORKERS + 1)

struct watcher {
    pthread_t thread;
    struct bench_gaps_machine seen;
};

static void *spin(void *arg)
{
    struct bench_gaps_machine *const seen = arg;
    int64_t at_ns = clock_now_ns();
    const int64_t end_ns = at_ns + seen->watch_ns;
    while (at_ns < end_ns) {
        const int64_t now = clock_now_ns();
        bench_gaps_put(seen, now - at_ns);
        at_ns = now;
    }
    return NULL;
}

/* The error number; 0: it runs. */
static int start(struct watcher *w, unsigned cpu)
{
    pthread_attr_t attributes;
    cpu_set_t there;
    CPU_ZERO(&there);
    CPU_SET(cpu, &there);
    int wrong = pthread_attr_init(&attributes);
    if (wrong != 0)
        return wrong;
    wrong = pthread_attr_setaffinity_np(&attributes, sizeof(there), &there);
    if (wrong == 0)
        wrong = pthread_create(&w->thread, &attributes, spin, &w->seen);
    pthread_attr_destroy(&attributes);
    return wrong;
}

bool bench_gap_watch(struct bench_gaps_machine *m, const unsigned *cpus, unsigned count, int64_t watch_ns)
{
    static struct watcher watchers[MOST_CPUS];
    int wrong = 0;
    unsigned running = 0;
    assert(count <= MOST_CPUS);
    *m = (struct bench_gaps_machine){.cpus = 0};
    for (; running < count && wrong == 0; running += wrong == 0) {
        watchers[running].seen = (struct bench_gaps_machine){.cpus = 1, .watch_ns = watch_ns};
        wrong = start(&watchers[running], cpus[running]);
    }
    for (unsigned i = 0; i < running; i++) {
        pthread_join(watchers[i].thread, NULL);
        bench_gaps_merge(m, &watchers[i].seen);
    }
    if (wrong != 0)
        bench_error("CPU %u: the watch of its gaps cannot run there: %s", cpus[running], strerror(wrong));
    return wrong == 0;
}

void bench_gap_watch_describe(char out[BENCH_GAP_WATCH_CHARS], const struct bench_gaps_machine *m,
                              const struct bench_plan *plan)
{
    snprintf(
        out, BENCH_GAP_WATCH_CHARS,
        "%u CPUs watched for %g s: n = %" PRIu64 " gaps above %g us take %.1f %% of the time, the longest "
        "%.1f ms; %.0f %% of trials of %g ms are expected void",
        m->cpus, (double)m->watch_ns * 1e-9, bench_gaps_count(m, plan->gap_ns), (double)plan->gap_ns * 1e-3,
        100 * bench_gaps_share(m, plan->gap_ns), (double)m->longest_ns * 1e-6,
        100 * bench_gaps_void_share(m, plan->gap_ns, plan->trial_ns), (double)plan->trial_ns * 1e-6);
}

void bench_gap_watch_advise(char out[BENCH_GAP_WATCH_CHARS], const struct bench_gaps_machine *m,
                            const struct bench_plan *plan, const struct bench_plan *given)
{
    const struct bench_gaps_choice best = bench_gaps_choose(m, 0, 0);
    int used = 0;
    if (given->gap_ns > 0 && best.is_measurable && best.bound_ns > plan->gap_ns)
        used += snprintf(out, BENCH_GAP_WATCH_CHARS,
                         "leave out --set gap_us, for this machine a gap is above %g us; ",
                         (double)best.bound_ns * 1e-3);
    if (given->trial_ns > 0 && best.is_measurable && best.trial_ns < plan->trial_ns)
        used += snprintf(out + used, BENCH_GAP_WATCH_CHARS - (size_t)used,
                         "leave out --trial-ms, for this machine trials have %g ms; ",
                         (double)best.trial_ns * 1e-6);
    snprintf(out + used, BENCH_GAP_WATCH_CHARS - (size_t)used, "use idle CPUs, or raise --seconds above %u",
             plan->seconds);
}

void bench_gap_watch_put(struct json_stream *s, const struct bench_gaps_machine *m,
                         const struct bench_plan *plan)
{
    json_stream_object(s, "gaps");
    BENCH_REPORT_ROWS(
        s, BENCH_COUNT("cpus", m->cpus), BENCH_REAL("watch_s", (double)m->watch_ns * 1e-9),
        BENCH_REAL("bound_us", (double)plan->gap_ns * 1e-3),
        BENCH_COUNT("gaps", bench_gaps_count(m, plan->gap_ns)),
        BENCH_REAL("time_share", bench_gaps_share(m, plan->gap_ns)),
        BENCH_REAL("longest_us", (double)m->longest_ns * 1e-3),
        BENCH_REAL("trial_ms", (double)plan->trial_ns * 1e-6),
        BENCH_REAL("patience_ms", (double)plan->patience_ns * 1e-6),
        BENCH_REAL("expected_void_share", bench_gaps_void_share(m, plan->gap_ns, plan->trial_ns)));
    json_stream_array(s, "histogram");
    for (unsigned i = 0; i < BENCH_GAPS_CLASSES; i++) {
        json_stream_object(s, NULL);
        BENCH_REPORT_ROWS(s, BENCH_REAL("from_us", (double)bench_gaps_class_ns(i) * 1e-3),
                          BENCH_COUNT("gaps", m->counts[i]),
                          BENCH_REAL("sum_us", (double)m->sums_ns[i] * 1e-3));
        json_stream_end(s);
    }
    json_stream_end(s);
    json_stream_end(s);
}
