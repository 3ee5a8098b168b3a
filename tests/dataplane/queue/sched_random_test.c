/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler through long random lives beside the model of its rules. At every instant: what leaves is
 * what must leave, nothing leaves that may not, nothing is late by a nanosecond, rings stand in the same
 * order, the same N-PDUs are dropped for the same reasons, and in = out + dropped + queued.
 */
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/queue/sched.h"
#include "tests/dataplane/queue/prng.h"
#include "tests/dataplane/queue/sched_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LLC_PDUS 12500 /* per life */
#define LIVES    4     /* per row */
#define PDPS     3
#define MSEC     INT64_C(1000000)
#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* What kind of life. Whole milliseconds, and rates that are whole octets in them, make many ties. */
static const struct profile {
    int64_t tick_ns, gap_ns, max_age_ns;
    uint16_t n201_u;
    uint8_t cells;
    uint8_t change_percent; /* of the events */
} profiles[] = {
    {1, 20 * MSEC, MOMENT_NEVER, 500, 4, 1},        {1, 20 * MSEC, 3000 * MSEC, 500, 4, 5},
    {1, 12 * MSEC, 900 * MSEC, 140, 1, 20},         {1, 200 * MSEC, 15000 * MSEC, 1520, 3, 50},
    {MSEC, 20 * MSEC, MOMENT_NEVER, 500, 2, 5},     {MSEC, 16 * MSEC, 500 * MSEC, 500, 4, 20},
    {MSEC, 10 * MSEC, 1000 * MSEC - 1, 1520, 1, 5}, {MSEC, 60 * MSEC, 4000 * MSEC, 270, 4, 50},
};

struct life {
    const struct profile *profile;
    struct sched sched;
    struct sched_bvc cells[SCHED_MODEL_CELLS];
    struct sched_ms ms[SCHED_MODEL_MS];
    struct sched_model model;
    struct n_pdu n_pdus[SCHED_MODEL_ALL];
    struct n_pdu_list unused;
    uint64_t first_seed, seed;
    int64_t now;
    uint32_t in, out, dropped, refused, llc_pdus, waits;
    uint32_t by_reason[DROP_COUNT];
    uint64_t digest; /* of what left, when, in which order */
};

/* --- values --- */

static uint64_t chance(struct life *l, uint64_t n)
{
    return prng_below(&l->seed, n);
}

static uint64_t some_rate_bps(struct life *l)
{
    static const uint64_t whole[] = {0, 8000, 16000, 16000, 40000, 80000, 80000, 160000};
    if (l->profile->tick_ns > 1)
        return whole[chance(l, COUNT(whole))];
    switch (chance(l, 16)) {
    case 0:
        return 0;
    case 1:
        return 1 + chance(l, 100);
    case 2:
        return BUCKET_MAX_RATE_BPS;
    default:
        return prng_between(&l->seed, 1000, 300000);
    }
}

static uint64_t some_max_octets(struct life *l)
{
    switch (chance(l, 16)) {
    case 0:
        return 0;
    case 1:
    case 2:
        return chance(l, 600); /* shorter than many an LLC-PDU */
    case 3:
        return BUCKET_MAX_OCTETS;
    default:
        return prng_between(&l->seed, 600, 6000);
    }
}

/* --- both sides at once --- */

static void set_ms(struct life *l, uint8_t i, uint64_t max_octets, uint64_t rate_bps)
{
    bucket_set(&l->ms[i].bucket, max_octets, rate_bps, l->now);
    bucket_model_set(&l->model.ms[i].bucket, max_octets, rate_bps, l->now);
    sched_ms_changed(&l->sched, &l->ms[i]);
    sched_model_changed(&l->model, i);
}

static void set_cell(struct life *l, uint8_t i, uint64_t max_octets, uint64_t rate_bps)
{
    bucket_set(&l->cells[i].bucket, max_octets, rate_bps, l->now);
    bucket_model_set(&l->model.cells[i].bucket, max_octets, rate_bps, l->now);
    sched_bvc_changed(&l->sched, &l->cells[i]);
}

static void use_cell(struct life *l, uint8_t i, bool usable)
{
    sched_bvc_use(&l->sched, &l->cells[i], usable);
    l->model.cells[i].usable = usable;
}

static void correct_ms(struct life *l, uint8_t i)
{
    uint32_t percent = (uint32_t)chance(l, 200);
    bucket_set_ratio(&l->ms[i].bucket, percent, l->now);
    bucket_model_set_ratio(&l->model.ms[i].bucket, percent, l->now);
    sched_ms_changed(&l->sched, &l->ms[i]);
    sched_model_changed(&l->model, i);
}

static void correct_cell(struct life *l, uint8_t i)
{
    uint64_t octets = chance(l, 3000);
    bucket_discard(&l->cells[i].bucket, octets, l->now);
    bucket_model_discard(&l->model.cells[i].bucket, octets, l->now);
    sched_bvc_changed(&l->sched, &l->cells[i]);
}

static void reset_cell(struct life *l, uint8_t i)
{
    bucket_reset(&l->cells[i].bucket, l->now);
    bucket_model_reset(&l->model.cells[i].bucket, l->now);
    sched_bvc_changed(&l->sched, &l->cells[i]);
}

/* --- what is held against the model --- */

static void assert_rings(struct life *l)
{
    for (uint8_t i = 0; i < l->profile->cells; i++) {
        uint8_t ring[SCHED_MODEL_MS];
        uint32_t count = 0;
        for (const struct sched_ms *ms = l->cells[i].head; ms && count < SCHED_MODEL_MS; ms = ms->next)
            ring[count++] = (uint8_t)(ms - l->ms);
        if (!sched_model_adopt(&l->model, i, ring, count))
            fail_msg("seed %u: ring of cell %u at %lld", (unsigned)l->first_seed, i, (long long)l->now);
    }
}

static void assert_accounts(struct life *l)
{
    uint32_t queued = 0;
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++) {
        assert_int_equal(l->ms[i].queue.pkts, l->model.ms[i].pkts);
        queued += l->ms[i].queue.pkts;
    }
    assert_int_equal(l->in, l->out + l->dropped + l->refused + queued);
}

static void take_dropped(struct life *l)
{
    struct n_pdu *n_pdu;
    while ((n_pdu = n_pdu_list_take(&l->sched.dropped))) {
        if (!sched_model_confirm_drop(&l->model, n_pdu, n_pdu->drop_reason))
            fail_msg("seed %u: %s dropped at %lld", (unsigned)l->first_seed,
                     drop_name((enum drop)n_pdu->drop_reason), (long long)l->now);
        l->by_reason[n_pdu->drop_reason]++;
        l->dropped++;
        n_pdu_list_put(&l->unused, n_pdu);
    }
    if (l->model.dropped_pkts > 0)
        fail_msg("seed %u: not dropped at %lld", (unsigned)l->first_seed, (long long)l->now);
}

static void assert_grant(struct life *l, const struct sched_grant *grant)
{
    struct sched_model_llc llc;
    uint8_t cell = l->model.ms[grant->ms - l->ms].cell;
    bool allowed = sched_model_turn(&l->model, cell, &llc, l->now);
    if (!allowed || &l->ms[llc.ms] != grant->ms || llc.n_pdu != grant->n_pdu || llc.offset != grant->offset ||
        llc.segment != grant->segment || llc.octets != grant->next.llc_octets ||
        llc.payload_octets != grant->next.payload_octets || llc.last != grant->next.last)
        fail_msg("seed %u: mobile %u sends %u octets at %lld", (unsigned)l->first_seed,
                 (unsigned)(grant->ms - l->ms), grant->next.llc_octets, (long long)l->now);
    sched_model_sent(&l->model, &llc, l->now);
    l->digest = prng_u64(&l->digest) ^ (uint64_t)l->now ^ (uint64_t)llc.ms << 56;
}

static void assert_nothing_may_leave(struct life *l)
{
    struct sched_model_llc llc;
    for (uint8_t i = 0; i < l->profile->cells; i++)
        if (sched_model_turn(&l->model, i, &llc, l->now))
            fail_msg("seed %u: mobile %u does not send %u octets at %lld", (unsigned)l->first_seed, llc.ms,
                     llc.octets, (long long)l->now);
}

static void send_all(struct life *l)
{
    struct sched_grant grant;
    while (sched_pick(&l->sched, &grant, l->now)) {
        assert_grant(l, &grant);
        l->llc_pdus++;
        if (!grant.next.last)
            continue;
        l->out++;
        n_pdu_list_put(&l->unused, grant.n_pdu);
    }
    assert_nothing_may_leave(l);
    assert_rings(l);
}

/* The scheduler's own deadlines drive time: were one late, the model would say so. */
static void run(struct life *l, int64_t until_ns)
{
    for (;;) {
        sched_advance(&l->sched, l->now);
        sched_model_advance(&l->model, l->now);
        take_dropped(l);
        assert_rings(l);
        send_all(l);
        int64_t next_ns = sched_next_ns(&l->sched);
        if (next_ns <= l->now || next_ns > sched_model_next_ns(&l->model, l->now))
            fail_msg("seed %u: at %lld the next instant is %lld", (unsigned)l->first_seed, (long long)l->now,
                     (long long)next_ns);
        if (l->now == until_ns)
            return;
        l->now = moment_min(next_ns, until_ns);
        l->waits++;
    }
}

/* --- events --- */

static void put(struct life *l, uint8_t i)
{
    if (l->model.ms[i].pkts == SCHED_MODEL_PKTS)
        return;
    struct n_pdu *n_pdu = n_pdu_list_take(&l->unused);
    assert_non_null(n_pdu);
    *n_pdu = (struct n_pdu){.arrival_ns = l->now,
                            .octets = (uint16_t)prng_between(&l->seed, 1, chance(l, 2) ? 1503 : 100),
                            .pdp = (uint32_t)chance(l, PDPS)};
    l->in++;
    bool taken = sched_model_put(&l->model, i, n_pdu);
    int reason = sched_enqueue(&l->sched, &l->ms[i], n_pdu);
    assert_int_equal(reason, taken ? DROP_NONE : DROP_QUEUE_FULL);
    if (!taken) {
        l->refused++;
        n_pdu_list_put(&l->unused, n_pdu);
    }
}

static void change(struct life *l)
{
    uint8_t i = (uint8_t)chance(l, SCHED_MODEL_MS), cell = (uint8_t)chance(l, l->profile->cells);
    uint64_t max_octets = some_max_octets(l), rate_bps = some_rate_bps(l);
    uint32_t pdp = (uint32_t)chance(l, PDPS);
    switch (chance(l, 12)) {
    case 0:
        use_cell(l, cell, chance(l, 4) != 0);
        break;
    case 1:
        sched_remove_pdp(&l->sched, &l->ms[i], pdp);
        sched_model_remove_pdp(&l->model, i, pdp);
        break;
    case 2:
        sched_ms_flush(&l->sched, &l->ms[i], DROP_CONTEXT_DELETED);
        sched_model_flush(&l->model, i, DROP_CONTEXT_DELETED);
        break;
    case 3:
        correct_ms(l, i);
        break;
    case 4:
        correct_cell(l, cell);
        break;
    case 5:
        reset_cell(l, cell);
        break;
    case 6:
    case 7:
        set_cell(l, cell, max_octets, rate_bps * 2);
        break;
    default:
        set_ms(l, i, max_octets, rate_bps);
        break;
    }
}

static void begin(struct life *l, const struct profile *profile, uint64_t seed)
{
    *l = (struct life){.profile = profile, .first_seed = seed, .seed = seed};
    assert_true(sched_new(&l->sched, SCHED_MODEL_MS, profile->cells));
    for (size_t i = 0; i < COUNT(l->n_pdus); i++)
        n_pdu_list_put(&l->unused, &l->n_pdus[i]);
    for (uint8_t i = 0; i < profile->cells; i++) {
        sched_bvc_init(&l->cells[i], 0);
        use_cell(l, i, true);
        set_cell(l, i, 2000, 80000);
    }
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++) {
        struct sched_ms *ms = &l->ms[i];
        uint16_t n201_u = profile->n201_u;
        uint8_t cell = (uint8_t)chance(l, profile->cells);
        sched_ms_init(ms, &l->cells[cell], 0);
        ms->queue.limit_octets = 8000;
        ms->queue.max_age_ns = profile->max_age_ns;
        ms->queue.segmenting = (struct segmenting){(uint16_t)(n201_u - 4), (uint16_t)(n201_u - 3), 10, 9};
        l->model.ms[i] = (struct sched_model_ms){
            .limit_octets = 8000, .n201_u = n201_u, .max_age_ns = profile->max_age_ns, .cell = cell};
        set_ms(l, i, some_max_octets(l), some_rate_bps(l));
    }
}

/* With everything open the rest leaves at once: nothing was lost on the way. */
static void end(struct life *l)
{
    for (uint8_t i = 0; i < SCHED_MODEL_MS; i++) {
        set_ms(l, i, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS);
        bucket_reset(&l->ms[i].bucket, l->now);
        bucket_model_reset(&l->model.ms[i].bucket, l->now);
    }
    for (uint8_t i = 0; i < l->profile->cells; i++) {
        use_cell(l, i, true);
        reset_cell(l, i);
        set_cell(l, i, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS);
    }
    run(l, l->now);
    assert_accounts(l);
    assert_int_equal(l->in, l->out + l->dropped + l->refused);
    sched_free(&l->sched);
}

static void live(struct life *l, const struct profile *profile, uint64_t seed)
{
    begin(l, profile, seed);
    while (l->llc_pdus < LLC_PDUS) {
        int64_t gap_ticks = (int64_t)chance(l, (uint64_t)(2 * profile->gap_ns / profile->tick_ns));
        run(l, l->now + gap_ticks * profile->tick_ns);
        if (chance(l, 100) < profile->change_percent)
            change(l);
        else
            put(l, (uint8_t)chance(l, SCHED_MODEL_MS));
        take_dropped(l);
        assert_rings(l);
        assert_accounts(l);
    }
    end(l);
}

/* A life in which nothing waits, nothing is dropped or nothing is refused would have tested little. */
static void long_lives_beside_the_model(void **state)
{
    static struct life l;
    uint32_t by_reason[DROP_COUNT] = {0};
    for (size_t i = 0; i < LIVES * COUNT(profiles); i++) {
        live(&l, &profiles[i % COUNT(profiles)], i);
        assert_in_range(l.waits, LLC_PDUS / 2, UINT32_MAX);
        by_reason[DROP_QUEUE_FULL] += l.refused;
        for (int r = 0; r < DROP_COUNT; r++)
            by_reason[r] += l.by_reason[r];
    }
    assert_in_range(by_reason[DROP_QUEUE_FULL], 1000, UINT32_MAX);
    assert_in_range(by_reason[DROP_LIFETIME], 1000, UINT32_MAX);
    assert_in_range(by_reason[DROP_PARTIAL], 100, UINT32_MAX);
    assert_in_range(by_reason[DROP_CONTEXT_DELETED], 100, UINT32_MAX);
}

/* Same calls, same order, ties among mobiles and among cells included, wherever in memory it all lies. */
static void a_life_repeats(void **state)
{
    static struct life a, b;
    live(&a, &profiles[5], 50);
    live(&b, &profiles[5], 50);
    assert_int_equal(a.digest, b.digest);
    live(&b, &profiles[5], 51);
    assert_int_not_equal(a.digest, b.digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_lives_beside_the_model),
        cmocka_unit_test(a_life_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
