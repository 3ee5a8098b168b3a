/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/dut.h"
#include "bench/throughput/arguments.h"
#include "bench/throughput/console.h"
#include "bench/throughput/far_end.h"
#include "bench/throughput/plan.h"

#include "bench/throughput/fixture.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/ports/device.h"
#include "dataplane/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_mempool.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PUBLISH_NS (MOMENT_SECOND / 1000)
#define MBUFS_NS   (MOMENT_SECOND / 20)

struct dut_loop {
    const struct bench_plan *plan;
    struct bench_fixture *fixture;
    struct bench_page *page;
    struct bench_page_worker *own;
    int64_t published_ns, counted_ns;
    struct bench_event
        backlog; /* begin_ns: the first of the full bursts in a row; 0: the last burst was not full */
};

void bench_dut_name(char out[BENCH_DUT_NAME], const char *socket, unsigned id, bool is_server)
{
    static unsigned times; /* DPDK does not release a device's name when its port is closed */
    snprintf(out, BENCH_DUT_NAME, "net_memif%u,role=%s,id=%u,socket=%.80s,socket-abstract=yes,rsize=%u",
             times++, is_server ? "server" : "client", id, socket, BENCH_DUT_RING_BITS);
}

static void publish_drops(struct dut_loop *loop, int64_t now)
{
    const struct worker_stats *stats = &loop->fixture->worker->stats;
    uint64_t dropped = 0, before = atomic_load(&loop->own->dropped);
    for (unsigned i = 0; i < DROP_COUNT; i++)
        dropped += stats->gn_drops[i];
    if (dropped == before)
        return;
    atomic_store(&loop->own->dropped, dropped);
    bench_events_put(&loop->own->events, &(struct bench_event){.kind = BENCH_EVENT_LOSS,
                                                               .begin_ns = loop->published_ns,
                                                               .end_ns = now,
                                                               .count = dropped - before});
}

static void publish(struct dut_loop *loop, int64_t now)
{
    const struct worker_stats *stats = &loop->fixture->worker->stats;
    publish_drops(loop, now);
    atomic_store(&loop->own->gn_frames, stats->gn_frames);
    atomic_store(&loop->own->npdu_out, stats->npdu_out);
    atomic_store(&loop->own->llc_frames, stats->llc_frames);
    loop->published_ns = now;
    if (now - loop->counted_ns < MBUFS_NS)
        return;
    loop->counted_ns = now;
    atomic_store(&loop->own->mbufs, rte_mempool_in_use_count(loop->fixture->rx_pool) +
                                        rte_mempool_in_use_count(loop->fixture->tx_pool));
}

/* A turn lasts from one clock reading to the next, so that no time lies between two turns. */
static void note_turn(struct dut_loop *loop, int64_t before_ns, int64_t now)
{
    if (now - before_ns <= atomic_load_explicit(&loop->page->gap_ns, memory_order_relaxed))
        return;
    bench_events_put(&loop->own->events,
                     &(struct bench_event){.kind = BENCH_EVENT_GAP, .begin_ns = before_ns, .end_ns = now});
}

/* The turn that began at now received `frames`; the one before took turn_ns. */
static void note_backlog(struct dut_loop *loop, uint64_t frames, int64_t turn_ns, int64_t now)
{
    struct bench_event *backlog = &loop->backlog;
    if (backlog->begin_ns)
        backlog->turn_ns = moment_max(backlog->turn_ns, turn_ns);
    if (frames >= WORKER_BURST) {
        if (!backlog->begin_ns)
            *backlog = (struct bench_event){.kind = BENCH_EVENT_BACKLOG, .begin_ns = now};
        return;
    }
    backlog->end_ns = now;
    if (backlog->begin_ns &&
        now - backlog->begin_ns > atomic_load_explicit(&loop->page->gap_ns, memory_order_relaxed))
        bench_events_put(&loop->own->events, backlog);
    backlog->begin_ns = 0;
}

static int run_loop(void *arg)
{
    struct dut_loop *loop = arg;
    struct clock_counter clock = clock_counter_shared(loop->page->tsc_hz);
    int64_t before_ns = clock_counter_ns(&clock);
    for (;;) {
        int64_t now = clock_counter_ns(&clock);
        const int64_t turn_ns = now - before_ns;
        note_turn(loop, before_ns, now);
        before_ns = now;
        const uint64_t frames = loop->fixture->worker->stats.gn_frames;
        worker_step(loop->fixture->worker, now);
        note_backlog(loop, loop->fixture->worker->stats.gn_frames - frames, turn_ns, now);
        if (now - loop->published_ns > PUBLISH_NS)
            publish(loop, now);
    }
    return 0;
}

static bool open_ports(const struct bench_plan *plan, unsigned worker, struct bench_fixture_ports *ports)
{
    struct device devices[2];
    char name[BENCH_DUT_NAME], error[128];
    for (unsigned i = 0; i < 2; i++) {
        bench_dut_name(name, plan->socket, BENCH_DUT_LINK(worker, i), true);
        if (!device_open(&devices[i], name, error, sizeof(error))) {
            bench_error("port %s: %s", name, error);
            return false;
        }
    }
    *ports = (struct bench_fixture_ports){.gn = devices[0].id, .gb = devices[1].id};
    return true;
}

static bool open_loop(struct dut_loop *loop, const struct bench_point *point, unsigned worker)
{
    struct bench_fixture_ports ports;
    struct bench_fault error = {""};
    if (!open_ports(loop->plan, worker, &ports))
        return false;
    loop->fixture = bench_fixture_new(loop->plan, point, worker, &ports, &error);
    if (!loop->fixture)
        bench_error("worker %u: %s", worker, error.text);
    return loop->fixture != NULL;
}

static int serve(const struct bench_plan *plan, struct bench_page *page)
{
    static struct dut_loop loops[TEID_WORKERS];
    const struct bench_point point = bench_plan_point(&(struct bench_points){.plan = plan});
    if (!eal_live_start(&plan->eal, point.workers, bench_fixture_memory_octets(plan, &point)))
        return COMMAND_FAILED;
    for (unsigned i = 0; i < point.workers; i++) {
        loops[i] = (struct dut_loop){.plan = plan, .page = page, .own = &page->workers[i]};
        if (!open_loop(&loops[i], &point, i))
            return COMMAND_FAILED;
    }
    for (unsigned i = 0; i < point.workers; i++)
        rte_eal_remote_launch(run_loop, &loops[i], EAL_LIVE_LCORE(i));
    atomic_store(&page->is_ready, true);
    for (;;)
        pause();
    return COMMAND_OK;
}

int bench_dut_run(const struct bench_plan *plan)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct bench_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, plan->page_fd, 0);
    if (page == MAP_FAILED || !plan->socket[0])
        return bench_refuse("only `gbflow bench ndr` and `gbflow bench soak` start it");
    return serve(plan, page);
}

#define RESUME_US 1000 /* from SIGCONT until it runs */

/* dpdk-testpmd with an lcore for the prompt, and a forwarding one on the CPU of each worker. */
static void put_testpmd(struct bench_arguments *a, const struct bench_dut_process *dut,
                        const struct bench_plan *plan, unsigned workers)
{
    char text[BENCH_ARGUMENTS_CHARS];
    int used = snprintf(text, sizeof(text), "0@%u", plan->eal.cores[0]);
    for (unsigned i = 0; i < workers && used < (int)sizeof(text); i++)
        used += snprintf(text + used, sizeof(text) - (size_t)used, ",%u@%u", i + 1, plan->eal.cores[i]);
    bench_arguments_put(a, "dpdk-testpmd --lcores %s --no-pci -m %u %s", text, 128 + 128 * workers,
                        plan->eal.pages == LIVE_CONFIG_PAGES_HUGE ? "--in-memory" : "--no-huge");
    bench_arguments_put(a, "--no-telemetry --iova-mode=va --file-prefix %s-t", plan->eal.eal_prefix);
    for (unsigned i = 0; i < 2 * workers; i++) {
        bench_dut_name(text, dut->socket, i, true);
        bench_arguments_put(a, "--vdev %s", text);
    }
    bench_arguments_put(a, "-- --forward-mode=io --nb-cores=%u --total-num-mbufs=%u --no-mlockall --burst=64",
                        workers, 16384 * workers - 1);
}

/* In the child: not of the terminal's process group, whose Ctrl-C is for this process alone. testpmd ends
 * when its input is closed; its output is its log. */
static void become(const struct bench_dut_process *dut, struct bench_arguments *a, int input_fd)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(input_fd, STDIN_FILENO);
    if (dut->is_testpmd) {
        dup2(dut->log.fd, STDOUT_FILENO);
        dup2(dut->log.fd, STDERR_FILENO);
        execvp(a->list[0], a->list);
        dprintf(STDERR_FILENO, "dpdk-testpmd: %s; install dpdk-dev, or use --no-roofline\n", strerror(errno));
    } else {
        execv("/proc/self/exe", a->list);
    }
    _exit(127);
}

static bool open_page(struct bench_dut_process *dut, const struct bench_plan *plan)
{
    dut->page_fd = memfd_create("gbflow-bench", 0);
    if (dut->page_fd < 0 || ftruncate(dut->page_fd, sizeof(*dut->page)) < 0)
        return false;
    void *page = mmap(NULL, sizeof(*dut->page), PROT_READ | PROT_WRITE, MAP_SHARED, dut->page_fd, 0);
    if (page == MAP_FAILED)
        return false;
    dut->page = page;
    dut->page->tsc_hz = rte_get_tsc_hz();
    atomic_store(&dut->page->gap_ns, plan->gap_ns);
    return true;
}

bool bench_dut_process_start(struct bench_dut_process *dut, const struct bench_plan *plan,
                             const struct bench_point *point, bool is_testpmd)
{
    static struct bench_arguments a;
    static unsigned times;
    int ends[2];

    *dut = (struct bench_dut_process){
        .is_testpmd = is_testpmd, .page_fd = -1, .input_fd = -1, .log = {.fd = -1}};
    snprintf(dut->socket, sizeof(dut->socket), "gbflow-bench%d.%u", (int)getpid(), ++times);
    if (is_testpmd && !bench_process_log_open(&dut->log, plan->out, "testpmd"))
        return false;
    if (!open_page(dut, plan) || pipe(ends) < 0) {
        bench_error("the DUT's process cannot be started: %s", strerror(errno));
        return false;
    }
    a = (struct bench_arguments){.count = 0};
    if (is_testpmd) {
        put_testpmd(&a, dut, plan, point->workers);
    } else {
        bench_arguments_point(&a, "dut", plan, point);
        bench_arguments_workers(&a, plan, 0, point->workers);
        bench_arguments_put(&a, "--socket %s --page-fd %d", dut->socket, dut->page_fd);
    }
    fflush(NULL);
    dut->input_fd = ends[1];
    dut->pid = fork();
    if (dut->pid == 0)
        become(dut, &a, ends[0]);
    close(ends[0]);
    return dut->pid > 0;
}

void bench_dut_process_stop(struct bench_dut_process *dut)
{
    if (dut->pid > 0) {
        kill(dut->pid, SIGKILL);
        waitpid(dut->pid, NULL, 0);
    }
    if (dut->page)
        munmap(dut->page, sizeof(*dut->page));
    if (dut->page_fd >= 0)
        close(dut->page_fd);
    if (dut->input_fd >= 0)
        close(dut->input_fd);
    bench_process_log_close(&dut->log);
    *dut = (struct bench_dut_process){.page_fd = -1, .input_fd = -1, .log = {.fd = -1}};
}

void bench_dut_process_pause(const struct bench_dut_process *dut)
{
    if (dut->pid > 0)
        kill(dut->pid, SIGSTOP);
}

void bench_dut_process_resume(const struct bench_dut_process *dut)
{
    if (dut->pid > 0)
        kill(dut->pid, SIGCONT);
    usleep(RESUME_US);
}

static void say_end(struct bench_dut_process *dut, int status)
{
    bench_process_log_end(&dut->log, status);
    bench_progress_end();
    bench_error("%s %s", dut->is_testpmd ? "dpdk-testpmd" : "the worker's process", dut->log.ended);
}

bool bench_dut_process_is_alive(struct bench_dut_process *dut)
{
    int status = 0;
    if (dut->pid > 0 && waitpid(dut->pid, &status, WNOHANG) != 0) {
        dut->pid = 0;
        say_end(dut, status);
    }
    return dut->pid > 0;
}

bool bench_dut_process_is_listening(const struct bench_dut_process *dut)
{
    if (!dut->is_testpmd)
        return atomic_load(&dut->page->is_ready);
    return bench_far_end_is_listening(dut->socket);
}

bool bench_dut_process_has_testpmd(void)
{
    const char *path = getenv("PATH");
    char name[PATH_MAX];
    bool is_there = false;
    for (const char *at = path ? path : "/bin:/usr/bin"; at && !is_there;) {
        const char *end = strchrnul(at, ':');
        int octets = snprintf(name, sizeof(name), "%.*s/dpdk-testpmd", (int)(end - at), at);
        is_there = octets < (int)sizeof(name) && access(name, X_OK) == 0;
        at = *end ? end + 1 : NULL;
    }
    return is_there;
}
