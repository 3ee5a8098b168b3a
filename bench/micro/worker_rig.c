/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/micro/worker_rig.h"

#include "bench/micro/rig_orders.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"
#include "dataplane/memory/pool.h"
#include "dataplane/ports/vport.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/udp.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_eal.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS         64
#define BUFFERS       4095
#define STEP_NS       100
#define STRIDE        7919 /* from one packet's mobile to the next one's: prime, so that all have their turn */
#define TUNNEL_OCTETS (GB_HEADER_OCTETS + GTPU_OCTETS)
#define FRAME_OCTETS  2048
#define LIFETIME_NS   (15 * MOMENT_SECOND)
#define FRAGMENT_NS   MOMENT_SECOND
#define REASSEMBLIES  64
#define QUEUE_OCTETS  64000
#define N201_U_OCTETS 1520

static_assert(WORKER_RIG_BURST == WORKER_BURST, "a burst is what one pass takes");

struct worker_rig {
    struct rte_mempool *rx_pool, *tx_pool;
    struct vport gn, gb;
    struct worker *worker;
    uint32_t mobiles, next;
    bool is_foreign;
    int64_t now;
    uint16_t frame_octets; /* of the N-PDU in frame */
    uint8_t frame[FRAME_OCTETS];
};

bool worker_rig_start(void)
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

/* --- a worker and what it knows --- */

static const char *name_of(const char *what, const struct worker_rig *rig)
{
    static char name[32];
    snprintf(name, sizeof(name), "%s%u%s", what, rig->mobiles, rig->is_foreign ? "f" : "");
    return name;
}

/* As gbflow gives it out, or a small number that somebody else may have chosen. */
static uint32_t teid_of(const struct worker_rig *rig, uint32_t i)
{
    return rig->is_foreign ? i : teid_make(0, 1, i);
}

static void open_ports(struct worker_rig *rig)
{
    rig->rx_pool = pool_new(name_of("rx", rig), BUFFERS);
    rig->tx_pool = pool_new(name_of("tx", rig), BUFFERS);
    if (!rig->rx_pool || !rig->tx_pool || vport_new(&rig->gn, name_of("net_ring_n", rig), rig->rx_pool) < 0 ||
        vport_new(&rig->gb, name_of("net_ring_b", rig), rig->rx_pool) < 0)
        rig_orders_die("no memory for ports");
}

static void open_worker(struct worker_rig *rig)
{
    const char *error;
    struct worker_config config = {
        .name = name_of("w", rig),
        .limits = {.nses = 1,
                   .nsvcs = 1,
                   .bvcs = CELLS,
                   .mobiles = rig->mobiles,
                   .pdps = rig->mobiles,
                   .foreign_teids = rig->is_foreign ? rig->mobiles : 1},
        .reassemblies = REASSEMBLIES,
        .fragments = REASSEMBLIES,
        .fragment_timeout_ns = FRAGMENT_NS,
        .gn_port = rig->gn.id,
        .gb_port = rig->gb.id,
        .rx_pool = rig->rx_pool,
        .tx_pool = rig->tx_pool,
    };
    context_policy_default(&config.policy);
    config.policy.lifetime =
        (struct lifetime){.mode = LIFETIME_SPLIT, .sgsn_max_ns = LIFETIME_NS, .bss_max_ns = MOMENT_NEVER};
    rig->worker = worker_new(&config, &error);
    if (!rig->worker)
        rig_orders_die(error);
}

static void order_gb(struct worker_rig *rig)
{
    const struct gb_flow flow = {.bucket_octets = BUCKET_MAX_OCTETS,
                                 .rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ms_bucket_octets = BUCKET_MAX_OCTETS,
                                 .ms_rate_bps = BUCKET_MAX_RATE_BPS,
                                 .ratio_percent = -1};
    rig_orders_gb(rig->worker, CELLS, &flow, rig->now);
}

static void order_mobile(struct worker_rig *rig, uint32_t i)
{
    struct msg ms = {.type = MSG_MS_ADD, .index = i}, pdp = {.type = MSG_PDP_ADD, .index = i};
    ms.ms = (struct ms_params){.tlli = 0xc0000000 + i,
                               .bvc = (uint16_t)(i % CELLS),
                               .n201_u = N201_U_OCTETS,
                               .queue_limit_octets = QUEUE_OCTETS};
    pdp.pdp = (struct pdp_params){.ms = i,
                                  .sgsn_ip = RIG_ORDERS_SGSN_IP,
                                  .teid = teid_of(rig, i),
                                  .ggsn_ip = RIG_ORDERS_GGSN_IP,
                                  .nsapi = 5,
                                  .sapi = 3,
                                  .qclass = QCLASS_BACKGROUND,
                                  .pfi = N_PDU_NO_PFI};
    rig_orders_send(rig->worker, &ms, rig->now);
    rig_orders_send(rig->worker, &pdp, rig->now);
}

struct worker_rig *worker_rig_new(uint32_t mobiles, bool is_foreign)
{
    struct worker_rig *rig = calloc(1, sizeof(*rig));
    if (!rig)
        rig_orders_die("no memory");
    rig->mobiles = mobiles;
    rig->is_foreign = is_foreign;
    open_ports(rig);
    open_worker(rig);
    order_gb(rig);
    for (uint32_t i = 0; i < mobiles; i++)
        order_mobile(rig, i);
    return rig;
}

/* --- traffic --- */

static void make_frame(struct worker_rig *rig, uint16_t octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4};
    struct udp udp = {.dst_port = GTPU_PORT, .payload_octets = (uint16_t)(GTPU_OCTETS + octets)};
    struct gtpu gtpu = {.type = GTPU_G_PDU, .payload_octets = octets};
    struct ipv4 inner = {
        .ttl = 64, .proto = IPV4_PROTO_UDP, .payload_octets = (uint16_t)(octets - IPV4_OCTETS)};
    struct ipv4 outer = inner;
    uint8_t *at = rig->frame;

    outer.src = RIG_ORDERS_GGSN_IP;
    outer.dst = RIG_ORDERS_SGSN_IP;
    outer.payload_octets = (uint16_t)(UDP_OCTETS + udp.payload_octets);
    at += ether_encode(at, ETHER_OCTETS, &ether);
    at += ipv4_encode(at, IPV4_OCTETS, &outer);
    at += udp_encode(at, UDP_OCTETS, &udp);
    at += gtpu_encode(at, GTPU_OCTETS, &gtpu);
    ipv4_encode(at, IPV4_OCTETS, &inner);
    rig->frame_octets = octets;
}

void worker_rig_feed(struct worker_rig *rig, uint16_t octets)
{
    struct rte_mbuf *mbufs[WORKER_RIG_BURST];

    if (rig->frame_octets != octets)
        make_frame(rig, octets);
    if (rte_pktmbuf_alloc_bulk(rig->rx_pool, mbufs, WORKER_RIG_BURST) < 0)
        rig_orders_die("buffers are lost");
    for (unsigned i = 0; i < WORKER_RIG_BURST; i++) {
        uint8_t *bytes = (uint8_t *)rte_pktmbuf_append(mbufs[i], (uint16_t)(TUNNEL_OCTETS + octets));
        memcpy(bytes, rig->frame, TUNNEL_OCTETS + octets);
        bytes_put_u32(bytes + GB_HEADER_OCTETS + 4, teid_of(rig, rig->next));
        rig->next = (rig->next + STRIDE) % rig->mobiles;
    }
    rte_ring_enqueue_bulk(rig->gn.to_worker, (void **)mbufs, WORKER_RIG_BURST, NULL);
}

void worker_rig_step(struct worker_rig *rig)
{
    rig->now += STEP_NS;
    worker_step(rig->worker, rig->now);
}

static unsigned take(struct rte_ring *ring)
{
    void *mbufs[WORKER_RIG_BURST];
    unsigned count = rte_ring_dequeue_burst(ring, mbufs, WORKER_RIG_BURST, NULL);
    rte_pktmbuf_free_bulk((struct rte_mbuf **)mbufs, count);
    return count;
}

unsigned worker_rig_take_sent(struct worker_rig *rig)
{
    return take(rig->gb.to_outside);
}

unsigned worker_rig_take_fed(struct worker_rig *rig)
{
    return take(rig->gn.to_worker);
}

uint64_t worker_rig_find(struct worker_rig *rig)
{
    struct table_key keys[WORKER_RIG_BURST];
    uint32_t found[WORKER_RIG_BURST];
    uint64_t sum = 0;

    for (unsigned i = 0; i < WORKER_RIG_BURST; i++) {
        keys[i] = lookup_tunnel_key(RIG_ORDERS_SGSN_IP, teid_of(rig, rig->next));
        rig->next = (rig->next + STRIDE) % rig->mobiles;
    }
    tunnels_find(&rig->worker->tunnels, keys, WORKER_RIG_BURST, found);
    for (unsigned i = 0; i < WORKER_RIG_BURST; i++)
        sum += rig->worker->context.pdps[found[i]].params.ms;
    return sum;
}
