/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler through long random lives (life.h). The same seed makes the same life. */
#include "tests/unit/dataplane/sched/life.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/dataplane/sched/audit.h"
#include "tests/unit/short_form.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/ms.h"

#include <stdio.h>
#include <stdlib.h>

#define STEPS (short_form_is_wanted() ? 2500u : 5000u) /* of a life */
#define LIVES (short_form_is_wanted() ? 1u : 2u)       /* of a profile */

static const struct life_profile profiles[] = {
    {"plain", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true},
    {"plain, in whole milliseconds", RIG_MSEC, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3},
    {"classes", 1, 80 * RIG_MSEC, 3000 * RIG_MSEC, 0, 200, 60, 0, 0, 5, .has_classes = true,
     .is_short = true},
    {"a link", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 0, 0, 5, .has_classes = true},
    {"a link, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 900 * RIG_MSEC, 80000, 100, 40, 0, 0, 5,
     .has_classes = true, .is_short = true},
    {"packet flows", 1, 80 * RIG_MSEC, MOMENT_NEVER, 0, 300, 120, 0, 0, 10, .has_classes = true,
     .has_pfcs = true},
    {"packet flows, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 5000 * RIG_MSEC, 400000, 300, 60, 0, 0,
     20, .has_pfcs = true},
    {"everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true, true, true, true},
    {"everything, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC, 200000, 200, 40, 0, 0, 30,
     true, true, true, true},
    {"everything, without end", 1, 50 * RIG_MSEC, MOMENT_NEVER, 100000, 390, 30, 0, 0, 50, false, true, true,
     true},
    {"everything, too much of it", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 0, 0, 30, true, true,
     true, true},
    {"classes that come and go", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 200000, 300, 200, 0, 0, 30,
     .has_classes = true, .leaves = true},
    {"flow queues", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 24, 8, 3, .is_short = true},
    {"flow queues, in whole milliseconds", RIG_MSEC, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 24, 3,
     5, .has_classes = true},
    {"flow queues, too few", 1, 40 * RIG_MSEC, 2000 * RIG_MSEC, 200000, 300, 60, 3, 16, 10,
     .has_classes = true, .is_short = true, .leaves = true},
    {"flow queues and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 60, 16, 30, true, true,
     true, true},
    {"flow queues and everything, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC, 200000,
     200, 40, 30, 5, 30, true, true, true, true},
    {"flow queues, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12, 8, 30,
     false, true, true, true},
    {"in order of arrival", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true,
     .fifo = 0xff},
    {"in order of arrival, classes and a link", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 0, 0, 5,
     .has_classes = true, .fifo = 0xff},
    {"in order of arrival, everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true,
     true, true, true, .fifo = 0xff},
    {"in order of arrival, some classes, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 2000 * RIG_MSEC,
     200000, 200, 40, 0, 0, 30, true, true, true, true, .fifo = 0xaa},
    {"in order of arrival, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 0, 0,
     30, false, true, true, true, .fifo = 0xff},
    {"by start tags", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .is_short = true, .sfq = 0xff},
    {"by start tags, everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30, true, true,
     true, true, .sfq = 0xff},
    {"by start tags and quanta, everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 0, 0, 30,
     true, true, true, true, .sfq = 0xff, .ms_quantum_octets = 5000},
    {"by start tags, flow queues and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 60, 16,
     30, true, true, true, true, .sfq = 0xff},
    {"by start tags and not, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12,
     8, 30, false, true, true, true, .sfq = 0x55},
    {"flow queues by start tags", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 100000, 300, 60, 24, 16, 5,
     .has_classes = true, .sfq = 0xff, .flow_tags = true},
    {"flow queues by start tags, too few, and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60,
     3, 8, 30, true, true, true, true, .flow_tags = true},
    {"flow queues by start tags, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12,
     12, 8, 30, false, true, true, true, .sfq = 0xff, .flow_tags = true},
    {"room and credits", 1, 60 * RIG_MSEC, 3000 * RIG_MSEC, 0, 300, 60, 24, 16, 5, .has_classes = true,
     .sfq = 0xff, .flow_tags = true, .credit_octets = 6000},
    {"room and credits, everything", 1, 40 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 12, 8, 30, true,
     true, true, true, .sfq = 0xff, .flow_tags = true, .credit_octets = 1000, .ms_quantum_octets = 2000,
     .airtime = true},
    {"room, too much of everything", 1, 15 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 100, 12, 12, 8, 30, false,
     true, true, true, .sfq = 0xff, .flow_tags = true, .credit_octets = 6000},
    {"shortened", 1, 60 * RIG_MSEC, MOMENT_NEVER, 0, 300, 12, 0, 0, 3, .shortens = true},
    {"shortened, a link, in whole milliseconds", RIG_MSEC, 80 * RIG_MSEC, 900 * RIG_MSEC, 80000, 100, 40, 0,
     0, 5, .has_classes = true, .is_short = true, .shortens = true},
    {"shortened, flow queues and everything", 1, 60 * RIG_MSEC, 2000 * RIG_MSEC, 300000, 200, 60, 60, 16, 30,
     true, true, true, true, .shortens = true},
    {"shortened, room and credits, everything",
     1,
     40 * RIG_MSEC,
     2000 * RIG_MSEC,
     300000,
     200,
     60,
     12,
     8,
     30,
     false,
     true,
     true,
     true,
     .sfq = 0xff,
     .flow_tags = true,
     .credit_octets = 1000,
     .ms_quantum_octets = 2000,
     .airtime = true,
     .shortens = true},
    {"old at once", 1, 60 * RIG_MSEC, 30 * RIG_MSEC, 100000, 100, 200, 0, 0, 10, false, true, false, true},
};

/* Prints the seed of a life that fails. */
static uint64_t live(const struct life_profile *profile, uint64_t seed, uint32_t steps)
{
    static struct life l;
    life_new(&l, profile, seed);
    for (uint32_t i = 0; i < steps; i++)
        life_step(&l);
    uint64_t digest = l.digest;
    assert_in_range(l.rig.llc_pdus, steps / 20, UINT64_MAX);
    assert_int_equal(l.shortened > 0, profile->shortens);
    life_free(&l);
    return digest;
}

TEST(random_lives)
{
    for (size_t i = 0; i < COUNT(profiles); i++)
        for (uint64_t seed = 1; seed <= LIVES; seed++)
            live(&profiles[i], seed, STEPS);
}

TEST(the_same_seed_makes_the_same_life)
{
    for (size_t i = 0; i < COUNT(profiles); i += short_form_is_wanted() ? 3 : 1) {
        uint64_t first = live(&profiles[i], 7, 1000);
        assert_true(live(&profiles[i], 7, 1000) == first);
        assert_true(live(&profiles[i], 8, 1000) != first);
    }
}

/* Without arguments the lives of every build; with a first seed, how many from it on and how long. */
/* Queued TCP segments that arrive again, in one queue and in flow queues; and the books under random load
 * with all parts of the discipline q. */

#define MS       RIG_MSEC
#define S        RIG_SECOND
#define MOBILES  8
#define N_PDUS   1000
#define PACKET   44 /* 4 octets of data */
#define SEGMENTS 64

/* Segment n of 5-tuple `flow`, 4 octets of data each. */
static uint8_t *packet_of(uint8_t flow, uint8_t n)
{
    static uint8_t packets[RIG_FLOWS][SEGMENTS][PACKET];
    uint8_t *p = packets[flow][n];
    p[0] = 0x45;
    p[3] = PACKET;
    p[9] = 6;
    p[21] = flow;
    p[27] = (uint8_t)(4 * n);
    p[32] = 5 << 4;
    p[33] = 16;
    return p;
}

static int put(struct rig *rig, uint32_t ms, uint8_t flow, uint8_t n)
{
    struct n_pdu like = {.octets = PACKET,
                         .data = packet_of(flow, n),
                         .qclass = QCLASS_BACKGROUND,
                         .pfi = N_PDU_NO_PFI,
                         .flow_hash = flow};
    return rig_put(rig, ms, &like);
}

static void q_new(struct rig *rig, uint8_t flow_queues, bool drops)
{
    struct rig_counts counts = {
        .mobiles = MOBILES, .cells = 1, .links = 1, .n_pdus = N_PDUS, .flow_sets = MOBILES};
    struct sched_params params;
    sched_params_default(&params);
    params.flow_queues = flow_queues;
    params.flow_tags = flow_queues > 0;
    params.drops_duplicates = drops;
    params.sfq_classes = flow_queues > 0 ? 1 << QCLASS_BACKGROUND : 0;
    params.ms_limit_pkts = flow_queues > 0 ? 8 : params.ms_limit_pkts;
    rig_new(rig, &counts, &params);
}

static const struct {
    const char *name;
    uint8_t flow_queues;
    bool drops;
    uint8_t ms, flow, n; /* of the second N-PDU, behind segment 1 of 5-tuple 2 of mobile 1 */
    int reason;
} rows[] = {
    {"off: queued again", 0, false, 1, 2, 1, DROP_NONE}, {"one queue", 0, true, 1, 2, 1, DROP_DUPLICATE},
    {"flow queues", 16, true, 1, 2, 1, DROP_DUPLICATE},  {"the next segment", 16, true, 1, 2, 2, DROP_NONE},
    {"another 5-tuple", 16, true, 1, 3, 1, DROP_NONE},   {"another mobile", 16, true, 2, 2, 1, DROP_NONE},
};

TEST(queued_segments_arrive_again)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig rig;
        q_new(&rig, rows[i].flow_queues, rows[i].drops);
        bucket_init(&rig.cells[0].bucket, 0, 0, 0);
        sched_bvc_changed(&rig.sched, &rig.cells[0]);
        assert_int_equal(put(&rig, 1, 2, 1), DROP_NONE);
        if (put(&rig, rows[i].ms, rows[i].flow, rows[i].n) != rows[i].reason)
            fail_msg("%s", rows[i].name);
        assert_int_equal(rig.sched.pkts, rows[i].reason == DROP_NONE ? 2 : 1);
        bucket_set(&rig.cells[0].bucket, RIG_WIDE_OPEN, rig.now);
        sched_bvc_changed(&rig.sched, &rig.cells[0]);
        rig_run(&rig, 1 * S);
        assert_int_equal(put(&rig, 1, 2, 1), DROP_NONE); /* it has left */
        rig_run(&rig, 2 * S);
        rig_free(&rig);
    }
}

/* rig_free() holds in = out + dropped + queued. */
TEST_IN(books_are_even, struct rig, rig, q_new(rig, 16, true), rig_free(rig))
{
    uint64_t seed = 7;
    bucket_init(&rig->cells[0].bucket, 500, 20000, 0);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t x = prng_between(&seed, 0, 1 << 20);
        put(rig, (uint32_t)(x % MOBILES), (uint8_t)(x / 8 % RIG_FLOWS), (uint8_t)(x / 128 % SEGMENTS));
        if (x % 3 == 0)
            rig_run(rig, rig->now + (int64_t)(x / 128) * (MS / 400));
    }
    assert_true(rig->by_reason[DROP_DUPLICATE] > 100 && rig->by_reason[DROP_QUEUE_FULL] > 100);
    assert_int_equal(rig->in + rig->refused, 20000);
    assert_in_range(rig->refused, rig->by_reason[DROP_DUPLICATE],
                    rig->by_reason[DROP_DUPLICATE] + rig->by_reason[DROP_QUEUE_FULL]);
    rig_run(rig, MOMENT_NEVER);
    assert_int_equal(rig->sched.pkts, 0);
}

/* Two million N-PDUs for a cell that sends nothing, and buffers for a hundred thousand: who pays, and who
 * does not. */

#define OFFERED       2000000u
#define BUDGET        100000u
#define RESERVE       2000u
#define FLOOD_MOBILES 1000u
#define GREEDY        100u /* the first of them */
#define MODEST_PUT    50u  /* N-PDUs for each other mobile: half of an equal share */
#define EACH_TENTH    10u  /* of the modest ones hears signalling, too */

struct losses {
    uint32_t signalling, modest, greedy;
};

static void on_gone(struct rig *rig, const struct n_pdu *n_pdu, int reason)
{
    struct losses *losses = rig->arg;
    assert_int_equal(reason, DROP_BUDGET);
    if (n_pdu->qclass == QCLASS_SIGNALLING)
        losses->signalling++;
    else if (rig_ms_of(n_pdu) < GREEDY)
        losses->greedy++;
    else
        losses->modest++;
}

static void flood_put(struct rig *rig, uint32_t ms, uint8_t qclass)
{
    const struct n_pdu like = {.octets = 100, .qclass = qclass, .pfi = N_PDU_NO_PFI};
    rig_put(rig, ms, &like);
    rig_take_dropped(rig);
}

/* What the modest ones get comes evenly between the floods of the others. Returns the N-PDUs of signalling.
 */
static uint32_t offer(struct rig *rig)
{
    const uint32_t every = OFFERED / ((FLOOD_MOBILES - GREEDY) * MODEST_PUT);
    uint32_t modest = 0, signalling = 0;
    for (uint32_t i = 0; i < OFFERED; i++) {
        uint32_t ms = GREEDY + modest % (FLOOD_MOBILES - GREEDY);
        if (i % every != 0 || modest == (FLOOD_MOBILES - GREEDY) * MODEST_PUT) {
            flood_put(rig, i % GREEDY, QCLASS_BACKGROUND);
            continue;
        }
        modest++;
        flood_put(rig, ms, QCLASS_BACKGROUND);
        if (ms % EACH_TENTH == 0 && modest < 5 * FLOOD_MOBILES) {
            flood_put(rig, ms, QCLASS_SIGNALLING);
            signalling++;
        }
    }
    assert_int_equal(modest, (FLOOD_MOBILES - GREEDY) * MODEST_PUT);
    return signalling;
}

TEST(the_greedy_pay)
{
    const struct rig_counts counts = {FLOOD_MOBILES, FLOOD_MOBILES, 1, 1, BUDGET + RESERVE + 1};
    struct losses losses = {0};
    struct sched_params params;
    struct rig rig;
    sched_params_default(&params);
    params.budget_pkts = BUDGET;
    params.reserve_pkts = RESERVE;
    rig_new(&rig, &counts, &params);
    bucket_init(&rig.cells[0].bucket, 0, 0, 0);
    rig.on_gone = on_gone;
    rig.arg = &losses;
    uint32_t signalling = offer(&rig);
    assert_int_equal(signalling, 500);
    assert_int_equal(losses.signalling, 0);
    assert_int_equal(losses.modest, 0);
    assert_int_equal(losses.greedy, OFFERED + signalling - rig.sched.pkts);
    /* Nobody pays more than needed, and the greedy share what is left evenly. */
    assert_in_range(rig.sched.pkts, BUDGET, BUDGET + signalling);
    uint32_t share = (rig.sched.pkts - signalling - (FLOOD_MOBILES - GREEDY) * MODEST_PUT) / GREEDY;
    for (uint32_t ms = 0; ms < GREEDY; ms++)
        assert_in_range(sched_ms_backlog(&rig.sched, &rig.ms[ms]).pkts, share - 2, share + 2);
    assert_null(audit_books(&rig));
    rig_free(&rig);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return UNIT_RUN(NULL, NULL);
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; seed++)
        for (size_t i = 0; i < COUNT(profiles); i++)
            live(&profiles[i], seed, (uint32_t)strtoul(argv[3], NULL, 10));
    return 0;
}
