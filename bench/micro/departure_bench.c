/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Departures: the lateness of frames that a mobile's bucket delayed: one worker on one core, in real or
 * virtual time. Every mobile always has N-PDUs queued, each one LLC-PDU of 500 octets. A pass of the loop of
 * more than 100 us is a gap of the machine; frames that became due in a gap, or before the loop had caught
 * up, are set aside.
 */
#include "bench/micro/fixture.h"
#include "bench/statistics/spread.h"
#include "control/base/clock.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/memory/pool.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <errno.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MIB    128
#define BUFFERS_IN_MB 256
#define LLC_OCTETS    500 /* of each LLC-PDU, which carries one N-PDU */
#define LLC_AROUND    10  /* UI frame's header 3, FCS 3, SNDCP's header 4 */
#define N_PDU_OCTETS  (LLC_OCTETS - LLC_AROUND)
#define FRAME_OCTETS  (FIXTURE_TUNNEL_OCTETS + N_PDU_OCTETS)
#define BUCKET_OCTETS 1000
#define BACKLOG       4  /* N-PDUs of each mobile */
#define FEED_BURST    32 /* in a step: the burst that the worker receives */
#define P99_MAX_NS    20000
#define LEAST         100 /* minimum of frames for a p99 */
#define BARE_NS       (MOMENT_SECOND / 2)
#define LLC_BITS      (8 * (uint64_t)LLC_OCTETS)
#define MAX_MOBILES   65536
#define MAX_RECORDS   50000000

static int64_t mobiles = 1000, cells = 16, seconds = 10, seed = 1, core = -1;
static bool is_virtual, is_together;

/* --- the judge --- */

/*
 * Instants at which frames should have left, and at which they did. Each mobile has a shadow bucket here:
 *     due      = max(bucket_earliest_ns(shadow), arrival of its N-PDU)
 *     lateness = instant at which the frame was out - due
 *
 * The shadow is charged when the worker charged its own, at the step's `now`. A frame whose bucket had room
 * when its N-PDU arrived was not delayed, and is only counted.
 *
 * A pass of the loop that takes longer than DEPARTURE_JUDGE_GAP_NS is a gap of the machine. The gap begins at
 * the last step before it that left no work and ends with the first step after it that leaves none: frames
 * due in between that left in between are set aside. A frame that was due before the gap is not excused.
 */

#define DEPARTURE_JUDGE_GAP_NS INT64_C(100000)

struct departure_mobile {
    struct bucket bucket; /* the shadow */
    int64_t since_ns;     /* when the first queued N-PDU arrived at an empty queue */
    uint32_t waiting;     /* N-PDUs that the worker has */
};

struct departure_judge {
    struct departure_mobile *mobiles;
    int64_t *lateness_ns; /* of frames that the bucket delayed, outside gaps */
    size_t count, cap;
    uint64_t at_once, aside, early;
    int64_t clear_ns; /* `now` of the last step that left no work */
    bool is_in_gap;
    uint64_t gaps;
    int64_t gap_ns; /* all of them */
};

static void judge_free(struct departure_judge *j)
{
    free(j->mobiles);
    free(j->lateness_ns);
    *j = (struct departure_judge){0};
}

/* Buckets of rate_bps, empty at 0; room for cap lateness values. */
static bool judge_new(struct departure_judge *j, uint64_t rate_bps, size_t cap)
{
    *j = (struct departure_judge){.cap = cap, .clear_ns = -1};
    j->mobiles = calloc((size_t)mobiles, sizeof(*j->mobiles));
    j->lateness_ns = malloc(cap * sizeof(*j->lateness_ns));
    if (!j->mobiles || !j->lateness_ns) {
        judge_free(j);
        return false;
    }
    /* The first access to a page takes as long as a frame may be late. */
    memset(j->lateness_ns, 1, cap * sizeof(*j->lateness_ns));
    for (int64_t i = 0; i < mobiles; i++)
        bucket_init(&j->mobiles[i].bucket, BUCKET_OCTETS, rate_bps, 0);
    return true;
}

/* The worker receives an N-PDU of a mobile in the step at now. */
static void judge_fed(struct departure_judge *j, uint32_t mobile, int64_t now)
{
    struct departure_mobile *m = &j->mobiles[mobile];
    if (m->waiting++ == 0)
        m->since_ns = now;
}

/* A frame left in the step at step_ns and was out at now. False: no N-PDU of the mobile is queued, or no room
 * for the value. */
static bool judge_left(struct departure_judge *j, uint32_t mobile, int64_t step_ns, int64_t now)
{
    struct departure_mobile *m = &j->mobiles[mobile];
    int64_t earliest_ns = bucket_earliest_ns(&m->bucket, LLC_OCTETS);

    if (m->waiting == 0)
        return false;
    m->waiting--;
    bucket_take(&m->bucket, LLC_OCTETS, step_ns);
    if (moment_max(earliest_ns, m->since_ns) > step_ns)
        j->early++;
    else if (earliest_ns <= m->since_ns)
        j->at_once++;
    else if (j->is_in_gap && earliest_ns > j->clear_ns)
        j->aside++;
    else if (j->count < j->cap)
        j->lateness_ns[j->count++] = now - earliest_ns;
    else
        return false;
    return true;
}

/* The step at step_ns left no work. */
static void judge_clear(struct departure_judge *j, int64_t step_ns)
{
    j->clear_ns = step_ns;
    j->is_in_gap = false;
}

/* Reports the duration of a pass of the loop. Report a part of it before the frames that left in it. */
static void judge_part(struct departure_judge *j, int64_t part_ns)
{
    if (part_ns > DEPARTURE_JUDGE_GAP_NS)
        j->is_in_gap = true;
}

static void judge_pass(struct departure_judge *j, int64_t pass_ns)
{
    judge_part(j, pass_ns);
    if (pass_ns <= DEPARTURE_JUDGE_GAP_NS)
        return;
    j->gaps++;
    j->gap_ns += pass_ns;
}

/* Mobiles whose frame was due at or before the last clear step and has not left. */
static uint32_t judge_owed(const struct departure_judge *j)
{
    uint32_t owed = 0;
    for (int64_t i = 0; i < mobiles; i++) {
        const struct departure_mobile *m = &j->mobiles[i];
        int64_t due_ns = moment_max(bucket_earliest_ns(&m->bucket, LLC_OCTETS), m->since_ns);
        owed += m->waiting != 0 && due_ns <= j->clear_ns;
    }
    return owed;
}

/* --- the bench --- */

struct bench {
    uint64_t rate_bps;
    bool is_live; /* in real time */
    struct fixture fixture;
    struct departure_judge judge;
    int64_t *start_ns; /* of each mobile, ascending */
    uint32_t started;
    uint32_t *feeds; /* ring of mobiles that are to get an N-PDU */
    uint32_t feeds_cap, feeds_first, feeds_count;
    uint64_t passes;
};

/* --- the worker: only the buckets of mobiles limit --- */

static void open_worker(struct bench *b)
{
    const struct gb_flow flow = fixture_flow(BUCKET_OCTETS, b->rate_bps);
    struct worker_config config = fixture_config((uint32_t)cells, (uint32_t)mobiles);
    b->fixture.mobiles = (uint32_t)mobiles;
    fixture_open(&b->fixture, &config, (uint32_t)mobiles * BACKLOG + FIXTURE_BUFFERS, FIXTURE_BUFFERS);
    fixture_fill(&b->fixture, (uint32_t)cells, &flow, N_PDU_OCTETS, false);
}

/* Puts an N-PDU for a mobile into the Gn port; false: the port is full. */
static bool put_n_pdu(struct bench *b, uint32_t mobile)
{
    fixture_frame_set_teid(b->fixture.frame, teid_make(0, 1, mobile, TEID_SLOT_BITS));
    int error = vport_push(&b->fixture.gn, b->fixture.frame, FRAME_OCTETS);
    micro_need(error != -ENOBUFS, "buffers are lost");
    return error == 0;
}

/* The mobile of a frame that left on Gb. */
static uint32_t mobile_of(const uint8_t *bytes, size_t octets)
{
    struct bssgp bssgp = {0};
    const size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    micro_need(octets > before && bssgp_decode(&bssgp, bytes + before, octets - before) >= 0 &&
                   bssgp.head.type == BSSGP_DL_UNITDATA,
               "a frame is not a DL-UNITDATA");
    micro_need(bssgp.tlli - FIXTURE_TLLI < mobiles, "a frame has an unknown TLLI");
    micro_need(bssgp.llc_pdu.octets == LLC_OCTETS, "a frame is of another length");
    return bssgp.tlli - FIXTURE_TLLI;
}

/* Takes the next frame that left on Gb; false: none. */
static bool take_frame(struct bench *b, uint32_t *mobile)
{
    struct rte_mbuf *mbuf = vport_pull(&b->fixture.gb);
    if (!mbuf)
        return false;
    uint8_t bytes[POOL_DATA_OCTETS];
    uint32_t octets = rte_pktmbuf_pkt_len(mbuf);
    const uint8_t *at = octets <= sizeof(bytes) ? rte_pktmbuf_read(mbuf, 0, octets, bytes) : NULL;
    micro_need(at, "a frame is longer than a buffer");
    *mobile = mobile_of(at, octets);
    rte_pktmbuf_free(mbuf);
    return true;
}

/* --- the loop --- */

static void want(struct bench *b, uint32_t mobile)
{
    b->feeds[(b->feeds_first + b->feeds_count++) % b->feeds_cap] = mobile;
}

/* Feeds N-PDUs to mobiles that begin, and replaces those that left. */
static void feed(struct bench *b, int64_t now)
{
    for (; b->started < mobiles && b->start_ns[b->started] <= now; b->started++)
        for (unsigned i = 0; i < BACKLOG; i++)
            want(b, b->started);
    for (unsigned i = 0; i < FEED_BURST && b->feeds_count > 0; i++) {
        uint32_t mobile = b->feeds[b->feeds_first];
        if (!put_n_pdu(b, mobile))
            return;
        judge_fed(&b->judge, mobile, now);
        b->feeds_first = (b->feeds_first + 1) % b->feeds_cap;
        b->feeds_count--;
    }
}

static void take_frames(struct bench *b, int64_t step_ns, int64_t now)
{
    uint32_t mobile;
    while (take_frame(b, &mobile)) {
        micro_need(judge_left(&b->judge, mobile, step_ns, now), "a frame is one too many");
        want(b, mobile);
    }
}

/* One pass of the loop; returns the next deadline. */
static int64_t pass(struct bench *b, int64_t now, int64_t began_ns)
{
    feed(b, now);
    int64_t next_ns = worker_step(b->fixture.worker, now), out_ns = now;
    if (b->is_live) {
        out_ns = clock_now_ns() - began_ns;
        judge_part(&b->judge, out_ns - now);
    }
    take_frames(b, now, out_ns);
    b->passes++;
    if (b->feeds_count > 0)
        return now;
    if (next_ns > now)
        judge_clear(&b->judge, now);
    return b->started < mobiles ? moment_min(next_ns, b->start_ns[b->started]) : next_ns;
}

/* Runs from 0 to end_ns, at which no frame may be overdue; returns the first deadline after it. */
static int64_t run_virtual(struct bench *b, int64_t end_ns)
{
    int64_t now = 0;
    while (now < end_ns)
        now = pass(b, now, 0);
    while ((now = pass(b, end_ns, 0)) <= end_ns)
        ;
    return now;
}

/* Mobiles begin in virtual time: those that began in a gap would stay due together. */
static void run_live(struct bench *b, int64_t duration_ns)
{
    int64_t now = run_virtual(b, b->start_ns[mobiles - 1]);
    int64_t began_ns = clock_now_ns() - now, end_ns = now + duration_ns;

    b->judge.count = 0;
    b->is_live = true;
    while (now <= end_ns) {
        pass(b, now, began_ns);
        int64_t next_ns = clock_now_ns() - began_ns;
        judge_pass(&b->judge, next_ns - now);
        now = next_ns;
    }
}

/*
 * Measures the machine with an empty loop: its gaps, and the share of the instants outside gaps that the loop
 * sees more than 20 us late, because it stood still for longer.
 */
static void tell_bare(void)
{
    struct departure_judge bare = {0};
    int64_t began_ns = clock_now_ns(), now = began_ns, late_ns = 0;
    while (now - began_ns < BARE_NS) {
        int64_t next_ns = clock_now_ns(), stood_ns = next_ns - now;
        judge_pass(&bare, stood_ns);
        if (stood_ns > P99_MAX_NS && stood_ns <= DEPARTURE_JUDGE_GAP_NS)
            late_ns += stood_ns - P99_MAX_NS;
        now = next_ns;
    }
    printf("a loop that does nothing: %.1f gaps a second, %.2f %% of the time; outside them %.3f %% of all "
           "instants seen over 20 us late\n",
           (double)bare.gaps * 1e9 / (double)BARE_NS, 100 * (double)bare.gap_ns / (double)BARE_NS,
           100 * (double)late_ns / (double)(now - began_ns - bare.gap_ns));
}

/* --- one row --- */

static void draw_starts(struct bench *b)
{
    uint64_t period_ns = LLC_BITS * (uint64_t)MOMENT_SECOND / b->rate_bps;
    struct rng rng;
    rng_init(&rng, (uint64_t)seed, 0);
    for (int64_t i = 0; i < mobiles; i++)
        b->start_ns[i] = is_together ? 0 : (int64_t)rng_below(&rng, period_ns);
    bench_spread_sort_ns(b->start_ns, (size_t)mobiles);
}

static void *departure_open(const struct micro_point *p)
{
    struct bench *b = micro_memory(sizeof(*b));
    b->rate_bps = (uint64_t)p->at[0];
    const uint64_t each = b->rate_bps * (uint64_t)seconds / LLC_BITS + BACKLOG;
    const size_t cap = each * (uint64_t)mobiles;
    micro_need(cap <= MAX_RECORDS, "too many departures: fewer mobiles, seconds or a lower rate");
    b->feeds_cap = (uint32_t)mobiles * BACKLOG;
    b->feeds = micro_memory(b->feeds_cap * sizeof(*b->feeds));
    b->start_ns = micro_memory((size_t)mobiles * sizeof(*b->start_ns));
    micro_need(judge_new(&b->judge, b->rate_bps, cap), "no memory");
    draw_starts(b);
    open_worker(b);
    return b;
}

/* The median lateness of a frame. */
static double departure_turn(void *state)
{
    struct bench *b = state;
    if (is_virtual)
        run_virtual(b, seconds * MOMENT_SECOND);
    else
        run_live(b, seconds * MOMENT_SECOND);
    bench_spread_sort_ns(b->judge.lateness_ns, b->judge.count);
    return (double)bench_spread_percentile(b->judge.lateness_ns, b->judge.count, 500);
}

static void departure_sum_up(void *state, struct micro_result *result)
{
    struct bench *b = state;
    const struct departure_judge *j = &b->judge;
    const int64_t p99_ns = bench_spread_percentile(j->lateness_ns, j->count, 990),
                  most_ns = bench_spread_percentile(j->lateness_ns, j->count, 1000);
    const uint32_t owed = judge_owed(j);
    micro_figure(result, "departures", (double)j->count);
    micro_figure(result, "p99_ns", (double)p99_ns);
    micro_figure(result, "p99_9_ns", (double)bench_spread_percentile(j->lateness_ns, j->count, 999));
    micro_figure(result, "most_ns", (double)most_ns);
    micro_figure(result, "set_aside", (double)j->aside);
    micro_figure(result, "at_once", (double)j->at_once);
    micro_figure(result, "early", (double)j->early);
    micro_figure(result, "overdue", owed);
    micro_figure(result, "gaps", (double)j->gaps);
    micro_figure(result, "gaps_ms", (double)j->gap_ns / 1e6);
    micro_figure(result, "passes", (double)b->passes);
    micro_fault(result, j->early == 0, "a frame left early");
    micro_fault(result, owed == 0, "a frame is overdue");
    micro_fault(result, j->count >= LEAST, "fewer than 100 frames count");
    micro_fault(result, (is_virtual ? most_ns : p99_ns) <= (is_virtual ? 0 : P99_MAX_NS),
                is_virtual ? "a frame is late" : "the 99th percentile is above 20 us");
}

static void departure_close(void *state)
{
    struct bench *b = state;
    fixture_close(&b->fixture);
    judge_free(&b->judge);
    free(b->feeds);
    free(b->start_ns);
    free(b);
}

static void departure_bench_begin(void)
{
    const int here = sched_getcpu();
    if (core < 0)
        core = here < 0 ? 0 : here;
    fixture_start((unsigned)core, MEMORY_MIB + (unsigned)mobiles * BACKLOG / BUFFERS_IN_MB);
    if (!is_virtual)
        tell_bare();
}

static struct micro_axis rates = MICRO_AXIS("rate", 100, 10000000, 20000, 100000);
static struct micro_case cases[] = {MICRO_CASE(departure, "departure", "lateness", MICRO_LIST(NULL),
                                               MICRO_LIST(&rates), .turn = departure_turn,
                                               .sum_up = departure_sum_up)};
static const struct command_option options[] = {
    {.name = "virtual", .flag = &is_virtual, .value = true, .takes = COMMAND_NO_ARGUMENT},
    {.name = "together", .flag = &is_together, .value = true, .takes = COMMAND_NO_ARGUMENT},
    {.name = "mobiles", .number = &mobiles, .min = 1, .max = MAX_MOBILES},
    {.name = "cells", .number = &cells, .min = 1, .max = 1024},
    {.name = "seconds", .number = &seconds, .min = 1, .max = 60},
    {.name = "seed", .number = &seed, .min = 0, .max = INT64_MAX},
    {.name = "core", .number = &core, .min = 0, .max = CPU_SETSIZE - 1}};

MICRO_PROGRAM(
    "Lateness of frames that a mobile's bucket delayed, of mobiles of --rate bit/s that always have\n"
    "N-PDUs queued. --virtual: in virtual time, where every frame leaves at its instant. --together: "
    "all\n"
    "mobiles begin, and are due, at one instant, else at random ones of the first period (--seed).\n"
    "--core: CPU of the loop, else the one on which the program starts.",
    .options = options, .option_count = sizeof(options) / sizeof(options[0]), .is_once = true,
    .begin = departure_bench_begin);
