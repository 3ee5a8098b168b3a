/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/stage.h"

#include "bench/account/account.h"
#include "bench/throughput/fixture.h"
#include "bench/throughput/traffic.h"
#include "control/base/clock.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/admission.h"
#include "dataplane/worker/stages.h"

#define BENCH_STAGE_NONE BENCH_STAGE_ALL

#define REPEATS     4 /* few, so that a step stays below gap_ns */
#define CLOCK_TRIES 16
#define CLOCK_LAPS  64

static void receive(struct bench_stage_pass *pass)
{
    pass->frame_count = port_receive(&pass->worker->gn, pass->frames);
    pass->worker->stats.gn_frames += pass->frame_count;
}

/* No row uses the guards of ports where none is built. */
static __rte_unused void take_guard(struct bench_stage_pass *pass)
{
    struct worker *w = pass->worker;
    pass->frame_count = gn_rx_sift(w, pass->frames, pass->frame_count);
}

static void decode(struct bench_stage_pass *pass)
{
    admission_start(&pass->burst, false);
    gn_rx_decode(pass->worker, pass->frames, pass->frame_count, &pass->burst, pass->now);
}

static void look_up(struct bench_stage_pass *pass)
{
    admission_find(pass->worker, &pass->burst);
}

static void take_buffers(struct bench_stage_pass *pass)
{
    gb_tx_outbox_open(pass->worker);
}

static void queue(struct bench_stage_pass *pass)
{
    admission_settle(pass->worker, &pass->burst, pass->settled, pass->fitting, pass->now);
    pass->settled = pass->fitting;
}

static void pick(struct bench_stage_pass *pass)
{
    gb_tx_fill(pass->worker, &pass->worker->outbox.batch, pass->now);
}

static void put_headers(struct bench_stage_pass *pass)
{
    struct gb_tx_batch *batch = &pass->worker->outbox.batch;
    batch->spare_count = WORKER_BURST;
    gb_tx_put_headers(pass->worker, batch, pass->now);
}

static void put_llc(struct bench_stage_pass *pass)
{
    pass->worker->outbox.batch.spare_count = WORKER_BURST;
    gb_tx_put_llc(pass->worker, &pass->worker->outbox.batch);
}

static void put_bssgp(struct bench_stage_pass *pass)
{
    gb_tx_put_bssgp(pass->worker, &pass->worker->outbox.batch, pass->now);
}

static void put_fcs(struct bench_stage_pass *pass)
{
    pass->worker->outbox.cipher.count = pass->ciphered;
    gb_tx_put_fcs(pass->worker, &pass->worker->outbox.batch);
}

static void cipher(struct bench_stage_pass *pass)
{
    cipher_run(&pass->worker->outbox.cipher, pass->worker->gea);
}

static void hand_over(struct bench_stage_pass *pass)
{
    gb_tx_hand_over(pass->worker, &pass->worker->outbox.batch, pass->now);
}

static __rte_unused void put_guard(struct bench_stage_pass *pass)
{
    port_protect(&pass->worker->gb);
}

static void send_out(struct bench_stage_pass *pass)
{
    port_flush(&pass->worker->gb);
}

static const struct {
    const char *name;
    void (*run)(struct bench_stage_pass *pass);
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
#include "bench/esp/stages.def"
    [BENCH_STAGE_SEND] = {"gb_ring", send_out, false},
    [BENCH_STAGE_LLC] = {"llc", put_llc, true},
    [BENCH_STAGE_BSSGP] = {"bssgp", put_bssgp, true},
};

const char *bench_stage_name(enum bench_stage stage)
{
    return stages[stage].name;
}

/* --- time --- */

/* Adds the time since the last clock reading to a stage that ran `runs` times. */
static void lap(struct bench_stage_pass *pass, enum bench_stage stage, unsigned runs)
{
    int64_t now = clock_counter_ns(pass->clock);
    pass->spent_ns[stage] += (double)(now - pass->at_ns - pass->lap_ns) / runs;
    pass->at_ns = now;
}

/* A part of a stage; account_run() takes it as one argument. */
struct piece {
    void (*run)(struct bench_stage_pass *pass);
    struct bench_stage_pass *pass;
};

static void run_piece(void *arg)
{
    const struct piece *piece = arg;
    piece->run(piece->pass);
}

static void run_part(struct bench_stage_pass *pass, enum bench_stage stage,
                     void (*part)(struct bench_stage_pass *pass))
{
    struct piece piece = {part, pass};
    if (pass->account)
        account_run(pass->account, stage, run_piece, &piece);
    else
        part(pass);
}

static void stage_run(struct bench_stage_pass *pass, enum bench_stage stage)
{
    unsigned runs = stage == pass->repeated && stages[stage].is_repeatable ? REPEATS : 1;
    for (unsigned i = 0; i < runs; i++)
        run_part(pass, stage, stages[stage].run);
    lap(pass, stage, runs);
}

/* The cost of a clock reading: the shortest of several tries, of which any may have a gap. */
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

void bench_stage_start(struct bench_stage_pass *pass, struct bench_fixture *fixture, uint16_t n201_u,
                       const struct clock_counter *clock)
{
    *pass = (struct bench_stage_pass){.fixture = fixture,
                                      .worker = fixture->worker,
                                      .n201_u = n201_u,
                                      .clock = clock,
                                      .repeated = BENCH_STAGE_NONE};
    pass->lap_ns = lap_cost_ns(clock);
}

/* --- a step --- */

/* gb_tx_outbox_flush() */
static void flush(struct bench_stage_pass *pass)
{
    stage_run(pass, BENCH_STAGE_CIPHER);
    if (pass->worker->gb.guard)
        stage_run(pass, BENCH_STAGE_GUARD_OUT);
    stage_run(pass, BENCH_STAGE_SEND);
}

static void stage_begin(struct bench_stage_pass *pass)
{
    pass->is_begun = gb_tx_begin(pass->worker, pass->now);
}

static void close_batch(struct bench_stage_pass *pass)
{
    gb_tx_outbox_close(pass->worker);
}

static void reap(struct bench_stage_pass *pass)
{
    fate_reap(pass->worker, pass->now);
}

/* gb_tx_send() */
static unsigned send_burst(struct bench_stage_pass *pass)
{
    if (gb_tx_outbox_needs_flush(pass->worker))
        flush(pass);
    run_part(pass, BENCH_STAGE_PICK, stage_begin);
    if (!pass->is_begun) {
        lap(pass, BENCH_STAGE_PICK, 1);
        return 0;
    }
    pass->ciphered = pass->worker->outbox.cipher.count;
    stage_run(pass, BENCH_STAGE_PICK);
    stage_run(pass, BENCH_STAGE_HEADERS);
    if (pass->repeated == BENCH_STAGE_LLC || pass->repeated == BENCH_STAGE_BSSGP)
        stage_run(pass, pass->repeated);
    stage_run(pass, BENCH_STAGE_FCS);
    stage_run(pass, BENCH_STAGE_HAND_OVER);
    unsigned count = pass->worker->outbox.batch.count;
    run_part(pass, BENCH_STAGE_BUFFERS, close_batch);
    lap(pass, BENCH_STAGE_BUFFERS, 1);
    return count;
}

/* LLC frames of an N-PDU, as gb_tx_pass() asks before the bypass. */
static unsigned frames_of(const struct bench_stage_pass *pass, unsigned i)
{
    return bench_traffic_frames_of(pass->burst.n_pdus[i]->octets, pass->n201_u);
}

/* Sets fitting: N-PDUs that find room in the outbox even if each takes the bypass. */
static void fit(struct bench_stage_pass *pass)
{
    unsigned frames = pass->worker->outbox.batch.count;
    for (pass->fitting = pass->settled; pass->fitting < pass->burst.count; pass->fitting++) {
        frames += frames_of(pass, pass->fitting);
        if (frames > WORKER_BURST)
            return;
    }
}

/* admission_settle() in parts: where it would call framing to make room for the next N-PDU, the stages of
 * framing are run, too. */
static void stage_settle(struct bench_stage_pass *pass)
{
    pass->settled = 0;
    while (pass->settled < pass->burst.count) {
        if (pass->worker->outbox.batch.count + frames_of(pass, pass->settled) > WORKER_BURST)
            send_burst(pass);
        fit(pass);
        stage_run(pass, BENCH_STAGE_BUFFERS); /* as the first of these N-PDUs does */
        stage_run(pass, BENCH_STAGE_QUEUE);
    }
}

/* gn_rx_receive() */
static void stage_take(struct bench_stage_pass *pass)
{
    stage_run(pass, BENCH_STAGE_RECEIVE);
    if (port_must_sift(&pass->worker->gn))
        stage_run(pass, BENCH_STAGE_GUARD_IN);
    stage_run(pass, BENCH_STAGE_DECODE);
    stage_run(pass, BENCH_STAGE_LOOKUP);
    stage_settle(pass);
}

static void frame(struct bench_stage_pass *pass)
{
    send_burst(pass);
}

/* stages_send() */
static void frame_more(struct bench_stage_pass *pass)
{
    for (unsigned i = 0, sent = WORKER_BURST; i < WORKER_SENDS && sent == WORKER_BURST; i++)
        sent = send_burst(pass);
}

static void stage_reap(struct bench_stage_pass *pass)
{
    run_part(pass, BENCH_STAGE_QUEUE, reap);
    lap(pass, BENCH_STAGE_QUEUE, 1);
}

/* Stages of the worker that are run in measured parts, which are finer than its stages. The others are run
 * whole and not measured: the idle step has them. */
static void (*const in_parts[WORKER_STAGES])(struct bench_stage_pass *pass) = {
    [WORKER_STAGE_GB_TX] = frame,           [WORKER_STAGE_GN_RX] = stage_take,
    [WORKER_STAGE_GB_TX_MORE] = frame_more, [WORKER_STAGE_FATE] = stage_reap,
    [WORKER_STAGE_FLUSH] = flush,
};

static void run_row(struct bench_stage_pass *pass, enum worker_stage stage,
                    unsigned (*step)(struct worker *w, int64_t now))
{
    if (in_parts[stage]) {
        in_parts[stage](pass);
        return;
    }
    step(pass->worker, pass->now);
    pass->at_ns = clock_counter_ns(pass->clock);
}

void bench_stage_step(struct bench_stage_pass *pass, int64_t now)
{
    pass->now = now;
    pass->at_ns = clock_counter_ns(pass->clock);
#define WORKER_STAGE(name, step, next_ns) run_row(pass, WORKER_STAGE_##name, step);
#include "dataplane/worker/stages.def"
}

#define WHOLE       BENCH_STAGE_COUNT /* stages of the account beside those of enum bench_stage */
#define IDLE        (BENCH_STAGE_COUNT + 1)
#define CLOCK_TICKS 1000000000 /* of a clock whose readings are not used */

_Static_assert(IDLE < ACCOUNT_STAGES, "the account has too few stages");

#define LINES 1024 /* read at a time */

/* Reads a random line of a table; `chance` is that of a linear congruential generator. */
static inline uint64_t read_line(const void *table, uint64_t lines, uint64_t *chance)
{
    *chance = *chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t line = (uint64_t)((unsigned __int128)*chance * lines >> 64);
    return *(const volatile uint64_t *)((const uint8_t *)table + line * RTE_CACHE_LINE_SIZE);
}

struct bench_stage_lines bench_stage_read_lines(const struct worker *worker,
                                                const struct clock_counter *clock, uint64_t *chance,
                                                bool is_chase)
{
    const struct context *c = &worker->context;
    const uint64_t mobile_lines = c->limits.mobiles * sizeof(*c->mobiles) / RTE_CACHE_LINE_SIZE,
                   pdp_lines = c->limits.pdps * sizeof(*c->pdps) / RTE_CACHE_LINE_SIZE;
    uint64_t none = 0;
    __asm__("" : "+r"(none)); /* 0, which the compiler cannot know */
    int64_t start_ns = clock_counter_ns(clock);
    for (unsigned i = 0; i < LINES; i++) {
        const uint64_t read =
            i % 4 > 0 ? read_line(c->mobiles, mobile_lines, chance) : read_line(c->pdps, pdp_lines, chance);
        if (is_chase)
            *chance += read & none;
    }
    int64_t took_ns = clock_counter_ns(clock) - start_ns;
    return (struct bench_stage_lines){(double)took_ns / LINES, took_ns};
}

static void run_step(struct bench_fixture *fixture)
{
    bench_fixture_feed(fixture);
    bench_fixture_step(fixture);
    bench_fixture_collect(fixture);
}

static void warm_up(struct bench_fixture *fixture)
{
    while (!bench_fixture_is_warm(fixture))
        run_step(fixture);
}

static void stage_step(void *arg)
{
    bench_fixture_step(arg);
}

/* N-PDUs that were counted. */
struct done {
    double whole, staged;
};

static void count_whole(struct account *account, struct bench_fixture *fixture, struct done *done)
{
    const uint64_t before = bench_fixture_done(fixture);
    bench_fixture_feed(fixture);
    account_start_step(account);
    account_run(account, WHOLE, stage_step, fixture);
    bench_fixture_collect(fixture);
    done->whole += (double)(bench_fixture_done(fixture) - before);
}

static void count_stages(struct bench_stage_pass *pass, struct bench_fixture *fixture, struct done *done)
{
    const uint64_t before = bench_fixture_done(fixture);
    bench_fixture_feed(fixture);
    account_start_step(pass->account);
    bench_stage_step(pass, fixture->now += fixture->step_ns);
    bench_fixture_collect(fixture);
    done->staged += (double)(bench_fixture_done(fixture) - before);
}

static void count_idle(struct account *account, struct bench_fixture *fixture)
{
    bench_fixture_drain(fixture);
    account_start_step(account);
    account_run(account, IDLE, stage_step, fixture);
}

static struct bench_stage_counts counts(const struct account *account, unsigned stage, double n_pdus)
{
    const struct account_figures figures = account_figures(account, stage);
    if (n_pdus <= 0)
        return (struct bench_stage_counts){0};
    return (struct bench_stage_counts){.instructions = (double)figures.instructions / n_pdus,
                                       .lines = (double)figures.lines / n_pdus,
                                       .new_lines = (double)figures.new_lines / n_pdus,
                                       .unused_prefetches = (double)figures.unused_prefetches / n_pdus,
                                       .table_lines = (double)figures.watched_lines / n_pdus};
}

static void sum_up(struct bench_stage_account *out, const struct account *account, struct done done,
                   unsigned steps)
{
    for (unsigned i = 0; i < BENCH_STAGE_COUNT; i++) {
        out->stages[i] = counts(account, i, done.staged);
        out->sum.instructions += out->stages[i].instructions;
        out->sum.lines += out->stages[i].new_lines;
        out->sum.new_lines += out->stages[i].new_lines;
        out->sum.unused_prefetches += out->stages[i].unused_prefetches;
        out->sum.table_lines += out->stages[i].table_lines;
    }
    out->whole = counts(account, WHOLE, done.whole);
    out->idle = counts(account, IDLE, done.whole / steps);
    out->has_lines = account_has_lines();
    out->is_counted = true;
}

void bench_stage_account(struct bench_stage_account *out, struct bench_fixture *fixture,
                         const struct bench_plan *plan)
{
    struct account *account = plan->counted_steps > 0 ? account_new(true) : NULL;
    *out = (struct bench_stage_account){0};
    if (!account)
        return;
    const struct clock_counter clock = clock_counter_start(CLOCK_TICKS);
    struct bench_stage_pass pass;
    struct done done = {0};
    const struct context *c = &fixture->worker->context;
    account_watch(account, c->mobiles, c->limits.mobiles * sizeof(*c->mobiles));
    account_watch(account, c->pdps, c->limits.pdps * sizeof(*c->pdps));
    warm_up(fixture);
    bench_stage_start(&pass, fixture, plan->n201_u, &clock);
    pass.account = account;
    for (unsigned i = 0; i < plan->counted_steps; i++) {
        count_whole(account, fixture, &done);
        count_stages(&pass, fixture, &done);
    }
    count_idle(account, fixture);
    sum_up(out, account, done, plan->counted_steps);
    account_free(account);
}
