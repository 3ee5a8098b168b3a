/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/slices.h"
#include "bench/throughput/console.h"
#include "bench/throughput/arguments.h"
#include "bench/throughput/plan.h"
#include "bench/throughput/timed_worker.h"

#include "bench/throughput/fixture.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/teid.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <rte_launch.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * `gbflow bench slices`: workers fed from memory that measure on command; compare and gbflow-fitness start it
 * (slices.h). This comment is its documentation.
 *
 * Protocol 1, in lines. Ready, it writes BENCH_SLICES_HELLO. On "slice AT WINDOWS" all workers run, and from
 * AT on, nanoseconds of CLOCK_MONOTONIC, measure WINDOWS windows on a common grid, so that a window with a
 * gap of one worker can be removed from all. It answers with a line for each worker: for each window the time
 * of the steps per N-PDU in ns, or "-" for a void window. At the end of its input it writes "end", or "fault"
 * and the text of the fault.
 *
 * Options, spelled so in all builds with protocol 1, so that builds of any age can be compared: --octets
 * --cipher --mobiles --cells --workers --cores --check-fcs as in preloaded; --seed --zipf --aqm --n201-u
 * --gap-us --window-ms as the parameters seed, zipf, aqm, n201_u, gap_us, window_ms; --scope is aqm_scope,
 * --foreign teids=foreign, --open bvc_rate; --huge --no-dpdk-huge --no-huge are --pages huge, transparent,
 * small; --plant makes steps longer by that percentage (timed_worker.h).
 */

#define BENCH_SLICES_HELLO "gbflow-bench-slices/1"

enum { READ, WRITE };

static void become(const char *path, struct bench_arguments *a, const int *to, const int *from)
{
    setpgid(0, 0); /* Ctrl-C is for the process that started it */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(to[READ], STDIN_FILENO);
    dup2(from[WRITE], STDOUT_FILENO);
    execvp(path, a->list);
    bench_error("%s: %s", path, strerror(errno));
    _exit(127);
}

bool bench_slices_process_start(struct bench_slices_process *p, const char *path, struct bench_arguments *a)
{
    int to[2], from[2];
    *p = (struct bench_slices_process){.path = path};
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0) {
        bench_error("%s cannot be started: %s", path, strerror(errno));
        return false;
    }
    signal(SIGPIPE, SIG_IGN); /* reading its answers shows that a process has ended */
    fflush(NULL);
    p->pid = fork();
    if (p->pid == 0)
        become(path, a, to, from);
    close(to[READ]);
    close(from[WRITE]);
    p->to = fdopen(to[WRITE], "w");
    p->from = fdopen(from[READ], "r");
    return p->pid > 0 && p->to && p->from;
}

bool bench_slices_process_wait(struct bench_slices_process *p)
{
    char line[80];
    if (fgets(line, sizeof(line), p->from) && strcmp(line, BENCH_SLICES_HELLO "\n") == 0)
        return true;
    bench_error("%s: does not start, or does not know `bench slices`: is it a gbflow?", p->path);
    return false;
}

void bench_slices_process_order(struct bench_slices_process *p, int64_t at_ns, unsigned windows)
{
    fprintf(p->to, "slice %" PRId64 " %u\n", at_ns, windows);
    fflush(p->to);
}

static bool take_line(struct bench_slices_process *p, unsigned windows, double *ns)
{
    char text[32];
    for (unsigned i = 0; i < windows; i++) {
        if (fscanf(p->from, "%31s", text) != 1)
            return false;
        ns[i] = strcmp(text, "-") == 0 ? 0 : strtod(text, NULL);
    }
    return true;
}

bool bench_slices_process_take(struct bench_slices_process *p, unsigned workers, unsigned windows, double *ns)
{
    for (unsigned i = 0; i < workers; i++)
        if (!take_line(p, windows, ns + (size_t)i * windows)) {
            bench_error("%s: ended before all slices were measured", p->path);
            return false;
        }
    return true;
}

bool bench_slices_process_finish(struct bench_slices_process *p)
{
    char word[16] = "", rest[BENCH_FAULT_CHARS] = "";
    fclose(p->to);
    p->to = NULL;
    int words = fscanf(p->from, "%15s %383[^\n]", word, rest);
    bench_slices_process_stop(p);
    if (words >= 1 && strcmp(word, "end") == 0)
        return true;
    bench_error("%s: %s", p->path, words == 2 ? rest : "ended without a result");
    return false;
}

void bench_slices_process_stop(struct bench_slices_process *p)
{
    if (p->to)
        fclose(p->to);
    if (p->from)
        fclose(p->from);
    if (p->pid > 0) {
        kill(p->pid, SIGKILL);
        waitpid(p->pid, NULL, 0);
    }
    *p = (struct bench_slices_process){.path = p->path};
}

#define POLL_US     200
#define CLOCK_TRIES 5

/* The slice under way. Written by main while the workers sleep, except done. */
struct order {
    int64_t at_ns, window_ns;
    unsigned windows; /* 0: warm up only */
    atomic_uint done;
};

struct slices_worker {
    struct bench_timed_worker timed;
    struct order *order;
    double ns[BENCH_SLICES_WINDOWS]; /* per N-PDU; 0: void window */
    struct bench_fault fault;
};

/* --- on the worker's CPU --- */

/* The worker's clock minus CLOCK_MONOTONIC; of several readings the one that took the shortest time. */
static int64_t clock_offset_ns(const struct bench_timed_worker *timed)
{
    int64_t best_ns = INT64_MAX, offset_ns = 0;
    for (unsigned i = 0; i < CLOCK_TRIES; i++) {
        int64_t before_ns = clock_counter_ns(&timed->clock), now = clock_now_ns();
        int64_t took_ns = clock_counter_ns(&timed->clock) - before_ns;
        if (took_ns >= best_ns)
            continue;
        best_ns = took_ns;
        offset_ns = before_ns + took_ns / 2 - now;
    }
    return offset_ns;
}

static double run_window(struct slices_worker *worker, int64_t *at_ns, int64_t begin_ns)
{
    bool is_late = *at_ns - begin_ns > worker->timed.plan->gap_ns;
    struct bench_window window =
        bench_timed_worker_window(&worker->timed, at_ns, begin_ns + worker->order->window_ns);
    return window.is_void || is_late ? 0 : (double)window.step_ns / (double)window.done;
}

static int run_slice(void *arg)
{
    struct slices_worker *worker = arg;
    const struct order *order = worker->order;
    if (order->windows == 0)
        bench_timed_worker_warm_up(&worker->timed);
    int64_t begin_ns = order->at_ns + clock_offset_ns(&worker->timed);
    int64_t at_ns = clock_counter_ns(&worker->timed.clock);
    if (order->windows > 0)
        bench_timed_worker_window(&worker->timed, &at_ns, begin_ns); /* fills the caches */
    for (unsigned i = 0; i < order->windows; i++)
        worker->ns[i] = run_window(worker, &at_ns, begin_ns + i * order->window_ns);
    atomic_fetch_add(&worker->order->done, 1);
    return 0;
}

static int slices_finish(void *arg)
{
    struct slices_worker *worker = arg;
    worker->fault = bench_timed_worker_check(&worker->timed);
    atomic_fetch_add(&worker->order->done, 1);
    return 0;
}

/* --- main --- */

/* Runs a function on all workers, and sleeps until all have returned, at least until until_ns. */
static void run_all(struct slices_worker *list, unsigned workers, int (*job)(void *), int64_t until_ns)
{
    struct order *order = list[0].order;
    atomic_store(&order->done, 0);
    for (unsigned i = 0; i < workers; i++)
        rte_eal_remote_launch(job, &list[i], EAL_LIVE_LCORE(i));
    int64_t wait_ns = until_ns - clock_now_ns();
    if (wait_ns > 0)
        usleep((useconds_t)(wait_ns / 1000));
    while (atomic_load(&order->done) < workers)
        usleep(POLL_US);
    for (unsigned i = 0; i < workers; i++)
        rte_eal_wait_lcore(EAL_LIVE_LCORE(i));
}

static void slices_answer(const struct slices_worker *worker, unsigned windows)
{
    for (unsigned i = 0; i < windows; i++)
        if (worker->ns[i] > 0)
            printf("%.4f ", worker->ns[i]);
        else
            printf("- ");
    printf("\n");
}

static bool obey(struct slices_worker *list, unsigned workers, const char *line)
{
    struct order *order = list[0].order;
    if (sscanf(line, "slice %" SCNd64 " %u", &order->at_ns, &order->windows) != 2 || order->windows == 0 ||
        order->windows > BENCH_SLICES_WINDOWS)
        return false;
    run_all(list, workers, run_slice, order->at_ns + order->windows * order->window_ns);
    for (unsigned i = 0; i < workers; i++)
        slices_answer(&list[i], order->windows);
    fflush(stdout);
    return true;
}

static int obey_all(struct slices_worker *list, unsigned workers)
{
    char line[80];
    struct bench_fault fault = {""};
    run_all(list, workers, run_slice, 0);
    puts(BENCH_SLICES_HELLO);
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin))
        if (!obey(list, workers, line))
            return bench_refuse("only `gbflow bench compare` and gbflow-fitness start it; unknown line: %s",
                                line);
    run_all(list, workers, slices_finish, 0);
    for (unsigned i = 0; i < workers; i++)
        if (bench_fault_is_set(&list[i].fault))
            bench_fault_add(&fault, "worker %u: %s", i, list[i].fault.text);
    if (!bench_fault_is_set(&fault))
        puts("end");
    else
        printf("fault %s\n", fault.text);
    return bench_fault_is_set(&fault) ? COMMAND_FAILED : COMMAND_OK;
}

static int serve(const struct bench_plan *plan, const struct bench_point *point)
{
    static struct slices_worker list[TEID_WORKERS];
    struct order order = {.window_ns = plan->window_ns};
    int status = COMMAND_OK;
    unsigned opened = 0;
    for (; opened < point->workers && status == COMMAND_OK; opened++) {
        list[opened].order = &order;
        if (!bench_timed_worker_open(&list[opened].timed, plan, point, opened))
            status = COMMAND_FAILED;
    }
    if (status == COMMAND_OK)
        status = obey_all(list, point->workers);
    for (unsigned i = 0; i < opened; i++)
        bench_timed_worker_close(&list[i].timed);
    return status;
}

int bench_slices_run(const struct bench_plan *plan)
{
    const struct bench_point point = bench_plan_point(&(struct bench_points){.plan = plan});
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!eal_live_start(&plan->eal, point.workers, bench_fixture_memory_octets(plan, &point)))
        return COMMAND_FAILED;
    int status = serve(plan, &point);
    eal_stop();
    return status;
}
