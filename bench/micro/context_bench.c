/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cost of idle mobiles with one PDP context each: memory, the rate of making and deleting them by messages on
 * the ring, as by the control core, and the time of a cell's new flow control by the number of its mobiles.
 * --filter memory: octets in memory of a million mobiles and more in 10 000 cells, alone in the process.
 */
#include "bench/micro/fixture.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/sched/ms.h"

#include <stdlib.h>

#define BUFFERS      1023
#define MEMORY_MIB   4096
#define STEP_NS      1000
#define STRIDE       104729 /* from one slot to the next; prime, so that every slot gets its turn */
#define BATCH        256    /* mobiles at a time, */
#define ORDERS       4      /* and orders of each */
#define N_PDU_OCTETS 100
#define REASSEMBLIES 64
#define MANY_MOBILES 1000000
#define MANY_CELLS   10000
#define MANY_OCTETS  1.0 /* GiB: most of so many mobiles, */
#define MORE_OCTETS  2.8 /* and of four times as many */

struct tables {
    struct fixture f;
    struct n_pdu *n_pdus;
    uint32_t mobiles, next, generation;
    uint16_t cells;
    int64_t now;
};

/* --- orders --- */

static void put(struct tables *t, const struct msg *msg)
{
    micro_need(msg_put(t->f.worker->rings.to_worker, msg), "the ring is full");
}

/* Steps the worker until all orders are answered. */
static void settle(struct tables *t, unsigned orders)
{
    struct msg answer;
    unsigned answered = 0;
    while (answered < orders) {
        worker_step(t->f.worker, t->now += STEP_NS);
        for (; msg_take(t->f.worker->rings.to_control, &answer); answered++)
            micro_need(answer.answer.status == 0, "the worker refused an order");
    }
}

static void put_mobile(struct tables *t, uint32_t i)
{
    unsigned bits = teid_slot_bits(t->mobiles);
    uint32_t teid = teid_make(0, 1 + t->generation % teid_generations(bits), i, bits);
    struct msg ms = fixture_ms(i, (uint16_t)(i % t->cells)), pdp = fixture_pdp(i, teid);
    ms.ms.imsi_octets = 8;
    pdp.pdp.ggsn_teid = i + 1;
    put(t, &ms);
    put(t, &pdp);
}

/* Deletes BATCH contexts and their mobiles and adds them again, in slots spread over the tables. */
static double churn(void *state)
{
    struct tables *t = state;
    for (unsigned i = 0; i < BATCH; i++) {
        put(t, &(struct msg){.type = MSG_PDP_DEL, .slot = t->next});
        put(t, &(struct msg){.type = MSG_MS_DEL, .slot = t->next});
        put_mobile(t, t->next);
        t->next = (t->next + STRIDE) % t->mobiles;
    }
    t->generation++;
    settle(t, BATCH * ORDERS);
    return BATCH;
}

static void fill(struct tables *t)
{
    for (uint32_t i = 0; i < t->mobiles; i++) {
        put_mobile(t, i);
        settle(t, 2);
    }
}

/* FLOW-CONTROL-BVC with the defaults of mobiles in cell 0; are_others: other ones than before. */
static double announce(struct tables *t, bool are_others)
{
    static const uint64_t rates_bps[] = {20000, 20100};
    static unsigned times;
    struct msg msg = {.type = MSG_BVC_FLOW};
    times += are_others;
    /* The cell's own bucket stays closed. */
    msg.flow =
        (struct gb_flow){.ms_bucket_octets = 5000, .ms_rate_bps = rates_bps[times % 2], .ratio_percent = -1};
    fixture_order(t->f.worker, &msg, t->now += STEP_NS);
    return 1;
}

/* An N-PDU for each of `busy` mobiles of cell 0. */
static void queue_n_pdus(struct tables *t, uint32_t busy)
{
    struct context *c = &t->f.worker->context;
    t->n_pdus = calloc(busy, sizeof(*t->n_pdus));
    for (uint32_t i = 0; t->n_pdus && i < busy; i++) {
        struct n_pdu *n_pdu = &t->n_pdus[i];
        *n_pdu = (struct n_pdu){.octets = N_PDU_OCTETS, .pfi = N_PDU_NO_PFI, .arrival_ns = t->now};
        n_pdu->qclass = QCLASS_BACKGROUND;
        if (context_enqueue(c, &c->mobiles[(size_t)i * t->cells], n_pdu, t->now) != 0)
            micro_die("a queue is full");
    }
}

static struct tables *tables_new(uint32_t mobiles, uint16_t cells)
{
    const struct gb_flow flow = fixture_flow(5000, 20000);
    struct worker_config config = fixture_config(cells, mobiles);
    struct tables *t = micro_memory(sizeof(*t));
    t->mobiles = mobiles;
    t->cells = cells;
    config.limits.extra_flows = mobiles / 100;
    config.reassemblies = config.fragments = REASSEMBLIES;
    config.policy.sched.budget_pkts = 100000;
    fixture_open(&t->f, &config, BUFFERS, 0);
    fixture_order_gb(t->f.worker, cells, &flow, t->now);
    fill(t);
    return t;
}

#define churn_close    tables_close
#define announce_close tables_close
#define memory_close   tables_close
static void tables_close(void *state)
{
    struct tables *t = state;
    struct n_pdu_list waiting = {0};
    struct context *c = &t->f.worker->context;
    for (uint32_t i = 0; t->n_pdus && i < t->mobiles; i++) /* these N-PDUs have no mbuf */
        sched_ms_take_all(&c->sched, &c->mobiles[i].sched, &waiting);
    fixture_close(&t->f);
    free(t->n_pdus);
    free(t);
}
/* --- cases --- */

static void *churn_open(const struct micro_point *p)
{
    return tables_new((uint32_t)p->at[0], (uint16_t)(p->at[0] / 100));
}

static void *announce_open(const struct micro_point *p)
{
    if (p->at[1] > p->at[0])
        return NULL;
    struct tables *t = tables_new((uint32_t)p->at[0], 1);
    announce(t, true);
    queue_n_pdus(t, (uint32_t)p->at[1]);
    return t;
}

static double announce_same(void *state)
{
    return announce(state, false);
}

static double announce_others(void *state)
{
    return announce(state, true);
}

static void *memory_open(const struct micro_point *p)
{
    return tables_new((uint32_t)p->at[0], MANY_CELLS);
}

static void memory_sum_up(void *state, struct micro_result *result)
{
    const struct tables *t = state;
    const double gib = (double)micro_resident_octets() / (1 << 30);
    micro_figure(result, "gib", gib);
    micro_figure(result, "mobile_octets", gib * (1 << 30) / t->mobiles);
    micro_fault(result, gib <= (t->mobiles > MANY_MOBILES ? MORE_OCTETS : MANY_OCTETS),
                "takes more memory than it may");
}

static void context_bench_begin(void)
{
    fixture_start(0, MEMORY_MIB);
}

static struct micro_axis of_churn = MICRO_AXIS("mobiles", 100, 6000000, 1000, 100000, MANY_MOBILES),
                         of_cell = MICRO_AXIS("mobiles", 1, 1000000, 1000, 100000),
                         of_memory =
                             MICRO_AXIS("mobiles", 1, 4 * MANY_MOBILES, MANY_MOBILES, 4 * MANY_MOBILES),
                         some_busy = MICRO_AXIS("busy", 0, 1000000, 0, 1000),
                         all_busy = MICRO_AXIS("busy", 0, 1000000, 0, 1000, 100000);
static struct micro_case cases[] = {
    MICRO_CASE(churn, "churn", "context", MICRO_LIST(NULL), MICRO_LIST(&of_churn), .run = churn),
    MICRO_CASE(announce, "same_defaults", "FLOW-CONTROL-BVC", MICRO_LIST(NULL),
               MICRO_LIST(&of_cell, &some_busy), .run = announce_same),
    MICRO_CASE(announce, "other_defaults", "FLOW-CONTROL-BVC", MICRO_LIST(NULL),
               MICRO_LIST(&of_cell, &all_busy), .run = announce_others),
    MICRO_CASE(memory, "memory", "context", MICRO_LIST(NULL), MICRO_LIST(&of_memory), .run = churn,
               .sum_up = memory_sum_up, .is_asked_for = true)};

MICRO_PROGRAM("Contexts created and deleted, a cell's new defaults of "
              "mobiles, and with --filter memory the memory\n"
              "of a million mobiles.",
              .rounds = 9, .turn_ms = 50, .begin = context_bench_begin);
