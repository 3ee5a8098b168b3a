/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/worker_fixture.h"

#include "bench/micro/fixture_orders.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/worker/gb_tx_frame.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_eal.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS        64
#define BUFFERS      4095
#define STEP_NS      100
#define STRIDE       7919 /* from one packet's mobile to the next; prime, so that every mobile gets its turn */
#define FRAME_OCTETS 2048
#define LIFETIME_NS  (15 * MOMENT_SECOND)
#define FRAGMENT_NS  MOMENT_SECOND
#define REASSEMBLIES 64

static_assert(WORKER_FIXTURE_BURST == WORKER_BURST, "a burst is what one pass takes");

struct worker_fixture {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    uint32_t mobiles, next;
    bool is_foreign;
    int64_t now;
    uint16_t frame_octets; /* octets of the N-PDU in frame */
    uint8_t frame[FRAME_OCTETS];
};

bool worker_fixture_start(void)
{
    char *argv[] = {"worker_bench",
                    "-l",
                    "0",
                    "--no-huge",
                    "-m",
                    "384",
                    "--no-pci",
                    "--no-shconf",
                    "--no-telemetry",
                    "--iova-mode=va",
                    "--log-level=lib.*:error",
                    NULL};
    llc_fcs_init();
    return rte_eal_init((int)(sizeof(argv) / sizeof(argv[0])) - 1, argv) >= 0;
}

/* --- a worker and its tables --- */

static const char *name_of(const char *what, const struct worker_fixture *fixture)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s%u%s", what, fixture->mobiles, fixture->is_foreign ? "f" : "");
    return name;
}

/* A TEID as gbflow allocates it, or a small number as a foreign TEID. */
static uint32_t teid_of(const struct worker_fixture *fixture, uint32_t i)
{
    return fixture->is_foreign ? i : teid_make(0, 1, i, TEID_SLOT_BITS);
}

static void open_ports(struct worker_fixture *fixture)
{
    fixture->rx_pool = pool_new(name_of("rx", fixture), BUFFERS);
    fixture->tx_pool = pool_new(name_of("tx", fixture), BUFFERS);
    if (!fixture->rx_pool || !fixture->tx_pool ||
        vport_new(&fixture->gn, name_of("net_ring_n", fixture), fixture->rx_pool) < 0 ||
        vport_new(&fixture->gb, name_of("net_ring_b", fixture), fixture->rx_pool) < 0)
        fixture_orders_die("no memory for ports");
}

static void open_worker(struct worker_fixture *fixture)
{
    const char *error;
    struct worker_config config = {
        .name = name_of("w", fixture),
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = CELLS,
                   .mobiles = fixture->mobiles,
                   .pdps = fixture->mobiles,
                   .foreign_teids = fixture->is_foreign ? fixture->mobiles : 1},
        .reassemblies = REASSEMBLIES,
        .fragments = REASSEMBLIES,
        .fragment_timeout_ns = FRAGMENT_NS,
        .gn_port = fixture->gn.id,
        .gb_port = fixture->gb.id,
        .rx_pool = fixture->rx_pool,
        .tx_pool = fixture->tx_pool,
    };
    context_policy_default(&config.policy);
    config.policy.lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    fixture->worker = worker_new(&config, &error);
    if (!fixture->worker)
        fixture_orders_die(error);
}

static void order_gb(struct worker_fixture *fixture)
{
    const struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                                 .rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ms_bucket_octets = BUCKET_MAX_OCTETS,
                                 .ms_rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ratio_percent = -1};
    fixture_orders_gb(fixture->worker, CELLS, &flow, fixture->now);
}

static void order_mobile(struct worker_fixture *fixture, uint32_t i)
{
    struct msg ms = fixture_orders_ms(i, (uint16_t)(i % CELLS)),
               pdp = fixture_orders_pdp(i, teid_of(fixture, i));
    fixture_orders_send(fixture->worker, &ms, fixture->now);
    fixture_orders_send(fixture->worker, &pdp, fixture->now);
}

struct worker_fixture *worker_fixture_new(uint32_t mobiles, bool is_foreign)
{
    struct worker_fixture *fixture = calloc(1, sizeof(*fixture));
    if (!fixture)
        fixture_orders_die("no memory");
    fixture->mobiles = mobiles;
    fixture->is_foreign = is_foreign;
    open_ports(fixture);
    open_worker(fixture);
    order_gb(fixture);
    for (uint32_t i = 0; i < mobiles; i++)
        order_mobile(fixture, i);
    return fixture;
}

/* --- traffic --- */

void worker_fixture_feed(struct worker_fixture *fixture, uint16_t octets)
{
    struct rte_mbuf *mbufs[WORKER_FIXTURE_BURST];

    if (fixture->frame_octets != octets)
        fixture_frame_make(fixture->frame, fixture->frame_octets = octets);
    if (rte_pktmbuf_alloc_bulk(fixture->rx_pool, mbufs, WORKER_FIXTURE_BURST) < 0)
        fixture_orders_die("buffers are lost");
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++) {
        uint8_t *bytes =
            (uint8_t *)rte_pktmbuf_append(mbufs[i], (uint16_t)(FIXTURE_FRAME_TUNNEL_OCTETS + octets));
        memcpy(bytes, fixture->frame, FIXTURE_FRAME_TUNNEL_OCTETS + octets);
        fixture_frame_set_teid(bytes, teid_of(fixture, fixture->next));
        fixture->next = (fixture->next + STRIDE) % fixture->mobiles;
    }
    rte_ring_enqueue_bulk(fixture->gn.to_worker, (void **)mbufs, WORKER_FIXTURE_BURST, NULL);
}

void worker_fixture_step(struct worker_fixture *fixture)
{
    fixture->now += STEP_NS;
    worker_step(fixture->worker, fixture->now);
}

static unsigned worker_fixture_take(struct rte_ring *ring)
{
    void *mbufs[WORKER_FIXTURE_BURST];
    unsigned count = rte_ring_dequeue_burst(ring, mbufs, WORKER_FIXTURE_BURST, NULL);
    rte_pktmbuf_free_bulk((struct rte_mbuf **)mbufs, count);
    return count;
}

unsigned worker_fixture_take_sent(struct worker_fixture *fixture)
{
    return worker_fixture_take(fixture->gb.to_outside);
}

unsigned worker_fixture_take_fed(struct worker_fixture *fixture)
{
    return worker_fixture_take(fixture->gn.to_worker);
}

uint64_t worker_fixture_find(struct worker_fixture *fixture)
{
    struct table_key keys[WORKER_FIXTURE_BURST];
    uint32_t found[WORKER_FIXTURE_BURST];
    uint64_t sum = 0;

    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++) {
        keys[i] = lookup_tunnel_key(FIXTURE_ORDERS_SGSN_IP, teid_of(fixture, fixture->next));
        fixture->next = (fixture->next + STRIDE) % fixture->mobiles;
    }
    tunnels_find(&fixture->worker->tunnels, keys, WORKER_FIXTURE_BURST, found);
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++)
        sum += fixture->worker->context.pdps[found[i]].params.ms;
    return sum;
}

/* --- segments --- */

static void need(bool is_there)
{
    if (!is_there)
        fixture_orders_die("no buffers for segments");
}

/* N-PDUs whose payload the segments carry, kept for all calls. */
static struct rte_mbuf **n_pdus_of(struct worker_fixture *fixture)
{
    static struct rte_mbuf *n_pdus[WORKER_FIXTURE_BURST];
    if (!n_pdus[0])
        need(rte_pktmbuf_alloc_bulk(fixture->rx_pool, n_pdus, WORKER_FIXTURE_BURST) == 0);
    return n_pdus;
}

static void copy_one(struct rte_mbuf *out, const struct rte_mbuf *n_pdu, uint16_t octets)
{
    out->data_len = octets;
    out->pkt_len = octets;
    memcpy(rte_pktmbuf_mtod(out, uint8_t *), rte_pktmbuf_mtod(n_pdu, const uint8_t *), octets);
}

static void chain_one(struct rte_mbuf *const parts[3], struct rte_mbuf *n_pdu, uint16_t octets)
{
    rte_pktmbuf_attach(parts[1], n_pdu);
    parts[1]->data_len = octets;
    parts[0]->data_len = FRAME_PLAIN_OCTETS;
    parts[2]->data_len = LLC_FCS_OCTETS;
    parts[0]->next = parts[1];
    parts[1]->next = parts[2];
    parts[0]->nb_segs = 3;
    parts[0]->pkt_len = (uint32_t)octets + FRAME_PLAIN_OCTETS + LLC_FCS_OCTETS;
}

void worker_fixture_segments(struct worker_fixture *fixture, uint16_t octets, bool is_chained)
{
    struct rte_mbuf **n_pdus = n_pdus_of(fixture), *parts[3 * WORKER_FIXTURE_BURST];
    unsigned each = is_chained ? 3 : 1, count = each * WORKER_FIXTURE_BURST;
    need(rte_pktmbuf_alloc_bulk(fixture->tx_pool, parts, count) == 0);
    for (unsigned i = 0; i < WORKER_FIXTURE_BURST; i++)
        if (is_chained)
            chain_one(&parts[each * i], n_pdus[i], octets);
        else
            copy_one(parts[i], n_pdus[i], octets);
    for (unsigned i = 0; i < count; i += each)
        rte_pktmbuf_free(parts[i]);
}
