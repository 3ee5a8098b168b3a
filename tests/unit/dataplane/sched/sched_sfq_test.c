/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-time fair queueing of mobiles beside a plain model of it: a cell that sends one N-PDU after the
 * other, mobiles with N-PDUs of any length that come and pause. Each choice has to be the model's, which
 * keeps whole tags in an array and looks at all of them.
 */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/sched/lab.h"
#include "tests/unit/dataplane/sched/rig.h"
#include "tests/unit/unit.h"

#include "dataplane/base/n_pdu.h"

#define MS      RIG_MSEC
#define S       RIG_SECOND
#define BG      (1 << QCLASS_BACKGROUND)
#define MOBILES 12
#define WAITING 64
#define STEPS   20000
#define NO_ONE  MOBILES

struct plain_ms {
    uint64_t tag, entered; /* entered: orders equal keys */
    uint16_t octets[WAITING];
    uint32_t first, count;
};

struct plain {
    struct plain_ms ms[MOBILES];
    uint64_t vt, entries, sent;
    uint32_t next; /* it has the cell's turn; NO_ONE: none waits */
};

static uint32_t chosen(const struct plain *plain)
{
    uint32_t best = NO_ONE;
    uint64_t best_key = 0;
    for (uint32_t i = 0; i < MOBILES; i++) {
        const struct plain_ms *ms = &plain->ms[i];
        uint64_t key = ms->tag + ms->octets[ms->first % WAITING];
        if (ms->count == 0 || (best != NO_ONE && key > best_key))
            continue;
        if (best != NO_ONE && key == best_key && ms->entered > plain->ms[best].entered)
            continue;
        best = i;
        best_key = key;
    }
    return best;
}

static void plain_put(struct plain *plain, uint32_t i, uint16_t octets)
{
    struct plain_ms *ms = &plain->ms[i];
    if (ms->count == 0) {
        ms->tag = ms->tag > plain->vt ? ms->tag : plain->vt;
        ms->entered = plain->entries++;
    }
    ms->octets[(ms->first + ms->count++) % WAITING] = octets;
    if (plain->next == NO_ONE)
        plain->next = chosen(plain);
}

static void plain_sent(struct plain *plain, uint32_t i, uint16_t octets)
{
    struct plain_ms *ms = &plain->ms[i];
    plain->sent++;
    assert_int_equal(i, plain->next);
    assert_int_equal(octets, ms->octets[ms->first % WAITING]);
    plain->vt = ms->tag > plain->vt ? ms->tag : plain->vt;
    ms->tag += octets;
    ms->first++;
    ms->count--;
    ms->entered = plain->entries++;
    plain->next = chosen(plain);
}

static void on_sent(struct rig *rig, uint32_t ms, const struct sched_grant *grant)
{
    plain_sent(rig->arg, ms, grant->next.llc_octets);
}

static void start(struct rig *rig, struct plain *plain, uint64_t cell_bps)
{
    struct rig_counts counts = {.mobiles = MOBILES, .extras = 1, .cells = 1, .links = 1, .n_pdus = 1024};
    struct sched_params params;
    sched_params_default(&params);
    params.sfq_classes = BG;
    *plain = (struct plain){.next = NO_ONE};
    rig_new(rig, &counts, &params);
    rig->arg = plain;
    rig->on_sent = on_sent;
    bucket_set(&rig->cells[0].bucket, 1, cell_bps, 0);
    sched_bvc_changed(&rig->sched, &rig->cells[0]);
}

static void put(struct rig *rig, struct plain *plain, uint32_t ms, uint16_t octets)
{
    struct n_pdu like = {.octets = octets, .qclass = QCLASS_BACKGROUND, .pfi = N_PDU_NO_PFI};
    if (plain->ms[ms].count == WAITING)
        return;
    plain_put(plain, ms, octets);
    assert_int_equal(rig_put(rig, ms, &like), DROP_NONE);
}

/* Mobiles of low numbers send short N-PDUs, now and then; those of high ones long ones, many at a time. */
TEST(as_the_model)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t prng = seed;
        struct plain plain;
        struct rig rig;
        start(&rig, &plain, 400000);
        for (int64_t now = MS; rig.llc_pdus < STEPS / 4; now += (int64_t)prng_below(&prng, 60) * MS + 1) {
            uint32_t ms = (uint32_t)prng_below(&prng, MOBILES);
            rig_run(&rig, now - 1);
            rig.now = now;
            for (uint64_t n = prng_below(&prng, ms + 1u); n > 0; n--)
                put(&rig, &plain, ms, (uint16_t)prng_between(&prng, 40, 100 + ms * 110));
        }
        rig_run(&rig, MOMENT_NEVER);
        assert_int_equal(rig.in, plain.sent);
        rig_free(&rig);
    }
}

/* A cell of 1000 octets a second; the first N-PDU closes it. */
static const struct lab_scenario rows[] = {
    ROW(.name = "a short N-PDU passes long ones, by turns of octets", .sfq = BG,
        .steps = LIST({0, LAB_CELL, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                      {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000}, {4 * MS, LAB_PUT, 2, 100}),
        .sent = LIST({0, 3, 1000}, {1 * S, 0, 1000}, {1100 * MS, 2, 100}, {2100 * MS, 1, 1000},
                     {3100 * MS, 0, 1000})),
    ROW(.name = "a pause does not end a debt", .sfq = BG,
        .steps = LIST({0, LAB_CELL, 0, 1500, 8000}, {0, LAB_PUT, 3, 1500}, {1 * MS, LAB_PUT, 0, 1500},
                      {2 * MS, LAB_PUT, 1, 300}, {3 * MS, LAB_PUT, 1, 300}, {4 * MS, LAB_PUT, 1, 300},
                      {1600 * MS, LAB_PUT, 0, 200}),
        .sent = LIST({0, 3, 1500}, {1500 * MS, 0, 1500}, {1800 * MS, 1, 300}, {2100 * MS, 1, 300},
                     {2400 * MS, 1, 300}, {2600 * MS, 0, 200})),
    {.name = "cells that share the link share as their mobiles would",
     .sfq = BG,
     .queued_only = true, /* what passes the queue is not charged */
     .cell_of = {0, 0, 1},
     .steps = LIST({0, LAB_LINK, 0, 1000, 8000}, {0, LAB_PUT, 3, 1000}, {1 * MS, LAB_PUT, 0, 1000},
                   {2 * MS, LAB_PUT, 0, 1000}, {3 * MS, LAB_PUT, 1, 1000}, {4 * MS, LAB_PUT, 1, 1000},
                   {5 * MS, LAB_PUT, 2, 1000}, {6 * MS, LAB_PUT, 2, 1000}),
     .sent = LIST({0, 3, 1000}, {1 * S, 2, 1000}, {2 * S, 0, 1000}, {3 * S, 2, 1000}, {4 * S, 1, 1000},
                  {5 * S, 0, 1000}, {6 * S, 1, 1000})},
};

TEST(in_rows)
{
    lab_play_all(rows, COUNT(rows));
}

UNIT_MAIN(NULL, NULL)
