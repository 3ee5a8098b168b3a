/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/stage.h"

#include "bench/throughput/traffic.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/downlink.h"
#include "dataplane/worker/worker.h"

#define REPEATS     4 /* so few that a step stays far below a gap */
#define CLOCK_TRIES 16
#define CLOCK_LAPS  64

static void receive(struct bench_stage_walk *walk)
{
    walk->frame_count = port_receive(&walk->worker->gn, walk->frames);
    walk->worker->stats.gn_frames += walk->frame_count;
}

static void decode(struct bench_stage_walk *walk)
{
    walk->burst.count = 0;
    downlink_decode(walk->worker, walk->frames, walk->frame_count, &walk->burst, walk->now);
}

static void look_up(struct bench_stage_walk *walk)
{
    tunnelled_find(walk->worker, &walk->burst, walk->found);
}

static void take_buffers(struct bench_stage_walk *walk)
{
    framing_open(walk->worker);
}

static void queue(struct bench_stage_walk *walk)
{
    tunnelled_settle(walk->worker, &walk->burst, walk->found, walk->settled, walk->fitting, walk->now);
    walk->settled = walk->fitting;
}

static void pick(struct bench_stage_walk *walk)
{
    framing_fill(walk->worker, &walk->batch, walk->now);
}

static void put_headers(struct bench_stage_walk *walk)
{
    walk->batch.spare_count = WORKER_BURST;
    framing_put_headers(walk->worker, &walk->batch, walk->now);
}

static void put_llc(struct bench_stage_walk *walk)
{
    walk->batch.spare_count = WORKER_BURST;
    framing_put_llc(walk->worker, &walk->batch);
}

static void put_bssgp(struct bench_stage_walk *walk)
{
    framing_put_bssgp(walk->worker, &walk->batch, walk->now);
}

static void put_fcs(struct bench_stage_walk *walk)
{
    walk->batch.cipher.count = 0;
    framing_put_fcs(&walk->batch);
    walk->ciphered = walk->batch.cipher.count;
}

static void cipher(struct bench_stage_walk *walk)
{
    walk->batch.cipher.count = walk->ciphered;
    cipher_run(&walk->batch.cipher, walk->worker->gea);
}

static void hand_over(struct bench_stage_walk *walk)
{
    framing_hand_over(walk->worker, &walk->batch, walk->now);
}

static void send_out(struct bench_stage_walk *walk)
{
    port_flush(&walk->worker->gb);
}

static const struct {
    const char *name;
    void (*run)(struct bench_stage_walk *walk);
    bool is_repeatable;
} stages[BENCH_STAGE_ALL] = {
    [BENCH_STAGE_RECEIVE] = {"gn_ring", receive, false},
    [BENCH_STAGE_DECODE] = {"decode", decode, true},
    [BENCH_STAGE_LOOKUP] = {"lookup", look_up, true},
    [BENCH_STAGE_BUFFERS] = {"buffers", take_buffers, false},
    [BENCH_STAGE_QUEUE] = {"queue", queue, false},
    [BENCH_STAGE_PICK] = {"pick", pick, false},
    [BENCH_STAGE_HEADERS] = {"headers", put_headers, true},
    [BENCH_STAGE_FCS] = {"fcs", put_fcs, true},
    [BENCH_STAGE_CIPHER] = {"cipher", cipher, false},
    [BENCH_STAGE_HAND_OVER] = {"hand_over", hand_over, false},
    [BENCH_STAGE_SEND] = {"gb_ring", send_out, false},
    [BENCH_STAGE_LLC] = {"llc", put_llc, true},
    [BENCH_STAGE_BSSGP] = {"bssgp", put_bssgp, true},
};

const char *bench_stage_name(enum bench_stage stage)
{
    return stages[stage].name;
}

/* --- time --- */

/* What has gone by since the last lap belongs to a stage that ran so often. */
static void lap(struct bench_stage_walk *walk, enum bench_stage stage, unsigned runs)
{
    int64_t now = clock_counter_ns(walk->clock);
    walk->spent_ns[stage] += (double)(now - walk->at_ns - walk->lap_ns) / runs;
    walk->at_ns = now;
}

static void run(struct bench_stage_walk *walk, enum bench_stage stage)
{
    unsigned runs = stage == walk->repeated && stages[stage].is_repeatable ? REPEATS : 1;
    for (unsigned i = 0; i < runs; i++)
        stages[stage].run(walk);
    lap(walk, stage, runs);
}

/* What reading the clock takes: the shortest of several tries, since the machine may be away in any. */
static int64_t lap_cost_ns(const struct clock_counter *clock)
{
    int64_t least_ns = INT64_MAX;
    for (unsigned try = 0; try < CLOCK_TRIES; try++) {
        int64_t start_ns = clock_counter_ns(clock), end_ns = start_ns;
        for (unsigned i = 0; i < CLOCK_LAPS; i++)
            end_ns = clock_counter_ns(clock);
        least_ns = moment_min(least_ns, (end_ns - start_ns) / CLOCK_LAPS);
    }
    return least_ns;
}

void bench_stage_start(struct bench_stage_walk *walk, struct worker *worker, uint16_t n201_u,
                       const struct clock_counter *clock)
{
    *walk = (struct bench_stage_walk){
        .worker = worker, .n201_u = n201_u, .clock = clock, .repeated = BENCH_STAGE_NONE};
    walk->lap_ns = lap_cost_ns(clock);
}

/* --- a step --- */

/* framing_send() */
static unsigned frame(struct bench_stage_walk *walk)
{
    if (!framing_begin(walk->worker, &walk->batch, walk->now)) {
        lap(walk, BENCH_STAGE_PICK, 1);
        return 0;
    }
    run(walk, BENCH_STAGE_PICK);
    run(walk, BENCH_STAGE_HEADERS);
    if (walk->repeated == BENCH_STAGE_LLC || walk->repeated == BENCH_STAGE_BSSGP)
        run(walk, walk->repeated);
    run(walk, BENCH_STAGE_FCS);
    run(walk, BENCH_STAGE_CIPHER);
    run(walk, BENCH_STAGE_HAND_OVER);
    framing_close(walk->worker, walk->batch.spare_count);
    lap(walk, BENCH_STAGE_BUFFERS, 1);
    return walk->batch.count;
}

/* What framing_pass() asks before an N-PDU takes the short way. */
static unsigned frames_of(const struct bench_stage_walk *walk, unsigned i)
{
    return bench_traffic_frames_of(walk->burst.n_pdus[i]->octets, walk->n201_u);
}

/* N-PDUs that find room behind what waits to be framed, even if each takes the short way. */
static void fit(struct bench_stage_walk *walk)
{
    unsigned frames = walk->worker->outbox.count;
    for (walk->fitting = walk->settled; walk->fitting < walk->burst.count; walk->fitting++) {
        frames += frames_of(walk, walk->fitting);
        if (frames > WORKER_BURST)
            return;
    }
}

/* tunnelled_settle(), in parts: where it would call framing itself, so that the next N-PDU finds room, that
 * is walked, too. */
static void settle(struct bench_stage_walk *walk)
{
    walk->settled = 0;
    while (walk->settled < walk->burst.count) {
        if (walk->worker->outbox.count + frames_of(walk, walk->settled) > WORKER_BURST)
            frame(walk);
        fit(walk);
        run(walk, BENCH_STAGE_BUFFERS); /* as the first of these N-PDUs would */
        run(walk, BENCH_STAGE_QUEUE);
    }
}

/* downlink_receive() */
static void take(struct bench_stage_walk *walk)
{
    run(walk, BENCH_STAGE_RECEIVE);
    run(walk, BENCH_STAGE_DECODE);
    run(walk, BENCH_STAGE_LOOKUP);
    settle(walk);
}

void bench_stage_step(struct bench_stage_walk *walk, int64_t now)
{
    walk->now = now;
    walk->at_ns = clock_counter_ns(walk->clock);
    frame(walk);
    take(walk);
    for (unsigned i = 0, sent = WORKER_BURST; i < WORKER_SENDS && sent == WORKER_BURST; i++)
        sent = frame(walk);
    downlink_reap(walk->worker, now);
    lap(walk, BENCH_STAGE_QUEUE, 1);
    run(walk, BENCH_STAGE_SEND);
}
