/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/load.h"

#include "dataplane/aqm/aqm.h"
#include "dataplane/base/bigmem.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/sched/bvc.h"
#include "dataplane/sched/link.h"
#include "dataplane/sched/ms.h"
#include "dataplane/sched/sched.h"
#include "dataplane/sched/wait.h"
#include "dataplane/wire/flow_hash.h"

#include <stdlib.h>
#include <string.h>

#define BURST         BENCH_LOAD_BURST
#define LLC_OCTETS    BENCH_LOAD_LLC_OCTETS
#define N_PDU_OCTETS  490
#define N201_U        1520
#define MS_PER_CELL   100
#define MS_RATE_BPS   UINT64_C(20000)
#define MS_SECOND     (MS_RATE_BPS / 8) /* octets */
#define FLOW_QUEUES   16
#define MOST_FLOWS    8
#define HEADER_OCTETS 24 /* IPv4, and ports */
#define MAX_AGE_S     15
/* Bmax of mobiles and cells, in milliseconds of their rates: every third N-PDU waits at 90 percent load. */
#define MS_BUCKET_MS   1000
#define CELL_BUCKET_MS 80
#define CELL_PHASE_NS  4096 /* an octet of a cell's rate takes 4 us */

struct bench_load {
    struct bench_load_params params;
    uint32_t cells_count, pkts_count;
    struct sched s;
    struct sched_link link;
    struct sched_bvc *cells;
    struct sched_ms *ms;
    struct n_pdu *n_pdus, *spare;
    struct sched_ms *coming[BURST];
    uint64_t chance;
    double at_ns, step_ns;
    int64_t now;
    unsigned sent;                              /* in this step */
    uint8_t headers[MOST_FLOWS][HEADER_OCTETS]; /* of the N-PDUs of each 5-tuple */
};

/* Random numbers must be cheap beside the measured code: a linear congruential generator, its upper half
 * scaled. */
static uint32_t any_of(struct bench_load *l, uint32_t n)
{
    l->chance = l->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((l->chance >> 32) * n >> 32);
}

static void give(struct bench_load *l, struct n_pdu *packet)
{
    packet->next = l->spare;
    l->spare = packet;
}

/* As context_enqueue() does it. */
static void put(struct bench_load *l, struct sched_ms *mobile)
{
    const uint32_t flows = l->params.flows;
    struct n_pdu *packet = l->spare;
    l->spare = packet->next;
    *packet = (struct n_pdu){.octets = N_PDU_OCTETS,
                             .data = l->headers[flows > 1 ? any_of(l, flows) : 0],
                             .arrival_ns = l->now,
                             .qclass = QCLASS_THP2,
                             .sapi = 5,
                             .pfi = N_PDU_NO_PFI};
    struct sched_grant grants[SCHED_PASS_MAX];
    int count = sched_bypass(&l->s, mobile, packet, grants, l->now);
    if (count > 0) {
        l->sent++;
        give(l, packet);
    }
    if (count >= 0)
        return;
    if (flows > 0)
        packet->flow_hash = flow_hash_of(1, packet->data, HEADER_OCTETS);
    if (sched_enqueue(&l->s, mobile, packet, l->now) != DROP_NONE)
        give(l, packet);
}

/* A worker knows a burst's mobiles some time before it queues their N-PDUs; here one burst earlier. */
static void put_burst(struct bench_load *l)
{
    struct sched_ms *mobiles[BURST];
    for (unsigned i = 0; i < BURST; i++) {
        mobiles[i] = l->coming[i];
        l->coming[i] = &l->ms[any_of(l, l->params.mobiles)];
        __builtin_prefetch(l->coming[i], 1);
        __builtin_prefetch(&l->coming[i]->flow, 1);
    }
    for (unsigned i = 0; i < BURST; i++) {
        __builtin_prefetch(mobiles[i]->bvc, 1);
        __builtin_prefetch(mobiles[i]->flow.queue.list.last, 1);
    }
    for (unsigned i = 0; i < BURST; i++)
        put(l, mobiles[i]);
}

static void reap(struct bench_load *l)
{
    struct n_pdu *packet;
    while ((packet = n_pdu_list_take(&l->s.dropped)))
        give(l, packet);
}

static void send(struct bench_load *l)
{
    struct sched_grant grant;
    while (sched_pick(&l->s, &grant, l->now)) {
        give(l, grant.n_pdu);
        l->sent++;
    }
    reap(l);
}

/* Sends what is due, bursts at a time, and queues as many N-PDUs for the same mobiles. */
static void send_again(struct bench_load *l)
{
    struct sched_ms *mobiles[BURST];
    struct sched_grant grant;
    unsigned count;
    do {
        for (count = 0; count < BURST && sched_pick(&l->s, &grant, l->now); count++) {
            give(l, grant.n_pdu);
            mobiles[count] = grant.ms;
            __builtin_prefetch(grant.ms->flow.queue.list.last, 1); /* as put_burst() does */
        }
        for (unsigned i = 0; i < count; i++)
            put(l, mobiles[i]);
        l->sent += count;
    } while (count == BURST);
    reap(l);
}

unsigned bench_load_step(struct bench_load *l)
{
    l->sent = 0;
    l->at_ns += l->step_ns;
    l->now = (int64_t)l->at_ns;
    sched_wait_at(&l->s, l->now); /* as worker_step() does */
    if (l->params.is_backlogged) {
        send_again(l);
    } else {
        send(l);
        put_burst(l);
        send(l);
    }
    return l->sent;
}

uint64_t bench_load_run(struct bench_load *l, int64_t duration_ns, uint64_t *sent, bool (*is_stopped)(void))
{
    const int64_t end_ns = l->now + duration_ns;
    uint64_t steps = 0, all = 0;
    do {
        all += bench_load_step(l);
        steps++;
    } while (l->now < end_ns && !(is_stopped && is_stopped()));
    if (sent)
        *sent += all;
    return steps;
}

/* --- set up --- */

static uint32_t percent_of_cell(struct bench_load *l)
{
    return l->params.are_cells_unequal ? 70 + any_of(l, 61) : 100;
}

static void open_cell(struct bench_load *l, struct sched_bvc *cell)
{
    uint64_t rate_bps = MS_RATE_BPS * MS_PER_CELL * percent_of_cell(l) / 100;
    uint32_t max_octets = MS_SECOND * MS_PER_CELL * CELL_BUCKET_MS / 1000 * percent_of_cell(l) / 100;
    int64_t from_ns = -(int64_t)any_of(l, CELL_PHASE_NS);
    sched_bvc_init(cell, &l->link, 0);
    bucket_init(&cell->bucket, max_octets, rate_bps, from_ns);
    bucket_take(&cell->bucket, any_of(l, max_octets + 1), from_ns);
    sched_bvc_use(&l->s, cell, true);
    if (l->params.are_cells_open)
        bucket_set(&cell->bucket, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, 0);
}

static void open_ms(struct bench_load *l, struct sched_ms *mobile, struct sched_bvc *cell)
{
    sched_ms_init(mobile, cell, 0);
    bucket_init(&mobile->bucket, MS_SECOND * MS_BUCKET_MS / 1000, MS_RATE_BPS, 0);
    mobile->n201_u = N201_U;
    mobile->limit_octets = BENCH_LOAD_QUEUE * N_PDU_OCTETS;
}

/* As queues.discipline = "q" sets them. */
static void set_q(struct sched_params *params)
{
    params->flow_tags = params->drops_duplicates = true;
    params->sfq_classes = (1 << QCLASS_COUNT) - 1;
    params->ms_quantum_octets = 2000;
    params->credit_octets = 6000;
}

/* False: out of memory. */
static bool open_scheduler(struct bench_load *l)
{
    const struct bench_load_params *p = &l->params;
    struct sched_params params;
    sched_params_default(&params);
    params.segmenting = (struct segmenting){4, 3, 6};
    params.max_age_ns = MAX_AGE_S * MOMENT_SECOND;
    params.budget_pkts = l->pkts_count - BURST;
    params.flow_queues = p->flows > 0 ? FLOW_QUEUES : 0;
    if (p->is_q)
        set_q(&params);
    params.aqm[QCLASS_THP2] = (struct sched_aqm_params){{p->aqm, NULL, 1, 0}, SCHED_AQM_MS};
    const struct sched_counts counts = {.mobiles = p->mobiles,
                                        .bvcs = l->cells_count,
                                        .links = 1,
                                        .flow_sets = p->flows > 1 ? p->mobiles : 1};
    if (!sched_new(&l->s, &counts, &params))
        return false;
    const struct sched_aqm_owners owners = {l->ms,          l->cells,          &l->link,
                                            sizeof(*l->ms), sizeof(*l->cells), sizeof(l->link)};
    sched_aqm_place(&l->s, &owners);
    sched_link_init(&l->link, 0);
    for (uint32_t i = 0; i < l->cells_count; i++)
        open_cell(l, &l->cells[i]);
    for (uint32_t i = 0; i < p->mobiles; i++)
        open_ms(l, &l->ms[i], &l->cells[i / MS_PER_CELL]);
    return true;
}

/* The first N-PDUs fill buckets; the last ones stay. */
static void fill(struct bench_load *l)
{
    const uint32_t mobiles = l->params.mobiles;
    for (uint32_t i = 0; l->params.are_cells_open && i < mobiles; i++) /* else all are due at one instant */
        bucket_take(&l->ms[i].bucket, 1 + any_of(l, 2 * LLC_OCTETS), 0);
    for (uint32_t i = 0; i < BENCH_LOAD_BACKLOG * mobiles; i++)
        while (l->ms[i % mobiles].flow.queue.pkts <= i / mobiles)
            put(l, &l->ms[i % mobiles]);
}

static double step_ns_of(const struct bench_load_params *p)
{
    return BURST * LLC_OCTETS * 1e9 / ((double)MS_SECOND * p->mobiles * p->percent / 100);
}

struct bench_load *bench_load_new(const struct bench_load_params *p)
{
    static const uint8_t header[HEADER_OCTETS] = {0x45, 2, 1, 234, 0, 0, 0, 0, 64, 17}; /* ECT(0) */
    struct bench_load *l = bigmem_new(sizeof(*l));
    if (!l)
        return NULL;
    l->params = *p;
    l->cells_count = (p->mobiles + MS_PER_CELL - 1) / MS_PER_CELL;
    l->pkts_count = BENCH_LOAD_QUEUE * p->mobiles + 2 * BURST;
    l->chance = 1;
    l->step_ns = step_ns_of(p);
    l->cells = bigmem_new(l->cells_count * sizeof(*l->cells));
    l->ms = bigmem_new(p->mobiles * sizeof(*l->ms));
    l->n_pdus = bigmem_new(l->pkts_count * sizeof(*l->n_pdus));
    if (!l->cells || !l->ms || !l->n_pdus || !open_scheduler(l)) {
        bench_load_free(l);
        return NULL;
    }
    for (unsigned i = 0; i < MOST_FLOWS; i++) {
        memcpy(l->headers[i], header, sizeof(header));
        l->headers[i][HEADER_OCTETS - 1] = (uint8_t)i;
    }
    for (unsigned i = 0; i < BURST; i++)
        l->coming[i] = &l->ms[any_of(l, p->mobiles)];
    for (uint32_t i = l->pkts_count; i-- > 0;)
        give(l, &l->n_pdus[i]);
    if (p->is_backlogged)
        fill(l);
    return l;
}

void bench_load_free(struct bench_load *l)
{
    if (!l)
        return;
    sched_free(&l->s);
    bigmem_free(l->n_pdus, l->pkts_count * sizeof(*l->n_pdus));
    bigmem_free(l->ms, l->params.mobiles * sizeof(*l->ms));
    bigmem_free(l->cells, l->cells_count * sizeof(*l->cells));
    bigmem_free(l, sizeof(*l));
}
