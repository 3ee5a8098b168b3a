/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/live/live_trial.h"

#include "bench/live/live_load.h"
#include "bench/statistics/spread.h"
#include "bench/throughput/report.h"
#include "control/base/whole_file.h"
#include "control/live/live.h"
#include "control/show/show.h"
#include "control/show/telemetry_socket.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <rte_cycles.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool is_flood(const struct live_trial *trial)
{
    return trial->floods_pps > 0;
}

static const char *idle(const struct live_trial *trial)
{
    return trial->is_polling ? "poll" : "sleep";
}

static const char *kind_name(const struct live_trial *trial, unsigned kind)
{
    static const char *const names[2][LIVE_JUDGE_KINDS] = {{"acknowledged", "in_force"},
                                                           {"without_flood", "in_flood"}};
    return names[is_flood(trial)][kind];
}

/* --- text --- */

static void print_name(const struct live_trial *trial)
{
    printf("%s, %" PRId64 "/s, ", idle(trial), is_flood(trial) ? trial->floods_pps : trial->flows_pps);
}

static void print_counts(const struct live_trial *trial, const struct live_trial_result *r)
{
    if (is_flood(trial))
        printf("%" PRIu64 " of %" PRIu64 " packets came back, %" PRIu64 " flooding frames, %" PRIu64
               " lines logged; ",
               r->back, r->sent, r->floods, r->log_lines);
    else
        printf("%" PRIu64 " of %" PRIu64 " acknowledged, %" PRIu64 " found no room at control, %" PRIu64
               " packets left before their bucket was shut; ",
               r->acked, r->flows, r->punt_full, r->early);
    printf("%" PRIu64 " were not taken from the port; ", r->flows_lost + r->floods_lost);
    printf("%" PRIu32 " of %" PRIu32 " windows void\n", r->voided, r->windows);
}

void live_trial_print_latest(const struct live_trial_row *row)
{
    const struct live_trial_result *r = &row->results[row->rounds - 1];
    print_name(&row->trial);
    printf("round %u: ", row->rounds);
    print_counts(&row->trial, r);
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        const struct live_judge_result *times = &r->judged[kind];
        printf("    %-13s %7zu: p50 %.1f, p99 %.1f, p99.9 %.1f, most %.1f us; p99 with void windows %.1f\n",
               kind_name(&row->trial, kind), times->count, times->p50_us, times->p99_us, times->p999_us,
               times->max_us, r->all[kind].p99_us);
    }
    if (r->fault[0])
        printf("    fault: %s\n", r->fault);
    fflush(stdout);
}

/* --- medians --- */

struct medians {
    unsigned rounds; /* that count */
    double p50_us[LIVE_JUDGE_KINDS], p99_us[LIVE_JUDGE_KINDS];
    double added_us; /* second kind's p99 minus the first's, in the same round */
};

enum { VALUES = 2 * LIVE_JUDGE_KINDS + 1 };

static struct medians medians(const struct live_trial_row *row)
{
    double values[VALUES][LIVE_TRIAL_ROUNDS], found[VALUES];
    struct medians m = {0};
    for (unsigned i = 0; i < row->rounds; i++) {
        const struct live_judge_result *judged = row->results[i].judged;
        if (judged[0].count == 0 || judged[1].count == 0)
            continue;
        for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
            values[2 * kind][m.rounds] = judged[kind].p50_us;
            values[2 * kind + 1][m.rounds] = judged[kind].p99_us;
        }
        values[VALUES - 1][m.rounds++] = judged[1].p99_us - judged[0].p99_us;
    }
    for (unsigned i = 0; i < VALUES; i++)
        found[i] = bench_spread_summary(&(struct bench_spread){values[i], m.rounds, m.rounds}).median;
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        m.p50_us[kind] = found[2 * kind];
        m.p99_us[kind] = found[2 * kind + 1];
    }
    m.added_us = found[VALUES - 1];
    return m;
}

void live_trial_print_medians(const struct live_trial_row *row)
{
    struct medians m = medians(row);
    print_name(&row->trial);
    printf("median of %u rounds", m.rounds);
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS && m.rounds > 0; kind++)
        printf("%s %s p50 %.1f, p99 %.1f us", kind ? ";" : ":", kind_name(&row->trial, kind), m.p50_us[kind],
               m.p99_us[kind]);
    if (is_flood(&row->trial) && m.rounds > 0)
        printf("; p99 %+.1f us", m.added_us);
    printf("%s\n", m.rounds < row->rounds ? "; of the others all windows are void" : "");
}

/* --- JSON --- */

#define US(key, value, is_any) BENCH_ROW(key, REAL, is_any, real, value)

static void put_times(struct json_stream *s, const char *key, const struct live_trial *trial,
                      const struct live_judge_result *results)
{
    json_stream_object(s, key);
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++) {
        const struct live_judge_result *r = &results[kind];
        const bool is_any = r->count > 0;
        json_stream_object(s, kind_name(trial, kind));
        BENCH_REPORT_ROWS(s, BENCH_COUNT("count", r->count), US("p50", r->p50_us, is_any),
                          US("p99", r->p99_us, is_any), US("p99_9", r->p999_us, is_any),
                          US("most", r->max_us, is_any));
        json_stream_end(s);
    }
    json_stream_end(s);
}

static void put_round(struct json_stream *s, const struct live_trial *trial,
                      const struct live_trial_result *r)
{
    json_stream_object(s, NULL);
    BENCH_REPORT_ROWS(s, BENCH_COUNT("windows", r->windows), BENCH_COUNT("void_windows", r->voided),
                      BENCH_COUNT("npdus_sent", r->sent), BENCH_COUNT("npdus_back", r->back),
                      BENCH_COUNT("npdus_early", r->early), BENCH_COUNT("flows", r->flows),
                      BENCH_COUNT("acknowledged", r->acked), BENCH_COUNT("floods", r->floods),
                      BENCH_COUNT("punt_full", r->punt_full),
                      BENCH_COUNT("not_taken", r->flows_lost + r->floods_lost),
                      BENCH_COUNT("log_lines", r->log_lines));
    put_times(s, "time_us", trial, r->judged);
    put_times(s, "time_with_void_us", trial, r->all);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("fault", r->fault));
    json_stream_end(s);
}

static void put_row(struct json_stream *s, const struct live_trial_row *row)
{
    const struct live_trial *t = &row->trial;
    const struct medians m = medians(row);
    json_stream_object(s, NULL);
    BENCH_REPORT_ROWS(s, BENCH_TEXT("idle", idle(t)), BENCH_COUNT("flows_per_s", t->flows_pps),
                      BENCH_COUNT("floods_per_s", t->floods_pps), BENCH_COUNT("users_per_s", t->users_pps),
                      BENCH_COUNT("mobiles", t->mobiles), BENCH_COUNT("seconds", t->seconds),
                      BENCH_COUNT("slice_ms", t->slice_ns / 1000000), BENCH_COUNT("median_rounds", m.rounds));
    json_stream_object(s, "median_p99_us");
    for (unsigned kind = 0; kind < LIVE_JUDGE_KINDS; kind++)
        BENCH_REPORT_ROWS(s, US(kind_name(t, kind), m.p99_us[kind], m.rounds > 0));
    json_stream_end(s);
    json_stream_array(s, "rounds");
    for (unsigned i = 0; i < row->rounds; i++)
        put_round(s, t, &row->results[i]);
    json_stream_end(s);
    json_stream_end(s);
}

bool live_trial_write(const char *path, const struct live_trial_row *rows, unsigned count)
{
    struct json_stream s = {.file = whole_file_open(path)};
    if (!s.file)
        return false;
    json_stream_begin(&s, "gbflow-live-bench/1");
    json_stream_array(&s, "trials");
    for (unsigned i = 0; i < count; i++)
        put_row(&s, &rows[i]);
    json_stream_end(&s);
    json_stream_end(&s);
    errno = whole_file_close(s.file, path);
    return errno == 0;
}

#define TABLES             4
#define NAME_CHARS         64
#define WATCH_US           5000
#define DRAIN_US           1000000
#define STORM_US           200000
#define GIVE_UP_S          60
#define GIVE_UP_NS         (GIVE_UP_S * MOMENT_SECOND)
#define MAX_SLEEP_NS       250000 /* default of live.max_sleep */
#define WAIT_NS            200000 /* wait for a CPU between two readings that is no gap, besides WAKE_NS per wake-up */
#define WAKE_NS            10000
#define PROBE_VALUES_PER_S ((size_t)750) /* three values per probe, at most 250 probes a second */
#define SPARE_VALUES       10000
#define LOG_LINES_MORE     2 /* per second: the lines that report omitted lines */
#define LOG_LINES          10

/* A trial, in its own process. */
struct run {
    const struct live_trial *trial;
    struct live_trial_result *result;
    struct live_load load;
    struct live_judge judge;
    char folder[NAME_CHARS], node[2 * NAME_CHARS], log[2 * NAME_CHARS], json[2 * NAME_CHARS],
        prefix[NAME_CHARS];
    atomic_bool has_ended;
    int64_t waits_ns, slices, waited_ns; /* of the control thread, and the time of the reading */
};

__attribute__((format(printf, 2, 3))) static void live_trial_fail(struct live_trial_result *result,
                                                                  const char *format, ...)
{
    va_list list;
    if (result->fault[0])
        return;
    va_start(list, format);
    vsnprintf(result->fault, sizeof(result->fault), format, list);
    va_end(list);
}

/* --- the node's log, tables and report --- */

static unsigned count_lines(const struct run *run, const char *wanted)
{
    char line[512];
    unsigned count = 0;
    FILE *file = fopen(run->log, "r");
    while (file && fgets(line, sizeof(line), file))
        count += strstr(line, wanted) != NULL;
    if (file)
        fclose(file);
    return count;
}

static const char *const tables[TABLES] = {"nse", "bvc", "ms", "pdp"};

/* Columns of a table, the first ones, that a flood must not change: those after them are queues and rates. */
static const size_t fixed_columns[TABLES] = {6, 9, 7, 8};

static void look(const struct run *run, json_t *shown[TABLES])
{
    char path[TELEMETRY_SOCKET_PATH_CHARS];
    telemetry_socket_path(path, run->prefix);
    for (unsigned i = 0; i < TABLES; i++) {
        size_t at;
        json_t *row;
        shown[i] = show_rows(path, tables[i]);
        json_array_foreach(shown[i], at, row) while (json_array_size(row) > fixed_columns[i])
            json_array_remove(row, json_array_size(row) - 1);
    }
}

/* Compares the tables before and after the trial, and frees both. */
static void live_trial_compare(struct live_trial_result *result, json_t *before[TABLES],
                               json_t *after[TABLES])
{
    for (unsigned i = 0; i < TABLES; i++) {
        if (!before[i] || !after[i] || !json_equal(before[i], after[i]))
            live_trial_fail(result, "table %s has changed", tables[i]);
        json_decref(before[i]);
        json_decref(after[i]);
    }
}

static uint64_t number_at(json_t *root, const char *where, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(json_object_get(root, where), name));
}

/* Compares the load's counts with those of the node's report. */
static void check_report(struct run *run)
{
    struct live_trial_result *result = run->result;
    json_t *root = json_load_file(run->json, 0, NULL), *gb = json_object_get(root, "gb_frames");
    uint64_t in = number_at(root, "npdu", "in"), out = number_at(root, "npdu", "out");
    uint64_t received = (uint64_t)json_integer_value(json_object_get(gb, "received"));
    result->punt_full = number_at(gb, "drops", "punt_full");
    uint64_t stuck = run->trial->has_probes
                         ? result->punt_full
                         : 0; /* at most the dropped announcements that should have opened a bucket */
    if (in != result->sent || out != result->back || in - out > stuck)
        live_trial_fail(result, "N-PDUs: %lu sent, in %lu, out %lu, %lu came back", result->sent, in, out,
                        result->back);
    if (received < run->load.frames_gb)
        live_trial_fail(result, "the node received %lu frames of %lu on Gb", received, run->load.frames_gb);
    if (result->acked + result->punt_full < result->flows)
        live_trial_fail(result, "%lu of %lu announcements were answered, %lu dropped", result->acked,
                        result->flows, result->punt_full);
    json_decref(root);
}

/* --- while it runs --- */

/*
 * Notes a gap if the thread waited for a CPU that other threads used. The wake-up time of each time slice
 * does not count.
 */
static void note_waits(struct run *run, int64_t now)
{
    char path[NAME_CHARS];
    long long ran, waited_ns, slices;
    snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", getpid());
    FILE *file = fopen(path, "r");
    bool is_read = file && fscanf(file, "%lld %lld %lld", &ran, &waited_ns, &slices) == 3;
    if (file)
        fclose(file);
    if (!is_read)
        return;
    if (run->waited_ns > 0 && waited_ns - run->waits_ns > WAIT_NS + WAKE_NS * (slices - run->slices)) {
        live_judge_gap(&run->judge, run->waited_ns, now);
    }
    run->waits_ns = waited_ns;
    run->slices = slices;
    run->waited_ns = now;
}

static bool is_running(const struct run *run)
{
    return count_lines(run, "gbflow: running") > 0;
}

static bool is_up(const struct run *run)
{
    return atomic_load(&run->load.phase) == LIVE_LOAD_UP;
}

static bool has_begun(const struct run *run)
{
    return atomic_load(&run->load.has_begun);
}

static bool has_ended(const struct run *run)
{
    return atomic_load(&run->has_ended);
}

static bool wait_until(bool (*is_so)(const struct run *), const struct run *run)
{
    int64_t end_ns = clock_now_ns() + GIVE_UP_NS;
    while (!is_so(run) && clock_now_ns() < end_ns)
        usleep(WATCH_US);
    return is_so(run);
}

static void live_trial_measure(struct run *run)
{
    unsigned lines = count_lines(run, "\n");
    atomic_store(&run->load.phase, LIVE_LOAD_RUN);
    if (!wait_until(has_begun, run))
        live_trial_fail(run->result, "the worker does not poll its ports");
    int64_t end_ns = clock_now_ns() + run->trial->seconds * MOMENT_SECOND;
    while (clock_now_ns() < end_ns) {
        usleep(WATCH_US);
        if (run->trial->flows_pps > 0) /* users' packets do not wait for control */
            note_waits(run, clock_counter_ns(&run->load.clock));
    }
    live_judge_end(&run->judge, clock_counter_ns(&run->load.clock));
    atomic_store(&run->load.phase, LIVE_LOAD_DRAIN);
    usleep(DRAIN_US);
    run->result->log_lines = count_lines(run, "\n") - lines;
}

static void play(struct run *run)
{
    json_t *before[TABLES], *after[TABLES];
    run->load.clock = clock_counter_start(rte_get_tsc_hz());
    if (!live_load_watch(&run->load)) {
        live_trial_fail(run->result, "the node has no ports net_ring0 and net_ring1, or no pool rx");
        return;
    }
    atomic_store(&run->load.phase, LIVE_LOAD_BRING_UP);
    if (!wait_until(is_up, run)) {
        live_trial_fail(run->result, "Gb is not up after %d s", GIVE_UP_S);
        return;
    }
    look(run, before);
    live_trial_measure(run);
    look(run, after);
    if (run->trial->flows_pps == 0 && !run->trial->has_probes)
        live_trial_compare(run->result, before, after);
    else
        for (unsigned i = 0; i < TABLES; i++) {
            json_decref(before[i]);
            json_decref(after[i]);
        }
}

/* Ends the node; in flood trials during the heaviest flood. */
static void stop(struct run *run)
{
    if (run->trial->floods_pps > 0 && !run->result->fault[0]) {
        atomic_store(&run->load.phase, LIVE_LOAD_STORM);
        usleep(STORM_US);
    }
    kill(getpid(), SIGTERM);
    if (!wait_until(has_ended, run))
        live_trial_fail(run->result, "the node does not end within %d s of SIGTERM", GIVE_UP_S);
    atomic_store(&run->load.phase, LIVE_LOAD_IDLE);
}

static void *live_trial_watch(void *arg)
{
    struct run *run = arg;
    if (wait_until(is_running, run))
        play(run);
    else
        live_trial_fail(run->result, "the node does not run after %d s", GIVE_UP_S);
    stop(run);
    return NULL;
}

/* --- a process for it --- */

static int64_t every_ns(int64_t per_s)
{
    return per_s > 0 ? MOMENT_SECOND / per_s : 0;
}

static bool live_trial_prepare(struct run *run)
{
    const struct live_trial *trial = run->trial;
    const struct live_frames_node node = {.path = run->node,
                                          .prefix = run->prefix,
                                          .mobiles = (uint32_t)trial->mobiles,
                                          .core = (unsigned)trial->core,
                                          .is_polling = trial->is_polling};
    size_t rate = (size_t)(trial->flows_pps > trial->users_pps ? trial->flows_pps : trial->users_pps);
    run->load.judge = &run->judge;
    run->load.mobiles = (uint32_t)trial->mobiles;
    run->load.has_probes = trial->has_probes;
    run->load.slice_ns = trial->slice_ns;
    run->load.gap_ns = trial->gap_ns + (trial->is_polling ? 0 : MAX_SLEEP_NS);
    run->load.flows.every_ns = every_ns(trial->flows_pps);
    run->load.floods.every_ns = every_ns(trial->floods_pps);
    run->load.users.every_ns = every_ns(trial->users_pps);
    return live_frames_write_node(&node) && live_load_init(&run->load) &&
           live_judge_new(&run->judge,
                          (rate + PROBE_VALUES_PER_S) * (size_t)(trial->seconds + 1) + SPARE_VALUES);
}

static void sum_up(struct run *run)
{
    struct live_trial_result *result = run->result;
    const struct live_load *load = &run->load;
    uint64_t probes = load->has_probes ? load->probe : 0;
    result->windows = live_judge_windows(&run->judge);
    result->voided = live_judge_voided(&run->judge);
    result->sent = load->users.sent + probes;
    result->back = load->users_back + load->probes_back;
    result->early = load->probes_early;
    result->flows = load->flows.sent + 2 * probes;
    result->acked = load->acked;
    result->flows_lost = load->flows.lost;
    result->floods = load->floods.sent;
    result->floods_lost = load->floods.lost;
    for (unsigned i = 0; i < LIVE_JUDGE_KINDS; i++) {
        result->judged[i] = live_judge_result(&run->judge, i, false);
        result->all[i] = live_judge_result(&run->judge, i, true);
    }
    if (load->starved > 0)
        live_trial_fail(result, "mbuf allocation failed %lu times", load->starved);
    if (result->log_lines > (uint64_t)(LOG_LINES + LOG_LINES_MORE) * ((uint64_t)run->trial->seconds + 2))
        live_trial_fail(result, "%lu lines logged, more than live.log_lines allows", result->log_lines);
    check_report(run);
}

static void name_files(struct run *run)
{
    snprintf(run->folder, sizeof(run->folder), "/tmp/gbflow-live-bench%d", getpid());
    snprintf(run->prefix, sizeof(run->prefix), "livebench%d", getpid());
    snprintf(run->node, sizeof(run->node), "%s.lua", run->folder);
    snprintf(run->log, sizeof(run->log), "%s.log", run->folder);
    snprintf(run->json, sizeof(run->json), "%s.json", run->folder);
}

/* Runs the node with its output in files; another thread plays the load. */
static void run_node(struct run *run)
{
    const struct live_options options = {.node = run->node, .json = run->json};
    pthread_t watcher;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (!freopen(run->log, "w", stderr) || !freopen("/dev/null", "w", stdout) ||
        pthread_create(&watcher, NULL, live_trial_watch, run) != 0) {
        live_trial_fail(run->result, "log files cannot be opened or a thread not be created");
        return;
    }
    setvbuf(stderr, NULL, _IOLBF, 0);
    bool is_good = live_run(&options) == 0;
    atomic_store(&run->has_ended, true);
    pthread_join(watcher, NULL);
    if (!is_good)
        live_trial_fail(run->result, "the node ended with an error");
}

static void run_here(const struct live_trial *trial, struct live_trial_result *result)
{
    static struct run run;
    run = (struct run){.trial = trial, .result = result};
    name_files(&run);
    if (live_trial_prepare(&run)) {
        run_node(&run);
        sum_up(&run);
    } else {
        live_trial_fail(result, "out of memory, or no file in /tmp can be written");
    }
    unlink(run.node);
    unlink(run.log);
    unlink(run.json);
    live_judge_free(&run.judge);
    live_load_fini(&run.load);
}

void live_trial_run(const struct live_trial *trial, struct live_trial_result *result)
{
    int ends[2] = {-1, -1}, status = 0;
    *result = (struct live_trial_result){0};
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child == 0) {
        struct live_trial_result mine = {0};
        close(ends[0]);
        run_here(trial, &mine);
        _exit(write(ends[1], &mine, sizeof(mine)) == (ssize_t)sizeof(mine) ? 0 : 1);
    }
    close(ends[1]);
    bool is_read = child > 0 && read(ends[0], result, sizeof(*result)) == (ssize_t)sizeof(*result);
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child || !is_read || status != 0)
        live_trial_fail(result, "the trial's process failed");
}
