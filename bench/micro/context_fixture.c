/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/context_fixture.h"

#include "bench/micro/fixture_orders.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/base/teid.h"
#include "dataplane/worker/worker.h"

#include <rte_eal.h>
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
    struct rte_mempool *pool;
    struct vport gn, gb;
    struct worker *worker;
    struct n_pdu *n_pdus;
    unsigned number;
    uint32_t mobiles, next, generation;
    uint16_t cells;
    int64_t now;
};

bool context_fixture_start(const char *memory_mib)
{
    char mib[16];
    char *argv[] = {"context_bench",
                    "-l",
                    "0",
                    "--no-huge",
                    "-m",
                    mib,
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--log-level=lib.*:error",
                    NULL};
    snprintf(mib, sizeof(mib), "%s", memory_mib);
    llc_fcs_init();
    return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0;
}

uint64_t context_fixture_resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1)
        fixture_orders_die("no /proc/self/statm");
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- orders --- */

static void context_fixture_put(struct context_fixture *fixture, const struct msg *msg)
{
    if (!msg_put(fixture->worker->rings.to_worker, msg))
        fixture_orders_die("the ring is full");
}

/* Steps the worker until all orders are answered. */
static void context_fixture_settle(struct context_fixture *fixture, unsigned orders)
{
    struct msg answer;
    unsigned answered = 0;
    while (answered < orders) {
        worker_step(fixture->worker, fixture->now += STEP_NS);
        for (; msg_take(fixture->worker->rings.to_control, &answer); answered++)
            if (answer.answer.status != 0)
                fixture_orders_die("the worker refused an order");
    }
}

static void order(struct context_fixture *fixture, const struct msg *msg)
{
    context_fixture_put(fixture, msg);
    context_fixture_settle(fixture, 1);
}

static void put_mobile(struct context_fixture *fixture, uint32_t i)
{
    unsigned bits = teid_slot_bits(fixture->mobiles);
    uint32_t teid = teid_make(0, 1 + fixture->generation % teid_generations(bits), i, bits);
    struct msg ms = fixture_orders_ms(i, (uint16_t)(i % fixture->cells)), pdp = fixture_orders_pdp(i, teid);
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
    order(fixture, &msg);
}

void context_fixture_queue(struct context_fixture *fixture, uint32_t busy)
{
    struct context *c = &fixture->worker->context;
    fixture->n_pdus = calloc(busy, sizeof(*fixture->n_pdus));
    for (uint32_t i = 0; fixture->n_pdus && i < busy; i++) {
        struct n_pdu *n_pdu = &fixture->n_pdus[i];
        *n_pdu = (struct n_pdu){.octets = N_PDU_OCTETS, .pfi = N_PDU_NO_PFI, .arrival_ns = fixture->now};
        n_pdu->qclass = QCLASS_BACKGROUND;
        if (context_enqueue(c, &c->mobiles[(size_t)i * fixture->cells], n_pdu, fixture->now) != 0)
            fixture_orders_die("a queue is full");
    }
}

/* --- begin and end --- */

static void order_gb(struct context_fixture *fixture)
{
    const struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                                 .rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ms_bucket_octets = 5000,
                                 .ms_rate_bps = 20000,
                                 .ratio_percent = -1};
    fixture_orders_gb(fixture->worker, fixture->cells, &flow, fixture->now);
}

static const char *name_of(const char *what, const struct context_fixture *fixture)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s%u", what, fixture->number);
    return name;
}

static void open_worker(struct context_fixture *fixture)
{
    const char *error;
    struct worker_config config = {
        .name = name_of("c", fixture),
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = fixture->cells,
                   .mobiles = fixture->mobiles,
                   .pdps = fixture->mobiles,
                   .extra_flows = fixture->mobiles / 100,
                   .foreign_teids = 1},
        .reassemblies = REASSEMBLIES,
        .fragments = REASSEMBLIES,
        .fragment_timeout_ns = MOMENT_SECOND,
        .gn_port = fixture->gn.id,
        .gb_port = fixture->gb.id,
        .rx_pool = fixture->pool,
        .tx_pool = fixture->pool,
    };
    context_policy_default(&config.policy);
    config.policy.sched.budget_pkts = 100000;
    fixture->worker = worker_new(&config, &error);
    if (!fixture->worker)
        fixture_orders_die(error);
}

struct context_fixture *context_fixture_new(uint32_t mobiles, uint16_t cells)
{
    static unsigned made;
    struct context_fixture *fixture = calloc(1, sizeof(*fixture));
    if (!fixture)
        fixture_orders_die("no memory");
    fixture->number = made++;
    fixture->mobiles = mobiles;
    fixture->cells = cells;
    fixture->pool = pool_new(name_of("p", fixture), BUFFERS);
    if (!fixture->pool || vport_new(&fixture->gn, name_of("net_ring_n", fixture), fixture->pool) < 0 ||
        vport_new(&fixture->gb, name_of("net_ring_b", fixture), fixture->pool) < 0)
        fixture_orders_die("no memory for ports");
    open_worker(fixture);
    order_gb(fixture);
    return fixture;
}

void context_fixture_free(struct context_fixture *fixture)
{
    struct n_pdu_list waiting = {0};
    struct context *c = &fixture->worker->context;
    for (uint32_t i = 0; fixture->n_pdus && i < fixture->mobiles; i++) /* these N-PDUs have no mbuf */
        sched_ms_take_all(&c->sched, &c->mobiles[i].sched, &waiting);
    worker_free(fixture->worker);
    vport_free(&fixture->gn);
    vport_free(&fixture->gb);
    rte_mempool_free(fixture->pool);
    free(fixture->n_pdus);
    free(fixture);
}
