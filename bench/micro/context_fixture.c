/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/context_fixture.h"

#include "bench/micro/fixture.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/context_ms.h"
#include "dataplane/worker/worker.h"
#include "dataplane/sched/ms.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFERS      1023
#define STEP_NS      1000
#define STRIDE       104729 /* from one slot to the next; prime, so that every slot gets its turn */
#define ORDERS       4
#define N_PDU_OCTETS 100
#define REASSEMBLIES 64

struct context_fixture {
    struct fixture f;
    struct n_pdu *n_pdus;
    uint32_t mobiles, next, generation;
    uint16_t cells;
    int64_t now;
};

void context_fixture_start(unsigned memory_mib)
{
    fixture_start(0, memory_mib);
}

uint64_t context_fixture_resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1)
        fixture_die("no /proc/self/statm");
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- orders --- */

static void context_fixture_put(struct context_fixture *fixture, const struct msg *msg)
{
    fixture_need(msg_put(fixture->f.worker->rings.to_worker, msg), "the ring is full");
}

/* Steps the worker until all orders are answered. */
static void context_fixture_settle(struct context_fixture *fixture, unsigned orders)
{
    struct msg answer;
    unsigned answered = 0;
    while (answered < orders) {
        worker_step(fixture->f.worker, fixture->now += STEP_NS);
        for (; msg_take(fixture->f.worker->rings.to_control, &answer); answered++)
            fixture_need(answer.answer.status == 0, "the worker refused an order");
    }
}

static void put_mobile(struct context_fixture *fixture, uint32_t i)
{
    unsigned bits = teid_slot_bits(fixture->mobiles);
    uint32_t teid = teid_make(0, 1 + fixture->generation % teid_generations(bits), i, bits);
    struct msg ms = fixture_ms(i, (uint16_t)(i % fixture->cells)), pdp = fixture_pdp(i, teid);
    ms.ms.imsi_octets = 8;
    pdp.pdp.ggsn_teid = i + 1;
    context_fixture_put(fixture, &ms);
    context_fixture_put(fixture, &pdp);
}

void context_fixture_churn(struct context_fixture *fixture)
{
    for (unsigned i = 0; i < CONTEXT_FIXTURE_BATCH; i++) {
        context_fixture_put(fixture, &(struct msg){.type = MSG_PDP_DEL, .slot = fixture->next});
        context_fixture_put(fixture, &(struct msg){.type = MSG_MS_DEL, .slot = fixture->next});
        put_mobile(fixture, fixture->next);
        fixture->next = (fixture->next + STRIDE) % fixture->mobiles;
    }
    fixture->generation++;
    context_fixture_settle(fixture, CONTEXT_FIXTURE_BATCH * ORDERS);
}

void context_fixture_fill(struct context_fixture *fixture)
{
    for (uint32_t i = 0; i < fixture->mobiles; i++) {
        put_mobile(fixture, i);
        context_fixture_settle(fixture, 2);
    }
}

void context_fixture_announce(struct context_fixture *fixture, bool are_others)
{
    static const uint64_t rates_bps[] = {20000, 20100};
    static unsigned times;
    struct msg msg = {.type = MSG_BVC_FLOW};
    times += are_others;
    /* The cell's own bucket stays closed. */
    msg.flow =
        (struct gb_flow){.ms_bucket_octets = 5000, .ms_rate_bps = rates_bps[times % 2], .ratio_percent = -1};
    fixture_order(fixture->f.worker, &msg, fixture->now += STEP_NS);
}

void context_fixture_queue(struct context_fixture *fixture, uint32_t busy)
{
    struct context *c = &fixture->f.worker->context;
    fixture->n_pdus = calloc(busy, sizeof(*fixture->n_pdus));
    for (uint32_t i = 0; fixture->n_pdus && i < busy; i++) {
        struct n_pdu *n_pdu = &fixture->n_pdus[i];
        *n_pdu = (struct n_pdu){.octets = N_PDU_OCTETS, .pfi = N_PDU_NO_PFI, .arrival_ns = fixture->now};
        n_pdu->qclass = QCLASS_BACKGROUND;
        if (context_enqueue(c, &c->mobiles[(size_t)i * fixture->cells], n_pdu, fixture->now) != 0)
            fixture_die("a queue is full");
    }
}

/* --- begin and end --- */

struct context_fixture *context_fixture_new(uint32_t mobiles, uint16_t cells)
{
    const struct gb_flow flow = fixture_flow(5000, 20000);
    struct worker_config config = fixture_config(cells, mobiles);
    struct context_fixture *fixture = calloc(1, sizeof(*fixture));
    fixture_need(fixture, "no memory");
    fixture->mobiles = mobiles;
    fixture->cells = cells;
    config.limits.extra_flows = mobiles / 100;
    config.reassemblies = config.fragments = REASSEMBLIES;
    config.policy.sched.budget_pkts = 100000;
    fixture_open(&fixture->f, &config, BUFFERS, 0);
    fixture_order_gb(fixture->f.worker, cells, &flow, fixture->now);
    return fixture;
}

void context_fixture_free(struct context_fixture *fixture)
{
    struct n_pdu_list waiting = {0};
    struct context *c = &fixture->f.worker->context;
    for (uint32_t i = 0; fixture->n_pdus && i < fixture->mobiles; i++) /* these N-PDUs have no mbuf */
        sched_ms_take_all(&c->sched, &c->mobiles[i].sched, &waiting);
    fixture_close(&fixture->f);
    free(fixture->n_pdus);
    free(fixture);
}
