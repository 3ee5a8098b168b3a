/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of the air: two mobiles of a cell with different R, both with N-PDUs waiting all the time. */
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/sched/bvc.h"
#include "dataplane/sched/ms.h"

enum { MOBILES = 2, CELLS = 2, WAITING = 4, OCTETS = 1500 };

#define CELL_BPS  UINT64_C(80000)
#define R_DEFAULT UINT64_C(4000000)
#define PERIOD    (600 * RIG_SECOND)
#define OFF       0.03

struct air {
    struct rig rig;
    double octets[MOBILES];
    uint32_t waiting;
};

static void put(struct rig *rig, uint32_t ms)
{
    const struct n_pdu like = {.octets = OCTETS, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    assert_int_equal(rig_put(rig, ms, &like), DROP_NONE);
}

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    struct air *air = rig->arg;
    air->octets[ms] += grant->next.llc_octets;
    if (rig->ms[ms].flow.queue.pkts < air->waiting)
        put(rig, ms);
}

static void rate(struct air *air, uint32_t ms, uint64_t rate_bps)
{
    bucket_set(&air->rig.ms[ms].bucket, 2 * OCTETS, rate_bps, air->rig.now);
    sched_ms_changed(&air->rig.sched, &air->rig.ms[ms], air->rig.now);
}

struct setting {
    const char *name;
    bool airtime;
    uint16_t quantum_octets;
    uint32_t credit_octets;
    uint64_t rates_bps[MOBILES], default_bps;
    double ratio;    /* of octets */
    bool runs_empty; /* each N-PDU comes when the last one has left */
};

static void start(struct air *air, const struct setting *setting)
{
    const struct rig_counts counts = {
        .mobiles = MOBILES, .extras = 1, .cells = CELLS, .links = 1, .n_pdus = 64};
    struct sched_params params;
    sched_params_default(&params);
    params.sfq_classes = 1 << QCLASS_BACKGROUND;
    params.airtime = setting->airtime;
    params.ms_quantum_octets = setting->quantum_octets;
    params.credit_octets = setting->credit_octets;
    *air = (struct air){.waiting = setting->runs_empty ? 1 : WAITING};
    rig_new(&air->rig, &counts, &params);
    air->rig.arg = air;
    air->rig.on_sent = on_sent;
    for (unsigned i = 0; i < CELLS; i++) {
        air->rig.cells[i].ms_rate_bps = setting->default_bps;
        bucket_set(&air->rig.cells[i].bucket, 1, CELL_BPS, 0);
        sched_bvc_changed(&air->rig.sched, &air->rig.cells[i]);
    }
    for (uint32_t ms = 0; ms < MOBILES; ms++) {
        rate(air, ms, setting->rates_bps[ms]);
        for (unsigned n = 0; n < air->waiting; n++)
            put(&air->rig, ms);
    }
}

/* octets of mobile 0 to those of mobile 1 in the next period */
static void shares(struct air *air, double ratio)
{
    air->octets[0] = air->octets[1] = 0;
    rig_run(&air->rig, air->rig.now + PERIOD);
    assert_true(air->octets[1] > 0);
    double is = air->octets[0] / air->octets[1];
    if (is < ratio * (1 - OFF) || is > ratio * (1 + OFF))
        fail_msg("%g octets to one, not %g", is, ratio);
}

static const struct setting settings[] = {
    {"octets", false, 0, 0, {R_DEFAULT, R_DEFAULT / 4}, R_DEFAULT, 1},
    {"octets, with a quantum and a credit", false, 1300, 6000, {R_DEFAULT, R_DEFAULT / 4}, R_DEFAULT, 1},
    {"air time", true, 0, 0, {R_DEFAULT, R_DEFAULT / 4}, R_DEFAULT, 4},
    {"air time, with a quantum and a credit", true, 1300, 6000, {R_DEFAULT, R_DEFAULT / 4}, R_DEFAULT, 4},
    {"air time, with a long quantum", true, 4000, 6000, {R_DEFAULT, R_DEFAULT / 4}, R_DEFAULT, 4},
    {"both above the default", true, 0, 0, {8 * R_DEFAULT, 2 * R_DEFAULT}, R_DEFAULT, 4},
    {"both without R of their own", true, 0, 0, {R_DEFAULT, R_DEFAULT}, R_DEFAULT, 1},
    {"no default", true, 0, 0, {R_DEFAULT, R_DEFAULT / 4}, 0, 1},
    {"no more than the greatest charge", true, 1300, 6000, {R_DEFAULT, R_DEFAULT / 32}, R_DEFAULT, 16},
    {"a debt of the greatest charge",
     true,
     0,
     0,
     {R_DEFAULT, R_DEFAULT / 16},
     R_DEFAULT,
     16,
     .runs_empty = true},
};

static void play(const struct setting *setting)
{
    struct air air;
    start(&air, setting);
    shares(&air, setting->ratio);
    shares(&air, setting->ratio);
    rig_free(&air.rig);
}

TEST_EACH(share, play, settings)

static const struct setting alike = {"", true, 1300, 6000, {R_DEFAULT, R_DEFAULT}, R_DEFAULT, 1};

TEST(follows_a_change_of_rate)
{
    struct air air;
    start(&air, &alike);
    shares(&air, 1);
    rate(&air, 1, R_DEFAULT / 4);
    shares(&air, 4);
    rate(&air, 0, R_DEFAULT / 8);
    shares(&air, 0.5);
    rig_free(&air.rig);
}

/* While it may not send it gains a credit at most. */
TEST(a_rate_of_nothing)
{
    struct air air;
    start(&air, &alike);
    rate(&air, 1, 0);
    rig_run(&air.rig, PERIOD);
    double sent = air.octets[1];
    rig_run(&air.rig, 2 * PERIOD);
    assert_true(sent <= 2 * OCTETS && air.octets[1] == sent);
    rate(&air, 1, R_DEFAULT / 2);
    shares(&air, 2);
    rig_free(&air.rig);
}

/* In a cell where its R is the default it is charged as any. */
TEST(a_mobile_that_moves)
{
    struct air air;
    start(&air, &alike);
    rate(&air, 1, R_DEFAULT / 4);
    shares(&air, 4);
    air.rig.cells[1].ms_rate_bps = R_DEFAULT / 4;
    for (uint32_t ms = 0; ms < MOBILES; ms++) {
        bucket_set(&air.rig.ms[ms].bucket, 2 * OCTETS, R_DEFAULT / 4, air.rig.now);
        sched_ms_move(&air.rig.sched, &air.rig.ms[ms], &air.rig.cells[1], air.rig.now);
    }
    shares(&air, 1);
    rate(&air, 0, R_DEFAULT / 2);
    shares(&air, 2);
    rig_free(&air.rig);
}

UNIT_MAIN(NULL, NULL)
