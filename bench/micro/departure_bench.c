/* SPDX-License-Identifier: BSD-3-Clause */
/* Departures: the lateness of frames that a mobile's bucket delayed: one worker on one core, in real or
 * virtual time, every mobile backlogged. */
#include "bench/micro/fixture.h"
#include "control/base/clock.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/memory/pool.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <errno.h>
#include <getopt.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPARE_BUFFERS 4095 /* for the rings and the receive burst */
#define MEMORY_MIB    128
#define BUFFERS_IN_MB 256
#define TLLI          0xc0000000
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

static const char usage[] =
    "usage: departure_bench [--virtual] [--mobiles N] [--cells N] [--rate BPS] [--seconds S] [--together]\n"
    "                       [--seed N] [--core N]\n"
    "\n"
    "Lateness of frames that a mobile's bucket delayed. Every mobile always has N-PDUs queued, each one\n"
    "LLC-PDU of 500 octets. A pass of the loop of more than 100 us is a gap of the machine; frames that\n"
    "became due in a gap, or before the loop had caught up, are set aside.\n"
    "\n"
    "  --virtual     in virtual time: every frame must leave at its instant\n"
    "  --mobiles N   1 to 65536, default 1000\n"
    "  --cells N     1 to 1024, default 16\n"
    "  --rate BPS    of each mobile, 100 to 10000000; default: a row with 20000 and one with 100000\n"
    "  --seconds S   of each row, 1 to 60, default 10\n"
    "  --together    all mobiles begin, and are due, at one instant; default: random instants of the\n"
    "                first period\n"
    "  --seed N      of those instants, default 1\n"
    "  --core N      CPU of the loop; default: the one on which the program starts\n"
    "\n"
    "Exit status: 0; 1 when the 99th percentile is above 20 us (virtual: a frame is late), a frame left\n"
    "early or not at all, or fewer than 100 frames count; 2 bad usage.\n";

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
    uint32_t mobile_count, llc_octets;
    int64_t *lateness_ns; /* of frames that the bucket delayed, outside gaps */
    size_t count, cap;
    uint64_t at_once, aside, early;
    int64_t clear_ns; /* `now` of the last step that left no work */
    bool is_in_gap;
    uint64_t gaps;
    int64_t gap_ns; /* all of them */
};

/* Buckets of max_octets and rate_bps, empty at 0; LLC-PDUs of llc_octets; room for cap lateness values. */
struct departure_judge_load {
    uint32_t mobiles, llc_octets;
    uint64_t max_octets, rate_bps;
    size_t cap;
};

#define MILLION 1000000

static void judge_free(struct departure_judge *j)
{
    free(j->mobiles);
    free(j->lateness_ns);
    *j = (struct departure_judge){0};
}

static bool judge_new(struct departure_judge *j, const struct departure_judge_load *load)
{
    *j = (struct departure_judge){
        .mobile_count = load->mobiles, .llc_octets = load->llc_octets, .cap = load->cap, .clear_ns = -1};
    j->mobiles = calloc(load->mobiles, sizeof(*j->mobiles));
    j->lateness_ns = malloc(load->cap * sizeof(*j->lateness_ns));
    if (!j->mobiles || !j->lateness_ns) {
        judge_free(j);
        return false;
    }
    /* The first access to a page takes as long as a frame may be late. */
    memset(j->lateness_ns, 1, load->cap * sizeof(*j->lateness_ns));
    for (uint32_t i = 0; i < load->mobiles; i++)
        bucket_init(&j->mobiles[i].bucket, load->max_octets, load->rate_bps, 0);
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
    int64_t earliest_ns = bucket_earliest_ns(&m->bucket, j->llc_octets);

    if (m->waiting == 0)
        return false;
    m->waiting--;
    bucket_take(&m->bucket, j->llc_octets, step_ns);
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
    for (uint32_t i = 0; i < j->mobile_count; i++) {
        const struct departure_mobile *m = &j->mobiles[i];
        int64_t due_ns = moment_max(bucket_earliest_ns(&m->bucket, j->llc_octets), m->since_ns);
        owed += m->waiting != 0 && due_ns <= j->clear_ns;
    }
    return owed;
}

static int by_size(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static void judge_sort(struct departure_judge *j)
{
    qsort(j->lateness_ns, j->count, sizeof(*j->lateness_ns), by_size);
}

/* After judge_sort(): the lateness that `ppm` millionths of the frames do not exceed; 0 without frames. */
static int64_t judge_percentile_ns(const struct departure_judge *j, uint32_t ppm)
{
    if (j->count == 0)
        return 0;
    uint64_t rank = ((uint64_t)j->count * ppm + MILLION - 1) / MILLION;
    return j->lateness_ns[rank ? rank - 1 : 0];
}

/* --- the bench --- */

struct options {
    uint64_t mobiles, cells, rate_bps, seconds, seed, core;
    bool is_virtual, is_together;
};

struct bench {
    const struct options *options;
    uint64_t rate_bps;
    bool is_live; /* in real time */
    struct fixture fixture;
    uint8_t frame[FRAME_OCTETS];
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
    const struct options *o = b->options;
    const struct gb_flow flow = fixture_flow(BUCKET_OCTETS, b->rate_bps);
    struct worker_config config = fixture_config((uint32_t)o->cells, (uint32_t)o->mobiles);
    fixture_open(&b->fixture, &config, (uint32_t)o->mobiles * BACKLOG + SPARE_BUFFERS, SPARE_BUFFERS);
    fixture_order_gb(b->fixture.worker, (uint32_t)o->cells, &flow, 0);
    for (uint32_t i = 0; i < o->mobiles; i++) {
        struct msg ms = fixture_ms(i, (uint16_t)(i % o->cells)),
                   pdp = fixture_pdp(i, teid_make(0, 1, i, TEID_SLOT_BITS));
        fixture_order(b->fixture.worker, &ms, 0);
        fixture_order(b->fixture.worker, &pdp, 0);
    }
    fixture_frame_make(b->frame, N_PDU_OCTETS);
}

/* Puts an N-PDU for a mobile into the Gn port; false: the port is full. */
static bool put_n_pdu(struct bench *b, uint32_t mobile)
{
    fixture_frame_set_teid(b->frame, teid_make(0, 1, mobile, TEID_SLOT_BITS));
    int error = vport_push(&b->fixture.gn, b->frame, sizeof(b->frame));
    fixture_need(error != -ENOBUFS, "buffers are lost");
    return error == 0;
}

/* The mobile of a frame that left on Gb. */
static uint32_t mobile_of(const struct bench *b, const uint8_t *bytes, size_t octets)
{
    struct bssgp bssgp = {0};
    const size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    fixture_need(octets > before && bssgp_decode(&bssgp, bytes + before, octets - before) >= 0 &&
                     bssgp.head.type == BSSGP_DL_UNITDATA,
                 "a frame is not a DL-UNITDATA");
    fixture_need(bssgp.tlli - TLLI < b->options->mobiles, "a frame has an unknown TLLI");
    fixture_need(bssgp.llc_pdu.octets == LLC_OCTETS, "a frame is of another length");
    return bssgp.tlli - TLLI;
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
    fixture_need(at, "a frame is longer than a buffer");
    *mobile = mobile_of(b, at, octets);
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
    for (; b->started < b->options->mobiles && b->start_ns[b->started] <= now; b->started++)
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

static void departure_bench_take(struct bench *b, int64_t step_ns, int64_t now)
{
    uint32_t mobile;
    while (take_frame(b, &mobile)) {
        fixture_need(judge_left(&b->judge, mobile, step_ns, now), "a frame is one too many");
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
    departure_bench_take(b, now, out_ns);
    b->passes++;
    if (b->feeds_count > 0)
        return now;
    if (next_ns > now)
        judge_clear(&b->judge, now);
    return b->started < b->options->mobiles ? moment_min(next_ns, b->start_ns[b->started]) : next_ns;
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
    int64_t now = run_virtual(b, b->start_ns[b->options->mobiles - 1]);
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
    rng_init(&rng, b->options->seed, 0);
    for (uint64_t i = 0; i < b->options->mobiles; i++)
        b->start_ns[i] = b->options->is_together ? 0 : (int64_t)rng_below(&rng, period_ns);
    qsort(b->start_ns, b->options->mobiles, sizeof(*b->start_ns), by_size);
}

static void open_row(struct bench *b)
{
    const uint32_t mobiles = (uint32_t)b->options->mobiles;
    const uint64_t each = b->rate_bps * b->options->seconds / LLC_BITS + BACKLOG;
    struct departure_judge_load judge = {.mobiles = mobiles,
                                         .llc_octets = LLC_OCTETS,
                                         .max_octets = BUCKET_OCTETS,
                                         .rate_bps = b->rate_bps,
                                         .cap = each * mobiles};
    fixture_need(judge.cap <= MAX_RECORDS, "too many departures: fewer mobiles, seconds or a lower rate");
    b->feeds_cap = mobiles * BACKLOG;
    b->feeds = calloc(b->feeds_cap, sizeof(*b->feeds));
    b->start_ns = calloc(mobiles, sizeof(*b->start_ns));
    fixture_need(b->feeds && b->start_ns && judge_new(&b->judge, &judge), "no memory");
    draw_starts(b);
    open_worker(b);
}

static void close_row(struct bench *b)
{
    fixture_close(&b->fixture);
    judge_free(&b->judge);
    free(b->feeds);
    free(b->start_ns);
}

static bool judge_row(const struct bench *b, uint32_t owed)
{
    const struct departure_judge *j = &b->judge;
    int64_t most_ns =
        b->options->is_virtual ? judge_percentile_ns(j, 1000000) : judge_percentile_ns(j, 990000);
    return most_ns <= (b->options->is_virtual ? 0 : P99_MAX_NS) && j->early == 0 && owed == 0 &&
           j->count >= LEAST;
}

static bool tell_row(struct bench *b)
{
    struct departure_judge *j = &b->judge;
    uint64_t held_back = j->count + j->aside;
    uint32_t owed = judge_owed(j);

    judge_sort(j);
    bool is_good = judge_row(b, owed);
    printf("%lu mobiles x %lu bit/s, %lu s: %zu departures: late p50 %.3f us, p99 %.3f us, p99.9 %.3f us, "
           "max %.3f us: %s\n",
           b->options->mobiles, b->rate_bps, b->options->seconds, j->count,
           (double)judge_percentile_ns(j, 500000) / 1e3, (double)judge_percentile_ns(j, 990000) / 1e3,
           (double)judge_percentile_ns(j, 999000) / 1e3, (double)judge_percentile_ns(j, 1000000) / 1e3,
           is_good ? "good" : "BAD");
    printf("    %lu gaps, %.1f ms; %lu set aside (%.2f %%); %lu not held back; %lu early, %u overdue; "
           "%lu passes\n",
           j->gaps, (double)j->gap_ns / 1e6, j->aside,
           held_back ? 100 * (double)j->aside / (double)held_back : 0.0, j->at_once, j->early, owed,
           b->passes);
    return is_good;
}

static bool run_row(const struct options *options, uint64_t rate_bps)
{
    struct bench b = {.options = options, .rate_bps = rate_bps};
    open_row(&b);
    int64_t duration_ns = (int64_t)options->seconds * MOMENT_SECOND;
    if (options->is_virtual)
        run_virtual(&b, duration_ns);
    else
        run_live(&b, duration_ns);
    bool is_good = tell_row(&b);
    close_row(&b);
    return is_good;
}

/* --- options --- */

static bool read_number(const char *name, const char *text, uint64_t *out, const uint64_t range[2])
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == 0 && errno == 0 && value >= range[0] && value <= range[1]) {
        *out = value;
        return true;
    }
    fprintf(stderr, "departure_bench: --%s %s: not a number from %lu to %lu\n", name, text, range[0],
            range[1]);
    return false;
}

/* -1: options are complete; else the exit status. */
static int read_options(int argc, char **argv, struct options *o)
{
    static const struct option names[] = {
        {"mobiles", 1, NULL, 0},    {"cells", 1, NULL, 0}, {"rate", 1, NULL, 0},   {"seconds", 1, NULL, 0},
        {"seed", 1, NULL, 0},       {"core", 1, NULL, 0},  {"help", 0, NULL, 'h'}, {"virtual", 0, NULL, 'v'},
        {"together", 0, NULL, 't'}, {NULL, 0, NULL, 0}};
    static const uint64_t ranges[][2] = {{1, MAX_MOBILES}, {1, 1024},       {100, 10000000},
                                         {1, 60},          {0, UINT64_MAX}, {0, CPU_SETSIZE - 1}};
    uint64_t *const numbers[] = {&o->mobiles, &o->cells, &o->rate_bps, &o->seconds, &o->seed, &o->core};
    int which, i;

    while ((which = getopt_long(argc, argv, "", names, &i)) >= 0) {
        o->is_virtual |= which == 'v';
        o->is_together |= which == 't';
        if (which == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (which == '?' || (which == 0 && !read_number(names[i].name, optarg, numbers[i], ranges[i])))
            return 2;
    }
    if (optind == argc)
        return -1;
    fputs(usage, stderr);
    return 2;
}

int main(int argc, char **argv)
{
    struct options options = {.mobiles = 1000, .cells = 16, .seconds = 10, .seed = 1};
    static const uint64_t rates_bps[] = {20000, 100000};
    bool is_good = true;
    int core = sched_getcpu();

    options.core = core < 0 ? 0 : (uint64_t)core;
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    fixture_start((unsigned)options.core, MEMORY_MIB + (unsigned)options.mobiles * BACKLOG / BUFFERS_IN_MB);
    if (!options.is_virtual)
        tell_bare();
    if (options.rate_bps)
        is_good = run_row(&options, options.rate_bps);
    for (unsigned i = 0; i < 2 && !options.rate_bps; i++)
        is_good &= run_row(&options, rates_bps[i]);
    return is_good ? 0 : 1;
}
