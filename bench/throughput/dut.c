/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/dut.h"

#include "bench/throughput/console.h"
#include "bench/throughput/fixture.h"
#include "bench/throughput/points.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/ports/device.h"
#include "dataplane/worker/worker.h"

#include <rte_launch.h>
#include <rte_mempool.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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
    if (now - before_ns > atomic_load_explicit(&loop->own->longest_gap_ns, memory_order_relaxed))
        atomic_store(&loop->own->longest_gap_ns, now - before_ns);
    atomic_fetch_add(&loop->own->gaps_ns, now - before_ns);
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
    const struct bench_point point = bench_points_point(&(struct bench_points){.plan = plan});
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
