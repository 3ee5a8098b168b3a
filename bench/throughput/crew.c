/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/crew.h"

#include "control/base/clock.h"
#include "dataplane/base/drop.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/worker.h"
#include "dataplane/worker/xworker.h"

#include <inttypes.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_OCTETS   64
#define SLOTS         (LINE_OCTETS / sizeof(void *)) /* of a ring or of a pool, in a line */
#define RECORD_LINES  ((sizeof(struct rte_mbuf) + LINE_OCTETS) / LINE_OCTETS) /* and struct n_pdu */
#define HEADER_OCTETS (BENCH_TRAFFIC_ETHERNET_OCTETS - 4)                     /* without FCS */
#define HEADER_LINES  ((HEADER_OCTETS + LINE_OCTETS - 1) / LINE_OCTETS)
#define MIX           12  /* N-PDUs of the pattern of imix, by size */
#define APART         977 /* draws between the same traffic at two workers */
#define IDLE_STEP_NS  50  /* of a worker that nothing comes to, which steps more often than the others */
#define DRAIN_STEPS   100000
#define SETTLED_STEPS 64

static struct bench_fixture *fixture_of(const struct bench_crew *crew, unsigned worker)
{
    return crew->timed[worker].fixture;
}

/* --- workers and their traffic --- */

/* Copies share the list of draws, and read it from different places. */
static bool copy_traffics(struct bench_crew *crew)
{
    crew->traffics = calloc((size_t)crew->count * crew->count, sizeof(*crew->traffics));
    for (unsigned i = 0; crew->traffics && i < crew->count * crew->count; i++) {
        crew->traffics[i] = fixture_of(crew, i % crew->count)->traffic;
        crew->traffics[i].next = i / crew->count * APART;
    }
    return crew->traffics != NULL;
}

bool bench_crew_open(struct bench_crew *crew, const struct bench_plan *plan, const struct bench_point *point)
{
    *crew = (struct bench_crew){.count = point->workers};
    for (unsigned i = 0; i < crew->count; i++)
        if (!bench_timed_worker_open(&crew->timed[i], plan, point, i))
            return false;
    if (!copy_traffics(crew))
        bench_error("out of memory for the traffic of %u workers", crew->count);
    return crew->traffics != NULL;
}

void bench_crew_close(struct bench_crew *crew)
{
    for (unsigned i = 0; i <= TEID_WORKERS; i++)
        xworker_free(crew->rings[i], moves_free_note);
    for (unsigned i = 0; i < crew->count; i++)
        bench_timed_worker_close(&crew->timed[i]);
    free(crew->traffics);
    *crew = (struct bench_crew){0};
}

/* Virtual time of the worker that has stepped most. */
static int64_t latest(const struct bench_crew *crew)
{
    int64_t now = 0;
    for (unsigned i = 0; i < crew->count; i++)
        now = RTE_MAX(now, fixture_of(crew, i)->now);
    return now;
}

static bool join(struct bench_crew *crew, unsigned workers)
{
    char name[16];
    snprintf(name, sizeof(name), "crew%u", workers);
    if (!crew->rings[workers])
        crew->rings[workers] = xworker_new(name, workers);
    if (!crew->rings[workers])
        bench_error("out of memory for the rings between %u workers", workers);
    const int64_t now = latest(crew);
    for (unsigned i = 0; crew->rings[workers] && i < workers; i++) {
        struct bench_fixture *fixture = fixture_of(crew, i);
        bench_fixture_join(fixture, crew->rings[workers], &crew->mixes[i]);
        fixture->step_ns = crew->mixes[i].count > 0 ? BENCH_FIXTURE_STEP_NS : IDLE_STEP_NS;
        fixture->now = now;
    }
    return crew->rings[workers] != NULL;
}

bool bench_crew_deal(struct bench_crew *crew, unsigned workers, enum bench_deal deal)
{
    for (unsigned i = 0; i < workers; i++) {
        struct bench_traffic *all = crew->traffics + (size_t)i * crew->count;
        const struct bench_fixture_mix own = {.traffics = &all[i], .count = 1},
                                       every = {.traffics = all, .count = workers, .next = i}, none = {0};
        crew->mixes[i] = deal == BENCH_DEAL_TEID ? own : deal == BENCH_DEAL_TURN || i == 0 ? every : none;
    }
    return join(crew, workers);
}

bool bench_crew_deal_away(struct bench_crew *crew)
{
    crew->mixes[0] = (struct bench_fixture_mix){.traffics = &crew->traffics[1], .count = 1};
    crew->mixes[1] = (struct bench_fixture_mix){0};
    return join(crew, 2);
}

/* --- counting --- */

/* Ends of the rings from and to one worker, before its step. */
struct ends {
    uint32_t puts[TEID_WORKERS], takes[TEID_WORKERS];
};

/* Whether a sender has not yet read a consumer's tail as it is now: [sender][receiver]. */
struct rooms {
    bool are_new[TEID_WORKERS][TEID_WORKERS];
};

static struct ends look(const struct xworker *x, unsigned worker)
{
    struct ends ends = {{0}, {0}};
    for (unsigned i = 0; i < x->count; i++)
        if (i != worker) {
            ends.puts[i] = x->rings[worker][i]->prod.tail;
            ends.takes[i] = x->rings[i][worker]->cons.tail;
        }
    return ends;
}

/* Lines with the slots from `first` to before `end`. */
static unsigned slot_lines(uint32_t first, uint32_t end)
{
    return (end - 1) / SLOTS - first / SLOTS + 1;
}

static void count_rings(const struct xworker *x, unsigned worker, const struct ends *before,
                        struct rooms *rooms, struct bench_crew_counts *out)
{
    const struct ends after = look(x, worker);
    for (unsigned i = 0; i < x->count; i++) {
        if (after.puts[i] != before->puts[i]) {
            out->puts++;
            out->room_lines += rooms->are_new[worker][i];
            rooms->are_new[worker][i] = false;
        }
        if (after.takes[i] == before->takes[i])
            continue;
        out->takes++;
        out->tail_lines++;
        out->slot_lines += slot_lines(before->takes[i], after.takes[i]);
        out->record_lines += (after.takes[i] - before->takes[i]) * RECORD_LINES;
        out->header_lines += (after.takes[i] - before->takes[i]) * HEADER_LINES;
        rooms->are_new[i][worker] = true;
    }
}

static unsigned frame_lines(uint16_t octets)
{
    return (octets + LINE_OCTETS - 1) / LINE_OCTETS;
}

/* Lines of a frame, on average over the pattern of sizes. */
static double mean_lines(const struct bench_traffic *traffic)
{
    struct bench_traffic copy = *traffic;
    static uint8_t frame[BENCH_TRAFFIC_FRAME_OCTETS];
    double sum = 0;
    for (unsigned i = 0; i < MIX; i++)
        sum += frame_lines(bench_traffic_put(&copy, frame));
    return sum / MIX;
}

static uint64_t sum_of(const struct bench_crew *crew, unsigned workers,
                       uint64_t (*of)(const struct worker_stats *))
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < workers; i++)
        sum += of(&fixture_of(crew, i)->worker->stats);
    return sum;
}

static uint64_t full_of(const struct worker_stats *stats)
{
    return stats->gn_drops[DROP_XWORKER_FULL];
}

static uint64_t frames_of(const struct worker_stats *stats)
{
    return stats->gn_frames;
}

static uint64_t steered_of(const struct worker_stats *stats)
{
    return stats->gn_steered_out;
}

static void crew_step(struct bench_fixture *fixture)
{
    bench_fixture_feed(fixture);
    bench_fixture_step(fixture);
    bench_fixture_collect(fixture);
}

/* `steps` of each worker, counted where out is not NULL. */
static void step_all(struct bench_crew *crew, unsigned workers, unsigned steps, struct bench_crew_counts *out)
{
    const struct xworker *x = crew->rings[workers];
    static struct rooms rooms;
    struct bench_crew_counts unused;
    rooms = (struct rooms){{{0}}};
    for (unsigned i = 0; i < steps * workers; i++) {
        const unsigned worker = i % workers;
        const struct ends before = look(x, worker);
        crew_step(fixture_of(crew, worker));
        count_rings(x, worker, &before, &rooms, out ? out : &unused);
        if (out)
            out->waited += xworker_has_waiting(x, worker);
    }
}

void bench_crew_count(struct bench_crew *crew, unsigned workers, unsigned steps,
                      struct bench_crew_counts *out)
{
    step_all(crew, workers, SETTLED_STEPS, NULL);
    *out = (struct bench_crew_counts){.n_pdus = -sum_of(crew, workers, frames_of),
                                      .steered = -sum_of(crew, workers, steered_of),
                                      .full = -sum_of(crew, workers, full_of)};
    step_all(crew, workers, steps, out);
    out->n_pdus += sum_of(crew, workers, frames_of);
    out->steered += sum_of(crew, workers, steered_of);
    out->full += sum_of(crew, workers, full_of);
    const double taken = (double)(out->record_lines / RECORD_LINES);
    out->rest_lines = taken * (mean_lines(&crew->traffics[0]) - HEADER_LINES);
    out->back_lines = taken * (RECORD_LINES + HEADER_LINES + 1.0 / SLOTS);
}

struct bench_scaling_counts bench_crew_share(const struct bench_crew_counts *counts)
{
    const double steered = (double)counts->steered;
    if (counts->steered == 0)
        return (struct bench_scaling_counts){0, 0, 0};
    return (struct bench_scaling_counts){
        .steered = steered / (double)counts->n_pdus,
        .to_receiver =
            ((double)(counts->tail_lines + counts->slot_lines + counts->record_lines + counts->header_lines) +
             counts->rest_lines) /
            steered,
        .to_sender = (double)counts->room_lines / steered};
}

/* --- the end --- */

static uint64_t done_of(const struct worker_stats *stats)
{
    uint64_t sum = stats->npdu_out;
    for (unsigned i = 0; i < DROP_COUNT; i++)
        sum += stats->gn_drops[i];
    return sum;
}

static uint64_t steered_in_of(const struct worker_stats *stats)
{
    return stats->gn_steered_in;
}

static uint64_t accepted_of(const struct worker_stats *stats)
{
    return stats->npdu_in + stats->gn_drops[DROP_XWORKER_FULL];
}

/* Frames may lie on the rings of each number of workers that worked. */
static void drain(struct bench_crew *crew, uint64_t fed)
{
    for (unsigned workers = 1; workers <= crew->count; workers++) {
        if (!crew->rings[workers])
            continue;
        join(crew, workers);
        for (unsigned i = 0; i < workers; i++)
            crew->mixes[i].count = 0;
        for (unsigned k = 0; k < SETTLED_STEPS * XWORKER_RING / XWORKER_BURST; k++)
            for (unsigned i = 0; i < workers; i++)
                crew_step(fixture_of(crew, i));
    }
    for (unsigned k = 0; k < DRAIN_STEPS && sum_of(crew, crew->count, done_of) < fed; k++)
        for (unsigned i = 0; i < crew->count; i++)
            crew_step(fixture_of(crew, i));
}

static unsigned mbufs_of(const struct bench_fixture *fixture)
{
    return rte_mempool_in_use_count(fixture->rx_pool) + rte_mempool_in_use_count(fixture->tx_pool);
}

void bench_crew_check(struct bench_crew *crew, struct bench_fault *fault)
{
    uint64_t fed = 0;
    unsigned mbufs = 0;
    for (unsigned i = 0; i < crew->count; i++)
        fed += fixture_of(crew, i)->fed;
    drain(crew, fed);
    for (unsigned i = 0; i < crew->count; i++)
        mbufs += mbufs_of(fixture_of(crew, i));
    const struct {
        const char *what;
        uint64_t is, expected;
    } rows[] = {
        {"received from Gn", sum_of(crew, crew->count, frames_of), fed},
        {"accepted", sum_of(crew, crew->count, accepted_of), fed},
        {"sent or dropped", sum_of(crew, crew->count, done_of), fed},
        {"steered in", sum_of(crew, crew->count, steered_in_of), sum_of(crew, crew->count, steered_of)},
        {"mbufs in use", mbufs, 0}};
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].is != rows[i].expected)
            bench_fault_add(fault, "%s: %" PRIu64 ", expected %" PRIu64, rows[i].what, rows[i].is,
                            rows[i].expected);
}
