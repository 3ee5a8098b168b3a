/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/context_rig.h"

#include "bench/micro/rig_orders.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"
#include "dataplane/base/teid.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/vport.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/worker/worker.h"

#include <rte_eal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFERS       1023
#define STEP_NS       1000
#define STRIDE        104729 /* from one slot to the next: prime, so that all have their turn */
#define ORDERS        4
#define QUEUE_OCTETS  64000
#define N201_U_OCTETS 1520
#define N_PDU_OCTETS  100
#define REASSEMBLIES  64

struct context_rig {
    struct rte_mempool *pool;
    struct vport gn, gb;
    struct worker *worker;
    struct n_pdu *n_pdus;
    unsigned number;
    uint32_t mobiles, next, generation;
    uint16_t cells;
    int64_t now;
};

bool context_rig_start(const char *memory_mib)
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

uint64_t context_rig_resident(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*u %lu", &pages) != 1)
        rig_orders_die("no /proc/self/statm");
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- orders --- */

static void put(struct context_rig *rig, const struct msg *msg)
{
    if (!msg_put(rig->worker->rings.to_worker, msg))
        rig_orders_die("the ring is full");
}

/* Steps until all is answered. */
static void settle(struct context_rig *rig, unsigned orders)
{
    struct msg answer;
    unsigned answered = 0;
    while (answered < orders) {
        worker_step(rig->worker, rig->now += STEP_NS);
        for (; msg_take(rig->worker->rings.to_control, &answer); answered++)
            if (answer.status != 0)
                rig_orders_die("an order was refused");
    }
}

static void order(struct context_rig *rig, const struct msg *msg)
{
    put(rig, msg);
    settle(rig, 1);
}

static void put_mobile(struct context_rig *rig, uint32_t i)
{
    struct msg ms = {.type = MSG_MS_ADD, .index = i}, pdp = {.type = MSG_PDP_ADD, .index = i};
    ms.ms = (struct ms_params){.tlli = 0xc0000000 + i,
                               .bvc = (uint16_t)(i % rig->cells),
                               .n201_u = N201_U_OCTETS,
                               .queue_limit_octets = QUEUE_OCTETS,
                               .imsi_octets = 8};
    pdp.pdp = (struct pdp_params){.ms = i,
                                  .sgsn_ip = RIG_ORDERS_SGSN_IP,
                                  .teid = teid_make(0, 1 + rig->generation % TEID_GENERATIONS, i),
                                  .ggsn_ip = RIG_ORDERS_GGSN_IP,
                                  .ggsn_teid = i + 1,
                                  .nsapi = 5,
                                  .sapi = 3,
                                  .qclass = QCLASS_BACKGROUND,
                                  .pfi = N_PDU_NO_PFI};
    put(rig, &ms);
    put(rig, &pdp);
}

void context_rig_churn(struct context_rig *rig)
{
    for (unsigned i = 0; i < CONTEXT_RIG_BATCH; i++) {
        put(rig, &(struct msg){.type = MSG_PDP_DEL, .index = rig->next});
        put(rig, &(struct msg){.type = MSG_MS_DEL, .index = rig->next});
        put_mobile(rig, rig->next);
        rig->next = (rig->next + STRIDE) % rig->mobiles;
    }
    rig->generation++;
    settle(rig, CONTEXT_RIG_BATCH * ORDERS);
}

void context_rig_fill(struct context_rig *rig)
{
    for (uint32_t i = 0; i < rig->mobiles; i++) {
        put_mobile(rig, i);
        settle(rig, 2);
    }
}

void context_rig_announce(struct context_rig *rig, bool are_others)
{
    static const uint64_t rates_bps[] = {20000, 20100};
    static unsigned times;
    struct msg msg = {.type = MSG_BVC_FLOW};
    times += are_others;
    /* The cell itself lets nothing go. */
    msg.flow =
        (struct gb_flow){.ms_bucket_octets = 5000, .ms_rate_bps = rates_bps[times % 2], .ratio_percent = -1};
    order(rig, &msg);
}

void context_rig_queue(struct context_rig *rig, uint32_t busy)
{
    struct context *c = &rig->worker->context;
    rig->n_pdus = calloc(busy, sizeof(*rig->n_pdus));
    for (uint32_t i = 0; rig->n_pdus && i < busy; i++) {
        struct n_pdu *n_pdu = &rig->n_pdus[i];
        *n_pdu = (struct n_pdu){.octets = N_PDU_OCTETS, .pfi = N_PDU_NO_PFI, .arrival_ns = rig->now};
        n_pdu->qclass = QCLASS_BACKGROUND;
        if (context_enqueue(c, &c->mobiles[(size_t)i * rig->cells], n_pdu, rig->now) != 0)
            rig_orders_die("a queue is full");
    }
}

/* --- life --- */

static void order_gb(struct context_rig *rig)
{
    const struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                                 .rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ms_bucket_octets = 5000,
                                 .ms_rate_bps = 20000,
                                 .ratio_percent = -1};
    rig_orders_gb(rig->worker, rig->cells, &flow, rig->now);
}

static const char *name_of(const char *what, const struct context_rig *rig)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s%u", what, rig->number);
    return name;
}

static void open_worker(struct context_rig *rig)
{
    const char *error;
    struct worker_config config = {
        .name = name_of("c", rig),
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = rig->cells,
                   .mobiles = rig->mobiles,
                   .pdps = rig->mobiles,
                   .extra_flows = rig->mobiles / 100,
                   .foreign_teids = 1},
        .reassemblies = REASSEMBLIES,
        .fragments = REASSEMBLIES,
        .fragment_timeout_ns = MOMENT_SECOND,
        .gn_port = rig->gn.id,
        .gb_port = rig->gb.id,
        .rx_pool = rig->pool,
        .tx_pool = rig->pool,
    };
    context_policy_default(&config.policy);
    config.policy.sched.budget_pkts = 100000;
    rig->worker = worker_new(&config, &error);
    if (!rig->worker)
        rig_orders_die(error);
}

struct context_rig *context_rig_new(uint32_t mobiles, uint16_t cells)
{
    static unsigned made;
    struct context_rig *rig = calloc(1, sizeof(*rig));
    if (!rig)
        rig_orders_die("no memory");
    rig->number = made++;
    rig->mobiles = mobiles;
    rig->cells = cells;
    rig->pool = pool_new(name_of("p", rig), BUFFERS);
    if (!rig->pool || vport_new(&rig->gn, name_of("net_ring_n", rig), rig->pool) < 0 ||
        vport_new(&rig->gb, name_of("net_ring_b", rig), rig->pool) < 0)
        rig_orders_die("no memory for ports");
    open_worker(rig);
    order_gb(rig);
    return rig;
}

void context_rig_free(struct context_rig *rig)
{
    struct n_pdu_list waiting = {0};
    struct context *c = &rig->worker->context;
    for (uint32_t i = 0; rig->n_pdus && i < rig->mobiles; i++) /* they lie in no buffer */
        sched_ms_take_all(&c->sched, &c->mobiles[i].sched, &waiting);
    worker_free(rig->worker);
    vport_free(&rig->gn);
    vport_free(&rig->gb);
    rte_mempool_free(rig->pool);
    free(rig->n_pdus);
    free(rig);
}
